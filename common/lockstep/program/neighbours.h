// neighbours: the accesses that ptxas may join. It makes one wider load, of up to 16 bytes, from loads that lie side by
// side, and the same of stores. PTX does not say where it does, so such accesses are counted in all these widths, and
// the report takes the count of the width that the machine code has. In global memory ptxas joins only stores and loads
// beside a vector, which shows how the pointer is aligned. The joined access lies in the sector of each of its parts,
// so it counts as they do.
#pragma once

#include <vector>

#include "program/program.h"

namespace lockstep {

inline constexpr uint32_t kWidestAccess = 16;  // bytes of a lane

// Numbers the loads and stores of shared and local memory, from 1, that have another within 16 bytes of the same base
// register: in MemoryAccess::neighbour; their number is Program::neighbours.
void note_neighbours(Program& program);

// The accesses, as indices into Program::accesses, that ptxas could join with this one; itself among them; by offset.
std::vector<uint32_t> neighbours_of(const Program& program, const MemoryAccess& access);

}  // namespace lockstep
