// parser_test: the module that PTX text becomes, and the line that an error names.
#include "ptx/parser.h"
#include "base/words.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

const std::string kHead = ".version 9.0\n.target sm_75\n.address_size 64\n";

Module in_kernel(const std::string& body) {
  return parse(kHead + ".visible .entry k(.param .u64 p)\n{\n" + body + "\n}\n");
}

TEST(Module, NamesAreReadable) {
  EXPECT_EQ(demangled("_ZZ3shmiPiE1s"), "shm(int, int*)::s");
  EXPECT_EQ(demangled("s"), "s");
  EXPECT_EQ(demangled("__nv_static_24__1925b8fe_4_a_cu__Z2mkPi__Z4samePi"), "same(int*)");
  EXPECT_EQ(demangled("__nv_static_24__1925b8fe_4_a_cu__Z2mkPi_hidden"), "hidden");
  EXPECT_EQ(demangled("__nv_static_99_x"), "__nv_static_99_x");
}

TEST(Parser, ReadsTheHead) {
  const Module m = parse(kHead + ".file 1 \"a.cu\"\n");
  EXPECT_EQ(m.version.first, 9);
  EXPECT_EQ(m.target, 75);
  EXPECT_EQ(m.files.at(1), "a.cu");
}

TEST(Parser, SplitsInstructions) {
  const Module m = in_kernel(
      ".reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<3>;\n@!%p1 ld.global.nc.v2.u32 {%r1, %r2}, [%rd1+-8];");
  ASSERT_EQ(m.functions.size(), 1u);
  const Function& f = m.functions[0];
  EXPECT_EQ(f.registers.size(), 2u + 4u + 3u);
  ASSERT_EQ(f.body.size(), 1u);
  const Statement& s = f.body[0];
  EXPECT_EQ(s.full_name(), "ld.global.nc.v2.u32");
  EXPECT_EQ(s.guard, "%p1");
  EXPECT_TRUE(s.guard_negated);
  EXPECT_EQ(s.operands[0].elements.size(), 2u);
  EXPECT_EQ(s.operands[1].elements[0].name, "%rd1");
  EXPECT_EQ(s.operands[1].offset, -8);
}

TEST(Parser, ScopesHideOuterNames) {
  const Module m = in_kernel(".reg .b32 %a;\n{\n.reg .b32 %a;\nmov.b32 %a, 1;\n}\nmov.b32 %a, 2;");
  const Function& f = m.functions[0];
  ASSERT_EQ(f.body.size(), 2u);
  EXPECT_NE(f.body[0].operands[0].name, f.body[1].operands[0].name);
  EXPECT_EQ(f.body[1].operands[0].name, "%a");
}

TEST(Parser, FollowsInliningToTheOutermostLine) {
  const Module m = in_kernel(
      ".loc 1 10 0, function_name x, inlined_at 2 20 0\nret;\n"  // 1:10 inlined at 2:20
      ".loc 2 20 0, function_name x, inlined_at 3 30 0\nret;\n"  // 2:20 itself at 3:30
      ".loc 1 10 0, function_name x, inlined_at 2 20 0\nret;\n");
  const auto& body = m.functions[0].body;
  EXPECT_EQ(body[1].location.inlined_line, 30u);
  EXPECT_EQ(body[2].location.inlined_file, 3u);
  EXPECT_EQ(body[2].location.inlined_line, 30u);
}

TEST(Parser, AFunctionBesideTheKernelHasLinesOfItsOwn) {
  const Module m =
      parse(kHead + ".visible .entry k()\n{\n" +
            ".loc 3 12 0, function_name x, inlined_at 3 30 0\nret;\n"       // 3:12 of the kernel's own file
            ".loc 1 10 0, function_name x, inlined_at 3 12 0\nret;\n}\n");  // a header's 1:10 inlined there
  const auto& body = m.functions[0].body;
  EXPECT_EQ(body[0].location.inlined_line, 12u);
  EXPECT_EQ(body[1].location.inlined_file, 3u);
  EXPECT_EQ(body[1].location.inlined_line, 12u);
}

