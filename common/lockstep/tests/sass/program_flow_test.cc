// program_flow_test: the conditions of a program's instructions.
#include "sass/program_flow.h"

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

}  // namespace
}  // namespace lockstep
