// address_numbers: where a program uses an address as a number, as a hash does. The addresses of variables, of local
// memory and of functions differ from a card's. So does what is made of them, but for the low bits, which the alignment
// fixes. Followed: registers. Left out: addresses that come from parameters, memory or calls.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "program/program.h"

namespace lockstep {

// Instruction, register: those that read such a number where its uncertain bits count.
std::set<std::pair<uint32_t, uint32_t>> reads_of_address_numbers(const Program& program);

}  // namespace lockstep
