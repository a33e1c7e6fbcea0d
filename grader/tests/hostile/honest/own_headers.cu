// verdict: accepted
// lab: 99
// Its own helper headers beside the file; one includes the other.
#include "add.cuh"

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const Cell sum;
  own::add<<<blocks_for(n, own::kBlock), own::kBlock>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
}
