// runtime_rewritten: three kernels that ptxas changes: a product of matrices by tiles, a filter that counts in shared
// memory, and a sum at one address. Prints what they find, as the test expects it.
#include <cstdio>
#include <vector>

constexpr int kTile = 16, kSide = 64, kCount = 4000, kBlock = 256;

// Makes a large module of few kernels: each element is a word of the PTX.
#ifdef LARGE_MODULE
struct Table {
  int values[1 << 16];
  constexpr Table() : values() {
    for (int i = 0; i < 1 << 16; ++i) values[i] = 1000 + i;
  }
};
__device__ Table table;
#endif

// kSide x kSide matrices. ptxas loads four neighbours of a row of s_a at once.
__global__ void product(const float* a, const float* b, int side, float* c) {
  __shared__ float s_a[kTile][kTile], s_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < side; tile += kTile) {
    s_a[threadIdx.y][threadIdx.x] = a[row * side + tile + threadIdx.x];
    s_b[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * side + column];
    __syncthreads();  // the tiles are complete
    for (int k = 0; k < kTile; ++k) sum += s_a[threadIdx.y][k] * s_b[k][threadIdx.x];
    __syncthreads();  // slow threads have read them
  }
  c[row * side + column] = sum;
}

// One lane of each warp adds for the others.
__global__ void filter(const int* in, int n, int* out, int* count) {
  __shared__ int s_count;
  if (threadIdx.x == 0) s_count = 0;
  __syncthreads();  // the zero stands there
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool keep = i < n && in[i] > 0;
  int place = 0;
  if (keep) place = atomicAdd(&s_count, 1);
  __syncthreads();  // the block has counted
  if (threadIdx.x == 0) s_count = atomicAdd(count, s_count);
  __syncthreads();  // the block's first place stands there
  if (keep) out[s_count + place] = in[i];
}

__global__ void sum(const int* in, int n, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

int main() {
  const std::vector<float> ones(kSide * kSide, 1);
  const std::vector<int> threes(kCount, 3);
  float *a, *c;
  int *in, *out, *results;
  cudaMalloc(&a, ones.size() * sizeof(float));
  cudaMalloc(&c, ones.size() * sizeof(float));
  cudaMalloc(&in, kCount * sizeof(int));
  cudaMalloc(&out, kCount * sizeof(int));
  cudaMalloc(&results, 2 * sizeof(int));
  cudaMemcpy(a, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(in, threes.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(results, 0, 2 * sizeof(int));
  const dim3 tiles(kSide / kTile, kSide / kTile), tile(kTile, kTile);
  product<<<tiles, tile>>>(a, a, kSide, c);
  const int blocks = (kCount + kBlock - 1) / kBlock;
  filter<<<blocks, kBlock>>>(in, kCount, out, results);
  sum<<<blocks, kBlock>>>(in, kCount, results + 1);
  int found[2];
  float element = 0;
  cudaMemcpy(found, results, sizeof found, cudaMemcpyDeviceToHost);
  cudaMemcpy(&element, c, sizeof element, cudaMemcpyDeviceToHost);
  std::printf("%g %d %d\n", element, found[0], found[1]);
  for (void* array : {static_cast<void*>(a), static_cast<void*>(c), static_cast<void*>(in), static_cast<void*>(out),
                      static_cast<void*>(results)})
    cudaFree(array);
}
