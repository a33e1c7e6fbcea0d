// barriers: threads that wait until all have come, by counters and flags in memory, or by the grid's own barrier.
#include <cooperative_groups.h>

#include "../faults/case.h"

constexpr int kRounds = 12;

// Round r is right if each block has seen all blocks of the round before.
static bool all_met(const Device<int>& met, int blocks) {
  if (!finished()) return false;
  for (const int m : met.host())
    if (m != blocks) return false;
  return true;
}

// One thread of each block; `wait` is the barrier.
template <class Wait>
__device__ void meet(int* met, Wait wait) {
  for (int round = 0; round < kRounds; ++round) {
    if (threadIdx.x == 0) {
      atomicAdd(&met[round], 1);
      __threadfence();
      wait(round);
      __threadfence();
      if (atomicAdd(&met[round], 0) != gridDim.x) met[round] = -1;
    }
    // The block begins the next round together.
    __syncthreads();
  }
}

// ends: sense_reversing
__global__ void sense_reversing(int* arrived, volatile int* sense, int* met) {
  meet(met, [&](int round) {
    const int mine = (round + 1) % 2;
    if (atomicAdd(arrived, 1) + 1 == gridDim.x) {
      *arrived = 0;
      __threadfence();
      *sense = mine;
    } else {
      while (*sense != mine) {}
    }
  });
}
CASE(sense_reversing) {
  Device<int> state = zeros<int>(2), met = zeros<int>(kRounds);
  sense_reversing<<<150, 64>>>(state, state + 1, met);
  return all_met(met, 150);
}

// ends: counter_with_epochs
// The counter is never reset.
__global__ void counter_with_epochs(unsigned* arrived, int* met) {
  meet(met, [&](int round) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < (round + 1) * gridDim.x) {}
  });
}
CASE(counter_with_epochs) {
  Device<unsigned> arrived = zeros<unsigned>(1);
  Device<int> met = zeros<int>(kRounds);
  counter_with_epochs<<<100, 96>>>(arrived, met);
  return all_met(met, 100);
}

// ends: flag_for_each_block
// Block 0 gathers a flag of each block, one thread for each, and answers by flags of its own.
__global__ void flag_for_each(volatile int* in, volatile int* out, int* met) {
  for (int round = 1; round <= kRounds; ++round) {
    if (threadIdx.x == 0) {
      atomicAdd(&met[round - 1], 1);
      in[blockIdx.x] = round;
    }
    if (blockIdx.x == 0) {
      if (threadIdx.x < gridDim.x)
        while (in[threadIdx.x] < round) {}
      // All flags have come.
      __syncthreads();
      if (threadIdx.x < gridDim.x) out[threadIdx.x] = round;
    }
    if (threadIdx.x == 0)
      while (out[blockIdx.x] < round) {}
    // The block begins the next round together.
    __syncthreads();
  }
}
CASE(flag_for_each_block) {
  Device<int> in = zeros<int>(60), out = zeros<int>(60), met = zeros<int>(kRounds);
  flag_for_each<<<60, 64>>>(in, out, met);
  return all_met(met, 60);
}

// ends: every_thread_spins
// No thread waits at a barrier of the card.
__global__ void every_thread_spins(unsigned* arrived, int* met) {
  for (unsigned round = 0; round < 3; ++round) {
    atomicAdd(&met[round], 1);
    atomicAdd(arrived, 1);
    while (*static_cast<volatile unsigned*>(arrived) < (round + 1) * gridDim.x * blockDim.x) {}
  }
}
CASE(every_thread_spins) {
  Device<unsigned> arrived = zeros<unsigned>(1);
  Device<int> met = zeros<int>(3);
  every_thread_spins<<<20, 128>>>(arrived, met);
  return all_met(met, 20 * 128);
}

// ends: dissemination_of_warps
// In round k each warp waits for the warp that is 2^k before it.
__global__ void dissemination(int* met) {
  __shared__ volatile int s_flag[5][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp < 5) s_flag[warp][lane] = 0;
  __syncthreads();
  for (int round = 1; round <= kRounds; ++round) {
    if (lane == 0) {
      atomicAdd(&met[round - 1], 1);
      for (int k = 0; k < 5; ++k) {
        s_flag[k][(warp + (1 << k)) % 32] = round;
        while (s_flag[k][warp] < round) {}
      }
    }
    __syncwarp();
  }
}
CASE(dissemination_of_warps) {
  Device<int> met = zeros<int>(kRounds);
  dissemination<<<1, 1024>>>(met);
  return all_met(met, 32);
}

// ends: grid_sync
__global__ void grid_sync(int* met) {
  for (int round = 0; round < kRounds; ++round) {
    if (threadIdx.x == 0) atomicAdd(&met[round], 1);
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0 && atomicAdd(&met[round], 0) != gridDim.x) met[round] = -1;
    cooperative_groups::this_grid().sync();
  }
}
CASE(grid_sync) {
  Device<int> met = zeros<int>(kRounds);
  int* p = met;
  void* arguments[] = {&p};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_sync), dim3(132), dim3(128), arguments, 0, nullptr);
  return all_met(met, 132);
}

// ends: last_block_adds_up
// No block waits: the last one to come does the rest.
__global__ void last_block(int* sums, unsigned* came, int* total) {
  __shared__ bool s_last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = blockIdx.x;
    __threadfence();
    s_last = atomicAdd(came, 1) + 1 == gridDim.x;
  }
  // All threads see the same answer.
  __syncthreads();
  if (!s_last) return;
  __threadfence();
  for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) atomicAdd(total, sums[i]);
}
CASE(last_block_adds_up) {
  Device<int> sums = zeros<int>(300), total = zeros<int>(1);
  Device<unsigned> came = zeros<unsigned>(1);
  last_block<<<300, 128>>>(sums, came, total);
  return finished() && total.host()[0] == 300 * 299 / 2;
}
