// verdict: accepted
// lab: 99
// Helpers with C linkage and global variables, under their own prefix.
#include "sum.h"

extern "C" {
int my_calls = 0;
int my_round_up(int n, int to) { return (n + to - 1) / to; }
__global__ void my_add(const unsigned* data, int n, unsigned* sum) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(sum, data[i]);
}
}
int my_block = 192;

int reduce_sum(int* data, int n) {
  ++my_calls;
  if (n == 0) return 0;
  const Cell sum;
  my_add<<<my_round_up(n, my_block), my_block>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
}
