// cuda_names: an instruction → the CUDA function that a programmer writes for it. For messages only.
#pragma once

#include <string>

#include "program/program.h"

namespace lockstep {

// "__syncthreads()", "__shfl_down_sync()"; PTX's own name where CUDA has no function.
std::string cuda_name(const Program& program, uint32_t pc);
const char* cuda_name(AtomicOp op);  // "atomicAdd"

// The innermost loop around an instruction: the instructions [begin, end].
struct Loop {
  uint32_t begin = 0, end = kNowhere;
  bool exists() const { return end != kNowhere; }
};
Loop loop_around(const Program& program, uint32_t pc);

}  // namespace lockstep
