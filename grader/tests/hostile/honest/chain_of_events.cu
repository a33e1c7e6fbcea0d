// verdict: accepted
// lab: 15
// Three streams that do not block, each waiting for the one before by an event. The host waits for the last alone.
#include "common/check.h"
#include "common/contracts/histogram.h"

static __global__ void count_bytes(const unsigned char* data, size_t bytes, unsigned* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < bytes) atomicAdd(&bins[data[i]], 1u);
}

void histogram(const unsigned char* data, size_t bytes, unsigned* bins) {
  cudaStream_t streams[3];
  cudaEvent_t events[2];
  unsigned* own = nullptr;
  for (cudaStream_t& stream : streams) CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (cudaEvent_t& event : events) CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CUDA_CHECK(cudaMallocAsync(&own, kBins * sizeof *own, streams[0]));
  CUDA_CHECK(cudaMemsetAsync(own, 0, kBins * sizeof *own, streams[0]));
  CUDA_CHECK(cudaEventRecord(events[0], streams[0]));
  CUDA_CHECK(cudaStreamWaitEvent(streams[1], events[0]));
  if (bytes > 0) {
    count_bytes<<<(bytes - 1) / 256 + 1, 256, 0, streams[1]>>>(data, bytes, own);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaEventRecord(events[1], streams[1]));
  CUDA_CHECK(cudaStreamWaitEvent(streams[2], events[1]));
  CUDA_CHECK(cudaMemcpyAsync(bins, own, kBins * sizeof *own, cudaMemcpyDeviceToDevice, streams[2]));
  CUDA_CHECK(cudaFreeAsync(own, streams[2]));
  CUDA_CHECK(cudaStreamSynchronize(streams[2]));
  for (const cudaEvent_t event : events) CUDA_CHECK(cudaEventDestroy(event));
  for (const cudaStream_t stream : streams) CUDA_CHECK(cudaStreamDestroy(stream));
}
