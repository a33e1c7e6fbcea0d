// verdict: memory · memory
// lab: 02
// Allocates 40 GB of device memory, and checks each error.
#include "common/check.h"
#include "common/contracts/reduction.h"

int reduce_sum(int*, int) {
  int* much = nullptr;
  for (int i = 0; i < 40; ++i) CUDA_CHECK(cudaMalloc(&much, 1'000'000'000));
  return 0;
}
