// right_copies: asynchronous copies from global to shared memory (compute capability 8.0), waited for before they are
// read. Nothing is to be found.
#include <cuda_pipeline.h>

#include <cuda/barrier>

#include "case.h"

// A barrier in shared memory is made by init(), not by its constructor.
#pragma nv_diag_suppress static_var_with_dynamic_init

// case: copy_commit_wait
// Looks like: reads of shared memory that nobody stored to. The copy did, and was waited for.
// expect: nothing
__global__ void reverse_copied(const int* in, int* out) {
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  __pipeline_memcpy_async(&s_a[tid], &in[tid], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  // The others' copies have come, too.
  __syncthreads();
  out[tid] = s_a[63 - tid];
}
CASE(copy_commit_wait) {
  Device<int> in(counting(64)), out(64);
  reverse_copied<<<1, 64>>>(in, out);
  return finished() && out.host()[0] == 63;
}

// case: copy_own_element
// Looks like: no barrier at all. Each thread waits for its own copy, and reads only that.
// expect: nothing
__global__ void own_copy(const float4* in, float4* out) {
  __shared__ float4 s_a[32];
  const int tid = threadIdx.x;
  __pipeline_memcpy_async(&s_a[tid], &in[tid], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[tid] = s_a[tid];
}
CASE(copy_own_element) {
  Device<float> in(counting<float>(128)), out(128);
  own_copy<<<1, 32>>>(reinterpret_cast<const float4*>(in.get()), reinterpret_cast<float4*>(out.get()));
  return finished() && out.host() == counting<float>(128);
}

// case: two_stages
// Looks like: a tile that is read while the next one is on its way. They are in different buffers.
// expect: nothing
__global__ void sum_of_tiles(const int* in, int* out, int tiles) {
  __shared__ int s_tile[2][64];
  const int tid = threadIdx.x;
  __pipeline_memcpy_async(&s_tile[0][tid], &in[tid], sizeof(int));
  __pipeline_commit();
  int sum = 0;
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) __pipeline_memcpy_async(&s_tile[(t + 1) % 2][tid], &in[64 * (t + 1) + tid], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    // This tile is complete.
    __syncthreads();
    sum += s_tile[t % 2][63 - tid];
    // It has been read before the copy after next overwrites it.
    __syncthreads();
  }
  out[tid] = sum;
}
CASE(two_stages) {
  Device<int> in(counting(256)), out(64);
  sum_of_tiles<<<1, 64>>>(in, out, 4);
  return finished() && out.host()[63] == 0 + 64 + 128 + 192;
}

// case: copy_with_zero_fill
// Looks like: a tail that no thread loads. The copy fills it with zeros.
// expect: nothing
__global__ void tail_copy(const int4* in, int n, int* sum) {
  __shared__ int4 s_a[8];
  const int tid = threadIdx.x;
  const int bytes = max(0, min(16, (n - 4 * tid) * 4));
  __pipeline_memcpy_async(&s_a[tid], bytes > 0 ? &in[tid] : in, 16, 16 - bytes);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  atomicAdd(sum, s_a[tid].x + s_a[tid].y + s_a[tid].z + s_a[tid].w);
}
CASE(copy_with_zero_fill) {
  Device<int> in(counting(30)), sum = zeros<int>(1);
  tail_copy<<<1, 8>>>(reinterpret_cast<const int4*>(in.get()), 30, sum);
  return finished() && sum.host()[0] == 29 * 15;
}

// case: barrier_in_hardware
// Looks like: a barrier made of a plain variable in shared memory. From 8.0 on it is an mbarrier.
// expect: nothing
__global__ void reverse_by_mbarrier(int* a) {
  __shared__ cuda::barrier<cuda::thread_scope_block> s_barrier;
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  if (tid == 0) init(&s_barrier, blockDim.x);
  // The barrier exists before anyone arrives.
  __syncthreads();
  for (int k = 0; k < 3; ++k) {
    s_a[tid] = a[tid];
    // The element that this thread takes has been stored.
    s_barrier.arrive_and_wait();
    a[tid] = s_a[63 - tid];
    // All have read before the next round stores.
    s_barrier.arrive_and_wait();
  }
}
CASE(barrier_in_hardware) {
  Device<int> a(counting(64));
  reverse_by_mbarrier<<<1, 64>>>(a);
  return finished() && a.host()[0] == 63;
}

// case: copy_bound_to_a_barrier
// Looks like: reads of data that memcpy_async may still be copying. The barrier also waits for the copy.
// expect: nothing
__global__ void copy_by_barrier(const int* in, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> s_barrier;
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  if (tid == 0) init(&s_barrier, blockDim.x);
  // The barrier exists before anyone arrives.
  __syncthreads();
  cuda::memcpy_async(&s_a[tid], &in[tid], sizeof(int), s_barrier);
  // All copies have come.
  s_barrier.arrive_and_wait();
  out[tid] = s_a[63 - tid];
}
CASE(copy_bound_to_a_barrier) {
  Device<int> in(counting(64)), out(64);
  copy_by_barrier<<<1, 64>>>(in, out);
  return finished() && out.host()[0] == 63;
}
