// The synchronisation of libcu++: cuda::atomic and atomic_ref in every order, scope and width that devices have,
// cuda::barrier (arrive and wait, drop, parity, on the whole card), latch and semaphore.
// Also for compute_80, compute_90
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/chrono>
#include <cuda/std/utility>
#include <new>

#include "expect.h"

// Its constructor in the headers need not run on the device.
#pragma nv_diag_suppress 20054

constexpr int kBlock = 128, kBlocks = 3, kThreads = kBlock * kBlocks, kRounds = 4;
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

// ---- atomics ----

template <cuda::thread_scope kScope>
__device__ void count_in_all_orders(int* cells) {
  const cuda::atomic_ref<int, kScope> relaxed(cells[0]), acquire(cells[1]), release(cells[2]), both(cells[3]),
      sequential(cells[4]);
  relaxed.fetch_add(1, cuda::memory_order_relaxed);
  acquire.fetch_sub(2, cuda::memory_order_acquire);
  release.fetch_or(1 << threadIdx.x % 32, cuda::memory_order_release);
  both.fetch_max(static_cast<int>(threadIdx.x), cuda::memory_order_acq_rel);
  sequential.fetch_add(3);
  int seen = 0;
  while (!cuda::atomic_ref<int, kScope>(cells[5]).compare_exchange_weak(seen, seen + 5, cuda::memory_order_acq_rel)) {}
}

__global__ void atomics(int* cells, double* real, unsigned long long* wide, unsigned char* bytes) {
  count_in_all_orders<cuda::thread_scope_device>(cells);
  count_in_all_orders<cuda::thread_scope_system>(cells + 6);
  cuda::atomic_ref<double, cuda::thread_scope_device>(*real).fetch_add(0.25);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*wide).fetch_add(1ull << 33);
  cuda::atomic_ref<unsigned char, cuda::thread_scope_device>(bytes[threadIdx.x % 4]).fetch_add(1);
  __shared__ cuda::atomic<int, cuda::thread_scope_block> s_count;
  if (threadIdx.x == 0) s_count.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  s_count += 2;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(cells + 12, s_count.load(cuda::memory_order_acquire));
}

// Values go from the first block to the second and back: store-release and load-acquire; wait and notify.
__global__ void ping_pong(cuda::atomic<int, cuda::thread_scope_device>* turn, int* value) {
  for (int round = 0; round < kRounds; ++round) {
    const int mine = 2 * round + static_cast<int>(blockIdx.x);
    for (int now; (now = turn->load(cuda::memory_order_acquire)) != mine;) turn->wait(now, cuda::memory_order_relaxed);
    *value = *value * 3 + static_cast<int>(blockIdx.x);
    turn->store(mine + 1, cuda::memory_order_release);
    turn->notify_all();
  }
}

static void test_atomics() {
  int *cells = nullptr, *value = nullptr;
  double* real = nullptr;
  unsigned long long* wide = nullptr;
  unsigned char* bytes = nullptr;
  cuda::atomic<int, cuda::thread_scope_device>* turn = nullptr;
  CUDA_CHECK(cudaMallocManaged(&cells, 13 * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&value, sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&real, sizeof(double)));
  CUDA_CHECK(cudaMallocManaged(&wide, sizeof *wide));
  CUDA_CHECK(cudaMallocManaged(&bytes, 4));
  CUDA_CHECK(cudaMallocManaged(&turn, sizeof *turn));
  CUDA_CHECK(cudaMemset(cells, 0, 13 * sizeof(int)));
  CUDA_CHECK(cudaMemset(bytes, 0, 4));
  CUDA_CHECK(cudaDeviceSynchronize());
  *real = 0, *wide = 0, *value = 1;
  new (turn) cuda::atomic<int, cuda::thread_scope_device>(0);
  atomics<<<kBlocks, kBlock>>>(cells, real, wide, bytes);
  ping_pong<<<2, 1>>>(turn, value);
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<int> once = {kThreads, -2 * kThreads, -1, kBlock - 1, 3 * kThreads, 5 * kThreads};
  std::vector<int> want = once;
  want.insert(want.end(), once.begin(), once.end());
  want.push_back(2 * kThreads);
  expect_equal("orders and scopes", std::vector<int>(cells, cells + 13), want);
  expect_equal("double", *real, kThreads * 0.25);
  expect_equal("64 bits", *wide, kThreads * (1ull << 33));
  expect_equal("bytes", std::vector<int>(bytes, bytes + 4), std::vector<int>(4, kThreads / 4));
  int want_value = 1;
  for (int round = 0; round < kRounds; ++round) want_value = want_value * 9 + 1;
  expect_equal("ping-pong", *value, want_value);
  for (void* p : {static_cast<void*>(cells), static_cast<void*>(value), static_cast<void*>(real),
                  static_cast<void*>(wide), static_cast<void*>(bytes), static_cast<void*>(turn)})
    CUDA_CHECK(cudaFree(p));
}

