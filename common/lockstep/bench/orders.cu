// orders: programs that do little else than order their threads by fences, releases and acquires, each in another way.
// bench.py runs every case without checks and with them, in turn. Argument: the case.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/semaphore>

#include "../tests/faults/case.h"

using Atomic = cuda::atomic<unsigned, cuda::thread_scope_device>;
template <class T>
using Ref = cuda::atomic_ref<T, cuda::thread_scope_device>;
using cuda::std::memory_order_acq_rel;
using cuda::std::memory_order_acquire;
using cuda::std::memory_order_relaxed;
using cuda::std::memory_order_release;
using cuda::std::memory_order_seq_cst;

constexpr int kBlocks = 64, kThreads = 128, kAll = kBlocks * kThreads, kRounds = 16;
constexpr int kManyRounds = 512;  // of the long cases, in which the start of the process hardly counts

__device__ int index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The counter of a thread's k-th addition. A step of 0: always the thread's own.
__device__ unsigned& counter(unsigned* counters, unsigned mask, unsigned step, unsigned k) {
  return counters[(step == 0 ? index() : index() * 7 + k * step) & mask];
}

// ---- fences around relaxed atomics ----

__global__ void fenced_counters(unsigned* counters, unsigned mask, unsigned step, unsigned rounds) {
  for (unsigned k = 0; k < rounds; ++k) {
    __threadfence();
    Ref<unsigned>(counter(counters, mask, step, k)).fetch_add(1, memory_order_relaxed);
    __threadfence();
  }
}
static bool count_fenced(unsigned counters, unsigned step = 1, unsigned rounds = kRounds) {
  Device<unsigned> counts = zeros<unsigned>(counters);
  fenced_counters<<<kBlocks, kThreads>>>(counts, counters - 1, step, rounds);
  return finished() && sum_of(counts.host()) == kAll * rounds;
}
CASE(fences_one_counter) { return count_fenced(1); }
CASE(fences_64_counters) { return count_fenced(64); }
CASE(fences_8192_counters) { return count_fenced(kAll); }
CASE(fences_own_counters) { return count_fenced(kAll, 0); }
CASE(long_fences_64_counters) { return count_fenced(64, 1, kManyRounds); }

// A fence of all orders, on both sides: what cuda::atomic_thread_fence(seq_cst) is.
__global__ void fenced_stores(unsigned* words) {
  for (unsigned k = 1; k <= kRounds; ++k) {
    Ref<unsigned>(words[index()]).store(k, memory_order_relaxed);
    cuda::atomic_thread_fence(memory_order_seq_cst, cuda::thread_scope_device);
    const unsigned seen = Ref<unsigned>(words[(index() + 33) % kAll]).load(memory_order_relaxed);
    cuda::atomic_thread_fence(memory_order_seq_cst, cuda::thread_scope_device);
    if (seen > kRounds) words[0] = 0;
  }
}
CASE(fences_seq_cst) {
  Device<unsigned> words = zeros<unsigned>(kAll);
  fenced_stores<<<kBlocks, kThreads>>>(words);
  return finished() && sum_of(words.host()) == kAll * kRounds;
}

// ---- operations that release and acquire ----

template <cuda::std::memory_order kOrder>
__global__ void counters(unsigned* counts, unsigned mask, unsigned step, unsigned rounds) {
  for (unsigned k = 0; k < rounds; ++k) Ref<unsigned>(counter(counts, mask, step, k)).fetch_add(1, kOrder);
}
template <cuda::std::memory_order kOrder>
static bool count(unsigned n, unsigned step = 1, unsigned rounds = kRounds) {
  Device<unsigned> counts = zeros<unsigned>(n);
  counters<kOrder><<<kBlocks, kThreads>>>(counts, n - 1, step, rounds);
  return finished() && sum_of(counts.host()) == kAll * rounds;
}
CASE(acq_rel_one_counter) { return count<memory_order_acq_rel>(1); }
CASE(acq_rel_64_counters) { return count<memory_order_acq_rel>(64); }
CASE(acq_rel_1024_counters) { return count<memory_order_acq_rel>(1024); }
CASE(acq_rel_8192_counters) { return count<memory_order_acq_rel>(kAll); }
CASE(acq_rel_own_counters) { return count<memory_order_acq_rel>(kAll, 0); }
CASE(acq_rel_128_rounds) { return count<memory_order_acq_rel>(1024, 1, 128); }
CASE(long_acq_rel_one_counter) { return count<memory_order_acq_rel>(1, 1, kManyRounds); }
CASE(long_acq_rel_64_counters) { return count<memory_order_acq_rel>(64, 1, kManyRounds); }
CASE(long_acq_rel_1024_counters) { return count<memory_order_acq_rel>(1024, 1, kManyRounds); }
CASE(long_acq_rel_own_counters) { return count<memory_order_acq_rel>(kAll, 0, kManyRounds); }
CASE(long_release_64_counters) { return count<memory_order_release>(64, 1, kManyRounds); }
CASE(seq_cst_8_counters) { return count<memory_order_seq_cst>(8); }
CASE(release_64_counters) { return count<memory_order_release>(64); }
CASE(acquire_64_counters) { return count<memory_order_acquire>(64); }

