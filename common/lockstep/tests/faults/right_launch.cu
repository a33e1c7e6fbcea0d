// right_launch: launches at the limits, and errors that a program expects and reads. Nothing is to be found.
#include <cooperative_groups.h>

#include "case.h"

__global__ void set_index(int* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i;
}

// case: nothing_to_do
// Looks like: zero blocks. The wrapper returns before the launch.
// expect: nothing
static bool set_all(int* a, int n) {
  if (n == 0) return true;
  set_index<<<(n + 255) / 256, 256>>>(a, n);
  return finished();
}
CASE(nothing_to_do) {
  Device<int> a(300);
  return set_all(a, 0) && set_all(a, 300) && a.host() == counting(300);
}

// case: largest_block
// Looks like: too many threads. 1024 are allowed, in any shape.
// expect: nothing
__global__ void set_cube(int* a) {
  const int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  a[i] = i;
}
CASE(largest_block) {
  Device<int> a(1024);
  set_cube<<<1, dim3(4, 4, 64)>>>(a);
  return finished() && a.host() == counting(1024);
}

// case: tallest_grid
// Looks like: too many blocks in y. 65535 are allowed.
// expect: nothing
__global__ void count_blocks(int* count) {
  if (blockIdx.y % 4096 == 0) atomicAdd(count, 1);
}
CASE(tallest_grid) {
  Device<int> count = zeros<int>(1);
  count_blocks<<<dim3(1, 65535), 1>>>(count);
  return finished() && count.host()[0] == 16;
}

// case: all_the_shared_memory
// Looks like: more than 48 KB of shared memory. The kernel was asked, and the card has it.
// expect: nothing
__global__ void touch_ends(int* out, int words) {
  extern __shared__ int s_words[];
  s_words[threadIdx.x * (words - 1)] = threadIdx.x + 1;
  out[threadIdx.x] = s_words[threadIdx.x * (words - 1)];
}
CASE(all_the_shared_memory) {
  cudaDeviceProp card;
  cudaGetDeviceProperties(&card, 0);
  const int bytes = static_cast<int>(card.sharedMemPerBlockOptin);
  cudaFuncSetAttribute(touch_ends, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  Device<int> out(2);
  touch_ends<<<1, 2, bytes>>>(out, bytes / 4);
  return finished() && out.host() == counting(2, 1);
}

// case: too_much_was_refused
// Looks like: an error. The program asks for too much shared memory, is refused, and takes less.
// expect: nothing
CASE(too_much_was_refused) {
  int bytes = 64 << 20;
  while (cudaFuncSetAttribute(touch_ends, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess) {
    cudaGetLastError();
    bytes /= 2;
  }
  Device<int> out(2);
  touch_ends<<<1, 2, bytes>>>(out, bytes / 4);
  return finished() && bytes == 128 << 10;
}

// case: allocation_failed_and_was_read
// Looks like: a failed cudaMalloc. The program reads the error and continues with less.
// expect: nothing
CASE(allocation_failed_and_was_read) {
  int* a = nullptr;
  if (cudaMalloc(&a, size_t{1} << 50) != cudaSuccess) {
    cudaGetLastError();
    cudaMalloc(&a, 256 * sizeof(int));
  }
  set_index<<<1, 256>>>(a, 256);
  const bool right = finished();
  cudaFree(a);
  return right;
}

// case: not_ready_is_no_error
// Looks like: calls that do not return cudaSuccess. cudaErrorNotReady is an answer.
// expect: nothing
CASE(not_ready_is_no_error) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  Device<int> a(256);
  set_index<<<1, 256, 0, stream>>>(a, 256);
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {}
  cudaStreamDestroy(stream);
  return finished() && a.host() == counting(256);
}

// case: block_size_by_occupancy
// Looks like: a launch of whatever size. The runtime proposed it.
// expect: nothing
CASE(block_size_by_occupancy) {
  int blocks = 0, threads = 0;
  cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, set_index);
  Device<int> a(threads);
  set_index<<<1, threads>>>(a, threads);
  return finished() && a.host() == counting(threads);
}

// case: cooperative_that_fits
// Looks like: a cooperative launch of many blocks. The program asked how many fit.
// expect: nothing
__global__ void reverse_grid(const int* in, int* middle, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  middle[i] = in[i];
  // Other blocks' elements are read.
  cooperative_groups::this_grid().sync();
  out[i] = middle[n - 1 - i];
}
CASE(cooperative_that_fits) {
  int a_multiprocessor = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, reverse_grid, 64, 0);
  const int blocks = a_multiprocessor < 8 ? a_multiprocessor : 8, n = 64 * blocks;
  Device<int> in(counting(n)), middle(n), out(n);
  const int* in_data = in;
  int *middle_data = middle, *out_data = out;
  void* arguments[] = {&in_data, &middle_data, &out_data};
  const cudaError_t error = cudaLaunchCooperativeKernel(reverse_grid, dim3(blocks), dim3(64), arguments, 0, nullptr);
  return error == cudaSuccess && finished() && out.host()[0] == n - 1;
}

// case: read_by_the_return_value
// Looks like: launches without cudaGetLastError. cudaLaunchKernel has said that they are fine.
// expect: nothing
CASE(read_by_the_return_value) {
  Device<int> a(64);
  int* data = a;
  int n = 64;
  void* arguments[] = {&data, &n};
  const void* kernel = reinterpret_cast<const void*>(set_index);
  return cudaLaunchKernel(kernel, dim3(1), dim3(64), arguments, 0, nullptr) == cudaSuccess && a.host() == counting(64);
}
