// verdict: accepted
// lab: 99
// Keeps its memory for block sums between calls, makes it larger when a call needs more, and frees it at the end.
#include "common/check.h"
#include "common/contracts/reduction.h"

namespace {

struct Sums {
  unsigned* data = nullptr;
  int count = 0;
  unsigned* of(int blocks) {
    if (blocks > count) {
      CUDA_CHECK(cudaFree(data));
      CUDA_CHECK(cudaMalloc(&data, blocks * sizeof *data));
      count = blocks;
    }
    return data;
  }
  ~Sums() { cudaFree(data); }
};
Sums sums;

__global__ void add_blocks(const int* data, int n, unsigned* sums) {
  __shared__ unsigned s_sums[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  s_sums[threadIdx.x] = i < n ? data[i] : 0;
  for (int stride = 128; stride > 0; stride /= 2) {
    __syncthreads();  // the other half has written its sums
    if (threadIdx.x < stride) s_sums[threadIdx.x] += s_sums[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = s_sums[0];
}

}  // namespace

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const int blocks = (n - 1) / 256 + 1;
  unsigned* d_sums = sums.of(blocks);
  add_blocks<<<blocks, 256>>>(data, n, d_sums);
  CUDA_CHECK(cudaGetLastError());
  unsigned total = 0;
  for (int block = 0; block < blocks; ++block) {
    unsigned one = 0;
    CUDA_CHECK(cudaMemcpy(&one, d_sums + block, sizeof one, cudaMemcpyDeviceToHost));
    total += one;
  }
  return static_cast<int>(total);
}
