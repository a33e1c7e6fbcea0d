// CUDA arrays: copies of rectangles, boxes and rows of bytes, between arrays and to and from memory of both sides; in
// streams, in captures and as nodes of graphs. Kernels see what was copied through a texture.
#include "textures.h"

// Old programs use these, and lockstep has them.
#pragma nv_diag_suppress 1444
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

constexpr int kWidth = 21, kHeight = 9, kRow = kWidth * int(sizeof(int));

__global__ void read_2d(cudaTextureObject_t texture, int width, int* out) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (x < width) out[y * width + x] = tex2D<int>(texture, x + 0.5f, y + 0.5f);
}

static std::vector<int> counting(int n, int first = 0) {
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i) values[i] = first + i;
  return values;
}

static CudaArray<int>& filled(CudaArray<int>& array, int value) {
  array.fill(std::vector<int>(kWidth * kHeight, value));
  return array;
}

static std::vector<int> seen(const CudaArray<int>& array) {
  const TextureObject texture(resource_of(array), {});
  const DeviceArray<int> out(kWidth * kHeight);
  read_2d<<<kHeight, 32>>>(texture, kWidth, out);
  CUDA_CHECK(cudaGetLastError());
  return out.host();
}

// A rectangle with its own pitch goes into the middle of an array, and back out.
static void test_rectangles() {
  CudaArray<int> array(make_cudaExtent(kWidth, kHeight, 0));
  filled(array, -1);
  const std::vector<int> from = counting(8 * 4);  // 4 rows of 8, of which 5 are copied
  CUDA_CHECK(cudaMemcpy2DToArray(array, 3 * sizeof(int), 2, from.data(), 8 * sizeof(int), 5 * sizeof(int), 4,
                                 cudaMemcpyHostToDevice));
  std::vector<int> want(kWidth * kHeight, -1);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 5; ++x) want[(y + 2) * kWidth + x + 3] = y * 8 + x;
  expect_equal("a rectangle in an array", seen(array), want);

  std::vector<int> back(7 * 2, 0), want_back(7 * 2, 0);
  CUDA_CHECK(cudaMemcpy2DFromArray(back.data(), 7 * sizeof(int), array, 4 * sizeof(int), 3, 3 * sizeof(int), 2,
                                   cudaMemcpyDeviceToHost));
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x) want_back[y * 7 + x] = (y + 1) * 8 + x + 1;
  expect_equal("a rectangle out of an array", back, want_back);

  CudaArray<int> other(make_cudaExtent(kWidth + 4, kHeight, 0));
  other.fill(std::vector<int>((kWidth + 4) * kHeight, 0));
  CUDA_CHECK(
      cudaMemcpy2DArrayToArray(other, 8, 1, array, 3 * sizeof(int), 2, 5 * sizeof(int), 4, cudaMemcpyDeviceToDevice));
  std::vector<int> want_other((kWidth + 4) * kHeight, 0);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 5; ++x) want_other[(y + 1) * (kWidth + 4) + x + 2] = y * 8 + x;
  expect_equal("from array to array", other.host(), want_other);
}

// Bytes run on from one row to the next.
static void test_bytes() {
  CudaArray<int> array(make_cudaExtent(kWidth, kHeight, 0)), other(make_cudaExtent(kWidth, kHeight, 0));
  filled(array, -1);
  const std::vector<int> from = counting(60);
  CUDA_CHECK(cudaMemcpyToArray(array, 10 * sizeof(int), 1, from.data(), 60 * sizeof(int), cudaMemcpyHostToDevice));
  std::vector<int> want(kWidth * kHeight, -1), back(60);
  for (int i = 0; i < 60; ++i) want[kWidth + 10 + i] = i;
  expect_equal("bytes into an array", seen(array), want);
  CUDA_CHECK(cudaMemcpyFromArray(back.data(), array, 10 * sizeof(int), 1, 60 * sizeof(int), cudaMemcpyDeviceToHost));
  expect_equal("bytes out of an array", back, from);
  CUDA_CHECK(cudaMemcpyArrayToArray(filled(other, -1), 0, 2, array, 0, 1, 3 * kRow, cudaMemcpyDeviceToDevice));
  std::vector<int> want_other(kWidth * kHeight, -1);
  for (int i = 0; i < 3 * kWidth; ++i) want_other[2 * kWidth + i] = want[kWidth + i];
  expect_equal("rows from array to array", other.host(), want_other);
}

