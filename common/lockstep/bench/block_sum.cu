// R: sums of 2^20 ints by blocks of 256 threads in shared memory. Argument: repetitions (0 measures only the
// start and the copies).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kN = 1 << 20, kBlock = 256;

__global__ void block_sum(const int* __restrict__ in, int n, int* __restrict__ sums) {
  __shared__ int s_sum[kBlock];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  s_sum[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (tid < half) s_sum[tid] += s_sum[tid + half];
    // The next round reads the sums of other threads.
    __syncthreads();
  }
  if (tid == 0) sums[blockIdx.x] = s_sum[0];
}

int main(int count, char** arguments) {
  const int repetitions = count > 1 ? std::atoi(arguments[1]) : 1;
  std::vector<int> h_in(kN), h_sums(kN / kBlock);
  for (int i = 0; i < kN; ++i) h_in[i] = i % 1000 - 300;
  int *in = nullptr, *sums = nullptr;
  cudaMalloc(&in, kN * sizeof(int));
  cudaMalloc(&sums, h_sums.size() * sizeof(int));
  cudaMemcpy(in, h_in.data(), kN * sizeof(int), cudaMemcpyHostToDevice);
  const auto begin = std::chrono::steady_clock::now();
  for (int r = 0; r < repetitions; ++r) block_sum<<<kN / kBlock, kBlock>>>(in, kN, sums);
  const cudaError_t error = cudaDeviceSynchronize();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  cudaMemcpy(h_sums.data(), sums, h_sums.size() * sizeof(int), cudaMemcpyDeviceToHost);
  bool right = error == cudaSuccess;
  for (int b = 0; repetitions > 0 && b < kN / kBlock; ++b) {
    int want = 0;
    for (int i = 0; i < kBlock; ++i) want += h_in[b * kBlock + i];
    right = right && h_sums[b] == want;
  }
  std::printf("%.6f %s\n", seconds.count(), right ? "ok" : "WRONG");
  return right ? 0 : 1;
}
