// stencils: neighbours in one, two and three dimensions, convolutions and cellular automata. ptxas joins and reuses
// their loads. The counters are compared with those of a card (ncu_equality).
#include "stress.h"

constexpr int kRadius = 3;
constexpr int kBlock = 64;  // threads
__constant__ float c_weights[2 * kRadius + 1];

// `in` begins kRadius elements before the first output.
__global__ void sums_1d(const int* __restrict__ in, int n, int* __restrict__ out) {
  __shared__ int s_data[kBlock + 2 * kRadius];
  const int i = blockIdx.x * kBlock + threadIdx.x, place = threadIdx.x + kRadius;
  s_data[place] = i < n + kRadius ? in[i + kRadius] : 0;
  if (threadIdx.x < kRadius) {
    s_data[threadIdx.x] = in[i];
    s_data[place + kBlock] = i + kBlock < n + kRadius ? in[i + kBlock + kRadius] : 0;
  }
  // Every thread reads its neighbours' elements.
  __syncthreads();
  int sum = 0;
  for (int offset = -kRadius; offset <= kRadius; ++offset) sum += s_data[place + offset];
  if (i < n) out[i] = sum;
}

__global__ void sums_1d_global(const int* in, int n, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int offset = 0; offset <= 2 * kRadius; ++offset) sum += in[i + offset];
  out[i] = sum;
}

// Weights from constant memory, known number of them.
__global__ void convolved(const float* __restrict__ in, int n, float* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k <= 2 * kRadius; ++k) sum += c_weights[k] * in[i + k];
  out[i] = sum;
}

// The number of weights is an argument, and each place is checked.
__global__ void convolved_2d(const float* in, int width, int height, const float* weights, int side, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = 0; dy < side; ++dy)
    for (int dx = 0; dx < side; ++dx) {
      const int u = x + dx - side / 2, v = y + dy - side / 2;
      if (u >= 0 && u < width && v >= 0 && v < height) sum += in[v * width + u] * weights[dy * side + dx];
    }
  out[y * width + x] = sum;
}

// A tile with its border; the border's values are the image's, or 0 outside of it.
__global__ void laplace_2d(const int* __restrict__ in, int width, int height, int* __restrict__ out) {
  constexpr int kTile = 16;
  __shared__ int s_tile[kTile + 2][kTile + 2];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int v = threadIdx.y; v < kTile + 2; v += kTile)
    for (int u = threadIdx.x; u < kTile + 2; u += kTile) {
      const int column = blockIdx.x * kTile + u - 1, row = blockIdx.y * kTile + v - 1;
      const bool inside = column >= 0 && column < width && row >= 0 && row < height;
      s_tile[v][u] = inside ? in[row * width + column] : 0;
    }
  // The tile and its border are complete.
  __syncthreads();
  if (x >= width || y >= height) return;
  const int u = threadIdx.x + 1, v = threadIdx.y + 1;
  out[y * width + x] = s_tile[v - 1][u] + s_tile[v + 1][u] + s_tile[v][u - 1] + s_tile[v][u + 1] - 4 * s_tile[v][u];
}

// Three dimensions: a thread walks along z and keeps three planes' values in registers.
__global__ void star_3d(const float* in, int side, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
  const int plane = side * side, at = y * side + x;
  float below = in[at], here = in[at + plane];
  for (int z = 1; z < side - 1; ++z) {
    const float above = in[at + (z + 1) * plane];
    const float* level = in + z * plane + at;
    out[z * plane + at] = below + above + level[-1] + level[1] + level[-side] + level[side] - 6 * here;
    below = here, here = above;
  }
}

__global__ void naive_3d(const double* __restrict__ in, int side, double* __restrict__ out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= side - 1 || y >= side - 1 || z >= side - 1) return;
  double sum = 0;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dx = -1; dx <= 1; ++dx) sum += in[((z + dz) * side + y) * side + x + dx];
  out[(z * side + y) * side + x] = sum;
}

