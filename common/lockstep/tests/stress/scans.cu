// scans: prefix sums of one block in the forms that courses print. ptxas joins the accesses to elements 2t and 2t + 1
// and unrolls the trees. The counters are compared with those of a card (ncu_equality).
#include <numeric>

#include "stress.h"

constexpr int kBlock = 128;  // threads

// Hillis and Steele, with two buffers in one array.
__global__ void hillis_steele(const int* in, int n, int* out) {
  extern __shared__ int s_both[];
  const int tid = threadIdx.x;
  int to = 0, from = 1;
  s_both[tid] = tid < n ? in[tid] : 0;
  // Round 1 reads a neighbour's element.
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    to = 1 - to, from = 1 - to;
    if (tid >= offset)
      s_both[to * blockDim.x + tid] = s_both[from * blockDim.x + tid] + s_both[from * blockDim.x + tid - offset];
    else
      s_both[to * blockDim.x + tid] = s_both[from * blockDim.x + tid];
    // The next round reads what this one has written.
    __syncthreads();
  }
  if (tid < n) out[tid] = s_both[to * blockDim.x + tid];
}

// In place; the number of rounds is known to the compiler.
template <int kSize>
__global__ void hillis_steele_unrolled(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float s_data[kSize];
  const int tid = threadIdx.x;
  s_data[tid] = in[blockIdx.x * kSize + tid];
#pragma unroll
  for (int offset = 1; offset < kSize; offset *= 2) {
    // The last round's sums are stored.
    __syncthreads();
    const float left = tid >= offset ? s_data[tid - offset] : 0.0f;
    // Every thread has read before any thread overwrites.
    __syncthreads();
    s_data[tid] += left;
  }
  out[blockIdx.x * kSize + tid] = s_data[tid];
}

// Blelloch: two elements for each thread, exclusive. From GPU Gems 3, without padding.
template <class T>
__global__ void blelloch(T* out, const T* in, int n) {
  extern __shared__ double s_any[];
  T* s_data = reinterpret_cast<T*>(s_any);
  const int tid = threadIdx.x;
  int offset = 1;
  s_data[2 * tid] = in[2 * tid];
  s_data[2 * tid + 1] = in[2 * tid + 1];
  for (int active = n >> 1; active > 0; active >>= 1) {
    // The level below is complete.
    __syncthreads();
    if (tid < active) {
      const int left = offset * (2 * tid + 1) - 1, right = offset * (2 * tid + 2) - 1;
      s_data[right] += s_data[left];
    }
    offset *= 2;
  }
  if (tid == 0) s_data[n - 1] = 0;
  for (int active = 1; active < n; active *= 2) {
    offset >>= 1;
    // The level above is complete.
    __syncthreads();
    if (tid < active) {
      const int left = offset * (2 * tid + 1) - 1, right = offset * (2 * tid + 2) - 1;
      const T old = s_data[left];
      s_data[left] = s_data[right];
      s_data[right] += old;
    }
  }
  // All elements are final.
  __syncthreads();
  out[2 * tid] = s_data[2 * tid];
  out[2 * tid + 1] = s_data[2 * tid + 1];
}

// The same with the size known to the compiler, so that every level is unrolled.
template <int kSize>
__global__ void blelloch_unrolled(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int s_data[kSize];
  const int tid = threadIdx.x;
  s_data[2 * tid] = in[2 * tid];
  s_data[2 * tid + 1] = in[2 * tid + 1];
#pragma unroll
  for (int offset = 1; offset < kSize; offset *= 2) {
    // The level below is complete.
    __syncthreads();
    if (tid < kSize / 2 / offset) s_data[offset * (2 * tid + 2) - 1] += s_data[offset * (2 * tid + 1) - 1];
  }
  if (tid == 0) s_data[kSize - 1] = 0;
#pragma unroll
  for (int offset = kSize / 2; offset > 0; offset /= 2) {
    // The level above is complete.
    __syncthreads();
    if (tid < kSize / 2 / offset) {
      const int left = offset * (2 * tid + 1) - 1, right = offset * (2 * tid + 2) - 1;
      const int old = s_data[left];
      s_data[left] = s_data[right];
      s_data[right] += old;
    }
  }
  // All elements are final.
  __syncthreads();
  out[2 * tid] = s_data[2 * tid];
  out[2 * tid + 1] = s_data[2 * tid + 1];
}

