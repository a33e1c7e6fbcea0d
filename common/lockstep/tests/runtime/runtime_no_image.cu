// runtime_no_image: calls of a program whose kernels have no image that the device can run. Built for another card
// than this one. The real runtime's answers were recorded on an H200, with code for sm_100 only.
#include <cstdio>

__device__ int g_number = 1;
__global__ void touch(int* p) {
  if (p) p[threadIdx.x] = 1;
}

#define SAY(call) std::printf(#call ": %s\n", cudaGetErrorName(call))

int main() {
  int* d = nullptr;
  int number = 0;
  SAY(cudaMalloc(&d, 64));
  SAY(cudaMemset(d, 0, 64));
  SAY(cudaDeviceSynchronize());
  touch<<<1, 1>>>(d);
  SAY(cudaGetLastError());
  SAY(cudaDeviceSynchronize());
  cudaFuncAttributes attributes;
  SAY(cudaFuncGetAttributes(&attributes, touch));
  SAY(cudaMemcpyFromSymbol(&number, g_number, 4));
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, touch, 256, 0));
  SAY(cudaFree(d));
  SAY(cudaGetLastError());
  SAY(cudaGetLastError());
  return 0;
}
