// algorithms: whole small kernels of courses: n-body, Mandelbrot, queens, k-means, sparse matrices, breadth-first
// search and others. The counters are compared with those of a card (ncu_equality).
#include <numeric>

#include "stress.h"

constexpr int kBlock = 64;  // threads

// The classic tile of bodies in shared memory.
__global__ void n_body(const float4* __restrict__ bodies, int n, float4* __restrict__ forces) {
  __shared__ float4 s_bodies[kBlock];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const float4 mine = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float4 sum = make_float4(0, 0, 0, 0);
  for (int first = 0; first < n; first += kBlock) {
    const int place = first + threadIdx.x;
    s_bodies[threadIdx.x] = place < n ? bodies[place] : make_float4(0, 0, 0, 0);
    // The tile is complete.
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kBlock; ++k) {
      const float4 other = s_bodies[k];
      const float dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float pull = other.w * inverse * inverse * inverse;
      sum.x += pull * dx, sum.y += pull * dy, sum.z += pull * dz;
    }
    // The next round overwrites the tile.
    __syncthreads();
  }
  if (i < n) forces[i] = sum;
}

__global__ void mandelbrot(int width, int height, int limit, unsigned char* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  // Steps of 1/16: all values are exact, so every device stops at the same iteration.
  const float c_re = static_cast<float>(x) / 16 - 2, c_im = static_cast<float>(y) / 16 - 1;
  float re = 0, im = 0;
  int k = 0;
  while (k < limit && re * re + im * im < 4) {
    const float next = re * re - im * im + c_re;
    im = 2 * re * im + c_im;
    re = next;
    ++k;
  }
  out[y * width + x] = static_cast<unsigned char>(k);
}

// Each thread has the first queen's and the second queen's column, and walks through the rest with its own stack.
__global__ void queens(int n, int* solutions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  int columns[8], row = 2, count = 0;
  columns[0] = i / n, columns[1] = i % n;
  const int apart = columns[0] - columns[1];
  if (apart >= -1 && apart <= 1) return;
  columns[2] = -1;
  while (row >= 2) {
    bool free = false;
    while (!free && ++columns[row] < n) {
      free = true;
      for (int k = 0; k < row; ++k) {
        const int distance = columns[k] - columns[row];
        if (distance == 0 || distance == row - k || distance == k - row) free = false;
      }
    }
    if (!free)
      --row;
    else if (row == n - 1)
      ++count;
    else
      columns[++row] = -1;
  }
  atomicAdd(solutions, count);
}

// Assigns points to the nearest centre and sums each centre's points.
__global__ void k_means(const float2* __restrict__ points, int n, const float2* __restrict__ centres, int k,
                        int* __restrict__ nearest, float* sums, int* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = 1e30f;
  int centre = 0;
  for (int c = 0; c < k; ++c) {
    const float dx = points[i].x - centres[c].x, dy = points[i].y - centres[c].y;
    const float distance = dx * dx + dy * dy;
    if (distance < best) best = distance, centre = c;
  }
  nearest[i] = centre;
  atomicAdd(&sums[2 * centre], points[i].x);
  atomicAdd(&sums[2 * centre + 1], points[i].y);
  atomicAdd(&counts[centre], 1);
}

// Compressed rows: one thread for each row.
__global__ void rows_by_threads(const int* starts, const int* columns, const float* values, const float* x, int rows,
                                float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
  y[row] = sum;
}

// One warp for each row.
__global__ void rows_by_warps(const int* __restrict__ starts, const int* __restrict__ columns,
                              const float* __restrict__ values, const float* __restrict__ x, int rows,
                              float* __restrict__ y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = starts[row] + lane; k < starts[row + 1]; k += 32) sum += values[k] * x[columns[k]];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (lane == 0) y[row] = sum;
}

// One level of a breadth-first search, from a list of nodes to the next list.
__global__ void next_level(const int* starts, const int* edges, const int* list, int n, int level, int* levels,
                           int* next, int* next_size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int node = list[i];
  for (int k = starts[node]; k < starts[node + 1]; ++k)
    if (atomicCAS(&levels[edges[k]], -1, level) == -1) next[atomicAdd(next_size, 1)] = edges[k];
}

__global__ void floyd_warshall(int* distances, int n, int through) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= n) return;
  const int detour = distances[row * n + through] + distances[through * n + column];
  if (detour < distances[row * n + column]) distances[row * n + column] = detour;
}

