#include "program/own_places.h"

#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>

#include "program/register_use.h"

namespace lockstep {
namespace {

// What a value is made of.
struct Made {
  uint8_t numbers = 0;
  uint8_t bare = 0;     // those of them, and kCounter, that no product has spread
  bool varies = false;  // it contains a register that several instructions write, as the counter of a loop
  bool only = true;     // it is made of numbers, counters, parameters and constants, by sums and products
  bool operator==(const Made&) const = default;
};
constexpr uint8_t kCounter = 128;
constexpr Made kOther{0, 0, false, false};

uint8_t both(uint8_t a, uint8_t b) { return static_cast<uint8_t>(a | b); }

// The sum of two bare numbers tells neither apart: 1 + 2 = 2 + 1.
Made sum(const Made& a, const Made& b) {
  if (!a.only || !b.only || (a.bare && b.bare)) return kOther;
  return {both(a.numbers, b.numbers), both(a.bare, b.bare), a.varies || b.varies, true};
}
// Neither does the product of two values that differ: 1 · 2 = 2 · 1.
Made product(const Made& a, const Made& b) {
  const bool mixes = (a.numbers && (b.numbers || b.varies)) || (b.numbers && a.varies);
  if (!a.only || !b.only || mixes) return kOther;
  return {both(a.numbers, b.numbers), 0, a.varies || b.varies, true};
}
// Of a register that several instructions write.
Made either(const Made& a, const Made& b) {
  if (!a.only || !b.only) return kOther;
  const auto numbers = static_cast<uint8_t>(a.numbers & b.numbers);
  return {numbers, both(numbers ? 0 : kCounter, both(a.bare, b.bare)), true, true};
}

bool starts_with(std::string_view name, std::initializer_list<std::string_view> starts) {
  for (const std::string_view start : starts)
    if (name.starts_with(start)) return true;
  return false;
}

// The registers of one function. Each is unknown until an instruction that writes it is followed.
class Registers {
 public:
  // The function's instructions lie in [begin, end).
  Registers(const Program& program, const FunctionCode& function, uint32_t begin, uint32_t end) : program_(program) {
    for (uint32_t pc = begin; pc < end; ++pc)
      for_each_destination(program, program.code[pc], [&](uint32_t d) { ++writers_[d]; });
    for (const Preset& preset : function.presets) {
      Made& made = made_[preset.offset].emplace();
      if (preset.source != Preset::kSpecial) continue;
      const auto special = static_cast<Special>(preset.bits);
      made.numbers = made.bare = number_bit(special);
      made.only = made.numbers || (special >= Special::kNtidX && special <= Special::kNctaidZ);
    }
  }

  std::optional<Made> of(uint32_t offset) const {
    const auto found = made_.find(offset);
    return offset == 0 ? Made{} : found == made_.end() ? std::nullopt : found->second;
  }

  // Whether anything changed.
  bool follow(uint32_t pc) {
    const Instruction& in = program_.code[pc];
    const std::optional<Made> made = result(pc);
    bool changes = false;
    if (made)
      for_each_destination(program_, in, [&](uint32_t d) {
        std::optional<Made>& known = made_[d];
        const Made now = writers_.at(d) == 1 ? *made : either(known ? *known : *made, *made);
        changes |= known != now;
        known = now;
      });
    return changes;
  }

 private:
  // None: an operand is not known yet.
  std::optional<Made> result(uint32_t pc) const {
    const Instruction& in = program_.code[pc];
    if (in.kind == Kind::kMemory) {
      const MemoryAccess& access = program_.accesses[in.index];
      return access.space == Space::kConst && access.base == 0 ? Made{} : kOther;
    }
    if (in.kind != Kind::kAlu) return kOther;
    const std::optional<Made> a = of(in.a), b = of(in.b), c = of(in.c), e = of(in.e);
    if (!a || !b || !c || !e) return std::nullopt;
    const std::string_view name = program_.names[pc];
    if (starts_with(name, {"mov.", "cvt.", "cvta."})) return a;
    if (starts_with(name, {"add.", "sub.", "or.", "xor."})) return sum(*a, *b);
    if (starts_with(name, {"mul.", "shl."})) return product(*a, *b);
    if (starts_with(name, {"mad."})) return sum(product(*a, *b), *c);
    for (const Made& one : {*a, *b, *c, *e})
      if (!one.only || one.numbers) return kOther;
    return Made{};
  }

  const Program& program_;
  std::map<uint32_t, uint32_t> writers_;  // by register: the number of instructions
  std::map<uint32_t, std::optional<Made>> made_;
};

}  // namespace

void note_own_places(Program& program) {
  for (uint32_t f = 0; f < program.functions.size(); ++f) {
    const uint32_t begin = program.functions[f].entry, end = f + 1 < program.functions.size()
                                                                 ? program.functions[f + 1].entry
                                                                 : static_cast<uint32_t>(program.code.size());
    Registers registers(program, program.functions[f], begin, end);
    for (bool changes = true; changes;) {
      changes = false;
      for (uint32_t pc = begin; pc < end; ++pc) changes |= registers.follow(pc);
    }
    for (uint32_t pc = begin; pc < end; ++pc) {
      if (program.code[pc].kind != Kind::kMemory) continue;
      MemoryAccess& access = program.accesses[program.code[pc].index];
      const bool counts =
          access.space == Space::kGlobal || access.space == Space::kShared || access.space == Space::kGeneric;
      if (access.op == MemoryOp::kStore && counts) access.numbers = registers.of(access.base).value_or(kOther).numbers;
    }
  }
}

}  // namespace lockstep
