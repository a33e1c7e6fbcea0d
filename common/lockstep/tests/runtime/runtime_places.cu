// runtime_places: mistakes of the host, so that the findings must name the lines HERE of the program's own code, not of
// the toolkit's header between. Built with -g1 and without.
#include <cuda_runtime.h>

__global__ void store(int* out) { *out = 1; }

static int* allocate(int n) {
  int* memory = nullptr;
  cudaMalloc(&memory, n * sizeof *memory);  // HERE leak
  return memory;
}

__attribute__((noinline)) void use(int n) {
  int* memory = allocate(n);
  store<<<1, 2048>>>(memory);  // HERE launch
}

// Called if there is an argument. It ends the program if the device is another process.
__attribute__((noinline)) int host_reads(const int* memory) { return memory[1]; }  // HERE read

int main(int argc, char**) {
  use(100);
  return argc > 1 ? host_reads(allocate(2)) : 0;
}