__device__ int warp_scan(int value) {
  const int lane = threadIdx.x % 32;
  for (int offset = 1; offset < 32; offset *= 2) {
    const int left = __shfl_up_sync(~0u, value, offset);
    if (lane >= offset) value += left;
  }
  return value;
}

// A scan of each warp, then of the warps' totals.
__global__ void by_shuffles(const int* __restrict__ in, int n, int* __restrict__ out, int* __restrict__ totals) {
  __shared__ int s_totals[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = warp_scan(i < n ? in[i] : 0);
  if (lane == 31) s_totals[warp] = value;
  // Warp 0 needs the totals of all warps.
  __syncthreads();
  if (warp == 0) s_totals[lane] = warp_scan(lane < blockDim.x / 32 ? s_totals[lane] : 0);
  // The totals are scanned.
  __syncthreads();
  if (warp > 0) value += s_totals[warp - 1];
  if (i < n) out[i] = value;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = value;
}

__global__ void add_totals(const int* totals, int n, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == 0 || i >= n) return;
  int before = 0;
  for (int block = 0; block < blockIdx.x; ++block) before += totals[block];
  out[i] += before;
}

// Each thread sums four neighbours alone.
__global__ void four_each(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int s_sums[kBlock];
  const int tid = threadIdx.x;
  int values[4];
  for (int k = 0; k < 4; ++k) values[k] = in[4 * tid + k] + (k > 0 ? values[k - 1] : 0);
  s_sums[tid] = values[3];
  // Thread 0 scans what all threads have stored.
  __syncthreads();
  if (tid == 0)
    for (int k = 1; k < kBlock; ++k) s_sums[k] += s_sums[k - 1];
  // The sums are scanned.
  __syncthreads();
  const int before = tid > 0 ? s_sums[tid - 1] : 0;
  for (int k = 0; k < 4; ++k) out[4 * tid + k] = before + values[k];
}

template <class T>
std::vector<T> inclusive(std::vector<T> values) {
  std::partial_sum(values.begin(), values.end(), values.begin());
  return values;
}

template <class T>
std::vector<T> exclusive(const std::vector<T>& values) {
  std::vector<T> sums = inclusive(values);
  sums.insert(sums.begin(), T(0));
  sums.pop_back();
  return sums;
}

template <class T>
void run_blelloch() {
  const auto in = host_array<T>(2 * kBlock, 50);
  T* out = zeros<T>(2 * kBlock);
  blelloch<T><<<1, kBlock, 2 * kBlock * sizeof(T)>>>(out, to_device(in), 2 * kBlock);
  expect("blelloch", out, exclusive(in));
}

int main() {
  const auto in = host_array<int>(4 * kBlock, 50);
  const auto block = std::vector<int>(in.begin(), in.begin() + kBlock);
  const auto two_blocks = std::vector<int>(in.begin(), in.begin() + 2 * kBlock);
  const int* d_in = to_device(in);
  int *out = zeros<int>(4 * kBlock), *totals = zeros<int>(4);
  hillis_steele<<<1, kBlock, 2 * kBlock * sizeof(int)>>>(d_in, kBlock - 11, out);
  expect("hillis_steele", out, inclusive(std::vector<int>(in.begin(), in.begin() + kBlock - 11)));
  const auto floats = host_array<float>(kBlock, 50);
  float* sums = zeros<float>(kBlock);
  hillis_steele_unrolled<kBlock><<<1, kBlock>>>(to_device(floats), sums);
  expect("hillis_steele_unrolled", sums, inclusive(floats));
  run_blelloch<int>();
  run_blelloch<float>();
  run_blelloch<double>();
  blelloch_unrolled<2 * kBlock><<<1, kBlock>>>(d_in, out);
  expect("blelloch_unrolled", out, exclusive(two_blocks));
  const int n = 4 * kBlock - 29;
  by_shuffles<<<4, kBlock>>>(d_in, n, out, totals);
  add_totals<<<4, kBlock>>>(totals, n, out);
  expect("by_shuffles", out, inclusive(std::vector<int>(in.begin(), in.begin() + n)));
  four_each<<<1, kBlock>>>(d_in, out);
  expect("four_each", out, inclusive(in));
}
