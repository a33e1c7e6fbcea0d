// Cooperative groups: partitions of every size with their ranks and collectives, groups by label and by predicate,
// coalesced groups, reduce and scans, one thread of many, and the block itself.
// Also for compute_90
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "expect.h"

namespace cg = cooperative_groups;

constexpr int kBlock = 128, kBlocks = 2, kThreads = kBlock * kBlocks;

__device__ int global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// For each tile: sum, minimum, inclusive and exclusive sums, a value from the right neighbour, and votes.
template <int kSize>
__global__ void tiles(const int* in, int* out) {
  const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
  const int i = global_index(), value = in[i];
  int* mine = out + 7 * i;
  mine[0] = cg::reduce(tile, value, cg::plus<int>());
  mine[1] = cg::reduce(tile, value, cg::less<int>());
  mine[2] = cg::inclusive_scan(tile, value);
  mine[3] = cg::exclusive_scan(tile, value, cg::plus<int>());
  mine[4] = tile.shfl(value, (tile.thread_rank() + 1) % tile.size());
  mine[5] = tile.any(value < 0) * 2 + tile.all(value < 50);
  mine[6] = tile.meta_group_rank() * 100 + tile.meta_group_size();
}

// The expected results of `tiles` for groups of `size` threads.
static std::vector<int> want_tiles(const std::vector<int>& in, int size) {
  std::vector<int> want;
  for (int i = 0; i < static_cast<int>(in.size()); ++i) {
    const int rank = i % kBlock % size, first = i - rank;
    const std::vector<int> group(in.begin() + first, in.begin() + first + size);
    const int before = std::accumulate(group.begin(), group.begin() + rank, 0);
    want.push_back(std::accumulate(group.begin(), group.end(), 0));
    want.push_back(*std::min_element(group.begin(), group.end()));
    want.push_back(before + in[i]);
    want.push_back(before);
    want.push_back(group[(rank + 1) % size]);
    want.push_back(2 * std::any_of(group.begin(), group.end(), [](int v) { return v < 0; }) +
                   std::all_of(group.begin(), group.end(), [](int v) { return v < 50; }));
    want.push_back(i % kBlock / size * 100 + kBlock / size);
  }
  return want;
}

// The same collectives on groups whose size or members are known only at run time.
__global__ void groups_at_run_time(const int* in, int size, int* out) {
  const int i = global_index(), value = in[i];
  int* mine = out + 8 * i;
  const cg::thread_group part = cg::tiled_partition(cg::this_thread_block(), size);
  mine[0] = part.thread_rank() * 100 + part.size();
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const cg::coalesced_group label = cg::labeled_partition(warp, i % 5);
  mine[1] = cg::reduce(label, value, cg::plus<int>());
  mine[2] = label.thread_rank() * 100 + label.size();
  const cg::coalesced_group half = cg::binary_partition(warp, value < 0);
  mine[3] = cg::inclusive_scan(half, value);
  mine[4] = mine[5] = mine[6] = -1;
  if (value % 3 == 0) {
    const cg::coalesced_group third = cg::coalesced_threads();
    mine[4] = cg::reduce(third, value, cg::greater<int>());
    mine[5] = third.shfl(i, 0);
    mine[6] = cg::exclusive_scan(third, 1, cg::plus<int>());
  }
  mine[7] = static_cast<int>(cg::this_thread_block().size() + cg::this_grid().size() + cg::this_grid().num_blocks());
}

static std::vector<int> want_at_run_time(const std::vector<int>& in, int size) {
  std::vector<int> want;
  for (int i = 0; i < static_cast<int>(in.size()); ++i) {
    const int first = i / 32 * 32;
    int label_sum = 0, label_size = 0, label_rank = 0, half_sum = 0, third_most = -1, third_first = -1, third_rank = 0;
    for (int j = first; j < first + 32; ++j) {
      if (j % 5 == i % 5) label_sum += in[j], ++label_size, label_rank += j < i;
      if ((in[j] < 0) == (in[i] < 0) && j <= i) half_sum += in[j];
      if (in[j] % 3 != 0) continue;
      third_most = third_first < 0 ? in[j] : std::max(third_most, in[j]);
      third_rank += j < i;
      if (third_first < 0) third_first = j;
    }
    const bool third = in[i] % 3 == 0;
    want.insert(want.end(), {i % kBlock % size * 100 + size, label_sum, label_rank * 100 + label_size, half_sum,
                             third ? third_most : -1, third ? third_first : -1, third ? third_rank : -1,
                             kBlock + kThreads + kBlocks});
  }
  return want;
}

