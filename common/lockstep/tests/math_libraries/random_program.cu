// A program that links cuRAND's functions for the host. Generators of the device give what generators of the host give,
// as NVIDIA documents, in the default order of each type; in the stream of the generator, before a kernel there. With
// an argument MT19937 too, for which the host needs seconds.
#include <curand.h>

#include <vector>

#include "common/lockstep/tests/programs/expect.h"

inline void curand_check(curandStatus_t status, const char* what, int line) {
  if (status == CURAND_STATUS_SUCCESS) return;
  std::fprintf(stderr, "line %d: %s: status %d\n", line, what, int(status));
  std::exit(1);
}
#define CURAND_CHECK(call) curand_check(call, #call, __LINE__)

constexpr size_t kCount = 6000;  // a multiple of the dimensions of the quasirandom types

__global__ void twice(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 2;
}

struct Type {
  curandRngType_t type;
  const char* name;
  bool quasi;
};
constexpr Type kTypes[] = {
    {CURAND_RNG_PSEUDO_XORWOW, "XORWOW", false},
    {CURAND_RNG_PSEUDO_MRG32K3A, "MRG32K3A", false},
    {CURAND_RNG_PSEUDO_MTGP32, "MTGP32", false},
    {CURAND_RNG_PSEUDO_MT19937, "MT19937", false},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, "PHILOX", false},
    {CURAND_RNG_QUASI_SOBOL32, "SOBOL32", true},
    {CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, "scrambled SOBOL32", true},
};

void set_up(curandGenerator_t generator, const Type& type) {
  if (type.quasi)
    CURAND_CHECK(curandSetQuasiRandomGeneratorDimensions(generator, 3));
  else
    CURAND_CHECK(curandSetPseudoRandomGeneratorSeed(generator, 1234));
}

void compare(const Type& type) {
  curandGenerator_t on_device, on_host;
  CURAND_CHECK(curandCreateGenerator(&on_device, type.type));
  CURAND_CHECK(curandCreateGeneratorHost(&on_host, type.type));
  set_up(on_device, type);
  set_up(on_host, type);
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CURAND_CHECK(curandSetStream(on_device, stream));
  unsigned* d_bits;
  float* d_uniform;
  CUDA_CHECK(cudaMalloc(&d_bits, kCount * sizeof *d_bits));
  CUDA_CHECK(cudaMalloc(&d_uniform, kCount * sizeof *d_uniform));
  std::vector<unsigned> bits(kCount), want_bits(kCount);
  std::vector<float> uniform(kCount), want(kCount);
  for (int round = 0; round < 2; ++round) {  // the second call goes on where the first one ended
    CURAND_CHECK(curandGenerate(on_device, d_bits, kCount));
    CURAND_CHECK(curandGenerateUniform(on_device, d_uniform, kCount));
    twice<<<(kCount + 255) / 256, 256, 0, stream>>>(d_uniform, kCount);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaMemcpy(bits.data(), d_bits, kCount * sizeof *d_bits, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(uniform.data(), d_uniform, kCount * sizeof *d_uniform, cudaMemcpyDeviceToHost));
    CURAND_CHECK(curandGenerate(on_host, want_bits.data(), kCount));
    CURAND_CHECK(curandGenerateUniform(on_host, want.data(), kCount));
    for (float& value : want) value *= 2;
    expect_equal(type.name, bits, want_bits);
    expect_equal(type.name, uniform, want);
  }
  CUDA_CHECK(cudaFree(d_bits));
  CUDA_CHECK(cudaFree(d_uniform));
  CURAND_CHECK(curandDestroyGenerator(on_device));
  CURAND_CHECK(curandDestroyGenerator(on_host));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

int main(int argc, char**) {
  for (const Type& type : kTypes)
    if (type.type != CURAND_RNG_PSEUDO_MT19937 || argc > 1) compare(type);
  return verdict("random");
}
