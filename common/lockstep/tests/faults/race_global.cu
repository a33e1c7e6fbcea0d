// race_global: two threads access one global address without order, in a warp, a block, or in two blocks: race.
#include "case.h"

// case: sum_without_atomics
// Thinks: += is one step. It is three: it reads, adds and writes.
// expect: race
// says: make the update one atomic operation: atomicAdd
__global__ void add_all(const int* in, int n, int* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *sum += in[i];  // HERE, OTHER
}
CASE(sum_without_atomics) {
  Device<int> in(counting(256)), sum = zeros<int>(1);
  add_all<<<4, 64>>>(in, 256, sum);
  return finished();
}

// case: flag_without_fence
// Thinks: the data is written before the flag, so a thread that sees the flag sees the data.
// expect: race
__global__ void publish(const int* in, int* data, int* ready, int* out) {
  if (blockIdx.x == 0) {
    *data = in[0] * 7;  // OTHER
    atomicExch(ready, 1);
  } else {
    while (atomicAdd(ready, 0) == 0) {}
    __threadfence();
    *out = *data;  // HERE
  }
}
CASE(flag_without_fence) {
  Device<int> in(counting(1, 3)), data = zeros<int>(1), ready = zeros<int>(1), out(1);
  publish<<<2, 1>>>(in, data, ready, out);
  return finished();
}

// case: reader_without_fence
// Thinks: only the writer needs a fence. Without its own fence, the reader may have read the data before the flag.
// expect: race
// says: Only the reader's fence is missing
__global__ void publish_fenced(const int* in, int* data, int* ready, int* out) {
  if (blockIdx.x == 0) {
    *data = in[0] * 7;  // OTHER
    __threadfence();
    atomicExch(ready, 1);
  } else {
    while (atomicAdd(ready, 0) == 0) {}
    *out = *data;  // HERE
  }
}
CASE(reader_without_fence) {
  Device<int> in(counting(1, 3)), data = zeros<int>(1), ready = zeros<int>(1), out(1);
  publish_fenced<<<2, 1>>>(in, data, ready, out);
  return finished();
}

// case: fence_for_the_block_only
// Thinks: __threadfence_block is a faster __threadfence. The reader is in another block.
// expect: race
__global__ void publish_to_block(const int* in, int* data, int* ready, int* out) {
  if (blockIdx.x == 0) {
    *data = in[0] * 7;  // OTHER
    __threadfence_block();
    atomicExch(ready, 1);
  } else {
    while (atomicAdd(ready, 0) == 0) {}
    __threadfence_block();
    *out = *data;  // HERE
  }
}
CASE(fence_for_the_block_only) {
  Device<int> in(counting(1, 3)), data = zeros<int>(1), ready = zeros<int>(1), out(1);
  publish_to_block<<<2, 1>>>(in, data, ready, out);
  return finished();
}

// case: volatile_flag_between_blocks
// Thinks: volatile is enough for a flag and for the data that it announces.
// expect: race
__global__ void publish_volatile(const int* in, int* data, volatile int* ready, int* out) {
  if (blockIdx.x == 0) {
    *data = in[0] * 7;  // OTHER
    *ready = 1;
  } else {
    while (*ready == 0) {}
    *out = *data;  // HERE
  }
}
CASE(volatile_flag_between_blocks) {
  Device<int> in(counting(1, 3)), data = zeros<int>(1), ready = zeros<int>(1), out(1);
  publish_volatile<<<2, 1>>>(in, data, ready, out);
  return finished();
}

// case: last_block_without_fence
// Thinks: the counter says that all blocks are done. It does not say that their sums have arrived.
// expect: race
__global__ void sum_last_block(const int* in, int* sums, unsigned* done, int* out) {
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = in[2 * blockIdx.x] + in[2 * blockIdx.x + 1];  // OTHER
  if (atomicInc(done, gridDim.x - 1) != gridDim.x - 1) return;
  int total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += sums[b];  // HERE
  *out = total;
}
CASE(last_block_without_fence) {
  Device<int> in(counting(8)), sums = zeros<int>(4), out(1);
  Device<unsigned> done = zeros<unsigned>(1);
  sum_last_block<<<4, 32>>>(in, sums, done, out);
  return finished();
}

