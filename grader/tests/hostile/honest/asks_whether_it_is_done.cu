// verdict: accepted
// lab: 99
// Never waits: asks an event and a stream until both say that their work is done.
#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(sum, data[i]);
}

static bool is_done(cudaError_t answer) {
  if (answer == cudaErrorNotReady) return false;
  CUDA_CHECK(answer);
  return true;
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  unsigned* sums = nullptr;
  cudaStream_t streams[2];
  cudaEvent_t added = nullptr;
  CUDA_CHECK(cudaMallocHost(&sums, 2 * sizeof *sums));
  sums[0] = sums[1] = 0;
  for (cudaStream_t& stream : streams) CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&added, cudaEventDisableTiming));
  const int half = n / 2;
  if (half > 0) add<<<blocks_for(half, 256), 256, 0, streams[0]>>>(bits(data), half, &sums[0]);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(added, streams[0]));
  add<<<blocks_for(n - half, 256), 256, 0, streams[1]>>>(bits(data) + half, n - half, &sums[1]);
  CUDA_CHECK(cudaGetLastError());
  while (!is_done(cudaEventQuery(added))) {}
  unsigned sum = sums[0];
  while (!is_done(cudaStreamQuery(streams[1]))) {}
  sum += sums[1];
  CUDA_CHECK(cudaEventDestroy(added));
  for (const cudaStream_t stream : streams) CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFreeHost(sums));
  return static_cast<int>(sum);
}
