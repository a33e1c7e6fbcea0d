// parting_test: the branches at which lanes of a warp may part, and the accesses that they may make in either order.
#include "sass/parting.h"

#include "sass/lane_pairs.h"
#include "sass/program_flow.h"
#include "tests/sass/kernel.h"

namespace lockstep {
namespace {

bool part(const std::string& body) {
  const Kernel kernel(body + "\n@%p1 bra OUT;\nst.global.u32 [%rd1], %r2;\nOUT:");
  return parting_branches(kernel.program(), FlowFacts(flow_of(kernel.program())))[kernel.pc("bra OUT")];
}

TEST(Parting, LanesPartAtWhatTheyNeedNotAnswerAlike) {
  EXPECT_TRUE(part("setp.lt.u32 %p1, %r2, 7;")) << "the thread's number";
  EXPECT_TRUE(
      part("mul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd4, %rd1, %rd3;\nld.global.u32 %r3, [%rd4];\n"
           "setp.eq.u32 %p1, %r3, 0;"));
  EXPECT_TRUE(part("atom.global.add.u32 %r3, [%rd1], 1;\nsetp.eq.u32 %p1, %r3, 0;"));
  EXPECT_TRUE(part("shfl.sync.bfly.b32 %r3, %r1, 16, 31, -1;\nsetp.eq.u32 %p1, %r3, 0;"));
}

TEST(Parting, LanesStayTogetherAtWhatIsTheSameForAll) {
  EXPECT_FALSE(part("setp.lt.u32 %p1, %r1, 7;")) << "a parameter";
  EXPECT_FALSE(part("mov.u32 %r3, %ctaid.x;\nsetp.lt.u32 %p1, %r3, 7;"));
  EXPECT_FALSE(part("ld.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p1, %r3, 0;")) << "all lanes load one word";
  EXPECT_FALSE(part("setp.lt.u32 %p2, %r2, 7;\nvote.sync.any.pred %p1, %p2, -1;"));
}

TEST(Parting, ACounterIsOfTheLaneIfLanesLeaveItsLoopInDifferentTurns) {
  const auto behind_loop = [](const std::string& bound) {
    return "mov.u32 %r3, 0;\nTURN:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, " + bound +
           ";\n@%p2 bra TURN;\nsetp.eq.u32 %p1, %r3, 5;";
  };
  EXPECT_FALSE(part(behind_loop("%r1")));
  EXPECT_TRUE(part(behind_loop("%r2")));
}

// A question that all lanes answer alike does not part those that come to it.
TEST(Parting, WhatIsAskedOnOneSideMayBeTheSameForAllThere) {
  const Kernel kernel(
      "setp.lt.u32 %p2, %r2, 7;\n@%p2 bra OUT;\nsetp.eq.u32 %p3, %r1, 1;\n@%p3 bra INNER;\nst.global.u32 [%rd1], "
      "%r2;\nINNER:\nOUT:");
  EXPECT_FALSE(parting_branches(kernel.program(), FlowFacts(flow_of(kernel.program())))[kernel.pc("bra INNER")]);
}

// Whether the load and the store may be executed in either order.
bool are_a_pair(const std::string& body, std::string_view load = "ld.shared", std::string_view store = "st.shared") {
  const Kernel kernel(body);
  for (const LanePair& pair : lane_pairs_of(kernel.program()))
    if (pair.brings == kernel.access(load).index && pair.changes == kernel.access(store).index) return true;
  return false;
}

std::string on_two_sides(const std::string& first, const std::string& second, const std::string& asks = "%r2") {
  return "mov.u32 %r4, s;\nshl.b32 %r5, %r2, 2;\nadd.u32 %r6, %r4, %r5;\nsetp.lt.u32 %p1, " + asks +
         ", 7;\n@%p1 bra OTHER;\n" + first + "\nbra OUT;\nOTHER:\n" + second + "\nOUT:";
}
const std::string kLoad = "ld.shared.u32 %r7, [%r6+4];\n", kStore = "st.shared.u32 [%r6], 1;\n",
                  kSync = "bar.warp.sync -1;\n";

TEST(LanePairs, ALoadAndAStoreOnTwoSidesOfABranch) {
  EXPECT_TRUE(are_a_pair(on_two_sides(kStore, kLoad)));
  EXPECT_TRUE(are_a_pair(on_two_sides(kLoad, kStore)));
  EXPECT_FALSE(are_a_pair(on_two_sides(kLoad, kStore, "%r1"))) << "the warp goes one way";
  EXPECT_FALSE(are_a_pair(on_two_sides(kLoad + kStore, ""))) << "on one side";
  EXPECT_FALSE(are_a_pair(on_two_sides(kLoad, "") + "\n" + kStore)) << "the lanes are together again";
}

TEST(LanePairs, AWarpSyncBringsLanesTogether) {
  EXPECT_FALSE(are_a_pair(on_two_sides(kStore + kSync, kSync + kLoad)));
  EXPECT_FALSE(are_a_pair(on_two_sides(kStore, "shfl.sync.bfly.b32 %r3, %r1, 16, 31, -1;\n" + kLoad)));
  EXPECT_TRUE(are_a_pair(on_two_sides(kStore + kSync, kLoad + kSync))) << "too late";
}

TEST(LanePairs, BothReachOneArray) {
  const auto stores_and_loads = [](const std::string& at) {
    return are_a_pair(on_two_sides("st.global.u32 [%rd1], 1;", "ld.global.u32 %r7, [" + at + "];"), "ld.global",
                      "st.global");
  };
  EXPECT_TRUE(stores_and_loads("%rd1"));
  EXPECT_FALSE(stores_and_loads("%rd1+4"));
  EXPECT_FALSE(stores_and_loads("%rd2"));
}

TEST(LanePairs, AtomicsWhoseResultsAreUsed) {
  const std::string add = "atom.global.add.u32 %r7, [%rd1], 1;\n", other = "red.global.add.u32 [%rd1], 2;\n";
  EXPECT_TRUE(are_a_pair(on_two_sides(add, other) + "\nst.global.u32 [%rd2], %r7;", "atom", "red.global"));
  EXPECT_TRUE(lane_pairs_of(Kernel(on_two_sides(other, "red.global.add.u32 [%rd1], 3;")).program()).empty())
      << "the sum is the same";
}

// for (int k = 0; k < bound; ++k) s = s + 1;
TEST(LanePairs, InTurnsOfALoopThatLanesLeaveOneAfterTheOther) {
  const auto loop = [](const std::string& bound, const std::string& sync) {
    return "mov.u32 %r3, 0;\nTURN:\nld.shared.u32 %r4, [s];\nadd.u32 %r4, %r4, 1;\nst.shared.u32 [s], %r4;\n" + sync +
           "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, " + bound + ";\n@%p1 bra TURN;";
  };
  EXPECT_TRUE(are_a_pair(loop("%r2", "")));
  EXPECT_FALSE(are_a_pair(loop("%r1", ""))) << "all lanes leave it together";
  EXPECT_FALSE(are_a_pair(loop("%r2", kSync))) << "it brings lanes together in each turn";
}

}  // namespace
}  // namespace lockstep
