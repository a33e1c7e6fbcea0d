// cost_model_test: the modelled time of invented launches: small cases that are calculated here, and a test that more
// work never takes less time. Also the static part: which instruction waits for which, in a few lines of PTX.
#include "report/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "device/emulated_device.h"
#include "program/opcodes.h"
#include "tests/one_kernel.h"

namespace lockstep {
namespace {

// A card with two multiprocessors at 1 GHz, and round numbers.
Card small_card() {
  return {"small",
          {{"multiprocessors", 2},
           {"clock_ghz", 1},
           {"threads_per_multiprocessor", 1024},
           {"blocks_per_multiprocessor", 8},
           {"shared_bytes_per_multiprocessor", 65536},
           {"shared_bytes_per_block", 49152},
           {"integer_lanes", 64},
           {"float_lanes", 128},
           {"double_lanes", 2},
           {"special_lanes", 16},
           {"dram_gb_s", 100},
           {"l2_bytes_per_clock", 64},
           {"l2_bytes_per_clock_of_one", 64},
           {"shared_cycles", 20},
           {"l1_cycles", 30},
           {"l2_cycles", 200},
           {"dram_cycles", 400},
           {"barrier_cycles", 18},
           {"barrier_cycles_per_warp", 1},
           {"atomic_cycles", 2},
           {"atomic_sectors_per_clock", 50},
           {"block_cycles", 0},
           {"launch_us", 3},
           {"dram_share", 0.5},
           {"overlap", 2},
           {"speedup_error", 1.5}}};
}

Work blocks(uint64_t count, uint64_t threads) {
  Work work;
  work.blocks = count;
  work.threads_per_block = threads;
  return work;
}

TEST(CostModel, NothingToDoTakesALaunch) {
  const ModelledTime time = modelled_time(blocks(1, 32), small_card());
  EXPECT_DOUBLE_EQ(time.us, 3);
  EXPECT_STREQ(time.bound, "launch");
}

TEST(CostModel, MemoryTakesItsBytesOverItsBandwidth) {
  Work work = blocks(2, 32);
  work.sectors_read = 10'000, work.sectors_written = 5'625;  // 500,000 bytes, at 50 a nanosecond
  const ModelledTime time = modelled_time(work, small_card());
  EXPECT_DOUBLE_EQ(time.dram, 10);
  EXPECT_DOUBLE_EQ(time.us, 13);
  EXPECT_STREQ(time.bound, "dram");
}

TEST(CostModel, PartsOverlapButForALittle) {
  Work work = blocks(2, 32);
  work.sectors_read = 4'687;  // 150,000 bytes: 3 us
  work.busiest_atomics = 2'000;
  const ModelledTime time = modelled_time(work, small_card());
  EXPECT_DOUBLE_EQ(time.atomics, 4);
  EXPECT_NEAR(time.us, 3 + 5, 1e-3);  // 3 and 4 overlap
  EXPECT_STREQ(time.bound, "atomics");
}

TEST(CostModel, TheBusiestMultiprocessorDecides) {
  Work work = blocks(3, 32);
  work.wavefronts = 30'000;  // two of three blocks on one multiprocessor
  EXPECT_DOUBLE_EQ(modelled_time(work, small_card()).shared, 20);
  work.blocks = 1;
  EXPECT_DOUBLE_EQ(modelled_time(work, small_card()).shared, 30);
}

TEST(CostModel, InstructionsIssueFourACycleUnlessAPipeIsNarrower) {
  Work work = blocks(2, 32);
  work.issued.slots = 80'000;
  EXPECT_DOUBLE_EQ(modelled_time(work, small_card()).issue, 10);  // 40,000 each, 4 per cycle
  work.issued.special = 10'000;                                   // 16 lanes: half a warp per cycle
  EXPECT_DOUBLE_EQ(modelled_time(work, small_card()).issue, 10);
  work.issued.double_precision = 10'000;  // 2 lanes: a warp in 16 cycles
  EXPECT_DOUBLE_EQ(modelled_time(work, small_card()).issue, 80);
}

TEST(CostModel, WavesOfBlocksWaitOneAfterTheOther) {
  Work work = blocks(4, 1024);  // one per multiprocessor: two waves
  work.chains = {400, 40, 40, 4, 8};
  work.longest_chain = {100, 10, 10, 1, 2};
  work.loaded_sectors = 100, work.sectors_read = 50;  // half of the misses find their data in L2
  // 100 + 10·20 + 10·30 + (200 + 400) / 2 + 2·50 cycles for each wave
  EXPECT_DOUBLE_EQ(modelled_time(work, small_card()).latency, 2.0);
  work.blocks = 2, work.chains = {200, 20, 20, 2, 4};
  EXPECT_DOUBLE_EQ(modelled_time(work, small_card()).latency, 1.0);
}

TEST(CostModel, BeginningBlocksTakesTime) {
  Card card = small_card();
  card.parameters["block_cycles"] = 2;
  const ModelledTime time = modelled_time(blocks(20'000, 32), card);
  EXPECT_DOUBLE_EQ(time.us, 43);
  EXPECT_STREQ(time.bound, "launch");
}

TEST(CostModel, AtomicsWaitAtOnePlaceOrForTheWholeCard) {
  Work work = blocks(2, 32);
  work.atomic_sectors = 1'000'000, work.busiest_atomics = 5'000;  // 50 sectors a cycle; 2 cycles each
  EXPECT_DOUBLE_EQ(modelled_time(work, small_card()).atomics, 20);
  work.busiest_atomics = 50'000;
  EXPECT_DOUBLE_EQ(modelled_time(work, small_card()).atomics, 100);
}

TEST(CostModel, MoreOfAnythingNeverTakesLess) {
  Work work = blocks(80'000, 256);  // several waves on each card
  work.chains = {8'000'000, 80'000, 80'000, 80'000, 80'000};
  work.longest_chain = {100, 1, 1, 1, 1};
  work.loaded_sectors = work.sectors_read = 1'000;
  uint64_t* const inputs[] = {&work.issued.slots,
                              &work.issued.integer,
                              &work.issued.floating,
                              &work.issued.double_precision,
                              &work.issued.special,
                              &work.wavefronts,
                              &work.l2_sectors,
                              &work.sectors_read,
                              &work.sectors_written,
                              &work.busiest_atomics,
                              &work.chains.cycles,
                              &work.longest_chain.cycles,
                              &work.longest_chain.shared_waits,
                              &work.longest_chain.l1_waits,
                              &work.longest_chain.misses,
                              &work.longest_chain.barriers};
  for (const Card& card : cards()) {
    for (uint64_t* input : inputs) {
      const double before = modelled_time(work, card).us;
      *input += 1'000'000;
      EXPECT_GT(modelled_time(work, card).us, before) << card.name << ", input " << input - &work.blocks;
      *input -= 1'000'000;
    }
  }
}

TEST(CostModel, ABlockThatDoesNotFitHasNoTime) {
  Work work = blocks(1, 1024);
  EXPECT_TRUE(fits(work, small_card()));
  work.shared_bytes = 49'153;
  EXPECT_FALSE(fits(work, small_card()));
}

TEST(Cards, AreTheFourOfTheTable) {
  std::vector<std::string> names;
  for (const Card& card : cards()) names.push_back(card.name);
  EXPECT_EQ(names, (std::vector<std::string>{"NVIDIA H200", "NVIDIA A100", "NVIDIA GeForce RTX 4060", "NVIDIA T4"}));
}

TEST(Cards, AWrongLineIsNamed) {
  const auto complaint = [](const std::string& lines) -> std::string {
    try {
      read_cards("card,parameter,value,source\n" + lines);
    } catch (const std::runtime_error& error) { return error.what(); }
    return "";
  };
  EXPECT_NE(complaint("X,clock_ghz,fast,y\n").find("not a number above zero"), std::string::npos);
  EXPECT_NE(complaint("X,clock_ghz,1\n").find("card,parameter,value,source"), std::string::npos);
  EXPECT_NE(complaint("X,clock_ghz,1,\n").find("card,parameter,value,source"), std::string::npos);
  EXPECT_NE(complaint("X,clock,1,y\n").find("no such parameter"), std::string::npos);
  EXPECT_NE(complaint("X,clock_ghz,1,y\nX,clock_ghz,2,y\n").find("twice"), std::string::npos);
  EXPECT_NE(complaint("X,clock_ghz,1,y\n").find("X has no "), std::string::npos);
}

// The work of blocks of 32 threads that run these lines; %rd1 is the address of 4 KiB.
nlohmann::json work_of(const std::string& lines, uint32_t blocks = 1) {
  const std::unique_ptr<EmulatedDevice> device = EmulatedDevice::create({});
  uint64_t out = 0;
  EXPECT_TRUE(device->allocate(4096, &out).ok());
  const std::string ptx =
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\n" +
      lines + "\nret;\n}\n";
  const Outcome outcome = run_kernel(*device, ptx, {0, {blocks}, {32}, 0, false, std::as_bytes(std::span(&out, 1))});
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return nlohmann::json::parse(device->report_json())["launches"][0]["work"];
}

TEST(Dependence, TheSlowestBlockHasTheLongestChain) {
  const auto work = work_of(
      "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 1;\n@%p1 bra END;\n"
      "ld.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd1], %r2;\nEND:",
      3);
  EXPECT_EQ(work["longest_chain"]["misses"], 1);
  EXPECT_EQ(work["chains"]["misses"], 1);
  EXPECT_GT(work["longest_chain"]["cycles"].get<uint64_t>() * 3, work["chains"]["cycles"].get<uint64_t>());
}

// Each access has one address for all lanes: one sector, except that an atomic takes one for each lane.
TEST(Work, IsTheSumOfWhatInstructionsDo) {
  const std::string load = "ld.global.u32 %r1, [%rd1];\n", store = "st.global.u32 [%rd1+1024], 1;\n",
                    atomics = "red.global.add.u32 [%rd1+2048], 1;\nred.global.add.u32 [%rd1+2048], 2;\n",
                    shuffle = "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\n",
                    local = ".local .align 4 .b8 l[4];\nst.local.u32 [l], %r1;\nld.local.u32 %r3, [l];\n",
                    shared = ".shared .align 4 .b8 s[4];\nst.shared.u32 [s], %r1;\n";
  const auto wavefronts = [](const std::string& lines) { return work_of(lines)["wavefronts"].get<int>(); };
  const int none = wavefronts("");
  for (const std::string& one : {load, store, shuffle, shared}) EXPECT_EQ(wavefronts(one), none + 1) << one;
  EXPECT_EQ(wavefronts(local), none + 2);
  const auto work = work_of(load + store + atomics);
  EXPECT_EQ(work["loaded_sectors"], 1);
  EXPECT_EQ(work["atomic_sectors"], 64);
  EXPECT_EQ(work["l2_sectors"], 1 + 1 + 64);
  EXPECT_EQ(work["busiest_atomics"], 64);
  EXPECT_EQ(work_of("red.global.add.u32 [%rd1], 1;\nred.global.add.u32 [%rd1+2048], 1;")["busiest_atomics"], 32);
}

TEST(Dependence, LoadsThatNeedNotWaitForEachOtherAreUnderWayTogether) {
  const std::string two = "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+1024];\n";
  EXPECT_EQ(work_of(two + "add.u32 %r3, %r1, %r2;")["chains"]["misses"], 1);
  EXPECT_EQ(work_of("ld.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 1;\nld.global.u32 %r2, [%rd1+1024];\n"
                    "add.u32 %r3, %r1, %r2;")["chains"]["misses"],
            1);  // ptxas moves the second up
  EXPECT_EQ(work_of("ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nld.global.u32 %r2, [%rd1+1024];\n"
                    "add.u32 %r3, %r1, %r2;")["chains"]["misses"],
            2);  // ptxas cannot: the store may write what is loaded
}

TEST(Dependence, WhatL1HoldsIsNoMiss) {
  const auto work = work_of(
      "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nld.global.u32 %r2, [%rd1+4];\n"
      "add.u32 %r3, %r1, %r2;");
  EXPECT_EQ(work["chains"]["misses"], 1);
  EXPECT_EQ(work["chains"]["l1_waits"], 1);
  EXPECT_EQ(work["sectors_read"], 1);
  EXPECT_EQ(work["sectors_written"], 1);
}

// What another block or the host may have written meanwhile does not come from L1.
TEST(Dependence, AStrongLoadNeverFindsItsDataInL1) {
  const std::string weak = "ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd1+1024], %r2;\n";
  EXPECT_EQ(work_of(weak + "ld.global.u32 %r3, [%rd1];\nadd.u32 %r4, %r3, 1;")["loaded_sectors"], 1);
  for (const char* load : {"ld.volatile", "ld.relaxed.gpu", "ld.acquire.gpu", "ld.relaxed.cta"}) {
    const auto work = work_of(weak + load + ".global.u32 %r3, [%rd1];\nadd.u32 %r4, %r3, 1;");
    EXPECT_EQ(work["loaded_sectors"], 2) << load;
    EXPECT_EQ(work["chains"]["misses"], 2) << load;
    EXPECT_EQ(work["chains"]["l1_waits"], 0) << load;
  }
}

TEST(Dependence, WhatNobodyWaitsForIsNoWait) {
  EXPECT_EQ(work_of("ld.global.u32 %r1, [%rd1];")["chains"]["misses"], 0);
}

TEST(Dependence, AnAtomicWithoutItsResultIsNoWait) {
  EXPECT_EQ(work_of("red.global.add.u32 [%rd1], 1;")["chains"]["misses"], 0);
  EXPECT_EQ(work_of("red.global.add.u32 [%rd1], 1;")["busiest_atomics"], 32);
  EXPECT_EQ(work_of("atom.global.add.u32 %r1, [%rd1], 1;\nadd.u32 %r2, %r1, 1;")["chains"]["misses"], 1);
}

TEST(Dependence, AsynchronousCopiesMoveBytesAndAreWaitedFor) {
  const auto work = work_of(
      ".shared .align 16 .b8 s_tile[16];\nmov.u32 %r1, s_tile;\n"
      "cp.async.cg.shared.global [%r1], [%rd1], 16;\ncp.async.wait_all;");
  EXPECT_EQ(work["chains"]["misses"], 1);
  EXPECT_EQ(work["sectors_read"], 1);  // all 32 lanes copy the same sector
  EXPECT_EQ(work["l2_sectors"], 1);
}

TEST(Dependence, PairsThatAreOneInstructionTakeOneSlot) {
  const int alone = work_of("")["slots"];
  EXPECT_EQ(work_of("shl.b32 %r1, %r9, 2;\nadd.u32 %r2, %r1, %r8;")["slots"], alone + 1);
  EXPECT_EQ(work_of("shl.b32 %r1, %r9, 2;\nadd.u32 %r2, %r1, %r8;\nadd.u32 %r3, %r1, %r2;")["slots"], alone + 2);
}

TEST(Dependence, DivisionsAreManyInstructions) {
  EXPECT_EQ(cost_of("rem.u32").slots, 22);
  EXPECT_EQ(cost_of("add.s32").slots, 1);
  EXPECT_EQ(cost_of("add.s64").slots, 2);
  EXPECT_EQ(cost_of("mov.u32").slots, 0);
  EXPECT_EQ(cost_of("mul.wide.u32").slots, 1);
  EXPECT_EQ(cost_of("fma.rn.f64").pipe, Pipe::kDouble);
  EXPECT_EQ(cost_of("ex2.approx.f32").pipe, Pipe::kSpecial);
}

}  // namespace
}  // namespace lockstep
