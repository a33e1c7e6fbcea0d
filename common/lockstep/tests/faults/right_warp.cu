// right_warp: lanes diverge, meet and exchange values as CUDA allows. lockstep must report no finding.
#include "case.h"

// case: syncwarp_tree
// Looks like: the last six steps without a block barrier. A __syncwarp stands before and after every read.
// expect: nothing
__global__ void reduce_with_syncwarp(int* a) {
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  s_a[tid] = a[tid];
  // The last warp reads the values that the other warp stored.
  __syncthreads();
  if (tid >= 32) return;
  int sum = s_a[tid] + s_a[tid + 32];
  for (int d = 16; d > 0; d /= 2) {
    s_a[tid] = sum;
    // The lane at distance d has stored its sum.
    __syncwarp();
    if (tid < d) sum += s_a[tid + d];
    // It has been read before the next step overwrites it.
    __syncwarp();
  }
  if (tid == 0) a[0] = sum;
}
CASE(syncwarp_tree) {
  Device<int> a(counting(64));
  reduce_with_syncwarp<<<1, 64>>>(a);
  return finished() && a.host()[0] == 63 * 32;
}

// case: shuffle_sum
// Looks like: values exchanged without memory or barrier. Shuffles need neither.
// expect: nothing
__global__ void sum_by_shuffle(int* a) {
  int sum = a[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  a[threadIdx.x] = sum;
}
CASE(shuffle_sum) {
  Device<int> a(counting(64));
  sum_by_shuffle<<<1, 64>>>(a);
  return finished() && a.host()[0] == 31 * 16 && a.host()[32] == 31 * 16 + 32 * 32;
}

// case: halves_in_two_branches
// Looks like: shuffles that not all lanes reach. Each half names itself.
// expect: nothing
__global__ void shuffle_by_half(int* a) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    a[lane] = __shfl_xor_sync(0x0000ffff, a[lane], 1);
  } else {
    a[lane] = __shfl_sync(0xffff0000, a[lane], 20);
  }
}
CASE(halves_in_two_branches) {
  Device<int> a(counting(32));
  shuffle_by_half<<<1, 32>>>(a);
  return finished() && a.host()[0] == 1 && a.host()[31] == 20;
}

// case: two_masks_at_one_shuffle
// Looks like: two masks in one instruction. They do not overlap, and each half meets itself.
// expect: nothing
__global__ void rotate_halves(int* a) {
  const int lane = threadIdx.x;
  const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  a[lane] = __shfl_sync(mask, a[lane], (lane + 1) % 16, 16);
}
CASE(two_masks_at_one_shuffle) {
  Device<int> a(counting(32));
  rotate_halves<<<1, 32>>>(a);
  return finished() && a.host()[15] == 0 && a.host()[31] == 16;
}

// case: mask_by_ballot
// Looks like: a mask that does not name all lanes. Those it names are those that come.
// expect: nothing
__global__ void sum_of_large(const int* in, int* out) {
  const int lane = threadIdx.x;
  const bool large = in[lane] > 20;
  const unsigned mask = __ballot_sync(0xffffffff, large);
  if (!large) return;
  const int first = __shfl_sync(mask, in[lane], __ffs(mask) - 1);
  out[lane] = first;
}
CASE(mask_by_ballot) {
  Device<int> in(counting(32)), out = zeros<int>(32);
  sum_of_large<<<1, 32>>>(in, out);
  return finished() && out.host()[31] == 21 && out.host()[0] == 0;
}

// case: vote_after_exit
// Looks like: a full mask after lanes have left. Votes are of those in the mask that have not exited.
// expect: nothing
__global__ void vote_of_the_rest(const int* in, int* out, int n) {
  const int lane = threadIdx.x;
  if (lane >= n) return;
  const unsigned even = __ballot_sync(0xffffffff, in[lane] % 2 == 0);
  if (lane == 0) *out = __popc(even);
}
CASE(vote_after_exit) {
  Device<int> in(counting(32)), out(1);
  vote_of_the_rest<<<1, 32>>>(in, out, 20);
  return finished() && out.host()[0] == 10;
}

