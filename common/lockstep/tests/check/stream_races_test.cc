// stream_races_test: work in two streams → findings of the kind host_race. The tests say which work may run beside
// which, as the runtime does. faults/host_race.cu shows whole programs. This test also runs under sanitizers.
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "device/emulated_device.h"

namespace lockstep {
namespace {

constexpr const char* kPtx = R"(.version 9.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 p)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d2, %d2, %d1;
  add.u32 %r1, %r1, 7;
  st.global.u32 [%d2], %r1;
  ret;
}
.visible .entry load(.param .u64 p)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d2, %d2, %d1;
  ld.global.u32 %r2, [%d2];
  ret;
}
.visible .entry count(.param .u64 p)
{
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  red.global.add.u32 [%d1], 1;
  ret;
}
.visible .entry flag(.param .u64 p)
{
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  st.volatile.global.u32 [%d1], 1;
  ret;
}
.visible .entry store_byte(.param .u64 p)
{
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  st.global.u8 [%d1], 1;
  ret;
}
.visible .entry load_byte(.param .u64 p)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  ld.global.u8 %r1, [%d1];
  ret;
}
.visible .entry count_in_block(.param .u64 p)
{
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  red.relaxed.cta.global.add.u32 [%d1], 1;
  ret;
}
.visible .entry publish(.param .u64 p)
{
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  st.global.u32 [%d1+4], 9;
  membar.sys;
  st.volatile.global.u32 [%d1], 1;
  ret;
}
.visible .entry announce_too_early(.param .u64 p)
{
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  st.volatile.global.u32 [%d1], 1;
  st.global.u32 [%d1+4], 9;
  ret;
}
.visible .entry take(.param .u64 p)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  ld.volatile.global.u32 %r1, [%d1];
  membar.sys;
  ld.global.u32 %r2, [%d1+4];
  ret;
}
)";

struct StreamRaces : testing::Test {
  std::unique_ptr<EmulatedDevice> device;
  ModuleId module = 0;
  uint64_t array = 0, number = 0;

  void SetUp() override {
    DeviceOptions options;
    options.checks.races = true;
    device = EmulatedDevice::create(options);
    ASSERT_TRUE(device->load_module({kPtx}, &module).ok());
    device->allocate(4096, &array, MemoryKind::kManaged);
    device->fill(array, 0, 4096);
  }
  // The next work, in `stream`, beside all work of another stream behind `after`.
  void work(uint32_t stream, std::vector<Task::Beside> beside = {}, uint64_t settled = 0) {
    device->begin_work({.number = ++number,
                        .settled = settled,
                        .stream = stream,
                        .what = "cudaMemcpyAsync",
                        .beside = std::move(beside)});
  }
  void launch(const char* name, uint64_t to, uint32_t threads = 64) {
    FunctionInfo f;
    ASSERT_TRUE(device->find_function(module, name, &f).ok());
    const LaunchRequest request{f.id, {1, 1, 1}, {threads, 1, 1}, 0, false, std::as_bytes(std::span(&to, 1))};
    ASSERT_TRUE(device->launch(request).ok());
  }
  std::vector<std::string> found() const {
    std::vector<std::string> texts;
    const nlohmann::json report = nlohmann::json::parse(device->report_json());
    for (const auto& f : report["findings"])
      texts.push_back(std::string(f["kind"]) + " " + std::string(f["where"]) + " " + std::string(f["access"]) +
                      " after " + std::string(f["other"]["access"]));
    return texts;
  }
};
using Found = std::vector<std::string>;

TEST_F(StreamRaces, AKernelReadsWhatAnotherStreamsKernelWrites) {
  work(1), launch("store", array);
  work(2, {{1, 0}}), launch("load", array + 64 * 4 - 4);
  EXPECT_EQ(found(), Found{"host_race device memory[63] read after write"}) << "the last word alone";
}

TEST_F(StreamRaces, EachOfTheOtherStreamsIsLookedAt) {
  work(1), launch("store", array);
  work(2), launch("store", array + 1024);
  work(3, {{1, 0}, {2, 0}}), launch("load", array + 1024 + 64 * 4 - 4);
  EXPECT_EQ(found(), Found{"host_race device memory[319] read after write"});
}

