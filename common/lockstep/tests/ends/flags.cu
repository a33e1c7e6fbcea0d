// flags: one thread waits for what another writes. The writer may stand in a warp, or in a block, that comes later.
#include "../faults/case.h"

// ends: flag_between_barriers
// A block looks at the flag, meets at a barrier, and looks again. The block that sets the flag comes after it.
__global__ void between_barriers(volatile int* flag, int* out) {
  __shared__ int s_set;
  if (blockIdx.x + 1 == gridDim.x) {
    if (threadIdx.x == 0) *flag = 1;
    return;
  }
  do {
    if (threadIdx.x == 0) s_set = *flag;
    // All threads see the same answer.
    __syncthreads();
    const int set = s_set;
    // Thread 0 writes it again.
    __syncthreads();
    if (set) break;
  } while (true);
  if (threadIdx.x == 0) atomicAdd(out, 1);
}
CASE(flag_between_barriers) {
  Device<int> flag = zeros<int>(1), out = zeros<int>(1);
  between_barriers<<<3, 128>>>(flag, out);
  return finished() && out.host()[0] == 2;
}

// ends: plain_flag_between_barriers
// The flag is an ordinary variable: the barrier makes the compiler load it again.
__global__ void plain_flag(int* flag, int* out) {
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) *flag = 1;
    return;
  }
  while (*flag == 0) __syncthreads();
  if (threadIdx.x == 0) *out = 1;
}
CASE(plain_flag_between_barriers) {
  Device<int> flag = zeros<int>(1), out = zeros<int>(1);
  plain_flag<<<2, 64>>>(flag, out);
  return finished() && out.host()[0] == 1;
}

// ends: flag_by_syncthreads_or
// The barrier itself carries the answer.
__global__ void flag_by_or(volatile int* flags, int* out) {
  const int waits_for = (blockIdx.x + 1) % gridDim.x;
  if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) flags[blockIdx.x] = 1;
  while (!__syncthreads_or(threadIdx.x == 7 && flags[waits_for] != 0)) {
    if (blockIdx.x + 1 == gridDim.x) break;
  }
  if (threadIdx.x == 0) {
    flags[blockIdx.x] = 1;
    atomicAdd(out, 1);
  }
}
CASE(flag_by_syncthreads_or) {
  Device<int> flags = zeros<int>(6), out = zeros<int>(1);
  flag_by_or<<<6, 96>>>(flags, out);
  return finished() && out.host()[0] == 6;
}

// ends: flag_while_others_compute
// Two blocks compute for long, and a third waits for a fourth.
__global__ void while_others_compute(volatile int* flag, float* out) {
  if (blockIdx.x == 3) {
    *flag = 1;
  } else if (blockIdx.x == 2) {
    while (*flag == 0) {}
  } else {
    float x = blockIdx.x;
    for (int k = 0; k < 50000; ++k) x = x * 0.999f + 1;
    out[blockIdx.x] = x;
  }
}
CASE(flag_while_others_compute) {
  Device<int> flag = zeros<int>(1);
  Device<float> out = zeros<float>(2);
  while_others_compute<<<4, 32>>>(flag, out);
  return finished() && out.host()[1] > 999;
}

// ends: computes_until_told
// The first block never looks as if it waited: it computes, and looks at an ordinary variable once in a while.
__global__ void until_told(int* stop, float* out) {
  if (blockIdx.x == 1) {
    *stop = 1;
    return;
  }
  float x = 0;
  do {
    for (int k = 0; k < 1000; ++k) x = x * 0.5f + 1;
    asm volatile("" ::: "memory");
  } while (*stop == 0);
  *out = x;
}
CASE(computes_until_told) {
  Device<int> stop = zeros<int>(1);
  Device<float> out = zeros<float>(1);
  until_told<<<2, 1>>>(stop, out);
  return finished() && out.host()[0] > 1.9f;
}

