// bench OUT.csv clean|dirty quick|whole [CUB_LIBRARY ...]: reduce, scan, histogram and the solutions of labs 24 and 25
// beside CUB and beside kernels that only read or copy, in one process. A library is cub.cu, compiled with one version
// of CUB. ./lab bench compiles and starts all this.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <type_traits>

#include "common/contracts/select.h"
#include "common/contracts/sort.h"
#include "harness.h"
#include "histogram.cuh"
#include "limits.cuh"
#include "reduce.cuh"
#include "scan.cuh"

using namespace top;

using CubCall = int (*)(void*, size_t*, const void*, void*, int64_t, cudaStream_t);

struct Cub {
  void* library;
  std::string name;

  explicit Cub(const char* path) : library(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (library == nullptr) std::fprintf(stderr, "%s\n", dlerror()), exit(1);
    const int version = reinterpret_cast<int (*)()>(dlsym(library, "top_cub_version"))();
    name = "CUB " + std::to_string(version / 100000) + "." + std::to_string(version / 100 % 1000) + "." +
           std::to_string(version % 100);
  }
  // Appends the call, if this CUB has it.
  void add(std::vector<Call>& calls, const std::string& function, const char* suffix, const void* in, void* out,
           size_t n, std::function<bool()> right, std::vector<void*>& owned) const {
    const auto call = reinterpret_cast<CubCall>(dlsym(library, ("top_" + function).c_str()));
    if (call == nullptr) return;
    size_t bytes = 0;
    CHECK(call(nullptr, &bytes, in, out, n, nullptr));
    void* work = nullptr;
    CHECK(cudaMalloc(&work, bytes + 16));
    owned.push_back(work);
    const auto run = [=](cudaStream_t s) {
      size_t given = bytes;
      CHECK(call(work, &given, in, out, n, s));
    };
    calls.push_back({name + suffix, run, right});
  }
};

__global__ void count_different(const unsigned* a, const unsigned* b, size_t n, unsigned long long* different) {
  unsigned long long count = 0;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x)
    count += a[i] != b[i];
  if (count > 0) atomicAdd(different, count);
}

// Buffers of the card that live as long as the program.
struct Card {
  void *in, *out, *expected;
  unsigned long long* different;
  int multiprocessors;

  explicit Card(size_t bytes) {
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes + 16));  // a count may lie behind the last element
    CHECK(cudaMalloc(&expected, bytes));
    CHECK(cudaMalloc(&different, sizeof *different));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  }
  // Whether out is as expected. Spoils out.
  std::function<bool()> same(size_t bytes) const {
    return [this, bytes] {
      CHECK(cudaMemset(different, 0, sizeof *different));
      count_different<<<1024, 256>>>(static_cast<unsigned*>(out), static_cast<unsigned*>(expected), bytes / 4,
                                     different);
      unsigned long long count = 1;
      CHECK(cudaMemcpy(&count, different, sizeof count, cudaMemcpyDeviceToHost));
      CHECK(cudaMemset(out, 0x55, bytes));
      return count == 0;
    };
  }
};

static uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// Floats are multiples of 1/8, so that every sum is exact in any order and can be compared bit by bit.
template <class T>
std::vector<T> numbers(size_t n) {
  std::vector<T> all(n);
  for (size_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, float>)
      all[i] = static_cast<float>(static_cast<int>(mixed(i) % 17) - 8) / 8;
    else
      all[i] = static_cast<T>(mixed(i));
  }
  return all;
}

static void add_reading(std::vector<Call>& calls, const Card& card, size_t bytes) {
  const auto* in = static_cast<const uint4*>(card.in);
  auto* out = static_cast<unsigned*>(card.out);
  const auto v = static_cast<unsigned>(bytes / 16);
  const unsigned striding = std::min<unsigned>(4 * card.multiprocessors, v / 512 + 1);
  calls.push_back(
      {"read 256 x 2", [=](cudaStream_t s) { read_once<256, 2><<<v / 512 + 1, 256, 0, s>>>(in, v, out); }, {}});
  calls.push_back(
      {"read 512 x 4", [=](cudaStream_t s) { read_once<512, 4><<<v / 2048 + 1, 512, 0, s>>>(in, v, out); }, {}});
  calls.push_back(
      {"read 512 x 8", [=](cudaStream_t s) { read_once<512, 8><<<v / 4096 + 1, 512, 0, s>>>(in, v, out); }, {}});
  calls.push_back(
      {"read 256 x 8", [=](cudaStream_t s) { read_once<256, 8><<<v / 2048 + 1, 256, 0, s>>>(in, v, out); }, {}});
  calls.push_back(
      {"read striding", [=](cudaStream_t s) { read_striding<512><<<striding, 512, 0, s>>>(in, v, out); }, {}});
}

