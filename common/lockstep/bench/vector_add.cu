// V: vector add of 2^20 floats, 256 threads a block. Argument: repetitions (0: only start and copies).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kN = 1 << 20, kBlock = 256;

__global__ void vector_add(const float* __restrict__ a, const float* __restrict__ b, int n, float* __restrict__ c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int count, char** arguments) {
  const int repetitions = count > 1 ? std::atoi(arguments[1]) : 1;
  std::vector<float> h_a(kN), h_b(kN), h_c(kN);
  for (int i = 0; i < kN; ++i) h_a[i] = 0.5f * i, h_b[i] = 1.0f - i;
  float *a = nullptr, *b = nullptr, *c = nullptr;
  cudaMalloc(&a, kN * sizeof(float));
  cudaMalloc(&b, kN * sizeof(float));
  cudaMalloc(&c, kN * sizeof(float));
  cudaMemcpy(a, h_a.data(), kN * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, h_b.data(), kN * sizeof(float), cudaMemcpyHostToDevice);
  const auto begin = std::chrono::steady_clock::now();
  for (int r = 0; r < repetitions; ++r) vector_add<<<kN / kBlock, kBlock>>>(a, b, kN, c);
  const cudaError_t error = cudaDeviceSynchronize();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  cudaMemcpy(h_c.data(), c, kN * sizeof(float), cudaMemcpyDeviceToHost);
  bool right = error == cudaSuccess;
  for (int i = 0; repetitions > 0 && i < kN; ++i) right = right && h_c[i] == h_a[i] + h_b[i];
  std::printf("%.6f %s\n", seconds.count(), right ? "ok" : "WRONG");
  return right ? 0 : 1;
}
