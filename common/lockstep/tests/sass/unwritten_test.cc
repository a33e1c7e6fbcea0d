// unwritten_test: which reads of registers may come before the write, and in which launches they do.
#include "sass/unwritten.h"

#include "sass/influence.h"
#include "sass/program_flow.h"
#include "tests/sass/kernel.h"

namespace lockstep {
namespace {

// What a kernel does with x, where `x` is %r3, and what it makes of it.
struct Case {
  explicit Case(const std::string& body)
      : kernel(body), facts(flow_of(kernel.program())), reads(unwritten_reads(kernel.program(), facts)) {}
  bool depends(std::string_view access) const {
    return depend_on_unwritten(kernel.program(), facts, reads)[kernel.access(access).pc];
  }
  // Whether x is used in a launch in which so many lanes came to the instructions; to all others 32.
  bool is_used(const std::vector<std::pair<std::string_view, uint64_t>>& lanes) const {
    std::vector<InstructionCounters> counters(kernel.program().code.size());
    for (InstructionCounters& one : counters) one.warps = 1, one.threads = 32;
    for (const auto& [text, threads] : lanes) {
      InstructionCounters& one = counters[kernel.pc(text)];
      one.threads = threads, one.warps = threads ? 1 : 0;
    }
    bool used = false;
    for (const UnwrittenRead& read : reads) used |= lockstep::is_used(read, kernel.program(), counters);
    return used;
  }

