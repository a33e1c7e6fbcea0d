// runtime_separate: built with -rdc=true out of this file and runtime_separate_other.cu. One kernel needs this file
// only, the other calls a function of the other file, for which a device linker is needed.
#include <cstdio>

extern __device__ int twice(int);

__global__ void own_file(int* p) { *p = 7; }
__global__ void other_file(int* p) { *p = twice(42); }

int main() {
  int* d = nullptr;
  int value = 0;
  cudaMalloc(&d, sizeof *d);
  own_file<<<1, 1>>>(d);
  cudaMemcpy(&value, d, sizeof value, cudaMemcpyDeviceToHost);
  std::printf("own file: %d (%s)\n", value, cudaGetErrorName(cudaGetLastError()));
  other_file<<<1, 1>>>(d);
  cudaMemcpy(&value, d, sizeof value, cudaMemcpyDeviceToHost);
  std::printf("other file: %d (%s)\n", value, cudaGetErrorName(cudaGetLastError()));
  return 0;
}
