// uninitialised: reads of shared or global memory that nothing wrote: uninitialised_read.
#include <cmath>

#include "case.h"

// case: malloc_is_not_zero
// Thinks: fresh memory holds zeros, and a histogram may count from there.
// expect: uninitialised_read
__global__ void count_bytes(const unsigned char* in, int n, int* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i]], 1);  // HERE
}
CASE(malloc_is_not_zero) {
  Device<unsigned char> in(counting<unsigned char>(256));
  Device<int> bins(256);
  count_bytes<<<2, 128>>>(in, 256, bins);
  return finished();
}

// case: shared_is_not_zero
// Thinks: a block's bins begin at zero.
// expect: uninitialised_read
__global__ void block_histogram(const unsigned char* in, int* bins) {
  __shared__ int s_bins[64];
  const int tid = threadIdx.x;
  atomicAdd(&s_bins[in[tid]], 1);  // HERE
  // All threads have counted before the counts are merged.
  __syncthreads();
  if (tid < 64) atomicAdd(&bins[tid], s_bins[tid]);
}
CASE(shared_is_not_zero) {
  std::vector<unsigned char> bytes(128);
  for (int i = 0; i < 128; ++i) bytes[i] = static_cast<unsigned char>(i % 64);
  Device<unsigned char> in(bytes);
  Device<int> bins = zeros<int>(64);
  block_histogram<<<1, 128>>>(in, bins);
  return finished();
}

// case: halo_not_loaded
// Thinks: the loop that loads the tile also loads its halo.
// expect: uninitialised_read
__global__ void blur(const float* in, float* out) {
  __shared__ float s_tile[64 + 2];
  const int tid = threadIdx.x;
  s_tile[tid + 1] = in[tid];
  // Other threads load the neighbours.
  __syncthreads();
  out[tid] = s_tile[tid] + s_tile[tid + 1] + s_tile[tid + 2];  // HERE
}
CASE(halo_not_loaded) {
  Device<float> in(counting<float>(64)), out(64);
  blur<<<1, 64>>>(in, out);
  return finished();
}

// case: tail_of_the_tile
// Thinks: where there is no element, there is nothing to store. The reduction still reads these words.
// expect: uninitialised_read
__global__ void tile_sum(const int* in, int n, int* sum) {
  __shared__ int s_tile[128];
  const int tid = threadIdx.x;
  if (tid < n) s_tile[tid] = in[tid];
  // The tile is complete.
  __syncthreads();
  if (tid < 64) atomicAdd(sum, s_tile[2 * tid] + s_tile[2 * tid + 1]);  // HERE
}
CASE(tail_of_the_tile) {
  Device<int> in(counting(100)), sum = zeros<int>(1);
  tile_sum<<<1, 128>>>(in, 100, sum);
  return finished();
}

// case: copied_too_little
// Thinks: cudaMemcpy counts elements.
// expect: uninitialised_read
__global__ void sum_all(const int* in, int* sum) {
  const int value = in[threadIdx.x];  // HERE
  atomicAdd(sum, value);
}
CASE(copied_too_little) {
  const std::vector<int> values = counting(128);
  Device<int> in(128), sum = zeros<int>(1);
  cudaMemcpy(in, values.data(), 128, cudaMemcpyHostToDevice);
  sum_all<<<1, 128>>>(in, sum);
  return finished();
}

// case: cleared_too_little
// Thinks: cudaMemset counts elements.
// expect: uninitialised_read
__global__ void accumulate(float* sums) {
  sums[threadIdx.x] += 1.0f;  // HERE
}
CASE(cleared_too_little) {
  Device<float> sums(64);
  cudaMemset(sums, 0, 64);
  accumulate<<<1, 64>>>(sums);
  return finished();
}

// case: kernel_wrote_half
// Thinks: the first kernel has written every element. It has two a thread, and the grid was halved twice.
// expect: uninitialised_read
__global__ void square_two(int* out) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = i * i;
  out[i + 1] = (i + 1) * (i + 1);
}
__global__ void add_up(const int* in, int* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sum, in[i]);  // HERE
}
CASE(kernel_wrote_half) {
  Device<int> squares(256), sum = zeros<int>(1);
  square_two<<<1, 64>>>(squares);
  add_up<<<2, 128>>>(squares, sum);
  return finished();
}

// case: block_sums_before_they_exist
// Thinks: the block sums are scanned already when the fan-out runs. It was launched first.
// expect: uninitialised_read
__global__ void add_block_sums(int* a, const int* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0) a[i] += sums[blockIdx.x - 1];  // HERE
}
CASE(block_sums_before_they_exist) {
  Device<int> a(counting(128)), sums(4);
  add_block_sums<<<4, 32>>>(a, sums);
  cudaMemset(sums, 0, 4 * sizeof(int));
  return finished();
}

