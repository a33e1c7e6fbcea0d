// launch: launches that are not possible, and errors that the program does not read: bad_launch, unchecked_error. The
// finding must name the text of `says`.
#include <cooperative_groups.h>

#include "case.h"

__global__ void set_index(int* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i;
}

// case: too_many_threads
// Thinks: one block of n threads is the simplest launch.
// expect: bad_launch
// says: 2048
CASE(too_many_threads) {
  Device<int> a(2048);
  set_index<<<1, 2048>>>(a, 2048);
  return finished();
}

// case: zero_blocks
// Thinks: n / 256 blocks. For 100 elements, that is 0.
// expect: bad_launch
CASE(zero_blocks) {
  const int n = 100;
  Device<int> a(n);
  set_index<<<n / 256, 256>>>(a, n);
  return finished();
}

// case: zero_threads
// Thinks: dim3 wants x and y, and y may be left at 0 for a line.
// expect: bad_launch
CASE(zero_threads) {
  Device<int> a(64);
  set_index<<<1, dim3(64, 0)>>>(a, 64);
  return finished();
}

// case: square_too_large
// Thinks: a block of 64 by 64 is no more than 64 in each direction. It is 4096 in all.
// expect: bad_launch
// says: 4096
CASE(square_too_large) {
  Device<int> a(4096);
  set_index<<<1, dim3(64, 64)>>>(a, 4096);
  return finished();
}

// case: negative_size
// Thinks: a size below zero launches nothing. As an unsigned number it is four thousand million blocks.
// expect: bad_launch
CASE(negative_size) {
  int n = 64;
  Device<int> a(n);
  n -= 1000;
  set_index<<<(n - 255) / 256, 256>>>(a, n);
  return finished();
}

// case: tall_grid
// Thinks: a grid may be as high as it is wide.
// expect: bad_launch
// says: 100000
CASE(tall_grid) {
  Device<int> a(64);
  set_index<<<dim3(1, 100000), 64>>>(a, 64);
  return finished();
}

// case: much_dynamic_shared
// Thinks: the card has 227 KB for a block. Beyond 48 KB the kernel must be asked first.
// expect: bad_launch
// says: 100000
__global__ void use_dynamic(int* a) {
  extern __shared__ int s_a[];
  s_a[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = s_a[threadIdx.x] + 1;
}
CASE(much_dynamic_shared) {
  Device<int> a(counting(64));
  use_dynamic<<<1, 64, 100000>>>(a);
  return finished();
}

// case: cooperative_too_large
// Thinks: a cooperative launch takes any grid. All its blocks must be on the card at once.
// expect: bad_launch
__global__ void meet(int* a) {
  a[0] = 1;
  cooperative_groups::this_grid().sync();
}
CASE(cooperative_too_large) {
  Device<int> a(1);
  int* data = a;
  void* arguments[] = {&data};
  cudaLaunchCooperativeKernel(meet, dim3(1 << 20), dim3(1024), arguments, 0, nullptr);
  return finished();
}

// ---- unchecked_error: the launch is bad, and the program does not read the error ----

// case: nobody_asks
// Thinks: if something were wrong, the program would stop.
// expect: bad_launch
// expect: unchecked_error
CASE(nobody_asks) {
  Device<int> a(2048);
  set_index<<<1, 2048>>>(a, 2048);
  return true;
}

// case: only_the_copy_is_checked
// Thinks: an error shows up in the next call. A launch that never began does not.
// expect: bad_launch
// expect: unchecked_error
CASE(only_the_copy_is_checked) {
  Device<int> a(std::vector<int>(64));
  set_index<<<0, 64>>>(a, 64);
  std::vector<int> values(64);
  return cudaMemcpy(values.data(), a, 64 * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess;
}

// case: only_the_end_is_checked
// Thinks: cudaDeviceSynchronize returns all errors.
// expect: bad_launch
// expect: unchecked_error
CASE(only_the_end_is_checked) {
  Device<int> a(64);
  set_index<<<1, dim3(1, 1, 65)>>>(a, 64);
  return cudaDeviceSynchronize() == cudaSuccess;
}

// case: second_launch_looks_fine
// Thinks: the second kernel ran, so the first did.
// expect: bad_launch
// expect: unchecked_error
CASE(second_launch_looks_fine) {
  Device<int> a(64);
  set_index<<<1, 4096>>>(a, 4096);
  set_index<<<1, 64>>>(a, 64);
  return a.host() == counting(64);
}

// case: result_thrown_away
// Thinks: cudaLaunchKernel launches a kernel. It also says whether it did.
// expect: bad_launch
// expect: unchecked_error
CASE(result_thrown_away) {
  Device<int> a(64);
  int* data = a;
  int n = 64;
  void* arguments[] = {&data, &n};
  cudaLaunchKernel(reinterpret_cast<const void*>(set_index), dim3(1), dim3(2000), arguments, 0, nullptr);
  return true;
}
