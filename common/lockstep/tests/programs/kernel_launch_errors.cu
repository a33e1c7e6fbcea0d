// Launches from kernels that fail, and what kernels ask about the device: each thread has its own last error,
// attributes are those that the host sees, and grids nest 24 levels deep.

// Flags: -rdc=true -lcudadevrt
#include "device_ints.h"

__global__ void nothing() {}
__global__ void nest(int depth, int* deepest, int* error) {
  *deepest = depth;
  nest<<<1, 1>>>(depth + 1, deepest, error);
  const cudaError_t launched = cudaGetLastError();
  if (launched != cudaSuccess) *error = launched;
}
__global__ void wrong_launches(int* errors, int* attributes) {
  nothing<<<1, 2000>>>();
  errors[0] = cudaPeekAtLastError();
  errors[1] = cudaGetLastError();
  errors[2] = cudaGetLastError();
  nothing<<<0, 32>>>();
  errors[3] = cudaGetLastError() != cudaSuccess;
  cudaStream_t stream;
  errors[4] = cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
  const char* text = cudaGetErrorString(cudaSuccess);
  errors[5] = text[0] == 'n' && text[8] == '\0';
  const char* name = cudaGetErrorName(cudaErrorInvalidValue);
  errors[6] = name[4] == 'E' && name[21] == '\0';
  cudaDeviceGetAttribute(&attributes[0], cudaDevAttrMaxThreadsPerBlock, 0);
  cudaDeviceGetAttribute(&attributes[1], cudaDevAttrMultiProcessorCount, 0);
  cudaDeviceGetAttribute(&attributes[2], cudaDevAttrComputeCapabilityMajor, 0);
  cudaDeviceGetAttribute(&attributes[3], cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  cudaGetDeviceCount(&attributes[4]);
  cudaGetDevice(&attributes[5]);
}

static void facts_and_errors() {
  const DeviceInts errors(7), attributes(6), nesting(2);
  wrong_launches<<<1, 1>>>(errors.d, attributes.d);
  const std::vector<int> got = errors.read(7);
  expect_equal("a launch of 2000 threads fails", got[0] != cudaSuccess, true);
  expect_equal("errors", got, {got[0], got[0], cudaSuccess, 1, cudaErrorInvalidValue, 1, 1});
  std::vector<int> want(6);
  const cudaDeviceAttr wanted[] = {cudaDevAttrMaxThreadsPerBlock, cudaDevAttrMultiProcessorCount,
                                   cudaDevAttrComputeCapabilityMajor, cudaDevAttrMaxSharedMemoryPerBlockOptin};
  for (int i = 0; i < 4; ++i) CUDA_CHECK(cudaDeviceGetAttribute(&want[i], wanted[i], 0));
  want[4] = 1;
  expect_equal("attributes", attributes.read(6), want);
  nest<<<1, 1>>>(0, nesting.d, nesting.d + 1);
  expect_equal("nested grids", nesting.read(2), {24, cudaErrorLaunchMaxDepthExceeded});
}

int main() {
  facts_and_errors();
  return verdict("kernel_launch_errors");
}