// Each thread writes its own flag, and reads its own again.
__global__ void own_flags(unsigned* flags, unsigned* data) {
  const int i = index();
  for (unsigned k = 1; k <= kRounds; ++k) {
    data[i] += k;
    Ref<unsigned>(flags[i]).store(k, memory_order_release);
    if (Ref<unsigned>(flags[i]).load(memory_order_acquire) != k) data[i] = 0;
  }
}
CASE(own_flags) {
  Device<unsigned> flags = zeros<unsigned>(kAll), data = zeros<unsigned>(kAll);
  own_flags<<<kBlocks, kThreads>>>(flags, data);
  return finished() && sum_of(data.host()) == kAll * kRounds * (kRounds + 1) / 2;
}

// Each thread waits for the flag of the thread before it, and reads what that has written.
__global__ void chain_of_threads(unsigned* flags, unsigned* data) {
  const int i = index();
  for (unsigned k = 1; k <= kRounds; ++k) {
    if (i > 0)
      while (Ref<unsigned>(flags[i - 1]).load(memory_order_acquire) < k) {}
    data[i] = (i > 0 ? data[i - 1] : 0) + 1;
    Ref<unsigned>(flags[i]).store(k, memory_order_release);
    if (i + 1 < kAll / 16)
      while (k < kRounds && Ref<unsigned>(flags[i + 1]).load(memory_order_acquire) < k) {}
  }
}
CASE(flags_of_neighbours) {
  Device<unsigned> flags = zeros<unsigned>(kAll), data = zeros<unsigned>(kAll);
  chain_of_threads<<<kBlocks / 16, kThreads>>>(flags, data);
  return finished() && data.host()[kAll / 16 - 1] == kAll / 16;
}

// Between its additions, each thread reads what others have written or are reading: their order decides.
__global__ void look_between(unsigned* counts, unsigned* table, unsigned* out, unsigned words, unsigned rounds) {
  const int i = index();
  table[i] = i;
  cooperative_groups::this_grid().sync();
  unsigned sum = 0;
  for (unsigned k = 0; k < rounds; ++k) {
    Ref<unsigned>(counter(counts, 1023, 1, k)).fetch_add(1, memory_order_acq_rel);
    sum += table[(i * 31 + k * 77) % words];
  }
  out[i] = sum;
}
static bool look_and_count(unsigned words, unsigned rounds) {
  Device<unsigned> counts = zeros<unsigned>(1024), table = zeros<unsigned>(kAll), out = zeros<unsigned>(kAll);
  unsigned *a = counts, *b = table, *c = out;
  void* arguments[] = {&a, &b, &c, &words, &rounds};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(look_between), kBlocks, kThreads, arguments);
  return finished() && sum_of(counts.host()) == kAll * rounds;
}
CASE(reads_between_acq_rel) { return look_and_count(kAll, kRounds); }
CASE(long_reads_between) { return look_and_count(kAll, kManyRounds / 4); }
CASE(long_reads_of_64_words) { return look_and_count(64, kManyRounds / 4); }

// Each thread counts in a word of its own between its additions: nobody else ever asks about it.
__global__ void own_data(unsigned* counts, unsigned* data, unsigned rounds) {
  for (unsigned k = 0; k < rounds; ++k) {
    data[index()] += k;
    Ref<unsigned>(counter(counts, 1023, 1, k)).fetch_add(1, memory_order_acq_rel);
  }
}
CASE(long_own_data) {
  Device<unsigned> counts = zeros<unsigned>(1024), data = zeros<unsigned>(kAll);
  own_data<<<kBlocks, kThreads>>>(counts, data, kManyRounds);
  return finished() && sum_of(counts.host()) == kAll * kManyRounds;
}

// ---- what programs build of them ----

// A lock by compare-and-swap for each of many buckets.
__global__ void locked_buckets(unsigned* locks, unsigned* sums, unsigned buckets) {
  for (unsigned k = 0; k < kRounds / 4; ++k) {
    const unsigned b = (index() * 2654435761u + k * 40503u) >> 8 & (buckets - 1);
    unsigned free = 0;
    while (!Ref<unsigned>(locks[b]).compare_exchange_weak(free, 1, memory_order_acquire)) free = 0;
    sums[b] += 1;
    Ref<unsigned>(locks[b]).store(0, memory_order_release);
  }
}
CASE(locks_by_cas) {
  constexpr unsigned kBuckets = 256;
  Device<unsigned> locks = zeros<unsigned>(kBuckets), sums = zeros<unsigned>(kBuckets);
  locked_buckets<<<kBlocks, kThreads>>>(locks, sums, kBuckets);
  return finished() && sum_of(sums.host()) == kAll * kRounds / 4;
}

