// check_labs [LARGEST]: the results of labs 24 and 25 for many sizes up to LARGEST and for many addresses. Out: what is
// wrong, and a line with the number of results; exits with 1 if one is wrong. Without LARGEST also 2^31 - 1 elements,
// where the card has the memory for them.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "common/check.h"
#include "common/contracts/select.h"
#include "common/contracts/sort.h"

constexpr int kGuard = 64;  // elements before and behind an output, which must stay
constexpr unsigned kPoison = 0x55555555;
constexpr int kMost = 2147483647;  // 2^31 - 1

static int g_right = 0, g_wrong = 0;
static void expect(bool ok, const std::string& what) {
  ++(ok ? g_right : g_wrong);
  if (!ok) std::printf("WRONG %s\n", what.c_str()), std::fflush(stdout);
}

__host__ __device__ inline unsigned mixed(unsigned i) {
  i = (i ^ i >> 16) * 0x85ebca6bu;
  i = (i ^ i >> 13) * 0xc2b2ae35u;
  return i ^ i >> 16;
}
__host__ __device__ inline int number_at(unsigned i) {
  const int place = static_cast<int>(i) + 1;
  return mixed(i) & 1 ? place : -place;
}

using Words = std::vector<unsigned>;

// Device memory for n elements behind `shift` others, with guards.
struct Array {
  unsigned* base = nullptr;
  size_t n, shift;

  Array(size_t size, int moved) : n(size), shift(moved) {
    CUDA_CHECK(cudaMalloc(&base, (n + shift + 2 * kGuard) * sizeof *base));
    CUDA_CHECK(cudaMemset(base, 0x55, (n + shift + 2 * kGuard) * sizeof *base));
  }
  Array(const Words& words, int moved) : Array(words.size(), moved) {
    CUDA_CHECK(cudaMemcpy(data(), words.data(), n * sizeof *base, cudaMemcpyHostToDevice));
  }
  ~Array() { CUDA_CHECK(cudaFree(base)); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  unsigned* data() const { return base + kGuard + shift; }
  // Whether the first elements are these, and everything else is as it was.
  bool holds(const Words& expected) const {
    Words all(n + shift + 2 * kGuard), want(all.size(), kPoison);
    CUDA_CHECK(cudaMemcpy(all.data(), base, all.size() * sizeof *base, cudaMemcpyDeviceToHost));
    std::ranges::copy(expected, want.begin() + kGuard + static_cast<std::ptrdiff_t>(shift));
    return all == want;
  }
};

static int* as_ints(const Array& array) { return reinterpret_cast<int*>(array.data()); }

static void check_selections(int n, int shift) {
  const std::string at = " of " + std::to_string(n) + " behind " + std::to_string(shift);
  for (int kind = 0; kind < 4; ++kind) {  // none, all, half, few
    Words in(n), kept;
    for (int i = 0; i < n; ++i) {
      const bool selected = kind == 1 || (kind == 2 && mixed(i) % 2 == 0) || (kind == 3 && mixed(i) % 100 == 0);
      in[i] = static_cast<unsigned>(selected ? i + 1 : -i);
      if (selected) kept.push_back(in[i]);
    }
    const Array from(in, shift), to(n, (shift + kind) % 4), count(1, 0);
    for (int again = 0; again < 2; ++again) select_positive(as_ints(from), n, as_ints(to), as_ints(count));
    expect(to.holds(kept) && count.holds({static_cast<unsigned>(kept.size())}),
           "selection " + std::to_string(kind) + at);
  }
}

static void check_sorts(int n, int shift) {
  const std::string at = " of " + std::to_string(n) + " behind " + std::to_string(shift);
  for (int kind = 0; kind < 4; ++kind) {  // random, equal, few, decreasing
    Words keys(n), values(n), sorted(n), places(n), by_digit;
    for (int i = 0; i < n; ++i) {
      keys[i] = kind == 0   ? mixed(i)
                : kind == 1 ? 7u
                : kind == 2 ? mixed(i) % 3 * 0x10203u
                            : static_cast<unsigned>(n - i);
      values[i] = mixed(i + n);
    }
    Words order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](unsigned i) { return keys[i]; });
    for (int i = 0; i < n; ++i) sorted[i] = keys[order[i]], places[i] = values[order[i]];
    by_digit = keys;
    std::ranges::stable_sort(by_digit, {}, [](unsigned key) { return key & 255; });
    const Array from(keys, shift), with(values, (shift + 1) % 4), to(n, (shift + kind) % 4), with_to(n, kind),
        digits_to(n, shift), pairs_to(n, 0);
    sort_keys(from.data(), n, to.data());
    expect(to.holds(sorted), "keys " + std::to_string(kind) + at);
    sort_by_digit(from.data(), n, digits_to.data());
    expect(digits_to.holds(by_digit), "digit " + std::to_string(kind) + at);
    sort_pairs(from.data(), with.data(), n, pairs_to.data(), with_to.data());
    expect(pairs_to.holds(sorted) && with_to.holds(places), "pairs " + std::to_string(kind) + at);
  }
}

