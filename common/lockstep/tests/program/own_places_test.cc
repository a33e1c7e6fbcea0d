// own_places_test: which addresses tell the threads of a launch apart.
#include "program/own_places.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/program/code.h"

namespace lockstep {
namespace {

// The numbers in the address [%rd3] of the last store: a letter for each.
std::string numbers(const std::string& body) {
  const Module module = module_of("ld.param.u64 %rd1, [a];\n" + body +
                                  "\nmul.wide.s32 %rd2, %r9, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], 1;");
  const auto program = decoded(module);
  const uint8_t found = program->accesses.back().numbers;
  std::string text;
  for (int i = 0; i < 6; ++i)
    if (found >> i & 1) text += "xyzXYZ"[i];
  return text;
}

const std::string kIndex =
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.s32 %r4, %r1, %r2, %r3;\n";

TEST(OwnPlaces, SumsAndProductsKeepTheNumbers) {
  EXPECT_EQ(numbers(kIndex + "mov.u32 %r9, %r4;"), "xX");
  EXPECT_EQ(numbers(kIndex + "shl.b32 %r5, %r4, 2;\nadd.s32 %r9, %r5, 3;"), "xX");
  EXPECT_EQ(numbers(kIndex + "or.b32 %r9, %r4, 1;"), "xX");
  EXPECT_EQ(numbers("mov.u32 %r9, %tid.x;"), "x");
  EXPECT_EQ(numbers("mov.u32 %r9, 7;"), "");
  EXPECT_EQ(numbers(kIndex + "mov.u32 %r5, %tid.y;\nmov.u32 %r6, %ctaid.y;\nmov.u32 %r7, %ntid.y;\n"
                             "mad.lo.s32 %r8, %r6, %r7, %r5;\nmad.lo.s32 %r9, %r8, 100, %r4;"),
            "xyXY");
}

TEST(OwnPlaces, OtherOperationsMayMakeTwoAlike) {
  for (const std::string operation : {"and.b32 %r9, %r4, 31", "shr.s32 %r9, %r4, 1", "rem.s32 %r9, %r4, 10",
                                      "div.s32 %r9, %r4, 3", "min.s32 %r9, %r4, 5", "selp.b32 %r9, %r4, 5, %p1"})
    EXPECT_EQ(numbers(kIndex + operation + ";"), "") << operation;
  EXPECT_EQ(numbers(kIndex + "ld.global.u32 %r5, [%rd1];\nadd.s32 %r9, %r4, %r5;"), "") << "a loaded index";
}

TEST(OwnPlaces, ASumOfTwoBareNumbersTellsNeitherApart) {
  EXPECT_EQ(numbers("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nadd.s32 %r9, %r1, %r2;"), "");
  EXPECT_EQ(numbers("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmul.lo.s32 %r9, %r1, %r2;"), "");
}

// k is 0, 1, 2, …
TEST(OwnPlaces, ACounterTellsThreadsApartOnlyBesideAProduct) {
  const auto in_loop = [](const std::string& body) {
    return numbers(kIndex + "mov.u32 %r5, 0;\nLOOP:\nadd.s32 %r5, %r5, 1;\nsetp.lt.s32 %p1, %r5, 9;\n@%p1 bra LOOP;\n" +
                   body);
  };
  EXPECT_EQ(in_loop("add.s32 %r9, %r4, %r5;"), "") << "i + k";
  EXPECT_EQ(in_loop("mul.lo.s32 %r9, %r4, %r5;"), "") << "i · k";
  EXPECT_EQ(in_loop("shl.b32 %r6, %r5, 2;\nmul.lo.s32 %r9, %r4, %r6;"), "") << "i · 4k";
  EXPECT_EQ(in_loop("mad.lo.s32 %r9, %r4, 10, %r5;"), "xX") << "10 i + k";
  EXPECT_EQ(in_loop("mad.lo.s32 %r9, %r5, %r2, %r4;"), "xX") << "k n + i";
}

TEST(OwnPlaces, ALoopsStepKeepsThemAndAnotherValueLosesThem) {
  EXPECT_EQ(
      numbers(kIndex + "mov.u32 %r9, %r4;\nLOOP:\nadd.s32 %r9, %r9, %r2;\nsetp.lt.s32 %p1, %r9, 99;\n@%p1 bra LOOP;"),
      "xX");
  EXPECT_EQ(numbers(kIndex + "mov.u32 %r9, %r4;\n@%p1 bra OVER;\nmov.u32 %r9, %r3;\nOVER:"), "x");
}

}  // namespace
}  // namespace lockstep
