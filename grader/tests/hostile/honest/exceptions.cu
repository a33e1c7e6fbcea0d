// verdict: accepted
// lab: 99
// Throws and catches its own exceptions on the host, through several functions.
#include <stdexcept>
#include <string>

#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(sum, data[i]);
}

struct NothingToDo : std::runtime_error {
  using std::runtime_error::runtime_error;
};

static int checked(int n) {
  if (n == 0) throw NothingToDo("no elements: " + std::to_string(n));
  return n;
}

int reduce_sum(int* data, int n) try {
  const Cell sum;
  add<<<blocks_for(checked(n), 256), 256>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
} catch (const NothingToDo&) { return 0; }
