// checker_test: small PTX kernels → the findings of the checks: kinds, lines and counts, as the report has them. The
// corpus in faults/ shows which mistakes the checks find. This test also runs under sanitizers.
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "device/emulated_device.h"

namespace lockstep {
namespace {

// The findings of one launch of `body` with every check on; %rd1 is an array of 64 words of which the host has written
// the first 32, %r1 the thread's number, %rd2 its word of the array, %r2 its word of the shared array s.
// kernel: its mangled name.
nlohmann::json findings(const std::string& body, uint32_t threads = 64, uint32_t blocks = 1,
                        const std::string& kernel = "k") {
  DeviceOptions options;
  options.checks = {true, true, true, true, true};
  const auto device = EmulatedDevice::create(options);
  uint64_t array = 0;
  std::array<uint32_t, 32> zeros{};
  device->allocate(256, &array);
  device->copy_in(array, zeros.data(), sizeof zeros);
  const std::string text =
      ".version 9.0\n.target sm_80\n.address_size 64\n.file 1 \"/usr/local/cuda/include/cccl/cub/x.cuh\"\n"
      ".visible .entry " +
      kernel +
      "(.param .u64 p)\n{\n.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n.shared .align 16 .b8 "
      "s[256];\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
      "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd2, %rd1;\nmov.u32 %r2, s;\nmad.lo.u32 %r2, %r1, 4, %r2;\n" +
      body + "\nret;\n}\n";
  ModuleId module = 0;
  FunctionInfo f;
  Outcome outcome = device->load_module({text}, &module);
  if (outcome.ok()) outcome = device->find_function(module, kernel, &f);
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  const LaunchRequest request{f.id, {blocks, 1, 1}, {threads, 1, 1}, 0, false, std::as_bytes(std::span(&array, 1))};
  outcome = device->launch(request);
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return nlohmann::json::parse(device->report_json())["findings"];
}

std::vector<std::string> kinds(const nlohmann::json& found) {
  std::vector<std::string> names;
  for (const auto& f : found) names.push_back(f["kind"]);
  return names;
}
using Kinds = std::vector<std::string>;

TEST(Checker, NothingWrongIsNothingFound) {
  EXPECT_TRUE(
      findings("st.shared.u32 [%r2], %r1; bar.sync 0; ld.shared.u32 %r3, [s+12]; st.global.u32 [%rd2], %r3;").empty());
}

TEST(Checker, ARaceNamesBothAccessesAndTheWord) {
  const auto found = findings("st.shared.u32 [%r2], %r1; ld.shared.u32 %r3, [s+12]; st.global.u32 [%rd2], %r3;");
  ASSERT_EQ(kinds(found), Kinds{"race"});
  EXPECT_EQ(found[0]["where"], "s[3]");
  EXPECT_EQ(found[0]["access"], "read");
  EXPECT_EQ(found[0]["other"]["access"], "write");
  EXPECT_EQ(found[0]["other"]["thread"], nlohmann::json({3, 0, 0}));
  EXPECT_EQ(found[0]["count"], 63) << "every thread but the writer";
  EXPECT_EQ(found[0]["schedule"], "forward");
}

// Each lane's element, or its row of ldmatrix, is an access of its own.
TEST(Checker, SeesTheAccessesOfMatrices) {
  const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r4];",
                    rows = "and.b32 %r5, %r1, 31; mov.u32 %r4, s; mad.lo.u32 %r4, %r5, 16, %r4;",
                    keep = "st.global.u32 [%rd2], %r3;";
  EXPECT_EQ(kinds(findings(rows + load + keep, 32)), Kinds{"uninitialised_read"});
  const std::string both = "st.shared.u32 [%r2], %r1;" + rows;
  EXPECT_EQ(kinds(findings(both + load + keep)), Kinds{"race"}) << "the other warp has written half of the rows";
  EXPECT_TRUE(findings(both + "bar.sync 0;" + load + keep).empty());
  const std::string store =
      "mov.b32 %r3, 0; wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r4], {%r3, %r3, %r3, %r3}, 16;";
  const auto outside = findings("mov.u32 %r4, s;" + store, 32);
  ASSERT_EQ(kinds(outside), Kinds{"out_of_bounds"}) << "512 bytes, and s has 256";
  EXPECT_EQ(outside[0]["where"], "s[128]");
  const std::string lines = "mov.u32 %r4, s; wmma.load.a.sync.aligned.row.m8n32k16.shared.s8 {%r3}, [%r4], ";
  EXPECT_TRUE(findings("st.shared.u32 [%r2], %r1; bar.sync 0;" + lines + "16;" + keep).empty());
  EXPECT_EQ(kinds(findings("st.shared.u32 [%r2], %r1; bar.sync 0;" + lines + "20;" + keep)), Kinds{"misaligned"});
}

TEST(Checker, ARaceOfWarpsSaysMoreThanOneOfLanes) {
  const char* reads_the_next = "st.shared.u32 [%r2], %r1; ld.shared.u32 %r3, [%r2+4]; st.global.u32 [%rd2], %r3;";
  const auto among_lanes = findings(reads_the_next, 31);
  ASSERT_EQ(kinds(among_lanes), Kinds{"race"});
  EXPECT_NE(among_lanes[0]["message"].get<std::string>().find("__syncwarp()"), std::string::npos);
  const auto among_warps = findings(reads_the_next, 63);
  ASSERT_EQ(kinds(among_warps), Kinds{"race"});
  EXPECT_NE(among_warps[0]["message"].get<std::string>().find("__syncthreads()"), std::string::npos);
  EXPECT_EQ(among_warps[0]["where"], "s[32]");
  EXPECT_EQ(among_warps[0]["count"], 62);
}

// One of the word's four bytes is written. The others may be padding of a struct, until somebody computes with them.
TEST(Checker, AStructIsCopiedWithItsPaddingButNotComputedWith) {
  const std::string load = "st.global.u8 [%rd1+200], 1; ld.global.u32 %r3, [%rd1+200];",
                    store = "st.global.u32 [%rd1+204], %r3;";
  EXPECT_TRUE(findings(load + store, 1).empty());
  EXPECT_EQ(kinds(findings(load + "add.u32 %r3, %r3, 1;" + store, 1)), Kinds{"uninitialised_read"});
}

TEST(Checker, BlocksAreOrderedByNothing) {
  EXPECT_EQ(kinds(findings("mov.u32 %r3, %ctaid.x; st.global.u32 [%rd1], %r3;", 1, 3)), Kinds{"race"});
  EXPECT_TRUE(findings("red.global.add.u32 [%rd1], 1;", 1, 3).empty());
}

// The thread that sets a counter to zero is also the first that adds to it.
TEST(Checker, AWeakWriteIsNotHiddenByItsThreadsAtomic) {
  const std::string zero = "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [s], 0;", add = "red.shared.add.u32 [s], 1;";
  EXPECT_EQ(kinds(findings(zero + add, 32)), Kinds{"race"});
  EXPECT_TRUE(findings(zero + "bar.sync 0;" + add, 32).empty());
  EXPECT_EQ(kinds(findings("st.shared.u32 [%r2], 0; red.shared.add.u32 [%r2], 1; xor.b32 %r2, %r2, 4;"
                           "red.shared.add.u32 [%r2], 1;",
                           32)),
            Kinds{"race"})
      << "in rows, too";
}

// A thread that has acquired a flag may then read and write the flag without further synchronisation.
TEST(Checker, AReleaseIsAmongWhatItTells) {
  const auto flag_of = [](const std::string& store) {
    return "mov.u32 %r3, %ctaid.x; setp.ne.u32 %p1, %r3, 0; @%p1 bra READ;" + store +
           " [%rd1], 7; bra END; READ: ld.acquire.gpu.global.u32 %r4, [%rd1]; setp.eq.u32 %p2, %r4, 0; @%p2 bra READ;"
           "ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1; st.global.u32 [%rd1], %r5; END:";
  };
  EXPECT_TRUE(findings(flag_of("st.release.gpu.global.u32"), 1, 2).empty());
  EXPECT_EQ(kinds(findings(flag_of("st.relaxed.gpu.global.u32"), 1, 2)), (Kinds{"race", "race"}));
}

// Thread 0 writes a word and swaps a flag; thread 32 reads the flag and the word.
TEST(Checker, OnlyASwapThatWritesReleases) {
  const auto swap_if = [](const char* expected) {
    return findings(std::string("setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 32; @%p1 st.global.u32 [%rd1+64], 7;") +
                    "@%p1 atom.release.gpu.global.cas.b32 %r3, [%rd1], " + expected +
                    ", 1; @%p2 ld.acquire.gpu.global.u32 %r4, [%rd1]; @%p2 ld.global.u32 %r5, [%rd1+64];");
  };
  EXPECT_TRUE(swap_if("0").empty());
  EXPECT_EQ(kinds(swap_if("5")), Kinds{"race"}) << "the flag holds 0";
}

// Each lane of a warp writes its word. Lane l swaps l for the next number, so it finds what the lane before it wrote.
// With another step, only lane 0 finds its number. The second warp reads the word of lane 9.
TEST(Checker, LanesOfOneSwapSeeEachOther) {
  const auto swap_to = [](const char* next) {
    return findings(
        std::string("st.shared.u32 [s], 0; bar.sync 0; setp.lt.u32 %p1, %r1, 32; @%p1 st.global.u32 [%rd2], 7;") +
        "add.u32 %r3, %r1, " + next +
        "; @%p1 atom.release.gpu.shared.cas.b32 %r4, [s], %r1, %r3; setp.eq.u32 %p2, %r1, 32;"
        "@%p2 ld.acquire.gpu.shared.u32 %r5, [s]; @%p2 ld.global.u32 %r6, [%rd1+36];");
  };
  EXPECT_EQ(kinds(swap_to("1")), Kinds{});
  EXPECT_EQ(kinds(swap_to("100")), Kinds{"race"});
}

TEST(Checker, EqualValuesFromMany) { EXPECT_TRUE(findings("st.global.u32 [%rd1], 7;", 64, 3).empty()); }

// Where the code says that it stands decides nothing.
TEST(Checker, ALineOfALibraryHidesNothing) {
  const char* const forged =
      ".loc 1 7 3\nst.shared.u32 [%r2], %r1; ld.shared.u32 %r3, [s+12]; st.global.u32 [%rd2], %r3;";
  EXPECT_EQ(kinds(findings(forged)), Kinds{"race"});
  EXPECT_EQ(kinds(findings(".loc 1 7 3\nld.shared.u32 %r3, [%r2]; st.global.u32 [%rd2], %r3;", 32)),
            Kinds{"uninitialised_read"});
  EXPECT_EQ(kinds(findings("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra L;\n.loc 1 7 3\nbar.sync 0;\nbra E;\nL:\n"
                           ".loc 1 7 3\nbar.sync 0;\nE:")),
            Kinds{"barrier_divergence"});
}

// CUB's and Thrust's kernels read shared memory that nothing has written, and discard it; and lanes of one warp write
// different values into one element that nobody reads. All else is as wrong there as anywhere.
TEST(Checker, KernelsOfALibraryMayDoTwoThingsMore) {
  const std::string reads = "ld.shared.u32 %r3, [%r2]; st.global.u32 [%rd2], %r3;", writes = "st.shared.u32 [s], %r1;";
  const std::string races = "st.shared.u32 [%r2], %r1; ld.shared.u32 %r3, [s+12]; st.global.u32 [%rd2], %r3;";
  for (const std::string library : {"_ZN3cub1kEv", "_ZN6thrust6detail1kIiEEvv"}) {
    EXPECT_TRUE(findings(reads, 32, 1, library).empty()) << library;
    EXPECT_TRUE(findings(writes, 32, 1, library).empty()) << library;
    EXPECT_EQ(kinds(findings(races, 32, 1, library)), Kinds{"race"}) << library;
    EXPECT_EQ(kinds(findings(writes, 64, 1, library)), Kinds{"race"}) << "two warps";
    EXPECT_EQ(kinds(findings("mov.u32 %r3, %ctaid.x; st.global.u32 [%rd1], %r3;", 1, 3, library)), Kinds{"race"});
  }
  for (const std::string own : {"k", "_ZN4mine3cub1kEv", "_ZN7cubical1kEv"}) {
    EXPECT_EQ(kinds(findings(reads, 32, 1, own)), Kinds{"uninitialised_read"}) << own;
    EXPECT_EQ(kinds(findings(writes, 32, 1, own)), Kinds{"race"}) << own;
  }
}

TEST(Checker, WhatNobodyWrote) {
  const auto found = findings("ld.global.u32 %r3, [%rd2]; add.u32 %r3, %r3, 1; st.global.u32 [%rd2], %r3;");
  ASSERT_EQ(kinds(found), Kinds{"uninitialised_read"});
  EXPECT_EQ(found[0]["where"], "parameter 1[32]");
  EXPECT_EQ(found[0]["count"], 32);
}

TEST(Checker, OutOfBoundsGoesOnWithoutTheLane) {
  const auto found = findings(
      "st.global.u32 [%rd2+128], %r1; st.shared.u32 [%r2], %r1; setp.gt.u32 %p1, %r1, 39; @%p1 bra END;"
      "ld.shared.u32 %r3, [%r2+4]; END:");
  EXPECT_EQ(kinds(found), (Kinds{"out_of_bounds", "race"}));
  for (const auto& f : found)
    if (f["kind"] == "out_of_bounds") {
      EXPECT_EQ(f["count"], 32);
      EXPECT_EQ(f["where"], "parameter 1[64]");
    }
}

TEST(Checker, MasksThatDisagree) {
  EXPECT_EQ(kinds(findings("shfl.sync.idx.b32 %r3, %r1, 0, 31, 0x0000ffff;", 32)), Kinds{"mask_mismatch"});
  EXPECT_TRUE(findings("setp.lt.u32 %p1, %r1, 16; selp.b32 %r4, 0x0000ffff, 0xffff0000, %p1;"
                       "shfl.sync.bfly.b32 %r3, %r1, 1, 31, %r4;",
                       32)
                  .empty())
      << "two halves";
}

TEST(Checker, ACallerThatItsMaskLeavesOutTakesPartAndIsTold) {
  const auto found = findings("shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0x0000ffff;", 32);
  ASSERT_EQ(kinds(found), Kinds{"mask_mismatch"});
  EXPECT_EQ(found[0]["count"], 16);
  EXPECT_EQ(found[0]["thread"], nlohmann::json({16, 0, 0}));
}

TEST(Checker, LanesOfOneMaskAtTwoCallsGoOnAndAreTold) {
  const std::string halves =
      "setp.gt.u32 %p1, %r1, 15; @%p1 bra UPPER; shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;"
      "bra.uni END; UPPER:";
  EXPECT_EQ(kinds(findings(halves + "shfl.sync.bfly.b32 %r3, %r1, 2, 31, -1; END:", 32)), Kinds{"mask_mismatch"});
  EXPECT_EQ(kinds(findings(halves + "bar.warp.sync -1; END:", 32)), Kinds{"mask_mismatch"});
}

TEST(Checker, BarriersThatNotAllReach) {
  EXPECT_EQ(kinds(findings("setp.gt.u32 %p1, %r1, 31; @%p1 exit; bar.sync 0;")), Kinds{"barrier_divergence"});
  EXPECT_TRUE(findings("setp.gt.u32 %p1, %r1, 31; @%p1 exit; bar.sync 1, 32;").empty()) << "one for 32 threads";
}

// Lanes 16 to 31 have ended. Lane l takes the value of lane l + 16 and does `use` with it.
Kinds uses_of_an_ended_lane(const std::string& use) {
  return kinds(findings("setp.gt.u32 %p1, %r1, 15; @%p1 exit; shfl.sync.down.b32 %r3, %r1, 16, 31, -1;" + use, 32));
}

TEST(Checker, AValueOfAnEndedLaneMayBeTakenAndNotUsed) {
  EXPECT_EQ(uses_of_an_ended_lane(""), Kinds{});
  EXPECT_EQ(uses_of_an_ended_lane("mul.lo.u32 %r3, %r3, 0; st.global.u32 [%rd2], %r3;"), Kinds{});
  EXPECT_EQ(uses_of_an_ended_lane("setp.gt.u32 %p2, %r1, 31; selp.u32 %r3, %r3, %r1, %p2; st.global.u32 [%rd2], %r3;"),
            Kinds{});
  EXPECT_EQ(uses_of_an_ended_lane("add.u32 %r3, %r3, 1; ld.global.u32 %r3, [%rd2]; st.global.u32 [%rd2], %r3;"),
            Kinds{})
      << "overwritten";
}

TEST(Checker, AValueOfAnEndedLaneIsUsed) {
  const Kinds used{"mask_mismatch"};
  EXPECT_EQ(uses_of_an_ended_lane("add.u32 %r3, %r3, 1; st.global.u32 [%rd2], %r3;"), used);
  EXPECT_EQ(uses_of_an_ended_lane("red.global.add.u32 [%rd1], %r3;"), used);
  EXPECT_EQ(uses_of_an_ended_lane("and.b32 %r3, %r3, 60; cvt.u64.u32 %rd3, %r3; add.u64 %rd3, %rd3, %rd1;"
                                  "ld.global.u32 %r4, [%rd3];"),
            used);
  EXPECT_EQ(uses_of_an_ended_lane("setp.ne.u32 %p2, %r3, 77; @%p2 bra END; st.global.u32 [%rd2], %r1; END:"), used)
      << "both numbers differ from 77, and still nobody knows the answer";
  EXPECT_EQ(uses_of_an_ended_lane("shfl.sync.idx.b32 %r4, %r3, 3, 31, -1; st.global.u32 [%rd2], %r4;"), used)
      << "passed on";
}

TEST(Checker, NamesOfChecksAreRead) {
  ASSERT_EQ(setenv("LOCKSTEP_CHECKS", "races,launch", 1), 0);
  const Checks checks = DeviceOptions::from_environment().checks;
  EXPECT_TRUE(checks.races && checks.launch && !checks.memory && !checks.initialised && !checks.synchronisation);
  EXPECT_FALSE(checks.plain_volatile);
  ASSERT_EQ(setenv("LOCKSTEP_CHECKS", "all", 1), 0);
  EXPECT_FALSE(DeviceOptions::from_environment().checks.plain_volatile) << "right programs rely on what PTX promises";
  ASSERT_EQ(setenv("LOCKSTEP_CHECKS", "volatile", 1), 0);
  const Checks strict = DeviceOptions::from_environment().checks;
  EXPECT_TRUE(strict.plain_volatile && strict.races && !strict.memory);
  ASSERT_EQ(setenv("LOCKSTEP_CHECKS", "race", 1), 0);
  EXPECT_THROW(DeviceOptions::from_environment(), std::invalid_argument);
  unsetenv("LOCKSTEP_CHECKS");
}

}  // namespace
}  // namespace lockstep
