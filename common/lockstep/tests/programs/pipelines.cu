// Asynchronous copies as programs use them: cooperative groups' memcpy_async, cuda::memcpy_async with a barrier,
// cuda::pipeline of a thread and of a block, with one stage and with several, producers and consumers; and on sm_90
// bulk copies. For sm_75 the headers use ordinary copies, for sm_80 cp.async.
// Also for compute_80, compute_90
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda/std/utility>

#include "expect.h"

// Its constructor in the headers need not run on the device.
#pragma nv_diag_suppress 20054

namespace cg = cooperative_groups;

constexpr int kBlock = 128, kTiles = 5;
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

// Every kernel turns each tile of the input around: out[t][i] = in[t][last - i].

__global__ void group_copy(const int* in, int n, int* out) {
  __shared__ alignas(16) int s_tile[kBlock];
  const auto block = cg::this_thread_block();
  for (int first = 0; first < n; first += kBlock) {
    const int count = min(kBlock, n - first);
    cg::memcpy_async(block, s_tile, in + first, sizeof(int) * count);
    cg::wait(block);
    const int i = threadIdx.x;
    if (i < count) out[first + i] = s_tile[count - 1 - i];
    // All threads have read before the next tile comes.
    block.sync();
  }
}

__global__ void group_copy_ahead(const int* in, int n, int* out) {
  __shared__ alignas(16) int s_tile[2][kBlock];
  const auto block = cg::this_thread_block();
  const auto bytes = cuda::aligned_size_t<16>(sizeof(int) * kBlock);
  const int tiles = n / kBlock;
  cg::memcpy_async(block, s_tile[0], in, bytes);
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      cg::memcpy_async(block, s_tile[(t + 1) % 2], in + (t + 1) * kBlock, bytes);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    out[t * kBlock + threadIdx.x] = s_tile[t % 2][kBlock - 1 - threadIdx.x];
    // All threads have read before this stage is filled again.
    block.sync();
  }
}

__global__ void copy_with_barrier(const int* in, int n, int* out) {
  __shared__ alignas(16) int s_tile[kBlock];
  __shared__ BlockBarrier s_arrived;
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&s_arrived, block.size());
  block.sync();
  for (int first = 0; first < n; first += kBlock) {
    const int count = min(kBlock, n - first);
    cuda::memcpy_async(block, s_tile, in + first, sizeof(int) * count, s_arrived);
    s_arrived.arrive_and_wait();
    const int i = threadIdx.x;
    if (i < count) out[first + i] = s_tile[count - 1 - i];
    block.sync();
  }
}

// Each thread waits only for its own copy; it gets neighbours' values by shuffles.
__global__ void thread_pipeline(const int* in, int n, int* out) {
  __shared__ int s_tile[2][kBlock];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const int tiles = n / kBlock, i = threadIdx.x;
  for (int t = 0, fetched = 0; t < tiles; ++t) {
    for (; fetched < tiles && fetched < t + 2; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s_tile[fetched % 2][i], in + fetched * kBlock + kBlock - 1 - i, sizeof(int), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[t * kBlock + i] = s_tile[t % 2][i];
    pipe.consumer_release();
  }
}

template <int kStages>
__global__ void block_pipeline(const int* in, int n, int* out) {
  __shared__ alignas(16) int s_tile[kStages][kBlock];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> s_state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &s_state);
  const auto bytes = cuda::aligned_size_t<16>(sizeof(int) * kBlock);
  const int tiles = n / kBlock;
  for (int t = 0, fetched = 0; t < tiles; ++t) {
    for (; fetched < tiles && fetched < t + kStages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s_tile[fetched % kStages], in + fetched * kBlock, bytes, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[t * kBlock + threadIdx.x] = s_tile[t % kStages][kBlock - 1 - threadIdx.x];
    pipe.consumer_release();
  }
}

// One warp produces; the others consume one step later.
__global__ void roles(const int* in, int n, int* out) {
  constexpr int kStages = 2;
  __shared__ int s_tile[kStages][kBlock];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> s_state;
  const auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  auto pipe =
      cuda::make_pipeline(block, &s_state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int t = 0; t < n / kBlock; ++t) {
    if (produces) {
      pipe.producer_acquire();
      for (int i = threadIdx.x; i < kBlock; i += 32)
        cuda::memcpy_async(&s_tile[t % kStages][i], in + t * kBlock + i, sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      for (int i = threadIdx.x - 32; i < kBlock; i += blockDim.x - 32)
        out[t * kBlock + i] = s_tile[t % kStages][kBlock - 1 - i];
      pipe.consumer_release();
    }
  }
}

// One thread fetches each tile by a bulk copy that the barrier awaits, and sends the result back by another.
__global__ void bulk_copies(const int* in, int n, int* out) {
#if __CUDA_ARCH__ >= 900
  namespace ptx = cuda::ptx;
  __shared__ alignas(16) int s_in[kBlock], s_out[kBlock];
  __shared__ BlockBarrier s_arrived;
  const int i = threadIdx.x;
  if (i == 0) {
    init(&s_arrived, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  for (int first = 0; first < n; first += kBlock) {
    BlockBarrier::arrival_token token;
    if (i == 0) {
      cuda::device::memcpy_async_tx(s_in, in + first, cuda::aligned_size_t<16>(sizeof s_in), s_arrived);
      token = cuda::device::barrier_arrive_tx(s_arrived, 1, sizeof s_in);
      // Once the copy of the last result has read s_out, s_out may be overwritten.
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    } else {
      token = s_arrived.arrive();
    }
    s_arrived.wait(cuda::std::move(token));
    s_out[i] = s_in[kBlock - 1 - i];
    ptx::fence_proxy_async(ptx::space_shared);
    // All threads have read s_in and written s_out.
    __syncthreads();
    if (i == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + first, s_out, sizeof s_out);
      ptx::cp_async_bulk_commit_group();
    }
  }
  if (i == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
#endif
}

static void test(const char* name, void (*kernel)(const int*, int, int*), int n) {
  const std::vector<int> host = random_ints(n, -1000, 1000, 31);
  int *in = nullptr, *out = nullptr;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(out, 0, n * sizeof(int)));
  kernel<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> got(n), want(n);
  CUDA_CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    const int first = i / kBlock * kBlock, count = std::min(kBlock, n - first);
    want[i] = host[first + count - 1 - (i - first)];
  }
  expect_equal(name, got, want);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
}

int main() {
  const int whole = kTiles * kBlock;
  test("memcpy_async of a group", group_copy, whole);
  test("memcpy_async of a group, with a tail", group_copy, whole - 77);
  test("memcpy_async of a group, ahead", group_copy_ahead, whole);
  test("memcpy_async with a barrier", copy_with_barrier, whole);
  test("memcpy_async with a barrier, with a tail", copy_with_barrier, whole - 77);
  test("pipeline of a thread", thread_pipeline, whole);
  test("pipeline of a block, one stage", block_pipeline<1>, whole);
  test("pipeline of a block, three stages", block_pipeline<3>, whole);
  test("producer and consumers", roles, whole);
  cudaFuncAttributes attributes{};
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, bulk_copies));
  if (attributes.ptxVersion >= 90) test("bulk copies", bulk_copies, whole);
  return verdict("pipelines");
}
