// Textures: every filter, address mode and dimension, layers, cubemaps, linear and pitched memory, gathers, and what
// becomes of each type of element. The CPU works out each answer from CUDA's formulas, with the weights of an H200.
#include "textures.h"

#include <cuda_fp16.h>

using Coordinates = std::vector<float4>;

template <class T>
__global__ void fetch(cudaTextureObject_t texture, int axes, const float4* at, int n, T* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 c = at[i];
  if (axes == 1) out[i] = tex1D<T>(texture, c.x);
  if (axes == 2) out[i] = tex2D<T>(texture, c.x, c.y);
  if (axes == 3) out[i] = tex3D<T>(texture, c.x, c.y, c.z);
}

__global__ void fetch_levels(cudaTextureObject_t texture, const float4* at, int n, float* out) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const float4 c = at[i];
  const float2 none = make_float2(0, 0);
  out[2 * i] = tex2DLod<float>(texture, c.x, c.y, 0);
  out[2 * i + 1] = tex2DGrad<float>(texture, c.x, c.y, none, none);
}

__global__ void fetch_layer(cudaTextureObject_t texture, int axes, const float4* at, int n, float* out) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const float4 c = at[i];
  out[i] = axes == 1 ? tex1DLayered<float>(texture, c.x, int(c.w)) : tex2DLayered<float>(texture, c.x, c.y, int(c.w));
}

__global__ void fetch_cube(cudaTextureObject_t texture, bool layered, const float4* at, int n, float* out) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const float4 c = at[i];
  out[i] =
      layered ? texCubemapLayered<float>(texture, c.x, c.y, c.z, int(c.w)) : texCubemap<float>(texture, c.x, c.y, c.z);
}

template <class T>
__global__ void fetch_linear(cudaTextureObject_t texture, int first, int n, T* out) {
  const int i = threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<T>(texture, first + i);
}

__global__ void gather(cudaTextureObject_t texture, const float4* at, int n, float4* out) {
  const int i = threadIdx.x;
  if (i < n) out[i] = tex2Dgather<float4>(texture, at[i].x, at[i].y, 1);
}

// Neighbouring lanes read two textures.
__global__ void fetch_either(cudaTextureObject_t even, cudaTextureObject_t odd, int n, float* out) {
  const int i = threadIdx.x;
  if (i < n) out[i] = tex1D<float>(i % 2 ? odd : even, i + 0.5f);
}

// ---- the CPU's answers ----

// The element at an index that may lie outside, one axis at a time. False: the border.
static bool bring_inside(int& i, int n, cudaTextureAddressMode mode) {
  if (i >= 0 && i < n) return true;
  if (mode == cudaAddressModeBorder) return false;
  if (mode == cudaAddressModeClamp) i = i < 0 ? 0 : n - 1;
  while (i < 0 || i >= n) {
    if (mode == cudaAddressModeWrap) i += i < 0 ? n : -n;
    if (mode == cudaAddressModeMirror) i = i < 0 ? -1 - i : 2 * n - 1 - i;
  }
  return true;
}

// Without normalized coordinates, wrap and mirror are clamp.
static cudaTextureAddressMode mode_of(const Reading& r) {
  return r.normalized || r.mode == cudaAddressModeBorder ? r.mode : cudaAddressModeClamp;
}

// Clamp holds a place inside the texture, so that it lies on an element, not between two.
static bool is_held(int i, int n, const Reading& r) {
  return mode_of(r) == cudaAddressModeClamp && (i < 0 || i + 1 >= n);
}

static double element(const HostVolume<float>& v, const Reading& r, const int* index) {
  const cudaTextureAddressMode mode = mode_of(r);
  int x = index[0], y = index[1], z = index[2];
  const bool inside =
      bring_inside(x, v.width, mode) && bring_inside(y, v.height, mode) && bring_inside(z, v.slices, mode);
  return inside ? v.at(x, y, z) : r.border;
}

// `whole` and a weight in steps of 1/256: the part, rounded.
static int share(int whole, int part) { return (whole * part + 128) / 256; }

