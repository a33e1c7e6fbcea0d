// verdict: accepted
// lab: 15
// Leaves the work on a stream that the default stream does not wait for: events do not see it. The device counts it
// nevertheless.
#include "right.h"

void histogram(const unsigned char* data, size_t bytes, unsigned* bins) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  right_histogram(data, bytes, bins, stream);
  CUDA_CHECK(cudaStreamDestroy(stream));  // which does not wait either
}
