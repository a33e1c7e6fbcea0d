// check [LARGEST]: the results of reduce, scan and histogram for many sizes up to LARGEST, types and addresses. Out:
// what is wrong, and a line with the number of results; exits with 1 if one is wrong. Without LARGEST also 2^31 - 1
// elements.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "histogram.cuh"
#include "reduce.cuh"
#include "scan.cuh"

#define CHECK(call)                                                                              \
  do {                                                                                           \
    const cudaError_t error = (call);                                                            \
    if (error == cudaSuccess) break;                                                             \
    std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)), exit(1); \
  } while (0)

using namespace top;

static int g_wrong = 0, g_right = 0;
static void expect(bool ok, const std::string& what) {
  ++(ok ? g_right : g_wrong);
  if (!ok) std::printf("WRONG %s\n", what.c_str());
  std::fflush(stdout);
  if (std::getenv("CHECK_VERBOSE")) std::fprintf(stderr, "%s\n", what.c_str());
}

static uint64_t next_random() {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}
// Floats are multiples of 1/8, small enough that every sum is exact in any order.
template <class T>
T random_value() {
  if constexpr (std::is_same_v<T, float>) return static_cast<float>(static_cast<int>(next_random() % 17) - 8) / 8;
  return static_cast<T>(next_random());
}

static void* device(size_t bytes) {
  void* p;
  CHECK(cudaMalloc(&p, bytes));
  return p;
}
template <class T>
void to_device(T* to, const std::vector<T>& from) {
  CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}
template <class T>
std::vector<T> from_device(const T* from, size_t n) {
  std::vector<T> to(n);
  CHECK(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost));
  return to;
}

static int g_largest = 0;  // 0: no limit

static std::vector<int> sizes() {
  std::vector<int> all = {0,
                          1,
                          2,
                          3,
                          4,
                          5,
                          31,
                          32,
                          33,
                          127,
                          128,
                          129,
                          1023,
                          1024,
                          1025,
                          3199,
                          3200,
                          3201,
                          8191,
                          8192,
                          8193,
                          16384,
                          16385,
                          65535,
                          65537,
                          230405,
                          999983,
                          1 << 20,
                          2097153,
                          3200 * 1000 + 1,
                          (1 << 22) - 1,
                          (1 << 22) + 3,
                          1 << 24,
                          3200 * 20000 - 1,
                          (1 << 26) + 17};
  if (g_largest > 0) std::erase_if(all, [](int n) { return n > g_largest; });
  return all;
}

// The same call twice, so that the second one finds what the first one left in the workspace.
template <class T>
void check_type(const char* name) {
  constexpr int kGuard = 64;
  const int most = sizes().back() + 8;
  std::vector<T> in(most);
  for (T& x : in) x = random_value<T>();
  T* d_in = static_cast<T*>(device(most * sizeof(T)));
  T* d_out = static_cast<T*>(device((most + 2 * kGuard) * sizeof(T)));
  to_device(d_in, in);
  void *reduce_work = device(reduce_work_bytes<T>(most)), *scan_work = device(scan_work_bytes<T>(most));
  CHECK(cudaMemset(reduce_work, 0, reduce_work_bytes<T>(most)));
  CHECK(cudaMemset(scan_work, 0, scan_work_bytes<T>(most)));
  using U = typename Wrapping<T>::Type;
  for (int n : sizes())
    for (int shift : {0, 1, 2, 3}) {
      if (shift > 0 && n > 1 << 20) continue;
      const std::string what = std::string(name) + " n " + std::to_string(n) + " shift " + std::to_string(shift);
      std::vector<T> expected(n);
      U sum{};
      for (int i = 0; i < n; ++i) expected[i] = static_cast<T>(sum += static_cast<U>(in[shift + i]));
      for (int again = 0; again < 2; ++again) {
        CHECK(cudaMemset(d_out, 0x55, sizeof(T)));
        CHECK(reduce(d_in + shift, n, d_out, reduce_work, nullptr));
        expect(from_device(d_out, 1)[0] == static_cast<T>(sum), "reduce " + what);
      }
      for (ScanBy by : {ScanBy::kChoice, ScanBy::kBlocks, ScanBy::kStream})
        for (int out_shift : {0, 1}) {
          if (out_shift == 1 && shift > 1) continue;
          std::vector<T> poison(n + 2 * kGuard);
          std::memset(poison.data(), 0x55, poison.size() * sizeof(T));
          to_device(d_out, poison);
          for (int again = 0; again < 2; ++again)
            CHECK(scan_inclusive(d_in + shift, n, d_out + kGuard - out_shift, scan_work, nullptr, by));
          std::memcpy(poison.data() + kGuard - out_shift, expected.data(), n * sizeof(T));
          const auto got = from_device(d_out, n + 2 * kGuard);
          expect(std::memcmp(got.data(), poison.data(), got.size() * sizeof(T)) == 0,
                 "scan " + what + " by " + std::to_string(int(by)) + " out " + std::to_string(-out_shift));
        }
    }
  for (void* p : {static_cast<void*>(d_in), static_cast<void*>(d_out), reduce_work, scan_work}) CHECK(cudaFree(p));
}

