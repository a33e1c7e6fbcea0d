// neighbours_test: which accesses lie so near to each other that ptxas may join them.
#include "program/neighbours.h"

#include "tests/sass/kernel.h"

namespace lockstep {
namespace {

bool has_neighbour(const std::string& body, std::string_view text) { return Kernel(body).access(text).neighbour != 0; }

TEST(Neighbours, SixteenBytesOfOneRegisterAreNear) {
  const std::string first = "ld.shared.u32 %r3, [%r1+16];\n";
  for (const char* near : {"+20", "+28", "+8", "+4"})
    EXPECT_TRUE(has_neighbour(first + "ld.shared.u32 %r4, [%r1" + near + "];", "[%r1+16]")) << near;
  for (const char* far : {"+32", "+0", "+16"})
    EXPECT_FALSE(has_neighbour(first + "ld.shared.u32 %r4, [%r1" + far + "];", "%r3, [")) << far;
}

TEST(Neighbours, AreOfOneKindOneSpaceAndOneRegister) {
  const std::string first = "ld.shared.u32 %r3, [%r1+16];\n";
  for (const char* other : {"st.shared.u32 [%r1+20], %r4;", "ld.u32 %r4, [%r1+20];", "ld.shared.u32 %r4, [%r2+20];",
                            "red.shared.add.u32 [%r1+20], %r4;"})
    EXPECT_FALSE(has_neighbour(first + other, "%r3, [")) << other;
}

TEST(Neighbours, OneOfSixteenBytesCannotGrow) {
  EXPECT_FALSE(has_neighbour("ld.shared.v4.u32 {%r3,%r4,%r5,%r6}, [%r1];\nld.shared.u32 %r7, [%r1+4];", "v4"));
}

TEST(Neighbours, AreNotInGlobalMemory) {
  EXPECT_FALSE(has_neighbour("ld.global.u32 %r3, [%rd1];\nld.global.u32 %r4, [%rd1+4];", "%r3, ["));
}

// __shared__ float a, b;
TEST(Neighbours, TwoVariablesMayLieSideBySide) {
  const std::string declared = ".shared .align 4 .b8 a[4];\n.shared .align 4 .b8 b[4];\n.shared .align 16 .b8 c[64];\n";
  const Kernel kernel(declared +
                      "st.shared.u32 [a], %r2;\nst.shared.u32 [b], %r2;\nst.shared.u32 [c+32], %r2;\n"
                      "mov.u32 %r3, b;\nst.shared.u32 [%r3+4], %r2;");
  EXPECT_EQ(kernel.program().neighbours, 2u);
  EXPECT_EQ(kernel.access("[b]").offset - kernel.access("[a]").offset, 4);
  EXPECT_EQ(neighbours_of(kernel.program(), kernel.access("[b]")),
            (std::vector<uint32_t>{kernel.access("[a]").index, kernel.access("[b]").index}));
}

TEST(Neighbours, AreListedByTheirOffset) {
  const Kernel kernel(
      "st.shared.u32 [s+8], %r2;\nst.shared.u32 [s], %r2;\nst.shared.u32 [s+4], %r2;\nst.shared.u32 [s+64], %r2;");
  EXPECT_EQ(kernel.program().neighbours, 3u);
  EXPECT_EQ(
      neighbours_of(kernel.program(), kernel.access("[s+8]")),
      (std::vector<uint32_t>{kernel.access("[s],").index, kernel.access("[s+4]").index, kernel.access("[s+8]").index}));
}

}  // namespace
}  // namespace lockstep
