// Surfaces: writes and reads in every dimension, in layers and on the faces of cubemaps, with elements of 1 to 16
// bytes, and what happens at the edges. x counts bytes; y, z and the layer count elements.
#include "textures.h"

#include <cstring>

enum Shape { k1D, k2D, k3D, kLayers1D, kLayers2D, kCube, kCubes };

struct Box {
  Shape shape;
  int width, height, slices;  // 1 for a dimension that is not there
};

template <class T>
__device__ void write_at(cudaSurfaceObject_t s, Shape shape, T value, int x, int y, int z) {
  const int bytes = x * int(sizeof(T));
  if (shape == k1D) surf1Dwrite(value, s, bytes);
  if (shape == k2D) surf2Dwrite(value, s, bytes, y);
  if (shape == k3D) surf3Dwrite(value, s, bytes, y, z);
  if (shape == kLayers1D) surf1DLayeredwrite(value, s, bytes, z);
  if (shape == kLayers2D) surf2DLayeredwrite(value, s, bytes, y, z);
  if (shape == kCube) surfCubemapwrite(value, s, bytes, y, z);
  if (shape == kCubes) surfCubemapLayeredwrite(value, s, bytes, y, z);
}

template <class T>
__device__ T read_at(cudaSurfaceObject_t s, Shape shape, int x, int y, int z) {
  const int bytes = x * int(sizeof(T));
  if (shape == k1D) return surf1Dread<T>(s, bytes);
  if (shape == k2D) return surf2Dread<T>(s, bytes, y);
  if (shape == k3D) return surf3Dread<T>(s, bytes, y, z);
  if (shape == kLayers1D) return surf1DLayeredread<T>(s, bytes, z);
  if (shape == kLayers2D) return surf2DLayeredread<T>(s, bytes, y, z);
  return shape == kCube ? surfCubemapread<T>(s, bytes, y, z) : surfCubemapLayeredread<T>(s, bytes, y, z);
}

template <class T>
__global__ void write_all(cudaSurfaceObject_t s, Box box, const T* from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= box.width * box.height * box.slices) return;
  write_at(s, box.shape, from[i], i % box.width, i / box.width % box.height, i / box.width / box.height);
}

// The elements from the last to the first.
template <class T>
__global__ void read_all(cudaSurfaceObject_t s, Box box, T* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = box.width * box.height * box.slices;
  if (i >= n) return;
  to[n - 1 - i] = read_at<T>(s, box.shape, i % box.width, i / box.width % box.height, i / box.width / box.height);
}

// Reads a frame around the surface, too.
template <cudaSurfaceBoundaryMode mode>
__global__ void read_around(cudaSurfaceObject_t s, int width, int height, int* to) {
  const int x = int(threadIdx.x) - 1, y = int(blockIdx.x) - 1;
  if (x <= width) to[(y + 1) * (width + 2) + x + 1] = surf2Dread<int>(s, x * int(sizeof(int)), y, mode);
}

template <cudaSurfaceBoundaryMode mode>
__global__ void write_around(cudaSurfaceObject_t s, int width) {
  const int x = int(threadIdx.x) - 1, y = int(blockIdx.x) - 1;
  if (x <= width && (mode == cudaBoundaryModeZero || (y < 0 && x >= 0)))
    surf2Dwrite(1000 + x, s, x * int(sizeof(int)), y, mode);
}

// Each thread adds to the element that it read.
__global__ void count_up(cudaSurfaceObject_t s, int width) {
  const int x = threadIdx.x;
  if (x < width) surf1Dwrite(surf1Dread<int>(s, x * 4) + x, s, x * 4);
}

static cudaExtent extent_of(const Box& box) {
  const bool high = box.shape != k1D && box.shape != kLayers1D, deep = box.shape != k1D && box.shape != k2D;
  return make_cudaExtent(box.width, high ? box.height : 0, deep ? box.slices : 0);
}

static unsigned flags_of(Shape shape) {
  const bool layered = shape == kLayers1D || shape == kLayers2D || shape == kCubes;
  const bool cube = shape == kCube || shape == kCubes;
  return cudaArraySurfaceLoadStore | (layered ? cudaArrayLayered : 0) | (cube ? cudaArrayCubemap : 0);
}

