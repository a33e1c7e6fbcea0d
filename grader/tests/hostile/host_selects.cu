// verdict: rule broken · work
// lab: 24
// A kernel copies the input into pinned memory, where the host selects. Another kernel copies the result back.
#include "common/check.h"
#include "common/contracts/select.h"

static __global__ void copy(const int* from, int n, int* to) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
}

void select_positive(const int* in, int n, int* out, int* count) {
  int* pinned = nullptr;
  CUDA_CHECK(cudaMallocHost(&pinned, (n + 1) * sizeof *pinned));
  copy<<<64, 256>>>(in, n, pinned);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  int kept = 0;
  for (int i = 0; i < n; ++i)
    if (pinned[i] > 0) pinned[kept++] = pinned[i];
  copy<<<64, 256>>>(pinned, kept, out);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(count, &kept, sizeof kept, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaFreeHost(pinned));
}
