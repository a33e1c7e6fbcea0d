// right_global: threads of different blocks share memory and are ordered, although it does not look like that. lockstep
// must report no finding.
#include "case.h"

// case: flag_and_fences
// Looks like: one block reads what another writes. Fences on both sides of the flag order them.
// expect: nothing
__global__ void publish(const int* in, int* data, int* ready, int* out) {
  if (blockIdx.x == 0) {
    *data = in[0] * 7;
    __threadfence();
    atomicExch(ready, 1);
  } else {
    while (atomicAdd(ready, 0) == 0) {}
    __threadfence();
    *out = *data;
  }
}
CASE(flag_and_fences) {
  Device<int> in(counting(1, 3)), data = zeros<int>(1), ready = zeros<int>(1), out(1);
  publish<<<2, 1>>>(in, data, ready, out);
  return finished() && out.host()[0] == 21;
}

// case: volatile_flag_and_fences
// Looks like: a volatile flag between blocks. The fences order the accesses; volatile does not.
// expect: nothing
__global__ void publish_volatile(const int* in, int* data, volatile int* ready, int* out) {
  if (blockIdx.x == 0) {
    *data = in[0] * 7;
    __threadfence();
    *ready = 1;
  } else {
    while (*ready == 0) {}
    __threadfence();
    *out = *data;
  }
}
CASE(volatile_flag_and_fences) {
  Device<int> in(counting(1, 3)), data = zeros<int>(1), ready = zeros<int>(1), out(1);
  publish_volatile<<<2, 1>>>(in, data, ready, out);
  return finished() && out.host()[0] == 21;
}

// case: one_thread_speaks_for_all
// Looks like: threads without a fence of their own. The block's barriers carry thread 0's fence to all.
// expect: nothing
__global__ void publish_block(const int* in, int* data, int* ready, int* out) {
  const int tid = threadIdx.x;
  if (blockIdx.x == 0) {
    data[tid] = in[tid] + 1;
    // All threads have written before thread 0 sets the flag.
    __syncthreads();
    if (tid == 0) {
      __threadfence();
      atomicExch(ready, 1);
    }
  } else {
    if (tid == 0) {
      while (atomicAdd(ready, 0) == 0) {}
      __threadfence();
    }
    // No thread reads before thread 0 has seen the flag.
    __syncthreads();
    out[tid] = data[63 - tid];
  }
}
CASE(one_thread_speaks_for_all) {
  Device<int> in(counting(64)), data = zeros<int>(64), ready = zeros<int>(1), out(64);
  publish_block<<<2, 64>>>(in, data, ready, out);
  return finished() && out.host()[0] == 64;
}

// case: last_block_finishes
// Looks like: a block reads the others' sums without waiting. It is the last one; the sums are volatile, and a fence
// stands before the counter, as in CUDA's guide.
// expect: nothing
__global__ void sum_in_one_launch(const int* in, volatile int* sums, unsigned* done, int* out) {
  __shared__ bool s_last;
  const int tid = threadIdx.x;
  const int sum = __syncthreads_count(in[64 * blockIdx.x + tid] % 2);
  if (tid == 0) {
    sums[blockIdx.x] = sum;
    __threadfence();
    s_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  }
  // All threads must know whether the block is the last.
  __syncthreads();
  if (s_last && tid == 0) {
    int total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += sums[b];
    *out = total;
  }
}
CASE(last_block_finishes) {
  Device<int> in(counting(256)), sums(4), out(1);
  Device<unsigned> done = zeros<unsigned>(1);
  sum_in_one_launch<<<4, 64>>>(in, sums, done, out);
  return finished() && out.host()[0] == 128 && done.host()[0] == 0;
}

// case: look_back
// Looks like: blocks that read their predecessors' state while it changes. State and value travel in one atomic word.
// expect: nothing
__global__ void scan_blocks(const int* in, unsigned long long* states, int* out) {
  constexpr unsigned long long kAggregate = 1ull << 32, kPrefix = 2ull << 32;
  if (threadIdx.x != 0) return;
  const int b = blockIdx.x;
  const unsigned value = in[b];
  atomicExch(&states[b], (b == 0 ? kPrefix : kAggregate) | value);
  unsigned before = 0;
  for (int p = b - 1; p >= 0;) {
    const unsigned long long state = atomicAdd(&states[p], 0ull);
    if (state == 0) continue;
    before += static_cast<unsigned>(state);
    if (state >= kPrefix) break;
    --p;
  }
  if (b > 0) atomicExch(&states[b], kPrefix | (before + value));
  out[b] = before + value;
}
CASE(look_back) {
  Device<int> in(std::vector<int>(16, 1)), out(16);
  Device<unsigned long long> states = zeros<unsigned long long>(16);
  scan_blocks<<<16, 32>>>(in, states, out);
  return finished() && out.host() == counting(16, 1);
}