// ends: ping_pong_of_blocks
__global__ void ping_pong(volatile int* ball, int rounds) {
  const int me = blockIdx.x;
  for (int k = 0; k < rounds; ++k) {
    while (*ball % 2 != me) {}
    __threadfence();
    *ball = *ball + 1;
  }
}
CASE(ping_pong_of_blocks) {
  Device<int> ball = zeros<int>(1);
  ping_pong<<<2, 1>>>(ball, 2000);
  return finished() && ball.host()[0] == 4000;
}

// ends: relay_of_lanes
// Each lane waits for the lane after it.
__global__ void relay(int* out) {
  __shared__ volatile int s_turn;
  if (threadIdx.x == 0) s_turn = 31;
  __syncwarp();
  while (s_turn != static_cast<int>(threadIdx.x)) {}
  out[threadIdx.x] = 31 - s_turn;
  __threadfence_block();
  s_turn = s_turn - 1;
}
CASE(relay_of_lanes) {
  Device<int> out = zeros<int>(32);
  relay<<<1, 32>>>(out);
  return finished() && out.host()[0] == 31;
}

// ends: chain_backwards
// Each block waits for the next: the last block that begins is the first that ends.
__global__ void chain_backwards(volatile int* done, int* sum) {
  const int next = blockIdx.x + 1;
  if (threadIdx.x == 0) {
    if (next < gridDim.x)
      while (done[next] == 0) {}
    __threadfence();
    atomicAdd(sum, 1);
    __threadfence();
    done[blockIdx.x] = 1;
  }
}
CASE(chain_backwards) {
  Device<int> done = zeros<int>(1000), sum = zeros<int>(1);
  chain_backwards<<<1000, 64>>>(done, sum);
  return finished() && sum.host()[0] == 1000;
}

// ends: sleeps_by_nanosleep
__global__ void sleeps(volatile int* flag, int* out) {
  if (blockIdx.x == 1) {
    __nanosleep(1000000);
    *flag = 1;
  } else {
    while (*flag == 0) __nanosleep(1 << 14);
    *out = 1;
  }
}
CASE(sleeps_by_nanosleep) {
  Device<int> flag = zeros<int>(1), out = zeros<int>(1);
  sleeps<<<2, 1>>>(flag, out);
  return finished() && out.host()[0] == 1;
}

// ends: waits_for_a_time
// A block waits until the card's clock has advanced, and nothing else.
__global__ void waits_for_time(long long* out) {
  const long long begin = clock64();
  while (clock64() - begin < 3000000) {}
  out[blockIdx.x] = 1;
}
CASE(waits_for_a_time) {
  Device<long long> out = zeros<long long>(4);
  waits_for_time<<<4, 32>>>(out);
  return finished() && sum_of(out.host()) == 4;
}

// ends: hand_over_within_a_block
// Warp 1 waits for warp 0, which waits for warp 2; the others wait at the barrier.
__global__ void within_a_block(int* out) {
  __shared__ volatile int s_stage;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) s_stage = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0 && warp < 3) {
    const int turn = warp == 2 ? 0 : warp == 0 ? 1 : 2;
    for (int round = 0; round < 30; ++round) {
      while (s_stage != 3 * round + turn) {}
      __threadfence_block();
      s_stage = s_stage + 1;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = s_stage;
}
CASE(hand_over_within_a_block) {
  Device<int> out = zeros<int>(1);
  within_a_block<<<1, 128>>>(out);
  return finished() && out.host()[0] == 90;
}

// ends: one_lane_polls_others_meet
// Lane 0 polls, and the others wait for it in a vote, again and again.
__global__ void vote_and_poll(volatile int* flag, int* out) {
  if (blockIdx.x == 1) {
    *flag = 1;
    return;
  }
  while (!__any_sync(0xffffffff, threadIdx.x == 0 && *flag != 0)) {}
  atomicAdd(out, 1);
}
CASE(one_lane_polls_others_meet) {
  Device<int> flag = zeros<int>(1), out = zeros<int>(1);
  vote_and_poll<<<2, 32>>>(flag, out);
  return finished() && out.host()[0] == 32;
}
