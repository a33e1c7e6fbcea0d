// caught by: memory
#include "common/check.h"
#include "common/contracts/reduction.h"

int reduce_sum(int*, int) {
  int* much = nullptr;
  for (int i = 0; i < 40; ++i) CUDA_CHECK(cudaMalloc(&much, 1'000'000'000));
  return 0;
}
