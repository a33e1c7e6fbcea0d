// verdict: accepted
// lab: 99
// Loads 16 bytes wherever they fit, and the rest one by one.
#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mine = 0;
  if (i < n / 4) {
    const uint4 four = reinterpret_cast<const uint4*>(data)[i];
    mine = four.x + four.y + four.z + four.w;
  } else if (i - n / 4 < n % 4) {
    mine = data[n / 4 * 4 + i - n / 4];
  }
  if (mine != 0) atomicAdd(sum, mine);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const Cell sum;
  add<<<blocks_for(n / 4 + n % 4, 128), 128>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
}
