// machine_instruction: one row of nvdisasm's listing, and which predicates and registers it writes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lockstep {

struct MachineInstruction {
  std::string_view guard, name;            // "!P0", or empty; "LDS.128"
  std::vector<std::string_view> operands;  // "R8", "[R16]"
  uint32_t line = 0;
  std::string_view opcode() const { return name.substr(0, name.find('.')); }
};

std::string_view trimmed(std::string_view text);
// The text before the mark; `text` keeps the text behind it.
std::string_view cut(std::string_view& text, char mark);
// Whether `wanted` stands between the dots of a name.
bool has_part(std::string_view name, std::string_view wanted);

// "@!P0 LDS.128 R8, [R16] ;"
MachineInstruction read_instruction(std::string_view text, uint32_t line);

// Whether the instruction may go on elsewhere. BRA.DIV leaves the way for lanes that have diverged, and comes back.
bool jumps(const MachineInstruction& in);

// "!P0" → "P0"; empty if it is not a predicate, or always true.
std::string_view predicate_of(std::string_view operand);
bool is_predicate(std::string_view operand);
// The operands before this index are written, if they are predicates.
size_t written_end(const MachineInstruction& in);
bool writes_predicate(const MachineInstruction& in, std::string_view predicate);
// Whether the instruction writes the register, perhaps as one of several in a row.
bool may_write(const MachineInstruction& in, std::string_view name);

// The bits of "0x7f"; of anything else all, so that nothing is left out.
uint32_t bits_of(std::string_view operand);
// Where P2R puts "P3" in a register, and R2P takes it from.
uint32_t bit_of(std::string_view predicate);

}  // namespace lockstep