  Kernel kernel;
  FlowFacts facts;
  std::vector<UnwrittenRead> reads;
};

constexpr const char* kTest = "setp.lt.u32 %p1, %r2, %r1;\n";
constexpr const char* kLoadIf = "@!%p1 bra SKIP;\nld.global.u32 %r3, [%rd1];\nSKIP:\n";
constexpr const char* kUse = "cvt.u64.u32 %rd3, %r3;\nadd.u64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r2;\n";

std::string lines(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all += part;
  return all;
}

TEST(Unwritten, AnAddressThatOnlySomeLanesHaveLoaded) {
  const Case one(lines({kTest, kLoadIf, kUse}));
  EXPECT_TRUE(one.depends("st.global"));
  EXPECT_FALSE(one.depends("ld.global"));
}

TEST(Unwritten, ACondition) {
  const Case one(lines({kTest, kLoadIf, "setp.eq.u32 %p2, %r3, 0;\n@%p2 st.global.u32 [%rd2], %r2;\n"}));
  EXPECT_TRUE(one.depends("st.global"));
}

TEST(Unwritten, WhatIsOnlyStoredChangesNoCounter) {
  const Case one(lines({kTest, kLoadIf, "st.global.u32 [%rd2], %r3;\n"}));
  EXPECT_FALSE(one.depends("st.global"));
}

TEST(Unwritten, BothSidesWrite) {
  EXPECT_TRUE(
      Case(lines({kTest, "@%p1 bra ELSE;\nmov.u32 %r3, 1;\nbra.uni OUT;\nELSE:\nmov.u32 %r3, 2;\nOUT:\n", kUse}))
          .reads.empty());
  EXPECT_TRUE(Case(lines({"mov.u32 %r3, 0;\n", kTest, kLoadIf, kUse})).reads.empty());
}

TEST(Unwritten, ALaterIfOfTheSamePredicate) {
  EXPECT_TRUE(Case(lines({kTest, kLoadIf, "bar.sync 0;\n@!%p1 bra OUT;\n", kUse, "OUT:\n"})).reads.empty());
  EXPECT_TRUE(Case(lines({kTest, "@%p1 ld.global.u32 %r3, [%rd1];\nbar.sync 0;\n@!%p1 bra OUT;\n", kUse, "OUT:\n"}))
                  .reads.empty());
  EXPECT_TRUE(Case(lines({kTest, kLoadIf, "@%p1 st.shared.u32 [%r3], %r2;\n"})).reads.empty());
  EXPECT_TRUE(Case(lines({kTest, kLoadIf, "@%p1 bra OUT;\n", kUse, "OUT:\n"})).depends("st.global")) << "the others";
  EXPECT_TRUE(
      Case(lines({kTest, kLoadIf, "setp.gt.u32 %p1, %r2, 3;\n@!%p1 bra OUT;\n", kUse, "OUT:\n"})).depends("st.global"))
      << "the predicate is another one now";
}

// bool found = false; if (…) { x = …; found = …; } if (found) …[x];
TEST(Unwritten, APredicateThatIsFalseWhereNothingWasWritten) {
  const auto found = [](const std::string& otherwise, const std::string& guard) {
    return lines({kTest, "mov.pred %p2, ", otherwise, ";\n@!%p1 bra SKIP;\nld.global.u32 %r3, [%rd1];\n",
                  "setp.gt.u32 %p2, %r2, 7;\nSKIP:\nnot.pred %p3, %p2;\n@", guard, " bra OUT;\n", kUse, "OUT:\n"});
  };
  EXPECT_TRUE(Case(found("0", "!%p2")).reads.empty());
  EXPECT_TRUE(Case(found("0", "%p3")).reads.empty()) << "a copy of it, negated";
  EXPECT_TRUE(Case(found("0", "!%p3")).depends("st.global")) << "the other lanes";
  EXPECT_TRUE(Case(found("-1", "%p3")).depends("st.global")) << "true where nothing was written";
}

// What is made of x before it is known whether x was written is used only where it was.
TEST(Unwritten, WhatIsMadeEarlyIsAsSureAsItsSource) {
  const std::string make = "cvt.u64.u32 %rd3, %r3;\n", use = "add.u64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r2;\n";
  EXPECT_FALSE(Case(lines({kTest, kLoadIf, make, "@!%p1 bra OUT;\n", use, "OUT:\n"})).is_used({}));
  EXPECT_TRUE(Case(lines({kTest, kLoadIf, make, "@%p1 bra OUT;\n", use, "OUT:\n"})).is_used({{"ld.global", 7}}));
  EXPECT_TRUE(Case(lines({kTest, kLoadIf, make, "setp.gt.u32 %p1, %r2, 3;\n@!%p1 bra OUT;\n", use, "OUT:\n"}))
                  .is_used({{"ld.global", 7}}))
      << "the predicate is another one now";
  EXPECT_TRUE(Case(lines({kTest, make, kLoadIf, "@!%p1 bra OUT;\n", use, "OUT:\n"})).is_used({{"ld.global", 7}}))
      << "made before the load";
}

TEST(Unwritten, ALoopThatMayNotTurn) {
  const std::string loop =
      "mov.u32 %r4, 0;\n@!%p1 bra OUT;\nTURN:\nld.global.u32 %r3, [%rd1];\nadd.u32 %r4, %r4, 1;\n"
      "setp.lt.u32 %p2, %r4, %r1;\n@%p2 bra TURN;\nOUT:\n";
  EXPECT_TRUE(Case(lines({kTest, loop, kUse})).depends("st.global"));
  EXPECT_TRUE(Case(lines({kTest, loop, kUse})).is_used({{"ld.global", 32}})) << "two turns of 16 lanes, perhaps";
}

// if (tid < n) x = …; if (tid + 0 < n) …[x]: the second predicate is another register.
TEST(Unwritten, LanesAreCounted) {
  const Case one(lines({kTest, kLoadIf, "setp.ge.u32 %p2, %r2, %r1;\n@%p2 bra OUT;\n", kUse, "OUT:\n"}));
  EXPECT_TRUE(one.depends("st.global"));
  EXPECT_FALSE(one.is_used({{"ld.global", 7}, {"cvt.u64", 7}, {"add.u64", 7}, {"st.global", 7}}));
  EXPECT_FALSE(one.is_used({{"ld.global", 0}, {"cvt.u64", 0}, {"add.u64", 0}, {"st.global", 0}}));
  EXPECT_TRUE(one.is_used({{"ld.global", 6}, {"cvt.u64", 7}, {"add.u64", 7}, {"st.global", 7}}));
}

TEST(Unwritten, WhatIsComputedEarlyCountsWhereItIsUsed) {
  const Case one(lines({kTest, kLoadIf, "cvt.u64.u32 %rd3, %r3;\nsetp.ge.u32 %p2, %r2, %r1;\n@%p2 bra OUT;\n",
                        "add.u64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r2;\nOUT:\n"}));
  EXPECT_FALSE(one.is_used({{"ld.global", 7}, {"add.u64", 7}, {"st.global", 7}}));
  EXPECT_TRUE(one.is_used({{"ld.global", 7}, {"add.u64", 8}, {"st.global", 8}}));
}

// A search: lanes that come to its loop once read x in each turn.
TEST(Unwritten, ALoopIsCountedWhereItIsEntered) {
  const Case one(lines({kTest, kLoadIf,
                        "setp.ge.u32 %p2, %r2, %r1;\n@%p2 bra OUT;\nmov.u32 %r4, 0;\nTURN:\n"
                        "ld.shared.u32 %r5, [%r4];\nadd.u32 %r4, %r4, 4;\nsetp.lt.u32 %p3, %r5, %r3;\n"
                        "@%p3 bra TURN;\nOUT:\n"}));
  EXPECT_TRUE(one.depends("ld.shared"));
  EXPECT_FALSE(one.is_used({{"ld.global", 7}, {"mov.u32 %r4", 7}, {"ld.shared", 70}}));
  EXPECT_TRUE(one.is_used({{"ld.global", 5}, {"mov.u32 %r4", 7}, {"ld.shared", 70}}));
}

}  // namespace
}  // namespace lockstep