// The weights of the corners in steps of 1/256, as a card shares 256 out: along z, then x, then y.
static std::vector<int> weights_of(const int* fraction) {
  std::vector<int> weights;
  for (const int slice : {256 - fraction[2], fraction[2]}) {
    const int right = share(slice, fraction[0]), left = slice - right;
    const int upper_left = share(left, 256 - fraction[1]), lower_right = share(right, fraction[1]);
    for (const int w : {upper_left, right - lower_right, left - upper_left, lower_right}) weights.push_back(w);
  }
  return weights;
}

// tex(x, y, z) of the guide. y and z of a texture with fewer axes are 0. If the second axis of a texture of one axis
// asks for a border, a linear filter lies half on it.
static double reference(const HostVolume<float>& v, const Reading& r, int axes, const float4& c) {
  const int sizes[] = {v.width, v.height, v.slices};
  const double given[] = {c.x, c.y, c.z};
  const bool linear = r.filter == cudaFilterModeLinear;
  int base[3] = {}, fraction[3] = {};
  for (int a = 0; a < axes; ++a) {
    const double x = given[a] * (r.normalized ? sizes[a] : 1);
    const int steps = int(std::floor((linear ? x - 0.5 : x) * 256 + (linear ? 0.5 : 0)));
    base[a] = steps >> 8;
    fraction[a] = linear && !is_held(base[a], sizes[a], r) ? steps & 255 : 0;
  }
  if (axes == 1 && linear && r.mode == cudaAddressModeBorder) base[1] = -1, fraction[1] = 128;
  const std::vector<int> weights = weights_of(fraction);
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const int index[] = {base[0] + (corner & 1), base[1] + (corner >> 1 & 1), base[2] + (corner >> 2)};
    if (weights[corner]) sum += weights[corner] * element(v, r, index);
  }
  return sum / 256;
}

// ---- inputs ----

static HostVolume<float> noise(int width, int height, int slices) {
  HostVolume<float> v(width, height, slices);
  const std::vector<int> values = random_ints(v.all.size(), -100, 100, unsigned(width + 10 * height + 100 * slices));
  for (size_t i = 0; i < values.size(); ++i) v.all[i] = float(values[i]);
  return v;
}

// Coordinates inside and far outside, none near the edge between two elements or two weights: there a card's rounding
// decides.
static Coordinates coordinates(const HostVolume<float>& v, bool normalized, int n) {
  const std::vector<int> steps = random_ints(3 * n, -2 * 64, 3 * 64, 5);
  const int sizes[] = {v.width, v.height, v.slices};
  Coordinates all;
  for (int i = 0; i < n; ++i) {
    float c[3];
    for (int a = 0; a < 3; ++a) {
      const float texel = std::floor(steps[3 * i + a] * sizes[a] / 64.0f) + 0.3f + (steps[3 * i + a] & 7) * 0.05f;
      c[a] = normalized ? texel / sizes[a] : texel;
    }
    all.push_back(make_float4(c[0], c[1], c[2], 0));
  }
  return all;
}

static void expect_close(const char* what, const std::vector<float>& got, const std::vector<double>& want,
                         double tolerance) {
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::abs(got[i] - want[i]) <= tolerance) continue;
    std::printf("%s[%zu]: got %.9g, want %.9g\n", what, i, double(got[i]), want[i]);
    ++failures;
    return;
  }
}

// The elements are whole numbers up to 100, so lockstep's sums are exact. A card rounds in its own way, by up to one
// unit in the last place of the largest element.
constexpr double kRounding = 100.0 / (1 << 23);

static double tolerance_of(const Reading& r) { return r.filter == cudaFilterModeLinear ? kRounding : 0; }

constexpr cudaTextureAddressMode kModes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                             cudaAddressModeBorder};

// ---- tests ----