static void add_copying(std::vector<Call>& calls, const Card& card, size_t bytes) {
  const auto* in = static_cast<const uint4*>(card.in);
  auto* out = static_cast<uint4*>(card.out);
  const auto v = static_cast<unsigned>(bytes / 16);
  const unsigned striding = std::min<unsigned>(4 * card.multiprocessors, v / 512 + 1);
  calls.push_back(
      {"copy 256 x 1", [=](cudaStream_t s) { copy_once<256, 1><<<v / 256 + 1, 256, 0, s>>>(in, v, out); }, {}});
  calls.push_back(
      {"copy 512 x 2", [=](cudaStream_t s) { copy_once<512, 2><<<v / 1024 + 1, 512, 0, s>>>(in, v, out); }, {}});
  calls.push_back(
      {"copy 256 x 8", [=](cudaStream_t s) { copy_once<256, 8><<<v / 2048 + 1, 256, 0, s>>>(in, v, out); }, {}});
  calls.push_back(
      {"copy striding", [=](cudaStream_t s) { copy_striding<512><<<striding, 512, 0, s>>>(in, v, out); }, {}});
}

static void* zeros(size_t bytes, std::vector<void*>& owned) {
  void* p = nullptr;
  CHECK(cudaMalloc(&p, bytes));
  CHECK(cudaMemset(p, 0, bytes));
  owned.push_back(p);
  return p;
}

static void release(std::vector<void*>& owned) {
  for (void* p : owned) CHECK(cudaFree(p));
  owned.clear();
}

static int rounds_for(size_t bytes) { return bytes <= size_t{1} << 24 ? 61 : 21; }

template <class T>
void sums(Harness& harness, const std::vector<Cub>& cubs, const Card& card, const std::string& type,
          const std::vector<int>& logs) {
  const size_t most = size_t{1} << logs.back();
  const std::vector<T> in = numbers<T>(most);
  CHECK(cudaMemcpy(card.in, in.data(), most * sizeof(T), cudaMemcpyHostToDevice));
  std::vector<T> prefix(most);
  typename Wrapping<T>::Type sum{};
  for (size_t i = 0; i < most; ++i) prefix[i] = static_cast<T>(sum += in[i]);
  std::vector<void*> owned;
  const auto* from = static_cast<const T*>(card.in);
  auto* to = static_cast<T*>(card.out);
  for (int log : logs) {
    const size_t n = size_t{1} << log, bytes = n * sizeof(T);
    void *reduce_work = zeros(reduce_work_bytes<T>(n), owned), *scan_work = zeros(scan_work_bytes<T>(n), owned);
    const int count = static_cast<int>(n);

    CHECK(cudaMemcpy(card.expected, &prefix[n - 1], sizeof(T), cudaMemcpyHostToDevice));
    std::vector<Call> calls;
    for (const Cub& cub : cubs) {
      cub.add(calls, "reduce_" + type, "", from, to, n, card.same(sizeof(T)), owned);
      cub.add(calls, "reduce_atomic_" + type, " atomic", from, to, n, card.same(sizeof(T)), owned);
    }
    calls.push_back(
        {"ours", [=](cudaStream_t s) { CHECK(reduce(from, count, to, reduce_work, s)); }, card.same(sizeof(T))});
    add_reading(calls, card, bytes);
    harness.time({"reduce", type, "random", n, double(bytes)}, calls, rounds_for(bytes));

    CHECK(cudaMemcpy(card.expected, prefix.data(), bytes, cudaMemcpyHostToDevice));
    calls.clear();
    for (const Cub& cub : cubs) cub.add(calls, "scan_" + type, "", from, to, n, card.same(bytes), owned);
    for (const auto& [what, by] :
         {std::pair{"ours", ScanBy::kChoice}, {"ours by blocks", ScanBy::kBlocks}, {"ours by stream", ScanBy::kStream}})
      calls.push_back({what, [=, by = by](cudaStream_t s) { CHECK(scan_inclusive(from, count, to, scan_work, s, by)); },
                       card.same(bytes)});
    add_copying(calls, card, bytes);
    harness.time({"scan", type, "random", n, 2.0 * bytes}, calls, rounds_for(bytes));
    release(owned);
  }
}

