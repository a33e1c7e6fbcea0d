// verdict: accepted
// lab: 15
// Comments and strings that look like what a cheat would write: ../../solutions, main(, cudaMalloc, asm.
#include "common/check.h"
#include "common/contracts/histogram.h"

/*
#include "../../solutions/15_histogram_global_atomics/histogram.cu"
#include "/etc/passwd"
int main() { _exit(0); }
*/
// extern "C" cudaError_t cudaMalloc(void**, size_t);   \
   the line above goes on here: asm(".incbin \"/etc/passwd\"")

// Why so many places? See /proc/self/maps, ../README.md, and "fork()": nothing of it is used.
static const char* const kNotes =
    "../../solutions/15_histogram_global_atomics/histogram.cu /proc/self/mem PASS " __FILE__;

static __global__ void count_bytes(const unsigned char* data, size_t bytes, unsigned* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < bytes) atomicAdd(&bins[data[i]], 1u);
}

void histogram(const unsigned char* data, size_t bytes, unsigned* bins) {
  CUDA_CHECK(cudaMemset(bins, 0, kBins * sizeof *bins));
  if (bytes == 0 || kNotes == nullptr) return;
  count_bytes<<<(bytes - 1) / 256 + 1, 256>>>(data, bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}
