// right_groups: cooperative groups, whose own headers do things that look wrong. Nothing is to be found.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "case.h"

namespace cg = cooperative_groups;

// case: tiles_of_eight
// Looks like: barriers of eight lanes. Each tile has its own mask.
// expect: nothing
__global__ void reverse_tiles(int* a) {
  __shared__ int s_a[64];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int tid = threadIdx.x;
  s_a[tid] = a[tid];
  // The tile's elements are there.
  tile.sync();
  a[tid] = s_a[tid ^ 7];
}
CASE(tiles_of_eight) {
  Device<int> a(counting(64));
  reverse_tiles<<<1, 64>>>(a);
  return finished() && a.host()[0] == 7 && a.host()[63] == 56;
}

// case: reduce_of_a_tile
// Looks like: shuffles with masks of 16 lanes. cg::reduce makes them.
// expect: nothing
__global__ void sum_tiles(const int* in, int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
  const int before = cg::exclusive_scan(tile, in[threadIdx.x], cg::plus<int>());
  out[threadIdx.x] = sum - before;
}
CASE(reduce_of_a_tile) {
  Device<int> in(std::vector<int>(64, 1)), out(64);
  sum_tiles<<<1, 64>>>(in, out);
  return finished() && out.host()[0] == 16 && out.host()[15] == 1;
}

// case: coalesced_lanes
// Looks like: a collective of whoever happens to be there. coalesced_threads() asked who it is.
// expect: nothing
__global__ void add_odd(const int* in, int* sum) {
  if (in[threadIdx.x] % 2 == 0) return;
  const cg::coalesced_group odd = cg::coalesced_threads();
  const int total = cg::reduce(odd, in[threadIdx.x], cg::plus<int>());
  if (odd.thread_rank() == 0) atomicAdd(sum, total);
}
CASE(coalesced_lanes) {
  Device<int> in(counting(64)), sum = zeros<int>(1);
  add_odd<<<1, 64>>>(in, sum);
  return finished() && sum.host()[0] == 32 * 32;
}

// case: partition_by_label
// Looks like: lanes of one warp in many groups. labeled_partition made them.
// expect: nothing
__global__ void count_labels(const int* labels, int* counts) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const cg::coalesced_group same = cg::labeled_partition(warp, labels[threadIdx.x]);
  if (same.thread_rank() == 0) atomicAdd(&counts[labels[threadIdx.x]], static_cast<int>(same.size()));
}
CASE(partition_by_label) {
  std::vector<int> labels(64);
  for (int i = 0; i < 64; ++i) labels[i] = i % 4;
  Device<int> in(labels), counts = zeros<int>(4);
  count_labels<<<1, 64>>>(in, counts);
  return finished() && counts.host() == std::vector<int>(4, 16);
}

// case: grid_rounds
// Looks like: reads of other blocks' elements in one launch. grid.sync() stands between the rounds.
// expect: nothing
__global__ void smooth_rounds(int* a, int* b, int n, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const int i = static_cast<int>(grid.thread_rank());
  for (int k = 0; k < rounds; ++k) {
    b[i] = max(a[max(i - 1, 0)], a[min(i + 1, n - 1)]);
    // The next round reads what other blocks wrote, and overwrites what they read.
    grid.sync();
    int* const other = a;
    a = b;
    b = other;
  }
}
CASE(grid_rounds) {
  int n = 128, rounds = 4;
  Device<int> a(counting(n)), b(n);
  int *first = a, *second = b;
  void* arguments[] = {&first, &second, &n, &rounds};
  cudaLaunchCooperativeKernel(smooth_rounds, dim3(4), dim3(32), arguments, 0, nullptr);
  return finished() && a.host()[0] == 4 && a.host()[127] == 127;
}

// case: block_group_sync
// Looks like: no __syncthreads at all. block.sync() is one.
// expect: nothing
__global__ void rotate_block(int* a) {
  __shared__ int s_a[96];
  const cg::thread_block block = cg::this_thread_block();
  const int rank = static_cast<int>(block.thread_rank());
  s_a[rank] = a[rank];
  // The neighbour has stored.
  cg::sync(block);
  a[rank] = s_a[(rank + 1) % 96];
}
CASE(block_group_sync) {
  Device<int> a(counting(96));
  rotate_block<<<1, 96>>>(a);
  return finished() && a.host()[95] == 0;
}

// case: tile_larger_than_a_warp
// Looks like: 64 threads that wait for each other without a block barrier. The group provides the memory for it.
// expect: nothing
__global__ void reverse_large_tiles(int* a) {
  __shared__ cg::block_tile_memory<128> s_groups;
  __shared__ int s_a[128];
  const cg::thread_block block = cg::this_thread_block(s_groups);
  const auto tile = cg::tiled_partition<64>(block);
  const int tid = threadIdx.x;
  s_a[tid] = a[tid];
  // The 64 have stored.
  tile.sync();
  a[tid] = s_a[tid ^ 63];
}
CASE(tile_larger_than_a_warp) {
  Device<int> a(counting(128));
  reverse_large_tiles<<<1, 128>>>(a);
  return finished() && a.host()[0] == 63 && a.host()[64] == 127;
}
