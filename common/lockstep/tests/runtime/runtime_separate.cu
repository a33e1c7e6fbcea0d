// runtime_separate: a program of two files compiled with -rdc=true, which use each other's functions, variables and
// shared arrays, and keep internal names apart. Prints one line for each; all must say ok.
#include "runtime_separate.h"

#include <cstdio>

static __device__ int d_hidden = 10;
static __device__ __noinline__ int hidden(int x) {
  __shared__ int s_own[1];
  s_own[0] = x + d_hidden;
  return s_own[0];
}
namespace {
__global__ void same_name(int* p) { *p = hidden(1); }
}  // namespace

__device__ int countdown(int n) { return n == 0 ? 0 : 1 + countdown_again(n - 1); }

__global__ void calls(int* p) { *p = twice(21); }
__global__ void variables(int* p) { *p = d_counter + c_squares[3] + m_launches; }
__global__ void shared(int* p) {
  s_scratch[threadIdx.x] = 100 + threadIdx.x;
  __syncthreads();
  p[threadIdx.x] = next_scratch(threadIdx.x);
}
__global__ void pointers(int* p) { *p = d_operations[0](4) * 100 + d_operations[1](4); }
__global__ void recursion(int* p) { *p = countdown(9); }
__global__ void duplicates(int* p) { *p = tick(); }
__global__ void classes(int* p) {
  alignas(8) char place[sizeof(Triangle)];
  *p = make_triangle(place)->corners();
}

static void expect(const char* what, const int* d, int want, int thread = 0) {
  int value = -1;
  cudaMemcpy(&value, d + thread, sizeof value, cudaMemcpyDeviceToHost);
  std::printf("%s: %s (%d, %s)\n", what, value == want ? "ok" : "WRONG", value, cudaGetErrorName(cudaGetLastError()));
}

int main() {
  int* d = nullptr;
  cudaMalloc(&d, 32 * sizeof *d);
  calls<<<1, 1>>>(d);
  expect("function of another file", d, 42);
  int counter = 7;
  cudaMemcpyToSymbol(d_counter, &counter, sizeof counter);
  m_launches = 1000;
  variables<<<1, 1>>>(d);
  expect("variables of another file", d, 7 + 9 + 1000);
  shared<<<1, 32, 32 * sizeof(int)>>>(d);
  expect("extern shared array", d, 100, 31);
  pointers<<<1, 1>>>(d);
  expect("function pointers", d, 805);
  recursion<<<1, 1>>>(d);
  expect("recursion through both files", d, 9);
  classes<<<1, 1>>>(d);
  expect("virtual function of another file", d, 3);
  same_name<<<1, 1>>>(d);
  expect("own function of a name", d, 11);
  std::printf("the other file's own: %s\n", run_second_file(d) == 201 ? "ok" : "WRONG");
  duplicates<<<1, 1>>>(d);
  expect("a static variable of an inline function is one", d, 2);
  fill<<<1, 2>>>(d, 5);
  expect("a template in both files", d, 16, 1);
  cudaFree(d);
  return 0;
}