// case: syncwarp_after_exit
// Looks like: a __syncwarp that waits for lanes that have left. It waits for the others.
// expect: nothing
__global__ void exchange_of_the_rest(int* a, int n) {
  __shared__ int s_a[32];
  const int lane = threadIdx.x;
  if (lane >= n) return;
  s_a[lane] = a[lane];
  // Lanes read each other's elements.
  __syncwarp();
  a[lane] = s_a[n - 1 - lane];
}
CASE(syncwarp_after_exit) {
  Device<int> a(counting(32));
  exchange_of_the_rest<<<1, 32>>>(a, 20);
  return finished() && a.host()[0] == 19 && a.host()[20] == 20;
}

// case: last_warp_not_full
// Looks like: a block of 48 threads that shuffles. The last warp's mask names its 16 lanes.
// expect: nothing
__global__ void sum_of_48(const int* in, int* sums) {
  const int tid = threadIdx.x;
  const unsigned mask = __ballot_sync(tid < 32 ? 0xffffffffu : 0x0000ffffu, true);
  int sum = in[tid];
  for (int d = tid < 32 ? 16 : 8; d > 0; d /= 2) sum += __shfl_xor_sync(mask, sum, d);
  if (tid % 32 == 0) sums[tid / 32] = sum;
}
CASE(last_warp_not_full) {
  Device<int> in(counting(48)), sums(2);
  sum_of_48<<<1, 48>>>(in, sums);
  return finished() && sums.host()[0] == 31 * 16 && sums.host()[1] == 16 * 32 + 15 * 8;
}

// case: lock_inside_a_warp
// Looks like: lanes of one warp that wait for each other. Since Volta, each makes progress of its own.
// expect: nothing
__global__ void count_under_lock(int* lock, int* count) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  *count += 1;
  __threadfence();
  atomicExch(lock, 0);
}
CASE(lock_inside_a_warp) {
  Device<int> lock = zeros<int>(1), count = zeros<int>(1);
  count_under_lock<<<1, 32>>>(lock, count);
  return finished() && count.host()[0] == 32;
}

// case: leader_of_the_active
// Looks like: __activemask as a mask. It is used where it is taken, to add once for all that are there.
// expect: nothing
__global__ void keep_even(const int* in, int* count, int* out) {
  const int lane = threadIdx.x % 32;
  if (in[threadIdx.x] % 2 != 0) return;
  const unsigned active = __activemask();
  const int leader = __ffs(active) - 1;
  int base = 0;
  if (lane == leader) base = atomicAdd(count, __popc(active));
  base = __shfl_sync(active, base, leader);
  out[base + __popc(active & ((1u << lane) - 1))] = in[threadIdx.x];
}
CASE(leader_of_the_active) {
  Device<int> in(counting(64)), count = zeros<int>(1), out(32);
  keep_even<<<1, 64>>>(in, count, out);
  return finished() && count.host()[0] == 32 && sum_of(out.host()) == 31 * 32;
}

// case: groups_by_match
// Looks like: lanes with many masks. __match_any_sync told each its own group.
// expect: nothing
__global__ void count_keys(const int* keys, int* counts) {
  const int lane = threadIdx.x;
  const unsigned peers = __match_any_sync(0xffffffff, keys[lane]);
  const int rank = __popc(peers & ((1u << lane) - 1));
  const int size = __shfl_sync(peers, __popc(peers), __ffs(peers) - 1);
  if (rank == 0) counts[keys[lane]] += size;
}
CASE(groups_by_match) {
  std::vector<int> keys(32);
  for (int i = 0; i < 32; ++i) keys[i] = i % 5;
  Device<int> in(keys), counts = zeros<int>(5);
  count_keys<<<1, 32>>>(in, counts);
  return finished() && counts.host() == std::vector<int>{7, 7, 6, 6, 6};
}

// case: one_lane_writes_for_all
// Looks like: lanes that read the value that lane 0 just wrote. A __syncwarp lies between; one precedes the next round.
// expect: nothing
__global__ void broadcast_rounds(const int* in, int* out) {
  __shared__ int s_value;
  const int lane = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    if (lane == 0) s_value = in[k];
    // Lane 0 has written.
    __syncwarp();
    sum += s_value;
    // All lanes have read before lane 0 writes again.
    __syncwarp();
  }
  out[lane] = sum;
}
CASE(one_lane_writes_for_all) {
  Device<int> in(counting(4)), out(32);
  broadcast_rounds<<<1, 32>>>(in, out);
  return finished() && out.host() == std::vector<int>(32, 6);
}

