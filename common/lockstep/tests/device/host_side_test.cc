// host_side_test: what the device answers to launches that cannot begin, and what it finds in the host's own calls:
// wrong frees, leaks, errors that nobody read, a call that was made to fail.
#include "device/host_side.h"
#include "base/words.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "device/emulated_device.h"

namespace lockstep {
namespace {

constexpr std::string_view kBounded = R"(.version 9.0
.target sm_75
.address_size 64
.visible .entry bounded(.param .u64 unused) .maxntid 64, 1, 1
{
  .shared .align 4 .b8 room[1024];
  .reg .u64 %d1;
  mov.u64 %d1, room;
  ret;
}
.visible .entry plain()
{
  ret;
}
.visible .entry traps()
{
  trap;
}
)";

class HostSideTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(device_->load_module({kBounded}, &module_).ok());
    ASSERT_TRUE(device_->find_function(module_, "bounded", &bounded_).ok());
    ASSERT_TRUE(device_->find_function(module_, "plain", &plain_).ok());
  }
  uint64_t allocate(uint64_t bytes, MemoryKind kind) {
    uint64_t address = 0;
    EXPECT_TRUE(device_->allocate(bytes, &address, kind).ok());
    return address;
  }
  Outcome launch(const FunctionInfo& function, Dim3 grid, Dim3 block, uint64_t shared = 0) {
    LaunchRequest request;
    request.function = function.id;
    request.grid = grid;
    request.block = block;
    request.dynamic_shared_bytes = shared;
    const std::vector<std::byte> params(function.param_bytes);
    request.params = params;
    return device_->launch(request);
  }
  // The finding's message; "": there is none of this kind. Others may be beside it.
  std::string found(const std::string& kind) const {
    std::string message;
    const nlohmann::json report = nlohmann::json::parse(device_->report_json());
    for (const auto& finding : report["findings"])
      if (finding.at("kind") == kind) message += finding.at("message").get<std::string>() + "\n";
    return message;
  }

  std::unique_ptr<EmulatedDevice> device_ =
      EmulatedDevice::create({.memory_bytes = 64 << 20, .checks = {true, true, true, true, true}});
  ModuleId module_ = 0;
  FunctionInfo bounded_, plain_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(HostSideTest, ALaunchThatCannotBeginSaysWhy) {
  struct {
    Dim3 grid, block;
    uint64_t shared;
    Status status;
    const char* text;
  } const cases[] = {
      {{0, 1, 1}, {1, 1, 1}, 0, Status::kInvalidConfiguration, "the grid is empty"},
      {{1, 1, 1}, {1, 0, 1}, 0, Status::kInvalidConfiguration, "the block is empty"},
      {{1, 1, 1},
       {1025, 1, 1},
       0,
       Status::kInvalidConfiguration,
       "the block has 1025 threads; a block may have at most 1024"},
      {{1, 1, 1}, {1, 1, 65}, 0, Status::kInvalidConfiguration, "the block is larger than 1024 x 1024 x 64"},
      {{1, 65536, 1}, {1, 1, 1}, 0, Status::kInvalidConfiguration, "the grid is larger than 2147483647"},
      {{1, 1, 65536}, {1, 1, 1}, 0, Status::kInvalidConfiguration, "the grid is larger than 2147483647"},
      {{1, 1, 1}, {65, 1, 1}, 0, Status::kLaunchOutOfResources, "__launch_bounds__ allow 64"},
      {{1, 1, 1}, {1, 1, 1}, (47 << 10) + 1, Status::kInvalidValue, "the kernel may have 49152 bytes"}};
  for (const auto& [grid, block, shared, status, text] : cases) {
    const Outcome outcome = launch(bounded_, grid, block, shared);
    EXPECT_EQ(outcome.status, status) << text;
    EXPECT_TRUE(has(plain(outcome.message), text)) << plain(outcome.message);
  }
  EXPECT_TRUE(launch(bounded_, {1, 1, 1}, {64, 1, 1}, 47 << 10).ok());
  EXPECT_TRUE(launch(plain_, {1, 1, 1}, {1024, 1, 1}).ok());
}