static void test_modes(int axes) {
  const HostVolume<float> v = noise(13, axes > 1 ? 7 : 1, axes > 2 ? 5 : 1);
  CudaArray<float> array(make_cudaExtent(13, axes > 1 ? 7 : 0, axes > 2 ? 5 : 0));
  array.fill(v.all);
  for (const cudaTextureAddressMode mode : kModes)
    for (const cudaTextureFilterMode filter : {cudaFilterModePoint, cudaFilterModeLinear})
      for (const bool normalized : {false, true}) {
        const Reading reading{mode, filter, normalized, cudaReadModeElementType, 11};
        const TextureObject texture(resource_of(array), reading);
        const Coordinates at = coordinates(v, normalized, 150);
        const DeviceArray<float4> device_at(at);
        const DeviceArray<float> out(at.size());
        fetch<float><<<2, 96>>>(texture, axes, device_at, int(at.size()), out);
        CUDA_CHECK(cudaGetLastError());
        std::vector<double> want;
        for (const float4& c : at) want.push_back(reference(v, reading, axes, c));
        char name[64];
        std::snprintf(name, sizeof name, "%dD mode %d filter %d normalized %d", axes, int(mode), int(filter),
                      normalized);
        expect_close(name, out.host(), want, tolerance_of(reading));
      }
}

static void test_levels() {
  const HostVolume<float> v = noise(8, 8, 1);
  CudaArray<float> array(make_cudaExtent(8, 8, 0));
  array.fill(v.all);
  const Reading reading{cudaAddressModeClamp, cudaFilterModeLinear, false};
  const TextureObject texture(resource_of(array), reading);
  const Coordinates at = coordinates(v, false, 30);
  const DeviceArray<float> out(2 * at.size());
  fetch_levels<<<1, 32>>>(texture, DeviceArray<float4>(at), int(at.size()), out);
  CUDA_CHECK(cudaGetLastError());
  std::vector<double> want;
  for (const float4& c : at)
    for (int times = 0; times < 2; ++times) want.push_back(reference(v, reading, 2, c));
  expect_close("a texture of one level", out.host(), want, tolerance_of(reading));
}

// Each layer is a texture of its own.
static void test_layers(int axes) {
  const HostVolume<float> v = noise(9, axes > 1 ? 6 : 1, 4);
  CudaArray<float> array(make_cudaExtent(9, axes > 1 ? 6 : 0, 4), cudaArrayLayered);
  array.fill(v.all);
  const Reading reading{cudaAddressModeWrap, cudaFilterModeLinear, true};
  const TextureObject texture(resource_of(array), reading);
  Coordinates at = coordinates(v, true, 64);
  std::vector<double> want;
  for (size_t i = 0; i < at.size(); ++i) {
    const int layer = int(i) % 4;
    at[i].w = float(layer);
    HostVolume<float> one(v.width, v.height, 1);
    for (int y = 0; y < v.height; ++y)
      for (int x = 0; x < v.width; ++x) one.at(x, y, 0) = v.at(x, y, layer);
    want.push_back(reference(one, reading, axes, at[i]));
  }
  const DeviceArray<float> out(at.size());
  fetch_layer<<<1, 64>>>(texture, axes, DeviceArray<float4>(at), int(at.size()), out);
  CUDA_CHECK(cudaGetLastError());
  expect_close(axes == 1 ? "1D layers" : "2D layers", out.host(), want, tolerance_of(reading));
}

// The direction to the middle of each element, face by face: which axis leads there, and where s and t lie (CUDA C++
// Programming Guide, "Cubemap Textures", solved for the direction).
static float4 direction(int face, double s, double t) {
  const double u = 2 * s - 1, w = 2 * t - 1;
  const double all[6][3] = {{1, -w, -u}, {-1, -w, u}, {u, 1, w}, {u, -1, -w}, {u, -w, 1}, {-u, -w, -1}};
  return make_float4(float(3 * all[face][0]), float(3 * all[face][1]), float(3 * all[face][2]), 0);
}

static void test_cubes(bool layered) {
  constexpr int kSide = 5, kCubes = 2;
  const int faces = layered ? 6 * kCubes : 6;
  const HostVolume<float> v = noise(kSide, kSide, faces);
  CudaArray<float> array(make_cudaExtent(kSide, kSide, faces), cudaArrayCubemap | (layered ? cudaArrayLayered : 0));
  array.fill(v.all);
  const TextureObject texture(resource_of(array), {cudaAddressModeClamp, cudaFilterModePoint, true});
  Coordinates at;
  std::vector<double> want;
  for (int face = 0; face < faces; ++face)
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) {
        at.push_back(direction(face % 6, (x + 0.5) / kSide, (y + 0.5) / kSide));
        at.back().w = float(face / 6);
        want.push_back(v.at(x, y, face));
      }
  const DeviceArray<float> out(at.size());
  fetch_cube<<<1, 320>>>(texture, layered, DeviceArray<float4>(at), int(at.size()), out);
  CUDA_CHECK(cudaGetLastError());
  expect_close(layered ? "layers of cubemaps" : "cubemap", out.host(), want, 0);
}