template <class T>
static void test(const char* name, const Box& box) {
  const size_t n = size_t(box.width) * box.height * box.slices;
  const std::vector<int> bytes = random_ints(n * sizeof(T), 0, 255, 9);
  std::vector<T> values(n);
  for (size_t i = 0; i < n * sizeof(T); ++i)
    reinterpret_cast<unsigned char*>(values.data())[i] = (unsigned char)bytes[i];
  CudaArray<T> array(extent_of(box), flags_of(box.shape));
  const SurfaceObject surface(array);
  const DeviceArray<T> from(values), to(n);
  const int blocks = int((n + 63) / 64);
  write_all<T><<<blocks, 64>>>(surface, box, from);
  read_all<T><<<blocks, 64>>>(surface, box, to);
  CUDA_CHECK(cudaGetLastError());
  const std::vector<T> in_array = array.host(), turned = to.host();
  for (size_t i = 0; i < n; ++i)
    if (memcmp(&in_array[i], &values[i], sizeof(T)) || memcmp(&turned[n - 1 - i], &values[i], sizeof(T))) {
      std::printf("%s: element %zu is wrong\n", name, i);
      ++failures;
      return;
    }
}

static void test_edges() {
  constexpr int kWidth = 6, kHeight = 3;
  const std::vector<int> values = random_ints(kWidth * kHeight, 1, 99, 4);
  CudaArray<int> array(make_cudaExtent(kWidth, kHeight, 0), cudaArraySurfaceLoadStore);
  array.fill(values);
  const SurfaceObject surface(array);
  const DeviceArray<int> zeros((kWidth + 2) * (kHeight + 2)), nearest((kWidth + 2) * (kHeight + 2));
  read_around<cudaBoundaryModeZero><<<kHeight + 2, kWidth + 2>>>(surface, kWidth, kHeight, zeros);
  read_around<cudaBoundaryModeClamp><<<kHeight + 2, kWidth + 2>>>(surface, kWidth, kHeight, nearest);
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> want_zeros, want_nearest;
  for (int y = -1; y <= kHeight; ++y)
    for (int x = -1; x <= kWidth; ++x) {
      const int inside_x = std::min(std::max(x, 0), kWidth - 1), inside_y = std::min(std::max(y, 0), kHeight - 1);
      const int value = values[inside_y * kWidth + inside_x];
      want_nearest.push_back(value);
      want_zeros.push_back(x == inside_x && y == inside_y ? value : 0);
    }
  expect_equal("reads outside give zeros", zeros.host(), want_zeros);
  expect_equal("reads outside give the nearest element", nearest.host(), want_nearest);

  write_around<cudaBoundaryModeZero><<<kHeight + 2, kWidth + 2>>>(surface, kWidth);
  std::vector<int> want(kWidth * kHeight);
  for (int i = 0; i < kWidth * kHeight; ++i) want[i] = 1000 + i % kWidth;
  expect_equal("writes outside do nothing", array.host(), want);
  array.fill(values);
  // The row above the first is the first. Nobody writes beyond its ends, where two threads would write one element.
  write_around<cudaBoundaryModeClamp><<<1, kWidth>>>(surface, kWidth - 2);
  const std::vector<int> got = array.host();
  for (int x = 0; x < kWidth - 1; ++x) expect_equal("writes outside reach the nearest row", got[x], 1000 + x);
  expect_equal("and only that", std::vector<int>(got.begin() + kWidth, got.end()),
               std::vector<int>(values.begin() + kWidth, values.end()));
}

static void test_order() {
  CudaArray<int> array(make_cudaExtent(32, 0, 0), cudaArraySurfaceLoadStore);
  array.fill(std::vector<int>(32, 5));
  const SurfaceObject surface(array);
  for (int times = 0; times < 3; ++times) count_up<<<1, 32>>>(surface, 32);
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> want(32);
  for (int i = 0; i < 32; ++i) want[i] = 5 + 3 * i;
  expect_equal("a read sees the launch before", array.host(), want);
}

int main() {
  test<float>("1D", {k1D, 100, 1, 1});
  test<float>("2D", {k2D, 21, 9, 1});
  test<float>("3D", {k3D, 11, 5, 4});
  test<float>("1D layers", {kLayers1D, 33, 1, 3});
  test<float>("2D layers", {kLayers2D, 10, 7, 3});
  test<float>("cubemap", {kCube, 4, 4, 6});
  test<float>("cubemaps", {kCubes, 3, 3, 12});
  test<unsigned char>("bytes", {k2D, 19, 3, 1});
  test<short>("short", {k2D, 19, 3, 1});
  test<uchar2>("uchar2", {k2D, 5, 3, 1});
  test<uchar4>("uchar4", {k2D, 5, 3, 1});
  test<short2>("short2", {k2D, 5, 3, 1});
  test<short4>("short4", {k2D, 5, 3, 1});
  test<float2>("float2", {k2D, 5, 3, 1});
  test<int4>("int4", {k2D, 5, 3, 1});
  test_edges();
  test_order();
  return verdict("surfaces");
}