TEST_F(StreamRaces, WorkThatIsOrderedBeforeIsNotBeside) {
  work(1), launch("store", array);
  work(2), launch("load", array);
  work(1, {{2, 2}}), launch("store", array);
  EXPECT_EQ(found(), Found{});
}

TEST_F(StreamRaces, OtherWordsOfTheSameArray) {
  work(1), launch("store", array);
  work(2, {{1, 0}}), launch("store", array + 64 * 4);
  EXPECT_EQ(found(), Found{});
}

TEST_F(StreamRaces, AReadIsRememberedBehindAReadOfOrderedWork) {
  work(1), launch("load", array);
  work(2, {{1, 0}}), launch("load", array);
  work(2, {{1, 0}}), device->fill(array, 1, 16);
  ASSERT_EQ(found().size(), 1);
  EXPECT_EQ(found()[0], "host_race byte 0 of an allocation of 4096 bytes write after read");
}

TEST_F(StreamRaces, TheSameValueTwiceIsNoRace) {
  work(1), launch("store", array);
  work(2, {{1, 0}}), launch("store", array);
  EXPECT_EQ(found(), Found{});
}

TEST_F(StreamRaces, AtomicsOfTwoKernelsDoNotRace) {
  work(1), launch("count", array);
  work(2, {{1, 0}}), launch("count", array);
  EXPECT_EQ(found(), Found{});
}

TEST_F(StreamRaces, AtomicsForOneBlockDo) {
  work(1), launch("count_in_block", array);
  work(2, {{1, 0}}), launch("count_in_block", array);
  EXPECT_EQ(found(), Found{"host_race parameter 1[0] atomic after write"});
}

TEST_F(StreamRaces, AFlagOfTheOtherKernelOrdersWhatFollows) {
  work(1), launch("publish", array, 1);
  work(2, {{1, 0}}), launch("take", array, 1);
  EXPECT_EQ(found(), Found{});
  work(2, {{1, 0}}), launch("load", array + 4, 1);
  EXPECT_EQ(found(), Found{"host_race device memory[1] read after write"}) << "without a look at the flag";
}

TEST_F(StreamRaces, AKernelThatLooksAtAFlagTellsNothingByIt) {
  work(1), launch("take", array, 1);
  work(2, {{1, 0}}), launch("announce_too_early", array, 1);
  EXPECT_EQ(found(), Found{"host_race parameter 1[1] write after read"});
}

// Of three launches only the first runs beside the third, and it uses other words.
TEST_F(StreamRaces, ALaunchIsNotBlamedForTheNext) {
  work(1), launch("store", array + 1024);
  work(2), launch("store", array);
  work(3, {{1, 0}}), launch("load", array);
  EXPECT_EQ(found(), Found{});
}

TEST_F(StreamRaces, KernelsAreExactToTheByte) {
  std::array<char, 100> bytes{};
  work(1), launch("store_byte", array + 5, 1);
  work(2, {{1, 0}}), launch("load_byte", array + 4, 1);
  work(2, {{1, 0}}), launch("load_byte", array + 6, 1);
  work(2, {{1, 0}}), device->copy_out(bytes.data(), array, 5);
  work(2, {{1, 0}}), device->copy_out(bytes.data(), array + 6, 50);
  EXPECT_EQ(found(), Found{});
  work(2, {{1, 0}}), device->copy_out(bytes.data(), array + 5, 1);
  work(2, {{1, 0}}), launch("load_byte", array + 5, 1);
  EXPECT_EQ(found().size(), 2);
}

TEST_F(StreamRaces, TwoCopiesMayReadTheSame) {
  std::array<char, 100> bytes{};
  work(1), device->copy_out(bytes.data(), array, 100);
  work(2, {{1, 0}}), device->copy_out(bytes.data(), array, 100);
  work(3, {{1, 0}, {2, 0}}), launch("load", array, 1);
  EXPECT_EQ(found(), Found{});
}

