// runtime_children: mistakes of kernels that launch kernels: `runtime_children outside`, `… function`, `… shape`. The
// messages name the lines of the launches.
#include <cstdio>
#include <cstring>

__global__ void store(int* p, int i) { p[i] = 1; }  // HERE store
__global__ void launch_store(int* p, int i) {
  store<<<1, 1>>>(p, i);  // HERE launch
}
// nvcc calls what CUDA's runtime on the device has; lockstep has not all of it.
__global__ void ask_limit(int* p) {
  size_t bytes = 0;
  *p = cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize);  // HERE limit
}
__global__ void launch_ask_limit(int* p) { ask_limit<<<1, 1>>>(p); }  // HERE launch of limit

__global__ void launch_too_many(int* p) {
  store<<<1, 2000>>>(p, 0);  // HERE wrong shape
}

int main(int argc, char** argv) {
  int* d = nullptr;
  cudaMalloc(&d, 4 * sizeof *d);
  if (argc > 1 && std::strcmp(argv[1], "outside") == 0) launch_store<<<1, 1>>>(d, 4);
  if (argc > 1 && std::strcmp(argv[1], "function") == 0) launch_ask_limit<<<1, 1>>>(d);
  if (argc > 1 && std::strcmp(argv[1], "shape") == 0) launch_too_many<<<1, 1>>>(d);
  if (argc == 1) launch_store<<<1, 1>>>(d, 3);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(d);
  return 0;
}
