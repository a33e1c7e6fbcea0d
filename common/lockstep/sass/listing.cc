#include "sass/listing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <unordered_map>
#include <utility>

#include "sass/meetings.h"

namespace lockstep {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// The text before the mark; `text` keeps the text behind it.
std::string_view cut(std::string_view& text, char mark) {
  const size_t at = text.find(mark);
  const std::string_view head = text.substr(0, at);
  text = at == text.npos ? std::string_view{} : text.substr(at + 1);
  return head;
}

constexpr std::string_view kPredicates = "P0P1P2P3P4P5P6";

bool has_part(std::string_view name, std::string_view wanted) {
  while (!name.empty())
    if (cut(name, '.') == wanted) return true;
  return false;
}

struct MachineInstruction {
  std::string_view guard, name;            // "!P0", or empty; "LDS.128"
  std::vector<std::string_view> operands;  // "R8", "[R16]"
  uint32_t line = 0;
  std::string_view opcode() const { return name.substr(0, name.find('.')); }
};

// "@!P0 LDS.128 R8, [R16] ;"
MachineInstruction read_instruction(std::string_view text, uint32_t line) {
  MachineInstruction in;
  in.line = line;
  if (text.starts_with('{')) text = trimmed(text.substr(1));  // two instructions that are issued together
  if (text.starts_with('@')) {
    in.guard = cut(text, ' ').substr(1);
    text = trimmed(text);
  }
  text = text.substr(0, text.find(" ;"));
  in.name = cut(text, ' ');
  if (in.name.ends_with(';')) in.name.remove_suffix(1);
  while (!text.empty()) {
    std::string_view operand = trimmed(cut(text, ','));
    if (operand.ends_with(".reuse")) operand.remove_suffix(6);  // of the register's value by the next instruction
    in.operands.push_back(operand);
  }
  return in;
}

// "!P0" → "P0"; empty if it is not a predicate, or always true.
std::string_view predicate_of(std::string_view operand) {
  if (operand.starts_with('!')) operand.remove_prefix(1);
  const std::string_view number = operand.substr(operand.starts_with('U') ? 1 : 0);
  return number.size() == 2 && number[0] == 'P' && number[1] >= '0' && number[1] <= '9' ? operand : "";
}

bool is_predicate(std::string_view operand) { return !predicate_of(operand).empty() || operand.ends_with("PT"); }

// The operands before this index are written, if they are predicates. An instruction names its results first: the
// predicates behind its second other operand are sources. PLOP3 has no such operand; its first two are results. The
// last operand of a VOTE is its source.
size_t written_end(const MachineInstruction& in) {
  if (in.opcode() == "PLOP3" || in.opcode() == "UPLOP3") return 2;
  if (in.opcode().starts_with("VOTE") && !in.operands.empty()) return in.operands.size() - 1;
  size_t others = 0, index = 0;
  while (index < in.operands.size() && others < 2) others += !is_predicate(in.operands[index++]);
  return index;
}

// The bits of "0x7f"; of anything else all, so that nothing is left out.
uint32_t bits_of(std::string_view operand) {
  if (!operand.starts_with("0x")) return ~0u;
  return static_cast<uint32_t>(std::strtoul(std::string(operand).c_str(), nullptr, 16));
}

// Where P2R puts "P3" in a register, and R2P takes it from.
uint32_t bit_of(std::string_view predicate) { return predicate.starts_with('P') ? 1u << (predicate.back() - '0') : 0; }

bool writes_predicate(const MachineInstruction& in, std::string_view predicate) {
  if (in.opcode() == "R2P") return (bits_of(in.operands.back()) & bit_of(predicate)) != 0;
  const size_t end = std::min(written_end(in), in.operands.size());
  return std::find(in.operands.begin(), in.operands.begin() + static_cast<std::ptrdiff_t>(end), predicate) !=
         in.operands.begin() + static_cast<std::ptrdiff_t>(end);
}

// The first register that the instruction writes, or names first; the first operand of a SETP is a predicate.
std::string_view written_register(const MachineInstruction& in) {
  if (in.operands.empty() || in.opcode().find("SETP") != in.name.npos) return {};
  return in.operands[is_predicate(in.operands[0]) && in.operands.size() > 1 ? 1 : 0];
}

// Whether the instruction writes the register, perhaps as a part of a wider one.
bool may_write(const MachineInstruction& in, std::string_view name) {
  const auto number = [](std::string_view of) {
    int value = 0;
    const auto read = std::from_chars(of.data() + 1, of.data() + of.size(), value);
    return of.starts_with('R') && read.ptr == of.data() + of.size() ? value : -1;
  };
  const std::string_view first = written_register(in);
  if (first.empty() || number(first) < 0) return false;
  const int behind = number(name) - number(first);
  const bool is_wide =
      in.name.starts_with('D') || std::ranges::any_of(std::array{"64", "128", "WIDE", "MMA"},
                                                      [&](auto part) { return in.name.find(part) != in.name.npos; });
  return behind == 0 || (behind > 0 && behind < 8 && is_wide);
}

std::optional<MachineAccess> access_of(const MachineInstruction& in) {
  using Class = MachineAccess::Class;
  static const std::unordered_map<std::string_view, std::pair<Class, Space>> known = {
      {"LD", {Class::kLoad, Space::kGeneric}},       {"LDG", {Class::kLoad, Space::kGlobal}},
      {"LDS", {Class::kLoad, Space::kShared}},       {"LDL", {Class::kLoad, Space::kLocal}},
      {"ST", {Class::kStore, Space::kGeneric}},      {"STG", {Class::kStore, Space::kGlobal}},
      {"STS", {Class::kStore, Space::kShared}},      {"STL", {Class::kStore, Space::kLocal}},
      {"ATOM", {Class::kAtomic, Space::kGeneric}},   {"ATOMG", {Class::kAtomic, Space::kGlobal}},
      {"ATOMS", {Class::kAtomic, Space::kShared}},   {"RED", {Class::kReduction, Space::kGeneric}},
      {"REDG", {Class::kReduction, Space::kGlobal}}, {"LDSM", {Class::kLoad, Space::kShared}},
      {"STSM", {Class::kStore, Space::kShared}}};
  const auto found = known.find(in.opcode());
  if (found == known.end()) return std::nullopt;
  MachineAccess access;
  access.kind = found->second.first;
  access.space = found->second.second;
  access.line = in.line;
  if (has_part(in.name, "128")) access.bytes = 16;
  if (has_part(in.name, "64")) access.bytes = 8;
  if (has_part(in.name, "U16") || has_part(in.name, "S16")) access.bytes = 2;
  if (has_part(in.name, "U8") || has_part(in.name, "S8")) access.bytes = 1;
  access.counts = has_part(in.name, "POPC");
  if (in.opcode() == "LDSM" || in.opcode() == "STSM") {  // "LDSM.16.MT88.4"
    access.bytes = 16;
    access.matrices = has_part(in.name, "4") ? 4 : has_part(in.name, "2") ? 2 : 1;
  }
  return access;
}

// "0x10", "-0x4", "RZ", "200", "+INF"; "|R3|" and "c[0x0][0x210]" are not constants.
std::optional<int64_t> constant(std::string_view operand, bool is_float) {
  if (operand == "RZ" || operand == "URZ") return 0;
  const bool has_sign = operand.starts_with('-') || operand.starts_with('+');
  const std::string_view digits = operand.substr(has_sign ? 1 : 0);
  if (digits.empty() || !((digits[0] >= '0' && digits[0] <= '9') || digits.starts_with("INF"))) return std::nullopt;
  if (is_float) return float_bits(std::strtod(std::string(operand).c_str(), nullptr));
  return static_cast<int32_t>(std::strtoll(std::string(operand).c_str(), nullptr, 0));
}

// What "ISETP.GE.U32.AND P0, PT, R5, 0x10, PT" asks.
Relation asked_by(const MachineInstruction& in) {
  const std::string_view opcode = in.opcode();
  const bool floats = opcode == "FSETP" || opcode == "DSETP" || opcode == "HSETP2" || opcode == "UFSETP";
  if (!(floats || opcode == "ISETP" || opcode == "UISETP") || in.operands.size() < 4) return {};
  std::string_view name = in.name.substr(opcode.size() + 1);
  return relation_of(cut(name, '.'), floats, constant(in.operands[2], floats), constant(in.operands[3], floats));
}

// The text of one kernel's section.
class Section {
 public:
  void label(std::string_view name) { labels_[name] = static_cast<uint32_t>(code_.size()); }
  void add(const MachineInstruction& in) { code_.push_back(in); }

