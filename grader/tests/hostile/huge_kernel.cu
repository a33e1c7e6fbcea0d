// verdict: compile error · compile
// lab: 02
// A kernel of millions of instructions: unrolled loops inside unrolled loops.
#include "common/contracts/reduction.h"

static __global__ void huge(unsigned* data) {
  unsigned sum = data[threadIdx.x];
#pragma unroll
  for (int i = 0; i < 400; ++i) {
#pragma unroll
    for (int j = 0; j < 400; ++j) {
#pragma unroll
      for (int k = 0; k < 400; ++k) sum = (sum ^ data[sum % 1024]) * 2654435761u + i * j * k;
    }
  }
  data[0] = sum;
}

int reduce_sum(int* data, int) {
  huge<<<1, 32>>>(reinterpret_cast<unsigned*>(data));
  return 0;
}
