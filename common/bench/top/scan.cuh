// scan: the inclusive scan of n elements in one launch. In: n <= 2^31 - 1 elements at any address of their type, and a
// workspace. Out: n sums; out and in do not overlap. Chooses between scan_stream and scan_blocks.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "scan_blocks.cuh"
#include "scan_stream.cuh"

namespace top {

// Above this an input fills all stages of all multiprocessors often enough to pay for the start.
constexpr size_t kStreamAbove = size_t{1} << 24;  // bytes

// The largest inputs for three shapes of a block. Small tiles let many multiprocessors take part. Up to kWave, all
// tiles are under way at once on a card with 128 multiprocessors, and nobody looks back further than the first look.
constexpr size_t kTiny = size_t{1} << 19, kSmall = size_t{1} << 23, kWave = size_t{1} << 24;  // bytes

template <class T>
constexpr size_t scan_tile(int block, int rows) {
  return size_t(block) * rows * (16 / sizeof(T));
}

// The workspace must hold zeros before the first call. One workspace serves one stream, for any n up to its own. The
// list has room for the windows that the follower reads beyond the last tile.
template <class T>
size_t scan_work_bytes(int n) {
  const size_t smallest = n * sizeof(T) <= kTiny ? scan_tile<T>(512, 2) : kStageElements<T>;
  return sizeof(Head) + (n / smallest + 1 + kTiny / 16384 + 3 * kWindow) * Tagged<T>::kWords * 8;
}

template <class T, int kBlock, int kRows>
cudaError_t scan_by_blocks(const T* in, size_t n, T* out, Head* head, bool aligned, cudaStream_t stream) {
  const auto tiles = static_cast<unsigned>((n - 1) / scan_tile<T>(kBlock, kRows) + 1);
  if (aligned)
    scan_tiles<T, kBlock, kRows, true><<<tiles, kBlock, 0, stream>>>(in, n, out, head);
  else
    scan_tiles<T, kBlock, kRows, false><<<tiles, kBlock, 0, stream>>>(in, n, out, head);
  return cudaGetLastError();
}

template <class T>
cudaError_t scan_by_stream(const T* in, size_t n, T* out, Head* head, int multiprocessors, cudaStream_t stream) {
  if (const cudaError_t error =
          cudaFuncSetAttribute(scan_stream<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, kStreamShared))
    return error;
  scan_stream<T><<<multiprocessors, kStreamThreads, kStreamShared, stream>>>(in, n, out, head);
  return cudaGetLastError();
}

enum class ScanBy { kChoice, kBlocks, kStream };

template <class T>
cudaError_t scan_inclusive(const T* in, int n, T* out, void* work, cudaStream_t stream, ScanBy by = ScanBy::kChoice) {
  using U = typename Wrapping<T>::Type;
  if (n == 0) return cudaSuccess;  // a grid of no blocks is an invalid configuration
  int device = 0, major = 0, multiprocessors = 0;
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  const auto* from = reinterpret_cast<const U*>(in);
  auto* to = reinterpret_cast<U*>(out);
  auto* head = static_cast<Head*>(work);
  const bool aligned = (reinterpret_cast<uintptr_t>(in) | reinterpret_cast<uintptr_t>(out)) % 16 == 0;
  const size_t bytes = n * sizeof(T);
  const bool can_stream = aligned && major >= 9;
  if (can_stream && (by == ScanBy::kStream || (by == ScanBy::kChoice && bytes > kStreamAbove)))
    return scan_by_stream(from, n, to, head, multiprocessors, stream);
  if (bytes <= kTiny) return scan_by_blocks<U, 512, 2>(from, n, to, head, aligned, stream);
  if (bytes <= kSmall) return scan_by_blocks<U, 1024, 4>(from, n, to, head, aligned, stream);
  if (bytes <= kWave) return scan_by_blocks<U, 512, 8>(from, n, to, head, aligned, stream);
  return scan_by_blocks<U, 256, 16>(from, n, to, head, aligned, stream);
}

}  // namespace top
