// makers: which instructions of a Program write each of its registers.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "program/program.h"

namespace lockstep {

// A register of one function: the function's index, and the offset in its frame.
using Register = std::pair<uint32_t, uint32_t>;
using Places = std::map<Register, std::vector<uint32_t>>;

// The function of each instruction: the code of the functions lies in their order.
std::vector<uint32_t> functions_of(const Program& program);

// The instructions that write each register. A preset register has none.
Places makers_of(const Program& program);

// The registers that hold a constant. One may be the address of a variable in global memory.
std::map<Register, Preset> constants_of(const Program& program);
bool is_address(const Preset& constant);

}  // namespace lockstep
