// array_test: the errors of CUDA arrays, texture objects and surface objects: their codes, and what lockstep says of
// them. The programs arrays.cu, textures.cu and surfaces.cu use them rightly.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/runtime/program.h"

// Old programs use cudaMemcpyToArray and its like.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace lockstep::runtime_test {
namespace {

const cudaChannelFormatDesc kFloat{32, 0, 0, 0, cudaChannelFormatKindFloat};

struct ArrayApi : RuntimeApi {
  // What the call printed on stderr must hold all of these words.
  template <typename Call>
  void expect_told(cudaError_t error, Call&& call, std::initializer_list<const char*> words) {
    testing::internal::CaptureStderr();
    const cudaError_t got = call();
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(got, error) << told;
    for (const char* word : words) EXPECT_NE(told.find(word), std::string::npos) << word << " is not in: " << told;
  }

  static cudaArray_t array(size_t width, size_t height, unsigned flags = 0,
                           const cudaChannelFormatDesc& desc = kFloat) {
    cudaArray_t made = nullptr;
    EXPECT_EQ(cudaMallocArray(&made, &desc, width, height, flags), cudaSuccess);
    return made;
  }
  static cudaResourceDesc resource(cudaArray_t of) {
    cudaResourceDesc desc{};
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = of;
    return desc;
  }
};

TEST_F(ArrayApi, AChannelDescriptorNeedsNoDevice) {
  set("LOCKSTEP_MEMORY", "nonsense");  // every call that starts the device would fail
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc(8, 16, 32, 0, cudaChannelFormatKindUnsigned);
  EXPECT_EQ(desc.x, 8);
  EXPECT_EQ(desc.y, 16);
  EXPECT_EQ(desc.z, 32);
  EXPECT_EQ(desc.w, 0);
  EXPECT_EQ(desc.f, cudaChannelFormatKindUnsigned);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorInitializationError);
}