// case: look_back_with_flags
// Looks like: values that are read plainly while other blocks run. A volatile flag and fences go before.
// expect: nothing
__global__ void scan_with_flags(const int* in, int* prefixes, volatile int* flags, int* out) {
  if (threadIdx.x != 0) return;
  const int b = blockIdx.x;
  int before = 0;
  if (b > 0) {
    while (flags[b - 1] == 0) {}
    __threadfence();
    before = prefixes[b - 1];
  }
  prefixes[b] = before + in[b];
  __threadfence();
  flags[b] = 1;
  out[b] = before + in[b];
}
CASE(look_back_with_flags) {
  Device<int> in(std::vector<int>(8, 2)), prefixes(8), flags = zeros<int>(8), out(8);
  scan_with_flags<<<8, 32>>>(in, prefixes, flags, out);
  return finished() && out.host()[7] == 16;
}

// case: lock_across_blocks
// Looks like: blocks that add to one sum without an atomic. A lock with fences lets one in at a time.
// expect: nothing
__global__ void locked_sum(const int* in, int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {}
  // From here on this block sees the data that the last owner wrote.
  __threadfence();
  *sum += in[blockIdx.x];
  // ... and this block's data is visible before the lock is free.
  __threadfence();
  atomicExch(lock, 0);
}
CASE(lock_across_blocks) {
  Device<int> in(counting(8)), lock = zeros<int>(1), sum = zeros<int>(1);
  locked_sum<<<8, 32>>>(in, lock, sum);
  return finished() && sum.host()[0] == 28;
}

// case: ticket_lock
// Looks like: a plain sum again. Tickets say whose turn it is.
// expect: nothing
__global__ void sum_by_ticket(const int* in, int* next, int* serving, int* sum) {
  if (threadIdx.x != 0) return;
  const int ticket = atomicAdd(next, 1);
  while (atomicAdd(serving, 0) != ticket) {}
  __threadfence();
  *sum += in[blockIdx.x];
  __threadfence();
  atomicAdd(serving, 1);
}
CASE(ticket_lock) {
  Device<int> in(counting(8)), next = zeros<int>(1), serving = zeros<int>(1), sum = zeros<int>(1);
  sum_by_ticket<<<8, 32>>>(in, next, serving, sum);
  return finished() && sum.host()[0] == 28;
}

// case: home_made_grid_barrier
// Looks like: reads of other blocks' values in one launch. All blocks fit on the card, and a counter joins them.
// expect: nothing
__global__ void two_steps(const int* in, int* middle, int* arrived, int* out) {
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid, n = gridDim.x * blockDim.x;
  middle[i] = in[i] * 2;
  // The block is complete before thread 0 reports it.
  __syncthreads();
  if (tid == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) {}
    __threadfence();
  }
  // All blocks have arrived.
  __syncthreads();
  out[i] = middle[n - 1 - i];
}
CASE(home_made_grid_barrier) {
  Device<int> in(counting(128)), middle(128), arrived = zeros<int>(1), out(128);
  two_steps<<<4, 32>>>(in, middle, arrived, out);
  return finished() && out.host()[0] == 254;
}

// case: neighbouring_bytes
// Looks like: threads of two blocks write one word. Bytes are places of their own.
// expect: nothing
__global__ void alternate_bytes(unsigned char* bytes) {
  bytes[2 * threadIdx.x + blockIdx.x] = static_cast<unsigned char>(blockIdx.x + 1);
}
CASE(neighbouring_bytes) {
  Device<unsigned char> bytes(64);
  alternate_bytes<<<2, 32>>>(bytes);
  const std::vector<unsigned char> got = bytes.host();
  return finished() && got[0] == 1 && got[1] == 2 && got[63] == 2;
}

// case: everyone_adds
// Looks like: one address, many threads. All of them are atomic, and the host reads at the end.
// expect: nothing
__global__ void add_everything(const int* in, int* sum, int* largest, unsigned* bits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sum, in[i]);
  atomicMax(largest, in[i]);
  atomicOr(bits, 1u << in[i] % 32);
}
CASE(everyone_adds) {
  Device<int> in(counting(128)), sum = zeros<int>(1), largest = zeros<int>(1);
  Device<unsigned> bits = zeros<unsigned>(1);
  add_everything<<<2, 64>>>(in, sum, largest, bits);
  return finished() && sum.host()[0] == 127 * 64 && largest.host()[0] == 127 && bits.host()[0] == 0xffffffffu;
}

