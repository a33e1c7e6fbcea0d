// verdict: accepted
// lab: 99
// Made by a script. #line names lines of the script's input, as in files that yacc makes.
#include "sum.h"

#line 12 "sum.in"
static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, data[i]);
}

#line 40 "sum.in"
int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const Cell sum;
  add<<<blocks_for(n, 256), 256>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
}
