// details: two kernels whose sections Nsight Compute printed on a card: a vector add, and a block sum with a branch,
// shared memory and an atomic. docs/measurements/CARD/details_DATE.csv has what it printed.
__global__ void vector_add(const float* x, const float* y, int n, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

__global__ void block_sum(const float* in, int n, float* total) {
  __shared__ float s_sums[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, tid = threadIdx.x;
  s_sums[tid] = i < n ? in[i] : 0;
  __syncthreads();  // other threads' elements are read from here on
  for (int stride = 1; stride < 256; stride *= 2) {
    if (tid % (2 * stride) == 0) s_sums[tid] += s_sums[tid + stride];
    __syncthreads();  // the next step reads these sums
  }
  if (tid == 0) atomicAdd(total, s_sums[0]);
}

int main() {
  const int n = 1000003;
  float *x, *y, *out;
  cudaMalloc(&x, n * 4), cudaMalloc(&y, n * 4), cudaMalloc(&out, n * 4);
  cudaMemset(x, 0, n * 4), cudaMemset(y, 0, n * 4), cudaMemset(out, 0, n * 4);
  vector_add<<<(n + 255) / 256, 256>>>(x, y, n, out);
  block_sum<<<(n + 255) / 256, 256>>>(x, n, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
