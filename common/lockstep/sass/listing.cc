#include "sass/listing.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "sass/machine_instruction.h"
#include "sass/machine_uniform.h"
#include "sass/meetings.h"
#include "sass/predicates.h"

namespace lockstep {
namespace {

std::optional<MachineAccess> access_of(const MachineInstruction& in) {
  using Class = MachineAccess::Class;
  static const std::unordered_map<std::string_view, std::pair<Class, Space>> known = {
      {"LD", {Class::kLoad, Space::kGeneric}},       {"LDG", {Class::kLoad, Space::kGlobal}},
      {"LDS", {Class::kLoad, Space::kShared}},       {"LDL", {Class::kLoad, Space::kLocal}},
      {"LDGSTS", {Class::kLoad, Space::kGlobal}},    {"ST", {Class::kStore, Space::kGeneric}},
      {"STG", {Class::kStore, Space::kGlobal}},      {"STS", {Class::kStore, Space::kShared}},
      {"STL", {Class::kStore, Space::kLocal}},       {"ATOM", {Class::kAtomic, Space::kGeneric}},
      {"ATOMG", {Class::kAtomic, Space::kGlobal}},   {"ATOMS", {Class::kAtomic, Space::kShared}},
      {"RED", {Class::kReduction, Space::kGeneric}}, {"REDG", {Class::kReduction, Space::kGlobal}},
      {"LDSM", {Class::kLoad, Space::kShared}},      {"STSM", {Class::kStore, Space::kShared}}};
  MachineAccess access;
  access.line = in.line;
  if (in.opcode() == "CALL") {  // CALL.REL calls a function of the module
    access.kind = in.name.starts_with("CALL.ABS") ? Class::kCall : Class::kInnerCall;
    return access;
  }
  const auto found = known.find(in.opcode());
  if (found == known.end()) return std::nullopt;
  access.kind = found->second.first;
  access.space = found->second.second;
  for (const std::string_view operand : in.operands)
    if (operand.find('[') != operand.npos) access.address = operand;
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

// The text of one kernel's section.
class Section {
 public:
  void label(std::string_view name) { labels_[name] = static_cast<uint32_t>(code_.size()); }
  void add(const MachineInstruction& in) { code_.push_back(in); }

  MachineKernel read() const {
    MachineKernel kernel;
    Flow flow = successors();
    const MachinePredicates predicates(code_, flow);
    for (uint32_t i = 0; i < code_.size(); ++i) {
      flow.asks[i] = predicates.asked(i);
      if (!is_indexed(code_[i]) || flow.successors[i].size() < 2) continue;
      flow.asks[i].near.insert(code_[i].line);
      const std::set<uint32_t> sides(flow.successors[i].begin(), flow.successors[i].end());
      flow.asks[i].comparisons.insert(
          {i, code_[i].line, {Relation::kIndexed, false, static_cast<int64_t>(sides.size())}});
    }
    const FlowFacts facts(std::move(flow));
    const Meetings meetings(facts);
    const MachineUniform uniform(code_, facts);
    std::vector<bool> yields(code_.size() + 1, false), grouped(code_.size() + 1, false);
    const auto before = [&](uint32_t at) { return before_sync(facts, at); };
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (code_[i].opcode() == "YIELD") spread(i, yields, before);
      if (sync_of(code_[i]) == Sync::kGroup) spread(i, grouped, before);
    }
    const auto named = [&](const std::vector<uint32_t>& branches) {
      std::vector<PartingBranch> found;
      for (const uint32_t branch : branches)
        if (!uniform.branch(branch)) found.push_back({facts.flow().asks[branch].near, meetings.in_barrier(branch)});
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
      Conditions in_turn;
      for (const Asked& asked : facts.conditions(i)) {
        access->conditions.insert(asked.near.begin(), asked.near.end());
        access->comparisons.insert(asked.comparisons.begin(), asked.comparisons.end());
        if (asked.in_turn) in_turn.insert(asked.near.begin(), asked.near.end());
      }
      std::ranges::set_difference(access->conditions, in_turn, std::inserter(access->earlier, access->earlier.end()));
      access->elected = predicates.is_elected(i);
      access->again = std::ranges::any_of(alike, [&](uint32_t copy) { return is_made_before(facts, copy, i); });
      access->apart = {yields[i], grouped[i]};
      access->parting = named(meetings.parting(alike, false));
      access->parting_around = named(meetings.parting(alike, true));
      (access->kind == MachineAccess::kCall        ? kernel.calls
       : access->kind == MachineAccess::kInnerCall ? kernel.inner_calls
                                                   : kernel.accesses)
          .push_back(*access);
    }
    return kernel;
  }

 private:
  static bool is_indexed(const MachineInstruction& in) {
    return in.opcode().starts_with("BRX") || in.opcode().starts_with("JMX");
  }

  // Whether every way to `at` passes `before`, and lanes may make both: a guard does not exclude the other.
  bool is_made_before(const FlowFacts& facts, uint32_t before, uint32_t at) const {
    const std::string_view one = code_[before].guard, other = code_[at].guard;
    if (before == at || (one != other && !one.empty() && predicate_of(one) == predicate_of(other))) return false;
    uint32_t dominator = facts.dominator(at);
    while (dominator < code_.size() && dominator != before) dominator = facts.dominator(dominator);
    return dominator == before;
  }

  // "WARPSYNC.ALL" brings the lanes of a warp together. "WARPSYNC R0" does so with the lanes that the mask names; lanes
  // with another mask go on for themselves. At "WARPSYNC.COLLECTIVE" lanes only exchange values: behind ENDCOLLECTIVE
  // they are apart as before.
  enum class Sync : uint8_t { kNobody, kGroup, kAll };
  static Sync sync_of(const MachineInstruction& in) {
    if (in.opcode() != "WARPSYNC" || has_part(in.name, "COLLECTIVE")) return Sync::kNobody;
    const bool all = has_part(in.name, "ALL") || in.operands.empty() || in.operands[0] == "0xffffffff";
    return all && in.guard.empty() ? Sync::kAll : Sync::kGroup;
  }

  // The steps of an instruction that does not bring the lanes of a warp together, also into a function and back. BAR
  // does not: an H200 made each load behind it twice, for two tiles of 16 lanes.
  std::vector<uint32_t> before_sync(const FlowFacts& facts, uint32_t at) const {
    if (at >= code_.size() || sync_of(code_[at]) == Sync::kAll) return {};
    std::vector<uint32_t> steps = facts.flow().successors[at];
    for (const uint32_t function : called_functions(facts, at)) steps.push_back(function);
    if (code_[at].opcode() != "RET") return steps;
    uint32_t function = 0;
    for (const uint32_t root : facts.flow().roots)
      if (root <= at) function = std::max(function, root);
    for (uint32_t call = 0; call < code_.size(); ++call)
      if (std::ranges::count(called_functions(facts, call), function)) steps.push_back(call + 1);
    return steps;
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

  // Where the functions of the module begin that the instruction may call: "CALL.REL.NOINC `($kernel$function)". A call
  // through a register may be of any of them.
  std::vector<uint32_t> called_functions(const FlowFacts& facts, uint32_t at) const {
    if (!code_[at].name.starts_with("CALL.REL") || code_[at].operands.empty()) return {};
    std::string_view name = code_[at].operands.back();
    if (!name.starts_with("`(") || !name.ends_with(')')) return facts.flow().roots;
    name = name.substr(2, name.size() - 3);
    const auto label = labels_.find(name);
    return label == labels_.end() ? std::vector<uint32_t>() : std::vector{label->second};
  }

  Flow successors() const {
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
      flow.gathers[i] = sync_of(in) == Sync::kAll;
      if (jumps(in))
        for (const std::string_view operand : in.operands) add_targets(operand, next);
      if (leaves) next.push_back(end);
      const bool asks =
          !predicate_of(in.guard).empty() ||
          (jumps(in) && std::ranges::any_of(in.operands, [](auto o) { return !predicate_of(o).empty(); }));
      if (next.empty() || asks) next.push_back(i + 1);
    }
    for (const auto& [name, at] : labels_)
      if (!name.starts_with(".L_") && at > 0 && at < end) flow.roots.push_back(at);  // a function
    return flow;
  }

  std::vector<MachineInstruction> code_;
  std::unordered_map<std::string_view, uint32_t> labels_;
};

// What ptxas says about a kernel: "ptxas info    : Compiling entry function 'k' for 'sm_90'", and later "… : Used 8
// registers, 16 bytes smem, …".
struct Resources {
  uint32_t registers = 0, shared = 0;
};

// The number before `unit`, if there is one.
void read_amount(std::string_view row, std::string_view unit, uint32_t& amount) {
  const size_t end = row.find(unit);
  if (end == row.npos) return;
  const size_t begin = row.rfind(' ', end - 1) + 1;
  std::from_chars(row.data() + begin, row.data() + end, amount);
}

void read_info(std::string_view row, std::string& compiled, std::map<std::string, Resources, std::less<>>& resources) {
  constexpr std::string_view kEntry = "Compiling entry function '";
  if (const size_t at = row.find(kEntry); at != row.npos) {
    row.remove_prefix(at + kEntry.size());
    compiled = cut(row, '\'');
  } else if (row.find(": Used ") != row.npos) {
    read_amount(row, " registers", resources[compiled].registers);
    read_amount(row, " bytes smem", resources[compiled].shared);
  }
}

}  // namespace

std::map<std::string, MachineKernel, std::less<>> read_listing(std::string_view text) {
  constexpr std::string_view kText = ".text.", kPtxLine = "\", line ";
  std::map<std::string, Section> sections;
  std::map<std::string, Resources, std::less<>> resources;  // of each kernel
  std::string compiled;
  Section* section = nullptr;
  uint32_t line = 0;
  while (!text.empty()) {
    std::string_view row = trimmed(cut(text, '\n'));
    if (row.starts_with("ptxas info")) {
      read_info(row, compiled, resources);
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
  for (const auto& [name, one] : sections) {
    MachineKernel& kernel = kernels.emplace(name, one.read()).first->second;
    kernel.registers = resources[name].registers;
    kernel.static_shared = resources[name].shared;
  }
  return kernels;
}

}  // namespace lockstep