// case: heap_is_not_zero
// Thinks: malloc in a kernel clears.
// expect: uninitialised_read
__global__ void count_in_scratch(const int* in, int* out) {
  int* counts = static_cast<int*>(malloc(8 * sizeof(int)));
  for (int i = 0; i < 16; ++i) counts[in[i] % 8] += 1;  // HERE
  *out = counts[in[3] % 8];
  free(counts);
}
CASE(heap_is_not_zero) {
  Device<int> in(counting(16)), out(1);
  count_in_scratch<<<1, 1>>>(in, out);
  return finished();
}

// case: low_byte_only
// Thinks: storing the byte stores the int that it is part of.
// expect: uninitialised_read
__global__ void store_low_bytes(unsigned char* bytes) {
  bytes[4 * threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
}
__global__ void read_ints(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x] / 2;  // HERE
}
CASE(low_byte_only) {
  Device<int> in(32), out(32);
  store_low_bytes<<<1, 32>>>(reinterpret_cast<unsigned char*>(in.get()));
  read_ints<<<1, 32>>>(in, out);
  return finished();
}

// case: wrong_buffer
// Thinks: after an odd number of steps the result is in the first buffer.
// expect: uninitialised_read
__global__ void double_steps(const int* in, int* out, int steps) {
  __shared__ int s_buffer[2][64];
  const int tid = threadIdx.x;
  int from = 0;
  s_buffer[from][tid] = in[tid];
  for (int k = 1; k < steps; ++k) {
    s_buffer[1 - from][tid] = 2 * s_buffer[from][tid];
    from = 1 - from;
  }
  out[tid] = s_buffer[1 - from][tid];  // HERE
}
CASE(wrong_buffer) {
  Device<int> in(counting(64)), out(64);
  double_steps<<<1, 64>>>(in, out, 1);
  return finished();
}

// case: padding_is_data
// Thinks: the padding word after every 32 words holds zero and may be added, too.
// expect: uninitialised_read
__global__ void padded_sum(const int* in, int* sum) {
  __shared__ int s_padded[66];
  const int tid = threadIdx.x;
  s_padded[tid + tid / 32] = in[tid];
  // Thread 0 reads the values that the other threads stored.
  __syncthreads();
  if (tid != 0) return;
  int total = 0;
  for (int k = 0; k < 65; ++k) total += s_padded[k];  // HERE
  *sum = total;
}
CASE(padding_is_data) {
  Device<int> in(counting(64)), sum(1);
  padded_sum<<<1, 64>>>(in, sum);
  return finished();
}

// case: next_block_sees_shared
// Thinks: shared memory keeps what an earlier launch of the same kernel left there.
// expect: uninitialised_read
__global__ void remember(int* out, int round) {
  __shared__ int s_kept[32];
  const int tid = threadIdx.x;
  if (round == 0) s_kept[tid] = tid;
  out[tid] = s_kept[tid];  // HERE
}
CASE(next_block_sees_shared) {
  Device<int> out(32);
  remember<<<1, 32>>>(out, 0);
  remember<<<1, 32>>>(out, 1);
  return finished();
}

// case: bins_by_block_size
// Thinks: a block has 256 threads, one for each bin. This one has 128, so half of the bins are not set.
// expect: uninitialised_read
__global__ void histogram_of_256(const unsigned char* in, int n, int* bins) {
  __shared__ int s_bins[256];
  const int tid = threadIdx.x;
  s_bins[tid] = 0;
  // All bins are zero.
  __syncthreads();
  for (int i = tid; i < n; i += blockDim.x) atomicAdd(&s_bins[in[i]], 1);  // HERE
  // All threads have counted.
  __syncthreads();
  atomicAdd(&bins[tid], s_bins[tid]);
}
CASE(bins_by_block_size) {
  Device<unsigned char> in(counting<unsigned char>(256));
  Device<int> bins = zeros<int>(256);
  histogram_of_256<<<1, 128>>>(in, 256, bins);
  return finished();
}

// case: last_block_not_launched
// Thinks: ceil(n / 128) rounds up. n / 128 has been rounded down before.
// expect: uninitialised_read
__global__ void square_all(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i * i;
}
__global__ void halve_all(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] / 2;  // HERE
}
CASE(last_block_not_launched) {
  const int n = 300;
  Device<int> squares(n), halves(n);
  square_all<<<static_cast<int>(std::ceil(n / 128)), 128>>>(squares, n);
  halve_all<<<3, 128>>>(squares, halves, n);
  return finished();
}

// case: exchange_of_an_unset_lock
// Thinks: the first exchange sets the lock. It also reads what the lock was.
// expect: uninitialised_read
__global__ void take_unset_lock(int* lock, int* out) {
  *out = atomicExch(lock, 1) == 0;  // HERE
}
CASE(exchange_of_an_unset_lock) {
  Device<int> lock(1), out(1);
  take_unset_lock<<<1, 1>>>(lock, out);
  return finished();
}
