// call_place: where the program made a call of the runtime, or touched memory. In: the stack of this thread. Out: code
// addresses, cheap to keep; and later, for a message, the source line: "reduce.cu:12 in reduce_sum". The line comes
// from the program's own debug information (nvcc -Xcompiler -g1). Nothing is decided by it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/findings.h"

namespace lockstep::runtime {

// Addresses of the instructions that called, innermost first. This library's own are left out.
using CallStack = std::vector<uintptr_t>;
CallStack call_stack();

// The innermost source line that is the program's: not of the toolkit's headers or the C++ library's, and not of the
// code that nvcc adds for a launch. Without debug information it is the function that made the call; empty: not even
// this is known.
std::string place_of(const CallStack& stack);

// A number for this stack, the same for the same stack. 0: the stack is empty.
uint64_t call_number(const CallStack& stack);
// The source line of that stack. Line 0: it is not known.
Site call_line(uint64_t number);

}  // namespace lockstep::runtime
