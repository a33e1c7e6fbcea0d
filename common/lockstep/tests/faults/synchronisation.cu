// synchronisation: barriers that not all threads reach, and masks that do not name the lanes that arrive:
// barrier_divergence, mask_mismatch.
#include "case.h"

// case: return_before_barrier
// Thinks: threads without an element may return early. The block's barrier counts on them.
// expect: barrier_divergence
__global__ void shift_tile(const int* in, int* out, int n) {
  __shared__ int s_tile[128];
  const int tid = threadIdx.x;
  if (tid >= n) return;
  s_tile[tid] = in[tid];
  __syncthreads();  // HERE
  out[tid] = s_tile[n - 1 - tid];
}
CASE(return_before_barrier) {
  Device<int> in(counting(100)), out(100);
  shift_tile<<<1, 128>>>(in, out, 100);
  return finished();
}

// case: only_one_half_waits
// Thinks: a thread that has nothing to wait for need not come to the barrier.
// expect: barrier_divergence
__global__ void lower_half_waits(const int* in, int* out) {
  const int tid = threadIdx.x;
  out[tid] = in[tid];
  if (tid < 64) {
    __syncthreads();  // HERE
    out[tid] += 1;
  }
}
CASE(only_one_half_waits) {
  Device<int> in(counting(128)), out(128);
  lower_half_waits<<<1, 128>>>(in, out);
  return finished();
}

// case: barrier_in_both_branches
// Thinks: each branch has a barrier, so every thread meets one. It is luck if the two barriers meet.
// expect: barrier_divergence
__global__ void load_by_role(const int* in, int* out) {
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  if (tid < 32) {
    s_a[tid] = in[tid];
    __syncthreads();  // HERE
    out[tid] = s_a[tid + 32];
  } else {
    s_a[tid] = in[tid] * 2;
    __syncthreads();  // OTHER
    out[tid] = s_a[tid - 32] + 1;
  }
}
CASE(barrier_in_both_branches) {
  Device<int> in(counting(64)), out(64);
  load_by_role<<<1, 64>>>(in, out);
  return finished();
}

// case: barrier_in_a_thread_s_loop
// Thinks: a thread needs as many barriers as it has steps. The threads have different numbers of steps.
// expect: barrier_divergence
__global__ void steps_up_to_tid(int* a) {
  const int tid = threadIdx.x;
  for (int step = 1; step <= tid; step *= 2) {
    a[tid] += step;
    __syncthreads();  // HERE
  }
}
CASE(barrier_in_a_thread_s_loop) {
  Device<int> a = zeros<int>(64);
  steps_up_to_tid<<<1, 64>>>(a);
  return finished();
}

// case: barrier_for_odd_lanes
// Thinks: the others meet at the next barrier anyway.
// expect: barrier_divergence
__global__ void odd_lanes_first(int* a) {
  const int tid = threadIdx.x;
  if (tid % 2) {
    a[tid] += 1;
    __syncthreads();  // HERE
    a[tid] *= 2;
    return;
  }
  a[tid] += 2;
  __syncthreads();  // OTHER
  a[tid] *= 3;
}
CASE(barrier_for_odd_lanes) {
  Device<int> a(counting(32));
  odd_lanes_first<<<1, 32>>>(a);
  return finished();
}

// case: left_the_loop_early
// Thinks: a thread that is done may leave the loop. It waits at the barrier after the loop, and then it exits.
// expect: barrier_divergence
// expect: barrier_divergence
__global__ void halve_until_small(int* a, int* out) {
  const int tid = threadIdx.x;
  int value = a[tid];
  while (value > 1) {
    value /= 2;
    a[tid] = value;
    __syncthreads();  // HERE
  }
  out[tid] = value;
  __syncthreads();  // OTHER, HERE2
  out[tid] += a[tid];
}
CASE(left_the_loop_early) {
  std::vector<int> values(64, 2);
  for (int i = 32; i < 64; ++i) values[i] = 4;
  Device<int> a(values), out(64);
  halve_until_small<<<1, 64>>>(a, out);
  return finished();
}