// ---- barriers ----

// Each round's values are read by other threads between an arrival with a token and a second barrier.
__global__ void phases(int* out) {
  __shared__ BlockBarrier s_barrier;
  __shared__ int s_values[kBlock];
  const int tid = threadIdx.x;
  if (tid == 0) init(&s_barrier, blockDim.x);
  __syncthreads();
  for (int round = 0; round < kRounds; ++round) {
    s_values[tid] = 1000 * round + tid;
    auto token = s_barrier.arrive();
    s_barrier.wait(cuda::std::move(token));
    out[round * kBlock + tid] = s_values[(tid + 37) % kBlock];
    // All threads have read before the next round writes.
    s_barrier.arrive_and_wait();
  }
}

// After each round half of the threads leave the barrier for good. Before sm_80 a barrier makes two additions to a
// word. If the last thread to arrive also leaves, and is paused between the two additions, the others complete the next
// phase in between and wait for ever. Such a schedule is allowed, and lockstep found it.
__global__ void dropping(int* out) {
#if __CUDA_ARCH__ >= 800
  __shared__ BlockBarrier s_barrier;
  __shared__ int s_left;
  if (threadIdx.x == 0) init(&s_barrier, blockDim.x), s_left = 0;
  __syncthreads();
  for (unsigned round = 0; round < kRounds; ++round) {
    if (threadIdx.x >= blockDim.x >> round) {
      s_barrier.arrive_and_drop();
      return;
    }
    atomicAdd(&s_left, 1);
    s_barrier.arrive_and_wait();
    if (threadIdx.x == 0) out[round] = s_left, s_left = 0;
    s_barrier.arrive_and_wait();
  }
#endif
}

// The first warp only arrives, the others only wait for the parity of each phase.
__global__ void parities(int* out) {
  __shared__ BlockBarrier s_full, s_empty;
  __shared__ int s_value;
  const int tid = threadIdx.x;
  if (tid == 0) init(&s_full, 32), init(&s_empty, kBlock - 32);
  __syncthreads();
  for (int round = 0; round < kRounds; ++round) {
    if (tid < 32) {
      if (tid == 0) s_value = round * round + 1;
      (void)s_full.arrive();
      s_empty.wait_parity(round % 2);
    } else {
      s_full.wait_parity(round % 2);
      out[round * kBlock + tid] = s_value;
      (void)s_empty.arrive();
    }
  }
}

__global__ void card_wide(cuda::barrier<cuda::thread_scope_device>* barrier, int* count, int* out) {
  for (int round = 0; round < kRounds; ++round) {
    atomicAdd(count, 1);
    barrier->arrive_and_wait();
    if (threadIdx.x == 0) out[round * kBlocks + blockIdx.x] = *const_cast<volatile int*>(count);
    barrier->arrive_and_wait();
  }
}

__global__ void make(cuda::barrier<cuda::thread_scope_device>* barrier) { init(barrier, kThreads); }

