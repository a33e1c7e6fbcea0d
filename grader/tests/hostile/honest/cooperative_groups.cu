// verdict: accepted
// lab: 99
// One cooperative launch whose blocks wait for each other, with groups of tiles inside.
#include <cooperative_groups.h>

#include "sum.h"

namespace cg = cooperative_groups;

static __global__ void add(const unsigned* data, int n, unsigned* parts, unsigned* sum) {
  const cg::grid_group grid = cg::this_grid();
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned mine = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) mine += data[i];
  for (int offset = 16; offset > 0; offset /= 2) mine += warp.shfl_down(mine, offset);
  const int warps = grid.size() / 32, own = grid.thread_rank() / 32;
  if (warp.thread_rank() == 0) parts[own] = mine;
  grid.sync();  // one thread reads what all warps wrote
  if (grid.thread_rank() > 0) return;
  for (int i = 0; i < warps; ++i) *sum += parts[i];
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const Cell sum;
  unsigned* parts = nullptr;
  CUDA_CHECK(cudaMalloc(&parts, 32 * sizeof *parts));
  const unsigned* in = bits(data);
  unsigned* out = sum.place;
  void* arguments[] = {&in, &n, &parts, &out};
  CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(add), dim3(8), dim3(128), arguments, 0, nullptr));
  const int result = sum.value();
  CUDA_CHECK(cudaFree(parts));
  return result;
}