  MachineKernel read() const {
    MachineKernel kernel;
    const FlowFacts facts(flow());
    const Meetings meetings(facts);
    const auto named = [&](const std::vector<uint32_t>& branches) {
      std::vector<PartingBranch> found;
      for (const uint32_t branch : branches)
        if (!is_uniform(code_[branch])) found.push_back({facts.flow().asks[branch].near, meetings.in_barrier(branch)});
      return found;
    };
    std::map<std::pair<uint32_t, MachineAccess::Class>, std::vector<uint32_t>> copies;  // by line and kind
    for (uint32_t i = 0; i < code_.size(); ++i)
      if (const auto access = access_of(code_[i])) copies[{access->line, access->kind}].push_back(i);
    for (uint32_t i = 0; i < code_.size(); ++i) {
      std::optional<MachineAccess> access = access_of(code_[i]);
      if (!access) continue;
      const std::vector<uint32_t>& alike = copies.at({access->line, access->kind});
      access->loops = facts.places()[i].loops;
      access->shared_loops = static_cast<uint32_t>(std::ranges::count_if(facts.loops(i), [&](uint32_t loop) {
        return std::ranges::all_of(alike,
                                   [&](uint32_t copy) { return std::ranges::count(facts.loops(copy), loop) > 0; });
      }));
      for (const Asked& asked : facts.conditions(i)) {
        access->conditions.insert(asked.near.begin(), asked.near.end());
        access->comparisons.insert(asked.comparisons.begin(), asked.comparisons.end());
      }
      access->elected = is_elected(i, code_[i].guard);
      access->parting = named(meetings.parting(alike, false));
      access->parting_around = named(meetings.parting(alike, true));
      kernel.accesses.push_back(*access);
    }
    return kernel;
  }

