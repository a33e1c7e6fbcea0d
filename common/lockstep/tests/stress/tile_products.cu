// tile_products: matrix products and transposes by tiles of shared memory. ptxas joins the loads of their inner loops
// and moves loads across iterations. The counters are compared with those of a card (ncu_equality).
#include "stress.h"

// C = A × B for square matrices of side n. Threads beyond the matrix load zeros.
template <int kTile, class T>
__global__ void product(const T* __restrict__ a, const T* __restrict__ b, int n, T* __restrict__ c) {
  __shared__ T s_a[kTile][kTile], s_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * kTile + x, row = blockIdx.y * kTile + y;
  T sum = 0;
  for (int tile = 0; tile < n; tile += kTile) {
    s_a[y][x] = row < n && tile + x < n ? a[row * n + tile + x] : T(0);
    s_b[y][x] = column < n && tile + y < n ? b[(tile + y) * n + column] : T(0);
    // Every thread reads a row and a column of the tiles.
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += s_a[y][k] * s_b[k][x];
    // Slow threads may still read the tiles; the next round overwrites them.
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

// n is a multiple of the tile, nothing is restrict, and the loop over the tile is not unrolled by nvcc.
template <int kTile>
__global__ void product_exact(float* c, float* a, float* b, int n) {
  __shared__ float s_a[kTile][kTile], s_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < n / kTile; ++tile) {
    s_a[threadIdx.y][threadIdx.x] = a[row * n + tile * kTile + threadIdx.x];
    s_b[threadIdx.y][threadIdx.x] = b[(tile * kTile + threadIdx.y) * n + column];
    // The tiles are complete.
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < kTile; ++k) sum += s_a[threadIdx.y][k] * s_b[k][threadIdx.x];
    // The next round overwrites the tiles.
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// Each thread computes four elements of a column: the values of B stay in registers.
__global__ void product_four_rows(const float* a, const float* b, int n, float* c) {
  constexpr int kTile = 16;
  __shared__ float s_a[4 * kTile][kTile], s_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 4 * kTile, column = blockIdx.x * kTile + x;
  float sums[4] = {};
  for (int tile = 0; tile < n; tile += kTile) {
    for (int r = 0; r < 4; ++r) s_a[y * 4 + r][x] = a[(row + y * 4 + r) * n + tile + x];
    s_b[y][x] = b[(tile + y) * n + column];
    // The tiles are complete.
    __syncthreads();
    for (int k = 0; k < kTile; ++k)
      for (int r = 0; r < 4; ++r) sums[r] += s_a[y * 4 + r][k] * s_b[k][x];
    // The next round overwrites the tiles.
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) c[(row + y * 4 + r) * n + column] = sums[r];
}

template <class T>
__global__ void product_naive(const T* a, const T* b, int n, T* c) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  T sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// kPad = 1 avoids the bank conflicts. Each thread moves kTile / kRows elements.
template <int kTile, int kRows, int kPad>
__global__ void transposed(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_tile[kTile][kTile + kPad];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += kRows)
    if (x < n && y + r < n) s_tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * n + x];
  // The tile is read by columns.
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += kRows)
    if (x < n && y + r < n) out[(y + r) * n + x] = s_tile[threadIdx.x][threadIdx.y + r];
}

__global__ void transposed_naive(const float* in, int width, int height, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

template <class T>
std::vector<T> product_on_host(const std::vector<T>& a, const std::vector<T>& b, int n) {
  std::vector<T> c(n * n);
  for (int row = 0; row < n; ++row)
    for (int k = 0; k < n; ++k)
      for (int column = 0; column < n; ++column) c[row * n + column] += a[row * n + k] * b[k * n + column];
  return c;
}

template <int kTile, class T>
void run_product(int n) {
  const auto a = host_array<T>(n * n, 8), b = host_array<T>(n * n, 5);
  const dim3 grid((n + kTile - 1) / kTile, (n + kTile - 1) / kTile);
  T* c = zeros<T>(n * n);
  product<kTile, T><<<grid, dim3(kTile, kTile)>>>(to_device(a), to_device(b), n, c);
  expect("product", c, product_on_host(a, b, n));
}

void run_other_products() {
  constexpr int kSide = 64;
  const auto a = host_array<float>(kSide * kSide, 8), b = host_array<float>(kSide * kSide, 5);
  float *d_a = to_device(a), *d_b = to_device(b), *c = zeros<float>(kSide * kSide);
  const auto wanted = product_on_host(a, b, kSide);
  product_exact<16><<<dim3(4, 4), dim3(16, 16)>>>(c, d_a, d_b, kSide);
  expect("product_exact<16>", c, wanted);
  product_exact<32><<<dim3(2, 2), dim3(32, 32)>>>(c, d_a, d_b, kSide);
  expect("product_exact<32>", c, wanted);
  product_four_rows<<<dim3(4, 1), dim3(16, 16)>>>(d_a, d_b, kSide, c);
  expect("product_four_rows", c, wanted);
  const auto x = host_array<int>(37 * 37, 9);
  int *d_x = to_device(x), *d_c = zeros<int>(37 * 37);
  product_naive<int><<<dim3(3, 5), dim3(16, 8)>>>(d_x, d_x, 37, d_c);
  expect("product_naive", d_c, product_on_host(x, x, 37));
}

std::vector<float> transposed_on_host(const std::vector<float>& in, int width, int height) {
  std::vector<float> out(in.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) out[x * height + y] = in[y * width + x];
  return out;
}

void run_transposes() {
  constexpr int kSide = 75;
  const auto in = host_array<float>(kSide * kSide, 1000);
  const auto wanted = transposed_on_host(in, kSide, kSide);
  float *d_in = to_device(in), *out = zeros<float>(kSide * kSide);
  transposed<32, 8, 0><<<dim3(3, 3), dim3(32, 8)>>>(d_in, kSide, out);
  expect("transposed<32, 8, 0>", out, wanted);
  transposed<32, 8, 1><<<dim3(3, 3), dim3(32, 8)>>>(d_in, kSide, out);
  expect("transposed<32, 8, 1>", out, wanted);
  transposed<16, 16, 0><<<dim3(5, 5), dim3(16, 16)>>>(d_in, kSide, out);
  expect("transposed<16, 16, 0>", out, wanted);
  const auto wide = host_array<float>(45 * 30, 1000);
  transposed_naive<<<dim3(3, 4), dim3(16, 8)>>>(to_device(wide), 45, 30, out);
  expect("transposed_naive", out, transposed_on_host(wide, 45, 30));
}

int main() {
  run_product<8, float>(37);
  run_product<16, float>(64);
  run_product<16, float>(53);
  run_product<32, float>(50);
  run_product<16, int>(41);
  run_product<16, double>(41);
  run_product<8, double>(24);
  run_other_products();
  run_transposes();
}