TEST_F(HostSideTest, AFailedLaunchIsFoundAndItsErrorMustBeRead) {
  EXPECT_FALSE(launch(plain_, {0, 1, 1}, {1, 1, 1}).ok());
  EXPECT_TRUE(has(found("bad_launch"), "the launch plain<<<(0,1,1), (1,1,1)>>> failed: the grid is empty"))
      << found("bad_launch");
  device_->read_error();
  device_->end_program(Device::End::kReset);
  EXPECT_EQ(found("unchecked_error"), "");
  EXPECT_FALSE(launch(plain_, {0, 1, 1}, {1, 1, 1}).ok());
  device_->tell_place(CallKind::kFailedLaunch, 0, "a.cu:7");
  device_->end_program(Device::End::kReset);
  const std::string message = found("unchecked_error");
  EXPECT_TRUE(has(message, "the launch of plain failed, and the program never read the error\n  at a.cu:7")) << message;
}

TEST_F(HostSideTest, CallsOfALibraryAreCountedByItsName) {
  EXPECT_FALSE(nlohmann::json::parse(device_->report_json()).contains("notes"));
  for (const char* const library : {"cuBLAS", "cuRAND", "cuBLAS"})
    device_->tell_place(CallKind::kLibraryCall, 0, library);
  for (int i = 0; i < 100; ++i) device_->tell_place(CallKind::kLibraryCall, 0, "library " + std::to_string(i));
  const nlohmann::json notes = nlohmann::json::parse(device_->report_json())["notes"];
  EXPECT_EQ(notes.size(), 16u) << "a program may tell of libraries without end";
  EXPECT_EQ(notes[0], "calls of cuBLAS that the host computed, and that are not counted: 2");
  EXPECT_EQ(notes[1], "calls of cuRAND that the host computed, and that are not counted: 1");
}

TEST_F(HostSideTest, AWrongFreeSaysWhatWasFreed) {
  const uint64_t device = allocate(64, MemoryKind::kDevice), pinned = allocate(64, MemoryKind::kPinned);
  EXPECT_TRUE(device_->free(device, false).ok());
  EXPECT_EQ(found("invalid_free"), "");
  EXPECT_FALSE(device_->free(device, false).ok());
  EXPECT_TRUE(has(found("invalid_free"), "this memory was freed before")) << found("invalid_free");
  EXPECT_FALSE(device_->free(pinned + 16, true).ok());
  EXPECT_TRUE(has(found("invalid_free"), "it lies 16 bytes inside an allocation")) << found("invalid_free");
  EXPECT_FALSE(device_->free(pinned, false).ok());
  EXPECT_TRUE(has(found("invalid_free"), "free pinned memory with cudaFreeHost")) << found("invalid_free");
  EXPECT_FALSE(device_->free(16, false).ok());
  EXPECT_TRUE(has(found("invalid_free"), "no allocation gave this address")) << found("invalid_free");
  EXPECT_TRUE(device_->free(pinned, true).ok());
}

TEST_F(HostSideTest, WhatIsNeverFreedIsToldByItsLine) {
  const uint64_t freed = allocate(100, MemoryKind::kDevice);
  for (int i = 0; i < 2; ++i)
    device_->tell_place(CallKind::kAllocation, allocate(300, MemoryKind::kDevice), "a.cu:3\x1b[31m");
  allocate(64, MemoryKind::kPinned);
  EXPECT_TRUE(device_->free(freed, false).ok());
  EXPECT_EQ(found("leak"), "");
  device_->end_program(Device::End::kOrderly);
  const std::string leaks = found("leak");
  EXPECT_TRUE(has(leaks, "2 allocations of 300 bytes from the host were never freed\n  at a.cu:3?[31m\n")) << leaks;
  EXPECT_TRUE(has(leaks, "an allocation of 64 bytes from the host was never freed\n  Next: ")) << leaks;
  EXPECT_FALSE(has(leaks, "100 bytes")) << leaks;
}