TEST_F(StreamRaces, CopiesAreExactToTheByte) {
  std::array<char, 100> bytes{};
  work(1), device->copy_in(array + 10, bytes.data(), 90);
  work(2, {{1, 0}}), device->copy_out(bytes.data(), array + 100, 50);
  work(2, {{1, 0}}), device->copy_out(bytes.data(), array, 10);
  EXPECT_EQ(found(), Found{});
  work(2, {{1, 0}}), device->copy_out(bytes.data(), array, 11);
  EXPECT_EQ(found(), Found{"host_race byte 10 of an allocation of 4096 bytes read after write"});
}

TEST_F(StreamRaces, GapsBetweenRowsAreNotCopied) {
  std::array<char, 64> bytes{};
  work(1), device->copy_in({array, 64, 16, 4}, bytes.data(), 16);
  work(2, {{1, 0}}), device->fill({array + 16, 64, 48, 4}, 1);
  EXPECT_EQ(found(), Found{});
  work(2, {{1, 0}}), device->fill({array + 15, 64, 2, 4}, 1);
  EXPECT_EQ(found(), Found{"host_race byte 15 of an allocation of 4096 bytes write after write"});
}

TEST_F(StreamRaces, WhatTheJudgeCopiesIsNobodysWork) {
  std::array<std::byte, 256> bytes{};
  uint64_t plain = 0;
  device->allocate(4096, &plain);
  work(1), launch("store", plain);
  work(2, {{1, 0}}), device->fill({plain + 2048, 16, 16, 1}, 0);
  EXPECT_TRUE(device->take(bytes.data(), {plain, bytes.size(), bytes.size(), 1}).ok());
  EXPECT_TRUE(device->place({plain, bytes.size(), bytes.size(), 1}, bytes.data()).ok());
  work(2, {{1, 0}}), device->fill({plain + 2048, 16, 16, 1}, 0);
  EXPECT_EQ(found(), Found{});
}

// The values of variables are put there when a module is loaded. That is in no stream, between a copy and a launch.
TEST_F(StreamRaces, TheFirstValuesOfVariablesAreNobodysWork) {
  const std::string text = std::string(kPtx) +
                           ".visible .global .align 4 .u32 plain[64] = {1, 2, 3};\n"
                           ".visible .global .attribute(.managed) .align 4 .u32 managed[64] = {1, 2, 3};\n";
  work(1), device->fill(array, 1, 256);
  ASSERT_TRUE(device->load_module({text}, &module).ok());
  for (const char* name : {"plain", "managed"}) {
    GlobalInfo variable;
    ASSERT_TRUE(device->find_global(module, name, &variable).ok());
    work(2, {{1, 0}}), launch("load", variable.address);
    work(3, {{1, 0}, {2, 0}}), launch("load", variable.address);
    EXPECT_EQ(found(), Found{}) << name;
  }
  work(4, {{1, 0}}), launch("load", array);
  EXPECT_EQ(found().size(), 1u) << "the work before is still known";
}

TEST_F(StreamRaces, SettledWorkIsForgotten) {
  work(1), launch("store", array);
  work(2, {{1, 0}}, 1), launch("load", array);
  EXPECT_EQ(found(), Found{});
}

TEST_F(StreamRaces, ALaunchSaysWhatTheHostReaches) {
  uint64_t own = 0;
  device->allocate(4096, &own);
  work(1), launch("store", own);
  EXPECT_TRUE(device->take_host_uses().empty());
  work(1), launch("store", array + 8, 3);
  const std::vector<HostUse> uses = device->take_host_uses();
  ASSERT_EQ(uses.size(), 1);
  EXPECT_EQ(uses[0].begin, array + 8);
  EXPECT_EQ(uses[0].end, array + 20);
  EXPECT_EQ(uses[0].kind, HostUse::kWrite);
  work(1), launch("load", array, 1);
  EXPECT_EQ(device->take_host_uses().at(0).kind, HostUse::kRead);
  work(1), launch("flag", array, 1);
  EXPECT_EQ(device->take_host_uses().at(0).kind, HostUse::kSignal);
}

TEST_F(StreamRaces, TheHostsTouchNamesTheWork) {
  work(1), launch("store", array);
  device->touched({.work = 1, .address = array + 12});
  device->touched({.work = 2, .address = array});  // no such work
  EXPECT_EQ(found(), Found{"host_race parameter 1[3] write after read"});
}

}  // namespace
}  // namespace lockstep
