// alu_test: select_alu and the handlers: masks, aliasing, names.

#include "../alu.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

Statement statement(const std::string& text) {
  Statement s;
  size_t begin = 0;
  while (true) {
    const size_t end = text.find('.', begin);
    const std::string part = text.substr(begin, end - begin);
    if (begin == 0) s.opcode = part;
    else s.modifiers.push_back(part);
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  s.operands.resize(3);
  return s;
}

TEST(Alu, KnowsTheCommonInstructions) {
  for (const char* name : {"add.s32", "mov.u32", "and.b32", "add.s64", "shl.b32", "selp.b32", "shr.u32", "setp.gt.s32",
                           "cvt.s64.s32", "xor.b32", "not.b32", "mul.wide.s32", "cvt.u32.u16", "clz.b32", "mad.lo.s32",
                           "bmsk.clamp.b32", "cvt.u16.u32", "or.pred", "selp.u32", "fma.rn.f32", "cvt.rzi.s32.f32"}) {
    EXPECT_TRUE(select_alu(statement(name), {})) << name;
  }
}

}  // namespace
}  // namespace lockstep
