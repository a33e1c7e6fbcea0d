// verdict: accepted
// lab: 99
// Hand-written PTX: loads past the cache, a shuffle, an addition in memory without a result.
#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  unsigned value = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(value) : "l"(data + i));
  for (int offset = 16; offset > 0; offset /= 2) {
    unsigned other;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(other) : "r"(value), "r"(offset));
    value += other;
  }
  if (threadIdx.x % 32 == 0) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(sum), "r"(value) : "memory");
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const Cell sum;
  add<<<blocks_for(n, 128), 128>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
}
