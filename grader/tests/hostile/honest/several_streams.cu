// verdict: accepted
// lab: 15
// Two streams that do not wait for the default one; events order them, and the host waits for them at the end.
#include "common/check.h"
#include "common/contracts/histogram.h"

static __global__ void count_bytes(const unsigned char* data, size_t bytes, unsigned* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < bytes) atomicAdd(&bins[data[i]], 1u);
}

void histogram(const unsigned char* data, size_t bytes, unsigned* bins) {
  cudaStream_t streams[2];
  cudaEvent_t cleared = nullptr;
  for (cudaStream_t& stream : streams) CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&cleared, cudaEventDisableTiming));
  CUDA_CHECK(cudaMemsetAsync(bins, 0, kBins * sizeof *bins, streams[0]));
  CUDA_CHECK(cudaEventRecord(cleared, streams[0]));
  CUDA_CHECK(cudaStreamWaitEvent(streams[1], cleared, 0));
  const size_t half = bytes / 2, parts[] = {half, bytes - half};
  for (int i = 0; i < 2; ++i) {
    if (parts[i] == 0) continue;
    count_bytes<<<(parts[i] - 1) / 256 + 1, 256, 0, streams[i]>>>(data + (i == 0 ? 0 : half), parts[i], bins);
    CUDA_CHECK(cudaGetLastError());
  }
  for (const cudaStream_t stream : streams) {
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaStreamDestroy(stream));
  }
  CUDA_CHECK(cudaEventDestroy(cleared));
}
