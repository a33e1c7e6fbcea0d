// locks: threads that take turns at a lock: lanes of a warp, warps of a block, blocks. Each case counts what was done
// under the lock.
#include "../faults/case.h"

// The two operations of every lock here. Only one thread holds the lock.
__device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
}
__device__ void release(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}

static bool counts_to(const Device<int>& count, int want) { return finished() && count.host()[0] == want; }

// ---- lanes of one warp ----

// ends: lanes_around
// The holder leaves the loop before it releases the lock.
__global__ void lanes_around(int* lock, volatile int* count) {
  take(lock);
  *count = *count + 1;
  release(lock);
}
CASE(lanes_around) {
  Device<int> lock = zeros<int>(1), count = zeros<int>(1);
  lanes_around<<<1, 32>>>(lock, count);
  return counts_to(count, 32);
}

// ends: lanes_within
// The critical section stands inside the loop, as textbooks before Volta advise.
__global__ void lanes_within(int* lock, volatile int* count) {
  for (bool done = false; !done;)
    if (atomicCAS(lock, 0, 1) == 0) {
      *count = *count + 1;
      release(lock);
      done = true;
    }
}
CASE(lanes_within) {
  Device<int> lock = zeros<int>(1), count = zeros<int>(1);
  lanes_within<<<2, 64>>>(lock, count);
  return counts_to(count, 128);
}

// ends: lanes_with_syncwarp
// Half of the lanes wait for a flag, the other half set it late; both halves meet in each round of their loops.
__global__ void lanes_with_syncwarp(volatile int* flag, int* out) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    while (*flag < 100) __syncwarp(0x0000ffff);
    out[lane] = *flag;
  } else {
    for (int k = 0; k < 100; ++k) {
      __syncwarp(0xffff0000);
      if (lane == 16) *flag = k + 1;
    }
  }
}
CASE(lanes_with_syncwarp) {
  Device<int> flag = zeros<int>(1), out = zeros<int>(16);
  lanes_with_syncwarp<<<1, 32>>>(flag, out);
  return finished() && sum_of(out.host()) == 1600;
}

// ends: halves_of_a_warp_poll_and_meet
// Two groups of lanes spin, and each group meets in every round. Another block sets the flag.
__global__ void halves_poll(volatile int* flag, int* seen) {
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) *flag = 1;
    return;
  }
  const unsigned half = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
  if (threadIdx.x % 32 < 16) {
    while (__shfl_sync(half, *flag, 0) == 0) {}
  } else {
    while (__shfl_sync(half, *flag, 16) == 0) __syncwarp(half);
  }
  atomicAdd(seen, 1);
}
CASE(halves_of_a_warp_poll_and_meet) {
  Device<int> flag = zeros<int>(1), seen = zeros<int>(1);
  halves_poll<<<2, 32>>>(flag, seen);
  return counts_to(seen, 32);
}

// ---- warps of one block ----

// ends: warps_share_a_lock
__global__ void warps_share(int* sum) {
  __shared__ int s_lock;
  __shared__ volatile int s_sum;
  if (threadIdx.x == 0) s_lock = s_sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    for (int k = 0; k < 50; ++k) {
      while (atomicExch(&s_lock, 1) != 0) __nanosleep(20);
      __threadfence_block();
      s_sum = s_sum + 1;
      __threadfence_block();
      atomicExch(&s_lock, 0);
    }
  __syncthreads();
  if (threadIdx.x == 0) *sum = s_sum;
}
CASE(warps_share_a_lock) {
  Device<int> sum = zeros<int>(1);
  warps_share<<<1, 256>>>(sum);
  return counts_to(sum, 400);
}

// ends: ticket_lock_of_warps
__global__ void ticket_of_warps(int* sum) {
  __shared__ int s_next, s_sum;
  __shared__ volatile int s_serving;
  if (threadIdx.x == 0) s_next = s_serving = s_sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    const int ticket = atomicAdd(&s_next, 1);
    while (s_serving != ticket) {}
    __threadfence_block();
    s_sum += 1;
    __threadfence_block();
    s_serving = ticket + 1;
  }
  __syncthreads();
  if (threadIdx.x == 0) *sum = s_sum;
}
CASE(ticket_lock_of_warps) {
  Device<int> sum = zeros<int>(1);
  ticket_of_warps<<<1, 1024>>>(sum);
  return counts_to(sum, 32);
}

