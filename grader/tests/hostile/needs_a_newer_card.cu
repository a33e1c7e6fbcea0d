// verdict: compile error · compile
// lab: 99
// Uses what compute capability 8.0 brought, and does not ask for it. The message must say how.
#include "common/check.h"
#include "common/contracts/reduction.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned warp = __reduce_add_sync(0xffffffffu, i < n ? data[i] : 0);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, warp);
}

int reduce_sum(int* data, int n) {
  add<<<1, 256>>>(reinterpret_cast<const unsigned*>(data), n, reinterpret_cast<unsigned*>(data));
  CUDA_CHECK(cudaGetLastError());
  return 0;
}