// An element's type decides what a fetch returns. T: the type of the fetch; S: of the elements.
template <class T, class S, class Want>
static void test_type(const char* name, const std::vector<S>& values, cudaTextureReadMode read, Want want,
                      cudaChannelFormatDesc desc = cudaCreateChannelDesc<S>()) {
  CudaArray<S> array(make_cudaExtent(values.size(), 0, 0), cudaArrayDefault, desc);
  array.fill(values);
  const TextureObject texture(resource_of(array), {cudaAddressModeClamp, cudaFilterModePoint, false, read});
  Coordinates at;
  for (size_t i = 0; i < values.size(); ++i) at.push_back(make_float4(i + 0.5f, 0, 0, 0));
  const DeviceArray<T> out(at.size());
  fetch<T><<<1, 32>>>(texture, 1, DeviceArray<float4>(at), int(at.size()), out);
  CUDA_CHECK(cudaGetLastError());
  const std::vector<T> got = out.host();
  for (size_t i = 0; i < values.size(); ++i)
    if (!want(got[i], values[i])) {
      std::printf("%s: element %zu is wrong\n", name, i);
      ++failures;
    }
}

static void test_types() {
  const auto same = [](auto got, auto value) { return got == value; };
  const auto element = cudaReadModeElementType, normalized = cudaReadModeNormalizedFloat;
  test_type<int>("int", std::vector<int>{-5, 1 << 30, 7}, element, same);
  test_type<unsigned char>("unsigned char", std::vector<unsigned char>{0, 128, 255}, element, same);
  test_type<signed char>("signed char", std::vector<signed char>{-128, -1, 127}, element, same);
  test_type<short>("short", std::vector<short>{-32768, -2, 32767}, element, same);
  test_type<unsigned short>("unsigned short", std::vector<unsigned short>{0, 40000, 65535}, element, same);
  test_type<uchar4>("uchar4", std::vector<uchar4>{{1, 2, 3, 4}, {250, 251, 252, 253}}, element,
                    [](uchar4 a, uchar4 b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; });
  test_type<short2>("short2", std::vector<short2>{{-1, 2}, {300, -400}}, element,
                    [](short2 a, short2 b) { return a.x == b.x && a.y == b.y; });
  test_type<float4>("float4", std::vector<float4>{{1, 2, 3, 4}, {-5, 6, -7, 8}}, element,
                    [](float4 a, float4 b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; });
  test_type<float>(
      "half", std::vector<__half>{__float2half(1.5f), __float2half(-0.25f)}, element,
      [](float got, __half value) { return got == __half2float(value); }, cudaCreateChannelDescHalf());
  const auto near = [](double a, double b) { return std::abs(a - b) < 1e-6; };
  test_type<float>("unsigned char as float", std::vector<unsigned char>{0, 51, 255}, normalized,
                   [&](float got, unsigned char value) { return near(got, value / 255.0); });
  test_type<float>("signed char as float", std::vector<signed char>{-127, 0, 127}, normalized,
                   [&](float got, signed char value) { return near(got, value / 127.0); });
  test_type<float>("short as float", std::vector<short>{-32767, 100, 32767}, normalized,
                   [&](float got, short value) { return near(got, value / 32767.0); });
  test_type<float2>(
      "ushort2 as floats", std::vector<ushort2>{{0, 65535}, {13107, 1}}, normalized,
      [&](float2 got, ushort2 value) { return near(got.x, value.x / 65535.0) && near(got.y, value.y / 65535.0); });
}

