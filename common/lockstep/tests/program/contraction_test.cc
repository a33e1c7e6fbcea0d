// contraction_test: which additions are joined with which product, where a choice is left. ptxas 13.0 chooses so for
// compute capability 9.0; tests/ptx/arithmetic/contractions.ptx has the results.
#include "program/contraction.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ptx/parser.h"

namespace lockstep {
namespace {

// For each addition, in order: the register of the product with which it is joined, or "-".
std::vector<std::string> joined(const std::string& body) {
  const Module m = parse(
      ".version 8.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .f32 a)\n{\n.reg .pred %t;\n"
      ".reg .f32 %x, %y, %p, %q, %s, %r<9>;\n.reg .b64 %a;\n" +
      body + "\nret;\n}\n");
  const Function& f = m.functions[0];
  const Contractions found = contractions(f);
  std::vector<std::string> result;
  for (uint32_t i = 0; i < f.body.size(); ++i) {
    if (f.body[i].opcode() != "add" && f.body[i].opcode() != "sub") continue;
    const auto one = found.of.find(i);
    result.push_back(one == found.of.end() ? "-" : f.body[one->second.product].operands[0].name);
  }
  return result;
}

using Names = std::vector<std::string>;
const std::string kProducts = "mul.f32 %p, %x, %y;\nmul.f32 %q, %y, %y;\n";

TEST(Contraction, OfTwoProductsTheFirstOperandIsJoined) {
  EXPECT_EQ(joined(kProducts + "add.f32 %r1, %p, %q;"), Names{"%p"});
  EXPECT_EQ(joined(kProducts + "add.f32 %r1, %q, %p;"), Names{"%q"});
  EXPECT_EQ(joined(kProducts + "sub.f32 %r1, %q, %p;"), Names{"%q"});
}

TEST(Contraction, TheProductWithFewerUsesIsJoined) {
  EXPECT_EQ(joined(kProducts + "add.f32 %r1, %p, %q;\nadd.f32 %r2, %p, %x;"), (Names{"%q", "-"}));
  EXPECT_EQ(joined(kProducts + "add.f32 %r1, %p, %q;\nadd.f32 %r2, %q, %x;"), (Names{"%p", "-"}));
}

TEST(Contraction, AdditionsAreJoinedInTheirOrder) {
  EXPECT_EQ(joined(kProducts + "add.f32 %r1, %p, %x;\nadd.f32 %r2, %q, %x;\nadd.f32 %r3, %q, %p;"),
            (Names{"%p", "%q", "%q"}));
  EXPECT_EQ(joined(kProducts + "add.f32 %r3, %q, %p;\nadd.f32 %r1, %p, %x;\nadd.f32 %r2, %q, %x;"),
            (Names{"%q", "-", "%q"}));
}

TEST(Contraction, EachUseOfAProductIsAnAddition) {
  const std::string one = "mul.f32 %p, %x, %y;\nadd.f32 %r1, %p, %x;\n";
  EXPECT_EQ(joined(one + "add.f32 %r2, %y, %p;"), (Names{"%p", "%p"}));
  for (const char* use :
       {"st.global.f32 [%a], %p;", "mul.f32 %r2, %p, %x;", "fma.rn.f32 %r2, %x, %y, %p;", "setp.gt.f32 %t, %p, %x;"})
    EXPECT_EQ(joined(one + use), Names{"-"}) << use;
  for (const char* use : {"add.rn.f32 %r2, %p, %x;", "add.ftz.f32 %r2, %p, %x;", "add.f32 %r2, %p, %p;"})
    EXPECT_EQ(joined(one + use), (Names{"-", "-"})) << use;
}

TEST(Contraction, GuardsAndSaturation) {
  EXPECT_EQ(joined("mul.f32 %p, %x, %y;\n@%t add.f32 %r1, %p, %x;"), Names{"%p"});
  EXPECT_EQ(joined("@%t mul.f32 %p, %x, %y;\nadd.f32 %r1, %p, %x;"), Names{"-"});
  EXPECT_EQ(joined("mul.f32 %p, %x, %y;\n@%t mov.f32 %p, %x;\nadd.f32 %r1, %p, %x;"), Names{"-"});
  EXPECT_EQ(joined("mul.f32 %p, %x, %y;\nadd.sat.f32 %r1, %p, %x;"), Names{"%p"});
  EXPECT_EQ(joined("mul.sat.f32 %p, %x, %y;\nadd.f32 %r1, %p, %x;"), Names{"-"});
}

TEST(Contraction, AFactorOfOneMakesNoProduct) {
  EXPECT_EQ(joined("mul.f32 %p, %x, 0fBF800000;\nmul.f32 %q, %y, %y;\nadd.f32 %r1, %p, %q;"), Names{"%q"});
}

TEST(Contraction, BlocksThatOnlyFollowEachOtherAreOne) {
  const std::string product = "mul.f32 %p, %x, %y;\n", addition = "add.f32 %r1, %p, %x;\n";
  EXPECT_EQ(joined(product + "bar.sync 0;\nL:\n" + addition), Names{"%p"});
  EXPECT_EQ(joined(product + "bra L;\nM:\nret;\nL:\n" + addition + "@%t bra M;"), Names{"%p"});
  EXPECT_EQ(joined(product + "@%t bra L;\nbar.sync 0;\nL:\n" + addition), Names{"-"});
  EXPECT_EQ(joined(product + "@%t ret;\n" + addition), Names{"-"});
  EXPECT_EQ(joined("L:\n" + addition + product + "@%t bra L;"), Names{"-"});
}

TEST(Contraction, AProductWithAConstantIsMadeWhereItIsUsed) {
  const std::string rest = "@%t bra L;\nbar.sync 0;\nL:\nadd.f32 %r1, %p, %x;\n";
  EXPECT_EQ(joined("mul.f32 %p, %x, 0f40400000;\n" + rest), Names{"%p"});
  EXPECT_EQ(joined("ld.param.f32 %s, [a];\nmul.f32 %p, %x, %s;\n" + rest), Names{"%p"});
  EXPECT_EQ(joined("mul.f32 %p, %x, 0f40400000;\n" + rest + "st.global.f32 [%a], %p;"), Names{"-"});
}

TEST(Contraction, OtherTypesAndCopies) {
  EXPECT_EQ(joined("mul.f32 %p, %x, %y;\nmov.f32 %q, %p;\nadd.f32 %r1, %q, %x;"), Names{"%p"});
  EXPECT_EQ(joined(".reg .b32 h<4>;\nmul.f16x2 h1, h2, h3;\nadd.f16x2 h0, h1, h2;"), Names{"h1"});
  EXPECT_EQ(joined(".reg .f64 d<4>;\nmul.f64 d1, d2, d3;\nsub.f64 d0, d2, d1;"), Names{"d1"});
}

TEST(Contraction, FactorsThatChangeAreKept) {
  const Module m = parse(
      ".version 8.5\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .f32 %x, %p, %r;\n"
      "mul.f32 %p, %x, %x;\nmov.f32 %x, 0f40000000;\nadd.f32 %r, %p, %x;\nret;\n}\n");
  EXPECT_EQ(contractions(m.functions[0]).keep_factors, std::set<uint32_t>{0});
}

}  // namespace
}  // namespace lockstep
