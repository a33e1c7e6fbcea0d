// verdict: rule broken · finding.host_race
// lab: 15
// One stream sets the bins to zero, another counts into them. An event is recorded, and nobody waits for it.
#include "right.h"

static __global__ void clear(unsigned* bins) { bins[threadIdx.x] = 0; }

void histogram(const unsigned char* data, size_t bytes, unsigned* bins) {
  cudaStream_t clears = nullptr, counts = nullptr;
  cudaEvent_t cleared = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&clears, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&counts, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&cleared, cudaEventDisableTiming));
  clear<<<1, kBins, 0, clears>>>(bins);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(cleared, clears));
  if (bytes > 0) {
    right_histogram_kernel<<<64, 256, 0, counts>>>(data, bytes, bins);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaEventDestroy(cleared));
  CUDA_CHECK(cudaStreamDestroy(clears));
  CUDA_CHECK(cudaStreamDestroy(counts));
}
