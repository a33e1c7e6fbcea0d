#include "sass/machine_instruction.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <system_error>

namespace lockstep {
namespace {

// The first register that the instruction writes, or names first; the first operand of a SETP is a predicate.
std::string_view written_register(const MachineInstruction& in) {
  if (in.operands.empty() || in.opcode().find("SETP") != std::string_view::npos) return {};
  return in.operands[is_predicate(in.operands[0]) && in.operands.size() > 1 ? 1 : 0];
}

// How many registers in a row it writes, or more.
int registers_written(const MachineInstruction& in) {
  const auto has = [&](std::string_view part) { return in.name.find(part) != in.name.npos; };
  const std::string_view opcode = in.opcode();
  if (opcode.ends_with("GMMA")) return 128;  // of a group of four warps
  if (opcode.ends_with("MMA") || has("256")) return 8;
  const bool fetches = opcode.starts_with("TEX") || opcode.starts_with("TLD") || opcode.starts_with("TX");
  if (has("128") || opcode == "LDSM" || fetches || opcode == "SULD") return 4;
  if (opcode == "CS2R") return has("32") ? 1 : 2;
  if (opcode == "SHF" || opcode == "MUFU") return 1;            // "SHF.L.U64.HI", "MUFU.RCP64H": one half
  if (opcode == "F2F" || opcode == "F2I" || opcode == "I2F") {  // "F2F.F32.F64": the result's type comes first
    const size_t result = in.name.find_first_of("0123456789", opcode.size());
    return result != in.name.npos && in.name.substr(result).starts_with("64") ? 2 : 1;
  }
  return has("64") || has("WIDE") || in.name[0] == 'D' ? 2 : 1;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

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

bool jumps(const MachineInstruction& in) {
  const std::string_view opcode = in.opcode();
  return (opcode == "BRA" && !in.name.starts_with("BRA.DIV") && !in.name.starts_with("BRA.CONV")) || opcode == "BRX" ||
         opcode == "JMP" || opcode == "BRXU" || opcode == "JMX";
}

std::string_view predicate_of(std::string_view operand) {
  if (operand.starts_with('!')) operand.remove_prefix(1);
  const std::string_view number = operand.substr(operand.starts_with('U') ? 1 : 0);
  return number.size() == 2 && number[0] == 'P' && number[1] >= '0' && number[1] <= '9' ? operand : "";
}

bool is_predicate(std::string_view operand) { return !predicate_of(operand).empty() || operand.ends_with("PT"); }

// An instruction names its results first: the predicates behind its second other operand are sources. PLOP3 has no such
// operand; its first two are results. The last operand of a VOTE is its source.
size_t written_end(const MachineInstruction& in) {
  if (in.opcode() == "PLOP3" || in.opcode() == "UPLOP3") return 2;
  if (in.opcode().starts_with("VOTE") && !in.operands.empty()) return in.operands.size() - 1;
  size_t others = 0, index = 0;
  while (index < in.operands.size() && others < 2) others += !is_predicate(in.operands[index++]);
  return index;
}

bool writes_predicate(const MachineInstruction& in, std::string_view predicate) {
  if (in.opcode() == "R2P" && !in.operands.empty()) return (bits_of(in.operands.back()) & bit_of(predicate)) != 0;
  const size_t end = std::min(written_end(in), in.operands.size());
  return std::find(in.operands.begin(), in.operands.begin() + static_cast<std::ptrdiff_t>(end), predicate) !=
         in.operands.begin() + static_cast<std::ptrdiff_t>(end);
}

bool may_write(const MachineInstruction& in, std::string_view name) {
  const auto number = [](std::string_view of) {
    int value = 0;
    if (!of.starts_with('R')) return -1;
    const auto read = std::from_chars(of.data() + 1, of.data() + of.size(), value);
    return read.ec == std::errc() && read.ptr == of.data() + of.size() ? value : -1;
  };
  const std::string_view first = written_register(in);
  if (first.empty() || first == name) return !first.empty();
  if (number(first) < 0 || number(name) < 0) return false;
  const int behind = number(name) - number(first);
  return behind > 0 && behind < registers_written(in);
}

uint32_t bits_of(std::string_view operand) {
  if (!operand.starts_with("0x")) return ~0u;
  return static_cast<uint32_t>(std::strtoul(std::string(operand).c_str(), nullptr, 16));
}

uint32_t bit_of(std::string_view predicate) { return predicate.starts_with('P') ? 1u << (predicate.back() - '0') : 0; }

}  // namespace lockstep
