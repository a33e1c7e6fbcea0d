// A program of CUDA 12: calls whose form CUDA 13 has changed, the properties that it has dropped, and launches as nvcc
// 12 makes them. Prints each value that is not the expected one. The last line counts the checks.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

namespace {

int checks = 0, wrong = 0;

void check(const char* what, long long value, long long expected) {
  ++checks;
  if (value == expected) return;
  ++wrong;
  std::printf("%s is %lld, expected %lld\n", what, value, expected);
}
#define CHECK(expression, expected) \
  check(#expression, static_cast<long long>(expression), static_cast<long long>(expected))

__constant__ int step = 3;
__device__ int base = 5;
__managed__ int managed = 7;

__global__ void fill(int* out) { out[threadIdx.x] = base + step * static_cast<int>(threadIdx.x) + managed; }

void launches(int* d) {
  int h[32];
  fill<<<1, 32>>>(d);
  CHECK(cudaGetLastError(), cudaSuccess);
  CHECK(cudaThreadSynchronize(), cudaSuccess);
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost), cudaSuccess);
  CHECK(h[31], 5 + 3 * 31 + 7);
  void* arguments[] = {&d};
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(fill), dim3(1), dim3(32), arguments, 0, nullptr), cudaSuccess);
  fill<<<1, 2048>>>(d);
  CHECK(cudaGetLastError(), cudaErrorInvalidConfiguration);  // CUDA 13 says cudaErrorInvalidValue
}

// The struct is larger than CUDA 13's: all of it is written, and nothing behind it.
void properties() {
  struct {
    cudaDeviceProp properties;
    unsigned char behind[256];
  } all;
  std::memset(&all, 0xaa, sizeof all);
  CHECK(cudaGetDeviceProperties(&all.properties, 0), cudaSuccess);
  CHECK(all.behind[0], 0xaa);
  CHECK(all.properties.reserved[sizeof all.properties.reserved / sizeof all.properties.reserved[0] - 1], 0);
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0), cudaSuccess);
  CHECK(all.properties.clockRate, value);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryClockRate, 0), cudaSuccess);
  CHECK(all.properties.memoryClockRate, value);
  CHECK(all.properties.warpSize, 32);
  CHECK(cudaRuntimeGetVersion(&value), cudaSuccess);
  CHECK(value, CUDART_VERSION);
}

void memory() {
  int* shared = nullptr;
  CHECK(cudaMallocManaged(&shared, 128), cudaSuccess);
  CHECK(cudaMemAdvise(shared, 128, cudaMemAdviseSetPreferredLocation, 0), cudaSuccess);
  CHECK(cudaMemPrefetchAsync(shared, 128, 0), cudaSuccess);
  CHECK(cudaMemPrefetchAsync(shared, 128, cudaCpuDeviceId, nullptr), cudaSuccess);
  CHECK(cudaFree(shared), cudaSuccess);
}

void graphs() {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t a = nullptr, b = nullptr, from[2], to[2];
  size_t count = 2;
  CHECK(cudaGraphCreate(&graph, 0), cudaSuccess);
  CHECK(cudaGraphAddEmptyNode(&a, graph, nullptr, 0), cudaSuccess);
  cudaGraphNodeParams empty{};
  empty.type = cudaGraphNodeTypeEmpty;
  CHECK(cudaGraphAddNode(&b, graph, nullptr, 0, &empty), cudaSuccess);
  CHECK(cudaGraphAddDependencies(graph, &a, &b, 1), cudaSuccess);
  CHECK(cudaGraphGetEdges(graph, from, to, &count), cudaSuccess);
  CHECK(count, 1);
  CHECK(from[0] == a && to[0] == b, true);
  CHECK(cudaGraphNodeGetDependencies(b, from, &count), cudaSuccess);
  CHECK(count == 1 && from[0] == a, true);
  CHECK(cudaGraphNodeGetDependentNodes(a, to, &count), cudaSuccess);
  CHECK(count == 1 && to[0] == b, true);
  CHECK(cudaGraphRemoveDependencies(graph, &a, &b, 1), cudaSuccess);
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, &count), cudaSuccess);
  CHECK(count, 0);
  CHECK(cudaGraphDestroy(graph), cudaSuccess);
}

void capture(int* d) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr, seen = nullptr;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  const cudaGraphNode_t* last = nullptr;
  size_t count = 0;
  CHECK(cudaStreamCreate(&stream), cudaSuccess);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  fill<<<1, 32, 0, stream>>>(d);
  CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, &seen, &last, &count), cudaSuccess);
  CHECK(status, cudaStreamCaptureStatusActive);
  CHECK(count, 1);
  CHECK(cudaStreamUpdateCaptureDependencies(stream, nullptr, 0, cudaStreamSetCaptureDependencies), cudaSuccess);
  CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, &seen, &last, &count), cudaSuccess);
  CHECK(count, 0);
  CHECK(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  CHECK(seen == graph, true);
}

}  // namespace

int main() {
  int* d = nullptr;
  CHECK(cudaMalloc(&d, 4096), cudaSuccess);
  launches(d);
  properties();
  memory();
  graphs();
  capture(d);
  CHECK(cudaFree(d), cudaSuccess);
  CHECK(cudaThreadExit(), cudaSuccess);
  std::printf("%d checks, %d wrong\n", checks, wrong);
  return wrong == 0 ? 0 : 1;
}
