// verdict: accepted
// lab: 99
// Uses all 48 KiB of static shared memory, and in another kernel 96 KiB of dynamic shared memory.
#include "sum.h"

static __global__ void with_static(const unsigned* data, int n, unsigned* sum) {
  __shared__ unsigned s_data[12288];
  for (int i = threadIdx.x; i < 12288; i += blockDim.x) s_data[i] = i < n ? data[i] : 0;
  __syncthreads();  // every element is read by another thread than wrote it
  unsigned part = 0;
  for (int i = 0; i < 48; ++i) part += s_data[(threadIdx.x * 48 + i)];
  atomicAdd(sum, part);
}

static __global__ void with_dynamic(const unsigned* data, int n, unsigned* sum) {
  extern __shared__ unsigned s_data[];
  for (int i = threadIdx.x; i < 24576; i += blockDim.x) s_data[i] = i < n ? data[i] : 0;
  __syncthreads();  // every element is read by another thread than wrote it
  unsigned part = 0;
  for (int i = 0; i < 96; ++i) part += s_data[(threadIdx.x * 96 + i)];
  atomicAdd(sum, part);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  constexpr int kDynamic = 24576 * sizeof(unsigned);
  CUDA_CHECK(cudaFuncSetAttribute(with_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, kDynamic));
  const Cell sum;
  with_static<<<1, 256>>>(bits(data), n < 12288 ? n : 12288, sum.place);
  CUDA_CHECK(cudaGetLastError());
  for (int first = 12288; first < n; first += 24576) {
    with_dynamic<<<1, 256, kDynamic>>>(bits(data) + first, n - first, sum.place);
    CUDA_CHECK(cudaGetLastError());
  }
  return sum.value();
}