// Outside of linear memory a fetch gives zero.
static void test_linear_memory() {
  const std::vector<int> values = random_ints(20, 1, 1000, 3);
  const DeviceArray<int> memory(values);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = 20 * sizeof(int);
  const TextureObject texture(resource, {});
  const DeviceArray<int> out(32);
  fetch_linear<int><<<1, 32>>>(texture, -4, 32, out);
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> want(32, 0);
  for (int i = 0; i < 20; ++i) want[i + 4] = values[i];
  expect_equal("linear memory", out.host(), want);
}

static void test_pitched_memory() {
  const HostVolume<float> v = noise(37, 6, 1);
  float* memory = nullptr;
  size_t pitch = 0;
  CUDA_CHECK(cudaMallocPitch(&memory, &pitch, 37 * sizeof(float), 6));
  CUDA_CHECK(cudaMemcpy2D(memory, pitch, v.all.data(), 37 * sizeof(float), 37 * sizeof(float), 6, cudaMemcpyDefault));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = 37, resource.res.pitch2D.height = 6, resource.res.pitch2D.pitchInBytes = pitch;
  const Reading reading{cudaAddressModeWrap, cudaFilterModeLinear, true};
  const TextureObject texture(resource, reading);
  const Coordinates at = coordinates(v, true, 60);
  const DeviceArray<float> out(at.size());
  fetch<float><<<1, 64>>>(texture, 2, DeviceArray<float4>(at), int(at.size()), out);
  CUDA_CHECK(cudaGetLastError());
  std::vector<double> want;
  for (const float4& c : at) want.push_back(reference(v, reading, 2, c));
  expect_close("pitched memory", out.host(), want, tolerance_of(reading));
  CUDA_CHECK(cudaFree(memory));
}

// The second channel of four elements, from the lower left on, against the clock.
static void test_gather() {
  std::vector<float2> values;
  for (int i = 0; i < 12; ++i) values.push_back(make_float2(float(-i), float(i * i)));
  CudaArray<float2> array(make_cudaExtent(4, 3, 0), cudaArrayTextureGather);
  array.fill(values);
  const TextureObject texture(resource_of(array), {});
  const Coordinates at = {make_float4(1.1f, 1.2f, 0, 0), make_float4(2.9f, 2.2f, 0, 0), make_float4(3.9f, 0.1f, 0, 0)};
  const DeviceArray<float4> out(at.size());
  gather<<<1, 32>>>(texture, DeviceArray<float4>(at), 3, out);
  CUDA_CHECK(cudaGetLastError());
  const auto value = [&](int x, int y) { return values[std::min(y, 2) * 4 + std::min(x, 3)].y; };
  const int first[3][2] = {{0, 0}, {2, 1}, {3, -1}};
  const std::vector<float4> got = out.host();
  for (int i = 0; i < 3; ++i) {
    const int x = first[i][0], y = first[i][1], above = std::max(y, 0);
    expect_equal("gather", std::vector<float>{got[i].x, got[i].y, got[i].z, got[i].w},
                 std::vector<float>{value(x, y + 1), value(x + 1, y + 1), value(x + 1, above), value(x, above)});
  }
}

static void test_two_in_a_warp() {
  CudaArray<float> even(make_cudaExtent(32, 0, 0)), odd(make_cudaExtent(32, 0, 0));
  std::vector<float> counting(32), negative(32), want(32);
  for (int i = 0; i < 32; ++i) counting[i] = float(i), negative[i] = float(-i), want[i] = i % 2 ? -i : i;
  even.fill(counting);
  odd.fill(negative);
  const DeviceArray<float> out(32);
  const TextureObject one(resource_of(even), {}), other(resource_of(odd), {});
  fetch_either<<<1, 32>>>(one, other, 32, out);
  CUDA_CHECK(cudaGetLastError());
  expect_equal("two textures in a warp", out.host(), want);
}

int main() {
  for (const int axes : {1, 2, 3}) test_modes(axes);
  test_levels();
  for (const int axes : {1, 2}) test_layers(axes);
  for (const bool layered : {false, true}) test_cubes(layered);
  test_types();
  test_linear_memory();
  test_pitched_memory();
  test_gather();
  test_two_in_a_warp();
  return verdict("textures");
}