TEST_F(ArrayApi, OnlyArraysThatCudaHasAreAllocated) {
  cudaArray_t made = nullptr;
  const auto extent = [&](size_t width, size_t height, size_t depth, unsigned flags) {
    const cudaError_t error = cudaMalloc3DArray(&made, &kFloat, {width, height, depth}, flags);
    return error == cudaSuccess ? cudaFreeArray(made) : error;
  };
  EXPECT_EQ(extent(8, 0, 0, 0), cudaSuccess);
  EXPECT_EQ(extent(8, 4, 2, 0), cudaSuccess);
  EXPECT_EQ(extent(8, 0, 3, cudaArrayLayered), cudaSuccess);
  EXPECT_EQ(extent(8, 8, 6, cudaArrayCubemap), cudaSuccess);
  EXPECT_EQ(extent(8, 8, 12, cudaArrayCubemap | cudaArrayLayered), cudaSuccess);
  EXPECT_EQ(extent(8, 8, 0, cudaArrayTextureGather), cudaSuccess);
  for (const auto& [width, height, depth, flags] :
       std::vector<std::tuple<size_t, size_t, size_t, unsigned>>{{0, 4, 0, 0},
                                                                 {8, 0, 3, 0},
                                                                 {200000, 0, 0, 0},
                                                                 {100000, 0, 0, cudaArraySurfaceLoadStore},
                                                                 {8, 4, 20000, 0},
                                                                 {8, 4, 0, cudaArrayLayered},
                                                                 {8, 4, 6, cudaArrayCubemap},
                                                                 {8, 8, 7, cudaArrayCubemap},
                                                                 {8, 8, 8, cudaArrayCubemap | cudaArrayLayered},
                                                                 {8, 8, 2, cudaArrayTextureGather}}) {
    EXPECT_EQ(extent(width, height, depth, flags), cudaErrorInvalidValue) << width << " " << height << " " << depth;
    EXPECT_EQ(made, nullptr);
  }
  EXPECT_EQ(cudaMallocArray(nullptr, &kFloat, 8, 8, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocArray(&made, nullptr, 8, 8, 0), cudaErrorInvalidValue);
  expect_told(cudaErrorNotSupported, [&] { return cudaMallocArray(&made, &kFloat, 8, 8, cudaArraySparse); },
              {"sparse", "not emulated"});
  const cudaChannelFormatDesc three{32, 32, 32, 0, cudaChannelFormatKindFloat};
  const cudaChannelFormatDesc uneven{32, 16, 0, 0, cudaChannelFormatKindSigned};
  const cudaChannelFormatDesc byte_float{8, 0, 0, 0, cudaChannelFormatKindFloat};
  // A message is told once.
  expect_told(cudaErrorInvalidChannelDescriptor, [&] { return cudaMallocArray(&made, &three, 8, 8, 0); },
              {"1, 2 or 4 channels"});
  EXPECT_EQ(cudaMallocArray(&made, &uneven, 8, 8, 0), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(cudaMallocArray(&made, &byte_float, 8, 8, 0), cudaErrorInvalidChannelDescriptor);
}

TEST_F(ArrayApi, AnArrayIsFreedOnce) {
  EXPECT_EQ(cudaFreeArray(nullptr), cudaSuccess);
  const cudaArray_t made = array(8, 4);
  EXPECT_EQ(cudaFree(made), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeArray(made), cudaSuccess);
  expect_told(cudaErrorInvalidValue, [&] { return cudaFreeArray(made); }, {"is not a CUDA array, or it was freed"});
  char bytes[16] = {};
  expect_told(cudaErrorInvalidValue,
              [&] { return cudaMemcpy2DToArray(made, 0, 0, bytes, 16, 16, 1, cudaMemcpyHostToDevice); },
              {"it was freed"});
  cudaExtent extent;
  EXPECT_EQ(cudaArrayGetInfo(nullptr, &extent, nullptr, made), cudaErrorInvalidValue);
  cudaChannelFormatDesc desc;
  EXPECT_EQ(cudaGetChannelDesc(&desc, made), cudaErrorInvalidValue);
}

TEST_F(ArrayApi, AnArrayThatStaysIsALeak) {
  const std::filesystem::path file = report_file();
  set("LOCKSTEP_REPORT", file.string());
  set("LOCKSTEP_CHECKS", "all");
  array(8, 4);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  std::ifstream in(file);
  const nlohmann::json report = nlohmann::json::parse(in);
  ASSERT_EQ(report.at("findings").size(), 1u);
  EXPECT_EQ(report.at("findings")[0].at("kind"), "leak");
  const std::string message = report.at("findings")[0].at("message");
  EXPECT_NE(message.find("an allocation of 128 bytes"), std::string::npos) << message;
}

TEST_F(ArrayApi, NoCopyReachesBeyondAnArray) {
  const cudaArray_t made = array(8, 4);
  std::vector<float> host(100);
  const auto into = [&](size_t x, size_t y, size_t width, size_t height) {
    return cudaMemcpy2DToArray(made, x, y, host.data(), 40, width, height, cudaMemcpyHostToDevice);
  };
  EXPECT_EQ(into(0, 0, 32, 4), cudaSuccess);
  EXPECT_EQ(into(4, 3, 28, 1), cudaSuccess);
  expect_told(cudaErrorInvalidValue, [&] { return into(0, 0, 36, 1); }, {"8 x 4 x 1 elements of 4 bytes"});
  for (const auto& [x, y, width, height] : std::vector<std::tuple<size_t, size_t, size_t, size_t>>{
           {8, 0, 28, 1}, {40, 0, 4, 1}, {0, 0, 4, 5}, {0, 4, 4, 1}, {~size_t{0}, 0, 4, 1}})
    EXPECT_EQ(into(x, y, width, height), cudaErrorInvalidValue) << x << " " << y << " " << width << " " << height;
  EXPECT_EQ(cudaMemcpy2DToArray(made, 0, 0, host.data(), 16, 32, 2, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2DFromArray(nullptr, 32, made, 0, 0, 32, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToArray(made, 4, 3, host.data(), 28, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToArray(made, 4, 3, host.data(), 32, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  cudaMemcpy3DParms box{};
  box.dstArray = made;
  box.srcPtr = {host.data(), 32, 8, 4};
  box.extent = {8, 4, 1};
  box.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&box), cudaSuccess);
  box.dstPos.x = 1;
  EXPECT_EQ(cudaMemcpy3D(&box), cudaErrorInvalidValue);
  box.dstPos = {};
  box.srcArray = made;  // two sources
  EXPECT_EQ(cudaMemcpy3D(&box), cudaErrorInvalidValue);
  box.srcPtr = {};
  box.srcArray = array(8, 4, 0, {8, 0, 0, 0, cudaChannelFormatKindUnsigned});
  EXPECT_EQ(cudaMemcpy3D(&box), cudaErrorInvalidValue) << "elements of two sizes";
}

TEST_F(ArrayApi, AKindThatPutsTheArrayOnTheHostIsCorrected) {
  const cudaArray_t made = array(8, 1);
  std::vector<float> host(8, 3), back(8);
  cudaMemcpy3DParms box{};
  box.dstArray = made;
  box.srcPtr = {host.data(), 32, 8, 1};
  box.extent = {8, 1, 1};
  box.kind = cudaMemcpyHostToHost;
  EXPECT_EQ(cudaMemcpy3D(&box), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2DFromArray(back.data(), 32, made, 0, 0, 32, 1, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(back, host);
}

TEST_F(ArrayApi, TexturesThatCudaRefusesAreRefused) {
  cudaTextureObject_t handle = 7;
  cudaTextureDesc reading{};
  const auto create = [&](const cudaResourceDesc& of) {
    return cudaCreateTextureObject(&handle, &of, &reading, nullptr);
  };
  const cudaArray_t floats = array(8, 4), bytes = array(8, 4, 0, {8, 0, 0, 0, cudaChannelFormatKindUnsigned});
  reading.filterMode = cudaFilterModeLinear;
  EXPECT_EQ(create(resource(floats)), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(handle), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(handle), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDestroySurfaceObject(handle), cudaErrorInvalidValue);
  expect_told(cudaErrorInvalidFilterSetting, [&] { return create(resource(bytes)); }, {"cudaReadModeNormalizedFloat"});
  EXPECT_EQ(handle, 0u);
  reading.readMode = cudaReadModeNormalizedFloat;
  EXPECT_EQ(create(resource(bytes)), cudaSuccess);
  const int no_mode = 4;
  std::memcpy(&reading.addressMode[1], &no_mode, sizeof no_mode);
  EXPECT_EQ(create(resource(floats)), cudaErrorInvalidValue);
  reading.addressMode[1] = cudaAddressModeWrap;
  reading.maxAnisotropy = 4;
  expect_told(cudaErrorNotSupported, [&] { return create(resource(floats)); }, {"anisotropic filters"});
  reading.maxAnisotropy = 1;
  cudaResourceDesc mipmap{};
  mipmap.resType = cudaResourceTypeMipmappedArray;
  expect_told(cudaErrorNotSupported, [&] { return create(mipmap); }, {"mipmapped arrays"});
  const cudaResourceViewDesc view{};
  const cudaResourceDesc of = resource(floats);
  expect_told(cudaErrorNotSupported, [&] { return cudaCreateTextureObject(&handle, &of, &reading, &view); },
              {"resource views"});
  EXPECT_EQ(cudaCreateTextureObject(nullptr, &of, &reading, nullptr), cudaErrorInvalidValue);
}

TEST_F(ArrayApi, LinearAndPitchedMemoryMustBeAlignedAndAllocated) {
  char* memory = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory), 4096), cudaSuccess);
  cudaTextureObject_t handle = 0;
  const cudaTextureDesc reading{};
  cudaResourceDesc linear{}, pitched{};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear = {memory, kFloat, 4096};
  pitched.resType = cudaResourceTypePitch2D;
  pitched.res.pitch2D = {memory, kFloat, 8, 128, 32};
  const auto create = [&](const cudaResourceDesc& of) {
    return cudaCreateTextureObject(&handle, &of, &reading, nullptr);
  };
  EXPECT_EQ(create(linear), cudaSuccess);
  EXPECT_EQ(create(pitched), cudaSuccess);
  linear.res.linear.sizeInBytes = 4100;
  expect_told(cudaErrorInvalidValue, [&] { return create(linear); }, {"not device memory with as many bytes"});
  linear.res.linear = {memory + 4, kFloat, 64};
  expect_told(cudaErrorInvalidValue, [&] { return create(linear); }, {"multiple of 512"});
  pitched.res.pitch2D.pitchInBytes = 36;
  expect_told(cudaErrorInvalidValue, [&] { return create(pitched); }, {"multiple of 32"});
  pitched.res.pitch2D = {memory, kFloat, 9, 4, 32};
  expect_told(cudaErrorInvalidValue, [&] { return create(pitched); }, {"longer than the pitch"});
  size_t most = 0;
  EXPECT_EQ(cudaDeviceGetTexture1DLinearMaxWidth(&most, &kFloat, 0), cudaSuccess);
  EXPECT_EQ(most, size_t{1} << 28);
}

TEST_F(ArrayApi, ASurfaceNeedsAnArrayForSurfaces) {
  cudaSurfaceObject_t handle = 7;
  const cudaResourceDesc plain = resource(array(8, 4)), right = resource(array(8, 4, cudaArraySurfaceLoadStore));
  expect_told(cudaErrorInvalidValue, [&] { return cudaCreateSurfaceObject(&handle, &plain); },
              {"cudaArraySurfaceLoadStore"});
  EXPECT_EQ(handle, 0u);
  EXPECT_EQ(cudaCreateSurfaceObject(&handle, &right), cudaSuccess);
  cudaResourceDesc got{};
  EXPECT_EQ(cudaGetSurfaceObjectResourceDesc(&got, handle), cudaSuccess);
  EXPECT_EQ(got.res.array.array, right.res.array.array);
  EXPECT_EQ(cudaGetTextureObjectResourceDesc(&got, handle), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDestroySurfaceObject(handle), cudaSuccess);
}

TEST_F(ArrayApi, ArraysAreNotAllocatedDuringACapture) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  cudaArray_t made = nullptr;
  EXPECT_EQ(cudaMallocArray(&made, &kFloat, 8, 4, 0), cudaErrorStreamCaptureUnsupported);
}

TEST_F(ArrayApi, TheDeviceTellsTheLargestTextures) {
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(properties.maxTexture2D[1], 65536);
  EXPECT_EQ(properties.maxTexture3D[2], 16384);
  EXPECT_EQ(properties.maxSurfaceCubemapLayered[1], 2046);
  EXPECT_EQ(properties.maxTexture1DMipmap, 0) << "there are no mipmaps";
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMaxTexture2DLayeredLayers, 0), cudaSuccess);
  EXPECT_EQ(value, 2048);
}

}  // namespace
}  // namespace lockstep::runtime_test