// Horner's rule with the coefficients in shared memory.
__global__ void polynomial(const float* __restrict__ x, int n, const float* __restrict__ coefficients,
                           float* __restrict__ out) {
  __shared__ float s_coefficients[8];
  if (threadIdx.x < 8) s_coefficients[threadIdx.x] = coefficients[threadIdx.x];
  // Every thread reads all coefficients.
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 7; k >= 0; --k) sum = sum * x[i] + s_coefficients[k];
  out[i] = sum;
}

// The longest common subsequence of two strings, one diagonal after the other.
__global__ void longest_common(const char* a, const char* b, int n, int* out) {
  extern __shared__ int s_table[];
  const int side = n + 1, row = threadIdx.x + 1;
  for (int i = threadIdx.x; i < side * side; i += blockDim.x) s_table[i] = 0;
  for (int diagonal = 2; diagonal <= 2 * n; ++diagonal) {
    // The two diagonals before are complete.
    __syncthreads();
    const int column = diagonal - row;
    if (row > n || column < 1 || column > n) continue;
    const int up = s_table[(row - 1) * side + column], left = s_table[row * side + column - 1];
    const bool equal = a[row - 1] == b[column - 1];
    s_table[row * side + column] = equal ? s_table[(row - 1) * side + column - 1] + 1 : max(up, left);
  }
  // The last diagonal is complete.
  __syncthreads();
  if (threadIdx.x == 0) *out = s_table[side * side - 1];
}

// Monte Carlo: each thread has its own generator and counts the points in the circle.
__global__ void points_in_circle(int turns, unsigned* inside) {
  unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u + 1, count = 0;
  for (int k = 0; k < turns; ++k) {
    state = state * 1664525u + 1013904223u;
    const int x = state >> 20, y = state >> 8 & 4095;
    count += x * x + y * y < 4096 * 4096;
  }
  atomicAdd(inside, count);
}

struct Rows {
  std::vector<int> starts{0}, columns;
};

Rows some_rows(int n) {
  Rows rows;
  for (int row = 0; row < n; ++row) {
    for (int k = 0; k < row % 7 + (row == 11) * 50; ++k) rows.columns.push_back((row * 13 + k * 5) % n);
    rows.starts.push_back(static_cast<int>(rows.columns.size()));
  }
  return rows;
}

void run_sparse() {
  constexpr int kRows = 150;
  const Rows matrix = some_rows(kRows);
  const size_t entries = matrix.columns.size();
  const auto values = host_array<float>(entries, 10), x = host_array<float>(kRows, 10);
  std::vector<float> wanted(kRows);
  for (int row = 0; row < kRows; ++row)
    for (int k = matrix.starts[row]; k < matrix.starts[row + 1]; ++k) wanted[row] += values[k] * x[matrix.columns[k]];
  const int *starts = to_device(matrix.starts), *columns = to_device(matrix.columns);
  const float *d_values = to_device(values), *d_x = to_device(x);
  float* y = zeros<float>(kRows);
  rows_by_threads<<<3, kBlock>>>(starts, columns, d_values, d_x, kRows, y);
  expect("rows_by_threads", y, wanted);
  rows_by_warps<<<kRows / 2, kBlock>>>(starts, columns, d_values, d_x, kRows, y);
  expect("rows_by_warps", y, wanted);
  std::vector<int> list(20);
  std::iota(list.begin(), list.end(), 5);
  next_level<<<1, 32>>>(starts, columns, to_device(list), 20, 1, to_device(std::vector<int>(kRows, -1)),
                        zeros<int>(kRows), zeros<int>(1));
  finish();
}

int main() {
  n_body<<<3, kBlock>>>(zeros<float4>(150), 150, zeros<float4>(150));
  mandelbrot<<<dim3(3, 5), dim3(16, 8)>>>(45, 33, 40, zeros<unsigned char>(45 * 33));
  int *solutions = zeros<int>(1), *common = zeros<int>(1);
  queens<<<1, kBlock>>>(6, solutions);
  expect("queens", solutions, {4});
  k_means<<<3, kBlock>>>(zeros<float2>(170), 170, zeros<float2>(5), 5, zeros<int>(170), zeros<float>(10),
                         zeros<int>(5));
  run_sparse();
  floyd_warshall<<<dim3(1, 40), kBlock>>>(device_array<int>(40 * 40, 1000), 40, 7);
  polynomial<<<3, kBlock>>>(device_array<float>(170, 3), 170, device_array<float>(8, 3), zeros<float>(170));
  const char* text = device_array<char>(90, 4);
  longest_common<<<1, kBlock, 41 * 41 * sizeof(int)>>>(text, text + 45, 40, common);
  points_in_circle<<<2, kBlock>>>(25, zeros<unsigned>(1));
  finish();
}