 private:
  // The last instruction before `at`, in the order of the text, that writes the register; none: code_.size().
  uint32_t writer(uint32_t at, std::string_view name) const {
    while (at-- > 0)
      if (written_register(code_[at]) == name) return at;
    return static_cast<uint32_t>(code_.size());
  }

  // A predicate that P2R has put into a register, and where.
  struct Kept {
    uint32_t at;
    std::string_view name;
  };

  // "P2R R8, PR, RZ, 0x1" keeps P0, and "P2R R8, PR, R8, 0x2" P1 beside it. This is the predicate that the instruction
  // takes back from there: "ISETP.NE.AND P0, PT, R8, RZ, PT", "LOP3.LUT P0, RZ, R8, 0x2, RZ, 0xc0, !PT" or
  // "R2P PR, R8, 0x3".
  std::optional<Kept> taken_back(uint32_t at, std::string_view predicate) const {
    const MachineInstruction& in = code_[at];
    const bool all = in.name.starts_with("ISETP.NE") && in.operands.size() == 5 && in.operands[3] == "RZ";
    const bool one_bit = in.name == "LOP3.LUT" && in.operands.size() == 7 && in.operands[5] == "0xc0";
    if (!in.guard.empty() || !(all || one_bit || in.name == "R2P")) return std::nullopt;
    uint32_t wanted = all ? ~0u : one_bit ? bits_of(in.operands[3]) : bit_of(predicate);
    std::string_view from = in.operands[in.name == "R2P" ? 1 : 2];
    for (uint32_t by = at; by-- > 0 && from != "RZ";) {
      const MachineInstruction& other = code_[by];
      if (!may_write(other, from)) continue;
      if (other.name != "P2R" || other.operands.size() != 4 || !other.guard.empty()) return std::nullopt;
      const uint32_t here = wanted & bits_of(other.operands[3]);
      const bool alone = other.operands[2] == "RZ" || wanted == here;
      if (std::has_single_bit(here) && alone) return Kept{by, kPredicates.substr(2 * std::countr_zero(here), 2)};
      if (here != 0) return std::nullopt;
      from = other.operands[2];
    }
    return std::nullopt;
  }

  // Whether the comparison asks if the lane is the first of those that the warp has here.
  bool is_election(uint32_t at) const {
    if (!code_[at].name.starts_with("ISETP.EQ")) return false;
    bool lane = false, first = false;
    for (const std::string_view operand : code_[at].operands) {
      const uint32_t from = is_predicate(operand) ? static_cast<uint32_t>(code_.size()) : writer(at, operand);
      if (from == code_.size()) continue;
      lane |= code_[from].operands.back() == "SR_LANEID";
      first |= code_[from].opcode() == "FLO" || code_[from].opcode() == "UFLO";
    }
    return lane && first;
  }

