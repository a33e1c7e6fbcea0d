// runtime_separate_missing: compiled with -rdc=true, and one of its kernels calls a function that no file defines.
#include <cstdio>

__device__ int nobody_wrote(int);

__global__ void complete(int* p) { *p = 7; }
__global__ void incomplete(int* p) { *p = nobody_wrote(42); }

int main() {
  int* d = nullptr;
  cudaMalloc(&d, sizeof *d);
  complete<<<1, 1>>>(d);
  std::printf("complete: %s\n", cudaGetErrorName(cudaGetLastError()));
  incomplete<<<1, 1>>>(d);
  std::printf("incomplete: %s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
