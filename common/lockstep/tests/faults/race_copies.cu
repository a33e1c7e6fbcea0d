// race_copies: a thread reads shared memory before an asynchronous copy (compute capability 8.0) has written it, or
// still reads when the next copy writes it: race.
#include <cuda_pipeline.h>

#include "case.h"

// case: copy_not_waited_for
// Thinks: committing the copy makes it happen. It begins; only the wait ends it.
// expect: race
// also: uninitialised_read
__global__ void read_at_once(const int* in, int* out) {
  __shared__ int s_a[32];
  const int tid = threadIdx.x;
  __pipeline_memcpy_async(&s_a[tid], &in[tid], sizeof(int));  // OTHER
  __pipeline_commit();
  out[tid] = s_a[tid];  // HERE
}
CASE(copy_not_waited_for) {
  Device<int> in(counting(32)), out(32);
  read_at_once<<<1, 32>>>(in, out);
  return finished();
}

// case: only_the_own_copy_waited_for
// Thinks: after the wait all copies have come. Those of this thread have.
// expect: race
// also: uninitialised_read
__global__ void reverse_without_barrier(const int* in, int* out) {
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  __pipeline_memcpy_async(&s_a[tid], &in[tid], sizeof(int));  // OTHER
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[tid] = s_a[63 - tid];  // HERE
}
CASE(only_the_own_copy_waited_for) {
  Device<int> in(counting(64)), out(64);
  reverse_without_barrier<<<1, 64>>>(in, out);
  return finished();
}

// case: last_tile_not_waited_for
// Thinks: all but one of the groups have ended, so this one has. The last tile has no group after it.
// expect: race
// also: uninitialised_read
__global__ void sum_of_tiles(const int* in, int* out, int tiles) {
  __shared__ int s_tile[2][32];
  const int tid = threadIdx.x;
  int sum = 0;
  for (int t = 0; t <= tiles; ++t) {
    if (t < tiles) {
      __pipeline_memcpy_async(&s_tile[t % 2][tid], &in[32 * t + tid], sizeof(int));  // OTHER
      __pipeline_commit();
    }
    if (t == 0) continue;
    __pipeline_wait_prior(1);
    sum += s_tile[(t - 1) % 2][tid];  // HERE
  }
  out[tid] = sum;
}
CASE(last_tile_not_waited_for) {
  Device<int> in(counting(128)), out(32);
  sum_of_tiles<<<1, 32>>>(in, out, 4);
  return finished();
}

// case: copied_over_what_is_read
// Thinks: the barrier before the use is enough. The next copy begins while slow warps still read.
// expect: race
__global__ void tiles_in_one_buffer(const int* in, int* out, int tiles) {
  __shared__ int s_tile[64];
  const int tid = threadIdx.x;
  int sum = 0;
  for (int t = 0; t < tiles; ++t) {
    __pipeline_memcpy_async(&s_tile[tid], &in[64 * t + tid], sizeof(int));  // OTHER
    __pipeline_commit();
    __pipeline_wait_prior(0);
    // The tile is complete.
    __syncthreads();
    sum += s_tile[63 - tid];  // HERE
  }
  out[tid] = sum;
}
CASE(copied_over_what_is_read) {
  Device<int> in(counting(256)), out(64);
  tiles_in_one_buffer<<<1, 64>>>(in, out, 4);
  return finished();
}
