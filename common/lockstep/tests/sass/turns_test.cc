// turns_test: loops whose number of turns the PTX tells, and loops that look like them.
#include "sass/turns.h"

#include "sass/program_flow.h"
#include "tests/sass/kernel.h"

namespace lockstep {
namespace {

// How often the loop around the store to local memory turns.
uint32_t turns(const std::string& body) {
  const Kernel kernel(".local .align 16 .b8 a[256];\nmov.u64 %rd9, a;\n" + body);
  const FlowFacts facts(flow_of(kernel.program()));
  const std::vector<uint32_t>& loops = facts.loops(kernel.pc("st.local"));
  return loops.empty() ? 0 : turns_of(kernel.program(), facts, loops.back());
}

// As nvcc writes `int a[64] = {};`.
std::string filled(const std::string& first, const std::string& step, const std::string& compare,
                   const std::string& jump = "@%p1 bra LOOP;") {
  return "mov.u32 %r3, " + first + ";\nLOOP:\nst.local.u32 [%rd9], %r2;\nadd.s64 %rd9, %rd9, 4;\n" + step + "\n" +
         compare + "\n" + jump;
}

TEST(Turns, ConstantsTellThem) {
  EXPECT_EQ(turns(filled("0", "add.s32 %r3, %r3, 1;", "setp.lt.u32 %p1, %r3, 64;")), 64u);
  EXPECT_EQ(turns(filled("0", "add.s32 %r3, %r3, 4;", "setp.ne.s32 %p1, %r3, 64;")), 16u);
  EXPECT_EQ(turns(filled("10", "add.s32 %r3, %r3, -1;", "setp.gt.s32 %p1, %r3, 0;")), 10u);
  EXPECT_EQ(turns(filled("10", "add.s32 %r3, %r3, -1;", "setp.ge.s32 %p1, %r3, 0;")), 11u);
  EXPECT_EQ(turns(filled("-3", "add.s32 %r3, %r3, 1;", "setp.eq.s32 %p1, %r3, 2;", "@!%p1 bra LOOP;")), 5u);
  EXPECT_EQ(turns(filled("9", "add.s32 %r3, %r3, 1;", "setp.lt.u32 %p1, %r3, 4;")), 1u) << "the first turn is certain";
  EXPECT_EQ(turns("mov.u32 %r4, 7;\n" + filled("%r4", "add.s32 %r3, %r3, 1;", "setp.le.u32 %p1, %r3, 8;")), 2u)
      << "the counter begins with a copy";
  EXPECT_EQ(turns("OUTER:\n" + filled("0", "add.s32 %r3, %r3, 1;", "setp.lt.u32 %p1, %r3, 64;") +
                  "\nadd.s32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r1;\n@%p2 bra OUTER;"),
            64u)
      << "each turn of the outer loop begins again";
}

TEST(Turns, WhatIsNotConstantIsUnknown) {
  const std::string one = "add.s32 %r3, %r3, 1;", below = "setp.lt.u32 %p1, %r3, 64;";
  EXPECT_EQ(turns(filled("%r2", one, below)), 0u) << "another beginning in each thread";
  EXPECT_EQ(turns(filled("0", "add.s32 %r3, %r3, %r1;", below)), 0u);
  EXPECT_EQ(turns(filled("0", one, "setp.lt.u32 %p1, %r3, %r1;")), 0u);
  EXPECT_EQ(turns(filled("0", "mul.lo.s32 %r3, %r3, 2;", below)), 0u);
  EXPECT_EQ(turns(filled("0", one, "setp.lt.and.u32 %p1, %r3, 64, %p2;")), 0u);
  EXPECT_EQ(turns(filled("0", "@%p2 add.s32 %r3, %r3, 1;", below)), 0u) << "some turns do not count";
  EXPECT_EQ(turns(filled("0", one + "\nadd.s32 %r3, %r3, 1;", below)), 0u) << "two additions";
  EXPECT_EQ(turns(filled("0", one + "\nsetp.eq.u32 %p2, %r3, %r1;\n@%p2 bra OUT;", below) + "\nOUT:"), 0u)
      << "a second way out";
  EXPECT_EQ(turns("mov.u32 %r3, 0;\nbra LOOP2;\nLOOP2:\nOUTER:\nLOOP:\nst.local.u32 [%rd9], %r2;\n" + one + "\n" +
                  below + "\n@%p1 bra LOOP;\nadd.s32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r1;\n@%p2 bra OUTER;"),
            0u)
      << "the counter goes on in the next turn of the outer loop";
  EXPECT_EQ(turns(filled("0", "add.s32 %r3, %r3, 0;", below)), 0u) << "it never ends";
}

}  // namespace
}  // namespace lockstep
