// api_test: calls the runtime's entry points as the code of an nvcc-built program does, with fat binaries made by hand.
// Needs no nvcc, so it also runs under the sanitizers. CTest runs each test in a process of its own, since a process
// has only one runtime.
#include <cuda_runtime_api.h>
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
  EXPECT_EQ(version, 13000);
}

struct BadImage {
  const char* name;
  std::vector<std::byte> entry;
  cudaError_t error;
  const char* advice;
};
void PrintTo(const BadImage& image, std::ostream* out) { *out << image.name; }
class RuntimeApiImages : public testing::TestWithParam<BadImage> {};

// Registration never fails. The first use of something that cannot be loaded fails.
TEST_P(RuntimeApiImages, AreRefusedAtFirstUse) {
  testing::internal::CaptureStderr();
  const Program program({GetParam().entry});
  char* d = nullptr;
  EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 4), cudaSuccess);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  EXPECT_EQ(store(1, d), GetParam().error);
  EXPECT_EQ(cudaGetLastError(), GetParam().error);
  int value = 0;
  EXPECT_EQ(cudaMemcpyFromSymbol(&value, &number_shadow, 4, 0, cudaMemcpyDeviceToHost), GetParam().error);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  __cudaInitModule(program.handle);
  ASSERT_NE(shared_number, nullptr);  // so that the host's own code does not crash
  *shared_number = 1;
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_NE(message.find(GetParam().advice), std::string::npos) << message;
  EXPECT_EQ(message.find("lockstep: ", 1), std::string::npos) << "told twice: " << message;
}
INSTANTIATE_TEST_SUITE_P(All, RuntimeApiImages,
                         testing::Values(BadImage{"machine_code", fatbin_entry(kElfEntry, 90, kPlain, "ELF"),
                                                  cudaErrorNoKernelImageForDevice, "code=compute_75"},
                                         BadImage{"zstd", fatbin_entry(kPtxEntry, 75, kZstd, "x"),
                                                  cudaErrorNoKernelImageForDevice, "--compress-mode=none"},
                                         BadImage{"lz4", fatbin_entry(kPtxEntry, 75, kLz4, "x"),
                                                  cudaErrorNoKernelImageForDevice, "--compress-mode=none"},
                                         BadImage{"too_new", fatbin_entry(kPtxEntry, 120, kPlain, "x"),
                                                  cudaErrorNoKernelImageForDevice, "12.0"},
                                         BadImage{"damaged", std::vector<std::byte>(64), cudaErrorInvalidKernelImage,
                                                  "nvcc"}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(RuntimeApi, PtxThatCannotBeReadIsToldOf) {
  testing::internal::CaptureStderr();
  const Program program({fatbin_entry(kPtxEntry, 75, kPlain, ".version 9.0\n.target sm_75\n.entry store( {")});
  EXPECT_EQ(store(1, nullptr), cudaErrorInvalidPtx);
  EXPECT_EQ(testing::internal::GetCapturedStderr().rfind("lockstep: ", 0), 0u);
}

TEST_F(RuntimeApi, AKernelThatCannotBeDecodedIsToldOf) {
  const std::string body = "{\n.reg .b32 %r1;\nadd.u32 %r1;\n}\n";
  testing::internal::CaptureStderr();
  const Program program(
      {fatbin_entry(kPtxEntry, 75, kPlain, ".version 9.0\n.target sm_75\n.visible .entry store()\n" + body)});
  EXPECT_EQ(store(1, nullptr), cudaErrorInvalidPtx);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("PTX line 6"), std::string::npos);
}

TEST_F(RuntimeApi, NothingRegisteredMayBeAFatBinary) {
  const uint64_t nonsense[4] = {1, 2, 3, 4};
  void** handle = __cudaRegisterFatBinary(const_cast<uint64_t*>(nonsense));
  __cudaRegisterFunction(handle, &store_stub, nullptr, "store", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  EXPECT_EQ(store(1, nullptr), cudaErrorNoKernelImageForDevice);
  __cudaUnregisterFatBinary(handle);
  EXPECT_EQ(store(1, nullptr), cudaErrorInvalidResourceHandle);
}

// Both have a managed variable of the same name, as two libraries may.
TEST_F(RuntimeApi, ABinaryThatCannotBeLoadedUsesNothingOfAnother) {
  const Program good = plain_program();
  __cudaInitModule(good.handle);
  int* const of_good = shared_number;
  shared_number = nullptr;
  const Program bad({fatbin_entry(kElfEntry, 90, kPlain, "ELF")});
  testing::internal::CaptureStderr();
  __cudaInitModule(bad.handle);
  testing::internal::GetCapturedStderr();
  ASSERT_NE(shared_number, nullptr);
  *shared_number = 9;
  EXPECT_EQ(*of_good, 5);
}

TEST_F(RuntimeApi, SeparatelyCompiledFilesAreSearchedOneAfterTheOther) {
  const auto linked = fatbin_container({});
  const auto other = fatbin_container({fatbin_entry(kPtxEntry, 75, kPlain,
                                                    ".version 9.0\n.target sm_75\n"
                                                    ".address_size 64\n")});
  const auto library = fatbin_container({fatbin_entry(kElfEntry, 75, kZstd, "x")});
  const auto main_file = fatbin_container({fatbin_entry(kPtxEntry, 75, kPlain, kPtx)});
  const void* list[] = {other.data(), library.data(), main_file.data(), nullptr};
  FatbinWrapper wrapper{0x466243B1, 2, linked.data(), list};
  void** handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, &store_stub, nullptr, "store", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  char* d = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 4), cudaSuccess);
  EXPECT_EQ(store(1, d), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(RuntimeApi, StubsRefuseByNameOnce) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaImportExternalMemory(nullptr, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaImportExternalMemory(nullptr, nullptr), cudaErrorNotSupported);
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_EQ(message.rfind("lockstep: cudaImportExternalMemory is not emulated", 0), 0u) << message;
  EXPECT_EQ(message.find('\n'), message.size() - 1) << message;
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

TEST_F(RuntimeApi, ReportIsWrittenOnReset) {
  const auto folder = std::filesystem::temp_directory_path() / ("lockstep_report." + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const auto file = folder / "report.json";
  set("LOCKSTEP_REPORT", file);
  const Program program = plain_program();
  void* d = nullptr;
  ASSERT_EQ(cudaMalloc(&d, 4), cudaSuccess);
  ASSERT_EQ(store(1, d), cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_NE(text.str().find("\"launches\""), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("store"), std::string::npos) << text.str();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);  // no temporary file is left
  std::filesystem::remove_all(folder);

  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);  // the folder is gone
  EXPECT_NE(testing::internal::GetCapturedStderr().find("LOCKSTEP_REPORT"), std::string::npos);
}

TEST_F(RuntimeApi, ACallFailsThatIsMeantTo) {
  set("LOCKSTEP_FAIL", "2");
  void *first = nullptr, *second = nullptr;
  EXPECT_EQ(cudaMalloc(&first, 4), cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMalloc(&second, 4), cudaErrorUnknown);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("call 2, cudaMalloc,"), std::string::npos);
  EXPECT_EQ(second, nullptr);                  // the call was not made
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // only the call itself returns the error
  EXPECT_EQ(cudaMalloc(&second, 4), cudaSuccess);
}

TEST_F(RuntimeApi, ALaunchThatIsMeantToFailTellsTheLastError) {
  set("LOCKSTEP_FAIL", "2");
  const Program program = plain_program();
  unsigned char *d = nullptr, value = 1;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 1), cudaSuccess);
  EXPECT_EQ(store(1, d), cudaErrorUnknown);
  EXPECT_EQ(cudaGetLastError(), cudaErrorUnknown);
  EXPECT_EQ(cudaMemcpy(&value, d, 1, cudaMemcpyDeviceToHost), cudaSuccess);
}

