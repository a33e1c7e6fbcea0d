// api_calls_test: what single calls of the runtime answer: memory, copies, pools, streams, events, kernels, the device,
// errors. api_test calls several together.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <array>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "tests/runtime/program.h"

namespace lockstep::runtime_test {
namespace {

// All blocks of a cooperative launch must be resident at once; those of another launch need not.
TEST_F(RuntimeApi, OnlyACooperativeLaunchHasToFitOnTheCard) {
  const Program program = plain_program();
  unsigned char* d = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 1), cudaSuccess);
  unsigned char value = 1;
  void* arguments[] = {&value, &d};
  EXPECT_EQ(cudaLaunchKernel(&store_stub, dim3(5000), dim3(1), arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaLaunchCooperativeKernel(&store_stub, dim3(2), dim3(1), arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaLaunchCooperativeKernel(&store_stub, dim3(5000), dim3(1), arguments, 0, nullptr),
            cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(RuntimeApi, NullPointersAreRefused) {
  const Program program = plain_program();
  EXPECT_EQ(cudaMalloc(static_cast<void**>(nullptr), 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocManaged(static_cast<void**>(nullptr), 4, cudaMemAttachGlobal), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocHost(static_cast<void**>(nullptr), 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostAlloc(static_cast<void**>(nullptr), 4, cudaHostAllocDefault), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocPitch(nullptr, nullptr, 4, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetSymbolAddress(nullptr, &number_shadow), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetSymbolSize(nullptr, &number_shadow), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchKernel(&store_stub, dim3(1), dim3(1), nullptr, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetValidDevices(nullptr, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetValidDevices(nullptr, 0), cudaSuccess);  // every device is valid
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(RuntimeApi, TheHostReadsAndWritesItsMemoryInPlace) {
  const Program program = plain_program();
  unsigned char *pinned = nullptr, *managed = nullptr;
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&pinned), 2, cudaHostAllocPortable), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&managed), 2, cudaMemAttachGlobal), cudaSuccess);
  for (unsigned char* memory : {pinned, managed}) {
    memory[0] = memory[1] = 3;
    ASSERT_EQ(store(42, memory), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(memory[0], 42);
    EXPECT_EQ(memory[1], 3);
  }
  unsigned flags = 0;
  EXPECT_EQ(cudaHostGetFlags(&flags, pinned), cudaSuccess);
  EXPECT_EQ(flags, cudaHostAllocPortable | cudaHostAllocMapped);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
}

// 228 KiB / (6747 + 1024 bytes) is 30, but a block takes whole units of 128 bytes.
TEST_F(RuntimeApi, OccupancyCountsSharedMemoryInUnits) {
  const Program program = plain_program();
  int blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &store_stub, 32, 6747), cudaSuccess);
  EXPECT_EQ(blocks, 29);
}

// 1 KiB of each block is the system's.
TEST_F(RuntimeApi, OccupancyTellsWhatSharedMemoryIsLeft) {
  const Program program = plain_program();
  const auto left = [](int blocks) {
    size_t bytes = 1;
    EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &store_stub, blocks, 32), cudaSuccess);
    return bytes;
  };
  EXPECT_EQ(left(1), size_t{48} << 10);  // a block has no more without cudaFuncSetAttribute()
  EXPECT_EQ(left(8), (size_t{228} << 10) / 8 - 1024);
  EXPECT_EQ(left(1000), 0u);
}

TEST_F(RuntimeApi, PoolsKeepTheirBooks) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
  void* d = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&d, 1000, pool, nullptr), cudaSuccess);
  uint64_t used = 0, high = 0;
  ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used, 1000u);
  ASSERT_EQ(cudaFreeAsync(d, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high), cudaSuccess);
  EXPECT_EQ(used, 0u);
  EXPECT_EQ(high, 1000u);
  ASSERT_EQ(cudaMallocFromPoolAsync(&d, 1000, pool, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
  EXPECT_EQ(cudaFree(d), cudaSuccess);  // an allocation outlives its pool
}

TEST_F(RuntimeApi, PoolsKeepTheirSettings) {
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  for (const cudaMemPoolAttr attribute : {cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic,
                                          cudaMemPoolReuseAllowInternalDependencies}) {
    int usual = -1, off = 0, now = -1;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &usual), cudaSuccess);
    EXPECT_EQ(usual, 1);
    EXPECT_EQ(cudaMemPoolSetAttribute(pool, attribute, &off), cudaSuccess) << attribute;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &now), cudaSuccess);
    EXPECT_EQ(now, 0) << attribute;
  }
  uint64_t kept = 1 << 20, now = 0;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &now), cudaSuccess);
  EXPECT_EQ(now, kept);
  void* d = nullptr;
  ASSERT_EQ(cudaMallocAsync(&d, 1000, nullptr), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(d, nullptr), cudaSuccess);
  for (const cudaMemPoolAttr high : {cudaMemPoolAttrUsedMemHigh, cudaMemPoolAttrReservedMemHigh})
    EXPECT_EQ(cudaMemPoolSetAttribute(pool, high, &kept), cudaErrorInvalidValue);  // may only be reset
  uint64_t none = 0;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &now), cudaSuccess);
  EXPECT_EQ(now, 0u);
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &none), cudaErrorInvalidValue);
}

