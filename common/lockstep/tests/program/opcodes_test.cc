// opcodes_test: the table of opcodes against alu_table, against the PTX of the golden tests, and its costs.
#include "program/opcodes.h"
#include "base/words.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "alu/alu_table.h"
#include "program/decode_program.h"
#include "ptx/parser.h"

namespace lockstep {

namespace {

std::string base(std::string_view name) { return std::string(name.substr(0, name.find('.'))); }

// alu_table calls min and max of three sources min3 and max3.
std::string opcode_of(const std::string& entry) {
  const std::string name = base(entry);
  return name == "min3" || name == "max3" ? name.substr(0, 3) : name;
}

std::set<std::string> arithmetic_of_alu() {
  std::set<std::string> names;
  for (const auto& [name, entry] : alu_table().entries()) names.insert(opcode_of(name));
  return names;
}

std::string refusal_of(const std::string& statement) {
  const Module module =
      parse(".version 9.0\n.target sm_75\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n" + statement + "\nret;\n}\n");
  Symbols symbols;
  symbols.variable_address = [](const std::string&) { return uint64_t{0}; };
  symbols.function_id = [](const std::string&) { return uint64_t{1}; };
  symbols.find_function = [](const std::string&) -> const Function* { return nullptr; };
  symbols.access_handler = [](const MemoryAccess&) -> AccessHandler { return nullptr; };  // nothing runs here
  symbols.address_taken = [] { return std::vector<const Function*>{}; };
  const auto program = decode_program(module, module.functions.back(), symbols);
  return program->refusal.instruction + ": " + plain(program->refusal.message);
}

TEST(Opcodes, EachHasOneLine) {
  std::set<std::string_view> names;
  for (const Opcode& opcode : opcodes()) EXPECT_TRUE(names.insert(opcode.name).second) << opcode.name;
}

TEST(Opcodes, ArithmeticOfAluHasALine) {
  for (const std::string& name : arithmetic_of_alu()) {
    const Opcode* opcode = find_opcode(name);
    ASSERT_TRUE(opcode) << name;
    EXPECT_EQ(opcode->kind, Kind::kAlu) << name;
    EXPECT_TRUE(opcode->decode == decode_alu || opcode->decode == decode_mov) << name;
  }
}

TEST(Opcodes, ALineOfArithmeticHasItsHandlers) {
  const std::set<std::string> arithmetic = arithmetic_of_alu();
  for (const Opcode& opcode : opcodes()) {
    if (opcode.decode != decode_alu) continue;
    EXPECT_TRUE(arithmetic.contains(base(opcode.name))) << opcode.name;
  }
}

// The PTX that the golden tests run. A test in errors/ may name an instruction that lockstep refuses.
TEST(Opcodes, GoldenTestsUseKnownOpcodes) {
  size_t statements = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(PTX_FOLDER)) {
    if (file.path().extension() != ".ptx" || file.path().parent_path().filename() == "errors") continue;
    std::ifstream stream(file.path());
    const Module module = parse(std::string(std::istreambuf_iterator<char>(stream), {}));
    for (const Function& f : module.functions)
      for (const Statement& s : f.body) {
        if (!s.label.empty()) continue;
        EXPECT_TRUE(find_opcode(s.full_name())) << file.path() << ": " << s.full_name();
        ++statements;
      }
  }
  EXPECT_GT(statements, 1000u);
}

TEST(Opcodes, TheLongestLineCounts) {
  EXPECT_EQ(find_opcode("bar.sync")->kind, Kind::kBarrier);
  EXPECT_EQ(find_opcode("bar.warp.sync")->kind, Kind::kWarpBarrier);
  EXPECT_EQ(find_opcode("barrier.sync.aligned")->kind, Kind::kBarrier);
  EXPECT_EQ(find_opcode("barrier.cluster.arrive.aligned")->kind, Kind::kClusterArrive);
  EXPECT_EQ(find_opcode("barrier.cluster.wait.aligned")->kind, Kind::kClusterWait);
  EXPECT_EQ(find_opcode("ld.param::entry.u64")->name, "ld.param");
  EXPECT_EQ(find_opcode("ld.parameter.u64")->name, "ld");
  EXPECT_EQ(find_opcode("ad"), nullptr);
  EXPECT_EQ(find_opcode("adds.u32"), nullptr);
  EXPECT_EQ(find_opcode(""), nullptr);
}

TEST(Opcodes, AnUnknownOneIsRefusedByName) {
  EXPECT_EQ(refusal_of("frobnicate.u32 %r1, %r2;"),
            "frobnicate.u32: the instruction is not supported\n"
            "  Next: run it on a GPU, or write it without this instruction.");
}

struct ExpectedCost {
  const char* instruction;
  Pipe pipe;
  int slots, latency;
};

TEST(Opcodes, CostsDependOnTheType) {
  const ExpectedCost expected[] = {
      {"mov.u32", Pipe::kNone, 0, 0},
      {"ld.param.u64", Pipe::kNone, 0, 0},
      {"ld.global.nc.f32", Pipe::kNone, 1, 0},
      {"bar.sync", Pipe::kNone, 1, 5},
      {"add.s32", Pipe::kInteger, 1, 4},
      {"add.s64", Pipe::kInteger, 2, 6},
      {"add.f32", Pipe::kFloat, 1, 4},
      {"add.rn.f64", Pipe::kDouble, 1, 8},
      {"mul.lo.s32", Pipe::kFloat, 1, 5},
      {"mul.wide.u32", Pipe::kFloat, 1, 5},
      {"mul.lo.u64", Pipe::kFloat, 4, 14},
      {"rem.s32", Pipe::kInteger, 22, 100},
      {"div.u64", Pipe::kInteger, 80, 400},
      {"div.rn.f32", Pipe::kFloat, 10, 60},
      {"div.approx.f32", Pipe::kSpecial, 2, 24},
      {"sqrt.rn.f64", Pipe::kDouble, 12, 120},
      {"cvt.rn.f32.s32", Pipe::kSpecial, 1, 6},
      {"cvt.u64.u32", Pipe::kNone, 0, 0},
      {"cvt.u32.u64", Pipe::kInteger, 1, 6},
      {"setp.lt.s64", Pipe::kInteger, 2, 6},
      {"popc.b64", Pipe::kSpecial, 1, 14},
      {"ex2.approx.ftz.f32", Pipe::kSpecial, 2, 24},
      {"fma.rn.f16x2", Pipe::kFloat, 1, 4},
      {"shfl.sync.bfly.b32", Pipe::kShuffle, 1, 23},
      {"frobnicate.u32", Pipe::kNone, 0, 0},
  };
  for (const ExpectedCost& e : expected) {
    const InstructionCost cost = cost_of(e.instruction);
    EXPECT_EQ(cost.pipe, e.pipe) << e.instruction;
    EXPECT_EQ(cost.slots, e.slots) << e.instruction;
    EXPECT_EQ(cost.latency, e.latency) << e.instruction;
  }
}

}  // namespace
}  // namespace lockstep
