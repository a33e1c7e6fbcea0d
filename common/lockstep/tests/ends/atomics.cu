// atomics: what CUDA's C++ library waits with: cuda::atomic, semaphore, barrier, latch.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

#include "../faults/case.h"

using Atomic = cuda::atomic<int, cuda::thread_scope_device>;

// ends: wait_and_notify
__global__ void wait_and_notify(Atomic* turn, int* sum) {
  const int me = blockIdx.x, all = gridDim.x;
  for (int round = 0; round < 20; ++round) {
    const int mine = round * all + me;
    for (int now; (now = turn->load()) != mine;) turn->wait(now);
    *sum += me;
    *turn = mine + 1;
    turn->notify_all();
  }
}
CASE(wait_and_notify) {
  Device<Atomic> turn(1);
  cudaMemset(turn.get(), 0, sizeof(Atomic));
  Device<int> sum = zeros<int>(1);
  wait_and_notify<<<5, 1>>>(turn, sum);
  return finished() && sum.host()[0] == 200;
}

// ends: spin_lock_of_atomic
__global__ void spin_lock(Atomic* lock, int* count) {
  for (int expected = 0; !lock->compare_exchange_weak(expected, 1, cuda::memory_order_acquire); expected = 0) {}
  ++*count;
  lock->store(0, cuda::memory_order_release);
}
CASE(spin_lock_of_atomic) {
  Device<Atomic> lock(1);
  cudaMemset(lock.get(), 0, sizeof(Atomic));
  Device<int> count = zeros<int>(1);
  spin_lock<<<12, 64>>>(lock, count);
  return finished() && count.host()[0] == 768;
}

// ends: semaphore_of_blocks
using Semaphore = cuda::counting_semaphore<cuda::thread_scope_device, 4>;
__global__ void make(Semaphore* semaphore) { new (semaphore) Semaphore(3); }
__global__ void use(Semaphore* semaphore, int* inside, int* most) {
  if (threadIdx.x != 0) return;
  semaphore->acquire();
  atomicMax(most, atomicAdd(inside, 1) + 1);
  atomicSub(inside, 1);
  semaphore->release();
}
CASE(semaphore_of_blocks) {
  Device<Semaphore> semaphore(1);
  Device<int> inside = zeros<int>(1), most = zeros<int>(1);
  make<<<1, 1>>>(semaphore);
  use<<<200, 32>>>(semaphore, inside, most);
  return finished() && most.host()[0] >= 1 && most.host()[0] <= 3 && inside.host()[0] == 0;
}

// ends: barrier_of_threads
__global__ void barrier_of_threads(int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier s_barrier;
  __shared__ int s_values[96];
  const int tid = threadIdx.x;
  if (tid == 0) init(&s_barrier, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 10; ++round) {
    s_values[tid] = round + tid;
    s_barrier.arrive_and_wait();
    out[tid] += s_values[(tid + 31) % 96];
    s_barrier.arrive_and_wait();
  }
}
CASE(barrier_of_threads) {
  Device<int> out = zeros<int>(96);
  barrier_of_threads<<<1, 96>>>(out);
  return finished() && sum_of(out.host()) == 96 * 45 + 10 * (96 * 95 / 2);
}

// ends: latch_of_blocks
using Latch = cuda::latch<cuda::thread_scope_device>;
__global__ void make(Latch* latch, int n) { new (latch) Latch(n); }
__global__ void count_down(Latch* latch, int* came, int* right) {
  if (threadIdx.x != 0) return;
  atomicAdd(came, 1);
  latch->arrive_and_wait();
  if (atomicAdd(came, 0) == gridDim.x) atomicAdd(right, 1);
}
CASE(latch_of_blocks) {
  Device<Latch> latch(1);
  Device<int> came = zeros<int>(1), right = zeros<int>(1);
  make<<<1, 1>>>(latch, 90);
  count_down<<<90, 64>>>(latch, came, right);
  return finished() && right.host()[0] == 90;
}
