#include "program/access_places.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "program/register_use.h"

namespace lockstep {
namespace {

// Longer sums and products, and addresses with more alternatives, count as unknown. The limits only bound the time that
// this takes: accesses of unknown addresses are noted, which is always right.
constexpr size_t kProducts = 16, kFactors = 4, kAlternatives = 8;
constexpr int kDepth = 200;  // instructions that follow from each other

Sum literal(int64_t value) { return value ? Sum{{{}, value}} : Sum{}; }
Sum only(const Factor& factor) { return {{{factor}, 1}}; }
Sum unknown(uint32_t reg) { return only({.kind = Factor::kUnknown, .at = reg}); }
std::optional<int64_t> value_of(const Sum& sum) {
  if (sum.empty()) return 0;
  return sum.size() == 1 && sum.begin()->first.empty() ? std::optional(sum.begin()->second) : std::nullopt;
}

// Literals wrap around, as the program's do.
int64_t product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
void add(Sum& sum, const Factors& factors, int64_t times) {
  int64_t& now = sum[factors];
  now = static_cast<int64_t>(static_cast<uint64_t>(now) + static_cast<uint64_t>(times));
  if (now == 0) sum.erase(factors);
}
Sum plus(Sum a, const Sum& b, int64_t times = 1) {
  for (const auto& [factors, literal] : b) add(a, factors, product(times, literal));
  return a;
}
Sum times(const Sum& a, const Sum& b) {
  Sum result;
  for (const auto& [f, x] : a)
    for (const auto& [g, y] : b) {
      Factors both;
      std::ranges::merge(f, g, std::back_inserter(both));
      add(result, both, product(x, y));
    }
  return result;
}
bool is_short(const Sum& sum) {
  return sum.size() <= kProducts &&
         std::ranges::all_of(sum, [](const auto& product) { return product.first.size() <= kFactors; });
}
// Whether a | b is a + b, for a literal b: the products of a are multiples of a power of 2 that is larger than b.
bool has_other_bits(const Sum& a, int64_t b) {
  return b >= 0 && std::ranges::all_of(a, [&](const auto& product) {
           const auto factor = static_cast<uint64_t>(product.second);
           return (factor & (~factor + 1)) > static_cast<uint64_t>(b);
         });
}

// Splits a sum into the part without this factor, and what the factor is multiplied with. None if a product has it
// twice.
std::optional<std::pair<Sum, Sum>> split(const Sum& sum, const Factor& by) {
  Sum without, beside;
  for (const auto& [factors, literal] : sum) {
    const auto found = std::ranges::count(factors, by);
    if (found > 1) return std::nullopt;
    Factors rest = factors;
    std::erase(rest, by);
    add(found ? beside : without, rest, literal);
  }
  return std::pair(without, beside);
}

// "add.s32" → "add.", for whole numbers of 32 and 64 bits; else empty.
std::string_view operation(std::string_view name) {
  const size_t type = name.rfind('.');
  if (type == std::string_view::npos ||
      !std::set<std::string_view>{".s32", ".u32", ".b32", ".s64", ".u64", ".b64"}.contains(name.substr(type)))
    return {};
  return name.substr(0, type + 1);
}

class RegisterSums {
 public:
  // The function's instructions lie in [begin, end).
  RegisterSums(const Program& program, const FunctionCode& code, uint32_t begin, uint32_t end) : program_(program) {
    for (uint32_t pc = begin; pc < end; ++pc)
      for_each_destination(program, program.code[pc], [&](uint32_t d) { writers_[d].push_back(pc); });
    for (const Preset& preset : code.presets) known_[preset.offset] = value_of_preset(preset);
  }

  // Adds the places of an access.
  void places(const MemoryAccess& access, std::vector<AccessPlace>& to) {
    std::vector<AccessPlace> found;
    const Sum address = plus(sum_of(access.base), literal(access.offset));
    if (!follow({access.index, address, {}}, {}, found) || found.empty()) found = {{access.index, address, {}}};
    std::ranges::move(found, std::back_inserter(to));
  }

 private:
  static Sum value_of_preset(const Preset& preset) {
    if (preset.source == Preset::kBits)
      return literal(preset.width == Width::k64 ? static_cast<int64_t>(preset.bits)
                                                : int64_t{static_cast<int32_t>(preset.bits)});
    if (preset.source == Preset::kSpecial && preset.bits <= static_cast<uint64_t>(Special::kNctaidZ))
      return only({.kind = Factor::kSpecial, .at = preset.bits});
    return unknown(preset.offset);
  }

  // A register that several instructions write is unknown here; follow() knows more.
  Sum sum_of(uint32_t reg) {
    if (reg == 0) return {};
    if (const auto found = known_.find(reg); found != known_.end()) return found->second;
    known_[reg] = unknown(reg);  // while its operands are looked at: it may be one of them
    const auto& writers = writers_[reg];
    if (writers.size() != 1 || depth_ == kDepth) return unknown(reg);
    ++depth_;
    const Sum sum = result(writers[0], reg);
    --depth_;
    return known_[reg] = is_short(sum) ? sum : unknown(reg);
  }

