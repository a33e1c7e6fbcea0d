// card_limits WHAT N CALLS [FORM]: programs to compare the labs with; limits_on_card.py times them under Nsight
// Compute. WHAT: read_ints, read_bytes, copy (floats), cub_reduce (ints), cub_scan_inclusive, cub_scan_exclusive
// (floats), cub_histogram, cub_histogram_constant (bytes). FORM, for reading and copying: 0 is a grid-stride loop; 1,
// 2, 4, 8 is a thread's number of vectors. The fastest depends on card and size. Checks no results; programs/ does.
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <string>

#include "common/check.h"

constexpr int kBlock = 512;

// Pseudo-random bytes. Not timed: limits_on_card.py leaves out kernels with this name.
__global__ void fill(uint4* data, size_t vectors) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors; i += stride) {
    const unsigned x = static_cast<unsigned>(i) * 2654435761u;
    data[i] = uint4{x, x * 2246822519u, x * 3266489917u, x ^ x >> 15};
  }
}

// Reads all elements; the sum keeps the compiler from removing the loads.
__global__ void read_striding(const uint4* __restrict__ in, size_t vectors, unsigned* __restrict__ out) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
  unsigned sum = 0;
#pragma unroll 4
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors; i += stride) {
    const uint4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 0x12345678) *out = sum;
}

// kEach vectors for each thread, all in flight at once. `vectors` is a multiple of kEach * kBlock.
template <int kEach>
__global__ void read_once(const uint4* __restrict__ in, unsigned* __restrict__ out) {
  in += size_t{blockIdx.x} * kEach * kBlock + threadIdx.x;
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const uint4 v = in[k * kBlock];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 0x12345678) *out = sum;
}

__global__ void copy_striding(const uint4* __restrict__ in, size_t vectors, uint4* __restrict__ out) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
#pragma unroll 4
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors; i += stride) out[i] = in[i];
}

template <int kEach>
__global__ void copy_once(const uint4* __restrict__ in, uint4* __restrict__ out) {
  const size_t first = size_t{blockIdx.x} * kEach * kBlock + threadIdx.x;
  uint4 v[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) v[k] = in[first + k * kBlock];
#pragma unroll
  for (int k = 0; k < kEach; ++k) out[first + k * kBlock] = v[k];
}

struct Arrays {
  const uint4* in;
  uint4* out;
  size_t vectors;
  int striding_blocks;
};

template <int kEach>
void once(const Arrays& arrays, bool copy) {
  const unsigned blocks = static_cast<unsigned>(arrays.vectors / (kEach * kBlock));
  if (copy)
    copy_once<kEach><<<blocks, kBlock>>>(arrays.in, arrays.out);
  else
    read_once<kEach><<<blocks, kBlock>>>(arrays.in, reinterpret_cast<unsigned*>(arrays.out));
}

void move(const Arrays& arrays, bool copy, int form) {
  switch (form) {
    case 0:
      if (copy)
        copy_striding<<<arrays.striding_blocks, kBlock>>>(arrays.in, arrays.vectors, arrays.out);
      else
        read_striding<<<arrays.striding_blocks, kBlock>>>(arrays.in, arrays.vectors,
                                                          reinterpret_cast<unsigned*>(arrays.out));
      break;
    case 1: once<1>(arrays, copy); break;
    case 2: once<2>(arrays, copy); break;
    case 4: once<4>(arrays, copy); break;
    case 8: once<8>(arrays, copy); break;
    default: std::fprintf(stderr, "card_limits: there is no form %d\n", form); std::exit(2);
  }
}

// CUB's two calls: the first returns the scratch size, the second does the work.
template <class Call>
void with_scratch(int calls, Call call) {
  size_t bytes = 0;
  CUDA_CHECK(call(nullptr, bytes));
  void* scratch = nullptr;
  CUDA_CHECK(cudaMalloc(&scratch, bytes));
  for (int i = 0; i < calls; ++i) CUDA_CHECK(call(scratch, bytes));
  CUDA_CHECK(cudaFree(scratch));
}

int main(int count, char** arguments) {
  if (count != 4 && count != 5) return std::fprintf(stderr, "usage: card_limits WHAT N CALLS [FORM]\n"), 2;
  const std::string what = arguments[1];
  const size_t n = std::strtoull(arguments[2], nullptr, 10);
  const int calls = std::atoi(arguments[3]), items = static_cast<int>(n);
  const bool of_bytes = what == "read_bytes" || what.rfind("cub_histogram", 0) == 0;
  const size_t bytes = of_bytes ? n : 4 * n, vectors = bytes / sizeof(uint4);
  int multiprocessors = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const int blocks = 4 * multiprocessors;  // of 512: 2048 threads each

  uint4 *in = nullptr, *out = nullptr;
  CUDA_CHECK(cudaMalloc(&in, bytes));
  CUDA_CHECK(cudaMalloc(&out, bytes));
  fill<<<blocks, kBlock>>>(in, vectors);
  CUDA_CHECK(cudaGetLastError());
  if (what == "cub_histogram_constant") CUDA_CHECK(cudaMemset(in, 42, bytes));
  const float* floats = reinterpret_cast<const float*>(in);
  float* sums = reinterpret_cast<float*>(out);
  unsigned* words = reinterpret_cast<unsigned*>(out);

  if (what == "read_ints" || what == "read_bytes" || what == "copy") {
    const Arrays arrays{in, out, vectors, blocks};
    for (int i = 0; i < calls; ++i) move(arrays, what == "copy", count == 5 ? std::atoi(arguments[4]) : 0);
  } else if (what == "cub_reduce") {
    const int* ints = reinterpret_cast<const int*>(in);
    int* sum = reinterpret_cast<int*>(out);
    with_scratch(calls, [&](void* s, size_t& b) { return cub::DeviceReduce::Sum(s, b, ints, sum, items); });
  } else if (what == "cub_scan_inclusive") {
    with_scratch(calls, [&](void* s, size_t& b) { return cub::DeviceScan::InclusiveSum(s, b, floats, sums, items); });
  } else if (what == "cub_scan_exclusive") {
    with_scratch(calls, [&](void* s, size_t& b) { return cub::DeviceScan::ExclusiveSum(s, b, floats, sums, items); });
  } else if (of_bytes) {
    const unsigned char* samples = reinterpret_cast<const unsigned char*>(in);
    with_scratch(calls, [&](void* s, size_t& b) {
      return cub::DeviceHistogram::HistogramEven(s, b, samples, words, 257, 0, 256, items);
    });
  } else {
    return std::fprintf(stderr, "card_limits: there is no %s\n", what.c_str()), 2;
  }
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}
