// access_pairs_test: which barriers stand between two accesses, and which two make an update.
#include "program/access_pairs.h"

#include <gtest/gtest.h>

#include <string>

#include "program/cuda_names.h"
#include "tests/program/code.h"

namespace lockstep {
namespace {

class Code {
 public:
  explicit Code(const std::string& body) : module_(module_of(body)), owned_(decoded(module_)), program(*owned_) {}
  const MemoryAccess& access(size_t i) const { return program.accesses[i]; }
  // "turn", "next", "both" or "none": the ways from one access to another that meet no barrier.
  std::string ways(size_t from, size_t to, bool among_lanes = false) const {
    const OpenWay way = open_way(program, access(from).pc, access(to).pc, among_lanes);
    return way.in_turn ? (way.to_next_turn ? "both" : "turn") : way.to_next_turn ? "next" : "none";
  }

 private:
  const Module module_;
  const std::unique_ptr<Program> owned_;

 public:
  const Program& program;
};

const char* const kBarrier = "bar.sync 0;\n";

// A loop whose turn stores (access 0) and loads (access 1).
std::string turn(const char* between, const char* behind) {
  return std::string("LOOP: st.shared.u32 [%r1], %r2;\n") + between + "ld.shared.u32 %r3, [%r4];\n" + behind +
         "add.s32 %r5, %r5, 1;\nsetp.lt.s32 %p1, %r5, 9;\n@%p1 bra LOOP;\n";
}

TEST(AccessPairs, ABarrierClosesTheWay) {
  EXPECT_EQ(Code("st.shared.u32 [%r1], %r2;\nld.shared.u32 %r3, [%r4];").ways(0, 1), "turn");
  EXPECT_EQ(Code(std::string("st.shared.u32 [%r1], %r2;\n") + kBarrier + "ld.shared.u32 %r3, [%r4];").ways(0, 1),
            "none");
  EXPECT_EQ(Code("st.shared.u32 [%r1], %r2;\nld.shared.u32 %r3, [%r4];").ways(1, 0), "none");
  EXPECT_EQ(
      Code(std::string("st.shared.u32 [%r1], %r2;\n@%p1 bra OVER;\n") + kBarrier + "OVER: ld.shared.u32 %r3, [%r4];")
          .ways(0, 1),
      "turn")
      << "some threads go round the barrier";
}

TEST(AccessPairs, InALoopEachBarrierClosesItsWay) {
  EXPECT_EQ(Code(turn(kBarrier, kBarrier)).ways(0, 1), "none");
  EXPECT_EQ(Code(turn("", kBarrier)).ways(0, 1), "turn");
  EXPECT_EQ(Code(turn("", kBarrier)).ways(1, 0), "none");
  EXPECT_EQ(Code(turn(kBarrier, "")).ways(0, 1), "none");
  EXPECT_EQ(Code(turn(kBarrier, "")).ways(1, 0), "next");
  EXPECT_EQ(Code(turn("", "")).ways(0, 1), "turn");
  EXPECT_EQ(Code(turn("", "")).ways(0, 0), "next");
  EXPECT_EQ(Code(turn("", kBarrier)).ways(0, 0), "none");
}

TEST(AccessPairs, CopiesOfALoopsBodyAreItsTurns) {
  const std::string store = "st.shared.u32 [%r1], %r2;\n", load = "ld.shared.u32 %r3, [%r4];\n";
  EXPECT_EQ(Code(".loc 1 5 3\n" + store + load).ways(0, 1), "next") << "a statement loads before it stores";
  EXPECT_EQ(Code(".loc 1 5 3\n" + load + store).ways(0, 1), "turn") << "one statement";
  EXPECT_EQ(Code(".loc 1 5 3\n" + store + ".loc 1 6 3\n" + load).ways(0, 1), "turn");
  EXPECT_EQ(Code(".loc 1 6 3\n" + store + ".loc 1 5 3\n" + load).ways(0, 1), "next");
}

TEST(AccessPairs, LanesAlsoWaitAtTheirOwnBarriers) {
  const char* const kSync = "bar.warp.sync -1;\n";
  EXPECT_EQ(Code(turn(kSync, kSync)).ways(0, 1), "turn");
  EXPECT_EQ(Code(turn(kSync, kSync)).ways(0, 1, true), "none");
  EXPECT_EQ(Code(turn(kSync, "")).ways(1, 0, true), "next");
}

std::string update(const std::string& body, size_t load = 0, size_t store = 1) {
  const Code code(body);
  return update_in_one_step(code.program, code.access(load), code.access(store));
}

TEST(AccessPairs, AnUpdateStoresWhatItHasReadThere) {
  EXPECT_EQ(update("ld.shared.u32 %r2, [%r1];\nadd.s32 %r3, %r2, 1;\nst.shared.u32 [%r1], %r3;"), "atomicAdd");
  EXPECT_EQ(update("ld.shared.u32 %r2, [%r1];\nmax.s32 %r3, %r2, %r4;\nst.shared.u32 [%r1], %r3;"), "atomicMax");
  EXPECT_EQ(update("ld.shared.u32 %r2, [%r1];\nmul.lo.s32 %r3, %r2, 3;\nst.shared.u32 [%r1], %r3;"), "atomicCAS");
  EXPECT_EQ(update("ld.shared.u32 %r2, [%r1];\nshl.b32 %r5, %r2, 1;\nadd.s32 %r3, %r5, 1;\nst.shared.u32 [%r1], %r3;"),
            "atomicAdd");
}

TEST(AccessPairs, OtherStoresAreNotUpdates) {
  EXPECT_EQ(update("ld.shared.u32 %r2, [%r1];\nadd.s32 %r3, %r4, 1;\nst.shared.u32 [%r1], %r3;"), "")
      << "another value";
  EXPECT_EQ(update("ld.shared.u32 %r2, [%r5];\nadd.s32 %r3, %r2, 1;\nst.shared.u32 [%r1], %r3;"), "") << "elsewhere";
  EXPECT_EQ(update("ld.shared.u32 %r2, [%r1+4];\nadd.s32 %r3, %r2, 1;\nst.shared.u32 [%r1], %r3;"), "")
      << "a neighbour";
}

TEST(AccessPairs, ATreeGivesAnElementToAnotherThreadInEachTurn) {
  const auto moves = [](const std::string& index, const std::string& next) {
    const Code code("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 1;\nLOOP: " + index + "st.shared.u32 [%r3], %r4;\n" + next +
                    "setp.lt.s32 %p1, %r2, 9;\n@%p1 bra LOOP;\n");
    return moves_with_loop(code.program,
                           *std::ranges::find(code.program.accesses, MemoryOp::kStore, &MemoryAccess::op));
  };
  const std::string tree = "mul.lo.s32 %r3, %r1, %r2;\n", twice = "shl.b32 %r5, %r2, 1;\nmov.u32 %r2, %r5;\n";
  EXPECT_TRUE(moves(tree, twice));
  EXPECT_FALSE(moves(tree, "")) << "all turns the same";
  EXPECT_FALSE(moves("mov.u32 %r3, %r1;\n", twice)) << "each thread has its own";
  EXPECT_FALSE(moves("mov.u32 %r3, %r2;\n", twice)) << "all threads the same";
  EXPECT_FALSE(moves(tree + "ld.shared.u32 %r3, [%r3];\n", twice)) << "a histogram: the data say where";
}

TEST(CudaNames, OfInstructionsThatWait) {
  const Code code(
      "bar.sync 0;\nbar.warp.sync -1;\nshfl.sync.down.b32 %r1, %r2, 1, 31, -1;\nbar.sync 1, 64;\nbar.sync 2;\n"
      "vote.sync.ballot.b32 %r1, %p1, -1;\nbar.red.popc.u32 %r1, 0, %p1;");
  std::vector<std::string> names;
  for (uint32_t pc = 0; pc < code.program.code.size(); ++pc)
    if (const Kind kind = code.program.code[pc].kind;
        kind == Kind::kBarrier || kind == Kind::kWarpBarrier || kind == Kind::kCollective)
      names.push_back(cuda_name(code.program, pc));
  EXPECT_EQ(names, (std::vector<std::string>{"__syncthreads()", "__syncwarp()", "__shfl_down_sync()", "bar.sync",
                                             "bar.sync", "__ballot_sync()", "__syncthreads_count()"}));
}

TEST(CudaNames, TheInnermostLoop) {
  const Code code(
      "OUT: add.s32 %r1, %r1, 1;\nIN: add.s32 %r2, %r2, 1;\n@%p1 bra IN;\nadd.s32 %r3, %r3, 1;\n@%p2 bra OUT;\nadd.s32 "
      "%r4, %r4, 1;");
  std::vector<uint32_t> lengths;
  for (uint32_t pc = 0; pc < code.program.code.size(); ++pc)
    if (code.program.code[pc].kind == Kind::kAlu && code.program.names[pc] == "add.s32") {
      const Loop loop = loop_around(code.program, pc);
      lengths.push_back(loop.exists() ? loop.end - loop.begin : 0);
    }
  ASSERT_EQ(lengths.size(), 4u);
  EXPECT_GT(lengths[0], lengths[1]);
  EXPECT_EQ(lengths[2], lengths[0]);
  EXPECT_EQ(lengths[3], 0u);
}

}  // namespace
}  // namespace lockstep
