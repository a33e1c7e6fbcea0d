#include "sass/predicates.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <utility>

namespace lockstep {
namespace {

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

constexpr Relation kIsZero{Relation::kEqual, false, 0};

bool reads_predicate(const MachineInstruction& in) {
  return std::any_of(in.operands.begin() + static_cast<std::ptrdiff_t>(std::min(written_end(in), in.operands.size())),
                     in.operands.end(), [](std::string_view operand) { return !predicate_of(operand).empty(); });
}

// Whether the instruction does not just combine other predicates. A constant is the answer of an earlier branch.
bool is_answer(const MachineInstruction& in) {
  return (in.opcode() != "PLOP3" && in.opcode() != "UPLOP3") || !reads_predicate(in);
}

}  // namespace

MachinePredicates::MachinePredicates(const std::vector<MachineInstruction>& code, const Flow& flow)
    : code_(code), before_(code.size()) {
  for (const uint32_t root : flow.roots) before_[root].push_back(end());
  for (uint32_t from = 0; from < end(); ++from)
    for (const uint32_t to : flow.successors[from])
      if (to < end()) before_[to].push_back(from);
}

template <class Ask>
std::vector<uint32_t> MachinePredicates::last_writers(uint32_t at, const Ask& writes) const {
  std::vector<uint32_t> found, open = before_[at];
  std::vector<bool> seen(code_.size() + 1, false);
  while (!open.empty()) {
    const uint32_t by = open.back();
    open.pop_back();
    if (seen[by]) continue;
    seen[by] = true;
    const Writes answer = by == end() ? Writes::kYes : writes(code_[by]);
    if (answer != Writes::kNo) found.push_back(by);
    if (answer != Writes::kYes) open.insert(open.end(), before_[by].begin(), before_[by].end());
  }
  if (found.empty()) found.push_back(end());  // code that nothing leads to
  return found;
}

uint32_t MachinePredicates::writer(uint32_t at, std::string_view name) const {
  const std::vector<uint32_t> found = last_writers(at, [&](const MachineInstruction& in) {
    return !may_write(in, name) ? Writes::kNo : in.guard.empty() ? Writes::kYes : Writes::kMaybe;
  });
  return found.size() == 1 ? found[0] : end();
}

// "P2R R8, PR, RZ, 0x1" keeps P0, and "P2R R8, PR, R8, 0x2" P1 beside it. Gives the predicate that the instruction
// takes back from there: "ISETP.NE.AND P0, PT, R8, RZ, PT", "LOP3.LUT P0, RZ, R8, 0x2, RZ, 0xc0, !PT" or "R2P PR, R8,
// 0x3".
std::optional<MachinePredicates::At> MachinePredicates::taken_back(uint32_t at, std::string_view predicate) const {
  constexpr std::string_view kPredicates = "P0P1P2P3P4P5P6";
  const MachineInstruction& in = code_[at];
  const bool all = in.name.starts_with("ISETP.NE") && in.operands.size() == 5 && in.operands[3] == "RZ";
  const bool one_bit = in.name == "LOP3.LUT" && in.operands.size() == 7 && in.operands[5] == "0xc0";
  const bool several = in.name == "R2P" && in.operands.size() == 3;
  if (!in.guard.empty() || !(all || one_bit || several)) return std::nullopt;
  const uint32_t wanted = all ? ~0u : one_bit ? bits_of(in.operands[3]) : bit_of(predicate);
  std::string_view from = in.operands[several ? 1 : 2];
  for (uint32_t by = writer(at, from); by != end(); by = writer(by, from)) {
    const MachineInstruction& keeps = code_[by];
    if (keeps.name != "P2R" || keeps.operands.size() != 4 || keeps.operands[0] != from) break;
    const uint32_t here = wanted & bits_of(keeps.operands[3]);
    const bool alone = keeps.operands[2] == "RZ" || wanted == here;
    if (std::has_single_bit(here) && here < 0x80 && alone)
      return At{by, kPredicates.substr(2 * static_cast<size_t>(std::countr_zero(here)), 2)};
    if (here != 0) break;
    from = keeps.operands[2];
  }
  return std::nullopt;
}

// Whether "R2P PR, R67, 0x7e" or "R2P PR, R67.B1, 0x7f" asks if bits of a value from memory are zero, each bit for
// itself. Local memory may hold predicates.
bool MachinePredicates::asks_bits(uint32_t at) const {
  const MachineInstruction& in = code_[at];
  if (in.opcode() != "R2P" || in.operands.size() != 3 || !in.guard.empty()) return false;
  const std::string_view value = in.operands[1];
  const uint32_t from = writer(at, value.substr(0, value.find('.')));
  const std::string_view load = from == end() ? "" : code_[from].opcode();
  return load == "LDG" || load == "LDS" || load == "LDC" || load == "LD";
}

// ptxas may compare on each of several ways what PTX compares once, behind them, in other registers, too. Of such
// instructions, the last one.
std::vector<uint32_t> MachinePredicates::different(std::vector<uint32_t> instructions) const {
  std::ranges::sort(instructions, std::ranges::greater());
  std::vector<uint32_t> found;
  for (const uint32_t one : instructions) {
    const auto is_like_it = [&](uint32_t other) {
      if (one == end() || other == end() || code_[one].name != code_[other].name) return false;
      const Relation asked = asked_by(code_[one]);
      return code_[one].guard == code_[other].guard &&
             (code_[one].operands == code_[other].operands || (asked.bound && asked == asked_by(code_[other])));
    };
    if (std::ranges::none_of(found, is_like_it)) found.push_back(one);
  }
  return found;
}

// Whether the comparison asks if the lane is the first of those that the warp has here.
bool MachinePredicates::is_election(uint32_t at) const {
  if (!code_[at].name.starts_with("ISETP.EQ")) return false;
  bool lane = false, first = false;
  for (const std::string_view operand : code_[at].operands) {
    const uint32_t from = is_predicate(operand) ? end() : writer(at, operand);
    if (from == end()) continue;
    lane |= code_[from].operands.back() == "SR_LANEID";
    first |= code_[from].opcode() == "FLO" || code_[from].opcode() == "UFLO";
  }
  return lane && first;
}

template <class Visit>
void MachinePredicates::for_each_comparison(uint32_t at, std::string_view predicate, const Visit& visit) const {
  std::set<At> seen;
  std::vector<At> open{{at, predicate}};
  while (!open.empty()) {
    const At next = open.back();
    open.pop_back();
    if (next.name.empty() || !seen.insert(next).second) continue;
    const auto writes = [&](const MachineInstruction& in) {
      return !writes_predicate(in, next.name) ? Writes::kNo : in.guard.empty() ? Writes::kYes : Writes::kMaybe;
    };
    for (const uint32_t by : different(last_writers(next.at, writes))) {
      if (by == end()) {
        visit(end());
        continue;
      }
      const MachineInstruction& in = code_[by];
      if (const auto kept = taken_back(by, next.name)) {
        open.push_back(*kept);
        continue;
      }
      if (is_answer(in)) visit(in.opcode() == "R2P" && !asks_bits(by) ? end() : by);
      // What a VOTE asks is its own, as in the PTX.
      for (size_t i = written_end(in); i < in.operands.size() && !in.opcode().starts_with("VOTE"); ++i)
        open.push_back({by, predicate_of(in.operands[i])});
      open.push_back({by, predicate_of(in.guard)});
    }
  }
}

bool MachinePredicates::is_elected(uint32_t at) const {
  bool elected = false;
  for_each_comparison(at, predicate_of(code_[at].guard),
                      [&](uint32_t by) { elected |= by < end() && is_election(by); });
  return elected;
}

Asked MachinePredicates::asked(uint32_t at) const {
  Asked found;
  const auto add = [&](uint32_t by) {
    const bool known = by < end();
    if (known && is_election(by)) return;
    found.near.insert(known ? code_[by].line : kUnknownLine);
    const bool is_upper_half = known && has_part(code_[by].name, "EX");  // of a wide integer; the lower half counts
    if (known && !is_upper_half)
      found.comparisons.insert(
          {by, code_[by].line, asks_bits(by) ? kIsZero : asked_by(code_[by]), reads_predicate(code_[by])});
  };
  for_each_comparison(at, predicate_of(code_[at].guard), add);
  if (jumps(code_[at]))  // "@P0 BRA P1, …" depends on both
    for (const std::string_view operand : code_[at].operands) for_each_comparison(at, predicate_of(operand), add);
  return found;
}

}  // namespace lockstep
