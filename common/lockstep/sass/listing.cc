#include "sass/listing.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

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

bool has_part(std::string_view name, std::string_view wanted) {
  while (!name.empty())
    if (cut(name, '.') == wanted) return true;
  return false;
}

struct MachineInstruction {
  bool predicated = false;
  std::string_view name, operands;  // "LDS.128"; "R8, [R16]"
  uint32_t line = 0;
};

// "@!P0 LDS.128 R8, [R16] ;"
MachineInstruction read_instruction(std::string_view text, uint32_t line) {
  MachineInstruction in;
  in.line = line;
  if (text.starts_with('{')) text = trimmed(text.substr(1));  // two instructions that are issued together
  if (text.starts_with('@')) {
    in.predicated = cut(text, ' ') != "@PT";
    text = trimmed(text);
  }
  in.name = cut(text, ' ');
  if (in.name.ends_with(';')) in.name.remove_suffix(1);
  in.operands = text;
  return in;
}

std::optional<MachineAccess> access_of(const MachineInstruction& in) {
  using Class = MachineAccess::Class;
  static const std::unordered_map<std::string_view, std::pair<Class, Space>> known = {
      {"LD", {Class::kLoad, Space::kGeneric}},     {"LDG", {Class::kLoad, Space::kGlobal}},
      {"LDS", {Class::kLoad, Space::kShared}},     {"LDL", {Class::kLoad, Space::kLocal}},
      {"ST", {Class::kStore, Space::kGeneric}},    {"STG", {Class::kStore, Space::kGlobal}},
      {"STS", {Class::kStore, Space::kShared}},    {"STL", {Class::kStore, Space::kLocal}},
      {"ATOM", {Class::kAtomic, Space::kGeneric}}, {"ATOMG", {Class::kAtomic, Space::kGlobal}},
      {"ATOMS", {Class::kAtomic, Space::kShared}}, {"RED", {Class::kReduction, Space::kGeneric}},
      {"REDG", {Class::kReduction, Space::kGlobal}}};
  const auto found = known.find(in.name.substr(0, in.name.find('.')));
  if (found == known.end()) return std::nullopt;
  MachineAccess access{.kind = found->second.first, .space = found->second.second, .line = in.line};
  if (has_part(in.name, "128")) access.bytes = 16;
  if (has_part(in.name, "64")) access.bytes = 8;
  if (has_part(in.name, "U16") || has_part(in.name, "S16")) access.bytes = 2;
  if (has_part(in.name, "U8") || has_part(in.name, "S8")) access.bytes = 1;
  access.counts = has_part(in.name, "POPC");
  access.place.conditional = in.predicated;
  return access;
}

// The text of one kernel's section.
class Section {
 public:
  void label(std::string_view name) { labels_[name] = static_cast<uint32_t>(code_.size()); }
  void add(const MachineInstruction& in) { code_.push_back(in); }

  MachineKernel read() const {
    MachineKernel kernel;
    const std::vector<Place> where = places(flow());
    for (uint32_t i = 0; i < code_.size(); ++i) {
      const MachineInstruction& in = code_[i];
      if (in.name.starts_with("FLO") || in.name.starts_with("UFLO")) kernel.electing.insert(in.line);
      std::optional<MachineAccess> access = access_of(in);
      if (!access) continue;
      const bool predicated = access->place.conditional;
      access->place = where[i];
      access->place.conditional |= predicated;
      kernel.accesses.push_back(*access);
    }
    return kernel;
  }

 private:
  // The places that the operands name: "`(.L_x_5)", and in the comment behind an indexed branch ".L_x_5,.L_x_6".
  std::vector<uint32_t> targets(std::string_view operands) const {
    std::vector<uint32_t> found;
    for (size_t at = 0; (at = operands.find(".L_", at)) != operands.npos;) {
      const size_t stop = std::min(operands.find_first_of("),;\"* \t", at), operands.size());
      if (const auto label = labels_.find(operands.substr(at, stop - at)); label != labels_.end())
        found.push_back(label->second);
      at = stop;
    }
    return found;
  }

  Flow flow() const {
    Flow flow;
    const auto end = static_cast<uint32_t>(code_.size());
    flow.successors.resize(end);
    if (end > 0) flow.roots.push_back(0);
    for (uint32_t i = 0; i < end; ++i) {
      const MachineInstruction& in = code_[i];
      const std::string_view opcode = in.name.substr(0, in.name.find('.'));
      std::vector<uint32_t>& next = flow.successors[i];
      const bool jumps = opcode == "BRA" || opcode == "BRX" || opcode == "JMP" || opcode == "BRXU" || opcode == "JMX";
      const bool leaves = opcode == "EXIT" || opcode == "RET" || opcode == "KILL";
      if (jumps) next = targets(in.operands);
      if (leaves) next.push_back(end);
      if (opcode == "CALL")
        for (const uint32_t target : targets(in.operands)) flow.roots.push_back(target);
      // BRA.DIV branches if lanes have diverged; a register of the operands decides.
      if (!(jumps || leaves) || in.predicated || in.name.starts_with("BRA.DIV") || in.name.starts_with("BRA.CONV"))
        next.push_back(i + 1);
      if (jumps && next.empty()) next.push_back(i + 1);
    }
    for (const auto& [name, at] : labels_)
      if (!name.starts_with(".L_") && at > 0 && at < end) flow.roots.push_back(at);  // a function
    return flow;
  }

  std::vector<MachineInstruction> code_;
  std::unordered_map<std::string_view, uint32_t> labels_;
};

}  // namespace

std::map<std::string, MachineKernel, std::less<>> read_listing(std::string_view text) {
  constexpr std::string_view kText = ".text.", kPtxLine = "\", line ";
  std::map<std::string, Section> sections;
  Section* section = nullptr;
  uint32_t line = 0;
  while (!text.empty()) {
    std::string_view row = trimmed(cut(text, '\n'));
    if (row.starts_with(".section")) {
      std::string_view name = trimmed(row.substr(row.find_first_of(" \t")));
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
  for (const auto& [name, one] : sections) kernels.emplace(name, one.read());
  return kernels;
}

}  // namespace lockstep