// case: stencil_in_place
// Thinks: every thread writes only its own element. Its neighbours read that element.
// expect: race
__global__ void smooth_in_place(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i >= n - 1) return;
  const float neighbours = a[i - 1] + a[i + 1];  // HERE
  a[i] = neighbours / 2;                         // OTHER
}
CASE(stencil_in_place) {
  Device<float> a(counting<float>(128));
  smooth_in_place<<<2, 64>>>(a, 128);
  return finished();
}

// case: syncthreads_for_the_grid
// Thinks: __syncthreads waits for all threads. It waits only for the threads of its block.
// expect: race
__global__ void sum_block_0(const int* in, int* sums, int* out) {
  const int tid = threadIdx.x;
  if (tid == 0) sums[blockIdx.x] = in[blockIdx.x];  // OTHER
  __syncthreads();
  if (blockIdx.x == 0 && tid == 0) *out = sums[1] + sums[2] + sums[3];  // HERE
}
CASE(syncthreads_for_the_grid) {
  Device<int> in(counting(4)), sums = zeros<int>(4), out(1);
  sum_block_0<<<4, 64>>>(in, sums, out);
  return finished();
}

// case: luck_of_ascending_blocks
// Thinks: block 1 starts when block 0 has finished. With few blocks and luck, that holds.
// expect: race
// answer: right under forward, wrong under reverse
__global__ void chain(int* a) {
  const int b = blockIdx.x;
  const int before = b > 0 ? a[b - 1] : 0;  // HERE
  a[b] = before + 1;                        // OTHER
}
CASE(luck_of_ascending_blocks) {
  Device<int> a = zeros<int>(4);
  chain<<<4, 1>>>(a);
  return finished() && a.host() == counting(4, 1);
}

// case: byte_of_flags
// Thinks: each thread has a bit of its own. It writes the whole byte.
// expect: race
__global__ void set_flags(const int* in, unsigned char* flags) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > 10) flags[i / 8] |= static_cast<unsigned char>(1 << i % 8);  // HERE, OTHER
}
CASE(byte_of_flags) {
  Device<int> in(counting(128));
  Device<unsigned char> flags = zeros<unsigned char>(16);
  set_flags<<<2, 64>>>(in, flags);
  return finished();
}

// case: reverse_in_place
// Thinks: every element is moved once. It is also read once, perhaps after another thread wrote there.
// expect: race
__global__ void reverse_array(int* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = a[i];  // HERE
  a[n - 1 - i] = value;    // OTHER
}
CASE(reverse_in_place) {
  Device<int> a(counting(128));
  reverse_array<<<2, 64>>>(a, 128);
  return finished();
}

// case: ticket_read_plainly
// Thinks: only the increment must be atomic; looking at the counter need not be.
// expect: race
// says: One of the two is atomic, and the other is not.
__global__ void take_tickets(int* tickets, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (*tickets < 40) {               // HERE
    out[i] = atomicAdd(tickets, 1);  // OTHER
  }
}
CASE(ticket_read_plainly) {
  Device<int> tickets = zeros<int>(1), out(128);
  take_tickets<<<2, 64>>>(tickets, out);
  return finished();
}

// case: lock_without_fence
// Thinks: a lock is only an atomic variable. It must also make the data that it protects visible.
// expect: race
__global__ void locked_sum(const int* in, int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {}
  *sum += in[blockIdx.x];  // HERE, OTHER
  atomicExch(lock, 0);
}
CASE(lock_without_fence) {
  Device<int> in(counting(4)), lock = zeros<int>(1), sum = zeros<int>(1);
  locked_sum<<<4, 32>>>(in, lock, sum);
  return finished();
}

// case: int_over_two_shorts
// Thinks: shorts and ints are different arrays. Here they are the same bytes.
// expect: race
__global__ void shorts_and_ints(const int* in, short* halves, int* out) {
  const int i = threadIdx.x;
  if (blockIdx.x == 0) halves[2 * i + 1] = static_cast<short>(in[i]);     // OTHER
  if (blockIdx.x == 1) out[i] = reinterpret_cast<const int*>(halves)[i];  // HERE
}
CASE(int_over_two_shorts) {
  Device<int> in(counting(32)), out(32);
  Device<short> halves = zeros<short>(64);
  shorts_and_ints<<<2, 32>>>(in, halves, out);
  return finished();
}

