// runtime_separate: the declarations that its files share; each file is compiled separately with -rdc=true.
#pragma once

extern __device__ int d_counter;       // defined in runtime_separate_functions.cu
extern __constant__ int c_squares[4];  // defined there, too
extern __managed__ int m_launches;     // defined there, too
extern __shared__ int s_scratch[];     // the declarations in all files mean the same memory

using Operation = int (*)(int);
extern __device__ Operation d_operations[2];

__device__ int twice(int x);
__device__ int next_scratch(int thread);  // reads s_scratch, which the kernel wrote
__device__ int countdown(int n);  // recursion across files: runtime_separate.cu ↔ runtime_separate_functions.cu
__device__ int countdown_again(int n);

struct Shape {
  __device__ virtual int corners() const { return 0; }
};
struct Triangle : Shape {
  __device__ int corners() const override;
};
__device__ const Shape* make_triangle(void* place);

// Every file has a copy of these variables; the linker keeps one copy, so that all files count in it.
inline __device__ int tick() {
  static __device__ int ticks;
  return atomicAdd(&ticks, 1) + 1;
}
template <class T>
__device__ __noinline__ T weighted(T x) {
  __shared__ T s_weight;
  s_weight = 3;
  return x * s_weight;
}
template <class T>
__global__ void fill(T* p, T value) {
  p[threadIdx.x] = weighted(value) + threadIdx.x;
}

int run_second_file(int* d);  // launches kernels of runtime_separate_functions.cu