TEST_F(RuntimeApi, CallsFromProfilerStartOnMayBeCountedAlone) {
  set("LOCKSTEP_FAIL", "profiled:4");
  int device = 0;
  const auto get = [&device] { return cudaGetDevice(&device); };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get(), cudaSuccess);
  EXPECT_EQ(cudaProfilerStart(), cudaSuccess);
  EXPECT_EQ(get(), cudaSuccess);
  EXPECT_EQ(cudaProfilerStop(), cudaSuccess);   // does not end the count, and is counted
  EXPECT_EQ(cudaProfilerStart(), cudaSuccess);  // does not restart the count
  EXPECT_EQ(get(), cudaErrorUnknown);
  EXPECT_EQ(get(), cudaSuccess);
}

TEST_F(RuntimeApi, TheProfilersCallsFailByTheirOwnName) {
  set("LOCKSTEP_FAIL", "1");
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaProfilerStart(), cudaErrorUnknown);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("call 1, cudaProfilerStart,"), std::string::npos);
}

TEST_F(RuntimeApi, TheNumberOfACallThatIsNoneIsRefused) {
  set("LOCKSTEP_FAIL", "profiled:0");
  void* d = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMalloc(&d, 4), cudaErrorInitializationError);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("LOCKSTEP_FAIL=profiled:0"), std::string::npos);
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

