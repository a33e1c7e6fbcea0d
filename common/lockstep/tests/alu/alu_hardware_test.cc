// alu_hardware_test: every arithmetic instruction against an H200's results (alu_hardware_h200.tar.xz, whose form
// alu_hardware.py explains): bit for bit, but for the approximations, which PTX gives an error bound.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "alu/alu_table.h"
#include "alu/arith.h"
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

// --- how near an approximation has to come ------------------------------------------------------------------------

struct Bound {
  const char* prefix;
  double relative, absolute;
};
constexpr Bound kBounds[] = {
    {"div.approx", 0x1p-22, 0x1p-148},    {"div.full", 0x1p-22, 0x1p-148},    {"rcp.approx.f32", 0x1p-23, 0x1p-148},
    {"rcp.approx.ftz.f32", 0x1p-23, 0},   {"sqrt.approx", 0x1p-22, 0},        {"rsqrt.approx.f32", 0x1p-22, 0},
    {"rsqrt.approx.ftz.f32", 0x1p-22, 0}, {"rsqrt.approx.f64", 0x1p-28, 0},   {"ex2.approx.f32", 0x1p-21, 0x1p-148},
    {"ex2.approx.ftz.f32", 0x1p-21, 0},   {"lg2.approx", 0x1p-21, 0x1p-21},   {"sin.approx", 0, 0x1p-19},
    {"cos.approx", 0, 0x1p-19},           {"tanh.approx.f32", 0x1p-10, 0},    {"ex2.approx.f16", 0x1p-8, 0x1p-23},
    {"tanh.approx.f16", 0x1p-8, 0x1p-23}, {"ex2.approx.ftz.bf16", 0x1p-6, 0}, {"tanh.approx.bf16", 0x1p-6, 0}};

const Bound* bound_of(const std::string& name) {
  for (const auto& bound : kBounds)
    if (name.starts_with(bound.prefix)) return &bound;
  return nullptr;
}

bool near(double got, double wanted, const Bound& bound) {
  if (std::isnan(got) || std::isnan(wanted)) return std::isnan(got) && std::isnan(wanted);
  if (std::isinf(got) || std::isinf(wanted) || wanted == 0) return got == wanted || std::fabs(got) <= bound.absolute;
  return std::fabs(got - wanted) <= bound.relative * std::fabs(wanted) + bound.absolute;
}

bool near(const std::string& name, uint64_t got, uint64_t wanted, const Bound& bound) {
  const auto is = [&](const char* type) { return name.ends_with(type); };
  const auto half = [](uint64_t x) { return double{baseline::to_float(baseline::Half{static_cast<uint16_t>(x)})}; };
  const auto bfloat = [](uint64_t x) { return double{baseline::to_float(baseline::Bfloat{static_cast<uint16_t>(x)})}; };
  if (is(".bf16x2"))
    return near(bfloat(got), bfloat(wanted), bound) && near(bfloat(got >> 16), bfloat(wanted >> 16), bound);
  if (is(".f16x2")) return near(half(got), half(wanted), bound) && near(half(got >> 16), half(wanted >> 16), bound);
  if (is(".bf16")) return near(bfloat(got), bfloat(wanted), bound);
  if (is(".f16")) return near(half(got), half(wanted), bound);
  if (is(".f64")) return near(std::bit_cast<double>(got), std::bit_cast<double>(wanted), bound);
  const auto single = [](uint64_t x) { return double{std::bit_cast<float>(static_cast<uint32_t>(x))}; };
  return near(single(got), single(wanted), bound);
}

// Far from zero a GPU's sine and cosine have no bound, and ours are better.
bool has_bound(const Golden& golden, uint64_t a) {
  if (!golden.name.starts_with("sin") && !golden.name.starts_with("cos")) return true;
  return std::fabs(std::bit_cast<float>(static_cast<uint32_t>(a))) <= 6.3f;
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
  const Bound* bound = bound_of(golden.name);
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
      if (bound && (near(golden.name, got, wanted, *bound) || !has_bound(golden, (*p.sources[0].first)[place])))
        continue;
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
