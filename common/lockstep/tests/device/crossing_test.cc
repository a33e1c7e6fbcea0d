// crossing_test: the bytes that pass between host and device, by each way; and the vault, through which the judge's
// arrays pass uncounted.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "device/emulated_device.h"
#include "device/vault.h"

namespace lockstep {
namespace {

// Each of 64 threads stores to its own word, and to a word that all share; then it loads both, and adds to the second.
constexpr std::string_view kTouch = R"(.version 9.0
.target sm_75
.address_size 64
.visible .entry touch(.param .u64 own, .param .u64 common)
{
  .reg .u32 %r<4>;
  .reg .u64 %d<5>;
  ld.param.u64 %d1, [own];
  ld.param.u64 %d2, [common];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d3, %r1, 4;
  add.u64 %d4, %d1, %d3;
  st.global.u32 [%d4], %r1;
  st.global.u32 [%d2], %r1;
  ld.global.u32 %r2, [%d4];
  ld.global.u32 %r3, [%d2];
  red.global.add.u32 [%d2], %r2;
  ret;
}
)";
constexpr uint64_t kOwn = 256, kParameters = 16;  // bytes

class CrossingTest : public ::testing::Test {
 protected:
  uint64_t allocate(uint64_t bytes, MemoryKind kind) {
    uint64_t address = 0;
    EXPECT_TRUE(device_->allocate(bytes, &address, kind).ok());
    return address;
  }
  void launch(uint64_t own, uint64_t common) {
    ModuleId module = 0;
    FunctionInfo function;
    ASSERT_TRUE(device_->load_module({kTouch}, &module).ok());
    ASSERT_TRUE(device_->find_function(module, "touch", &function).ok());
    const std::array<uint64_t, 2> params{own, common};
    LaunchRequest request;
    request.function = function.id;
    request.grid = {1, 1, 1};
    request.block = {64, 1, 1};
    request.params = std::as_bytes(std::span(params));
    ASSERT_TRUE(device_->launch(request).ok());
    ASSERT_TRUE(device_->fault().ok());
  }
  uint64_t counter(const char* name) const {
    return nlohmann::json::parse(device_->report_json())["launches"].at(0)["counters"].at(name);
  }
  void expect_crossed(uint64_t to_host, uint64_t from_host) const {
    EXPECT_EQ(device_->crossing().to_host, to_host);
    EXPECT_EQ(device_->crossing().from_host, from_host);
  }

