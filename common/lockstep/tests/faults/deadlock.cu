// deadlock: threads that wait for what will never come: deadlock. HERE is a line that waits; OTHER, where there is one,
// another.
#include "case.h"

// case: more_expected_than_there_are
// Thinks: the named barrier is for the whole block. The block once had 128 threads; this one has 64.
// expect: deadlock
__global__ void named_barrier_of_128(int* a) {
  a[threadIdx.x] += 1;
  asm volatile("bar.sync 1, 128;" ::: "memory");  // HERE
  a[threadIdx.x] *= 2;
}
CASE(more_expected_than_there_are) {
  Device<int> a(counting(64));
  named_barrier_of_128<<<1, 64>>>(a);
  return finished();
}

// case: two_names_for_one_barrier
// Thinks: producer and consumer meet at one barrier. They use two different numbers for it.
// expect: deadlock
__global__ void arrive_elsewhere(const int* in, int* out) {
  __shared__ int s_a[32];
  const int tid = threadIdx.x;
  if (tid < 32) {
    s_a[tid] = in[tid];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 2, 64;" ::: "memory");  // HERE
    out[tid - 32] = s_a[tid - 32];
  }
}
CASE(two_names_for_one_barrier) {
  Device<int> in(counting(32)), out(32);
  arrive_elsewhere<<<1, 64>>>(in, out);
  return finished();
}

// case: syncwarp_against_syncthreads
// Thinks: any two barriers meet. The lower lanes wait for the upper lanes, and the upper lanes wait for the block.
// expect: deadlock
__global__ void two_kinds_of_barrier(int* a) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    a[lane] += 1;
    __syncwarp();  // HERE
    a[lane] += 2;
  } else {
    a[lane] += 3;
    __syncthreads();  // OTHER
    a[lane] += 4;
  }
}
CASE(syncwarp_against_syncthreads) {
  Device<int> a(counting(32));
  two_kinds_of_barrier<<<1, 32>>>(a);
  return finished();
}

// case: shuffle_in_a_lane_s_loop
// Thinks: each lane may shuffle in a loop of its own length. Lanes that left wait at the block's barrier.
// expect: deadlock
__global__ void add_while_lane(int* a) {
  const int lane = threadIdx.x;
  int sum = a[lane];
  for (int k = 0; k < lane % 4; ++k) sum += __shfl_sync(0xffffffff, sum, 3);  // HERE
  a[lane] = sum;
  __syncthreads();  // OTHER
  a[lane] += a[31 - lane];
}
CASE(shuffle_in_a_lane_s_loop) {
  Device<int> a(counting(32));
  add_while_lane<<<1, 32>>>(a);
  return finished();
}

// case: flag_behind_the_barrier
// Thinks: thread 0 sets the flag when all threads have come to the barrier. One thread still waits for the flag.
// expect: deadlock
__global__ void wait_then_meet(int* out) {
  __shared__ volatile int s_go;
  const int tid = threadIdx.x;
  if (tid == 0) s_go = 0;
  // The flag is down.
  __syncthreads();
  if (tid == 32) {
    while (s_go == 0) {  // HERE
    }
  }
  __syncthreads();  // OTHER
  if (tid == 0) s_go = 1;
  out[tid] = tid;
}
CASE(flag_behind_the_barrier) {
  Device<int> out(64);
  wait_then_meet<<<1, 64>>>(out);
  return finished();
}

// case: lock_never_released
// Thinks: the lock is released at the end of the function. The early return skips that line.
// expect: deadlock
__global__ void add_if_positive(const int* in, int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {  // HERE
  }
  __threadfence();
  if (in[blockIdx.x] <= 0) return;
  *sum += in[blockIdx.x];
  __threadfence();
  atomicExch(lock, 0);
}
CASE(lock_never_released) {
  Device<int> in = zeros<int>(2), lock = zeros<int>(1), sum = zeros<int>(1);
  add_if_positive<<<2, 32>>>(in, lock, sum);
  return finished();
}

// case: two_locks_in_two_orders
// Thinks: each block takes both locks, so each is safe. Each block holds the lock that the other wants.
// expect: deadlock
__global__ void transfer(int* locks, int* holding, int* accounts) {
  const int mine = blockIdx.x, other = 1 - mine;
  while (atomicCAS(&locks[mine], 0, 1) != 0) {}
  // The unlucky moment, made certain: both hold one.
  atomicAdd(holding, 1);
  while (atomicAdd(holding, 0) < 2) {}
  while (atomicCAS(&locks[other], 0, 1) != 0) {  // HERE
  }
  accounts[mine] += 1;
  atomicExch(&locks[other], 0);
  atomicExch(&locks[mine], 0);
}
CASE(two_locks_in_two_orders) {
  Device<int> locks = zeros<int>(2), holding = zeros<int>(1), accounts = zeros<int>(2);
  transfer<<<2, 1>>>(locks, holding, accounts);
  return finished();
}

// case: one_item_too_few
// Thinks: the producer makes as many items as the consumer takes. It makes one less.
// expect: deadlock
__global__ void produce_and_consume(int* items, int* taken) {
  if (blockIdx.x == 0) {
    for (int k = 0; k < 3; ++k) atomicAdd(items, 1);
  } else {
    while (atomicAdd(items, 0) < 4) {  // HERE
    }
    *taken = 4;
  }
}
CASE(one_item_too_few) {
  Device<int> items = zeros<int>(1), taken(1);
  produce_and_consume<<<2, 1>>>(items, taken);
  return finished();
}

// case: more_blocks_than_fit
// Thinks: a barrier across the grid is a counter. Blocks that wait leave no room for blocks that have not begun.
// expect: deadlock
__global__ void home_made_grid_barrier(int* arrived) {
  extern __shared__ int s_much[];
  if (threadIdx.x != 0) return;
  s_much[0] = blockIdx.x;
  atomicAdd(arrived, 1);
  while (atomicAdd(arrived, 0) < gridDim.x) {  // HERE
  }
}
CASE(more_blocks_than_fit) {
  cudaDeviceProp card;
  cudaGetDeviceProperties(&card, 0);
  const int bytes = static_cast<int>(card.sharedMemPerBlockOptin);  // one block a multiprocessor
  cudaFuncSetAttribute(home_made_grid_barrier, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  Device<int> arrived = zeros<int>(1);
  home_made_grid_barrier<<<card.multiProcessorCount + 1, 32, bytes>>>(arrived);
  return finished();
}
