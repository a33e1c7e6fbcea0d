// reduce: the sum of n elements in one launch, at the speed of reading them. In: n <= 2^31 - 1 elements at any address
// of their type, and a workspace. Out: *out in device memory. Not here: other operators.
//
// What decides is bytes in flight (Little: throughput = bytes in flight / latency). A thread asks for eight vectors of
// 16 bytes before it uses the first: 64 KiB a block of 512 threads, and two or three such blocks fit on a
// multiprocessor. One block takes one tile and ends: the card's own scheduler gives the next tile to the multiprocessor
// that is free first. A fixed share for each block was up to 2.5 % slower on one of two H200, whose multiprocessors are
// unequally far from the memory.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <type_traits>

#include "words.cuh"

namespace top {

constexpr int kReduceEach = 8;  // vectors of a thread

template <class T>
__device__ T vector_sum(const int4& raw) {
  Vector<T> v;
  memcpy(&v, &raw, sizeof v);
  T sum{};
#pragma unroll
  for (const T x : v.at) sum += x;
  return sum;
}

// The sum over the block, in thread 0.
template <int kBlock, class T>
__device__ T block_sum(T x) {
  __shared__ T s_warp[kBlock / kWarp];
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  x = warp_sum(x);
  if (lane == 0) s_warp[warp] = x;
  // Warp 0 reads the sums of all warps.
  __syncthreads();
  return warp == 0 ? warp_sum(lane < kBlock / kWarp ? s_warp[lane] : T{}) : T{};
}

// Which of the two ways below a type takes.
template <class T>
constexpr bool kTaggedFinish = !std::is_same_v<T, unsigned>;

// 32-bit integers: one atomic adds the block's sum and counts the block. The sum in the upper half wraps and the count
// below never overflows into it. The block that completes the count has the total in its register: no fence, no second
// read. The order of additions does not matter for integers.
template <int kBlock>
__device__ void finish_reduce(unsigned sum, Head* head, unsigned* out, unsigned) {
  sum = block_sum<kBlock>(sum);
  if (threadIdx.x != 0) return;
  const unsigned long long add = static_cast<unsigned long long>(sum) << 32 | 1;
  const unsigned long long total = atomicAdd(&head->packed, add) + add;
  if (static_cast<unsigned>(total) != gridDim.x) return;
  *out = static_cast<unsigned>(total >> 32);
  head->packed = 0;  // all blocks have added; the next call starts from zero
}

// Other types: every block writes its sum into its own word, and block 0 awaits the words and adds them in the order of
// the blocks. So the result has the same bits in every run. Nobody waits for block 0, so every block gets its turn.
template <int kBlock, class T>
__device__ void finish_reduce(T sum, Head* head, T* out, unsigned epoch) {
  sum = block_sum<kBlock>(sum);
  const unsigned tag = tag_of(epoch, kOwnSum);
  if (threadIdx.x == 0) Tagged<T>::write(head->words, blockIdx.x, tag, sum);
  if (blockIdx.x != 0) return;
  // Warp 0 may still read the sums of the warps, and the second block_sum writes to the same place.
  __syncthreads();
  T total{};
  for (unsigned i = threadIdx.x; i < gridDim.x; i += kBlock) {
    Tagged<T> word;
    do word = Tagged<T>::read(head->words, i);
    while (!word.has(tag));
    total += word.value();
  }
  total = block_sum<kBlock>(total);
  if (threadIdx.x != 0) return;
  *out = total;
  end_epoch(head, epoch);  // every block has written its word, and so has read the old epoch
}

template <int kBlock, class T>
__global__ void __launch_bounds__(kBlock)
    reduce_tiles(const T* __restrict__ in, int n, T* __restrict__ out, Head* head) {
  constexpr int kEach = Vector<T>::kEach;
  constexpr int kTile = kBlock * kReduceEach;
  const int tid = threadIdx.x;
  // Asked for first and used last, so that it costs no time. All threads of block 0 compare words with it.
  unsigned epoch = 0;
  if (kTaggedFinish<T> && (tid == 0 || blockIdx.x == 0)) epoch = this_epoch(head);

  // Up to three elements lie before the first address that is a multiple of 16, and as many after the last vector.
  const int before = min(n, static_cast<int>((16 - reinterpret_cast<uintptr_t>(in) % 16) % 16 / sizeof(T)));
  const int vectors = (n - before) / kEach, after = before + vectors * kEach;
  const int4* tiles = reinterpret_cast<const int4*>(in + before);
  const int first = blockIdx.x * kTile + tid;

  T sum{};
  if (first - tid + kTile <= vectors) {
    // No guards and no __ldg: with them the compiler asks for four vectors, adds them, and asks for the next four.
    int4 raw[kReduceEach];
#pragma unroll
    for (int k = 0; k < kReduceEach; ++k) raw[k] = read_now(tiles + first + k * kBlock);
#pragma unroll
    for (int k = 0; k < kReduceEach; ++k) sum += vector_sum<T>(raw[k]);
  } else {
    // Not unrolled: a kernel of a few microseconds waits for its own code to come from memory.
#pragma unroll 1
    for (int i = first; i < min(vectors, first - tid + kTile); i += kBlock) sum += vector_sum<T>(__ldg(tiles + i));
  }
  if (blockIdx.x == 0) {
    if (tid < before) sum += in[tid];
    if (tid < n - after) sum += in[after + tid];
  }
  finish_reduce<kBlock>(sum, head, out, epoch);
}

// Blocks of 256 threads spread a small input over more multiprocessors. A large input wants fewer, larger blocks: the
// start and end of a block cost time in which it asks for nothing.
constexpr size_t kSmallReduce = size_t{1} << 24;  // bytes

template <class T>
int reduce_blocks(int n) {
  const size_t bytes = n * sizeof(T), block = bytes <= kSmallReduce ? 256 : 512;
  return static_cast<int>(std::max<size_t>(1, (bytes / 16 + block * kReduceEach - 1) / (block * kReduceEach)));
}

// The workspace must hold zeros before the first call. One workspace serves one stream, for any n up to its own.
template <class T>
size_t reduce_work_bytes(int n) {
  // A smaller input may have more blocks, since they are smaller.
  const int small = std::min<size_t>(n, kSmallReduce / sizeof(T));
  return sizeof(Head) + std::max(reduce_blocks<T>(n), reduce_blocks<T>(small)) * size_t{Tagged<T>::kWords} * 8;
}

template <class T>
cudaError_t reduce(const T* in, int n, T* out, void* work, cudaStream_t stream) {
  using U = typename Wrapping<T>::Type;
  const auto* data = reinterpret_cast<const U*>(in);
  auto* sum = reinterpret_cast<U*>(out);
  auto* head = static_cast<Head*>(work);
  const int blocks = reduce_blocks<T>(n);
  if (n * sizeof(T) <= kSmallReduce)
    reduce_tiles<256><<<blocks, 256, 0, stream>>>(data, n, sum, head);
  else
    reduce_tiles<512><<<blocks, 512, 0, stream>>>(data, n, sum, head);
  return cudaGetLastError();
}

}  // namespace top
