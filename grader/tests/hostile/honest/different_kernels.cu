// verdict: accepted
// lab: 99
// One thread for a few elements, one block for some, many blocks and atomics for all others. Each of them is right.
#include "common/check.h"
#include "common/contracts/reduction.h"

static __global__ void one_thread(const int* data, int n, unsigned* sum) {
  for (int i = 0; i < n; ++i) *sum += data[i];
}

static __global__ void one_block(const int* data, int n, unsigned* sum) {
  __shared__ unsigned s_sums[256];
  unsigned mine = 0;
  for (int i = threadIdx.x; i < n; i += 256) mine += data[i];
  s_sums[threadIdx.x] = mine;
  for (int stride = 128; stride > 0; stride /= 2) {
    __syncthreads();  // the other half has written its sums
    if (threadIdx.x < stride) s_sums[threadIdx.x] += s_sums[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) *sum = s_sums[0];
}

static __global__ void many_blocks(const int* data, int n, unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mine = i < n ? data[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(0xFFFFFFFFu, mine, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

int reduce_sum(int* data, int n) {
  unsigned sum = 0, *d_sum = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sum, sizeof sum));
  CUDA_CHECK(cudaMemset(d_sum, 0, sizeof sum));
  if (n <= 40) {
    one_thread<<<1, 1>>>(data, n, d_sum);
  } else if (n <= 8192) {
    one_block<<<1, 256>>>(data, n, d_sum);
  } else {
    many_blocks<<<(n - 1) / 256 + 1, 256>>>(data, n, d_sum);
  }
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sum));
  return static_cast<int>(sum);
}