// The game of life on a torus, one byte for each cell.
__global__ void life(const unsigned char* cells, int side, unsigned char* next) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  const int left = (x + side - 1) % side, right = (x + 1) % side;
  const int up = (y + side - 1) % side * side, down = (y + 1) % side * side, row = y * side;
  const int around = cells[up + left] + cells[up + x] + cells[up + right] + cells[row + left] + cells[row + right] +
                     cells[down + left] + cells[down + x] + cells[down + right];
  next[row + x] = around == 3 || (around == 2 && cells[row + x]);
}

// Jacobi's step; the largest change of a block goes to one word.
__global__ void jacobi(const float* __restrict__ in, int width, int height, float* __restrict__ out, int* change) {
  __shared__ int s_change;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (threadIdx.x == 0 && threadIdx.y == 0) s_change = 0;
  // The block's change is zero.
  __syncthreads();
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
    const int i = y * width + x;
    out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
    atomicMax(&s_change, static_cast<int>(fabsf(out[i] - in[i])));
  }
  // All threads have compared.
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) atomicMax(change, s_change);
}

void run_1d() {
  constexpr int kOut = 3 * kBlock - 13;
  const auto in = host_array<int>(kOut + 2 * kRadius, 100);
  const int* d_in = to_device(in);
  std::vector<int> wanted(kOut);
  std::vector<float> weighted(kOut);
  for (int i = 0; i < kOut; ++i)
    for (int k = 0; k <= 2 * kRadius; ++k)
      wanted[i] += in[i + k], weighted[i] += static_cast<float>((k + 1) * in[i + k]);
  int* out = zeros<int>(kOut);
  sums_1d<<<3, kBlock>>>(d_in, kOut, out);
  expect("sums_1d", out, wanted);
  sums_1d_global<<<3, kBlock>>>(d_in, kOut, out);
  expect("sums_1d_global", out, wanted);
  const std::vector<float> weights{1, 2, 3, 4, 5, 6, 7};
  CUDA_CHECK(cudaMemcpyToSymbol(c_weights, weights.data(), sizeof c_weights));
  float* sums = zeros<float>(kOut);
  convolved<<<3, kBlock>>>(to_device(std::vector<float>(in.begin(), in.end())), kOut, sums);
  expect("convolved", sums, weighted);
}

void run_2d() {
  constexpr int kWidth = 45, kHeight = 27;
  const dim3 grid(3, 2), block(16, 16);
  const auto in = host_array<int>(kWidth * kHeight, 100);
  const auto at = [&](int y, int x) { return x >= 0 && x < kWidth && y >= 0 && y < kHeight ? in[y * kWidth + x] : 0; };
  std::vector<int> wanted;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      wanted.push_back(at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1) - 4 * at(y, x));
  int* out = zeros<int>(kWidth * kHeight);
  laplace_2d<<<grid, block>>>(to_device(in), kWidth, kHeight, out);
  expect("laplace_2d", out, wanted);
  const std::vector<float> weights{0, 1, 0, 1, -4, 1, 0, 1, 0};
  float *floats = to_device(std::vector<float>(in.begin(), in.end())), *sums = zeros<float>(kWidth * kHeight);
  convolved_2d<<<grid, block>>>(floats, kWidth, kHeight, to_device(weights), 3, sums);
  expect("convolved_2d", sums, std::vector<float>(wanted.begin(), wanted.end()));
  jacobi<<<grid, block>>>(floats, kWidth, kHeight, sums, zeros<int>(1));
  finish();
}

int main() {
  run_1d();
  run_2d();
  constexpr int kSide = 19;
  star_3d<<<dim3(2, 3), dim3(16, 8)>>>(device_array<float>(kSide * kSide * kSide, 100), kSide,
                                       zeros<float>(kSide * kSide * kSide));
  naive_3d<<<dim3(2, 3, kSide), dim3(16, 8)>>>(device_array<double>(kSide * kSide * kSide, 100), kSide,
                                               zeros<double>(kSide * kSide * kSide));
  life<<<dim3(3, 5), dim3(16, 8)>>>(device_array<unsigned char>(37 * 37, 2), 37, zeros<unsigned char>(37 * 37));
  finish();
}
