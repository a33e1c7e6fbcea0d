// CUB's device-wide algorithms by their two-call interface: scan (decoupled look-back), reduce, histogram, select.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <numeric>

#include "expect.h"

// Owns device memory.
template <class T>
class Array {
 public:
  explicit Array(size_t n) : n_(n) { CUDA_CHECK(cudaMalloc(&data_, n * sizeof(T))); }
  explicit Array(const std::vector<T>& host) : Array(host.size()) {
    CUDA_CHECK(cudaMemcpy(data_, host.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* get() const { return data_; }
  std::vector<T> host() const {
    std::vector<T> values(n_);
    CUDA_CHECK(cudaMemcpy(values.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t n_;
};

// Asks how much scratch memory the algorithm wants, then runs it.
template <class Algorithm>
void run(Algorithm algorithm) {
  size_t bytes = 0;
  CUDA_CHECK(algorithm(nullptr, bytes));
  const Array<char> scratch(std::max<size_t>(bytes, 1));
  CUDA_CHECK(algorithm(scratch.get(), bytes));
  CUDA_CHECK(cudaDeviceSynchronize());
}

static void scan_and_reduce(int n) {
  const std::vector<int> host = random_ints(n, -9, 9, 5);
  const Array<int> in(host), out(n), sum(1), smallest(1);
  std::vector<int> want(n);

  run([&](void* scratch, size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in.get(), out.get(), n);
  });
  std::inclusive_scan(host.begin(), host.end(), want.begin());
  expect_equal("DeviceScan::InclusiveSum", out.host(), want);

  run([&](void* scratch, size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, in.get(), out.get(), n);
  });
  std::exclusive_scan(host.begin(), host.end(), want.begin(), 0);
  expect_equal("DeviceScan::ExclusiveSum", out.host(), want);

  run([&](void* scratch, size_t& bytes) { return cub::DeviceReduce::Sum(scratch, bytes, in.get(), sum.get(), n); });
  expect_equal("DeviceReduce::Sum", sum.host()[0], std::accumulate(host.begin(), host.end(), 0));
  run([&](void* scratch, size_t& bytes) {
    return cub::DeviceReduce::Min(scratch, bytes, in.get(), smallest.get(), n);
  });
  expect_equal("DeviceReduce::Min", smallest.host()[0], *std::min_element(host.begin(), host.end()));
}

static void reduce_floats(int n) {
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i) host[i] = 1.0f / (1 + i % 100);
  const Array<float> in(host), sum(1);
  run([&](void* scratch, size_t& bytes) { return cub::DeviceReduce::Sum(scratch, bytes, in.get(), sum.get(), n); });
  // Pairwise sums of n positive terms: an error of about log2(n) roundings.
  expect_near("DeviceReduce::Sum of floats", sum.host()[0], std::accumulate(host.begin(), host.end(), 0.0), 2e-6);
}

static void histogram(int n) {
  const std::vector<int> raw = random_ints(n, 0, 255, 6);
  const std::vector<unsigned char> bytes_in(raw.begin(), raw.end());
  const Array<unsigned char> in(bytes_in);
  const Array<int> bins(256);
  run([&](void* scratch, size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(scratch, bytes, in.get(), bins.get(), 257, 0, 256, n);
  });
  std::vector<int> want(256);
  for (const int v : raw) ++want[v];
  expect_equal("DeviceHistogram::HistogramEven", bins.host(), want);
}

struct IsMultipleOfThree {
  __host__ __device__ bool operator()(int v) const { return v % 3 == 0; }
};

static void select(int n) {
  const std::vector<int> host = random_ints(n, 0, 1000, 7);
  const Array<int> in(host), out(n), count(1);
  run([&](void* scratch, size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, in.get(), out.get(), count.get(), n, IsMultipleOfThree{});
  });
  std::vector<int> want, got = out.host();
  std::copy_if(host.begin(), host.end(), std::back_inserter(want), IsMultipleOfThree{});
  got.resize(std::clamp(count.host()[0], 0, n));
  expect_equal("DeviceSelect::If", got, want);
}

int main() {
  for (const int n : {1, 1000, 100'000}) scan_and_reduce(n);
  reduce_floats(50'000);
  for (const int n : {100, 200'000}) histogram(n);
  select(30'000);
  return verdict("cub_device");
}
