// runtime_separate_functions: the other file of runtime_separate.
#include <new>

#include "runtime_separate.h"

__device__ int d_counter = 3;
__constant__ int c_squares[4] = {0, 1, 4, 9};
__managed__ int m_launches = 0;

static __device__ int d_hidden = 200;
static __device__ __noinline__ int hidden(int x) { return x + d_hidden; }
namespace {
__global__ void same_name(int* p) {
  *p = hidden(1);
  tick();
}
}  // namespace

__device__ int twice(int x) { return 2 * x; }
__device__ int successor(int x) { return x + 1; }
__device__ Operation d_operations[2] = {twice, successor};
__device__ int next_scratch(int thread) { return s_scratch[(thread + 1) % blockDim.x]; }
__device__ int countdown_again(int n) { return n == 0 ? 0 : 1 + countdown(n - 1); }
__device__ int Triangle::corners() const { return 3; }
__device__ const Shape* make_triangle(void* place) { return new (place) Triangle; }

int run_second_file(int* d) {
  int value = -1;
  same_name<<<1, 1>>>(d);
  cudaMemcpy(&value, d, sizeof value, cudaMemcpyDeviceToHost);
  fill<<<1, 2>>>(d, 5);
  return value;
}
