// influence_test: the accesses that depend on the order of threads. Those that depend on registers that were not
// written are in unwritten_test.
#include "sass/influence.h"

#include <algorithm>

#include "sass/program_flow.h"
#include "tests/sass/kernel.h"

namespace lockstep {
namespace {

bool depends(const std::string& body, std::string_view access) {
  const Kernel kernel(body);
  const FlowFacts facts(flow_of(kernel.program()));
  return depend_on_order(kernel.program(), facts).accesses[kernel.access(access).pc];
}

TEST(OrderOfThreads, ATicketDecidesWhereAndWhether) {
  const std::string ticket = "atom.global.add.u32 %r3, [%rd1], 1;\n";
  EXPECT_TRUE(depends(ticket + "mul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r2;",
                      "st.global"));
  EXPECT_TRUE(depends(ticket + "setp.ne.u32 %p1, %r3, 63;\n@%p1 ret;\nld.global.u32 %r4, [%rd2];", "ld.global"))
      << "the last block";
  EXPECT_TRUE(depends(ticket + "setp.ne.u32 %p1, %r3, 63;\n@%p1 ld.global.u32 %r4, [%rd2];", "ld.global"));
  EXPECT_FALSE(depends(ticket + "st.global.u32 [%rd2], %r3;", "st.global")) << "only the value depends on it";
  EXPECT_FALSE(depends(ticket + "st.global.u32 [%rd2], %r3;", "atom"));
}

TEST(OrderOfThreads, WhereTheCardRunsAWarpDiffers) {
  const auto by = [](const std::string& number) {
    return "mov.u32 %r3, %" + number +
           ";\nmul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r2;";
  };
  EXPECT_TRUE(depends(by("smid"), "st.global"));
  EXPECT_TRUE(depends(by("warpid"), "st.global"));
  EXPECT_FALSE(depends(by("ctaid.x"), "st.global"));
}

TEST(OrderOfThreads, ATicketMayPassThroughMemory) {
  const std::string body =
      "atom.global.add.u32 %r3, [%rd1], 1;\nst.shared.u32 [s], %r3;\nbar.sync 0;\nld.shared.u32 %r4, [s];\n"
      "mul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r2;";
  EXPECT_TRUE(depends(body, "st.global"));
  EXPECT_FALSE(depends(body, "ld.shared"));
}

TEST(OrderOfThreads, ATicketMayDecideWhoPrints) {
  const auto call_depends = [](const std::string& body) {
    const Kernel kernel("atom.global.add.u32 %r3, [%rd1], 1;\n" + body);
    const FlowFacts facts(flow_of(kernel.program()));
    return bool{depend_on_order(kernel.program(), facts).accesses[kernel.pc("vprintf, (f")]};
  };
  EXPECT_TRUE(call_depends("setp.ne.u32 %p1, %r3, 63;\n@%p1 bra OUT;\n" + Kernel::print() + "OUT:"));
  EXPECT_TRUE(call_depends("cvt.u64.u32 %rd1, %r3;\n" + Kernel::print())) << "the format";
  EXPECT_FALSE(call_depends("st.global.u32 [%rd2], %r3;\n" + Kernel::print())) << "only what it prints";
}

// if (in[i] > 0) out[atomicAdd(count, 1)] = in[i]: what is in `in` does not depend on the order.
// A function that is not inlined stores and reads by generic addresses.
TEST(OrderOfThreads, ATicketMayPassThroughSharedMemoryByAGenericAddress) {
  const auto body = [](const std::string& store, const std::string& load) {
    return "atom.global.add.u32 %r3, [%rd1], 1;\nmov.u64 %rd5, s;\ncvta.shared.u64 %rd6, %rd5;\n" + store +
           "\nbar.sync 0;\n" + load +
           "\nmul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd4, %rd1, %rd3;\nst.global.u32 [%rd4], %r2;";
  };
  EXPECT_TRUE(depends(body("st.u32 [%rd6], %r3;", "ld.shared.u32 %r4, [s];"), "st.global"));
  EXPECT_TRUE(depends(body("st.shared.u32 [s], %r3;", "ld.u32 %r4, [%rd6];"), "st.global"));
  EXPECT_TRUE(depends(body("st.u32 [%rd6], %r3;", "ld.u32 %r4, [%rd6];"), "st.global"));
  EXPECT_FALSE(depends(body("st.u32 [%rd2], %r3;", "ld.shared.u32 %r4, [s];"), "st.global")) << "a parameter's array";
  EXPECT_FALSE(depends(body("st.shared.u32 [s], %r3;", "ld.u32 %r4, [%rd2];"), "st.global"));
}

// Surfaces are not told apart: a store to one may change what any of them, or a texture of its array, gives.
TEST(OrderOfThreads, ASurfaceThatOthersStoreToMayDecide) {
  const std::string use = "setp.ne.u32 %p1, %r3, 0;\n@%p1 st.global.u32 [%rd2], %r2;";
  const std::string load = "suld.b.1d.b32.trap {%r3}, [%rd1, {%r2}];\n",
                    store = "sust.b.1d.b32.trap [%rd1, {0}], {%r2};\n";
  EXPECT_FALSE(depends(load + use, "st.global"));
  EXPECT_TRUE(depends(store + load + use, "st.global"));
  EXPECT_TRUE(depends(store + "tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd1, {%r2}];\n" + use, "st.global"));
}

TEST(OrderOfThreads, WhatIsWrittenInOrderChangesOnlyItsArray) {
  const auto filter = [](const std::string& in, const std::string& out) {
    return "ld.global.u32 %r3, [" + in +
           "];\nsetp.lt.s32 %p1, %r3, 1;\n@%p1 bra OUT;\natom.global.add.u32 %r4, [%rd1+4096]"
           ", 1;\nmul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd4, " +
           out + ", %rd3;\nst.global.u32 [%rd4], %r3;\nOUT:";
  };
  EXPECT_FALSE(depends(filter("%rd1", "%rd2"), "atom"));
  EXPECT_TRUE(depends(filter("%rd1", "%rd2"), "st.global")) << "where it is written does";
  EXPECT_TRUE(depends(filter("%rd1", "%rd1"), "atom")) << "in place";
  const std::string pointer = "ld.global.u64 %rd5, [%rd2+64];\n";
  EXPECT_TRUE(depends(pointer + filter("%rd1", "%rd5"), "atom")) << "a pointer from memory may lead anywhere";
  EXPECT_TRUE(depends(pointer + filter("%rd5", "%rd2"), "atom"));
}

TEST(OrderOfThreads, AReductionGivesNothingBack) {
  EXPECT_FALSE(depends("red.global.add.u32 [%rd1], 1;\nst.global.u32 [%rd2], %r2;", "st.global"));
}

// while (sum > limit) …: the sum of floats is rounded at each addition, and the last of several exchanges stays.
TEST(OrderOfThreads, WhatAtomicsLeaveInMemoryMayDependOnTheirOrder) {
  const auto body = [](const std::string& atomic) {
    return "st.shared.u32 [s], 0;\nbar.sync 0;\n" + atomic +
           "\nbar.sync 0;\nld.shared.u32 %r3, [s];\nsetp.gt.u32 %p1, %r3, 9;\n"
           "@%p1 st.global.u32 [%rd2], %r2;";
  };
  EXPECT_TRUE(depends(body("red.shared.add.f32 [s], %f1;"), "st.global"));
  EXPECT_TRUE(depends(body("atom.shared.exch.b32 %r4, [s], %r2;"), "st.global"));
  for (const char* atomic : {"red.shared.add.u32 [s], %r2;", "red.shared.max.u32 [s], %r2;",
                             "red.shared.or.b32 [s], %r2;", "red.global.add.f32 [%rd2], %f1;"})
    EXPECT_FALSE(depends(body(atomic), "st.global")) << atomic;
  EXPECT_TRUE(depends("atom.global.add.u32 %r4, [%rd2], 1;\n" + body("red.shared.add.u32 [s], %r4;"), "st.global"));
}

// A histogram of each block in global memory, and one of all blocks.
TEST(OrderOfThreads, ABarrierOrdersAtomicsOfTheBlocksOwnArray) {
  const auto depends_on = [](const std::string& array) {
    return depends(
        "mov.u32 %r5, %ctaid.x;\nmul.wide.u32 %rd5, %r5, 1024;\nadd.u64 %rd6, %rd1, %rd5;\n"
        "mul.wide.u32 %rd7, %r2, 4;\nadd.u64 %rd8, " +
            array +
            ", %rd7;\n"
            "red.global.add.u32 [%rd8], 1;\nbar.sync 0;\nld.global.u32 %r3, [%rd8];\n"
            "setp.gt.u32 %p1, %r3, 9;\n@%p1 st.global.u32 [%rd2], %r2;",
        "st.global");
  };
  EXPECT_FALSE(depends_on("%rd6"));
  EXPECT_TRUE(depends_on("%rd1")) << "other blocks add meanwhile";
  // if (a[n - i] != n - i): a block reads what another one writes.
  EXPECT_TRUE(
      depends("mov.u32 %r5, %ctaid.x;\nmov.u32 %r6, %ntid.x;\nmad.lo.u32 %r7, %r5, %r6, %r2;\n"
              "mul.wide.u32 %rd5, %r7, 4;\nadd.u64 %rd6, %rd1, %rd5;\nst.global.u32 [%rd6], %r7;\n"
              "bar.sync 0;\nsub.u32 %r8, %r1, %r7;\nmul.wide.u32 %rd7, %r8, 4;\nadd.u64 %rd8, %rd1, %rd7;\n"
              "ld.global.u32 %r9, [%rd8];\nsetp.ne.u32 %p1, %r9, %r8;\n@%p1 st.global.u32 [%rd2], %r2;",
              "[%rd2], %r2"));
}

TEST(OrderOfThreads, PollingAFlagTakesAsManyTurnsAsItTakes) {
  EXPECT_TRUE(
      depends("TURN:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra TURN;", "ld.volatile"));
  EXPECT_TRUE(
      depends("TURN:\nld.volatile.shared.u32 %r3, [s];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra TURN;", "ld.volatile"));
}

// The barrier carries what one lane saw of the flag to all threads.
TEST(OrderOfThreads, ABarrierThatReducesPassesAValueOn) {
  EXPECT_TRUE(
      depends("TURN:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.ne.u32 %p1, %r3, 0;\nbar.red.or.pred %p2, 0, %p1;\n"
              "@!%p2 bra TURN;\nld.global.u32 %r4, [%rd2];\n@%p2 st.global.u32 [%rd2], %r4;",
              "st.global"));
  const Kernel kernel("TURN:\nsetp.ne.u32 %p1, %r2, 0;\nbar.red.or.pred %p2, 0, %p1;\n@!%p2 bra TURN;");
  const FlowFacts facts(flow_of(kernel.program()));
  EXPECT_FALSE(depend_on_order(kernel.program(), facts).executed[kernel.pc("bar.red")]) << "the thread's number";
}

// if (i == 0) *flag = 1; else while (*flag == 0) …: the comparison names a thread on one of its sides alone.
TEST(OrderOfThreads, TwoSidesOfAComparisonAreNotOneThread) {
  const std::string store = "st.global.u32 [%rd1], 1;\n",
                    load = "ld.global.u32 %r3, [%rd1];\nsetp.ne.u32 %p4, %r3, 0;\n@%p4 st.global.u32 [%rd2], %r2;\n";
  const std::string number = "mov.u32 %r5, %ctaid.x;\nmov.u32 %r6, %ntid.x;\nmad.lo.u32 %r7, %r5, %r6, %r2;\n",
                    is_other = number + "setp.ne.u32 %p2, %r7, 0;\n", five = "setp.eq.u32 %p3, %r1, 5;\n";
  const auto differs = [&](const std::string& compare, const std::string& thread_0, const std::string& others) {
    return depends(compare + "@%p1 bra OTHERS;\n" + thread_0 + "bra.uni OUT;\nOTHERS:\n" + others + "OUT:\n",
                   "[%rd2], %r2");
  };
  const std::string alone = is_other + "mov.pred %p1, %p2;\n";
  EXPECT_TRUE(differs(alone, store, load));
  EXPECT_TRUE(differs(alone, load, store));
  EXPECT_FALSE(differs(alone, store + load, ""));
  EXPECT_TRUE(differs(alone, "", store + load));
  EXPECT_FALSE(differs(is_other + five + "or.pred %p1, %p2, %p3;\n", store + load, "")) << "i == 0 && n != 5";
  EXPECT_TRUE(differs(is_other + five + "and.pred %p1, %p2, %p3;\n", store + load, "")) << "i == 0 || n != 5";
  EXPECT_TRUE(differs("setp.ne.u32 %p1, %r2, 0;\n", store + load, "")) << "every block has a thread 0";
  EXPECT_TRUE(differs(number + "setp.ne.u32 %p1, %r5, 0;\n", store + load, "")) << "a block has many threads";
}

// for (o = …) { if (i < o) s[i] += s[i + o]; __syncthreads(); } with a volatile s.
TEST(OrderOfThreads, VolatileSharedMemoryBetweenBarriersIsNoPolling) {
  EXPECT_FALSE(depends(
      "mov.u32 %r4, 16;\nTURN:\nld.volatile.shared.u32 %r3, [s];\nst.volatile.shared.u32 [s+4], %r3;\nbar.sync 0;\n"
      "shr.u32 %r4, %r4, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra TURN;\nmul.wide.u32 %rd3, %r3, 4;\n"
      "add.u64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r2;",
      "st.global"));
}

// [%rd7]: the thread's own element of the first array.
const std::string kOwn = "mul.wide.u32 %rd6, %r2, 4;\nadd.u64 %rd7, %rd1, %rd6;\n";

// A loop that reads an array at one place and writes it at another: other threads may have written first.
constexpr const char* kTurns =
    "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r1;\n@%p1 bra TURN;\nmul.wide.u32 %rd3, %r3, 4;\n"
    "add.u64 %rd4, %rd2, %rd3;\nld.global.u32 %r6, [%rd4];";

TEST(OrderOfThreads, ALoopOverAnArrayThatOthersChange) {
  const std::string loop = kOwn + "mov.u32 %r5, 0;\nTURN:\nld.global.u32 %r3, [%rd7];\n";
  EXPECT_TRUE(depends(loop + "add.u64 %rd5, %rd7, 400;\nst.global.u32 [%rd5], %r3;\n" + kTurns, "%r6, ["));
  EXPECT_TRUE(depends(loop + "st.global.u32 [%rd7+400], %r3;\nst.global.u32 [%rd7], %r3;\n" + kTurns, "%r6, ["))
      << "its own, and another";
  EXPECT_FALSE(depends(loop + "st.global.u32 [%rd7], %r3;\n" + kTurns, "%r6, [")) << "in place: each thread its own";
  EXPECT_FALSE(depends(loop + "st.shared.u32 [s], %r3;\n" + kTurns, "%r6, [")) << "another array";
  EXPECT_FALSE(depends(loop + kTurns, "%r6, [")) << "nobody writes";
}

// for (i < n) seen |= colour[neighbour[i]]; colour[v] = …, as in a colouring: other threads may have stored first.
TEST(OrderOfThreads, ALoopOverAnArrayThatOthersChangeBehindIt) {
  const std::string loop = kOwn + "mov.u32 %r5, 0;\nTURN:\nld.global.u32 %r3, [%rd7];\n" + kTurns;
  EXPECT_TRUE(depends(loop + "\nadd.u64 %rd5, %rd7, 400;\nst.global.u32 [%rd5], %r3;", "%r6, ["));
  EXPECT_FALSE(depends(loop + "\nst.global.u32 [%rd7], %r3;", "%r6, [")) << "each thread its own";
  EXPECT_TRUE(depends(loop + "\nbar.sync 0;\nadd.u64 %rd5, %rd7, 400;\nst.global.u32 [%rd5], %r3;", "%r6, ["))
      << "other blocks do not wait";
  EXPECT_TRUE(depends("st.global.u32 [%rd1+400], %r2;\nbar.sync 0;\n" + loop, "%r6, [")) << "nor have they waited";
}

// for (i < n) { load; do old = atomicCAS(…); while (old was another); }: lanes leave the inner loop one by one.
TEST(OrderOfThreads, LanesComeApartFromALoopThatTriesAgain) {
  const auto body = [](const std::string& between) {
    return "mov.u32 %r5, 0;\nTURN:\nld.global.u32 %r3, [%rd2];\nAGAIN:\nmov.u32 %r4, %r3;\n"
           "atom.global.cas.b32 %r3, [%rd1], %r4, %r2;\nsetp.ne.u32 %p1, %r3, %r4;\n@%p1 bra AGAIN;\n" +
           between + "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r1;\n@%p2 bra TURN;\nst.global.u32 [%rd2+4], %r2;";
  };
  EXPECT_TRUE(depends(body(""), "ld.global"));
  EXPECT_TRUE(depends(body(""), "st.global"));
  for (const char* together : {"bar.sync 0;\n", "bar.warp.sync -1;\n"}) {
    EXPECT_FALSE(depends(body(together), "ld.global")) << together;
    EXPECT_FALSE(depends(body(together), "st.global")) << together;
  }
}

TEST(OrderOfThreads, LanesComeTogetherBehindABranch) {
  EXPECT_FALSE(
      depends("atom.global.add.u32 %r3, [%rd1], 1;\nsetp.ne.u32 %p1, %r3, 63;\n@%p1 bra OUT;\n"
              "add.u32 %r2, %r2, 1;\nOUT:\nst.global.u32 [%rd2], %r2;",
              "st.global"));
}

// The approximated function is asked by a branch, or makes an address; a sum is exact.
TEST(Approximations, DecideWhereAndWhether) {
  const auto of = [](const std::string& makes) {
    const Kernel kernel(makes +
                        "setp.gt.f32 %p1, %f2, 0f3F000000;\n@%p1 bra OUT;\nst.global.u32 [%rd1], %r2;\nOUT:\n"
                        "cvt.rzi.u32.f32 %r3, %f2;\nmul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd4, %rd2, %rd3;\n"
                        "st.global.u32 [%rd4], %r2;");
    const FlowFacts facts(flow_of(kernel.program()));
    const Approximated found = depend_on_approximations(kernel.program(), facts);
    const uint32_t whether = kernel.access("[%rd1], %r2").pc, where = kernel.access("[%rd4]").pc;
    const std::vector<uint32_t> branch{kernel.pc("@%p1")};
    return std::vector<bool>{found.deciders[whether] == branch, found.deciders[where] == branch,
                             found.addresses[whether], found.addresses[where]};
  };
  const std::vector<bool> doubtful{true, false, false, true}, certain{false, false, false, false};
  const std::string loaded = "ld.global.f32 %f1, [%rd1];\n", constant = "mov.f32 %f1, 0f40400000;\n";
  for (const char* name : {"sin.approx", "lg2.approx", "rsqrt.approx.ftz"}) {
    EXPECT_EQ(of(loaded + name + ".f32 %f2, %f1;\n"), certain) << name << " has the card's bits";
    EXPECT_EQ(of(constant + name + ".f32 %f2, %f1;\n"), doubtful) << name << ": ptxas computes it, and rounds better";
    EXPECT_EQ(of(constant + "add.f32 %f1, %f1, %f1;\n" + name + ".f32 %f2, %f1;\n"), doubtful) << name;
    EXPECT_EQ(of(constant + loaded + name + ".f32 %f2, %f1;\n"), certain) << name << ": not known on every way";
  }
  for (const char* name : {"div.approx", "div.full"})
    EXPECT_EQ(of(loaded + name + ".f32 %f2, %f1, %f1;\n"), doubtful) << name;
  EXPECT_EQ(of(constant + "sqrt.rn.f32 %f2, %f1;\n"), certain);
  EXPECT_EQ(of("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2,%f3,%f4,%f5}, {%r5,%r6}, {%r7}, "
               "{%f6,%f7,%f8,%f9};\n"),
            doubtful);
}

// An index that counts under a branch that asks an approximation.
TEST(Approximations, DecideThroughBranchesAndLoops) {
  const Kernel kernel(
      "div.approx.f32 %f2, %f1, %f1;\nsetp.lt.f32 %p1, %f2, 0f3F000000;\n@%p1 bra OUT;\nmov.u32 %r5, 0;\nTURN:\n"
      "ld.global.u32 %r3, [%rd1];\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 6;\n@%p2 bra TURN;\nOUT:\n"
      "st.global.u32 [%rd2], %r2;");
  const FlowFacts facts(flow_of(kernel.program()));
  const Approximated found = depend_on_approximations(kernel.program(), facts);
  EXPECT_EQ(std::ranges::count(found.deciders[kernel.access("ld.global").pc], kernel.pc("@%p1")), 1);
  EXPECT_TRUE(found.deciders[kernel.access("st.global").pc].empty());
}

// What the load brings decides whether this is executed.
std::string asked(const std::string& load, const std::string& changes) {
  return kOwn + load + "\nsetp.gt.s32 %p1, %r2, %r3;\n@!%p1 bra OUT;\n" + changes + "\nOUT:";
}

// if (x > *best) atomicMax(best, x): the more threads have come, the fewer ask for the atomic.
TEST(OrderOfThreads, ACheckBeforeAnAtomic) {
  EXPECT_TRUE(depends(asked("ld.global.u32 %r3, [%rd1];", "red.global.max.s32 [%rd1], %r2;"), "red."));
  EXPECT_TRUE(depends(asked("ld.global.u32 %r3, [%rd7];", "red.global.min.s32 [%rd7], %r2;"), "red."));
  EXPECT_TRUE(depends(asked("ld.shared.u32 %r3, [s];", "red.shared.max.s32 [s], %r2;"), "red.shared"));
  EXPECT_FALSE(depends(asked("ld.global.u32 %r3, [%rd1];", "red.global.max.s32 [%rd2], %r2;"), "red."));
  EXPECT_FALSE(depends(asked("ld.global.nc.u32 %r3, [%rd1];", "red.global.max.s32 [%rd1], %r2;"), "red."))
      << "__restrict__: nobody changes it";
  EXPECT_FALSE(depends(asked("ld.global.u32 %r3, [%rd1];", "red.global.max.s32 [%rd1+4], %r2;"), "red."))
      << "a counter beside it";
  EXPECT_FALSE(depends(
      asked("st.shared.u32 [s], 0;\nbar.sync 0;\nld.shared.u32 %r3, [s];", "bar.sync 0;\nred.shared.max.s32 [s], %r2;"),
      "red.shared"));
}

// A pointer that lies in memory, as in a structure, and a variable: told apart by where they lie.
TEST(OrderOfThreads, AnArrayIsKnownByTheMemberOrTheVariable) {
  const auto body = [](const std::string& load, const std::string& store) {
    return asked(
        "ld.global.u64 %rd3, [%rd2+8];\nld.global.u64 %rd4, [%rd2+16];\nmov.u64 %rd8, 0x700000001000;\n"
        "mov.u64 %rd9, 0x700000002000;\nadd.u64 %rd10, %rd3, %rd6;\nadd.u64 %rd11, %rd4, %rd6;\n"
        "add.u64 %rd12, %rd8, %rd6;\nadd.u64 %rd13, %rd9, %rd6;\nld.global.u32 %r3, [" +
            load + "+4];",
        "st.global.u32 [" + store + "], %r2;");
  };
  EXPECT_TRUE(depends(body("%rd10", "%rd10"), "st.global"));
  EXPECT_FALSE(depends(body("%rd10", "%rd11"), "st.global"));
  EXPECT_TRUE(depends(body("%rd12", "%rd12"), "st.global"));
  EXPECT_FALSE(depends(body("%rd12", "%rd13"), "st.global"));
  EXPECT_FALSE(depends(body("%rd10", "%rd12"), "st.global"));
}

// if (*found) return; … *found = 1; and p[i] = p[p[i]]; and if (level[v] < 0) level[v] = d.
TEST(OrderOfThreads, APlaceThatIsNotTheThreadsOwn) {
  EXPECT_TRUE(depends(asked("ld.global.u32 %r3, [%rd1];", "st.global.u32 [%rd1], %r2;"), "st.global")) << "a flag";
  EXPECT_TRUE(depends(asked("ld.global.u32 %r3, [%rd7+4];", "st.global.u32 [%rd7], %r2;"), "st.global"))
      << "the neighbour's";
  const std::string jump =
      "ld.global.u32 %r3, [%rd7];\nmul.wide.s32 %rd3, %r3, 4;\nadd.u64 %rd4, %rd1, %rd3;\nld.global.u32 %r4, [%rd4];\n"
      "st.global.u32 [%rd7], %r4;\nsetp.eq.u32 %p1, %r4, 9;\n@%p1 st.shared.u32 [s], 1;";
  EXPECT_TRUE(depends(kOwn + jump, "st.shared"));
  const std::string index =
      "ld.global.u32 %r4, [%rd2];\nmul.wide.s32 %rd3, %r4, 4;\nadd.u64 %rd4, %rd1, %rd3;\nld.global.u32 %r3, [%rd4];";
  EXPECT_TRUE(depends(asked(index, "st.global.u32 [%rd4], %r2;"), "st.global"))
      << "several threads may have loaded the same index";
}

TEST(OrderOfThreads, APlaceThatIsTheThreadsOwn) {
  EXPECT_FALSE(depends(asked("ld.global.u32 %r3, [%rd7];", "st.global.u32 [%rd7], %r2;"), "st.global"));
  EXPECT_FALSE(depends(asked("ld.global.u32 %r3, [%rd7];",
                             "mul.wide.u32 %rd8, %r2, 4;\nadd.u64 %rd9, %rd1, %rd8;\nst.global.u32 [%rd9], %r2;"),
                       "st.global"))
      << "the same address, made again";
  const std::string exchange =
      "xor.b32 %r4, %r2, %r1;\nmul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd4, %rd1, %rd3;\nld.global.u32 %r5, [%rd7];\n"
      "ld.global.u32 %r3, [%rd4];";
  EXPECT_FALSE(depends(asked(exchange, "st.global.u32 [%rd7], %r3;\nst.global.u32 [%rd4], %r5;"), "[%rd7], %r3"))
      << "a step of a bitonic sort";
  const std::string member = "mul.wide.u32 %rd3, %r2, 24;\nadd.u64 %rd4, %rd1, %rd3;\nadd.u64 %rd5, %rd4, 16;\n";
  EXPECT_FALSE(depends(asked(member + "ld.global.u32 %r3, [%rd4+16];", "st.global.u32 [%rd5+-8], %r2;"), "st.global"))
      << "another member of the structure";
  EXPECT_TRUE(depends(asked(member + "ld.global.u32 %r3, [%rd4+16];", "st.global.u32 [%rd5+24], %r2;"), "st.global"))
      << "the same member of the next";
  EXPECT_FALSE(
      depends("mov.u32 %r5, %ctaid.x;\nmov.u32 %r6, %ntid.x;\nmad.lo.u32 %r7, %r5, %r6, %r2;\n"
              "setp.ne.u32 %p2, %r7, 0;\n@%p2 bra OUT;\n" +
                  asked("ld.global.u32 %r3, [%rd1];", "st.global.u32 [%rd1], %r1;"),
              "st.global"))
      << "one thread does both";
}

// while (!done) { if (…) done = 1; __syncthreads(); } with one word of shared memory for all.
TEST(OrderOfThreads, AWordOfSharedMemoryForAll) {
  EXPECT_TRUE(depends(asked("ld.shared.u32 %r3, [s];", "st.shared.u32 [s], %r2;"), "st.shared"));
  EXPECT_FALSE(depends(asked("ld.shared.u32 %r3, [s];\nbar.sync 0;", "st.shared.u32 [s], %r2;"), "st.shared"));
  // if (t < o && s[t] < s[t + o]) s[t] = s[t + o], as a reduction does.
  const std::string halves = "shl.b32 %r6, %r2, 2;\nmov.u32 %r7, s;\nadd.u32 %r8, %r7, %r6;\nld.shared.u32 %r3, [%r8";
  EXPECT_FALSE(depends(asked(halves + "+64];", "st.shared.u32 [%r8], %r2;"), "st.shared"));
}

// r[b] += sin(x): the tables of sin() are variables that nobody writes.
TEST(OrderOfThreads, ATableThatNobodyWritesHoldsNoSums) {
  const auto body = [](const std::string& load, const std::string& table) {
    return "mov.f32 %f1, 0f3F800000;\nred.global.add.f32 [%rd1], %f1;\nmov.u64 %rd8, 0x700000001000;\n" + load +
           " %r3, [" + table + "];\nmul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd4, " + table +
           ", %rd3;\nst.shared.u32 [s], %r2;\nld.global.u8 %r4, [%rd4];";
  };
  EXPECT_TRUE(depends(body("ld.global.u32", "%rd1"), "ld.global.u8")) << "the sums themselves";
  EXPECT_FALSE(depends(body("ld.global.u32", "%rd8"), "ld.global.u8")) << "a variable";
  const std::string element =
      "mov.f32 %f1, 0f3F800000;\nmov.u64 %rd9, 0x700000001004;\nred.global.add.f32 [%rd9], %f1;\n";
  EXPECT_TRUE(depends(element + body("ld.global.u32", "%rd8"), "ld.global.u8"))
      << "two constant addresses may lie in one variable";
  EXPECT_FALSE(depends(body("ld.global.nc.u32", "%rd1"), "ld.global.u8")) << "the kernel promises not to write it";
}

TEST(OrderOfThreads, WhereOneWarpAloneAccessesMemoryOnlyClocksDiffer) {
  const auto depends_alone = [](const std::string& made) {
    const Kernel kernel(made + "mul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r2;");
    const FlowFacts facts(flow_of(kernel.program()));
    return bool{depend_on_order(kernel.program(), facts, {}, true).accesses[kernel.access("st.global").pc]};
  };
  EXPECT_FALSE(depends_alone("atom.global.add.u32 %r3, [%rd1], 1;\n"));
  EXPECT_FALSE(depends_alone("ld.volatile.global.u32 %r3, [%rd1];\n"));
  EXPECT_TRUE(depends_alone("mov.u32 %r3, %clock;\n"));
}

TEST(OrderOfThreads, AClockIsNeverTheSame) {
  EXPECT_TRUE(
      depends("mov.u32 %r3, %clock;\nmul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r2;",
              "st.global"));
}

}  // namespace
}  // namespace lockstep
