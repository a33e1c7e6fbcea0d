// verdict: rule broken · finding.host_race
// lab: 02
// Copies the block sums into pinned memory on a stream of its own, and waits for an event that comes before the copy.
#include "right.h"

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const int blocks = (n - 1) / 1024 + 1;
  const size_t bytes = blocks * sizeof(unsigned);
  unsigned *d_sums = nullptr, *sums = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CUDA_CHECK(cudaMalloc(&d_sums, bytes));
  CUDA_CHECK(cudaMallocHost(&sums, bytes));
  right_sum_kernel<<<blocks, 1024, 0, stream>>>(reinterpret_cast<unsigned*>(data), n, d_sums);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(event, stream));
  CUDA_CHECK(cudaMemcpyAsync(sums, d_sums, bytes, cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaEventSynchronize(event));
  const unsigned total = std::accumulate(sums, sums + blocks, 0u);
  CUDA_CHECK(cudaFree(d_sums));
  CUDA_CHECK(cudaFreeHost(sums));
  CUDA_CHECK(cudaEventDestroy(event));
  CUDA_CHECK(cudaStreamDestroy(stream));
  return static_cast<int>(total);
}
