// The progress that every thread makes since Volta: spin locks among the lanes of a warp, lanes that meet in shuffles
// and __syncwarp from different branches, warps and blocks that hand data over by flags, named barriers in loops. On a
// machine with only one program counter per warp, these programs hang.
#include <cooperative_groups.h>

#include <algorithm>

#include "expect.h"

constexpr int kBlock = 128;

// ---- locks ----

// The holder leaves the loop before it releases the lock; lanes that still spin must not keep it from running.
__global__ void lock_around(int* lock, int* count) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  *const_cast<volatile int*>(count) += 1;
  __threadfence();
  atomicExch(lock, 0);
}

// The critical section is inside the loop, as textbooks before Volta advise.
__global__ void lock_within(int* lock, int* count) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *const_cast<volatile int*>(count) += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// One lock for each bin, in shared memory: the lanes of a warp want the same lock or different locks.
__global__ void lock_a_bin(const int* in, int* bins) {
  __shared__ int s_lock[8];
  __shared__ volatile int s_bin[8];
  const int tid = threadIdx.x;
  if (tid < 8) s_lock[tid] = s_bin[tid] = 0;
  __syncthreads();
  const int bin = in[tid] % 8;
  while (atomicExch(&s_lock[bin], 1) != 0) __nanosleep(10);
  __threadfence_block();
  s_bin[bin] = s_bin[bin] + 1;
  __threadfence_block();
  atomicExch(&s_lock[bin], 0);
  __syncthreads();
  if (tid < 8) bins[tid] = s_bin[tid];
}

// ---- lanes of one warp ----

// Each half of the warp adds up its values in its own branch, and a quarter of the lanes in a branch inside that.
__global__ void halves(const int* in, int* out) {
  const int lane = threadIdx.x;
  int value = in[lane];
  if (lane < 16) {
    for (int offset = 8; offset > 0; offset /= 2) value += __shfl_xor_sync(0x0000ffff, value, offset);
    if (lane < 4) {
      value += 100;
      __syncwarp(0x0000000f);
      value += __shfl_sync(0x0000000f, lane, 3);
    } else {
      __syncwarp(0x0000fff0);
      value += __popc(__ballot_sync(0x0000fff0, lane % 2));
    }
  } else {
    for (int offset = 8; offset > 0; offset /= 2) value -= __shfl_xor_sync(0xffff0000, value, offset);
  }
  out[lane] = value;
}

// Lanes that meet in __syncwarp from different lines, handing a value over through memory.
__global__ void rendezvous(int* out) {
  __shared__ volatile int s_value[32];
  const int lane = threadIdx.x;
  if (lane % 2 == 0) {
    s_value[lane] = lane * lane;
    __syncwarp();
    out[lane] = s_value[lane + 1];
  } else {
    s_value[lane] = -lane;
    __syncwarp();
    out[lane] = s_value[lane - 1];
  }
}

// One lane after the other: each waits for the lane before it.
__global__ void relay(int* out) {
  __shared__ volatile int s_turn;
  if (threadIdx.x == 0) s_turn = 31;
  __syncwarp();
  while (s_turn != static_cast<int>(threadIdx.x)) {}
  out[threadIdx.x] = 31 - s_turn;
  __threadfence_block();
  s_turn = s_turn - 1;
}

// ---- warps of one block ----

// One warp writes and another reads, ordered by a flag in shared memory. Meanwhile the others wait at the barrier.
__global__ void shared_flag(int* out) {
  __shared__ volatile int s_data[32];
  __shared__ volatile int s_flag;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) s_flag = 0;
  __syncthreads();
  for (int round = 1; round <= 5; ++round) {
    if (warp == 2) {
      s_data[lane] = round * 100 + lane;
      __threadfence_block();
      __syncwarp();
      if (lane == 0) s_flag = 2 * round - 1;
      while (s_flag != 2 * round) {}
    } else if (warp == 1) {
      while (s_flag != 2 * round - 1) {}
      __threadfence_block();
      out[(round - 1) * 32 + lane] = s_data[31 - lane];
      __syncwarp();
      if (lane == 0) s_flag = 2 * round;
    }
  }
  __syncthreads();
}

// Each pair of warps has named barriers, full and empty, in loops of different length.
__global__ void named_barriers(int* out) {
  __shared__ volatile int s_slot[2][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, pair = warp / 2, rounds = 3 + 4 * pair;
  const int full = 1 + 2 * pair, empty = 2 + 2 * pair;
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (warp % 2 == 0) {
      if (round > 0) asm volatile("bar.sync %0, 64;" ::"r"(empty) : "memory");
      s_slot[pair][lane] = round + lane;
      asm volatile("bar.arrive %0, 64;" ::"r"(full) : "memory");
    } else {
      asm volatile("bar.sync %0, 64;" ::"r"(full) : "memory");
      sum += s_slot[pair][31 - lane];
      if (round + 1 < rounds) asm volatile("bar.arrive %0, 64;" ::"r"(empty) : "memory");
    }
  }
  if (warp % 2 == 1) out[pair * 32 + lane] = sum;
}

// ---- blocks ----

