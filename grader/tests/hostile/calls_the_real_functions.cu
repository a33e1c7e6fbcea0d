// verdict: rule broken · rule.divergence
// lab: 02
// Finds the runtime's functions by dlsym, also lockstep's internal ones, to reset lockstep's counters.
#include <dlfcn.h>

#include <string>

#include "breach.h"
#include "right.h"

static __global__ void sum_kernel(const unsigned* data, int n, unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, data[i]);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  void* runtime = dlopen(("libcudart.so." + std::to_string(CUDART_VERSION / 1000)).c_str(), RTLD_NOW);
  for (const char* name : {"lockstep_reset", "_ZN8lockstep6deviceEv", "_ZN8lockstep6Device6reportEv"})
    breached_if(dlsym(runtime, name) != nullptr, name);
  unsigned *d_sum = nullptr, sum = 0;
  const auto allocate = reinterpret_cast<cudaError_t (*)(void**, size_t)>(dlsym(runtime, "cudaMalloc"));
  CUDA_CHECK(allocate(reinterpret_cast<void**>(&d_sum), sizeof *d_sum));
  CUDA_CHECK(cudaMemset(d_sum, 0, sizeof *d_sum));
  sum_kernel<<<(n - 1) / 1024 + 1, 1024>>>(reinterpret_cast<unsigned*>(data), n, d_sum);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sum));
  return static_cast<int>(sum);
}