// ---- blocks ----

// ends: held_most_of_the_time
// The first block takes the lock again at once, until the second has had it. It holds the lock at nearly every
// instruction: a turn that always ends at the same place keeps the other out for ever.
__global__ void held_most(int* lock, volatile int* had_it) {
  if (blockIdx.x == 0) {
    while (true) {
      take(lock);
      const bool enough = *had_it != 0;
      release(lock);
      if (enough) return;
    }
  }
  take(lock);
  *had_it = 1;
  release(lock);
}
CASE(held_most_of_the_time) {
  Device<int> lock = zeros<int>(1), had_it = zeros<int>(1);
  held_most<<<2, 1>>>(lock, had_it);
  return counts_to(had_it, 1);
}

// ends: held_for_n_looks
// As before, with n looks at memory while the lock is held, for n from 0 to 70: whatever a turn's length is in looks,
// one of these loops has it as a multiple of its period.
__global__ void held_for(int looks, int* lock, volatile int* had_it) {
  if (blockIdx.x == 0) {
    for (bool enough = false; !enough;) {
      take(lock);
      for (int k = 0; k < looks; ++k) enough |= *had_it != 0;
      enough |= *had_it != 0;
      release(lock);
    }
  } else {
    take(lock);
    *had_it = 1;
    release(lock);
  }
}
CASE(held_for_n_looks) {
  Device<int> lock = zeros<int>(1), had_it = zeros<int>(1);
  for (int looks = 0; looks <= 70; ++looks) {
    cudaMemset(had_it, 0, sizeof(int));
    held_for<<<2, 1>>>(looks, lock, had_it);
    if (!counts_to(had_it, 1)) return false;
  }
  return true;
}

// ends: held_between_barriers
// Thread 0 takes the lock, and its whole block works under it between two barriers. The lock is free only between its
// release and the next attempt: never while the block waits at a barrier.
__global__ void held_between(int* lock, volatile int* had_it) {
  __shared__ int s_enough;
  do {
    if (threadIdx.x == 0) take(lock);
    // The lock is the block's.
    __syncthreads();
    if (threadIdx.x == 0) s_enough = blockIdx.x == 1 || *had_it != 0;
    // All threads see the same answer.
    __syncthreads();
    const bool enough = s_enough;
    if (threadIdx.x == 0) {
      if (blockIdx.x == 1) *had_it = 1;
      release(lock);
      if (!enough) take(lock), release(lock);
    }
    if (enough) return;
  } while (true);
}
CASE(held_between_barriers) {
  Device<int> lock = zeros<int>(1), had_it = zeros<int>(1);
  held_between<<<2, 64>>>(lock, had_it);
  return counts_to(had_it, 1);
}

// ends: released_only_between_barriers
// As before, and the lock is taken again in the same interval in which it was released.
__global__ void released_between(int* lock, volatile int* had_it) {
  __shared__ int s_enough;
  if (threadIdx.x == 0) take(lock);
  do {
    // The lock is the block's.
    __syncthreads();
    if (threadIdx.x == 0) s_enough = blockIdx.x == 1 || *had_it != 0;
    // All threads see the same answer.
    __syncthreads();
    if (threadIdx.x == 0) {
      if (blockIdx.x == 1) *had_it = 1;
      release(lock);
      if (!s_enough) take(lock);
    }
  } while (!s_enough);
}
CASE(released_only_between_barriers) {
  Device<int> lock = zeros<int>(1), had_it = zeros<int>(1);
  released_between<<<2, 64>>>(lock, had_it);
  return counts_to(had_it, 1);
}