// The host's calls between two launches, from the second launch's counters: {synchronisations, allocations}.
using HostCounts = std::pair<uint64_t, uint64_t>;

TEST_F(RuntimeApi, ReportTellsWhatTheHostDidBetweenLaunches) {
  const std::filesystem::path file = report_file();
  set("LOCKSTEP_REPORT", file);
  const Program program = plain_program();
  char pageable[4];
  void *d = nullptr, *d2 = nullptr, *pinned = nullptr;
  cudaEvent_t event = nullptr;
  float ms = 0;
  ASSERT_EQ(cudaMalloc(&d, 4), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 4), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<HostCounts> expected;
  const auto launch_after = [&](uint64_t synchronisations, uint64_t allocations) {
    ASSERT_EQ(store(1, d), cudaSuccess);
    expected.emplace_back(synchronisations, allocations);
  };
  launch_after(0, 0);  // before the first launch nothing is counted
  launch_after(0, 0);

  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  launch_after(3, 0);

  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, event, event), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  launch_after(0, 0);  // a query is not a wait

  EXPECT_EQ(cudaMalloc(&d2, 4), cudaSuccess);
  EXPECT_EQ(cudaFree(d2), cudaSuccess);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  launch_after(1, 1);

  EXPECT_EQ(cudaMallocAsync(&d2, 4, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(d2, nullptr), cudaSuccess);
  launch_after(0, 1);  // is ordered in the stream and does not wait

  EXPECT_EQ(cudaMemcpy(pageable, d, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(d, pageable, 4, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(pinned, d, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(pageable, d, 4, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  launch_after(4, 0);

  EXPECT_EQ(cudaMemcpy(d, d, 4, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(d, pageable, 4, cudaMemcpyHostToDevice, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemset(d, 0, 4), cudaSuccess);
  launch_after(0, 0);

  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_NE(store(1, d, 5000), cudaSuccess);  // a launch that fails does not count
  launch_after(1, 0);

  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);  // writes the report
  const nlohmann::json report = nlohmann::json::parse(std::ifstream(file));
  std::filesystem::remove(file);
  std::vector<HostCounts> counted;
  for (const nlohmann::json& launch : report["launches"])
    counted.emplace_back(launch["counters"]["host_synchronisations"], launch["counters"]["host_allocations"]);
  EXPECT_EQ(counted, expected);
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
  EXPECT_EQ(store(1, nullptr, 5000), cudaErrorInvalidValue);  // too large a block
  testing::internal::GetCapturedStderr();
  cudaError_t of_other = cudaErrorUnknown;
  std::thread([&] { of_other = cudaGetLastError(); }).join();
  EXPECT_EQ(of_other, cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(RuntimeApi, AFailedLaunchThatNobodyLooksAtIsFound) {
  const std::filesystem::path file = report_file();
  setenv("LOCKSTEP_CHECKS", "all", 1);
  set("LOCKSTEP_REPORT", file);
  const Program program = plain_program();
  testing::internal::CaptureStderr();
  const auto found = [&](bool looks) {
    EXPECT_EQ(store(1, nullptr, 5000), cudaErrorInvalidValue);
    if (looks) cudaPeekAtLastError();
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    return nlohmann::json::parse(std::ifstream(file)).at("findings").dump();
  };
  EXPECT_EQ(found(true).find("unchecked_error"), std::string::npos);
  EXPECT_NE(found(false).find("unchecked_error"), std::string::npos);
  testing::internal::GetCapturedStderr();
}

// The child of fork() makes the first call, so it has the runtime.
TEST_F(RuntimeApi, TheReportSaysThatAProgramEndedInOrder) {
  const std::filesystem::path file = report_file();
  std::filesystem::remove(file);
  set("LOCKSTEP_REPORT", file);
  const auto program = [] {
    void* d = nullptr;
    std::exit(cudaMalloc(&d, 4) == cudaSuccess ? 0 : 1);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "");
  const nlohmann::json report = nlohmann::json::parse(std::ifstream(file));
  std::filesystem::remove(file);
  EXPECT_EQ(report.at("end"), "orderly");
}

}  // namespace
}  // namespace lockstep::runtime_test
