// api_test: calls the runtime's entry points as the code of an nvcc-built program does, with fat binaries made by hand.
// Needs no nvcc, so it also runs under the sanitizers. CTest runs each test in a process of its own, since a process
// has only one runtime.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "tests/runtime/program.h"

namespace lockstep::runtime_test {
namespace {

TEST_F(RuntimeApi, LaunchesAsTheHostStubDoes) {
  const Program program = plain_program();
  unsigned char* d = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 4), cudaSuccess);
  ASSERT_EQ(__cudaPushCallConfiguration(dim3(1), dim3(1), 0, nullptr), 0u);
  cudaKernel_t kernel = nullptr;
  ASSERT_EQ(__cudaGetKernel(&kernel, &store_stub), cudaSuccess);
  dim3 grid, block;
  size_t shared = 1;
  cudaStream_t stream = cudaStreamLegacy;
  ASSERT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
  EXPECT_EQ(shared, 0u);
  EXPECT_EQ(stream, nullptr);
  unsigned char value = 42;
  void* arguments[] = {&value, &d};
  ASSERT_EQ(__cudaLaunchKernel(kernel, grid, block, arguments, shared, stream), cudaSuccess);
  unsigned char result = 0;
  ASSERT_EQ(cudaMemcpy(&result, d, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(result, 42);
  EXPECT_EQ(cudaLaunchKernel(kernel, grid, block, arguments, 0, nullptr),
            cudaSuccess);  // a handle also names a function
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaErrorMissingConfiguration);
}

TEST_F(RuntimeApi, ConfigurationsNestButNotForEver) {
  unsigned depth = 0;
  while (depth < 1000 && __cudaPushCallConfiguration(dim3(depth), dim3(1), depth, nullptr) == 0) ++depth;
  EXPECT_GE(depth, 8u);
  EXPECT_LT(depth, 1000u);
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
  while (depth-- > 0) {
    ASSERT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
    EXPECT_EQ(shared, depth);
  }
}

TEST_F(RuntimeApi, VariablesHaveAddressesAndFirstValues) {
  const Program program = plain_program();
  int value = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&value, &number_shadow, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 7);
  __cudaInitModule(program.handle);
  ASSERT_NE(shared_number, nullptr);
  EXPECT_EQ(*shared_number, 5);
  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, shared_number), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  ASSERT_EQ(cudaMemcpyFromSymbol(&value, shared_number, 4, 0, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(value, 5);
  EXPECT_EQ(cudaFree(shared_number), cudaErrorInvalidValue);  // a variable is not an allocation
}

TEST_F(RuntimeApi, FaultSurfacesWhenTheProgramWaits) {
  const Program program = plain_program();
  char* d = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 4), cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(store(1, reinterpret_cast<void*>(16)), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_EQ(message.rfind("lockstep: ", 0), 0u) << message;
  EXPECT_NE(message.find("store"), std::string::npos) << message;
  EXPECT_EQ(store(1, d), cudaSuccess);  // waits behind the launch that failed
  EXPECT_EQ(cudaMemsetAsync(d, 0, 4, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(store(1, d), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaMemsetAsync(d, 0, 4, nullptr), cudaErrorIllegalAddress);
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 4), cudaErrorDevicesUnavailable);
}

TEST_F(RuntimeApi, HostFunctionsAreNotCalledAfterAFault) {
  const Program program = plain_program();
  int calls = 0;
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  ASSERT_EQ(cudaLaunchHostFunc(nullptr, count, &calls), cudaSuccess);
  ASSERT_EQ(store(1, reinterpret_cast<void*>(16)), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(nullptr, count, &calls), cudaSuccess);
  EXPECT_EQ(calls, 1);
  cudaError_t told = cudaSuccess;
  const auto note = [](cudaStream_t, cudaError_t status, void* data) { *static_cast<cudaError_t*>(data) = status; };
  ASSERT_EQ(cudaStreamAddCallback(nullptr, note, &told, 0), cudaSuccess);
  EXPECT_EQ(told, cudaErrorIllegalAddress);
}

TEST_F(RuntimeApi, HostFunctionMayCallTheRuntime) {  // CUDA does not allow this; it must not hang here
  int version = 0;
  ASSERT_EQ(cudaLaunchHostFunc(
                nullptr, [](void* data) { cudaRuntimeGetVersion(static_cast<int*>(data)); }, &version),
            cudaSuccess);
  EXPECT_EQ(version, CUDART_VERSION);
}

TEST_F(RuntimeApi, StubsRefuseByNameOnce) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaImportExternalMemory(nullptr, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaImportExternalMemory(nullptr, nullptr), cudaErrorNotSupported);
  const std::string message = testing::internal::GetCapturedStderr();
  const std::string name = "lockstep: cudaImportExternalMemory failed with ";
  EXPECT_EQ(message.rfind(name + "cudaErrorNotSupported: this function is not emulated.\n", 0), 0u) << message;
  EXPECT_NE(message.find("lockstep:   Next: "), std::string::npos) << message;
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

TEST_F(RuntimeApi, MalformedEnvironmentFailsEveryCallAndAbortsNothing) {
  set("LOCKSTEP_MEMORY", "plenty");
  testing::internal::CaptureStderr();
  const Program program = plain_program();
  void* d = nullptr;
  int device = 0;
  EXPECT_EQ(cudaMalloc(&d, 4), cudaErrorInitializationError);
  EXPECT_EQ(cudaGetDevice(&device), cudaErrorInitializationError);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorInitializationError);
  EXPECT_EQ(cudaFuncSetCacheConfig(&store_stub, cudaFuncCachePreferNone), cudaErrorInitializationError);
  EXPECT_EQ(cudaEventDestroy(nullptr), cudaErrorInitializationError);
  EXPECT_EQ(store(1, nullptr), cudaErrorInitializationError);
  EXPECT_EQ(cudaDeviceReset(), cudaErrorInitializationError);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInitializationError);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInitializationError), "cudaErrorInitializationError");
  __cudaInitModule(program.handle);
  ASSERT_NE(shared_number, nullptr);
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_NE(message.find("LOCKSTEP_MEMORY"), std::string::npos) << message;
  EXPECT_EQ(message.find("LOCKSTEP_MEMORY", message.find("LOCKSTEP_MEMORY") + 15), std::string::npos)
      << "told twice: " << message;
}

