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
#include "device/in_place.h"
#include "device/other_input.h"
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

// A word of the judge's input, as the judge makes it, and of the other.
uint32_t given_word(uint32_t i) { return 0x3e800000 + (i * 0x9e3779b1 & ((1u << 25) - 1)); }
uint32_t other_word(uint32_t i) { return 1'000'000 + i; }

TEST_F(CrossingTest, StoresAreNotedByTheWord) {
  const uint64_t own = allocate(2 * kOwn, MemoryKind::kManaged), common = allocate(8, MemoryKind::kPinned);
  const Range range{own, own + 2 * kOwn};
  device_->fill({own, 2 * kOwn, 2 * kOwn, 1}, 0);
  device_->note_stores(range);
  launch(own + kOwn, common);  // the upper half; thread 0 stores the 0 that is there
  const std::vector<uint8_t> stored = device_->take_stores(range);
  ASSERT_EQ(stored.size(), 2 * kOwn / 4);
  for (size_t word = 0; word < stored.size(); ++word) EXPECT_EQ(stored[word], word >= kOwn / 4) << word;
  EXPECT_TRUE(device_->take_stores(range).empty()) << "nobody asked any more";
}

class OtherInputTest : public ::testing::Test {
 protected:
  OtherInputTest() : given_(kWords), other_(kWords) {
    for (uint32_t i = 0; i < kWords; ++i) given_[i] = given_word(i), other_[i] = other_word(i);
  }
  std::vector<uint32_t> replaced(std::vector<uint32_t> words) {
    input_.replace(std::as_writable_bytes(std::span(words)));
    return words;
  }
  static constexpr uint32_t kWords = 1000;
  std::vector<uint32_t> given_, other_;
  OtherInput input_{std::as_bytes(std::span(given_)), std::as_bytes(std::span(other_))};
};

TEST_F(OtherInputTest, PartsAreReplacedWhereverTheyLie) {
  EXPECT_EQ(replaced(given_), other_);
  EXPECT_EQ(
      replaced({7, given_word(500), given_word(501), 8, given_word(3), given_word(4), given_word(5)}),
      (std::vector<uint32_t>{7, other_word(500), other_word(501), 8, other_word(3), other_word(4), other_word(5)}));
  EXPECT_EQ(replaced({}), std::vector<uint32_t>{});
}

// One word may look like the input by chance, unless it is the next one of a part.
TEST_F(OtherInputTest, OneWordCountsOnlyAfterAPart) {
  EXPECT_EQ(replaced({given_word(10)}), std::vector<uint32_t>{given_word(10)});
  EXPECT_EQ(replaced({given_word(8), given_word(9), given_word(508), given_word(509)}),
            (std::vector<uint32_t>{other_word(8), other_word(9), other_word(508), other_word(509)}));
  EXPECT_EQ(replaced({given_word(10), given_word(510)}), (std::vector<uint32_t>{other_word(10), other_word(510)}));
  EXPECT_EQ(replaced({given_word(12)}), std::vector<uint32_t>{given_word(12)});
}

TEST_F(OtherInputTest, WhatIsNotTheInputStays) {
  const std::vector<uint32_t> strange = {0,          0x3f800000,         0x40000000,
                                         0xffffffff, given_word(kWords), given_word(kWords + 1)};
  EXPECT_EQ(replaced(strange), strange);
}

// What a thread of the host writes while kernels see the other input is not overwritten by the words of before.
TEST_F(OtherInputTest, WhatTheHostWritesMeanwhileStays) {
  const auto device = EmulatedDevice::create({.memory_bytes = 64 << 20});
  uint64_t address = 0;
  ASSERT_TRUE(device->allocate(kWords * sizeof(uint32_t), &address, MemoryKind::kPinned).ok());
  const std::span<uint32_t> pinned(reinterpret_cast<uint32_t*>(address), kWords);
  std::ranges::copy(given_, pinned.begin());
  {
    const InPlace shown(*device, device->reached_by_host().front(), input_);
    EXPECT_TRUE(std::ranges::equal(pinned, other_));
    pinned[7] = 1234;
  }
  given_[7] = 1234;
  EXPECT_TRUE(std::ranges::equal(pinned, given_));
  EXPECT_TRUE(device->free(address, true).ok());
}

// Word 7 comes in two parts, from two threads of the host. Its first byte is that of word 263, which lay there before.
TEST_F(OtherInputTest, AWordThatComesInTwoPartsIsWhole) {
  const auto device = EmulatedDevice::create({.memory_bytes = 64 << 20});
  uint64_t address = 0;
  ASSERT_TRUE(device->allocate(2 * sizeof(uint32_t), &address, MemoryKind::kPinned).ok());
  const std::span<uint32_t> pinned(reinterpret_cast<uint32_t*>(address), 2);
  pinned[0] = given_word(263), pinned[1] = given_word(264);
  ASSERT_EQ(pinned[0] & 0xff, given_word(7) & 0xff);
  {
    const InPlace shown(*device, device->reached_by_host().front(), input_);
    EXPECT_EQ(pinned[0], other_word(263));
    const uint32_t word = given_word(7);
    std::memcpy(reinterpret_cast<char*>(pinned.data()) + 1, reinterpret_cast<const char*>(&word) + 1, 3);
  }
  EXPECT_EQ(pinned[0], given_word(7));
  EXPECT_EQ(pinned[1], given_word(264));
  EXPECT_TRUE(device->free(address, true).ok());
}

}  // namespace
}  // namespace lockstep
