// uniform_test: which comparisons all lanes of a warp answer alike.
#include "sass/uniform.h"

#include "tests/sass/kernel.h"

namespace lockstep {
namespace {

bool is_uniform(const std::string& body) {
  const Kernel kernel(body);
  return uniform_comparisons(kernel.program()).contains(kernel.line("setp"));
}

TEST(Uniform, ParametersConstantsAndTheNumbersOfTheBlock) {
  EXPECT_TRUE(is_uniform("setp.lt.s32 %p1, %r1, 1;"));
  EXPECT_TRUE(is_uniform("mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 256, %r1;\nsetp.lt.u32 %p1, %r4, 7;"));
  EXPECT_TRUE(is_uniform("setp.ge.u64 %p1, %rd1, %rd2;"));
}

TEST(Uniform, NotWhatLanesHaveForThemselves) {
  EXPECT_FALSE(is_uniform("setp.eq.u32 %p1, %r2, 0;"));
  EXPECT_FALSE(is_uniform("add.u32 %r3, %r2, %r1;\nsetp.lt.u32 %p1, %r3, %r1;"));
  EXPECT_FALSE(is_uniform("mov.u32 %r3, %laneid;\nsetp.eq.u32 %p1, %r3, 0;"));
  EXPECT_FALSE(is_uniform("mov.u32 %r3, %clock;\nsetp.eq.u32 %p1, %r3, 0;"));
}

TEST(Uniform, NotWhatLiesInMemoryThatMayChange) {
  EXPECT_FALSE(is_uniform("ld.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p1, %r3, 0;"));
  EXPECT_FALSE(is_uniform("ld.shared.u32 %r3, [s];\nsetp.eq.u32 %p1, %r3, 0;"));
}

// Lanes that have left the loop, or have come another way, hold another value.
TEST(Uniform, NotARegisterThatSeveralInstructionsWrite) {
  EXPECT_FALSE(is_uniform("mov.u32 %r3, 0;\nTURN:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra TURN;"));
  EXPECT_FALSE(is_uniform("TURN:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra TURN;"));
}

}  // namespace
}  // namespace lockstep