// Floats whose sums are not exact: the same bits in every run.
static void check_same_bits(int n) {
  std::vector<float> in(n);
  for (float& x : in) x = static_cast<float>(next_random() % 1000003) / 1000003 - 0.3f;
  float *d_in = static_cast<float*>(device(n * 4)), *d_out = static_cast<float*>(device(n * 4));
  to_device(d_in, in);
  void *reduce_work = device(reduce_work_bytes<float>(n)), *scan_work = device(scan_work_bytes<float>(n));
  CHECK(cudaMemset(reduce_work, 0, reduce_work_bytes<float>(n)));
  CHECK(cudaMemset(scan_work, 0, scan_work_bytes<float>(n)));
  std::vector<float> first_sum, first_scan;
  for (int run = 0; run < 5; ++run) {
    CHECK(reduce(d_in, n, d_out, reduce_work, nullptr));
    const auto sum = from_device(d_out, 1);
    CHECK(scan_inclusive(d_in, n, d_out, scan_work, nullptr, ScanBy::kStream));
    const auto scan = from_device(d_out, n);
    if (run == 0) first_sum = sum, first_scan = scan;
    expect(std::memcmp(sum.data(), first_sum.data(), 4) == 0, "reduce, same bits, run " + std::to_string(run));
    expect(std::memcmp(scan.data(), first_scan.data(), size_t(n) * 4) == 0,
           "scan, same bits, run " + std::to_string(run));
  }
  double exact = 0, worst = 0;
  for (int i = 0; i < n; ++i) {
    exact += in[i];
    worst = std::max(worst, std::abs(first_scan[i] - exact) / std::max(1.0, std::abs(exact)));
  }
  expect(worst < 1e-5, "scan of floats, error " + std::to_string(worst));
  std::printf("floats, n %d: largest error of the scan %.2g, of the sum %.2g\n", n, worst,
              std::abs(first_sum[0] - exact) / exact);
  for (void* p : {static_cast<void*>(d_in), static_cast<void*>(d_out), reduce_work, scan_work}) CHECK(cudaFree(p));
}

static void check_histogram() {
  const size_t most = sizes().back() + 64;
  auto* d_in = static_cast<unsigned char*>(device(most));
  auto* d_bins = static_cast<unsigned*>(device(kBins * 4));
  void* work = device(sizeof(HistogramWork));
  CHECK(cudaMemset(work, 0, sizeof(HistogramWork)));
  std::vector<unsigned char> in(most);
  for (int kind = 0; kind < 3; ++kind) {
    for (auto& x : in) x = kind == 0 ? next_random() : kind == 1 ? 42 : 64 + __builtin_clzll(next_random() | 1);
    to_device(d_in, in);
    for (int n : sizes())
      for (int shift : {0, 1, 7, 15}) {
        std::vector<unsigned> expected(kBins);
        for (int i = 0; i < n; ++i) ++expected[in[shift + i]];
        CHECK(cudaMemset(d_bins, 0x55, kBins * 4));
        CHECK(histogram(d_in + shift, n, d_bins, work, nullptr));
        expect(from_device(d_bins, kBins) == expected, "histogram kind " + std::to_string(kind) + " n " +
                                                           std::to_string(n) + " shift " + std::to_string(shift));
      }
  }
  for (void* p : {static_cast<void*>(d_in), static_cast<void*>(d_bins), work}) CHECK(cudaFree(p));
}