  // Whether the instruction does not just combine other predicates. A constant is the answer of an earlier branch.
  static bool is_answer(const MachineInstruction& in) {
    if (in.opcode() != "PLOP3" && in.opcode() != "UPLOP3") return true;
    return std::none_of(
        in.operands.begin() + static_cast<std::ptrdiff_t>(std::min(written_end(in), in.operands.size())),
        in.operands.end(), [](std::string_view operand) { return !predicate_of(operand).empty(); });
  }

  // visit(instruction) for each comparison on which the predicate depends before `at`; the end: not found.
  template <class Visit>
  void for_each_comparison(uint32_t at, std::string_view predicate, uint32_t depth, const Visit& visit) const {
    constexpr uint32_t kDeepest = 8;  // each level may ask for several predicates; a deeper one counts as not found
    if (predicate.empty()) return;
    const auto end = static_cast<uint32_t>(code_.size());
    if (depth == kDeepest) return visit(end);
    while (at-- > 0) {
      const MachineInstruction& in = code_[at];
      if (!writes_predicate(in, predicate)) continue;
      if (const auto kept = taken_back(at, predicate))
        return for_each_comparison(kept->at, kept->name, depth, visit);
      if (is_answer(in)) visit(in.opcode() == "R2P" ? end : at);
      // What a VOTE asks is its own, as in the PTX.
      for (size_t i = written_end(in); i < in.operands.size() && !in.opcode().starts_with("VOTE"); ++i)
        for_each_comparison(at, predicate_of(in.operands[i]), depth + 1, visit);
      const std::string_view guard = predicate_of(in.guard);
      if (guard.empty()) return;
      for_each_comparison(at, guard, depth + 1, visit);  // it may keep an older value
    }
    visit(end);
  }

  bool is_elected(uint32_t at, std::string_view guard) const {
    bool elected = false;
    for_each_comparison(at, predicate_of(guard), 0,
                        [&](uint32_t by) { elected |= by < code_.size() && is_election(by); });
    return elected;
  }

  Asked asked(uint32_t at) const {
    Asked found;
    const auto add = [&](uint32_t by) {
      const bool known = by < code_.size();
      if (known && is_election(by)) return;
      found.near.insert(known ? code_[by].line : kUnknownLine);
      const bool is_upper_half = known && has_part(code_[by].name, "EX");  // of a wide integer; the lower half counts
      if (known && !is_upper_half) found.comparisons.insert({by, code_[by].line, asked_by(code_[by])});
    };
    for_each_comparison(at, predicate_of(code_[at].guard), 0, add);
    if (jumps(code_[at]))  // "@P0 BRA P1, …" depends on both
      for (const std::string_view operand : code_[at].operands) for_each_comparison(at, predicate_of(operand), 0, add);
    return found;
  }

  // All lanes of the warp go the same way: the condition is one of the warp's own registers.
  static bool is_uniform(const MachineInstruction& in) {
    const auto of_lanes = [](std::string_view operand) {
      const std::string_view predicate = predicate_of(operand);
      return !predicate.empty() && !predicate.starts_with('U');
    };
    return !of_lanes(in.guard) && !in.opcode().starts_with("BRX") && std::ranges::none_of(in.operands, of_lanes);
  }

  // BRA.DIV leaves the way for lanes that have diverged, and comes back.
  static bool jumps(const MachineInstruction& in) {
    const std::string_view opcode = in.opcode();
    return (opcode == "BRA" && !in.name.starts_with("BRA.DIV") && !in.name.starts_with("BRA.CONV")) ||
           opcode == "BRX" || opcode == "JMP" || opcode == "BRXU" || opcode == "JMX";
  }

  // The number of "B2".
  static uint8_t barrier_of(const MachineInstruction& in) {
    const std::string_view name = in.operands.empty() ? "" : in.operands[0];
    return name.size() == 2 && name[0] == 'B' ? static_cast<uint8_t>(name[1] - '0') : Flow::kNoBarrier;
  }