  Sum result(uint32_t pc, uint32_t reg) {
    const Instruction& in = program_.code[pc];
    if (in.kind == Kind::kMemory) return loaded(program_.accesses[in.index], reg);
    if (in.kind != Kind::kAlu) return unknown(reg);
    const std::string_view name = program_.names[pc], kind = operation(name);
    const bool converts = kind.starts_with("cvt.") && operation(kind.substr(0, kind.size() - 1)) == "cvt.";
    if (name.starts_with("cvta.") || converts || (kind == "mov." && !in.b)) return sum_of(in.a);
    if (kind == "add.") return plus(sum_of(in.a), sum_of(in.b));
    if (kind == "sub.") return plus(sum_of(in.a), sum_of(in.b), -1);
    if (kind == "mul.lo." || kind == "mul.wide.") return times(sum_of(in.a), sum_of(in.b));
    if (kind == "mad.lo." || kind == "mad.wide.") return plus(times(sum_of(in.a), sum_of(in.b)), sum_of(in.c));
    const Sum a = sum_of(in.a);
    const std::optional<int64_t> b = value_of(sum_of(in.b));
    if (kind == "shl." && b && *b >= 0 && *b < 63) return times(a, literal(int64_t{1} << *b));
    if (kind == "or." && b && has_other_bits(a, *b)) return plus(a, literal(*b));
    return unknown(reg);
  }

  static Sum loaded(const MemoryAccess& access, uint32_t reg) {
    if (access.space != Space::kConst || access.base != 0 || access.bytes < 4) return unknown(reg);
    const auto element = std::find(access.registers, access.registers + access.count, reg) - access.registers;
    return only({.kind = Factor::kConstant,
                 .bytes = access.bytes,
                 .is_signed = access.type == Type::kS32,
                 .at = static_cast<uint64_t>(access.offset + element * access.bytes)});
  }

  // Replaces the registers that several instructions write by what these instructions write. Writes that add to the
  // register are steps. `within`: the registers that are being replaced. False: there are too many alternatives.
  bool follow(const AccessPlace& place, const std::set<uint64_t>& within, std::vector<AccessPlace>& found) {
    const std::optional<Factor> several = written_by_several(place.address);
    if (!several || within.contains(several->at)) {
      found.push_back(place);
      return found.size() <= kAlternatives;
    }
    const auto parts = split(place.address, *several);
    if (!parts) return false;
    const auto& [rest, factor] = *parts;
    AccessPlace first{place.access, {}, place.steps};
    std::vector<Sum> starts;
    for (const uint32_t pc : writers_[static_cast<uint32_t>(several->at)]) {
      const Sum written = result(pc, static_cast<uint32_t>(several->at));
      const Sum step = plus(written, only(*several), -1);
      const auto beside = split(step, *several);
      const bool adds = beside && beside->second.empty() && written.contains({*several});
      if (adds)
        first.steps.push_back(times(step, factor));
      else
        starts.push_back(plus(rest, times(written, factor)));
    }
    std::set<uint64_t> now = within;
    now.insert(several->at);
    for (const Sum& start : starts) {
      if (!is_short(start)) return false;
      first.address = start;
      if (!follow(first, now, found)) return false;
    }
    return true;
  }

  std::optional<Factor> written_by_several(const Sum& sum) {
    for (const auto& [factors, literal] : sum)
      for (const Factor& factor : factors)
        if (factor.kind == Factor::kUnknown && writers_[static_cast<uint32_t>(factor.at)].size() > 1) return factor;
    return std::nullopt;
  }

  const Program& program_;
  std::map<uint32_t, std::vector<uint32_t>> writers_;  // by register: pcs
  std::map<uint32_t, Sum> known_;                      // by register
  int depth_ = 0;
};

bool may_be_shared_by_threads(const MemoryAccess& access) {
  return access.space == Space::kGlobal || access.space == Space::kGeneric ||
         (access.space == Space::kShared && access.op != MemoryOp::kLoad);
}

}  // namespace

void note_access_places(Program& program) {
  for (uint32_t f = 0; f < program.functions.size(); ++f) {
    const uint32_t begin = program.functions[f].entry, end = f + 1 < program.functions.size()
                                                                 ? program.functions[f + 1].entry
                                                                 : static_cast<uint32_t>(program.code.size());
    std::optional<RegisterSums> sums;
    for (uint32_t pc = begin; pc < end; ++pc) {
      if (program.code[pc].kind != Kind::kMemory) continue;
      const MemoryAccess& access = program.accesses[program.code[pc].index];
      if (!may_be_shared_by_threads(access)) continue;
      if (!sums) sums.emplace(program, program.functions[f], begin, end);
      sums->places(access, program.access_places);
    }
  }
}

}  // namespace lockstep
