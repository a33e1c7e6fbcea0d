// deadlocks: programs that never end, on any card. lockstep must say so, and must not run for ever.
#include "../faults/case.h"

// deadlock: nobody_sets_the_flag
// All blocks look between barriers.
__global__ void nobody_sets(volatile int* flag) {
  __shared__ int s_set;
  do {
    if (threadIdx.x == 0) s_set = *flag;
    // All threads see the same answer.
    __syncthreads();
    const int set = s_set;
    // Thread 0 writes it again.
    __syncthreads();
    if (set) return;
  } while (true);
}
CASE(nobody_sets_the_flag) {
  Device<int> flag = zeros<int>(1);
  nobody_sets<<<3, 96>>>(flag);
  return finished();
}

// deadlock: no_step
// The loop waits for nobody: its author forgot the step. The blocks are independent.
__global__ void largest(const int* values, int* sums, int n) {
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += values[i]) sum = max(sum, i);
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
CASE(no_step) {
  Device<int> values = zeros<int>(64), sums = zeros<int>(4 * 64);
  largest<<<4, 64>>>(values, sums, 64);
  return finished();
}

// deadlock: votes_for_ever
__global__ void votes(volatile int* flag) {
  while (!__syncthreads_or(*flag)) {}
}
CASE(votes_for_ever) {
  Device<int> flag = zeros<int>(1);
  votes<<<2, 64>>>(flag);
  return finished();
}

// deadlock: halves_meet_for_ever
__global__ void halves(volatile int* flag) {
  const unsigned half = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
  if (threadIdx.x < 16)
    while (*flag == 0) __syncwarp(half);
  else
    while (*flag == 0) __syncwarp(half);
}
CASE(halves_meet_for_ever) {
  Device<int> flag = zeros<int>(1);
  halves<<<1, 32>>>(flag);
  return finished();
}

// deadlock: lock_taken_twice
__global__ void twice(int* lock) {
  for (int k = 0; k < 2; ++k)
    while (atomicCAS(lock, 0, 1) != 0) {}
}
CASE(lock_taken_twice) {
  Device<int> lock = zeros<int>(1);
  twice<<<4, 32>>>(lock);
  return finished();
}

// deadlock: circle_of_blocks
// Each block waits for the next, and the last for the first.
__global__ void circle(volatile int* done) {
  while (done[(blockIdx.x + 1) % gridDim.x] == 0) {}
  done[blockIdx.x] = 1;
}
CASE(circle_of_blocks) {
  Device<int> done = zeros<int>(50);
  circle<<<50, 1>>>(done);
  return finished();
}
