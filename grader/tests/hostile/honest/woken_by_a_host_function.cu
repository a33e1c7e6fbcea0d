// verdict: accepted
// lab: 99
// Sleeps until a host function behind the kernel and the copy wakes it.
#include <condition_variable>
#include <mutex>

#include "sum.h"

struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
};

static void open_gate(void* data) {
  Gate& gate = *static_cast<Gate*>(data);
  const std::lock_guard lock(gate.mutex);
  gate.open = true;
  gate.changed.notify_one();
}

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(sum, data[i]);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  Gate gate;
  unsigned *d_sum = nullptr, *sum = nullptr;
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocHost(&sum, sizeof *sum));
  CUDA_CHECK(cudaMallocAsync(&d_sum, sizeof *d_sum, stream));
  CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof *d_sum, stream));
  add<<<blocks_for(n, 256), 256, 0, stream>>>(bits(data), n, d_sum);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyAsync(sum, d_sum, sizeof *sum, cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaFreeAsync(d_sum, stream));
  CUDA_CHECK(cudaLaunchHostFunc(stream, open_gate, &gate));
  {
    std::unique_lock lock(gate.mutex);
    gate.changed.wait(lock, [&] { return gate.open; });
  }
  const unsigned result = *sum;
  CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFreeHost(sum));
  return static_cast<int>(result);
}
