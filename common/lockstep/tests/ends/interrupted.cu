// interrupted: a program that waits for a signal in one of several places. argv[1]: the place. Says "ready" when it has
// launched four kernels, one of which has a race.
#include <unistd.h>

#include <csignal>
#include <cstdio>

__global__ void quick(int* p) { p[threadIdx.x] += 1; }

__global__ void race(int* p) {
  __shared__ int s_values[64];
  s_values[threadIdx.x] = p[threadIdx.x];
  p[threadIdx.x] = s_values[63 - threadIdx.x];
}

__global__ void for_ever(volatile int* p) {
  while (p[1] != 12345) p[0] = p[0] + 1;
}

__global__ void counts_for_ever(unsigned* p) {
  for (unsigned long long k = 0;; ++k)
    if (k * k == 2) *p = 1;
}

int main(int argc, char** argv) {
  const char place = argc == 2 ? argv[1][0] : '?';
  if (place == 'o') std::signal(SIGTERM, [](int) { _exit(7); });
  if (place == 'n') std::signal(SIGTERM, SIG_IGN);
  int* p = nullptr;
  cudaMalloc(&p, 4096);
  cudaMemset(p, 0, 4096);
  for (int i = 0; i < 3; ++i) quick<<<1, 32>>>(p);
  race<<<1, 64>>>(p);
  cudaDeviceSynchronize();
  std::puts("ready");
  std::fflush(stdout);
  if (place == 'k' || place == 'o') for_ever<<<2, 1>>>(p);
  if (place == 'i') counts_for_ever<<<8, 32>>>(reinterpret_cast<unsigned*>(p));
  if (place == 'h') pause();
  if (place == 'c')
    for (volatile long i = 0;;) i = i + 1;
  if (place == 'n') sleep(2);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
