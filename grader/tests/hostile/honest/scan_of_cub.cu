// verdict: accepted
// lab: 99
// Sums with CUB's scan of the whole device and a scan of a block: the last element of a scan is the sum.
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include "sum.h"

static __global__ void scan_blocks(const unsigned* data, int n, unsigned* sums) {
  using Scan = cub::BlockScan<unsigned, 128>;
  __shared__ typename Scan::TempStorage storage;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = i < n ? data[i] : 0;
  Scan(storage).InclusiveSum(sum, sum);
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = sum;
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const int blocks = blocks_for(n, 128);
  unsigned *sums = nullptr, sum = 0;
  void* scratch = nullptr;
  size_t bytes = 0;
  CUDA_CHECK(cub::DeviceScan::InclusiveSum(scratch, bytes, sums, sums, blocks));
  CUDA_CHECK(cudaMalloc(&sums, blocks * sizeof *sums));
  CUDA_CHECK(cudaMalloc(&scratch, bytes));
  scan_blocks<<<blocks, 128>>>(bits(data), n, sums);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cub::DeviceScan::InclusiveSum(scratch, bytes, sums, sums, blocks));
  CUDA_CHECK(cudaMemcpy(&sum, sums + blocks - 1, sizeof sum, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(scratch));
  CUDA_CHECK(cudaFree(sums));
  return static_cast<int>(sum);
}