TEST_F(RuntimeApi, RegisteredHostMemoryIsRefusedToKernelsByName) {
  std::vector<char> host(4096);
  ASSERT_EQ(cudaHostRegister(host.data(), host.size(), 0), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(host.data() + 100, 10, 0), cudaErrorHostMemoryAlreadyRegistered);
  void* d = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaHostGetDevicePointer(&d, host.data(), 0), cudaErrorNotSupported);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cudaHostAlloc"), std::string::npos);
  EXPECT_EQ(cudaHostUnregister(host.data()), cudaSuccess);
}

TEST_F(RuntimeApi, EveryErrorHasANameAndAText) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorHostMemoryNotRegistered), "cudaErrorHostMemoryNotRegistered");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorHostMemoryNotRegistered), "host memory not registered");
  const std::string unknown = "unrecognized error code";
  EXPECT_EQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), unknown);
  int named = 0;
  for (int code = 0; code < 1000; ++code) {
    const auto error = static_cast<cudaError_t>(code);
    if (cudaGetErrorName(error) == unknown) continue;
    ++named;
    EXPECT_STRNE(cudaGetErrorString(error), "") << cudaGetErrorName(error);
    EXPECT_NE(cudaGetErrorString(error), unknown) << cudaGetErrorName(error);
  }
  EXPECT_GT(named, 100);
}

// A program built with --default-stream per-thread calls other names.
TEST_F(RuntimeApi, EveryFunctionHasItsVariantForTheStreamOfAThread) {
  const auto is_emulated = [](const std::string& name) {
    Dl_info info;
    const ElfW(Sym)* symbol = nullptr;
    void* const address = dlsym(RTLD_DEFAULT, name.c_str());
    if (!dladdr1(address, &info, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)), RTLD_DL_SYMENT) || !symbol)
      ADD_FAILURE() << name << " is not exported";
    return symbol && ELF64_ST_BIND(symbol->st_info) != STB_WEAK;  // what refuses by name is weak
  };
  std::ifstream names(EXPORT_LIST);
  int emulated = 0;
  for (std::string name; std::getline(names, name);) {
    if (!name.ends_with("_ptsz") && !name.ends_with("_ptds")) continue;
    const std::string plain = name.substr(0, name.size() - 5);
    EXPECT_EQ(is_emulated(name), is_emulated(plain)) << name;
    emulated += is_emulated(name);
  }
  EXPECT_GT(emulated, 30);
}