// case: stop_flag
// Looks like: a flag that some read while another sets it. Reads are volatile, the store is atomic.
// expect: nothing
__global__ void search(const int* in, int n, int* found) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (blockIdx.x > 0 && *static_cast<volatile int*>(found) != 0) return;
    if (blockIdx.x == 0 && in[i] == 77) atomicExch(found, 1);
  }
}
CASE(stop_flag) {
  Device<int> in(counting(512)), found = zeros<int>(1);
  search<<<4, 32>>>(in, 512, found);
  return finished();
}

// case: work_queue
// Looks like: two blocks might take one piece of work. The counter gives each number once.
// expect: nothing
__global__ void take_work(int* next, int n, int* done_by) {
  __shared__ int s_piece;
  while (true) {
    // All threads have read the number of the last piece.
    __syncthreads();
    if (threadIdx.x == 0) s_piece = atomicAdd(next, 1);
    // Thread 0 has stored the number of the next piece.
    __syncthreads();
    if (s_piece >= n) return;
    if (threadIdx.x == 0) done_by[s_piece] = 1;
  }
}
CASE(work_queue) {
  Device<int> next = zeros<int>(1), done_by(20);
  take_work<<<3, 64>>>(next, 20, done_by);
  return finished() && done_by.host() == std::vector<int>(20, 1);
}

// case: scatter_by_permutation
// Looks like: stores to places that the data chooses. They are all different.
// expect: nothing
__global__ void scatter(const int* in, const int* index, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[index[i]] = in[i];
}
CASE(scatter_by_permutation) {
  std::vector<int> index(128);
  for (int i = 0; i < 128; ++i) index[i] = (i * 37) % 128;
  Device<int> in(counting(128)), at(index), out(128);
  scatter<<<2, 64>>>(in, at, out);
  return finished() && out.host()[37] == 1;
}

// case: one_launch_after_another
// Looks like: neighbours of other blocks, read. They were written by the launch before.
// expect: nothing
__global__ void jacobi(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5f * (in[max(i - 1, 0)] + in[min(i + 1, n - 1)]);
}
CASE(one_launch_after_another) {
  Device<float> a(std::vector<float>(128, 1.0f)), b(128);
  for (int k = 0; k < 3; ++k) {
    jacobi<<<2, 64>>>(a, b, 128);
    jacobi<<<2, 64>>>(b, a, 128);
  }
  return finished() && a.host() == std::vector<float>(128, 1.0f);
}

// case: compare_and_swap_loop
// Looks like: reading, computing, writing back. The swap happens only if no other thread was faster.
// expect: nothing
__global__ void multiply_all(unsigned* product, unsigned factor) {
  unsigned old = atomicAdd(product, 0u), assumed;
  do {
    assumed = old;
    old = atomicCAS(product, assumed, assumed * factor);
  } while (old != assumed);
}
CASE(compare_and_swap_loop) {
  Device<unsigned> product(std::vector<unsigned>{1});
  multiply_all<<<2, 32>>>(product, 3);
  unsigned want = 1;
  for (int k = 0; k < 64; ++k) want *= 3;
  return finished() && product.host()[0] == want;
}

// case: atomic_of_its_own_block
// Looks like: an atomic of too small a scope. Only one block uses each counter.
// expect: nothing
__global__ void count_in_block(int* counts) { atomicAdd_block(&counts[blockIdx.x], 1); }
CASE(atomic_of_its_own_block) {
  Device<int> counts = zeros<int>(4);
  count_in_block<<<4, 64>>>(counts);
  return finished() && counts.host() == std::vector<int>(4, 64);
}

// case: global_scratch_of_a_block
// Looks like: global memory handed from thread to thread. They are of one block, and its barrier orders that, too.
// expect: nothing
__global__ void reverse_through_global(int* scratch, int* a) {
  const int tid = threadIdx.x, first = blockIdx.x * blockDim.x, last = first + blockDim.x - 1;
  scratch[first + tid] = a[first + tid];
  // Other threads read the value that this thread stored.
  __syncthreads();
  a[first + tid] = scratch[last - tid];
}
CASE(global_scratch_of_a_block) {
  Device<int> scratch(128), a(counting(128));
  reverse_through_global<<<2, 64>>>(scratch, a);
  return finished() && a.host()[0] == 63;
}

// case: two_streams_and_an_event
// Looks like: two streams on one array. An event makes the second wait.
// expect: nothing
__global__ void add_ten(int* a) { a[threadIdx.x] += 10; }
CASE(two_streams_and_an_event) {
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEvent_t done;
  cudaEventCreate(&done);
  Device<int> a(counting(64));
  add_ten<<<1, 64, 0, first>>>(a);
  cudaEventRecord(done, first);
  cudaStreamWaitEvent(second, done, 0);
  add_ten<<<1, 64, 0, second>>>(a);
  const bool right = finished() && a.host() == counting(64, 20);
  cudaEventDestroy(done);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  return right;
}
