// limits: kernels that only read or only copy, in several forms; the fastest of them is the limit of a size. In:
// vectors of 16 bytes. Out: nothing, or the copy.
#pragma once

#include <cuda_runtime.h>

namespace top {

// kEach vectors for each thread, all in flight at once. The sum keeps the compiler from removing the loads.
template <int kBlock, int kEach>
__global__ void __launch_bounds__(kBlock) read_once(const uint4* __restrict__ in, unsigned vectors, unsigned* out) {
  const unsigned first = blockIdx.x * (kBlock * kEach) + threadIdx.x;
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    if (first + k * kBlock >= vectors) continue;
    const uint4 v = __ldg(in + first + k * kBlock);
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 0x12345678) *out = sum;
}

template <int kBlock>
__global__ void __launch_bounds__(kBlock) read_striding(const uint4* __restrict__ in, unsigned vectors, unsigned* out) {
  unsigned sum = 0;
#pragma unroll 4
  for (unsigned i = blockIdx.x * kBlock + threadIdx.x; i < vectors; i += gridDim.x * kBlock) {
    const uint4 v = __ldg(in + i);
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 0x12345678) *out = sum;
}

template <int kBlock, int kEach>
__global__ void __launch_bounds__(kBlock)
    copy_once(const uint4* __restrict__ in, unsigned vectors, uint4* __restrict__ out) {
  const unsigned first = blockIdx.x * (kBlock * kEach) + threadIdx.x;
  uint4 v[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k)
    if (first + k * kBlock < vectors) v[k] = __ldg(in + first + k * kBlock);
#pragma unroll
  for (int k = 0; k < kEach; ++k)
    if (first + k * kBlock < vectors) out[first + k * kBlock] = v[k];
}

template <int kBlock>
__global__ void __launch_bounds__(kBlock)
    copy_striding(const uint4* __restrict__ in, unsigned vectors, uint4* __restrict__ out) {
#pragma unroll 4
  for (unsigned i = blockIdx.x * kBlock + threadIdx.x; i < vectors; i += gridDim.x * kBlock) out[i] = __ldg(in + i);
}

}  // namespace top