static void histograms(Harness& harness, const std::vector<Cub>& cubs, const Card& card,
                       const std::vector<size_t>& sizes) {
  std::vector<unsigned char> bytes(sizes.back());
  std::vector<void*> owned;
  for (const std::string input : {"uniform", "constant", "skewed"}) {
    for (size_t i = 0; i < bytes.size(); ++i)  // skewed: half of all bytes in one bin, a quarter in the next, and so on
      bytes[i] = input == "uniform" ? mixed(i) : input == "constant" ? 42 : 64 + __builtin_clzll(mixed(i) | 1);
    CHECK(cudaMemcpy(card.in, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    for (size_t n : sizes) {
      std::vector<unsigned> bins(4 * kBins);
      for (size_t i = 0; i < n; ++i) ++bins[i % 4 * kBins + bytes[i]];
      for (int b = 0; b < kBins; ++b) bins[b] += bins[kBins + b] + bins[2 * kBins + b] + bins[3 * kBins + b];
      CHECK(cudaMemcpy(card.expected, bins.data(), kBins * 4, cudaMemcpyHostToDevice));
      const auto right = card.same(kBins * 4);
      const auto* from = static_cast<const unsigned char*>(card.in);
      auto* to = static_cast<unsigned*>(card.out);
      void* work = zeros(sizeof(HistogramWork), owned);
      std::vector<Call> calls;
      for (const Cub& cub : cubs) cub.add(calls, "histogram_u8", "", from, to, n, right, owned);
      calls.push_back({"ours", [=](cudaStream_t s) { CHECK(histogram(from, n, to, work, s)); }, right});
      add_reading(calls, card, n);
      harness.time({"histogram", "u8", input, n, double(n)}, calls, rounds_for(n));
      release(owned);
    }
  }
}

// Which elements are selected depends on the input's name.
static void selections(Harness& harness, const std::vector<Cub>& cubs, const Card& card, const std::vector<int>& logs) {
  std::vector<int> in(size_t{1} << logs.back()), kept;
  std::vector<void*> owned;
  for (const auto& [input, share] : {std::pair{"none", 0}, {"random", 500}, {"all", 1000}}) {
    for (size_t i = 0; i < in.size(); ++i) {
      const int value = static_cast<int>(i % 1'000'000'007) + 1;
      in[i] = static_cast<int>(mixed(i) % 1000) < share ? value : -value;
    }
    CHECK(cudaMemcpy(card.in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
    for (int log : logs) {
      const size_t n = size_t{1} << log;
      kept.clear();
      std::copy_if(in.begin(), in.begin() + n, std::back_inserter(kept), [](int x) { return x > 0; });
      const size_t selected = kept.size() * sizeof(int), bytes = n * sizeof(int) + selected;
      CHECK(cudaMemcpy(card.expected, kept.data(), selected, cudaMemcpyHostToDevice));
      const auto* from = static_cast<const int*>(card.in);
      auto* to = static_cast<int*>(card.out);
      // The count lies behind the last element.
      const auto right = [=, count = static_cast<int>(kept.size()), same = card.same(selected)] {
        int found = -1;
        CHECK(cudaMemcpy(&found, to + n, sizeof found, cudaMemcpyDeviceToHost));
        CHECK(cudaMemset(to + n, 0x55, sizeof found));
        return found == count && same();
      };
      std::vector<Call> calls;
      for (const Cub& cub : cubs) cub.add(calls, "select_i32", "", from, to, n, right, owned);
      calls.push_back({"ours", [=](cudaStream_t) { select_positive(from, static_cast<int>(n), to, to + n); }, right});
      add_copying(calls, card, bytes / 2);
      harness.time_in_default_stream({"select", "i32", input, n, double(bytes)}, calls, rounds_for(bytes));
      release(owned);
    }
  }
}

// The keys of `from` in order, and their places there, by a counting sort for each byte.
static void sort_on_host(const unsigned* from, size_t n, std::vector<unsigned>& keys, std::vector<unsigned>& places) {
  keys.assign(from, from + n);
  places.resize(n);
  for (size_t i = 0; i < n; ++i) places[i] = static_cast<unsigned>(i);
  std::vector<unsigned> next_keys(n), next_places(n);
  for (int shift = 0; shift < 32; shift += 8) {
    size_t begin[257] = {};
    for (size_t i = 0; i < n; ++i) ++begin[(keys[i] >> shift & 255) + 1];
    for (int d = 0; d < 256; ++d) begin[d + 1] += begin[d];
    for (size_t i = 0; i < n; ++i) {
      const size_t place = begin[keys[i] >> shift & 255]++;
      next_keys[place] = keys[i], next_places[place] = places[i];
    }
    keys.swap(next_keys), places.swap(next_places);
  }
}

// Keys, and pairs whose values are the keys' places. Values follow keys in one array, which holds 2^logs.back() words.
static void sorts(Harness& harness, const std::vector<Cub>& cubs, const Card& card, const std::vector<int>& logs) {
  std::vector<unsigned> in, keys, places;
  std::vector<void*> owned;
  const auto* from = static_cast<const unsigned*>(card.in);
  auto* to = static_cast<unsigned*>(card.out);
  for (const std::string input : {"random", "constant", "increasing"}) {
    for (int log : logs) {
      if (input != "random" && log != 26) continue;
      const size_t n = size_t{1} << log;
      in.resize(2 * n);
      for (size_t i = 0; i < n; ++i) {
        in[i] = input == "random" ? mixed(i) : input == "constant" ? 0x12345678 : i;
        in[n + i] = static_cast<unsigned>(i);
      }
      sort_on_host(in.data(), n, keys, places);
      CHECK(cudaMemcpy(card.in, in.data(), 2 * n * sizeof(unsigned), cudaMemcpyHostToDevice));
      CHECK(cudaMemcpy(card.expected, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
      auto* expected = static_cast<unsigned*>(card.expected);
      CHECK(cudaMemcpy(expected + n, places.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
      const int count = static_cast<int>(n);
      const size_t bytes = n * sizeof(unsigned);
      std::vector<Call> calls;
      for (const Cub& cub : cubs) cub.add(calls, "sort_u32", "", from, to, n, card.same(bytes), owned);
      calls.push_back({"ours", [=](cudaStream_t) { sort_keys(from, count, to); }, card.same(bytes)});
      harness.time_in_default_stream({"sort", "u32", input, n, 2.0 * bytes}, calls, rounds_for(bytes));
      calls.clear();
      for (const Cub& cub : cubs) cub.add(calls, "sort_pairs_u32", "", from, to, n, card.same(2 * bytes), owned);
      calls.push_back(
          {"ours", [=](cudaStream_t) { sort_pairs(from, from + n, count, to, to + n); }, card.same(2 * bytes)});
      harness.time_in_default_stream({"sort", "pairs of u32", input, n, 4.0 * bytes}, calls, rounds_for(bytes));
      release(owned);
    }
  }
}

// Three arrays of the largest input must fit into the card's free memory: 2^30 ints where it has 13 GiB, else 2^28.
static int largest_log() {
  size_t free = 0, all = 0;
  CHECK(cudaMemGetInfo(&free, &all));
  return free > (size_t{13} << 30) ? 30 : 28;
}

int main(int count, char** arguments) {
  if (count < 4) return std::fprintf(stderr, "usage: bench OUT.csv clean|dirty quick|whole [CUB_LIBRARY ...]\n"), 2;
  const bool quick = std::strcmp(arguments[3], "quick") == 0;
  // The sort allocates its workspace in each call. The pool keeps the memory, so that only the first call waits for it;
  // CUB gets its workspace before the clock runs.
  cudaMemPool_t pool = nullptr;
  uint64_t all = UINT64_MAX;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  const std::vector<Cub> cubs(arguments + 4, arguments + count);
  Harness harness(arguments[1], std::strcmp(arguments[2], "dirty") == 0);
  const int largest = quick ? 28 : largest_log();
  const Card card(size_t{4} << largest);
  std::vector<int> logs = {16, 20, 24, 28};
  if (!quick) logs = {16, 18, 20, 21, 22, 23, 24, 26, 28};
  if (largest > 28) logs.push_back(largest);
  sums<int>(harness, cubs, card, "i32", logs);
  histograms(
      harness, cubs, card,
      quick ? std::vector<size_t>{100 << 20, 1 << 30} : std::vector<size_t>{1 << 20, 16 << 20, 100 << 20, 1 << 30});
  selections(harness, cubs, card, quick ? std::vector<int>{16, 20, 24, 28} : logs);
  // Keys and values of the largest pairs fill an array.
  sorts(harness, cubs, card,
        quick          ? std::vector<int>{20, 26}
        : largest > 28 ? std::vector<int>{16, 20, 22, 24, 26, 28}
                       : std::vector<int>{16, 20, 22, 24, 26, 27});
  if (quick) return 0;
  sums<float>(harness, cubs, card, "f32", {16, 20, 24, 28});
  sums<long long>(harness, cubs, card, "i64", {16, 20, 24, 28});
}
