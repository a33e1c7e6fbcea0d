// verdict: accepted
// lab: 99
// Objects that live as long as the program: a map filled before main; device memory kept between calls and freed.
#include <map>
#include <string>

#include "sum.h"

static const std::map<std::string, int> kBlocks = {{"small", 64}, {"large", 512}};

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(sum, data[i]);
}

// Made at the first call; its destructor runs at the program's end, when CUDA may be gone already.
struct Kept {
  ~Kept() { cudaFree(place); }
  unsigned* place = nullptr;
};

int reduce_sum(int* data, int n) {
  static Kept kept;
  if (n == 0) return 0;
  if (kept.place == nullptr) CUDA_CHECK(cudaMalloc(&kept.place, sizeof *kept.place));
  CUDA_CHECK(cudaMemset(kept.place, 0, sizeof *kept.place));
  const int block = kBlocks.at(n < 1000 ? "small" : "large");
  add<<<blocks_for(n, block), block>>>(bits(data), n, kept.place);
  CUDA_CHECK(cudaGetLastError());
  unsigned sum = 0;
  CUDA_CHECK(cudaMemcpy(&sum, kept.place, sizeof sum, cudaMemcpyDeviceToHost));
  return static_cast<int>(sum);
}
