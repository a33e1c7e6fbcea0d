// verdict: runtime error · runtime
// lab: 02
// PTX written by hand, in which 131,072 braces are open at once: the stack of a recursive parser is too small for them.
#include "right.h"

#define TWICE(text) text text
#define EIGHT(text) TWICE(TWICE(TWICE(text)))
#define MANY(text) EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(TWICE(TWICE(text)))))))

static __global__ void nested(int* data) {
  asm volatile(MANY("{") "st.global.u32 [%0], 1;" MANY("}")::"l"(data) : "memory");
}

int reduce_sum(int* data, int n) {
  const int sum = right_sum(data, n);
  if (n > 0) nested<<<1, 1>>>(data);
  CUDA_CHECK(cudaGetLastError());
  return sum;
}
