// The card's approximations for doubles, to the last bit: the upper words of 1/x for x in [1, 2), and of 1/sqrt(x) for
// x in [1, 4), for every upper word of a significand. The sums are those of an H200.

#include <cstdint>
#include <vector>

#include "expect.h"

__device__ double inverse(double x) {
  double result;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(x));
  return result;
}
__device__ double inverse_root(double x) {
  double result;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(x));
  return result;
}

using Word = unsigned long long;

__device__ Word mixed(double result, Word i) {
  const Word word = Word(__double2hiint(result));
  return ((word & 0xffffffff) * 0x9e3779b97f4a7c15 ^ i * 0xc2b2ae3d27d4eb4f) >> 7;
}

__global__ void sum_up(Word* sums) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const double one = __hiloint2double(int(1023 << 20 | i), int(i)), two = 2 * one;
  atomicAdd(&sums[0], mixed(inverse(one), i));
  atomicAdd(&sums[1], mixed(inverse_root(one), i));
  atomicAdd(&sums[2], mixed(inverse_root(two), i));
}

__global__ void of_each(const Word* x, Word* inverses, Word* roots) {
  inverses[threadIdx.x] = __double_as_longlong(inverse(__longlong_as_double(x[threadIdx.x])));
  roots[threadIdx.x] = __double_as_longlong(inverse_root(__longlong_as_double(x[threadIdx.x])));
}

int main() {
  Word* device = nullptr;
  CUDA_CHECK(cudaMalloc(&device, 3 * 32 * sizeof(Word)));
  CUDA_CHECK(cudaMemset(device, 0, 3 * sizeof(Word)));
  sum_up<<<4096, 256>>>(device);
  std::vector<Word> sums(3);
  CUDA_CHECK(cudaMemcpy(sums.data(), device, 3 * sizeof(Word), cudaMemcpyDeviceToHost));
  expect_equal("sums", sums, {0xea945749a952f99f, 0x660ce84a113da847, 0xad8d09266be1bdfa});

  const struct {
    Word x, inverse, root;
  } kMeasured[] = {{0x0000000000000000, 0x7ff0000000000000, 0x7ff0000000000000},
                   {0x8000000000000001, 0xfff0000000000000, 0xfff0000000000000},
                   {0x000fffffffffffff, 0x7ff0000000000000, 0x7ff0000000000000},
                   {0x0010000000000000, 0x7fd0000000000000, 0x5fe0000000000000},
                   {0x7fefffffffffffff, 0x0000000000000000, 0x1ff0000000000000},
                   {0x7ff0000000000000, 0x0000000000000000, 0x0000000000000000},
                   {0xfff0000000000000, 0x8000000000000000, 0x7fffffff00000000},
                   {0x7ff0000000000001, 0x0000000000000000, 0x0000000000000000},
                   {0xffffffffffffffff, 0x7fffffff00000000, 0x7fffffff00000000},
                   {0x7fd0000000000000, 0x0010000000000000, 0x2000000000000000},
                   {0x7fe0000000000000, 0x0000000000000000, 0x1ff6a09e00000000},
                   {0xbff0000000000000, 0xbff0000000000000, 0x7fffffff00000000}};
  std::vector<Word> x, inverses, roots;
  for (const auto& one : kMeasured) x.push_back(one.x), inverses.push_back(one.inverse), roots.push_back(one.root);
  const size_t n = x.size();
  CUDA_CHECK(cudaMemcpy(device, x.data(), n * sizeof(Word), cudaMemcpyHostToDevice));
  of_each<<<1, unsigned(n)>>>(device, device + 32, device + 64);
  std::vector<Word> got(n);
  CUDA_CHECK(cudaMemcpy(got.data(), device + 32, n * sizeof(Word), cudaMemcpyDeviceToHost));
  expect_equal("inverses", got, inverses);
  CUDA_CHECK(cudaMemcpy(got.data(), device + 64, n * sizeof(Word), cudaMemcpyDeviceToHost));
  expect_equal("inverse roots", got, roots);
  return verdict("approximations");
}