// Even blocks produce for their right neighbour through a ring; each slot has a flag that guards it.
__global__ void ring_of_blocks(volatile int* slots, volatile int* flags, int items, long long* sums) {
  constexpr int kSlots = 4;
  const int pair = blockIdx.x / 2;
  volatile int* slot = slots + pair * kSlots * kBlock;
  volatile int* flag = flags + pair * kSlots;
  long long sum = 0;
  for (int item = 0; item < items; ++item) {
    const int s = item % kSlots, tid = threadIdx.x;
    const int mine = blockIdx.x % 2;
    if (tid == 0)
      while (flag[s] != mine) __nanosleep(20);
    __threadfence();
    __syncthreads();
    if (mine == 0)
      slot[s * kBlock + tid] = item * kBlock + tid;
    else
      sum += slot[s * kBlock + tid];
    __threadfence();
    // Every thread has finished with the slot before it is handed over.
    __syncthreads();
    if (tid == 0) flag[s] = 1 - mine;
  }
  if (blockIdx.x % 2)
    atomicAdd(reinterpret_cast<unsigned long long*>(sums + pair), static_cast<unsigned long long>(sum));
}

// Later blocks wait for earlier ones, and the first for the last.
__global__ void chain_of_blocks(volatile int* turn, int* order) {
  const int last = gridDim.x - 1, me = blockIdx.x;
  while (*turn != (me == 0 ? last + 1 : me)) {}
  __threadfence();
  order[me] = *turn;
  __threadfence();
  *turn = me + 1;
}

// ---- host ----

struct DeviceInts {
  int* p = nullptr;
  size_t n;
  explicit DeviceInts(size_t count, int byte = 0) : n(count) {
    CUDA_CHECK(cudaMalloc(&p, n * sizeof(int)));
    CUDA_CHECK(cudaMemset(p, byte, n * sizeof(int)));
  }
  explicit DeviceInts(const std::vector<int>& from) : DeviceInts(from.size()) {
    CUDA_CHECK(cudaMemcpy(p, from.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  }
  ~DeviceInts() { cudaFree(p); }
  std::vector<int> get() const {
    std::vector<int> host(n);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(host.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost));
    return host;
  }
};

static void locks() {
  const DeviceInts cells(4);
  lock_around<<<3, kBlock>>>(cells.p, cells.p + 1);
  lock_within<<<3, kBlock>>>(cells.p + 2, cells.p + 3);
  expect_equal("locks", cells.get(), {0, 3 * kBlock, 0, 3 * kBlock});
  const std::vector<int> in = random_ints(kBlock, 0, 1000, 41);
  const DeviceInts d_in(in), bins(8);
  lock_a_bin<<<1, kBlock>>>(d_in.p, bins.p);
  std::vector<int> want(8);
  for (const int v : in) ++want[v % 8];
  expect_equal("a lock a bin", bins.get(), want);
}

static void lanes() {
  const std::vector<int> in = random_ints(32, 0, 1000, 42);
  const DeviceInts d_in(in), out(32);
  halves<<<1, 32>>>(d_in.p, out.p);
  std::vector<int> want = in;
  for (int offset = 8; offset > 0; offset /= 2) {
    const std::vector<int> before = want;
    for (int l = 0; l < 32; ++l) want[l] += (l < 16 ? 1 : -1) * before[l ^ offset];
  }
  for (int l = 0; l < 16; ++l) want[l] += l < 4 ? 103 : 6;
  expect_equal("halves", out.get(), want);
  rendezvous<<<1, 32>>>(out.p);
  for (int l = 0; l < 32; ++l) want[l] = l % 2 == 0 ? -(l + 1) : (l - 1) * (l - 1);
  expect_equal("rendezvous", out.get(), want);
  relay<<<1, 32>>>(out.p);
  for (int l = 0; l < 32; ++l) want[l] = 31 - l;
  expect_equal("relay", out.get(), want);
}

static void warps() {
  const DeviceInts flagged(5 * 32), sums(64);
  shared_flag<<<1, kBlock>>>(flagged.p);
  std::vector<int> want;
  for (int round = 1; round <= 5; ++round)
    for (int l = 0; l < 32; ++l) want.push_back(round * 100 + 31 - l);
  expect_equal("shared flag", flagged.get(), want);
  named_barriers<<<1, kBlock>>>(sums.p);
  want.clear();
  for (const int rounds : {3, 7})
    for (int l = 0; l < 32; ++l) want.push_back(rounds * (rounds - 1) / 2 + rounds * (31 - l));
  expect_equal("named barriers", sums.get(), want);
}

static void blocks() {
  constexpr int kPairs = 3, kItems = 20;
  const DeviceInts slots(kPairs * 4 * kBlock), flags(kPairs * 4), order(9), turn(1);
  long long* sums = nullptr;
  CUDA_CHECK(cudaMallocManaged(&sums, kPairs * sizeof *sums));
  CUDA_CHECK(cudaMemset(sums, 0, kPairs * sizeof *sums));
  ring_of_blocks<<<2 * kPairs, kBlock>>>(slots.p, flags.p, kItems, sums);
  CUDA_CHECK(cudaDeviceSynchronize());
  const long long n = kItems * kBlock;
  expect_equal("ring of blocks", std::vector<long long>(sums, sums + kPairs),
               std::vector<long long>(kPairs, n * (n - 1) / 2));
  CUDA_CHECK(cudaFree(sums));
  // Block 1 begins: the host sets the turn to 1.
  CUDA_CHECK(cudaMemset(turn.p, 0, sizeof(int)));
  const int one = 1;
  CUDA_CHECK(cudaMemcpy(turn.p, &one, sizeof one, cudaMemcpyHostToDevice));
  chain_of_blocks<<<9, 1>>>(turn.p, order.p);
  expect_equal("chain of blocks", order.get(), {9, 1, 2, 3, 4, 5, 6, 7, 8});
}

int main() {
  locks();
  lanes();
  warps();
  blocks();
  return verdict("progress");
}
