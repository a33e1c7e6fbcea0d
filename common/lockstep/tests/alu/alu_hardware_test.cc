// alu_hardware_test: every arithmetic instruction against an H200's results, bit for bit (alu_hardware_h200.tar.xz,
// whose form alu_hardware.py explains).

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "alu/alu_table.h"
#include "tests/alu/alu_statement.h"

namespace lockstep {
namespace {

using Values = std::vector<uint64_t>;

struct Golden {
  std::string name, destination;
  std::vector<std::string> classes;
  Values results;
};
struct Answers {
  std::map<std::string, Values> inputs;  // "0 i32"
  std::vector<Golden> instructions;
};

const Answers& answers() {
  static const Answers all = [] {
    Answers result;
    std::ifstream file(ALU_HARDWARE_ANSWERS);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("#")) continue;
      std::istringstream left(line.substr(0, line.find('='))), right(line.substr(line.find('=') + 1));
      Golden golden;
      left >> golden.name >> golden.destination;
      for (std::string word; left >> word;) golden.classes.push_back(word);
      for (std::string word; right >> word;) golden.results.push_back(std::stoull(word, nullptr, 16));
      if (golden.name == "input")
        result.inputs[golden.destination + " " + golden.classes.at(0)] = golden.results;
      else
        result.instructions.push_back(golden);
    }
    return result;
  }();
  return all;
}

Width width_of_letter(char letter) {
  return letter == 'p' ? Width::kPred : letter == 'h' ? Width::k16 : letter == 'r' ? Width::k32 : Width::k64;
}
Width width_of_class(const std::string& name) {
  if (name == "p") return Width::kPred;
  if (name == "i16" || name == "f16" || name == "bf16") return Width::k16;
  return name == "i64" || name == "f64" ? Width::k64 : Width::k32;
}

// --- running them -------------------------------------------------------------------------------------------------

struct Prepared {
  AluChoice choice;
  AluOperands operands;
  std::vector<std::pair<const Values*, Width>> sources;  // for a, b, c, e
};

Prepared prepare(const Golden& golden) {
  Prepared result;
  const size_t destinations = golden.destination.size();
  Statement statement = statement_of(golden.name, destinations + golden.classes.size());
  statement.dual_destination = destinations == 2;
  std::array<Width, 6> widths{};
  widths[0] = width_of_letter(golden.destination[0]);
  if (destinations == 2) widths[1] = Width::kPred;
  for (size_t i = 0; i < golden.classes.size(); ++i) {
    const std::string& name = golden.classes[i];
    Operand& operand = statement.operands[destinations + i];
    if (name.starts_with("#")) {
      operand.kind = Operand::kInteger;
      operand.bits = std::stoull(name.substr(1));
      continue;
    }
    if (destinations + i < widths.size()) widths[destinations + i] = width_of_class(name);
    result.sources.emplace_back(&answers().inputs.at(std::to_string(result.sources.size()) + " " + name),
                                width_of_class(name));
  }
  const auto choice = select_alu(statement, widths);
  EXPECT_TRUE(choice) << golden.name;
  if (!choice) return result;
  EXPECT_EQ(choice->d, widths[0]) << golden.name;
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(choice->sources[i], i < result.sources.size() ? result.sources[i].second : Width::kNone)
        << golden.name << " source " << i;
  }
  result.choice = *choice;
  AluOperands& i = result.operands;
  i.modes = choice->modes;
  i.d = 512, i.a = 1024, i.b = 1536, i.c = 2048, i.e = 2560;
  i.d2 = destinations == 2 ? 3072 : 0;
  return result;
}

std::string describe(const Golden& golden, const Prepared& p, size_t place, uint64_t got) {
  std::ostringstream text;
  text << golden.name << std::hex << " (";
  for (const auto& source : p.sources) text << " " << (*source.first)[place];
  text << " ) returned " << got << ", an H200 " << golden.results[place];
  return text.str();
}

void run(const Golden& golden) {
  const Prepared p = prepare(golden);
  if (!p.choice.handler) return;
  const uint32_t offsets[] = {p.operands.a, p.operands.b, p.operands.c, p.operands.e};
  int failures = 0;
  for (size_t first = 0; first < golden.results.size(); first += kWarpSize) {
    Frame frame;
    for (int l = 0; l < kWarpSize; ++l) {
      const size_t place = first + static_cast<size_t>(l);
      for (size_t s = 0; s < p.sources.size(); ++s)
        frame.set(offsets[s], p.sources[s].second, l, (*p.sources[s].first)[place]);
    }
    p.choice.handler(frame.bytes.data(), p.operands, kFullMask);
    for (int l = 0; l < kWarpSize && failures < 4; ++l) {
      const size_t place = first + static_cast<size_t>(l);
      uint64_t got = frame.get(p.operands.d, p.choice.d, l);
      if (golden.destination.size() == 2)
        got |= frame.get(p.operands.d2, Width::kPred, l) << (golden.destination == "pp" ? 1 : 32);
      const uint64_t wanted = golden.results[place];
      if (got == wanted) continue;
      ADD_FAILURE() << describe(golden, p, place, got);
      ++failures;
    }
  }
}

TEST(AluHardware, ReturnsWhatAnH200Returns) {
  ASSERT_GT(answers().instructions.size(), 1400u);
  for (const auto& golden : answers().instructions) run(golden);
}

// Every entry of the table is reached by one of these names, or has tests of its own.
TEST(AluHardware, CoversTheTable) {
  std::set<AluHandler> reached;
  for (const auto& golden : answers().instructions) {
    const Prepared p = prepare(golden);
    reached.insert(p.choice.handler);
  }
  for (const auto& [name, entry] : alu_table().entries()) {
    const bool elsewhere = name.find("min3") == 0 || name.find("max3") == 0 ||  // not for this GPU; alu_test
                           name.find(".cc") != std::string::npos || name.starts_with("addc") ||
                           name.starts_with("subc") || name.starts_with("madc") ||  // carries: alu_test
                           name.starts_with("vabsdiff") ||                          // in .ptx goldens, also on a card
                           name.find("e4m3") != std::string::npos || name.find("e5m2") != std::string::npos;
    if (elsewhere) continue;
    EXPECT_TRUE(reached.count(entry.plain) || reached.count(entry.general) || reached.count(entry.ftz)) << name;
    if (entry.ftz && entry.allowed & kFtz) { EXPECT_TRUE(reached.count(entry.ftz)) << name << " with .ftz"; }
  }
}

}  // namespace
}  // namespace lockstep
