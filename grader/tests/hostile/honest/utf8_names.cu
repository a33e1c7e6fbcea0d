// verdict: accepted
// lab: 99
// Identifiers and texts beyond ASCII: größe, сумма, 合計.
#include <cstdio>

#include "sum.h"

static __global__ void addiere(const unsigned* daten, int größe, unsigned* сумма) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < größe) atomicAdd(сумма, daten[i]);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const Cell 合計;
  std::puts("Größe · сумма · 合計 · \xff\xfe no UTF-8 at all");
  addiere<<<blocks_for(n, 256), 256>>>(bits(data), n, 合計.place);
  CUDA_CHECK(cudaGetLastError());
  return 合計.value();
}
