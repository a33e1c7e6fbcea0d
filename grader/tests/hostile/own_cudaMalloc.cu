// verdict: cheating suspected · symbols
// lab: 02
// Defines cudaMalloc: the runner's device memory is in truth host memory, and a loop there adds it up.
#include <cstdlib>
#include <numeric>

#include "common/check.h"
#include "common/contracts/reduction.h"

// The toolkit's headers declare cudaMalloc in ways of their own; what counts is the linker's name.
int allocate(void** memory, size_t bytes) __asm__("cudaMalloc");
int allocate(void** memory, size_t bytes) {
  *memory = std::malloc(bytes);
  return 0;
}

int reduce_sum(int* data, int n) { return static_cast<int>(std::accumulate(data, data + n, 0u)); }
