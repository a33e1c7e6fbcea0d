// rung_test: lockstep's own counters, which stand for what a rung means: waits of a block, additions of floats,
// wavefronts of shared memory, bytes. Each form of the same thing counts the same. Expected values are found by hand.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "device/emulated_device.h"
#include "tests/one_kernel.h"

namespace lockstep {
namespace {

using nlohmann::json;

// One launch of these instructions in the report. %r1: the thread; %r2: its warp; %r3: the shared array s, which is
// zeroed; %r4: the thread's own word in s; %rd1: global memory. functions: what the kernel may call.
json launch_of(const std::string& body, Dim3 block, Dim3 grid = {1, 1, 1}, const std::string& functions = "") {
  const std::string ptx =
      ".version 8.5\n.target sm_90\n.address_size 64\n" + functions +
      ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>; .reg "
      ".b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<4>; .reg .f64 %d<4>;\n.shared .align 16 .b8 "
      "s[8192];\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nmov.u32 %r3, s;\nshl.b32 "
      "%r4, %r1, 2;\nadd.u32 %r4, %r3, %r4;\nmov.f32 %f1, 0f3F800000;\nmov.f64 %d1, 0d3FF0000000000000;\n" +
      body + "\nret;\n}\n";
  const std::unique_ptr<EmulatedDevice> device = EmulatedDevice::create({});
  uint64_t out = 0;
  EXPECT_TRUE(device->allocate(1 << 16, &out).ok());
  const Outcome outcome = run_kernel(*device, ptx, {0, grid, block, 0, false, std::as_bytes(std::span(&out, 1))});
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return json::parse(device->report_json())["launches"][0];
}

json counters_of(const std::string& body, Dim3 block = {128, 1, 1}, Dim3 grid = {1, 1, 1},
                 const std::string& functions = "") {
  return launch_of(body, block, grid, functions)["counters"];
}

uint64_t waits(const std::string& body, uint32_t threads = 128) {
  return counters_of(body, {threads, 1, 1})["block_waits"];
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    std::string one = text;
    for (size_t at; (at = one.find('#')) != std::string::npos;) one.replace(at, 1, std::to_string(i));
    all += one;
  }
  return all;
}

// ---- waits of a block ----

TEST(Waits, EachBarrierIsOneWait) {
  EXPECT_EQ(waits(""), 0u);
  EXPECT_EQ(waits(repeated("bar.sync 0;\n", 7)), 7u);
  EXPECT_EQ(waits(repeated("barrier.sync #, 128;\n", 7)), 7u);
  EXPECT_EQ(waits(repeated("bar.red.popc.u32 %r5, 0, 1;\n", 3)), 3u);
  EXPECT_EQ(waits(repeated("barrier.cluster.arrive;\nbarrier.cluster.wait;\n", 5)), 5u);
}

// Warps 0 and 1 meet twice at one barrier while warps 2 and 3 meet once at another; then all meet.
TEST(Waits, BarriersOfDifferentWarpsAreWaitedForAtTheSameTime) {
  EXPECT_EQ(waits("setp.ge.u32 %p1, %r2, 2;\n@%p1 bra $upper;\nbar.sync 1, 64;\nbar.sync 1, 64;\nbra $all;\n"
                  "$upper:\nbar.sync 2, 64;\n$all:\nbar.sync 0;\n"),
            3u);
}

// Warp 0 arrives at barrier 1 after two waits with warp 1, and does not wait there. Warp 2 waits for it, and warp 3 for
// nobody.
TEST(Waits, AnArrivalHandsItsChainOn) {
  EXPECT_EQ(waits("setp.eq.u32 %p1, %r2, 2;\nsetp.eq.u32 %p2, %r2, 3;\n@%p2 bra $end;\n@%p1 bra $two;\n"
                  "bar.sync 2, 64;\nbar.sync 2, 64;\nsetp.eq.u32 %p3, %r2, 1;\n@%p3 bra $end;\nbar.arrive 1, 64;\n"
                  "bra $end;\n$two:\nbar.sync 1, 64;\n$end:\n"),
            3u);
}

// A barrier of a counter: each thread adds 1 and looks until all have.
constexpr const char* kCounterBarrier =
    "red.shared.add.u32 [%r3], 1;\n$wait#:\nld.volatile.shared.u32 %r5, [%r3];\nmov.u32 %r6, #;\n"
    "mad.lo.u32 %r6, %r6, 128, 128;\nsetp.lt.u32 %p1, %r5, %r6;\n@%p1 bra $wait#;\n";

TEST(Waits, ABarrierBuiltFromMemoryIsOneWaitHoweverOftenItLooks) {
  const std::string zeroed = "mov.u32 %r5, 0;\nst.shared.u32 [%r4], %r5;\nbar.sync 0;\n";
  EXPECT_EQ(waits(zeroed + repeated(kCounterBarrier, 6)), 1u + 6);
  std::string polls = kCounterBarrier;  // looks by an atomic that changes nothing
  polls.replace(polls.find("ld.volatile.shared.u32 %r5, [%r3]"), 33, "atom.shared.or.b32 %r5, [%r3], 0");
  EXPECT_EQ(waits(zeroed + repeated(polls, 6)), 1u + 6);
  std::string generic = kCounterBarrier;  // the same word by a generic address
  generic.replace(generic.find("ld.volatile.shared.u32 %r5, [%r3]"), 33,
                  "cvta.shared.u64 %rd3, %rd2;\nld.volatile.u32 %r5, [%rd3]");
  EXPECT_EQ(waits("cvt.u64.u32 %rd2, %r3;\n" + zeroed + repeated(generic, 6)), 1u + 6);
}

// Lane 0 of warp 0 sets a flag in global memory for warp 1, warp 1 for warp 2, and so on.
TEST(Waits, FlagsInGlobalMemoryAreWaits) {
  EXPECT_EQ(waits("mul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd2, %rd1, %rd2;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra $set;\n"
                  "$wait:\nld.acquire.gpu.global.u32 %r5, [%rd2];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra $wait;\n$set:\n"
                  "mov.u32 %r6, 1;\nst.release.gpu.global.u32 [%rd2+4], %r6;\n"),
            3u);
}

TEST(Waits, AnMbarrierIsOneWaitForEachPhase) {
  const std::string phase =
      "mbarrier.arrive.shared.b64 %rd2, [%r3];\n$wait#:\nmbarrier.test_wait.shared.b64 %p1, [%r3], %rd2;\n"
      "@!%p1 bra $wait#;\n";
  EXPECT_EQ(waits("setp.ne.u32 %p2, %r1, 0;\n@%p2 bra $made;\nmbarrier.init.shared.b64 [%r3], 128;\n$made:\n"
                  "bar.sync 0;\n" +
                  repeated(phase, 5)),
            1u + 5);
}

TEST(Waits, AWarpDoesNotWaitForItself) {
  EXPECT_EQ(waits(repeated("st.volatile.shared.u32 [%r4], %r1;\nbar.warp.sync -1;\nld.volatile.shared.u32 %r5, [%r4];\n"
                           "atom.shared.add.u32 %r6, [%r4], %r5;\n",
                           4)),
            0u);
  // Reductions at one counter wait for nobody, though the kernel looks at other words.
  EXPECT_EQ(waits("ld.volatile.shared.u32 %r5, [%r4+4096];\n" + repeated("red.shared.add.u32 [%r3], 1;\n", 4)), 0u);
}

// In the launch of three blocks only block 1 waits, four times.
TEST(Waits, TheBlockThatWaitsMostAndAllThreads) {
  const json counters = counters_of(
      "mov.u32 %r5, %ctaid.x;\nsetp.ne.u32 %p1, %r5, 1;\n@%p1 bra $end;\n" + repeated("bar.sync 0;\n", 4) + "$end:\n",
      {64, 1, 1}, {3, 1, 1});
  EXPECT_EQ(counters["block_waits"], 4u);
  EXPECT_EQ(counters["thread_waits"], 4u * 64);
  EXPECT_EQ(counters["block_branches"], 2u);
}

// The order of the warps decides what a warp finds at a flag. It decides nothing at a barrier.
TEST(Waits, ThoseAtAFlagAreADoubtAndThoseAtABarrierAreNot) {
  const auto is_doubtful = [](const std::string& body) {
    return launch_of(body, {64, 1, 1}).value("counter_kinds", json::object()).contains("block_waits");
  };
  EXPECT_FALSE(is_doubtful("bar.sync 0;\n"));
  EXPECT_TRUE(
      is_doubtful("setp.eq.u32 %p1, %r2, 0;\n@%p1 st.volatile.shared.u32 [%r3], 1;\nWAIT:\n"
                  "ld.volatile.shared.u32 %r5, [%r3];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra WAIT;\n"));
}

// ---- additions ----

TEST(Additions, EveryFormCountsAndNothingElse) {
  const auto additions = [](const std::string& body) { return counters_of(body, {40, 1, 1})["float_additions"]; };
  for (const char* one :
       {"add.f32 %f2, %f1, %f1;", "sub.rn.f32 %f2, %f1, %f1;", "fma.rn.f32 %f2, %f1, 0f3F800000, %f1;",
        "mad.rn.f32 %f2, %f1, %f1, %f1;", "add.f64 %d2, %d1, %d1;", "fma.rn.f64 %d2, %d1, %d1, %d1;",
        "add.f16 %h1, %h2, %h2;", "red.shared.add.f32 [%r3], %f1;", "atom.global.add.f32 %f2, [%rd1], %f1;",
        "red.global.add.f64 [%rd1], %d1;"})
    EXPECT_EQ(additions(one), 40u) << one;
  for (const char* two : {"add.f16x2 %r5, %r6, %r6;", "fma.rn.f16x2 %r5, %r6, %r6, %r6;", "add.bf16x2 %r5, %r6, %r6;",
                          "red.global.add.noftz.f16x2 [%rd1], %r5;"})
    EXPECT_EQ(additions(two), 80u) << two;
  for (const char* none :
       {"mul.f32 %f2, %f1, %f1;", "add.s32 %r5, %r1, 1;", "red.shared.add.u32 [%r3], 1;", "max.f32 %f2, %f1, %f1;",
        "red.global.max.u32 [%rd1], %r1;", "mad.lo.u32 %r5, %r1, 3, %r1;", "cvt.rn.f32.u32 %f2, %r1;"})
    EXPECT_EQ(additions(none), 0u) << none;
  // Each of the 40 threads adds 16 bytes.
  const std::string add = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.",
                    wait = " [%rd1], [%r3], 16;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;";
  EXPECT_EQ(additions(add + "f32" + wait), 40u * 4);
  EXPECT_EQ(additions(add + "f64" + wait), 40u * 2);
  EXPECT_EQ(additions(add + "u32" + wait), 0u);
}

// ---- shared memory ----

// The word of thread t: t · 32, so that the 32 lanes of the warp meet in one bank.
constexpr const char* kOneBank = "shl.b32 %r5, %r1, 7;\nadd.u32 %r5, %r3, %r5;\n";

TEST(Wavefronts, ConflictsCountInEveryForm) {
  const auto excess = [](const std::string& body) {
    return counters_of(kOneBank + body, {32, 1, 1})["shared_excess_wavefronts"].get<uint64_t>();
  };
  EXPECT_EQ(excess("ld.shared.u32 %r6, [%r5];"), 31u);
  EXPECT_EQ(excess("st.shared.u32 [%r5], %r1;"), 31u);
  EXPECT_EQ(excess("red.shared.add.u32 [%r5], 1;"), 31u);
  EXPECT_EQ(excess("atom.shared.exch.b32 %r6, [%r5], %r1;"), 31u);
  EXPECT_EQ(excess("atom.shared.or.b32 %r6, [%r5], 0;"), 31u);
  EXPECT_EQ(excess("atom.shared.cas.b32 %r6, [%r5], 0, %r1;"), 62u);  // two wavefronts each
  // A loop: in round i 32 − i lanes load, from one bank, and one lane tries, which takes two wavefronts. Without
  // conflicts it is one round.
  EXPECT_EQ(excess("red.shared.add.f32 [%r5], %f1;"), 32u * 33 / 2 + 32 * 2 - 3);
  for (const char* none :
       {"ld.shared.u32 %r6, [%r4];", "st.shared.u32 [%r4], %r1;", "red.shared.add.u32 [%r4], 1;",
        "atom.shared.cas.b32 %r6, [%r4], 0, %r1;", "red.shared.add.f32 [%r4], %f1;", "ld.shared.u32 %r6, [%r3];"})
    EXPECT_EQ(excess(none), 0u) << none;
}

TEST(Wavefronts, AllFormsAddUp) {
  const json counters = counters_of(
      "ld.shared.u32 %r6, [%r4];\nst.shared.u32 [%r4], %r1;\nred.shared.add.u32 [%r4], 1;\n"
      "atom.shared.cas.b32 %r6, [%r4], 0, %r1;",
      {64, 1, 1});
  EXPECT_EQ(counters["shared_wavefronts"], 2u * (1 + 1 + 1 + 2));
  EXPECT_EQ(counters["shared_bytes_loaded"], 64u * 4 * 3);
  EXPECT_EQ(counters["shared_bytes_stored"], 64u * 4 * 3);
}

// ---- global memory, lanes, loops ----

TEST(GlobalBytes, EveryFormCounts) {
  const std::string own = "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n";
  const auto bytes = [&](const std::string& body) {
    const json counters = counters_of(own + body, {64, 1, 1});
    return std::pair(counters["global_bytes_loaded"].get<int>(), counters["global_bytes_stored"].get<int>());
  };
  EXPECT_EQ(bytes("ld.global.u32 %r5, [%rd2];"), std::pair(256, 0));
  EXPECT_EQ(bytes("st.global.u32 [%rd2], %r1;"), std::pair(0, 256));
  EXPECT_EQ(bytes("red.global.add.u32 [%rd2], %r1;"), std::pair(0, 256));
  EXPECT_EQ(bytes("atom.global.add.u32 %r5, [%rd2], %r1;\nadd.u32 %r5, %r5, 1;"), std::pair(256, 256));
  EXPECT_EQ(bytes("cp.async.ca.shared.global [%r4], [%rd2], 4;\ncp.async.wait_all;"), std::pair(256, 0));
}

// ---- waits for memory ----

uint64_t memory_waits(const std::string& body) { return counters_of(body, {64, 1, 1})["memory_waits"]; }  // two warps

TEST(MemoryWaits, LoadsThatAreUnderWayTogetherAreOneWait) {
  const std::string eight = "ld.global.v4.u32 {%r1#, %r5, %r6, %r7}, [%rd1 + 16];\n";
  EXPECT_EQ(memory_waits(repeated(eight, 8) + repeated("add.u32 %r8, %r8, %r1#;\n", 8)), 2u);
  // The third address is known only when the second load is there, and the second when the first is.
  const std::string chase =
      "ld.global.u64 %rd1, [%rd1];\nand.b64 %rd1, %rd1, 0;\nld.param.u64 %rd2, [out];\n"
      "add.u64 %rd1, %rd1, %rd2;\n";
  EXPECT_EQ(memory_waits(repeated(chase, 3) + "st.global.u64 [%rd1], %rd1;"), 2u * 3);
}

TEST(MemoryWaits, ATurnOfALoopWaitsOnce) {
  const auto loop = [](const std::string& before, const std::string& turn) {
    return before + "mov.u32 %r5, 0;\n$turn:\n" + turn +
           "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 4;\n@%p1 bra $turn;\nst.global.u32 [%rd1], %r6;\n";
  };
  const std::string load = "ld.global.nc.u32 %r7, [%rd1];\n", add = "add.u32 %r6, %r6, %r7;\n";
  EXPECT_EQ(memory_waits(loop("", load + add)), 2u * 4);
  EXPECT_EQ(memory_waits(loop("", load + "ld.global.nc.u32 %r8, [%rd1 + 64];\n" + add + "add.u32 %r6, %r6, %r8;\n")),
            2u * 4);
  // A turn asks for the value of the next turn: the first is waited for before the loop, the others by the next turn.
  EXPECT_EQ(memory_waits(loop(load, "mov.u32 %r9, %r7;\n" + load + "add.u32 %r6, %r6, %r9;\n")), 2u * 5);
}

TEST(MemoryWaits, AnAtomicWhoseResultIsUsedIsOneAndSoIsAWaitForCopies) {
  EXPECT_EQ(memory_waits("atom.global.add.u32 %r5, [%rd1], 1;\nst.global.u32 [%rd1 + 64], %r5;"), 2u);
  EXPECT_EQ(memory_waits("cp.async.ca.shared.global [%r4], [%rd1], 4;\ncp.async.wait_all;"), 2u);
  EXPECT_EQ(memory_waits("cp.async.ca.shared.global [%r4], [%rd1], 4;\ncp.async.commit_group;\n"
                         "cp.async.wait_group 0;"),
            2u);
}

TEST(MemoryWaits, NothingElseWaitsForGlobalMemory) {
  EXPECT_EQ(memory_waits("st.global.u32 [%rd1], %r1;\nred.global.add.u32 [%rd1 + 64], 1;"), 0u);
  EXPECT_EQ(memory_waits("st.shared.u32 [%r4], %r1;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd1], %r5;"), 0u);
  EXPECT_EQ(memory_waits("ld.global.u32 %r5, [%rd1];"), 0u);  // nobody uses it
}

TEST(Launches, EachIsOne) { EXPECT_EQ(counters_of("", {64, 1, 1}, {3, 1, 1})["launches"], 1u); }

TEST(Lanes, IdleOnesAreThoseOfPartialWarps) {
  const json counters = counters_of("", {40, 1, 1});
  const uint64_t instructions = counters["smsp__inst_executed.sum"],
                 threads = counters["smsp__thread_inst_executed.sum"];
  EXPECT_EQ(counters["idle_lanes"], 24 * instructions / 2);  // the second warp has 8 lanes
  EXPECT_EQ(counters["idle_lanes"], 32 * instructions - threads);
}

// Each of the two warps goes down five times. The first call, from the kernel, is no turn.
TEST(Loops, ARecursiveCallIsATurn) {
  const std::string down =
      ".func down(.param .b32 n)\n{\n.reg .pred %p<2>; .reg .b32 %r<3>;\nld.param.b32 %r1, [n];\n"
      "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra $end;\nsub.u32 %r2, %r1, 1;\n"
      "{.param .b32 m; st.param.b32 [m], %r2; call down, (m);}\n$end:\nret;\n}\n";
  const std::string call = "{.param .b32 m; st.param.b32 [m], 5; call down, (m);}";
  EXPECT_EQ(counters_of(call, {64, 1, 1}, {1, 1, 1}, down)["loop_branches"], 2u * 5);
}

// A loop of four turns whose branch back is indexed.
TEST(Loops, AnIndexedBranchThatGoesBackIsALoop) {
  EXPECT_EQ(counters_of("$list: .branchtargets $turn, $end;\nmov.u32 %r5, 0;\n$turn:\nadd.u32 %r5, %r5, 1;\n"
                        "shr.u32 %r6, %r5, 2;\nbrx.idx %r6, $list;\n$end:\n",
                        {64, 1, 1})["loop_branches"],
            4u * 2);
  EXPECT_EQ(counters_of("$list: .branchtargets $one, $end;\nbrx.idx 0, $list;\n$one:\nmov.u32 %r5, 1;\n$end:\n",
                        {64, 1, 1})["loop_branches"],
            0u);
}

}  // namespace
}  // namespace lockstep