// case: warps_gone_before_vote
// Thinks: __syncthreads_count counts threads for which the condition holds, so the others may have left.
// expect: barrier_divergence
__global__ void count_large(const int* in, int* out) {
  const int tid = threadIdx.x;
  if (tid >= 32) return;
  const int count = __syncthreads_count(in[tid] > 10);  // HERE
  if (tid == 0) *out = count;
}
CASE(warps_gone_before_vote) {
  Device<int> in(counting(64)), out(1);
  count_large<<<1, 64>>>(in, out);
  return finished();
}

// ---- mask_mismatch ----

// case: full_mask_in_a_branch
// Thinks: the full mask is always right. Half of the warp has left.
// expect: mask_mismatch
// says: Lane 15 takes the value of lane 31, which has ended.
// says: passed on to lane 0, is stored
__global__ void sum_of_half(int* a) {
  const int lane = threadIdx.x;
  if (lane >= 16) return;
  int sum = a[lane];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);  // HERE
  if (lane == 0) a[0] = sum;
}
CASE(full_mask_in_a_branch) {
  Device<int> a(counting(32));
  sum_of_half<<<1, 32>>>(a);
  return finished();
}

// case: caller_not_in_its_mask
// Thinks: the mask names the lanes that give a value. It must also name the lanes that take one.
// expect: mask_mismatch
// says: It is lane 16 of its warp, and its mask is 0xffff
__global__ void take_from_lower(int* a) {
  const int lane = threadIdx.x;
  a[lane] = __shfl_sync(0x0000ffff, a[lane], lane % 16);  // HERE
}
CASE(caller_not_in_its_mask) {
  Device<int> a(counting(32));
  take_from_lower<<<1, 32>>>(a);
  return finished();
}

// case: two_masks_in_one_vote
// Thinks: each half votes with the mask that fits it. The upper half's mask names all lanes.
// expect: mask_mismatch
__global__ void vote_by_half(const int* in, int* out) {
  const int lane = threadIdx.x;
  const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffffffffu;
  out[lane] = __any_sync(mask, in[lane] == 3);  // HERE
}
CASE(two_masks_in_one_vote) {
  Device<int> in(counting(32)), out(32);
  vote_by_half<<<1, 32>>>(in, out);
  return finished();
}

// case: mask_from_before_the_return
// Thinks: a mask taken once is good for the whole kernel. Since then, lanes have left.
// expect: mask_mismatch
__global__ void rotate_active(int* a, int n) {
  const int lane = threadIdx.x;
  const unsigned mask = __activemask();
  if (lane >= n) return;
  a[lane] = __shfl_sync(mask, a[lane], (lane + 1) % 32);  // HERE
}
CASE(mask_from_before_the_return) {
  Device<int> a(counting(32));
  rotate_active<<<1, 32>>>(a, 20);
  return finished();
}

// case: lanes_that_never_were
// Thinks: every warp has 32 lanes. The last one of a block of 48 threads has 16.
// expect: mask_mismatch
// says: but the block has no such thread
__global__ void warp_sums(const int* in, int* sums) {
  const int tid = threadIdx.x;
  int sum = in[tid];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);  // HERE
  if (tid % 32 == 0) sums[tid / 32] = sum;
}
CASE(lanes_that_never_were) {
  Device<int> in(counting(48)), sums(2);
  warp_sums<<<1, 48>>>(in, sums);
  return finished();
}

// case: syncwarp_without_oneself
// Thinks: the mask says whom to wait for, and for oneself one need not wait.
// expect: mask_mismatch
__global__ void wait_for_the_others(int* a) {
  const int lane = threadIdx.x;
  a[lane] += 1;
  __syncwarp(0xfffffffe);  // HERE
}
CASE(syncwarp_without_oneself) {
  Device<int> a(counting(32));
  wait_for_the_others<<<1, 32>>>(a);
  return finished();
}