TEST_F(HostSideTest, AnAccessOfTheHostToDeviceMemoryIsToldByItsLine) {
  const uint64_t array = allocate(100, MemoryKind::kDevice);
  device_->tell_place(CallKind::kHostRead, array, "a.cu:7 in sum(int*)");
  EXPECT_TRUE(has(found("device_pointer"),
                  "the host reads device memory, at the start of an allocation of 100 bytes\n  at a.cu:7 in sum(int*)"))
      << found("device_pointer");
  device_->tell_place(CallKind::kHostWrite, array + 8, "");
  EXPECT_TRUE(has(found("device_pointer"), "the host writes device memory, 8 bytes behind the start of an allocation"))
      << found("device_pointer");
  EXPECT_TRUE(device_->free(array, false).ok());
  device_->tell_place(CallKind::kHostRead, array, "");
  EXPECT_TRUE(has(found("device_pointer"), "the host reads device memory that was freed\n")) << found("device_pointer");
}

// After a fault the program can free nothing, but it may try.
TEST_F(HostSideTest, AFaultHidesNoLeakAndSaysWhatDidNotRun) {
  FunctionInfo traps;
  ASSERT_TRUE(device_->find_function(module_, "traps", &traps).ok());
  const uint64_t tried = allocate(100, MemoryKind::kDevice);
  allocate(300, MemoryKind::kDevice);
  EXPECT_TRUE(launch(traps, {1, 1, 1}, {1, 1, 1}).ok());
  EXPECT_FALSE(launch(plain_, {1, 1, 1}, {1, 1, 1}).ok());
  for (int i = 0; i < 2; ++i) device_->tell_place(CallKind::kLostLaunch, 0, "plain");
  device_->tell_place(CallKind::kLostFree, tried, "");
  device_->end_program(Device::End::kOrderly);
  EXPECT_TRUE(has(found("trap"), "\n  After it, 2 launches of the program did not run")) << found("trap");
  EXPECT_TRUE(has(found("leak"), "an allocation of 300 bytes from the host was never freed")) << found("leak");
  EXPECT_TRUE(has(found("leak"), "A kernel had failed before.")) << found("leak");
  EXPECT_FALSE(has(found("leak"), "100 bytes")) << found("leak");
}

TEST_F(HostSideTest, WithoutAFaultNoFreeIsLost) {
  device_->tell_place(CallKind::kLostFree, allocate(100, MemoryKind::kDevice), "");
  device_->end_program(Device::End::kOrderly);
  EXPECT_TRUE(has(found("leak"), "100 bytes")) << found("leak");
}

TEST_F(HostSideTest, ThePlannedFailureIsCountedAndToldByItsLine) {
  device_ = EmulatedDevice::create({.memory_bytes = 1 << 20, .failure = {2, true}});
  EXPECT_FALSE(device_->call_fails("cudaMalloc"));  // nothing is profiled yet
  device_->start_profiling();
  EXPECT_FALSE(device_->call_fails("cudaMalloc"));
  EXPECT_TRUE(device_->call_fails("cudaLaunchKernel"));
  device_->tell_place(CallKind::kPlannedFailure, 0, "a.cu:9");
  EXPECT_FALSE(device_->call_fails("cudaFree"));
  EXPECT_TRUE(has(found("injected_error"), "call 2, cudaLaunchKernel")) << found("injected_error");
  EXPECT_TRUE(has(found("injected_error"), "\n  at a.cu:9")) << found("injected_error");
  const auto calls = nlohmann::json::parse(device_->report_json()).at("calls");
  EXPECT_EQ(calls, (nlohmann::json{"cudaMalloc", "cudaLaunchKernel", "cudaFree"}));
}

}  // namespace
}  // namespace lockstep