// A box counts elements; so does a position in memory, beside an array.
static void test_boxes() {
  CudaArray<short2> array(make_cudaExtent(6, 5, 4)), other(make_cudaExtent(3, 2, 2));
  std::vector<short2> values;
  for (int i = 0; i < 6 * 5 * 4; ++i) values.push_back(make_short2(short(i), short(-i)));
  array.fill(values);
  cudaMemcpy3DParms p{};
  p.srcArray = array, p.srcPos = make_cudaPos(2, 1, 1);
  p.dstArray = other;
  p.extent = make_cudaExtent(3, 2, 2);
  p.kind = cudaMemcpyDeviceToDevice;
  CUDA_CHECK(cudaMemcpy3D(&p));
  std::vector<int> got, want;
  for (const short2& value : other.host()) got.push_back(value.x);
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x) want.push_back(((z + 1) * 5 + y + 1) * 6 + x + 2);
  expect_equal("a box between arrays", got, want);

  std::vector<short2> back(8 * 3);
  p = {};
  p.srcArray = other;
  p.dstPtr = make_cudaPitchedPtr(back.data(), 8 * sizeof(short2), 8, 3);
  p.dstPos = make_cudaPos(2, 1, 0);
  p.extent = make_cudaExtent(3, 2, 1);
  p.kind = cudaMemcpyDeviceToHost;
  CUDA_CHECK(cudaMemcpy3D(&p));
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x) expect_equal("a box to memory", int(back[(y + 1) * 8 + x + 2].x), want[y * 3 + x]);
}

static void test_streams_and_graphs() {
  CudaArray<int> array(make_cudaExtent(kWidth, kHeight, 0));
  filled(array, 0);
  const size_t bytes = size_t(kRow) * kHeight;
  int *pinned = nullptr, *result = nullptr;
  CUDA_CHECK(cudaMallocHost(&pinned, bytes));
  CUDA_CHECK(cudaMallocHost(&result, bytes));
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  const auto copy_both = [&] {
    CUDA_CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, pinned, kRow, kRow, kHeight, cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaMemcpy2DFromArrayAsync(result, kRow, array, 0, 0, kRow, kHeight, cudaMemcpyDeviceToHost, stream));
  };
  const auto expect_result = [&](const char* what, int first) {
    CUDA_CHECK(cudaStreamSynchronize(stream));
    expect_equal(what, std::vector<int>(result, result + kWidth * kHeight), counting(kWidth * kHeight, first));
  };
  const auto set = [&](int first) {
    for (int i = 0; i < kWidth * kHeight; ++i) pinned[i] = first + i;
  };
  set(10);
  copy_both();
  expect_result("in a stream", 10);

  cudaGraph_t graph;
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  copy_both();
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (const int first : {100, 200}) {
    set(first);
    CUDA_CHECK(cudaGraphLaunch(exec, stream));
    expect_result("captured", first);
  }
  CUDA_CHECK(cudaGraphExecDestroy(exec));
  CUDA_CHECK(cudaGraphDestroy(graph));

  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  cudaMemcpy3DParms p{};
  p.srcArray = array;
  p.dstPtr = make_cudaPitchedPtr(result, kRow, kWidth, kHeight);
  p.extent = make_cudaExtent(kWidth, kHeight, 1);
  p.kind = cudaMemcpyDeviceToHost;
  cudaGraphNode_t node;
  CUDA_CHECK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &p));
  array.fill(counting(kWidth * kHeight, 300));
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(exec, stream));
  expect_result("a node of a graph", 300);
  CUDA_CHECK(cudaGraphExecDestroy(exec));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFreeHost(pinned));
  CUDA_CHECK(cudaFreeHost(result));
}

static void test_descriptions() {
  CudaArray<short4> array(make_cudaExtent(8, 0, 3), cudaArrayLayered);
  cudaChannelFormatDesc desc{};
  cudaExtent extent{};
  unsigned flags = 0;
  CUDA_CHECK(cudaArrayGetInfo(&desc, &extent, &flags, array));
  expect_equal("extent", std::vector<size_t>{extent.width, extent.height, extent.depth}, std::vector<size_t>{8, 0, 3});
  expect_equal("flags", flags, unsigned(cudaArrayLayered));
  expect_equal("channels", std::vector<int>{desc.x, desc.y, desc.z, desc.w, int(desc.f)},
               std::vector<int>{16, 16, 16, 16, int(cudaChannelFormatKindSigned)});
  desc = {};
  CUDA_CHECK(cudaGetChannelDesc(&desc, array));
  expect_equal("channels", desc.w, 16);
  const TextureObject texture(resource_of(array), {cudaAddressModeMirror, cudaFilterModePoint, true});
  cudaResourceDesc resource{};
  CUDA_CHECK(cudaGetTextureObjectResourceDesc(&resource, texture));
  expect_equal("resource", resource.res.array.array == array, true);
  cudaTextureDesc reading{};
  CUDA_CHECK(cudaGetTextureObjectTextureDesc(&reading, texture));
  expect_equal("address mode", int(reading.addressMode[1]), int(cudaAddressModeMirror));
}

int main() {
  test_rectangles();
  test_bytes();
  test_boxes();
  test_streams_and_graphs();
  test_descriptions();
  return verdict("arrays");
}