TEST(Parser, APlaceBelongsToItsFunction) {
  const std::string kernel = "()\n{\nret;\n.loc 2 20 0, function_name x, inlined_at 3 30 0\nret;\n}\n";
  const std::string helper = ".loc 1 10 0, function_name x, inlined_at 2 20 0\nret;\n}\n";
  const Module m = parse(kHead + ".visible .entry a" + kernel + ".visible .entry b()\n{\nret;\n" + helper);
  const auto& body = m.functions[1].body;
  EXPECT_EQ(body[0].location.line, 0u);
  EXPECT_EQ(body[1].location.inlined_line, 20u);
}

TEST(Parser, InitialisersKeepBitsAndRelocations) {
  const Module m =
      parse(kHead + ".global .align 8 .u64 t[3] = {generic(x)+4, -1, y};\n.global .align 8 .f64 d[1] = {-1.5};\n");
  const Variable& t = m.variables[0];
  EXPECT_EQ(t.bytes, 24u);
  ASSERT_EQ(t.relocations.size(), 2u);
  EXPECT_TRUE(t.relocations[0].generic);
  EXPECT_EQ(t.relocations[0].addend, 4);
  EXPECT_EQ(t.relocations[1].offset, 16u);
  EXPECT_EQ(t.init[8], 0xff);
  EXPECT_EQ(m.variables[1].init[7], 0xbf);  // the sign and exponent of -1.5
}

TEST(Parser, WhatIsNestedTooDeepIsRefused) {
  const auto nested = [](const std::string& open, const std::string& inside, const std::string& close, int levels) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += open;
    text += inside;
    for (int i = 0; i < levels; ++i) text += close;
    return text;
  };
  const auto refused = [](const std::string& ptx) {
    try {
      parse(ptx);
    } catch (const PtxError& error) {
      return error.line == 6 && plain(error.what()).find("256 levels") != std::string::npos;
    }
    return false;
  };
  const std::string body = kHead + ".visible .entry k()\n{\n", end = "\n}\n";
  const std::string mov = "mov.u32 %r1, ", list = kHead + "\n\n.global .u32 x[1] = ";
  EXPECT_NO_THROW(parse(body + nested("{", "ret;", "}", 200) + end));
  EXPECT_NO_THROW(parse(body + nested("{", "ret;", "}\n{ret;}", 200) + end));  // scopes beside each other do not count
  EXPECT_NO_THROW(parse(list + nested("{", "1", "}", 200) + ";\n"));
  EXPECT_TRUE(refused(body + nested("{", "ret;", "}", 300) + end));
  for (const auto& [open, close] : {std::pair{"{", "}"}, {"[", "]"}, {"(", ")"}, {"!", ""}})
    EXPECT_TRUE(refused(body + mov + nested(open, "%r1", close, 300) + ";" + end)) << open;
  EXPECT_TRUE(refused(list + nested("{", "1", "}", 300) + ";\n"));
}

TEST(Parser, MistakesNameTheirLine) {
  const auto line_of = [](const std::string& ptx) -> uint32_t {
    try {
      parse(ptx);
    } catch (const PtxError& error) { return error.line; }
    return 0;
  };
  EXPECT_EQ(line_of(kHead + ".visible .entry k()\n{\n  add.u32 %r1, ;\n}\n"), 6u);
  EXPECT_EQ(line_of(kHead + "/* no end"), 4u);
  EXPECT_EQ(line_of(kHead + ".visible .entry k()\n{\n"), 6u);
  EXPECT_EQ(line_of(kHead + ".global .blah x;\n"), 4u);
  EXPECT_EQ(line_of(kHead + ".global .attribute(.managed .u32 x;\n"), 5u);
}

}  // namespace
}  // namespace lockstep