// case: scatter_with_duplicates
// Thinks: the index array is a permutation. Two of its entries are equal.
// expect: race
__global__ void scatter(const int* in, const int* index, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[index[i]] = in[i];  // HERE, OTHER
}
CASE(scatter_with_duplicates) {
  std::vector<int> index = counting(128);
  index[100] = 5;
  Device<int> in(counting(128)), at(index), out(128);
  scatter<<<2, 64>>>(in, at, out);
  return finished();
}

// case: warp_exchanges_through_global
// Thinks: a warp's lanes see each other's stores at once.
// expect: race
__global__ void rotate(int* scratch, int* a) {
  const int lane = threadIdx.x;
  scratch[lane] = a[lane];             // OTHER
  a[lane] = scratch[(lane + 1) % 32];  // HERE
}
CASE(warp_exchanges_through_global) {
  Device<int> scratch = zeros<int>(32), a(counting(32));
  rotate<<<1, 32>>>(scratch, a);
  return finished();
}

// case: atomic_of_the_block
// Thinks: every atomic is atomic for all threads. This one is atomic only for the threads of one block.
// expect: race
__global__ void sum_of_blocks(const int* in, int* sum) {
  if (threadIdx.x == 0) atomicAdd_block(sum, in[blockIdx.x]);  // HERE, OTHER
}
CASE(atomic_of_the_block) {
  Device<int> in(counting(4)), sum = zeros<int>(1);
  sum_of_blocks<<<4, 32>>>(in, sum);
  return finished();
}

// case: next_kernel_step_in_one
// Thinks: two steps can share one launch. The second step reads elements that other blocks write in the first.
// expect: race
__global__ void two_steps(const int* in, int* middle, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  middle[i] = in[i] * in[i];  // OTHER
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = middle[(i + 64) % n];  // HERE
}
CASE(next_kernel_step_in_one) {
  Device<int> in(counting(128)), middle = zeros<int>(128), out(2);
  two_steps<<<2, 64>>>(in, middle, out, 128);
  return finished();
}

// case: ticket_without_the_reader_s_fence
// Thinks: the last block may read the others' sums, because each block fenced before it took its ticket.
// expect: race
// says: Only the reader's fence is missing
// says: behind the atomic
__global__ void sum_by_ticket(const int* in, int* sums, unsigned* tickets, int* out) {
  __shared__ bool s_last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = in[blockIdx.x] * 2;  // OTHER
    __threadfence();
    s_last = atomicInc(tickets, gridDim.x) == gridDim.x - 1;
  }
  // All threads read the answer.
  __syncthreads();
  if (!s_last || threadIdx.x >= gridDim.x) return;
  atomicAdd(out, sums[threadIdx.x]);  // HERE
}
CASE(ticket_without_the_reader_s_fence) {
  Device<int> in(counting(4)), sums(4), out = zeros<int>(1);
  Device<unsigned> tickets = zeros<unsigned>(1);
  sum_by_ticket<<<4, 32>>>(in, sums, tickets, out);
  return finished();
}

// case: one_line_two_arrays
// Thinks: the line is short, so it is one step.
// expect: race
// says: update a[0]
// expect: race
// says: update b[0]
__global__ void swap_halves(int* a, int* b) {
  int* const array = blockIdx.x % 2 ? a : b;
  array[0] += threadIdx.x;  // HERE, OTHER, HERE2, OTHER2
}
CASE(one_line_two_arrays) {
  Device<int> a = zeros<int>(1), b = zeros<int>(1);
  swap_halves<<<4, 2>>>(a, b);
  return finished();
}

// case: volatile_taken_as_plain
// Thinks: volatile makes the data visible to the other block. It keeps the compiler from leaving the access out.
// checks: races,volatile
// expect: race
// says: takes volatile as plain
__global__ void publish_data(volatile int* data, int* ready, int* out) {
  if (blockIdx.x == 0) {
    *data = 7;  // OTHER
    atomicExch(ready, 1);
  } else {
    while (atomicAdd(ready, 0) == 0) {}
    *out = *data;  // HERE
  }
}
CASE(volatile_taken_as_plain) {
  Device<int> data = zeros<int>(1), ready = zeros<int>(1), out(1);
  publish_data<<<2, 1>>>(data, ready, out);
  return finished();
}