static void test_barriers() {
  int* out = nullptr;
  const size_t n = kRounds * kBlock;
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(int)));
  phases<<<1, kBlock>>>(out);
  CUDA_CHECK(cudaDeviceSynchronize());
  std::vector<int> want;
  for (int round = 0; round < kRounds; ++round)
    for (int tid = 0; tid < kBlock; ++tid) want.push_back(1000 * round + (tid + 37) % kBlock);
  expect_equal("phases", std::vector<int>(out, out + n), want);

  cudaFuncAttributes attributes{};
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, dropping));
  if (attributes.ptxVersion >= 80) {
    dropping<<<1, kBlock>>>(out);
    CUDA_CHECK(cudaDeviceSynchronize());
    expect_equal("dropping", std::vector<int>(out, out + kRounds), {128, 64, 32, 16});
  }

  CUDA_CHECK(cudaMemset(out, 0, n * sizeof(int)));
  parities<<<1, kBlock>>>(out);
  CUDA_CHECK(cudaDeviceSynchronize());
  want.clear();
  for (int round = 0; round < kRounds; ++round)
    for (int tid = 0; tid < kBlock; ++tid) want.push_back(tid < 32 ? 0 : round * round + 1);
  expect_equal("parities", std::vector<int>(out, out + n), want);

  cuda::barrier<cuda::thread_scope_device>* barrier = nullptr;
  int* count = nullptr;
  CUDA_CHECK(cudaMalloc(&barrier, sizeof *barrier));
  CUDA_CHECK(cudaMalloc(&count, sizeof(int)));
  CUDA_CHECK(cudaMemset(count, 0, sizeof(int)));
  make<<<1, 1>>>(barrier);
  card_wide<<<kBlocks, kBlock>>>(barrier, count, out);
  CUDA_CHECK(cudaDeviceSynchronize());
  want.clear();
  for (int round = 1; round <= kRounds; ++round) want.insert(want.end(), kBlocks, round * kThreads);
  expect_equal("card-wide barrier", std::vector<int>(out, out + want.size()), want);
  CUDA_CHECK(cudaFree(barrier));
  CUDA_CHECK(cudaFree(count));
  CUDA_CHECK(cudaFree(out));
}

// ---- latch, semaphore ----

template <class T>
struct alignas(T) Storage {
  unsigned char bytes[sizeof(T)];
};

__global__ void others(int* ready, int* inside, int* most) {
  using Latch = cuda::latch<cuda::thread_scope_block>;
  using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 4>;
  __shared__ Storage<Latch> s_latch;
  __shared__ Storage<Semaphore> s_semaphore;
  Latch& latch = *reinterpret_cast<Latch*>(&s_latch);
  Semaphore& semaphore = *reinterpret_cast<Semaphore*>(&s_semaphore);
  if (threadIdx.x == 0) {
    new (&latch) Latch(32);
    new (&semaphore) Semaphore(3);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    ready[threadIdx.x] = 1;
    latch.count_down();
  } else {
    latch.wait();
    ready[threadIdx.x] = ready[threadIdx.x % 32] + latch.try_wait();
  }
  // At most three threads are inside at the same time.
  semaphore.acquire();
  atomicMax(most, atomicAdd(inside, 1) + 1);
  atomicAdd(inside, -1);
  semaphore.release();
}

static void test_others() {
  int* out = nullptr;
  CUDA_CHECK(cudaMallocManaged(&out, (kBlock + 2) * sizeof(int)));
  CUDA_CHECK(cudaMemset(out, 0, (kBlock + 2) * sizeof(int)));
  others<<<1, kBlock>>>(out, out + kBlock, out + kBlock + 1);
  CUDA_CHECK(cudaDeviceSynchronize());
  std::vector<int> want(kBlock, 2);
  std::fill_n(want.begin(), 32, 1);
  expect_equal("latch", std::vector<int>(out, out + kBlock), want);
  expect_equal("semaphore: inside at the end", out[kBlock], 0);
  expect_equal("semaphore: never more than three", out[kBlock + 1] >= 1 && out[kBlock + 1] <= 3, true);
  CUDA_CHECK(cudaFree(out));
}

int main() {
  test_atomics();
  test_barriers();
  test_others();
  return verdict("libcu_sync");
}
