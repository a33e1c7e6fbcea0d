// verdict: accepted
// lab: 99
// Names that the C library, the runner and CUDA also have: in a namespace, static, or as members.
#include "sum.h"

namespace {

int count = 0, index = 0, environ = 0, errno_ = 0;
__global__ void main_kernel(const unsigned* read, int write, unsigned* signal) {
  if (const int time = blockIdx.x * blockDim.x + threadIdx.x; time < write) atomicAdd(signal, read[time]);
}
void exit(int) { ++count; }
void kill() { exit(index); }

}  // namespace

namespace mine {
int main(int) { return environ + errno_; }
cudaError_t cudaMemcpy() { return cudaSuccess; }
struct warpladder {
  static void fork() { kill(); }
};
}  // namespace mine

static void cudaHelper() { mine::warpladder::fork(); }

int reduce_sum(int* data, int n) {
  cudaHelper();
  CUDA_CHECK(mine::cudaMemcpy());
  if (n == mine::main(count)) return 0;
  const Cell sum;
  main_kernel<<<blocks_for(n, 256), 256>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
}