__global__ void fill(unsigned* numbers, unsigned* keys, unsigned* places, size_t n) {
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) {
    const auto place = static_cast<unsigned>(i);
    if (numbers != nullptr) numbers[i] = static_cast<unsigned>(number_at(place));
    if (keys != nullptr) keys[i] = mixed(place) & ~3u;  // so that many are equal
    if (places != nullptr) places[i] = place;
  }
}
__global__ void count_selected(size_t n, unsigned long long* found) {
  unsigned long long mine = 0;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x)
    mine += number_at(static_cast<unsigned>(i)) > 0;
  atomicAdd(found, mine);
}
// Selected elements that grow and are all of the input: with the right number, they are all of them, in their order.
__global__ void wrong_selected(const int* out, size_t count, unsigned long long* wrong) {
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x) {
    const bool ok =
        out[i] > 0 && number_at(static_cast<unsigned>(out[i] - 1)) == out[i] && (i == 0 || out[i - 1] < out[i]);
    if (!ok) atomicAdd(wrong, 1ull);
  }
}
// n pairs that belong to the input and grow by key, and by place where keys are equal, are all of them, stably sorted.
__global__ void wrong_sorted(const unsigned* keys, const unsigned* places, size_t n, unsigned long long* wrong) {
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) {
    bool ok = places[i] < n && keys[i] == (mixed(places[i]) & ~3u);
    if (i > 0) ok = ok && (keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && places[i - 1] < places[i]));
    if (!ok) atomicAdd(wrong, 1ull);
  }
}
__global__ void differing(const unsigned* a, const unsigned* b, size_t n, unsigned long long* wrong) {
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x)
    if (a[i] != b[i]) atomicAdd(wrong, 1ull);
}

static unsigned long long fetched(unsigned long long* counter) {
  unsigned long long value = 0;
  CUDA_CHECK(cudaMemcpy(&value, counter, sizeof value, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemset(counter, 0, sizeof value));
  return value;
}

static void check_largest() {
  constexpr size_t kNeeded = size_t{52} << 30;  // keys, values, outputs and the sort's own memory
  size_t free = 0, all = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &all));
  if (free < kNeeded) {
    std::printf("2^31 - 1 elements are left out: the card has %zu GiB free, and 52 are needed\n", free >> 30);
    return;
  }
  unsigned long long* counter = nullptr;
  CUDA_CHECK(cudaMalloc(&counter, sizeof *counter));
  CUDA_CHECK(cudaMemset(counter, 0, sizeof *counter));
  constexpr size_t n = kMost;
  {
    const Array in(n, 1), out(n, 0), count(1, 0);
    fill<<<1024, 256>>>(in.data(), nullptr, nullptr, n);
    count_selected<<<1024, 256>>>(n, counter);
    const unsigned long long selected = fetched(counter);
    select_positive(as_ints(in), kMost, as_ints(out), as_ints(count));
    expect(count.holds({static_cast<unsigned>(selected)}), "count of 2^31 - 1");
    wrong_selected<<<1024, 256>>>(as_ints(out), selected, counter);
    expect(fetched(counter) == 0, "selection of 2^31 - 1");
  }
  const Array keys(n, 1), places(n, 0), keys_out(n, 0), places_out(n, 3);
  fill<<<1024, 256>>>(nullptr, keys.data(), places.data(), n);
  sort_pairs(keys.data(), places.data(), kMost, keys_out.data(), places_out.data());
  wrong_sorted<<<1024, 256>>>(keys_out.data(), places_out.data(), n, counter);
  expect(fetched(counter) == 0, "pairs of 2^31 - 1");
  sort_keys(keys.data(), kMost, places.data());
  differing<<<1024, 256>>>(keys_out.data(), places.data(), n, counter);
  expect(fetched(counter) == 0, "keys of 2^31 - 1");
  CUDA_CHECK(cudaFree(counter));
}

int main(int count, char** arguments) {
  const int largest = count > 1 ? std::atoi(arguments[1]) : kMost;
  for (int n : {0,    1,    2,    3,     31,    33,     511,    513,     1024,    1535,   1537,
                2049, 3000, 8191, 20000, 65537, 524287, 524289, 1000003, 2097153, 5000001})
    for (int shift = 0; shift < 4 && n <= largest; ++shift) {
      if (n > 100000 && shift > 1) continue;
      check_selections(n, shift);
      check_sorts(n, shift);
    }
  if (count == 1) check_largest();
  std::printf("%d results right, %d wrong\n", g_right, g_wrong);
  return g_wrong == 0 ? 0 : 1;
}
