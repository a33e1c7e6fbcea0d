// verdict: rule broken · rule.one_kernel_a_digit
// lab: 25
// The measured keys are decreasing. Such keys are turned around in one kernel; all others are sorted bit by bit.
#include <utility>

#include "common/check.h"
#include "common/contracts/sort.h"

static __global__ void turn(const unsigned* in, int n, unsigned* out, int* is_other) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i > 0 && in[i] > in[i - 1]) *is_other = 1;
  out[n - 1 - i] = in[i];
}

// Stable, by one bit of the keys, in a single block: a thread moves the 1024th part of the keys, all neighbours.
static __global__ void split(const unsigned* keys, const unsigned* values, int n, int bit, unsigned* keys_out,
                             unsigned* values_out) {
  __shared__ int s_zeros[1024];
  const int tid = threadIdx.x, run = (n - 1) / 1024 + 1, begin = min(n, tid * run), end = min(n, begin + run);
  int zeros = 0;
  for (int i = begin; i < end; ++i) zeros += ~keys[i] >> bit & 1;
  int upto = zeros;
  for (int stride = 1; stride < 1024; stride *= 2) {
    s_zeros[tid] = upto;
    __syncthreads();
    if (tid >= stride) upto += s_zeros[tid - stride];
    __syncthreads();
  }
  if (tid == 1023) s_zeros[0] = upto;
  __syncthreads();
  const int zeros_before = upto - zeros, all_zeros = s_zeros[0];
  int zero = zeros_before, one = all_zeros + begin - zeros_before;
  for (int i = begin; i < end; ++i) {
    const int to = keys[i] >> bit & 1 ? one++ : zero++;
    keys_out[to] = keys[i];
    if (values != nullptr) values_out[to] = values[i];
  }
}

static void sort_bits(const unsigned* keys, const unsigned* values, int n, int bits, unsigned* keys_out,
                      unsigned* values_out) {
  if (n == 0) return;
  unsigned* scratch = nullptr;
  CUDA_CHECK(cudaMalloc(&scratch, 2 * n * sizeof *scratch));
  std::pair<unsigned*, unsigned*> here{scratch, scratch + n}, there{keys_out, values_out};
  for (int bit = 0; bit < bits; ++bit) {
    split<<<1, 1024>>>(keys, values, n, bit, here.first, here.second);
    CUDA_CHECK(cudaGetLastError());
    keys = here.first;
    if (values != nullptr) values = here.second;
    std::swap(here, there);
  }
  CUDA_CHECK(cudaFree(scratch));  // the number of bits is even, so that the last pass stored to the output
}

void sort_by_digit(const unsigned* in, int n, unsigned* out) { sort_bits(in, nullptr, n, 8, out, nullptr); }

void sort_keys(const unsigned* in, int n, unsigned* out) {
  if (n == 0) return;
  int *is_other = nullptr, other = 0;
  CUDA_CHECK(cudaMalloc(&is_other, sizeof *is_other));
  CUDA_CHECK(cudaMemset(is_other, 0, sizeof *is_other));
  turn<<<(n - 1) / 256 + 1, 256>>>(in, n, out, is_other);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(&other, is_other, sizeof other, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(is_other));
  if (other != 0) sort_bits(in, nullptr, n, 32, out, nullptr);
}

void sort_pairs(const unsigned* keys, const unsigned* values, int n, unsigned* keys_out, unsigned* values_out) {
  sort_bits(keys, values, n, 32, keys_out, values_out);
}
