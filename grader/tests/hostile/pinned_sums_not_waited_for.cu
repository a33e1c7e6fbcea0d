// verdict: rule broken · finding.host_race
// lab: 02
// Reads the block sums from pinned memory without waiting. lockstep has run the kernel by then; a card has not.
#include "right.h"

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const int blocks = (n - 1) / 1024 + 1;
  unsigned* sums = nullptr;
  CUDA_CHECK(cudaMallocHost(&sums, blocks * sizeof *sums));
  right_sum_kernel<<<blocks, 1024>>>(reinterpret_cast<unsigned*>(data), n, sums);
  CUDA_CHECK(cudaGetLastError());
  const unsigned total = std::accumulate(sums, sums + blocks, 0u);
  CUDA_CHECK(cudaFreeHost(sums));
  return static_cast<int>(total);
}
