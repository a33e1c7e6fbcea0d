// verdict: accepted
// lab: 99
// Five kernels, one of which is never called, and a pass over partial sums for each level.
#include "common/check.h"
#include "common/contracts/reduction.h"

namespace {

__global__ void clear(unsigned* cells, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) cells[i] = 0;
}
__global__ void never_called(unsigned* cells) { cells[1'000'000'000] = 7; }
__global__ void add_rows(const unsigned* in, int n, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int k = 0; k < 8 && i * 8 + k < n; ++k) sum += in[i * 8 + k];
  if (i * 8 < n) atomicAdd(&out[i % 64], sum);
}
__global__ void halve(unsigned* cells, int half) {
  if (int i = threadIdx.x; i < half) cells[i] += cells[i + half];
}
__global__ void publish(const unsigned* cells, unsigned* result) { *result = cells[0]; }

}  // namespace

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  unsigned *cells = nullptr, *result = nullptr, sum = 0;
  CUDA_CHECK(cudaMalloc(&cells, 64 * sizeof *cells));
  CUDA_CHECK(cudaMalloc(&result, sizeof *result));
  clear<<<2, 32>>>(cells, 64);
  CUDA_CHECK(cudaGetLastError());
  add_rows<<<(n - 1) / 1024 + 1, 128>>>(reinterpret_cast<unsigned*>(data), n, cells);
  CUDA_CHECK(cudaGetLastError());
  for (int half = 32; half > 0; half /= 2) {
    halve<<<1, 32>>>(cells, half);
    CUDA_CHECK(cudaGetLastError());
  }
  publish<<<1, 1>>>(cells, result);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(&sum, result, sizeof sum, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(cells));
  CUDA_CHECK(cudaFree(result));
  return static_cast<int>(sum);
}
