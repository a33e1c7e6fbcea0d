// queues: blocks that take their work from others: look-back, queues, rings, persistent blocks, colouring.
#include "../faults/case.h"

// ends: look_back
// Each block waits for the sum of the blocks before it. Numbers are taken in the order in which the blocks begin.
__global__ void look_back(int* next, volatile long long* state, int* out) {
  __shared__ int s_tile;
  if (threadIdx.x == 0) s_tile = atomicAdd(next, 1);
  // All threads need the number.
  __syncthreads();
  if (threadIdx.x != 0) return;
  const int tile = s_tile, own = tile + 1;
  state[tile] = (1ll << 32) + own;
  long long before = 0;
  for (int t = tile - 1; t >= 0; --t) {
    long long seen;
    while ((seen = state[t]) == 0) {}
    before += static_cast<int>(seen);
    if (seen >> 32 == 2) break;
  }
  state[tile] = (2ll << 32) + before + own;
  out[tile] = static_cast<int>(before) + own;
}
CASE(look_back) {
  Device<int> next = zeros<int>(1), out = zeros<int>(1000);
  Device<long long> state = zeros<long long>(1000);
  look_back<<<1000, 64>>>(next, state, out);
  return finished() && out.host()[999] == 500500;
}

// ends: look_back_by_block_numbers
// The same by blockIdx, which CUDA does not promise and cards do: a block waits only for blocks that began before it,
// if blocks begin in ascending or in descending order, or in any other.
__global__ void by_numbers(volatile int* sums) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0)
    while ((before = sums[blockIdx.x - 1]) == 0) {}
  sums[blockIdx.x] = before + 1;
}
CASE(look_back_by_block_numbers) {
  Device<int> sums = zeros<int>(400);
  by_numbers<<<400, 32>>>(sums);
  return finished() && sums.host()[399] == 400;
}

// ends: work_queue
// Persistent blocks take items, and an item may add items. A block that finds the queue empty waits until all items
// are done.
__global__ void work_queue(int* items, int* head, int* tail, int* open, int* done) {
  while (atomicAdd(open, 0) > 0) {
    const int at = atomicAdd(head, 0);
    if (at >= atomicAdd(tail, 0) || atomicCAS(head, at, at + 1) != at) continue;
    int depth;
    while ((depth = atomicAdd(&items[at], 0)) == 0) {}
    if (depth > 1) {
      atomicAdd(open, 2);
      for (int child = 0; child < 2; ++child) atomicExch(&items[atomicAdd(tail, 1)], depth - 1);
    }
    atomicAdd(done, 1);
    atomicSub(open, 1);
  }
}
CASE(work_queue) {
  std::vector<int> first(1024);
  first[0] = 9;
  Device<int> items(first), head = zeros<int>(1), tail(std::vector<int>{1}), open(std::vector<int>{1}),
                            done = zeros<int>(1);
  work_queue<<<16, 1>>>(items, head, tail, open, done);
  return finished() && done.host()[0] == 511;
}

// ends: blocks_feed_blocks
// Producers put items into a ring; consumers take them. Each slot has a ticket.
__global__ void ring(volatile int* ticket, volatile int* slot, int* in, int* out, int items, int* sum) {
  constexpr int kSlots = 4;
  const bool produces = blockIdx.x % 2 == 0;
  for (;;) {
    const int item = atomicAdd(produces ? in : out, 1);
    if (item >= items) return;
    const int s = item % kSlots, wanted = 2 * (item / kSlots) + !produces;
    while (ticket[s] != wanted) __nanosleep(50);
    __threadfence();
    if (produces)
      slot[s] = item;
    else
      atomicAdd(sum, slot[s]);
    __threadfence();
    ticket[s] = wanted + 1;
  }
}
CASE(blocks_feed_blocks) {
  Device<int> ticket = zeros<int>(4), slot = zeros<int>(4), in = zeros<int>(1), out = zeros<int>(1),
              sum = zeros<int>(1);
  ring<<<10, 1>>>(ticket, slot, in, out, 300, sum);
  return finished() && sum.host()[0] == 300 * 299 / 2;
}

// ends: warps_feed_warps
// One warp fills a ring in shared memory, and three empty it.
__global__ void warps_ring(int* sum) {
  __shared__ volatile int s_ticket[8], s_slot[8];
  __shared__ int s_out;
  if (threadIdx.x < 8) s_ticket[threadIdx.x] = 0;
  if (threadIdx.x == 0) s_out = 0;
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  constexpr int kItems = 200;
  for (int produced = 0;; ++produced) {
    const bool produces = threadIdx.x == 0;
    const int item = produces ? produced : atomicAdd(&s_out, 1);
    if (item >= kItems) return;
    const int s = item % 8, wanted = 2 * (item / 8) + !produces;
    while (s_ticket[s] != wanted) {}
    __threadfence_block();
    if (produces)
      s_slot[s] = item;
    else
      atomicAdd(sum, s_slot[s]);
    __threadfence_block();
    s_ticket[s] = wanted + 1;
  }
}
CASE(warps_feed_warps) {
  Device<int> sum = zeros<int>(1);
  warps_ring<<<1, 128>>>(sum);
  return finished() && sum.host()[0] == 200 * 199 / 2;
}