TEST_F(RuntimeApi, TheDeviceHasTheNameThatItIsGiven) {
  set("LOCKSTEP_NAME", "NVIDIA Example");
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_STREQ(properties.name, "NVIDIA Example");
  setenv("LOCKSTEP_NAME", "", 1);
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_STREQ(properties.name, "lockstep (CPU, as an NVIDIA H200)");
}

TEST_F(RuntimeApi, EventsThatNobodyWaitedForHaveNoTime) {
  cudaEvent_t start = nullptr, stop = nullptr;
  float ms = -1;
  char byte = 0;
  void* d = nullptr;
  ASSERT_EQ(cudaMalloc(&d, 1), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&stop), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(start, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(stop, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, stop), cudaErrorNotReady);
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, stop), cudaSuccess);  // a program that polls gets its time in the end
  ASSERT_EQ(cudaEventRecord(stop, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(d, &byte, 1, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, stop), cudaSuccess);
  EXPECT_GE(ms, 0);
}

TEST_F(RuntimeApi, ResetGivesVariablesTheirFirstValuesAndFreesMemory) {
  const Program program = plain_program();
  __cudaInitModule(program.handle);
  *shared_number = 6;
  size_t before = 0, after = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  void* d = nullptr;
  ASSERT_EQ(cudaMalloc(&d, 1 << 20), cudaSuccess);
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(*shared_number, 5);
  ASSERT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_EQ(before, after);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaMalloc(&d, 4), cudaSuccess);
  EXPECT_EQ(store(1, d), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(RuntimeApi, HandlesMadeOfNothingAreRefused) {
  auto* const stream = reinterpret_cast<cudaStream_t>(0x1234);
  auto* const event = reinterpret_cast<cudaEvent_t>(0x1234);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
  void* d = nullptr;
  EXPECT_EQ(cudaMallocAsync(&d, 4, stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaMemPoolDestroy(reinterpret_cast<cudaMemPool_t>(0x1234)), cudaErrorInvalidValue);
}

TEST_F(RuntimeApi, TheLastErrorIsAThreadsOwn) {
  const Program program = plain_program();
  testing::internal::CaptureStderr();
  EXPECT_EQ(store(1, nullptr, 5000), kWrongShape);  // too large a block
  testing::internal::GetCapturedStderr();
  cudaError_t of_other = cudaErrorUnknown;
  std::thread([&] { of_other = cudaGetLastError(); }).join();
  EXPECT_EQ(of_other, cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), kWrongShape);
  EXPECT_EQ(cudaGetLastError(), kWrongShape);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace lockstep::runtime_test
