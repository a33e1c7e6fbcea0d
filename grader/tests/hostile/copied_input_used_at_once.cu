// verdict: rule broken · finding.host_race
// lab: 15
// Copies the input on a stream that does not block, and counts the copy at once on the default stream.
#include "right.h"

void histogram(const unsigned char* data, size_t bytes, unsigned* bins) {
  if (bytes == 0) return right_histogram(data, bytes, bins);
  unsigned char* copy = nullptr;
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaMalloc(&copy, bytes));
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMemcpyAsync(copy, data, bytes, cudaMemcpyDeviceToDevice, stream));
  right_histogram(copy, bytes, bins);
  CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFree(copy));
}
