// verdict: compile error · compile
// lab: 02
// Three gigabytes of initialised device memory, which PTX would list value by value.
#include "common/contracts/reduction.h"

__device__ int numbers[750'000'000] = {1};
static __global__ void use(int* data) { data[0] = numbers[threadIdx.x]; }

int reduce_sum(int* data, int) {
  use<<<1, 32>>>(data);
  return 0;
}
