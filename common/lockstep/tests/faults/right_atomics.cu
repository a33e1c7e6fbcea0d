// right_atomics: libcu++'s atomics, barriers, semaphores and latches, used as they are meant. Nothing is to be found.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

#include "case.h"

// A barrier in shared memory is made by init(), not by its constructor.
#pragma nv_diag_suppress static_var_with_dynamic_init

// case: release_and_acquire
// Looks like: one block reads what another writes, without a fence. The flag's store releases, its load acquires.
// expect: nothing
__global__ void publish(const int* in, int* data, int* flag, int* out) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    *data = in[0] * 7;
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {}
    *out = *data;
  }
}
CASE(release_and_acquire) {
  Device<int> in(counting(1, 3)), data(1), flag = zeros<int>(1), out(1);
  publish<<<2, 1>>>(in, data, flag, out);
  return finished() && out.host()[0] == 21;
}

// case: last_block_by_acq_rel
// Looks like: sums read without a fence. The counter's fetch_add releases and acquires.
// expect: nothing
__global__ void sum_in_one_launch(const int* in, int* sums, int* done, int* out) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> counter(*done);
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = in[blockIdx.x] + 1;
  if (counter.fetch_add(1, cuda::memory_order_acq_rel) != gridDim.x - 1) return;
  int total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += sums[b];
  *out = total;
}
CASE(last_block_by_acq_rel) {
  Device<int> in(counting(8)), sums(8), done = zeros<int>(1), out(1);
  sum_in_one_launch<<<8, 32>>>(in, sums, done, out);
  return finished() && out.host()[0] == 36;
}

// case: relaxed_counter
// Looks like: a counter that is read while others add. All of that is atomic, and no data hangs on it.
// expect: nothing
__global__ void count_and_look(int* count, int* out) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> counter(*count);
  counter.fetch_add(1, cuda::memory_order_relaxed);
  out[blockIdx.x * blockDim.x + threadIdx.x] = counter.load(cuda::memory_order_relaxed) > 0;
}
CASE(relaxed_counter) {
  Device<int> count = zeros<int>(1), out(128);
  count_and_look<<<2, 64>>>(count, out);
  return finished() && count.host()[0] == 128 && out.host() == std::vector<int>(128, 1);
}

// case: block_scope_in_its_block
// Looks like: a scope that is too small. Both warps are in one block.
// expect: nothing
__global__ void hand_over(const int* in, int* out) {
  __shared__ int s_data[32];
  __shared__ int s_ready;
  const int tid = threadIdx.x, lane = tid % 32;
  if (tid == 0) s_ready = 0;
  // The flag is down before anyone looks.
  __syncthreads();
  const cuda::atomic_ref<int, cuda::thread_scope_block> ready(s_ready);
  if (tid < 32) {
    s_data[lane] = in[lane];
    ready.fetch_add(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) < 32) {}
    out[lane] = s_data[31 - lane];
  }
}
CASE(block_scope_in_its_block) {
  Device<int> in(counting(32)), out(32);
  hand_over<<<1, 64>>>(in, out);
  return finished() && out.host()[0] == 31;
}

// case: lock_by_exchange
// Looks like: a plain sum. The lock's exchange acquires, its store releases.
// expect: nothing
__global__ void locked_sum(const int* in, int* word, int* sum) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<int, cuda::thread_scope_device> lock(*word);
  while (lock.exchange(1, cuda::memory_order_acquire) != 0) {}
  *sum += in[blockIdx.x];
  lock.store(0, cuda::memory_order_release);
}
CASE(lock_by_exchange) {
  Device<int> in(counting(8)), word = zeros<int>(1), sum = zeros<int>(1);
  locked_sum<<<8, 32>>>(in, word, sum);
  return finished() && sum.host()[0] == 28;
}

// case: fences_of_the_library
// Looks like: relaxed flags with data behind them. atomic_thread_fence orders it.
// expect: nothing
__global__ void publish_by_fence(const int* in, int* data, int* flag, int* out) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    *data = in[0] * 7;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {}
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    *out = *data;
  }
}
CASE(fences_of_the_library) {
  Device<int> in(counting(1, 3)), data(1), flag = zeros<int>(1), out(1);
  publish_by_fence<<<2, 1>>>(in, data, flag, out);
  return finished() && out.host()[0] == 21;
}

// case: block_barrier_object
// Looks like: no __syncthreads between store and load. A cuda::barrier waits instead.
// expect: nothing
__global__ void reverse_by_barrier(int* a) {
  __shared__ cuda::barrier<cuda::thread_scope_block> s_barrier;
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  if (tid == 0) init(&s_barrier, blockDim.x);
  // The barrier exists before anyone arrives.
  __syncthreads();
  s_a[tid] = a[tid];
  // Others take what this thread stored.
  s_barrier.arrive_and_wait();
  a[tid] = s_a[63 - tid];
}
CASE(block_barrier_object) {
  Device<int> a(counting(64));
  reverse_by_barrier<<<1, 64>>>(a);
  return finished() && a.host()[0] == 63;
}

// case: arrive_now_wait_later
// Looks like: work between arriving and waiting. It touches nothing that is shared.
// expect: nothing
__global__ void split_phase(int* a) {
  __shared__ cuda::barrier<cuda::thread_scope_block> s_barrier;
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  if (tid == 0) init(&s_barrier, blockDim.x);
  // The barrier exists before anyone arrives.
  __syncthreads();
  s_a[tid] = a[tid];
  auto token = s_barrier.arrive();
  const int own = a[tid] * 100;
  s_barrier.wait(std::move(token));
  a[tid] = own + s_a[63 - tid];
}
CASE(arrive_now_wait_later) {
  Device<int> a(counting(64));
  split_phase<<<1, 64>>>(a);
  return finished() && a.host()[1] == 162;
}

// case: semaphore_of_the_device
// Looks like: a plain sum by many blocks. The semaphore lets one in.
// expect: nothing
__device__ cuda::binary_semaphore<cuda::thread_scope_device> d_semaphore(1);
__global__ void sum_by_semaphore(const int* in, int* sum) {
  if (threadIdx.x != 0) return;
  d_semaphore.acquire();
  *sum += in[blockIdx.x];
  d_semaphore.release();
}
CASE(semaphore_of_the_device) {
  Device<int> in(counting(4)), sum = zeros<int>(1);
  sum_by_semaphore<<<4, 32>>>(in, sum);
  return finished() && sum.host()[0] == 6;
}

// case: latch_of_a_block
// Looks like: reads without a barrier. The latch opens when all threads have counted down.
// expect: nothing
__global__ void rotate_by_latch(int* a) {
  using Latch = cuda::latch<cuda::thread_scope_block>;
  __shared__ alignas(Latch) unsigned char s_storage[sizeof(Latch)];
  __shared__ int s_a[64];
  Latch& latch = *reinterpret_cast<Latch*>(s_storage);
  const int tid = threadIdx.x;
  if (tid == 0) new (&latch) Latch(64);
  // The latch exists.
  __syncthreads();
  s_a[tid] = a[tid];
  // All have stored.
  latch.arrive_and_wait();
  a[tid] = s_a[(tid + 1) % 64];
}
CASE(latch_of_a_block) {
  Device<int> a(counting(64));
  rotate_by_latch<<<1, 64>>>(a);
  return finished() && a.host()[63] == 0;
}
