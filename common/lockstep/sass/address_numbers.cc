#include "sass/address_numbers.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "program/register_use.h"
#include "sass/makers.h"

namespace lockstep {
namespace {

// What begins at an address that a card chooses. A variable, a function or the block of parameters is known by where it
// begins here.
constexpr uint64_t kLocalMemory = 1, kSharedMemory = 2;
constexpr uint32_t kSharedWindowBits = 24;  // the window of a block's shared memory begins at a multiple of 16 MiB

// A value that is made of an address.
struct AddressPart {
  // An address: a certain number of bytes behind the beginning. kLower: its lower 32 bits. kNumber: something else.
  enum Form : uint8_t { kAddress, kLower, kNumber } form = kAddress;
  uint32_t certain = 64;  // so many low bits are those of the card
  std::set<uint64_t> beginnings{};
  bool operator==(const AddressPart&) const = default;
};
using Part = std::optional<AddressPart>;  // none: no address is in it, or none of its bits is uncertain

AddressPart join(const AddressPart& a, const AddressPart& b) {
  AddressPart both{std::max(a.form, b.form), std::min(a.certain, b.certain), a.beginnings};
  both.beginnings.insert(b.beginnings.begin(), b.beginnings.end());
  return both;
}
Part either(const Part& a, const Part& b) { return a && b ? join(*a, *b) : a ? a : b; }

Part number_of(Part value, uint32_t certain) {
  if (value) value->form = AddressPart::kNumber, value->certain = certain;
  return value;
}
// Arithmetic in which a low bit of the result depends on no higher bit of the operands.
Part mixed(const Part& a, const Part& b) {
  const Part both = either(a, b);
  return number_of(both, both ? both->certain : 0);
}

// Whether the distance of the two is the same on a card.
bool have_one_beginning(const AddressPart& a, const AddressPart& b) {
  return a.form == b.form && a.form != AddressPart::kNumber && a.beginnings.size() == 1 && a.beginnings == b.beginnings;
}

uint64_t ones(uint32_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

uint32_t bits_of_type(std::string_view type) {
  if (type.ends_with("64")) return 64;
  if (type.ends_with("32")) return 32;
  return type.ends_with("16") ? 16 : 8;
}

class AddressNumbers {
 public:
  explicit AddressNumbers(const Program& program)
      : program_(program), function_(functions_of(program)), constants_(constants_of(program)) {
    do find_values();
    while (leave_out_others());
  }

  std::set<std::pair<uint32_t, uint32_t>> reads() const {
    std::set<std::pair<uint32_t, uint32_t>> found;
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc)
      for_each_source(program_, program_.code[pc], [&](uint32_t offset) {
        if (value(pc, offset) && counts(pc, offset)) found.insert({pc, offset});
      });
    return found;
  }

 private:
  Part value(uint32_t pc, uint32_t offset) const {
    const auto found = values_.find({function_[pc], offset});
    return offset == 0 || found == values_.end() ? std::nullopt : Part(found->second);
  }
  std::optional<uint64_t> constant(uint32_t pc, uint32_t offset) const {
    const auto found = constants_.find({function_[pc], offset});
    if (offset == 0 || found == constants_.end()) return std::nullopt;
    return found->second.bits & ones(found->second.width == Width::k64 ? 64 : 32);
  }

  void find_values() {
    values_.clear();
    for (uint32_t f = 0; f < program_.functions.size(); ++f)
      for (const Preset& preset : program_.functions[f].presets)
        if (preset.alignment != 0)
          values_[{f, preset.offset}] = {AddressPart::kAddress,
                                         static_cast<uint32_t>(std::countr_zero(preset.alignment)),
                                         {preset.source == Preset::kLocalAddress ? kLocalMemory : preset.variable}};
    for (bool grows = true; grows;) {
      grows = false;
      for (uint32_t pc = 0; pc < program_.code.size(); ++pc) grows |= follow(pc);
    }
  }

  // A register that holds an address at one place may hold something else at another one. Such registers are not
  // followed. Whether there are any.
  bool leave_out_others() {
    const size_t before = left_out_.size();
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc)
      for_each_destination(program_, program_.code[pc], [&](uint32_t offset) {
        if (value(pc, offset) && !made_by(pc)) left_out_.insert({function_[pc], offset});
      });
    return left_out_.size() != before;
  }

  Part made_by(uint32_t pc) const {
    const Instruction& in = program_.code[pc];
    if (in.kind == Kind::kAllocate)
      return AddressPart{AddressPart::kAddress, static_cast<uint32_t>(std::countr_zero(in.alignment)), {kLocalMemory}};
    return in.kind == Kind::kAlu ? result(pc) : std::nullopt;
  }

  // Whether the register that the instruction writes got another value.
  bool follow(uint32_t pc) {
    const Instruction& in = program_.code[pc];
    const Part made = made_by(pc);
    const Register to{function_[pc], in.d};
    if (!made || left_out_.contains(to)) return false;
    const auto [now, is_new] = values_.try_emplace(to, *made);
    const AddressPart before = now->second;
    now->second = join(before, *made);
    return is_new || now->second != before;
  }

  static std::string_view operation(std::string_view name) { return name.substr(0, name.find('.')); }

