// verdict: accepted
// lab: 99
// Sums with Thrust, which throws for every error, std::bad_alloc among others, from a vector and from its algorithms.
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>

#include "common/contracts/reduction.h"

int reduce_sum(int* data, int n) {
  const thrust::device_ptr<const unsigned> in(reinterpret_cast<const unsigned*>(data));
  const thrust::device_vector<unsigned> copy(in, in + n);
  return static_cast<int>(thrust::reduce(copy.begin(), copy.end(), 0u));
}
