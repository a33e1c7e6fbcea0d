// program_flow_test: the conditions of a program's instructions.
#include "sass/program_flow.h"

#include <limits>

#include "tests/sass/kernel.h"

namespace lockstep {
namespace {

Conditions compares_of(const Kernel& kernel, std::string_view text) {
  Conditions found;
  for (const Asked& asked : FlowFacts(flow_of(kernel.program())).conditions(kernel.pc(text)))
    found.insert(asked.compares.begin(), asked.compares.end());
  return found;
}

TEST(ProgramFlow, AConditionIsTheLineThatCompares) {
  const Kernel kernel(
      "setp.eq.u32 %p1, %r2, 0;\nsetp.lt.u32 %p2, %r2, %r1;\nor.pred %p3, %p1, %p2;\n@%p3 bra OUT;\n"
      "st.shared.u32 [s], %r2;\nOUT:\nst.global.u32 [%rd1], %r2;");
  EXPECT_EQ(compares_of(kernel, "st.s"), (Conditions{kernel.line("setp.eq"), kernel.line("setp.lt")}));
  EXPECT_EQ(compares_of(kernel, "st.g"), Conditions{});
}

Relation relation_of_line(const Kernel& kernel, std::string_view text) {
  for (const Asked& asked : FlowFacts(flow_of(kernel.program())).conditions(kernel.pc("st.s")))
    for (const Comparison& one : asked.comparisons)
      if (one.line == kernel.line(text)) return one.relation;
  ADD_FAILURE() << "no comparison: " << text;
  return {};
}

TEST(ProgramFlow, WhatAComparisonAsksIsKnown) {
  const auto asked = [](const std::string& setp) {
    return relation_of_line(Kernel(setp + " %p1, " + "%r2, -4;\n@%p1 st.shared.u32 [s], %r2;"), setp);
  };
  EXPECT_EQ(asked("setp.gt.u32"), relation_of("GT", false, {}, -4));
  EXPECT_EQ(asked("setp.ls.u32"), relation_of("GT", false, {}, -4)) << "the opposite";
  const Kernel floats("setp.gtu.f32 %p1, %f1, 0f7F800000;\n@%p1 st.shared.u32 [s], %r2;");
  EXPECT_EQ(relation_of_line(floats, "setp"),
            relation_of("GTU", true, {}, float_bits(std::numeric_limits<double>::infinity())));
  const Kernel wide("setp.eq.s64 %p1, %rd1, 0;\n@%p1 st.shared.u32 [s], %r2;");
  EXPECT_EQ(relation_of_line(wide, "setp"), relation_of("NE", false, {}, 0));
}

TEST(ProgramFlow, AGuardIsACondition) {
  const Kernel kernel("setp.eq.u32 %p1, %r2, 0;\n@!%p1 st.shared.u32 [s], %r2;");
  EXPECT_EQ(compares_of(kernel, "st.s"), Conditions{kernel.line("setp.eq")});
}

TEST(ProgramFlow, AnIndexedBranchIsItsOwnCondition) {
  const Kernel kernel(
      "T: .branchtargets A, B;\nbrx.idx %r2, T;\nA:\nst.shared.u32 [s], %r2;\nB:\nst.global.u32 [%rd1], %r2;");
  EXPECT_EQ(compares_of(kernel, "st.s"), Conditions{kernel.line("brx.idx")});
  EXPECT_EQ(compares_of(kernel, "st.g"), Conditions{});
}

// The code behind which all accesses of global and shared memory stand.
TEST(ProgramFlow, TheGateIsWhatAllPassBeforeTheyAccessMemory) {
  const auto gate = [](const Kernel& kernel) {
    return gate_of(kernel.program(), FlowFacts(flow_of(kernel.program())));
  };
  const std::string bounds = "setp.ge.u32 %p1, %r2, %r1;\n@%p1 bra OUT;\nadd.u32 %r3, %r2, 1;\n";
  const Kernel in_bounds(bounds + "ld.global.u32 %r4, [%rd1];\nst.shared.u32 [s], %r4;\nOUT:");
  EXPECT_EQ(gate(in_bounds), in_bounds.pc("ld.global"));
  const Kernel in_loop(bounds + "AGAIN:\nld.global.u32 %r4, [%rd1];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra AGAIN;\nOUT:");
  EXPECT_EQ(gate(in_loop), in_loop.pc("add.u32"));
  const Kernel on_two_sides(
      "setp.ge.u32 %p1, %r2, %r1;\n@%p1 bra OTHER;\nld.global.u32 %r4, [%rd1];\nret;\nOTHER:\nst.shared.u32 [s], %r2;");
  EXPECT_EQ(gate(on_two_sides), on_two_sides.pc("@%p1 bra"));
  const Kernel no_access("add.u32 %r3, %r2, 1;");
  EXPECT_EQ(gate(no_access), no_access.program().code.size());
}

}  // namespace
}  // namespace lockstep