// case: branches_meet_again
// Looks like: two branches write, and then each lane reads the other branch's data. They meet at __syncwarp.
// expect: nothing
__global__ void odd_and_even(int* a) {
  __shared__ int s_a[32];
  const int lane = threadIdx.x;
  if (lane % 2) {
    s_a[lane] = a[lane] * 10;
  } else {
    s_a[lane] = a[lane] + 1;
  }
  // The neighbour stored in the other branch.
  __syncwarp();
  a[lane] = s_a[lane ^ 1];
}
CASE(branches_meet_again) {
  Device<int> a(counting(32));
  odd_and_even<<<1, 32>>>(a);
  return finished() && a.host()[0] == 10 && a.host()[1] == 1;
}

// case: syncwarp_from_two_places
// Looks like: __syncwarp in both branches. Lanes may meet from different places.
// expect: nothing
__global__ void meet_from_branches(int* a) {
  __shared__ int s_a[32];
  const int lane = threadIdx.x;
  if (lane < 16) {
    s_a[lane] = a[lane];
    __syncwarp();
    a[lane] = s_a[lane + 16];
  } else {
    s_a[lane] = a[lane] + 100;
    __syncwarp();
    a[lane] = s_a[lane - 16];
  }
}
CASE(syncwarp_from_two_places) {
  Device<int> a(counting(32));
  meet_from_branches<<<1, 32>>>(a);
  return finished() && a.host()[0] == 116 && a.host()[16] == 0;
}

// case: sync_of_a_quarter
// Looks like: __syncwarp with a small mask. The eight lanes it names are all that share.
// expect: nothing
__global__ void reverse_eights(int* a) {
  __shared__ int s_a[32];
  const int lane = threadIdx.x;
  const unsigned mask = 0xffu << (lane & 24);
  s_a[lane] = a[lane];
  // All eight lanes have stored.
  __syncwarp(mask);
  a[lane] = s_a[lane ^ 7];
}
CASE(sync_of_a_quarter) {
  Device<int> a(counting(32));
  reverse_eights<<<1, 32>>>(a);
  return finished() && a.host()[8] == 15;
}

// case: full_mask_after_exit
// Looks like: a mask that names lanes which have left. That is allowed, and each lane reads one that is there.
// expect: nothing
__global__ void rotate_the_rest(int* a, int n) {
  const int lane = threadIdx.x;
  if (lane >= n) return;
  a[lane] = __shfl_sync(0xffffffff, a[lane], (lane + 1) % n);
}
CASE(full_mask_after_exit) {
  Device<int> a(counting(32));
  rotate_the_rest<<<1, 32>>>(a, 20);
  return finished() && a.host()[19] == 0 && a.host()[20] == 20;
}

// case: upper_lanes_are_discarded
// Looks like: lanes that read beyond the end. Their sums are garbage, and nobody uses them.
// expect: nothing
__global__ void sum_of_sixteen(int* a) {
  const int lane = threadIdx.x;
  if (lane >= 16) return;
  int sum = a[lane];
  for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(0x0000ffff, sum, d);
  if (lane == 0) a[0] = sum;
}
CASE(upper_lanes_are_discarded) {
  Device<int> a(counting(32));
  sum_of_sixteen<<<1, 32>>>(a);
  return finished() && a.host()[0] == 120;
}

// case: neighbour_beyond_the_end_not_used
// Looks like: the last lane reads a lane that has left. It selects its own value instead.
// expect: nothing
__global__ void differences(const int* in, int* out, int n) {
  const int lane = threadIdx.x;
  const unsigned mask = __ballot_sync(0xffffffff, lane < n);
  if (lane >= n) return;
  const int next = __shfl_down_sync(mask, in[lane], 1);
  out[lane] = (lane + 1 < n ? next : in[lane]) - in[lane];
  if (lane + 1 < n && next > 15) out[lane] += 10;
}
CASE(neighbour_beyond_the_end_not_used) {
  Device<int> in(counting(32)), out = zeros<int>(32);
  differences<<<1, 32>>>(in, out, 20);
  return finished() && out.host()[0] == 1 && out.host()[18] == 11 && out.host()[19] == 0;
}