TEST_F(RuntimeApi, SizesThatOverflowAreRefused) {
  cudaPitchedPtr pitched{};
  void* d = nullptr;
  size_t pitch = 0;
  const size_t huge = ~size_t{0};
  EXPECT_EQ(cudaMallocPitch(&d, &pitch, huge, 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocPitch(&d, &pitch, 1, huge), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc3D(&pitched, {512, huge, huge}), cudaErrorMemoryAllocation);
  ASSERT_EQ(cudaMalloc(&d, 4096), cudaSuccess);
  std::vector<char> host(4096);
  EXPECT_EQ(cudaMemcpy2D(d, huge, host.data(), huge, 64, 3, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset2D(d, huge / 2, 0, 64, 4), cudaErrorInvalidValue);
}

// 3 rows of 4 bytes each, and 2 slices of such rows, in pitched memory.
TEST_F(RuntimeApi, RowsAndSlicesAreCopiedAndFilled) {
  std::array<char, 24> out, back{};
  std::iota(out.begin(), out.end(), 1);
  char* d = nullptr;
  size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(reinterpret_cast<void**>(&d), &pitch, 4, 3), cudaSuccess);
  EXPECT_EQ(pitch, 512u);
  ASSERT_EQ(cudaMemset2DAsync(d, pitch, 9, 4, 3, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2DAsync(d, pitch, out.data(), 4, 4, 2, cudaMemcpyHostToDevice, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2D(back.data(), 4, d, pitch, 4, 3, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(std::vector<char>(back.begin(), back.begin() + 12),
            (std::vector<char>{1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9}));
  EXPECT_EQ(cudaMemcpy2D(back.data(), 3, d, pitch, 4, 3, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(back.data(), 4, d, pitch, 4, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset2D(d, pitch, 9, 4, 4), cudaErrorInvalidValue);

  const cudaExtent extent{4, 3, 2};
  cudaPitchedPtr pitched{};
  ASSERT_EQ(cudaMalloc3D(&pitched, extent), cudaSuccess);
  ASSERT_EQ(cudaMemset3D(pitched, 9, extent), cudaSuccess);
  cudaMemcpy3DParms p{};
  p.srcPtr = {out.data(), 4, 4, 3};
  p.dstPtr = pitched;
  p.dstPos = {0, 1, 0};
  p.extent = {4, 2, 2};
  p.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3DAsync(&p, nullptr), cudaSuccess);
  p = {};
  p.srcPtr = pitched;
  p.dstPtr = {back.data(), 4, 4, 3};
  p.extent = extent;
  p.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&p), cudaSuccess);
  EXPECT_EQ(back,
            (std::array<char, 24>{9, 9, 9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 13, 14, 15, 16, 17, 18, 19, 20}));
  EXPECT_EQ(cudaMemcpy3D(nullptr), cudaErrorInvalidValue);
}

// The kind must be true of the device's side. cudaMemcpyDefault looks at the pointers.
TEST_F(RuntimeApi, TheKindOfACopyIsChecked) {
  char host[4] = {1, 2, 3, 4}, back[4] = {};
  char* d = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 4), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host, back, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(back, host, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(d, host, 4, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(d, host, 4, static_cast<cudaMemcpyKind>(7)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(d, host, 4, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(back, d, 4, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(std::string(back, 4), std::string(host, 4));
  EXPECT_EQ(cudaMemcpy(back, d, 5, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, d, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyPeer(d, 0, d, 1, 4), cudaErrorInvalidDevice);
  ASSERT_EQ(cudaFree(d), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(back, d, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
}

TEST_F(RuntimeApi, PartsOfVariablesAreCopied) {
  const Program program = plain_program();
  const unsigned char two[2] = {0x11, 0x22};
  ASSERT_EQ(cudaMemcpyToSymbolAsync(&number_shadow, two, 2, 1, cudaMemcpyHostToDevice, nullptr), cudaSuccess);
  unsigned number = 0;
  ASSERT_EQ(cudaMemcpyFromSymbolAsync(&number, &number_shadow, 4, 0, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  EXPECT_EQ(number, 0x221107u);
  for (const size_t too_far : {size_t{3}, ~size_t{0}})  // the second one overflows
    EXPECT_EQ(cudaMemcpyToSymbol(&number_shadow, two, 2, too_far, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&number_shadow, two, 2, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyFromSymbol(&number, &number_shadow, 2, 0, cudaMemcpyHostToDevice),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyToSymbol(&number, two, 2, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
  void* address = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(cudaGetSymbolAddress(&address, &number_shadow), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolSize(&bytes, &number_shadow), cudaSuccess);
  EXPECT_EQ(bytes, 4u);
  ASSERT_EQ(cudaMemcpy(&number, address, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(number, 0x221107u);
}

TEST_F(RuntimeApi, StreamsKeepWhatTheyAreGiven) {
  int least = -1, greatest = 1, priority = 1;
  ASSERT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_EQ(least, 0);
  EXPECT_LT(greatest, 0);
  cudaStream_t first = nullptr, second = nullptr;
  ASSERT_EQ(cudaStreamCreateWithPriority(&first, cudaStreamNonBlocking, greatest - 1), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&second), cudaSuccess);
  EXPECT_EQ(cudaStreamGetPriority(first, &priority), cudaSuccess);
  EXPECT_EQ(priority, greatest);
  EXPECT_EQ(cudaStreamGetPriority(second, &priority), cudaSuccess);
  EXPECT_EQ(priority, least);
  unsigned flags = 9;
  EXPECT_EQ(cudaStreamGetFlags(first, &flags), cudaSuccess);
  EXPECT_EQ(flags, static_cast<unsigned>(cudaStreamNonBlocking));
  EXPECT_EQ(cudaStreamGetFlags(second, &flags), cudaSuccess);
  EXPECT_EQ(flags, static_cast<unsigned>(cudaStreamDefault));
  EXPECT_EQ(cudaStreamCreateWithFlags(&second, 2), cudaErrorInvalidValue);

  cudaStreamAttrValue value{};
  value.priority = greatest + 1;
  EXPECT_EQ(cudaStreamSetAttribute(second, cudaStreamAttributePriority, &value), cudaSuccess);
  value = {};
  EXPECT_EQ(cudaStreamGetAttribute(second, cudaStreamAttributePriority, &value), cudaSuccess);
  EXPECT_EQ(value.priority, greatest + 1);

  std::vector<unsigned long long> ids;
  for (cudaStream_t stream : {cudaStreamLegacy, cudaStreamPerThread, first, second})
    EXPECT_EQ(cudaStreamGetId(stream, &ids.emplace_back()), cudaSuccess);
  for (size_t i = 1; i < ids.size(); ++i) EXPECT_GT(ids[i], ids[i - 1]);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  EXPECT_EQ(cudaStreamIsCapturing(first, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  ASSERT_EQ(cudaStreamDestroy(first), cudaSuccess);
  EXPECT_EQ(cudaStreamGetId(first, &ids[0]), cudaErrorInvalidResourceHandle);
}

TEST_F(RuntimeApi, EventsHaveTimesIfTheyMay) {
  cudaEvent_t timed = nullptr, silent = nullptr, never = nullptr;
  float ms = 0;
  ASSERT_EQ(cudaEventCreate(&timed), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&never), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&silent, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaEventCreateWithFlags(&silent, 8), cudaErrorInvalidValue);
  for (cudaEvent_t event : {timed, silent}) ASSERT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventRecordWithFlags(timed, nullptr, 2), cudaErrorInvalidValue);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, timed, timed), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, timed, silent), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(&ms, never, timed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(nullptr, timed, timed), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, timed, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, timed, 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, nullptr, 0), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventQuery(nullptr), cudaErrorInvalidResourceHandle);
}

TEST_F(RuntimeApi, AKernelTellsWhatItNeeds) {
  const Program program = plain_program();
  cudaFuncAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, &store_stub), cudaSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 0u);
  EXPECT_EQ(attributes.localSizeBytes, 0u);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_GT(attributes.numRegs, 0);
  EXPECT_EQ(attributes.ptxVersion, 75);
  EXPECT_EQ(attributes.binaryVersion, 90);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 48 << 10);
  EXPECT_EQ(attributes.preferredShmemCarveout, -1);

  const auto set = [](cudaFuncAttribute attribute, int value) {
    return cudaFuncSetAttribute(&store_stub, attribute, value);
  };
  EXPECT_EQ(set(cudaFuncAttributeMaxDynamicSharedMemorySize, (227 << 10) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(set(cudaFuncAttributeMaxDynamicSharedMemorySize, -1), cudaErrorInvalidValue);
  EXPECT_EQ(set(cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10), cudaSuccess);
  EXPECT_EQ(set(cudaFuncAttributePreferredSharedMemoryCarveout, 101), cudaErrorInvalidValue);
  EXPECT_EQ(set(cudaFuncAttributePreferredSharedMemoryCarveout, 100), cudaSuccess);
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, &store_stub), cudaSuccess);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 227 << 10);
  EXPECT_EQ(attributes.preferredShmemCarveout, 100);

  size_t offset = 9, bytes = 9;
  EXPECT_EQ(cudaFuncGetParamInfo(&store_stub, 1, &offset, &bytes), cudaSuccess);
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(bytes, 8u);
  EXPECT_EQ(cudaFuncGetParamInfo(&store_stub, 0, &offset, nullptr), cudaSuccess);
  EXPECT_EQ(offset, 0u);
  EXPECT_EQ(cudaFuncGetParamInfo(&store_stub, 2, &offset, &bytes), cudaErrorInvalidValue);
  const char* name = nullptr;
  EXPECT_EQ(cudaFuncGetName(&name, &store_stub), cudaSuccess);
  EXPECT_STREQ(name, "store");
  EXPECT_EQ(cudaFuncGetName(&name, &offset), cudaErrorInvalidResourceHandle);
}

TEST_F(RuntimeApi, LaunchAttributesAreHeldOrRefused) {
  const Program program = plain_program();
  unsigned char* d = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 1), cudaSuccess);
  unsigned char value = 1;
  void* arguments[] = {&value, &d};
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(5000);
  config.blockDim = dim3(1);
  config.attrs = &attribute;
  const auto launch = [&](unsigned attributes) {
    config.numAttrs = attributes;
    return cudaLaunchKernelExC(&config, &store_stub, arguments);
  };
  EXPECT_EQ(launch(0), cudaSuccess);
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  EXPECT_EQ(launch(1), cudaErrorCooperativeLaunchTooLarge);
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {1, 1, 1};
  EXPECT_EQ(launch(1), cudaSuccess);
  attribute.val.clusterDim = {2, 1, 1};
  EXPECT_EQ(launch(1), cudaErrorNotSupported);
  attribute.id = cudaLaunchAttributeLaunchCompletionEvent;
  attribute.val.launchCompletionEvent = {};
  EXPECT_EQ(launch(1), cudaErrorInvalidResourceHandle);
}

TEST_F(RuntimeApi, ThereIsOneDeviceAndItAnswers) {
  int value = 9;
  EXPECT_EQ(cudaGetDeviceCount(&value), cudaSuccess);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetValidDevices(&value, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0), cudaSuccess);
  EXPECT_EQ(value, 32);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(0), 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMax, 0), cudaErrorInvalidValue);
  std::array<char, 32> id{};
  ASSERT_EQ(cudaDeviceGetPCIBusId(id.data(), id.size(), 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetPCIBusId(id.data(), 4, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&value, id.data()), cudaSuccess);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&value, "elsewhere"), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&value, 0, 1), cudaErrorInvalidDevice);
  unsigned flags = 0;
  EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleSpin), cudaSuccess);
  EXPECT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
  EXPECT_EQ(flags, cudaDeviceScheduleSpin | cudaDeviceMapHost);
  EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceMask + 1), cudaErrorInvalidValue);
}