// case: shifted_mask
// Thinks: the mask of a group of 8 is 0xff. That is the first group's mask; the other groups must shift it.
// expect: mask_mismatch
__global__ void sum_of_eight(int* a) {
  const int lane = threadIdx.x;
  int sum = a[lane];
  for (int d = 4; d > 0; d /= 2) sum += __shfl_xor_sync(0xff, sum, d);  // HERE
  a[lane] = sum;
}
CASE(shifted_mask) {
  Device<int> a(counting(32));
  sum_of_eight<<<1, 32>>>(a);
  return finished();
}

// case: vote_without_oneself
// Thinks: the mask names the lanes whose votes count.
// expect: mask_mismatch
__global__ void votes_of_others(const int* in, unsigned* out) {
  const int lane = threadIdx.x;
  out[lane] = __ballot_sync(0x7fffffff, in[lane] > 3);  // HERE
}
CASE(vote_without_oneself) {
  Device<int> in(counting(32));
  Device<unsigned> out(32);
  votes_of_others<<<1, 32>>>(in, out);
  return finished();
}

// case: mask_of_the_other_half
// Thinks: the mask names those who give. The upper lanes ask the lower ones, which do not come.
// expect: mask_mismatch
// says: no lane of that mask comes with it
__global__ void ask_absent_half(int* a) {
  const int lane = threadIdx.x;
  if (lane >= 16) a[lane] = __shfl_sync(0x0000ffff, a[lane], lane - 16);  // HERE
}
CASE(mask_of_the_other_half) {
  Device<int> a(counting(32));
  ask_absent_half<<<1, 32>>>(a);
  return finished();
}

// case: one_mask_at_two_shuffles
// Thinks: each half shuffles among its own lanes, so that the full mask does no harm.
// expect: mask_mismatch
// says: wait for each other at different calls
__global__ void shuffle_by_half(int* a) {
  const int lane = threadIdx.x;
  int value = a[lane];
  if (lane < 16) {
    value = __shfl_xor_sync(0xffffffff, value, 1, 16);  // HERE
  } else {
    value = __shfl_up_sync(0xffffffff, value, 1, 16);  // OTHER
  }
  a[lane] = value;
}
CASE(one_mask_at_two_shuffles) {
  Device<int> a(counting(32));
  shuffle_by_half<<<1, 32>>>(a);
  return finished();
}

// case: value_of_the_other_branch
// Thinks: a lane's register can always be read. The lane is in the other branch.
// expect: mask_mismatch
// says: which is elsewhere
__global__ void ask_the_other_half(int* a) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    a[lane] = __shfl_sync(0x0000ffff, a[lane], lane + 16);  // HERE
  } else {
    a[lane] *= 2;
  }
}
CASE(value_of_the_other_branch) {
  Device<int> a(counting(32));
  ask_the_other_half<<<1, 32>>>(a);
  return finished();
}

// case: undefined_value_decides
// Thinks: beyond the end the shuffle gives zero. That is luck.
// expect: mask_mismatch
// says: decides a branch
__global__ void mark_last_of_run(const int* keys, int* marks, int n) {
  const int lane = threadIdx.x;
  const unsigned mask = __ballot_sync(0xffffffff, lane < n);
  if (lane >= n) return;
  const int next = __shfl_down_sync(mask, keys[lane], 1);  // HERE
  if (next != keys[lane]) atomicAdd(marks, 1);
}
CASE(undefined_value_decides) {
  Device<int> keys(counting(32)), marks = zeros<int>(1);
  mark_last_of_run<<<1, 32>>>(keys, marks, 20);
  return finished();
}

// case: undefined_value_as_index
// Thinks: the leader of the warp is lane 0. It has left.
// expect: mask_mismatch
// says: is part of an address
__global__ void place_from_leader(const int* in, int* out) {
  const int lane = threadIdx.x;
  if (lane == 0) return;
  const int place = __shfl_sync(0xffffffff, in[lane], 0);  // HERE
  out[(place & 31) + lane] = lane;
}
CASE(undefined_value_as_index) {
  Device<int> in(counting(32)), out = zeros<int>(64);
  place_from_leader<<<1, 32>>>(in, out);
  return finished();
}
