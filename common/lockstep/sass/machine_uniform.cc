#include "sass/machine_uniform.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace lockstep {
namespace {

constexpr uint32_t kNobody = 0xffffffffu;  // a function begins: whoever called it has written the register

// What follows from the operands alone.
bool is_arithmetic(const MachineInstruction& in) {
  constexpr std::array kNames = {"IADD3", "IMAD", "VIADD", "VIADDMNMX", "VIMNMX", "IMNMX", "IABS", "LOP3",
                                 "SHF",   "LEA",  "MOV",   "SEL",       "ISETP",  "PLOP3", "FADD", "FMUL",
                                 "FFMA",  "MUFU", "I2F",   "I2FP",      "F2I",    "FSETP", "LDC"};
  const std::string_view opcode = in.opcode();
  if (opcode == "S2R") return in.operands.size() == 2 && in.operands[1].starts_with("SR_CTAID");
  const auto has = [&](std::string_view part) { return in.name.find(part) != in.name.npos; };
  const bool is_wide = opcode != "LDC" && (has("WIDE") || has("64") || has("IMAD.HI"));  // an operand is two registers
  return std::ranges::find(kNames, opcode) != kNames.end() && !is_wide;
}

// visit(name) for each register and predicate of a lane in "c[0x0][R4+0x214]", "-|R3|" or "!P0".
template <class Visit>
void for_each_name(std::string_view operand, const Visit& visit) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = 0; at < operand.size();) {
    size_t end = at;
    while (end < operand.size() && is_word(operand[end])) ++end;
    const std::string_view word = operand.substr(at, end - at);
    const bool has_number = word.size() > 1 && std::isdigit(static_cast<unsigned char>(word[1])) != 0;
    if (has_number && (word[0] == 'R' || word[0] == 'P')) visit(word);
    at = std::max(end, at + 1);
  }
}

}  // namespace

bool MachineUniform::branch(uint32_t at) const {
  const auto [known, is_new] = known_.try_emplace(at, false);
  if (is_new) known->second = is_decided_by_parameters(at);
  return known->second;
}

bool MachineUniform::is_decided_by_parameters(uint32_t at) const {
  std::set<Value> seen;
  std::vector<Value> open{{at, {}}};
  while (!open.empty()) {
    const Value value = open.back();
    open.pop_back();
    if (seen.insert(value).second && !add_sources(value, open)) return false;
  }
  return true;
}

// Adds all that decides about the value. False: something else may decide, too.
bool MachineUniform::add_sources(const Value& value, std::vector<Value>& found) const {
  if (value.name.empty()) {
    const MachineInstruction& in = code_[value.at];
    if (in.opcode().starts_with("BRX") || in.opcode().starts_with("JMX")) return false;
    for_each_name(in.guard, [&](std::string_view name) { found.push_back({value.at, name}); });
    for (const std::string_view operand : in.operands)
      if (is_predicate(operand))
        for_each_name(operand, [&](std::string_view name) { found.push_back({value.at, name}); });
    return true;
  }
  const std::vector<uint32_t> writers = last_writers(value);
  for (const uint32_t by : writers)
    if (by == kNobody || !add_operands(by, found)) return false;
  add_branches(value, writers, found);
  return true;
}

// Adds what the instruction reads. False: it does not follow from that.
bool MachineUniform::add_operands(uint32_t at, std::vector<Value>& found) const {
  const MachineInstruction& in = code_[at];
  if (!is_arithmetic(in)) return false;
  const auto add = [&](std::string_view name) { found.push_back({at, name}); };
  for_each_name(in.guard, add);
  const size_t written = written_end(in);
  for (size_t i = 1; i < in.operands.size(); ++i)
    if (i >= written || !is_predicate(in.operands[i])) for_each_name(in.operands[i], add);
  return true;
}

// The instructions that may be the last to write the value.
std::vector<uint32_t> MachineUniform::last_writers(const Value& value) const {
  const bool of_predicate = value.name[0] == 'P';
  std::vector<uint32_t> found;
  std::vector<bool> seen(code_.size(), false);
  std::vector<uint32_t> open{value.at};
  const auto& roots = facts_.flow().roots;
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    if (std::ranges::count(roots, at) > 0) found.push_back(kNobody);
    for (const uint32_t by : facts_.predecessors(at)) {
      if (seen[by]) continue;
      seen[by] = true;
      const MachineInstruction& in = code_[by];
      const bool calls = in.opcode().starts_with("CALL");  // it writes we do not know what
      const bool writes = calls || (of_predicate ? writes_predicate(in, value.name) : may_write(in, value.name));
      if (writes) found.push_back(by);
      if (!writes || !in.guard.empty()) open.push_back(by);
    }
  }
  if (found.empty()) found.push_back(kNobody);
  return found;
}

// The last instruction that comes before the use and each writer, or is the writer, whatever way was taken.
uint32_t MachineUniform::common_dominator(const Value& value, const std::vector<uint32_t>& writers) const {
  const auto above = [&](uint32_t at, uint32_t by) {
    while (at < code_.size() && at != by) at = facts_.dominator(at);
    return at == by;
  };
  uint32_t found = writers[0];
  const auto is_common = [&](uint32_t by) {
    return above(facts_.dominator(value.at), by) &&
           std::ranges::all_of(writers, [&](uint32_t w) { return above(w, by); });
  };
  while (found < code_.size() && !is_common(found)) found = facts_.dominator(found);
  return found;
}

// Adds the branches behind the common dominator that decide which writer is the last, or how often it writes.
void MachineUniform::add_branches(const Value& value, const std::vector<uint32_t>& writers,
                                  std::vector<Value>& found) const {
  const Flow& flow = facts_.flow();
  const uint32_t begin = common_dominator(value, writers);
  const auto next = [&](uint32_t at) { return at < flow.end() ? flow.successors[at] : std::vector<uint32_t>(); };
  std::vector<bool> before(flow.end() + 1, false);
  spread(value.at, before,
         [&](uint32_t at) { return at == begin ? std::vector<uint32_t>() : facts_.predecessors(at); });
  for (uint32_t branch = 0; branch < flow.end(); ++branch) {
    if (!before[branch] || flow.successors[branch].size() < 2) continue;
    std::vector<bool> reached(flow.end() + 1, false);
    for (const uint32_t side : flow.successors[branch])
      spread(side, reached, [&](uint32_t at) {
        return at == facts_.together(branch) || at == begin ? std::vector<uint32_t>() : next(at);
      });
    if (std::ranges::any_of(writers, [&](uint32_t by) { return reached[by]; })) found.push_back({branch, {}});
  }
}

}  // namespace lockstep