// ends: ticket_lock_of_blocks
// Many blocks, in the order of their tickets; all threads of the block work under the lock.
__global__ void ticket_of_blocks(int* next, volatile int* serving, volatile int* sum) {
  if (threadIdx.x == 0) {
    const int ticket = atomicAdd(next, 1);
    while (*serving != ticket) __nanosleep(100);
    __threadfence();
    *sum = *sum + 1;
    __threadfence();
    *serving = ticket + 1;
  }
}
CASE(ticket_lock_of_blocks) {
  Device<int> next = zeros<int>(1), serving = zeros<int>(1), sum = zeros<int>(1);
  ticket_of_blocks<<<500, 64>>>(next, serving, sum);
  return counts_to(sum, 500);
}

// ends: backoff
// Each failed attempt doubles the pause, by the clock.
__global__ void backoff(int* lock, volatile int* count) {
  if (threadIdx.x != 0) return;
  for (int k = 0; k < 10; ++k) {
    for (unsigned pause = 8; atomicCAS(lock, 0, 1) != 0; pause = min(2 * pause, 4096u)) {
      const long long begin = clock64();
      while (clock64() - begin < pause) {}
    }
    __threadfence();
    *count = *count + 1;
    release(lock);
  }
}
CASE(backoff) {
  Device<int> lock = zeros<int>(1), count = zeros<int>(1);
  backoff<<<64, 32>>>(lock, count);
  return counts_to(count, 640);
}

// ends: two_locks_with_retreat
// Philosophers: each block takes its left lock, tries the right one, and retreats if that is taken.
__global__ void philosophers(int* locks, int* meals) {
  const int n = gridDim.x, left = blockIdx.x, right = (blockIdx.x + 1) % n;
  for (int eaten = 0; eaten < 5;) {
    take(&locks[left]);
    if (atomicCAS(&locks[right], 0, 1) == 0) {
      __threadfence();
      ++eaten;
      atomicAdd(meals, 1);
      release(&locks[right]);
    }
    release(&locks[left]);
  }
}
CASE(two_locks_with_retreat) {
  Device<int> locks = zeros<int>(7), meals = zeros<int>(1);
  philosophers<<<7, 1>>>(locks, meals);
  return counts_to(meals, 35);
}

// ends: queue_lock
// MCS: each waiter spins on a word of its own.
__global__ void queue_lock(int* tail, volatile int* next, volatile int* waits, volatile int* count) {
  const int me = blockIdx.x + 1;
  for (int k = 0; k < 4; ++k) {
    next[me] = 0;
    waits[me] = 1;
    __threadfence();
    const int before = atomicExch(tail, me);
    if (before != 0) {
      next[before] = me;
      while (waits[me] != 0) {}
    }
    __threadfence();
    *count = *count + 1;
    __threadfence();
    if (next[me] == 0) {
      if (atomicCAS(tail, me, 0) == me) continue;
      while (next[me] == 0) {}
    }
    waits[next[me]] = 0;
  }
}
CASE(queue_lock) {
  constexpr int kBlocks = 100;
  Device<int> tail = zeros<int>(1), next = zeros<int>(kBlocks + 1), waits = zeros<int>(kBlocks + 1),
              count = zeros<int>(1);
  queue_lock<<<kBlocks, 1>>>(tail, next, waits, count);
  return counts_to(count, 4 * kBlocks);
}

// ends: readers_and_a_writer
// Readers count themselves in; the writer waits until there are none, and keeps new ones out.
__global__ void readers_and_writer(int* readers, int* writing, volatile int* value, int* right) {
  if (blockIdx.x == 0) {
    for (int round = 1; round <= 20; ++round) {
      take(writing);
      while (atomicAdd(readers, 0) != 0) {}
      __threadfence();
      value[0] = round;
      value[1] = -round;
      release(writing);
    }
  } else {
    for (int k = 0; k < 20; ++k) {
      take(writing);
      atomicAdd(readers, 1);
      release(writing);
      if (value[0] + value[1] == 0) atomicAdd(right, 1);
      __threadfence();
      atomicSub(readers, 1);
    }
  }
}
CASE(readers_and_a_writer) {
  Device<int> readers = zeros<int>(1), writing = zeros<int>(1), value = zeros<int>(2), right = zeros<int>(1);
  readers_and_writer<<<9, 1>>>(readers, writing, value, right);
  return counts_to(right, 160);
}