  // The places that an operand names: "`(.L_x_5)", and in the comment behind an indexed branch ".L_x_5,.L_x_6".
  void add_targets(std::string_view operands, std::vector<uint32_t>& found) const {
    for (size_t at = 0; (at = operands.find(".L_", at)) != operands.npos;) {
      const size_t stop = std::min(operands.find_first_of("),;\"* \t", at), operands.size());
      if (const auto label = labels_.find(operands.substr(at, stop - at)); label != labels_.end())
        found.push_back(label->second);
      at = stop;
    }
  }

  Flow flow() const {
    const auto end = static_cast<uint32_t>(code_.size());
    Flow flow(end);
    if (end > 0) flow.roots.push_back(0);
    for (uint32_t i = 0; i < end; ++i) {
      const MachineInstruction& in = code_[i];
      const std::string_view opcode = in.opcode();
      std::vector<uint32_t>& next = flow.successors[i];
      const bool leaves = opcode == "EXIT" || opcode == "RET" || opcode == "KILL";
      if (opcode == "BSSY") flow.opens[i] = barrier_of(in);
      if (opcode == "BSYNC") flow.closes[i] = barrier_of(in);
      if (jumps(in))
        for (const std::string_view operand : in.operands) add_targets(operand, next);
      const bool indexed = next.size() > 1;
      if (leaves) next.push_back(end);
      const bool asks =
          !predicate_of(in.guard).empty() ||
          (jumps(in) && std::ranges::any_of(in.operands, [](auto o) { return !predicate_of(o).empty(); }));
      if (next.empty() || asks) next.push_back(i + 1);
      flow.asks[i] = asked(i);
      if (indexed) flow.asks[i].near.insert(in.line);
      if (indexed) flow.asks[i].comparisons.insert({i, in.line});
    }
    for (const auto& [name, at] : labels_)
      if (!name.starts_with(".L_") && at > 0 && at < end) flow.roots.push_back(at);  // a function
    return flow;
  }

  std::vector<MachineInstruction> code_;
  std::unordered_map<std::string_view, uint32_t> labels_;
};

// "ptxas info    : Compiling entry function 'k' for 'sm_90'", and later "… : Used 8 registers, 16 bytes smem, …".
void read_info(std::string_view row, std::string& compiled, std::map<std::string, uint32_t, std::less<>>& shared) {
  constexpr std::string_view kEntry = "Compiling entry function '", kShared = " bytes smem";
  if (const size_t at = row.find(kEntry); at != row.npos) {
    row.remove_prefix(at + kEntry.size());
    compiled = cut(row, '\'');
  } else if (const size_t end = row.find(kShared); end != row.npos) {
    const size_t begin = row.rfind(' ', end - 1) + 1;
    std::from_chars(row.data() + begin, row.data() + end, shared[compiled]);
  }
}

}  // namespace

std::map<std::string, MachineKernel, std::less<>> read_listing(std::string_view text) {
  constexpr std::string_view kText = ".text.", kPtxLine = "\", line ";
  std::map<std::string, Section> sections;
  std::map<std::string, uint32_t, std::less<>> shared;  // bytes of each kernel
  std::string compiled;
  Section* section = nullptr;
  uint32_t line = 0;
  while (!text.empty()) {
    std::string_view row = trimmed(cut(text, '\n'));
    if (row.starts_with("ptxas info")) {
      read_info(row, compiled, shared);
    } else if (constexpr std::string_view kSection = ".section\t"; row.starts_with(kSection)) {  // not .sectionflags
      std::string_view name = trimmed(row.substr(kSection.size()));
      name = cut(name, ',');
      section = name.starts_with(kText) ? &sections[std::string(name.substr(kText.size()))] : nullptr;
    } else if (row.starts_with("//## File")) {
      const size_t at = row.find(kPtxLine);
      if (at != row.npos) std::from_chars(row.data() + at + kPtxLine.size(), row.data() + row.size(), line);
    } else if (section && row.starts_with("/*")) {
      const size_t at = row.find("*/");
      if (at != row.npos) section->add(read_instruction(trimmed(row.substr(at + 2)), line));
    } else if (section && row.ends_with(':')) {
      section->label(row.substr(0, row.size() - 1));
    }
  }
  std::map<std::string, MachineKernel, std::less<>> kernels;
  for (const auto& [name, one] : sections) kernels.emplace(name, one.read()).first->second.static_shared = shared[name];
  return kernels;
}

}  // namespace lockstep
