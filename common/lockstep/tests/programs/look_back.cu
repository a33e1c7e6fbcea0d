// A decoupled look-back scan written from its description (Merrill and Garland 2016), with flags and sums in one
// 64-bit word, and a single-pass stream through a ring buffer: one block produces, another consumes. Both need blocks
// that make progress while others wait.
#include "expect.h"

constexpr int kBlock = 128;
enum Flag : unsigned { kNothing = 0, kAggregate = 1, kPrefix = 2 };

__device__ unsigned long long pack(Flag flag, int value) {
  return static_cast<unsigned long long>(flag) << 32 | static_cast<unsigned>(value);
}

__global__ void scan(const int* in, int n, int* out, volatile unsigned long long* states, unsigned* ticket) {
  __shared__ int s_values[kBlock];
  __shared__ int s_before, s_tile;
  const int tid = threadIdx.x;
  // Tiles are numbered in the order in which blocks begin, so that a predecessor has always begun.
  if (tid == 0) s_tile = atomicAdd(ticket, 1);
  __syncthreads();
  const int tile = s_tile, i = tile * kBlock + tid;
  s_values[tid] = i < n ? in[i] : 0;
  for (int offset = 1; offset < kBlock; offset *= 2) {
    __syncthreads();
    const int left = tid >= offset ? s_values[tid - offset] : 0;
    // All threads have read before any thread writes.
    __syncthreads();
    s_values[tid] += left;
  }
  __syncthreads();
  if (tid == 0) {
    const int aggregate = s_values[kBlock - 1];
    states[tile] = pack(tile == 0 ? kPrefix : kAggregate, aggregate);
    int before = 0;
    for (int other = tile - 1; other >= 0;) {
      const unsigned long long state = states[other];
      if (state >> 32 == kNothing) continue;
      before += static_cast<int>(state);
      if (state >> 32 == kPrefix) break;
      --other;
    }
    states[tile] = pack(kPrefix, before + aggregate);
    s_before = before;
  }
  __syncthreads();
  if (i < n) out[i] = s_before + s_values[tid];
}

constexpr int kRing = 8, kItems = 100;

__global__ void stream(volatile int* ring, volatile int* written, volatile int* read, long long* sum) {
  if (blockIdx.x == 0) {
    for (int item = 0; item < kItems; ++item) {
      while (item - *read >= kRing) __nanosleep(20);
      ring[item % kRing] = item * item;
      // The item must be in the buffer before the counter counts it.
      __threadfence();
      *written = item + 1;
    }
  } else {
    long long total = 0;
    for (int item = 0; item < kItems; ++item) {
      while (*written <= item) __nanosleep(20);
      __threadfence();
      total += ring[item % kRing];
      *read = item + 1;
    }
    *sum = total;
  }
}

// A lock taken by every lane of every warp in turn.
__global__ void locked_increments(int* lock, int* count) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  *const_cast<volatile int*>(count) = *const_cast<volatile int*>(count) + 1;
  __threadfence();
  atomicExch(lock, 0);
}

int main() {
  const int n = 20'000, blocks = (n + kBlock - 1) / kBlock;
  const std::vector<int> host = random_ints(n, -50, 50, 11);
  int *in = nullptr, *out = nullptr;
  unsigned long long* states = nullptr;
  unsigned* ticket = nullptr;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&states, blocks * sizeof *states));
  CUDA_CHECK(cudaMalloc(&ticket, sizeof *ticket));
  CUDA_CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(states, 0, blocks * sizeof *states));
  CUDA_CHECK(cudaMemset(ticket, 0, sizeof *ticket));
  scan<<<blocks, kBlock>>>(in, n, out, states, ticket);
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> got(n), want(n);
  CUDA_CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0, sum = 0; i < n; ++i) want[i] = sum += host[i];
  expect_equal("look-back scan", got, want);

  int* control = nullptr;
  long long* sum = nullptr;
  CUDA_CHECK(cudaMalloc(&control, (kRing + 4) * sizeof(int)));
  CUDA_CHECK(cudaMemset(control, 0, (kRing + 4) * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&sum, sizeof *sum));
  stream<<<2, 1>>>(control + 4, control, control + 1, sum);
  CUDA_CHECK(cudaDeviceSynchronize());
  // 0² + 1² + … + 99² = 99 · 100 · 199 / 6
  expect_equal("ring buffer", *sum, 328350ll);

  locked_increments<<<3, 64>>>(control + 2, control + 3);
  int count = 0;
  CUDA_CHECK(cudaMemcpy(&count, control + 3, sizeof count, cudaMemcpyDeviceToHost));
  expect_equal("lock", count, 192);
  for (void* p : {static_cast<void*>(in), static_cast<void*>(out), static_cast<void*>(states),
                  static_cast<void*>(ticket), static_cast<void*>(control), static_cast<void*>(sum)})
    CUDA_CHECK(cudaFree(p));
  return verdict("look_back");
}