  std::unique_ptr<EmulatedDevice> device_ = EmulatedDevice::create({.memory_bytes = 64 << 20});
};

TEST_F(CrossingTest, CopiesCountOnce) {
  const uint64_t device = allocate(1000, MemoryKind::kDevice), pinned = allocate(1000, MemoryKind::kPinned);
  std::array<char, 1000> host{};
  EXPECT_TRUE(device_->copy_in(device, host.data(), 1000).ok());
  expect_crossed(0, 1000);
  EXPECT_TRUE(device_->copy_out(host.data(), device, 300).ok());
  expect_crossed(300, 1000);
  EXPECT_TRUE(device_->copy_out(host.data(), 10, {device, 100, 10, 5}, CopyPart::kFirst).ok());  // 5 rows
  expect_crossed(350, 1000);
  EXPECT_TRUE(device_->copy_within({pinned, 40, 40}, device, 40).ok());
  expect_crossed(390, 1000);
  EXPECT_TRUE(device_->copy_within({device, 7, 7}, pinned, 7).ok());
  expect_crossed(390, 1007);
  EXPECT_TRUE(device_->copy_within({device, 7, 7}, device + 100, 7).ok());
  EXPECT_TRUE(device_->copy_out(host.data(), pinned, 40).ok());  // the host sees it without the copy
  EXPECT_TRUE(device_->copy_in(pinned, host.data(), 40).ok());
  EXPECT_TRUE(device_->fill(device, 1, 1000).ok());
  expect_crossed(390, 1007);
}

TEST_F(CrossingTest, KernelsOnDeviceMemoryTellOnlyTheirParameters) {
  launch(allocate(kOwn, MemoryKind::kDevice), allocate(4, MemoryKind::kDevice));
  expect_crossed(0, kParameters);
  EXPECT_EQ(counter("host_bytes_stored"), 0u);
  EXPECT_EQ(counter("host_bytes_loaded"), 0u);
}

// Of each of two warps: a word of each thread, a shared word that is stored, and the same word that is added to. What
// is loaded counts up to the size of the memory.
TEST_F(CrossingTest, StoresToMemoryOfTheHostCountEachTime) {
  for (const MemoryKind kind : {MemoryKind::kPinned, MemoryKind::kManaged}) {
    device_ = EmulatedDevice::create({.memory_bytes = 64 << 20});
    launch(allocate(kOwn, kind), allocate(4, kind));
    EXPECT_EQ(counter("host_bytes_stored"), kOwn + 2 * 4 + 2 * 4);
    EXPECT_EQ(counter("host_bytes_loaded"), kOwn + 4);
    expect_crossed(kOwn + 16, kParameters + kOwn + 4);
  }
}

// Under checks no access takes the fast way for rows, and the counts are the same.
TEST_F(CrossingTest, ChecksChangeNoCount) {
  device_ = EmulatedDevice::create({.memory_bytes = 64 << 20, .checks = {true, true, true, true, true}});
  launch(allocate(kOwn, MemoryKind::kPinned), allocate(4, MemoryKind::kManaged));
  expect_crossed(kOwn + 16, kParameters + kOwn + 4);
}

TEST_F(CrossingTest, AnInputIsNotPlacedWhereTheHostReadsIt) {
  std::array<char, 64> input{};
  input.fill(3);
  const uint64_t device = allocate(64, MemoryKind::kDevice), pinned = allocate(64, MemoryKind::kPinned);
  EXPECT_TRUE(device_->place({device, 64, 64}, input.data()).ok());
  EXPECT_FALSE(device_->place({pinned, 64, 64}, input.data()).ok());
  EXPECT_FALSE(device_->place({device, 65, 65}, input.data()).ok());
  std::array<char, 64> back{};
  EXPECT_TRUE(device_->take(back.data(), {device, 64, 64}).ok());
  EXPECT_EQ(back, input);
  EXPECT_EQ(*reinterpret_cast<char*>(pinned), 0);
  expect_crossed(0, 0);
}

// The judge's words at the beginning of a vault, in its order.
enum Word { kVersion, kJob, kInBytes, kOutBytes, kReturnsInput, kHasOther, kHandedOver, kBusy, kToHost, kFromHost };

TEST(VaultTest, AJobsArraysAreHandedOverOnce) {
  const int fd = memfd_create("vault", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(fd, 4096 + 8 + 8 + 16), 0);
  auto* words = static_cast<uint64_t*>(mmap(nullptr, 4096 + 32, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  EXPECT_THROW(Vault{fd}, std::runtime_error);  // no version
  words[kVersion] = 1;
  Vault vault(fd);
  EXPECT_EQ(vault.input(0), nullptr);  // there is no job

  words[kInBytes] = 8, words[kOutBytes] = 16, words[kReturnsInput] = 1, words[kJob] = 77;
  EXPECT_NE(vault.input(8), nullptr);
  EXPECT_EQ(vault.input(7), nullptr);
  const Vault::Result result = vault.result();
  EXPECT_EQ(result.in, vault.input(8) + 8);
  EXPECT_EQ(result.out, result.in + 8);
  words[kReturnsInput] = 0;
  EXPECT_EQ(vault.result().in, nullptr);
  words[kOutBytes] = 17;  // no room
  EXPECT_EQ(vault.result().out, nullptr);
  words[kOutBytes] = 16;

  vault.begin_request();
  EXPECT_EQ(words[kBusy], 1u);
  vault.handed_over();
  vault.end_request({5, 6});
  EXPECT_EQ(words[kBusy], 0u);
  EXPECT_EQ(words[kToHost], 5u);
  EXPECT_EQ(words[kFromHost], 6u);
  EXPECT_EQ(words[kHandedOver], 77u);
  EXPECT_EQ(vault.result().out, nullptr);  // the judge has them
  EXPECT_EQ(vault.input(8), nullptr);
  munmap(words, 4096 + 32);
  close(fd);
}

}  // namespace
}  // namespace lockstep