TEST_F(RuntimeApi, LimitsAreKeptUntilTheReset) {
  size_t usual = 0, now = 0;
  ASSERT_EQ(cudaDeviceGetLimit(&usual, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(usual, size_t{8} << 20);
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 * usual), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetLimit(&now, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(now, 2 * usual);
  EXPECT_EQ(cudaDeviceSetLimit(static_cast<cudaLimit>(7), 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 1), cudaErrorUnsupportedLimit);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetLimit(&now, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(now, usual);
}

TEST_F(RuntimeApi, PointersTellWhoseTheyAre) {
  std::vector<char> host(16), registered(16);
  void *device = nullptr, *pinned = nullptr, *other = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 16), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 16), cudaSuccess);
  ASSERT_EQ(cudaHostRegister(registered.data(), 16, 0), cudaSuccess);
  const auto type = [](const void* pointer) {
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
    return attributes.type;
  };
  EXPECT_EQ(type(device), cudaMemoryTypeDevice);
  EXPECT_EQ(type(static_cast<char*>(device) + 15), cudaMemoryTypeDevice);
  EXPECT_EQ(type(pinned), cudaMemoryTypeHost);
  EXPECT_EQ(type(registered.data() + 15), cudaMemoryTypeHost);
  EXPECT_EQ(type(host.data()), cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaHostGetDevicePointer(&other, pinned, 0), cudaSuccess);
  EXPECT_EQ(other, pinned);
  EXPECT_EQ(cudaHostGetDevicePointer(&other, host.data(), 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemAdvise(pinned, 16, cudaMemAdviseSetReadMostly, {}), cudaErrorInvalidValue);  // not managed
  EXPECT_EQ(cudaHostUnregister(host.data()), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaHostUnregister(registered.data()), cudaSuccess);
}

}  // namespace
}  // namespace lockstep::runtime_test