__global__ void fill_largest(unsigned* data, size_t n) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x)
    data[i] = i * 3 + 1;
}
__global__ void compare_largest(const unsigned* sums, size_t n, unsigned* wrong) {
  // The sum of 3 j + 1 for j = 0 … i, modulo 2^32.
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x)
    if (sums[i] != static_cast<unsigned>(3 * (i * (i + 1) / 2) + i + 1)) atomicAdd(wrong, 1);
}
// n = 2^31 - 1: here an index of 32 bits would overflow.
static void check_largest() {
  const size_t n = (size_t{1} << 31) - 1;
  auto *d_in = static_cast<unsigned*>(device(n * 4)), *d_out = static_cast<unsigned*>(device(n * 4 + 16));
  auto* d_wrong = static_cast<unsigned*>(device(kBins * 4));
  void *reduce_work = device(reduce_work_bytes<int>(n)), *scan_work = device(scan_work_bytes<int>(n));
  CHECK(cudaMemset(reduce_work, 0, reduce_work_bytes<int>(n)));
  CHECK(cudaMemset(scan_work, 0, scan_work_bytes<int>(n)));
  fill_largest<<<2048, 512>>>(d_in, n);
  CHECK(reduce(reinterpret_cast<int*>(d_in), n, reinterpret_cast<int*>(d_out), reduce_work, nullptr));
  expect(from_device(d_out, 1)[0] == static_cast<unsigned>(3 * ((n - 1) * n / 2) + n), "reduce of 2^31 - 1");
  for (ScanBy by : {ScanBy::kBlocks, ScanBy::kStream}) {
    CHECK(cudaMemset(d_out, 0, n * 4));
    CHECK(cudaMemset(d_wrong, 0, 4));
    CHECK(scan_inclusive(reinterpret_cast<int*>(d_in), n, reinterpret_cast<int*>(d_out), scan_work, nullptr, by));
    compare_largest<<<2048, 512>>>(d_out, n, d_wrong);
    expect(from_device(d_wrong, 1)[0] == 0, "scan of 2^31 - 1");
  }
  // The bytes of a multiple of four: all sums are known.
  void* work = device(sizeof(HistogramWork));
  CHECK(cudaMemset(work, 0, sizeof(HistogramWork)));
  CHECK(cudaMemset(d_in, 7, n));
  CHECK(histogram(reinterpret_cast<unsigned char*>(d_in), n, d_wrong, work, nullptr));
  std::vector<unsigned> expected(kBins);
  expected[7] = n;
  expect(from_device(d_wrong, kBins) == expected, "histogram of 2^31 - 1");
  for (void* p :
       {static_cast<void*>(d_in), static_cast<void*>(d_out), static_cast<void*>(d_wrong), reduce_work, scan_work, work})
    CHECK(cudaFree(p));
}

int main(int count, char** arguments) {
  if (count > 1) g_largest = std::atoi(arguments[1]);
  check_type<int>("int");
  check_type<float>("float");
  check_type<long long>("int64");
  check_histogram();
  check_same_bits(g_largest > 0 ? g_largest : (1 << 25) + 5);
  if (g_largest == 0) check_largest();
  CHECK(cudaDeviceSynchronize());
  std::printf("%d results right, %d wrong\n", g_right, g_wrong);
  return g_wrong > 0;
}
