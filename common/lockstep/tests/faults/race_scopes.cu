// race_scopes: libcu++'s atomics with an order or a scope that is too weak: race.
#include <cuda/atomic>

#include "case.h"

using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;

// case: relaxed_store
// Thinks: an atomic flag is enough; its memory order does not matter.
// expect: race
__global__ void store_relaxed(const int* in, int* data, int* flag, int* out) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    *data = in[0] * 7;  // OTHER
    ready.store(1, memory_order_relaxed);
  } else {
    while (ready.load(memory_order_acquire) == 0) {}
    *out = *data;  // HERE
  }
}
CASE(relaxed_store) {
  Device<int> in(counting(1, 3)), data = zeros<int>(1), flag = zeros<int>(1), out(1);
  store_relaxed<<<2, 1>>>(in, data, flag, out);
  return finished();
}

// case: relaxed_load
// Thinks: the release makes the data visible to all threads. Only threads that acquire are sure to see it.
// expect: race
__global__ void load_relaxed(const int* in, int* data, int* flag, int* out) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    *data = in[0] * 7;  // OTHER
    ready.store(1, memory_order_release);
  } else {
    while (ready.load(memory_order_relaxed) == 0) {}
    *out = *data;  // HERE
  }
}
CASE(relaxed_load) {
  Device<int> in(counting(1, 3)), data = zeros<int>(1), flag = zeros<int>(1), out(1);
  load_relaxed<<<2, 1>>>(in, data, flag, out);
  return finished();
}

// case: counter_of_block_scope
// Thinks: block scope is faster. The blocks do not see each other's additions as atomic.
// expect: race
// says: use atomicAdd instead of atomicAdd_block, or the scope cuda::thread_scope_device
__global__ void add_in_block_scope(int* count) {
  const cuda::atomic_ref<int, cuda::thread_scope_block> counter(*count);
  if (threadIdx.x == 0) counter.fetch_add(1, memory_order_relaxed);  // HERE, OTHER
}
CASE(counter_of_block_scope) {
  Device<int> count = zeros<int>(1);
  add_in_block_scope<<<4, 32>>>(count);
  return finished();
}

// case: lock_that_orders_nothing
// Thinks: the thread that holds the lock is alone, and that is all a lock must do.
// expect: race
__global__ void locked_relaxed(const int* in, int* word, int* sum) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<int, cuda::thread_scope_device> lock(*word);
  while (lock.exchange(1, memory_order_relaxed) != 0) {}
  *sum += in[blockIdx.x];  // HERE, OTHER
  lock.store(0, memory_order_relaxed);
}
CASE(lock_that_orders_nothing) {
  Device<int> in(counting(4)), word = zeros<int>(1), sum = zeros<int>(1);
  locked_relaxed<<<4, 32>>>(in, word, sum);
  return finished();
}

// case: reset_without_atomic
// Thinks: only the additions compete, so thread 0 may reset the counter by a plain store.
// expect: race
__global__ void count_and_reset(int* count) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> counter(*count);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *count = 0;  // OTHER
  } else {
    counter.fetch_add(1, memory_order_relaxed);  // HERE
  }
}
CASE(reset_without_atomic) {
  Device<int> count = zeros<int>(1);
  count_and_reset<<<2, 1>>>(count);
  return finished();
}