// The block's barrier split into arrive and wait, one thread of each warp, and a scan of pairs with its own operator.
struct Pair {
  int sum, most;
};
struct Combine {
  __host__ __device__ Pair operator()(Pair a, Pair b) const {
    return {a.sum + b.sum, a.most > b.most ? a.most : b.most};
  }
};

__global__ void whole_block(const int* in, int* out, int* elected) {
  __shared__ int s_value[kBlock];
  const auto block = cg::this_thread_block();
  const int i = global_index(), tid = block.thread_rank();
  s_value[tid] = in[i];
  auto token = block.barrier_arrive();
  const auto warp = cg::tiled_partition<32>(block);
  cg::invoke_one(warp, [&] { atomicAdd(elected, 1); });
  // The values of other threads are read below.
  block.barrier_wait(std::move(token));
  const Pair all = cg::inclusive_scan(warp, Pair{in[i], s_value[kBlock - 1 - tid]}, Combine());
  out[2 * i] = all.sum;
  out[2 * i + 1] = all.most;
}

static std::vector<int> want_whole_block(const std::vector<int>& in) {
  std::vector<int> want;
  Pair all{};
  for (int i = 0; i < kThreads; ++i) {
    const Pair mine{in[i], in[i / kBlock * kBlock + kBlock - 1 - i % kBlock]};
    all = i % 32 == 0 ? mine : Combine()(all, mine);
    want.push_back(all.sum);
    want.push_back(all.most);
  }
  return want;
}

// A launch without clusters makes each block a cluster of one.
__global__ void cluster_of_one(const int* in, int* out) {
#if __CUDA_ARCH__ >= 900
  __shared__ int s_value[kBlock];
  const cg::cluster_group cluster = cg::this_cluster();
  const int i = global_index(), tid = threadIdx.x;
  s_value[tid] = in[i];
  // The values of other threads are read through the cluster's window.
  cluster.sync();
  const int* theirs = cluster.map_shared_rank(s_value, cluster.block_rank());
  out[i] = theirs[kBlock - 1 - tid] + 1000 * cluster.num_blocks() + 10000 * cluster.block_rank() +
           100000 * cluster.query_shared_rank(s_value) + 1000000 * (cluster.thread_rank() - tid);
  cluster.sync();
#endif
}

// The n ints that `launch` computes from `in`.
template <class Launch>
static std::vector<int> run(const std::vector<int>& in, size_t n, Launch launch) {
  int *d_in = nullptr, *d_out = nullptr;
  CUDA_CHECK(cudaMalloc(&d_in, in.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
  launch(d_in, d_out);
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> out(n);
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_out));
  return out;
}

template <int kSize>
static void test_tiles(const std::vector<int>& in) {
  const auto got =
      run(in, 7 * kThreads, [](const int* d_in, int* d_out) { tiles<kSize><<<kBlocks, kBlock>>>(d_in, d_out); });
  expect_equal(("tiles of " + std::to_string(kSize)).c_str(), got, want_tiles(in, kSize));
}

int main() {
  const std::vector<int> in = random_ints(kThreads, -60, 60, 21);
  test_tiles<1>(in);
  test_tiles<2>(in);
  test_tiles<4>(in);
  test_tiles<8>(in);
  test_tiles<16>(in);
  test_tiles<32>(in);
  for (const int size : {1, 2, 4, 8, 16, 32}) {
    const auto got = run(in, 8 * kThreads, [&](const int* d_in, int* d_out) {
      groups_at_run_time<<<kBlocks, kBlock>>>(d_in, size, d_out);
    });
    expect_equal("groups at run time", got, want_at_run_time(in, size));
  }
  auto got = run(in, 2 * kThreads + 1, [](const int* d_in, int* d_out) {
    whole_block<<<kBlocks, kBlock>>>(d_in, d_out, d_out + 2 * kThreads);
  });
  expect_equal("one of each warp", got.back(), kThreads / 32);
  got.pop_back();
  expect_equal("whole block", got, want_whole_block(in));
  cudaFuncAttributes attributes{};
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, cluster_of_one));
  if (attributes.ptxVersion >= 90) {
    got = run(in, kThreads, [](const int* d_in, int* d_out) { cluster_of_one<<<kBlocks, kBlock>>>(d_in, d_out); });
    std::vector<int> want(kThreads);
    for (int i = 0; i < kThreads; ++i) want[i] = in[i / kBlock * kBlock + kBlock - 1 - i % kBlock] + 1000;
    expect_equal("cluster of one", got, want);
  }
  return verdict("groups");
}
