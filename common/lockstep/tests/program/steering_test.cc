// steering_test: which kernels let loaded values decide about accesses.
#include "program/steering.h"

#include <gtest/gtest.h>

#include <string>

#include "ptx/parser.h"

namespace lockstep {
namespace {

std::string steering(const std::string& body, const std::string& functions = "") {
  const Steering found =
      steering_of(parse(".version 8.5\n.target sm_75\n.address_size 64\n" + functions +
                        ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .f32 %f<4>;\n"
                        ".reg .b64 %rd<5>;\nld.param.u64 %rd1, [a];\n" +
                        body + "\nret;\n}\n"));
  return std::string(found.global ? "global" : "") + (found.shared ? "shared" : "");
}

TEST(Steering, ValuesThatAreOnlyComputedWithDoNotSteer) {
  EXPECT_EQ(steering("ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\nst.global.f32 [%rd1], %f2;"), "");
  EXPECT_EQ(steering("setp.eq.u32 %p1, %r1, 1;\n@%p1 ld.global.f32 %f1, [%rd1];\n@%p1 st.global.f32 [%rd1], %f1;"), "");
}

TEST(Steering, AnAddressOrABranchOfALoadedValueSteers) {
  const std::string address = "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], 1;";
  EXPECT_EQ(steering("ld.global.u32 %r1, [%rd1];\n" + address), "global");
  EXPECT_EQ(steering("ld.shared.u32 %r1, [%r2];\n" + address), "shared");
  EXPECT_EQ(steering("ld.u32 %r1, [%rd1];\n" + address), "globalshared");
  EXPECT_EQ(steering("atom.global.add.u32 %r1, [%rd1], 1;\n" + address), "globalshared");
  EXPECT_EQ(steering("ld.global.f32 %f1, [%rd1];\nsetp.gt.f32 %p1, %f1, 0f00000000;\n@%p1 bra OUT;\nOUT:"), "global");
  EXPECT_EQ(steering("ld.global.u32 %r3, [%rd1];\nshfl.sync.idx.b32 %r1, %r3, 0, 31, -1;\n" + address), "global");
}

TEST(Steering, AValueMaySteerAfterItWasStoredInTheOtherSpace) {
  const std::string by_shared = "ld.shared.u32 %r1, [%r2];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra OUT;\nOUT:",
                    by_global = "ld.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra OUT;\nOUT:";
  EXPECT_EQ(steering("ld.global.u32 %r3, [%rd1];\nst.shared.u32 [%r2], %r3;\n" + by_shared), "globalshared");
  EXPECT_EQ(steering("cp.async.ca.shared.global [%r2], [%rd1], 4;\n" + by_shared), "globalshared");
  EXPECT_EQ(steering("ld.shared.u32 %r3, [%r2];\nst.global.u32 [%rd1], %r3;\n" + by_global), "globalshared");
  EXPECT_EQ(steering("ld.shared.u32 %r3, [%r2];\nst.shared.u32 [%r2], %r3;\n" + by_global), "global");
}

TEST(Steering, ATextureMayBringAnyValue) {
  EXPECT_EQ(
      steering("tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra OUT;\nOUT:"),
      "globalshared");
}

TEST(Steering, LocalMemoryMayBringTheValue) {
  const auto local_steers = [](const std::string& body) {
    return steering_of(parse(".version 8.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
                             ".local .align 4 .b8 l[4];\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<5>;\n" +
                             body + "\nret;\n}\n"))
        .local;
  };
  const std::string branch = "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra OUT;\nOUT:";
  EXPECT_TRUE(local_steers("ld.local.u32 %r1, [l];\n" + branch));
  EXPECT_FALSE(local_steers("ld.global.u32 %r1, [%rd1];\n" + branch));
  EXPECT_TRUE(
      local_steers("ld.local.u32 %r2, [l];\nst.global.u32 [%rd1], %r2;\nld.global.u32 %r1, [%rd1];\n" + branch));
}

// The decoder refuses it later.
TEST(Steering, AStatementWithoutOperandsDoesNothing) {
  EXPECT_EQ(steering("ld.param.u32;\nst.param.u32;\nld.global.u32 %r1;\nbrx;\nmov.u32;"), "");
}

TEST(Steering, AFunctionMayDoIt) {
  const std::string gets =
      ".func (.param .b32 v) get(.param .b64 p)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\n"
      "ld.global.u32 %r1, [%rd1];\nst.param.b32 [v], %r1;\nret;\n}\n";
  const std::string call =
      "{ .param .b64 p0; .param .b32 r0; st.param.b64 [p0], %rd1;\ncall.uni (r0), get, (p0);\n"
      "ld.param.b32 %r1, [r0];\n}\n";
  EXPECT_EQ(steering(call + "st.global.u32 [%rd1], %r1;", gets), "");
  EXPECT_EQ(steering(call + "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra OUT;\nOUT:", gets), "global");
}

}  // namespace
}  // namespace lockstep