__global__ void classic_locks(int* locks, unsigned* sums, unsigned buckets) {
  for (unsigned k = 0; k < kRounds / 4; ++k) {
    const unsigned b = (index() * 2654435761u + k * 40503u) >> 8 & (buckets - 1);
    for (bool done = false; !done;)
      if (atomicCAS(&locks[b], 0, 1) == 0) {
        __threadfence();
        sums[b] += 1;
        __threadfence();
        atomicExch(&locks[b], 0);
        done = true;
      }
  }
}
CASE(locks_by_fences) {
  constexpr unsigned kBuckets = 256;
  Device<int> locks = zeros<int>(kBuckets);
  Device<unsigned> sums = zeros<unsigned>(kBuckets);
  classic_locks<<<kBlocks, kThreads>>>(locks, sums, kBuckets);
  return finished() && sum_of(sums.host()) == kAll * kRounds / 4;
}

// A ticket lock: one thread of each warp takes its turns. So the others do not wait in it.
__global__ void tickets(unsigned* next, unsigned* serving, unsigned* sum, unsigned rounds) {
  if (threadIdx.x % 32) return;
  for (unsigned k = 0; k < rounds; ++k) {
    const unsigned mine = Ref<unsigned>(*next).fetch_add(1, memory_order_relaxed);
    while (Ref<unsigned>(*serving).load(memory_order_acquire) != mine) {}
    *sum += 1;
    Ref<unsigned>(*serving).store(mine + 1, memory_order_release);
  }
}
CASE(long_ticket_lock) {
  constexpr int kFew = 8;  // blocks
  Device<unsigned> next = zeros<unsigned>(1), serving = zeros<unsigned>(1), sum = zeros<unsigned>(1);
  tickets<<<kFew, kThreads>>>(next, serving, sum, kManyRounds);
  return finished() && sum.host()[0] == kFew * kThreads / 32 * kManyRounds;
}

__global__ void barrier_rounds(int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier s_barrier;
  __shared__ int s_values[kThreads];
  const int tid = threadIdx.x;
  if (tid == 0) init(&s_barrier, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < kRounds; ++k) {
    s_values[tid] = k + tid;
    s_barrier.arrive_and_wait();
    sum += s_values[(tid + 31) % kThreads];
    s_barrier.arrive_and_wait();
  }
  out[index()] = sum;
}
CASE(cuda_barrier) {
  Device<int> out = zeros<int>(kAll);
  barrier_rounds<<<kBlocks, kThreads>>>(out);
  return finished() && out.host()[31] == kRounds * (kRounds - 1) / 2 + kRounds * 62;
}

using Semaphore = cuda::counting_semaphore<cuda::thread_scope_device, 4>;
__global__ void make(Semaphore* semaphore) { new (semaphore) Semaphore(4); }
__global__ void use(Semaphore* semaphore, unsigned* count) {
  semaphore->acquire();
  atomicAdd(count, 1);
  semaphore->release();
}
CASE(semaphore) {
  Device<Semaphore> semaphore(1);
  Device<unsigned> count = zeros<unsigned>(1);
  make<<<1, 1>>>(semaphore);
  use<<<kBlocks / 8, kThreads>>>(semaphore, count);
  return finished() && count.host()[0] == kAll / 8;
}

// A scan by look-back: each block publishes its sum, and reads those of the blocks before it.
__global__ void look_back(const unsigned* in, unsigned* states, unsigned* out) {
  __shared__ unsigned s_before;
  const int i = index();
  const unsigned sum = __syncthreads_count(in[i] != 0);
  if (threadIdx.x == 0) {
    unsigned before = 1;  // a state is the sum up to and with its block, plus one; 0: not yet known
    if (blockIdx.x > 0) do
        before = Ref<unsigned>(states[blockIdx.x - 1]).load(memory_order_acquire);
      while (before == 0);
    Ref<unsigned>(states[blockIdx.x]).store(before + sum, memory_order_release);
    s_before = before - 1;
  }
  __syncthreads();
  out[i] = s_before;
}
CASE(look_back) {
  constexpr int kMany = 1024;
  Device<unsigned> in(std::vector<unsigned>(kMany * kThreads, 1)), states = zeros<unsigned>(kMany),
                                                                   out = zeros<unsigned>(kMany * kThreads);
  look_back<<<kMany, kThreads>>>(in, states, out);
  return finished() && out.host().back() == (kMany - 1) * kThreads;
}

__global__ void grid_rounds(unsigned* data) {
  const int i = index();
  for (int k = 0; k < kRounds; ++k) {
    const unsigned next = data[(i + kThreads) % kAll] + 1;
    cooperative_groups::this_grid().sync();
    data[i] = next;
    cooperative_groups::this_grid().sync();
  }
}
CASE(grid_sync) {
  Device<unsigned> data = zeros<unsigned>(kAll);
  unsigned* pointer = data;
  void* arguments[] = {&pointer};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_rounds), kBlocks, kThreads, arguments);
  return finished() && sum_of(data.host()) == kAll * kRounds;
}
