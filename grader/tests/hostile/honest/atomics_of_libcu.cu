// verdict: accepted
// lab: 99
// Sums with libcu++: a barrier object of the block, and atomics by scope.
#include <cuda/atomic>
#include <cuda/barrier>

#include "sum.h"

using Barrier = cuda::barrier<cuda::thread_scope_block>;

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  __shared__ Barrier s_barrier;
  __shared__ unsigned s_sum;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) {
    init(&s_barrier, blockDim.x);
    s_sum = 0;
  }
  __syncthreads();  // nobody may arrive, or add, before
  cuda::atomic_ref<unsigned, cuda::thread_scope_block>(s_sum).fetch_add(i < n ? data[i] : 0,
                                                                        cuda::memory_order_relaxed);
  s_barrier.arrive_and_wait();
  if (threadIdx.x == 0) cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*sum).fetch_add(s_sum);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const Cell sum;
  add<<<blocks_for(n, 128), 128>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
}
