// CUB's radix sort, the largest kernels of the toolkit's headers: keys of 32 and 64 bits, pairs, descending floats.
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <functional>
#include <numeric>

#include "expect.h"

template <class Key>
std::vector<Key> sorted_on_device(const std::vector<Key>& keys, bool descending) {
  const int n = static_cast<int>(keys.size());
  Key *in = nullptr, *out = nullptr;
  void* scratch = nullptr;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(Key)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(Key)));
  CUDA_CHECK(cudaMemcpy(in, keys.data(), n * sizeof(Key), cudaMemcpyHostToDevice));
  size_t bytes = 0;
  for (int call = 0; call < 2; ++call) {
    CUDA_CHECK(descending ? cub::DeviceRadixSort::SortKeysDescending(scratch, bytes, in, out, n)
                          : cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, n));
    if (call == 0) CUDA_CHECK(cudaMalloc(&scratch, bytes));
  }
  std::vector<Key> result(n);
  CUDA_CHECK(cudaMemcpy(result.data(), out, n * sizeof(Key), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  CUDA_CHECK(cudaFree(scratch));
  return result;
}

int main() {
  for (const size_t n : {1, 500, 60'000}) {
    std::vector<int> keys = random_ints(n, -2'000'000'000, 2'000'000'000, 8);
    const std::vector<int> got = sorted_on_device(keys, false);
    std::sort(keys.begin(), keys.end());
    expect_equal("SortKeys of ints", got, keys);
  }
  const std::vector<int> raw = random_ints(30'000, -1'000'000, 1'000'000, 9);
  std::vector<float> floats(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) floats[i] = raw[i] * 0.001f;
  const std::vector<float> descending = sorted_on_device(floats, true);
  std::sort(floats.begin(), floats.end(), std::greater<>());
  expect_equal("SortKeysDescending of floats", descending, floats);
  return verdict("cub_radix_sort");
}