// ends: persistent_until_told
// All blocks but the last serve requests until the last tells them to stop. It waits for each answer.
__global__ void persistent(volatile int* request, volatile int* answer, volatile int* stop, int* sum) {
  const int servers = gridDim.x - 1;
  if (blockIdx.x < servers) {
    for (int seen = 0; !*stop;) {
      const int now = request[blockIdx.x];
      if (now == seen) continue;
      seen = now;
      answer[blockIdx.x] = 2 * now;
    }
  } else {
    for (int k = 1; k <= 60; ++k) {
      request[k % servers] = k;
      while (answer[k % servers] != 2 * k) {}
      *sum += answer[k % servers];
    }
    *stop = 1;
  }
}
CASE(persistent_until_told) {
  Device<int> request = zeros<int>(20), answer = zeros<int>(20), stop = zeros<int>(1), sum = zeros<int>(1);
  persistent<<<21, 1>>>(request, answer, stop, sum);
  return finished() && sum.host()[0] == 60 * 61;
}

// ends: colouring
// Each node of a ring of nodes waits until its neighbours with larger priority have their colours.
__global__ void colouring(int n, volatile int* colours) {
  const auto priority = [](int node) { return (node * 7919 + 13) % 10007; };
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int neighbours[] = {(i + 1) % n, (i + n - 1) % n, (i + n / 2) % n, (i + n - n / 2) % n};
    unsigned taken = 0;
    for (const int other : neighbours) {
      if (other == i || priority(other) <= priority(i)) continue;
      while (colours[other] == 0) {}
      taken |= 1u << colours[other];
    }
    colours[i] = __ffs(~(taken | 1)) - 1;
  }
}
CASE(colouring) {
  constexpr int kNodes = 4096;
  Device<int> colours = zeros<int>(kNodes);
  colouring<<<kNodes / 128, 128>>>(kNodes, colours);
  if (!finished()) return false;
  const std::vector<int> got = colours.host();
  for (int i = 0; i < kNodes; ++i)
    if (got[i] == 0 || got[i] == got[(i + 1) % kNodes] || got[i] == got[(i + kNodes / 2) % kNodes]) return false;
  return true;
}

// ends: wavefront
// Tile (x, y) waits for its left and its upper neighbour.
__global__ void wavefront(volatile int* cells, int side) {
  const int x = blockIdx.x % side, y = blockIdx.x / side;
  int left = 1, up = 0;
  if (threadIdx.x == 0) {
    if (x > 0)
      while ((left = cells[y * side + x - 1]) == 0) {}
    if (y > 0)
      while ((up = cells[(y - 1) * side + x]) == 0) {}
    cells[y * side + x] = (left + up) % 1000 + 1;
  }
}
CASE(wavefront) {
  constexpr int kSide = 30;
  Device<int> cells = zeros<int>(kSide * kSide);
  wavefront<<<kSide * kSide, 32>>>(cells, kSide);
  if (!finished()) return false;
  for (const int c : cells.host())
    if (c == 0) return false;
  return true;
}

// ends: optimistic_list
// Many threads push to one list by compare-and-swap, with a pause that depends on the attempt.
__global__ void push(int* head, int* next) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x + 1;
  for (int attempt = 0;; ++attempt) {
    const int before = atomicAdd(head, 0);
    next[me] = before;
    __threadfence();
    if (atomicCAS(head, before, me) == before) return;
    __nanosleep(attempt * 10);
  }
}
CASE(optimistic_list) {
  constexpr int kAll = 8 * 96;
  Device<int> head = zeros<int>(1), next = zeros<int>(kAll + 1);
  push<<<8, 96>>>(head, next);
  if (!finished()) return false;
  const std::vector<int> links = next.host();
  int length = 0;
  for (int at = head.host()[0]; at != 0; at = links[at]) ++length;
  return length == kAll;
}

// ends: partners_at_one_slot
// Threads find partners at one slot. The first of two waits there until the second has emptied it; others try again.
__global__ void find_partners(int* slot, int* pairs) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x + 1;
  for (;;) {
    const int there = atomicCAS(slot, 0, me);
    if (there == 0) {
      while (*(volatile int*)slot == me) {}
      break;
    } else if (there > 0) {
      if (atomicCAS(slot, there, -there) == there) {
        atomicAdd(pairs, 1);
        __threadfence();
        atomicExch(slot, 0);
        break;
      }
    }
  }
}
CASE(partners_at_one_slot) {
  Device<int> slot = zeros<int>(1), pairs = zeros<int>(1);
  find_partners<<<1, 4>>>(slot, pairs);
  find_partners<<<2, 96>>>(slot, pairs);
  return finished() && pairs.host()[0] == 2 + 96;
}

// ends: many_wait_for_one
// One thread works for long, and all others look at its flag.
__global__ void wait_for_one(volatile int* flag, unsigned* result, int steps) {
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 1) {
    unsigned x = 1;
    for (int i = 0; i < steps; ++i) x = x * 1664525u + (x >> 9);
    *result = x;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {}
  }
}
CASE(many_wait_for_one) {
  Device<int> flag = zeros<int>(1);
  Device<unsigned> result = zeros<unsigned>(1);
  wait_for_one<<<132, 512>>>(flag, result, 20000);
  return finished() && flag.host()[0] == 1;
}

// ends: enough_time
// Many threads wait for a second of the card's clock at most. The work takes a millisecond.
__global__ void wait_by_clock(volatile int* flag, int* late, unsigned* result) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    unsigned x = 1;
    for (int i = 0; i < 100000; ++i) x = x * 1664525u + (x >> 9);
    *result = x;
    __threadfence();
    *flag = 1;
  } else if (blockIdx.x > 0) {
    const long long start = clock64();
    while (*flag == 0)
      if (clock64() - start > 1700000000) {
        atomicAdd(late, 1);
        break;
      }
  }
}
CASE(enough_time) {
  Device<int> flag = zeros<int>(1), late = zeros<int>(1);
  Device<unsigned> result = zeros<unsigned>(1);
  wait_by_clock<<<32, 64>>>(flag, late, result);
  return finished() && late.host()[0] == 0;
}