  // What the instruction makes of addresses.
  Part result(uint32_t pc) const {
    const Instruction& in = program_.code[pc];
    const std::string_view name = program_.names[pc], op = operation(name);
    if (name.starts_with("cvta.shared")) return AddressPart{AddressPart::kAddress, kSharedWindowBits, {kSharedMemory}};
    if (name.starts_with("cvta.to.shared")) return std::nullopt;
    const Part a = value(pc, in.a), b = value(pc, in.b), c = value(pc, in.c);
    if (!a && !b && !c) return std::nullopt;
    if (op == "mov") return in.b || in.d2 ? std::nullopt : a;  // else halves are put together, or taken apart
    if (op == "cvta") return a;
    if (op == "selp") return either(a, b);
    if (op == "add") return sum(a, b);
    if (op == "sub") return difference(a, b);
    if (op == "mul") return product(name, a, b);
    if (op == "mad") return sum(product(name, a, b), c);
    if (op == "and" || op == "or" || op == "xor") return combined(pc, a, b);
    if (op == "cvt") return converted(name, a);
    if (op == "neg" || op == "not") return mixed(a, std::nullopt);
    return extracted(pc, a);
  }

  // Whether result() knows what becomes of an address there. The others use it as a number.
  static bool is_known(std::string_view name) {
    static const std::set<std::string_view> kOperations{"mov", "cvta", "selp", "add", "sub", "mul", "mad", "and",
                                                        "or",  "xor",  "neg",  "not", "shl", "shr", "bfe", "isspacep"};
    return kOperations.contains(operation(name)) || (operation(name) == "cvt" && name.find(".f") == name.npos);
  }

  static Part sum(const Part& a, const Part& b) { return a && b ? mixed(a, b) : either(a, b); }

  static Part difference(const Part& a, const Part& b) {
    if (a && b && have_one_beginning(*a, *b)) return std::nullopt;
    return b ? mixed(a, b) : a;
  }

  static Part product(std::string_view name, const Part& a, const Part& b) {
    return name.find(".hi.") == name.npos ? mixed(a, b) : number_of(either(a, b), 0);
  }

  // Logic. An `or` with something that has other bits adds it.
  Part combined(uint32_t pc, const Part& a, const Part& b) const {
    const Part both = either(a, b);
    const std::string_view op = operation(program_.names[pc]);
    const std::optional<uint64_t> mask = constant(pc, a ? program_.code[pc].b : program_.code[pc].a);
    const uint64_t low = ones(both->certain);
    if (a && b) return mixed(a, b);
    if (op == "and" && mask) {
      const uint64_t cleared = ~*mask & ones(both->form == AddressPart::kAddress ? 64 : 32);
      if (*mask <= low) return std::nullopt;
      return cleared <= low ? both : number_of(both, std::max<uint32_t>(both->certain, std::countr_zero(*mask)));
    }
    const bool adds = mask ? *mask <= low : op == "or";
    return adds ? both : mixed(a, b);
  }

  // "cvt.u32.u64"
  static Part converted(std::string_view name, Part a) {
    if (!a || name.find(".f") != name.npos) return std::nullopt;
    const size_t last = name.rfind('.'), first = name.rfind('.', last - 1);
    const uint32_t bits = bits_of_type(name.substr(first + 1, last - first - 1));
    if (bits <= a->certain) return std::nullopt;
    if (bits < 64 && a->form == AddressPart::kAddress) a->form = AddressPart::kLower;
    if (bits < 32) a->form = AddressPart::kNumber;
    return a;
  }

  // Some bits of a value.
  Part extracted(uint32_t pc, const Part& a) const {
    const Instruction& in = program_.code[pc];
    const std::string_view op = operation(program_.names[pc]);
    const bool is_right = op == "shr" || op == "bfe";
    if (!a || (op != "shl" && !is_right)) return std::nullopt;
    const auto by = static_cast<uint32_t>(std::min<uint64_t>(constant(pc, in.b).value_or(is_right ? 64 : 0), 64));
    const uint32_t certain = is_right ? a->certain - std::min(a->certain, by) : std::min(a->certain + by, 64u);
    if (op == "bfe" && constant(pc, in.c) && *constant(pc, in.c) <= certain) return std::nullopt;
    return number_of(a, certain);
  }

  // Whether uncertain bits of this register count in the instruction.
  bool counts(uint32_t pc, uint32_t offset) const {
    const Instruction& in = program_.code[pc];
    const bool is_address = value(pc, offset)->form == AddressPart::kAddress;
    if (in.kind != Kind::kAlu) return !is_address;
    const std::string_view name = program_.names[pc];
    if (operation(name) == "setp" || operation(name) == "set") return compares_numbers(pc);
    if (!is_known(name)) return true;
    const Part made = result(pc);
    return made && made->form != AddressPart::kAddress && left_out_.contains({function_[pc], in.d});
  }

  // An address is never null, and two variables have two addresses.
  bool compares_numbers(uint32_t pc) const {
    const Instruction& in = program_.code[pc];
    const Part a = value(pc, in.a), b = value(pc, in.b), both = either(a, b);
    if (!both || (a && b && have_one_beginning(*a, *b))) return false;
    const std::string_view name = program_.names[pc];
    const bool asks_equality = name.find(".eq.") != name.npos || name.find(".ne.") != name.npos;
    return both->form != AddressPart::kAddress || (a && b && !asks_equality);
  }

  const Program& program_;
  const std::vector<uint32_t> function_;
  const std::map<Register, Preset> constants_;
  std::map<Register, AddressPart> values_;
  std::set<Register> left_out_;
};

}  // namespace

std::set<std::pair<uint32_t, uint32_t>> reads_of_address_numbers(const Program& program) {
  return AddressNumbers(program).reads();
}

}  // namespace lockstep
