// call_place: where the program made a call of the runtime. In: the stack of this thread. Out: return addresses, cheap
// to keep with each allocation; and later, for a message, the source line: "reduce.cu:12 in reduce_sum". The line comes
// from the program's own debug information. Nothing is decided by it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::runtime {

// Return addresses, innermost first. This library's own are left out.
using CallStack = std::vector<uintptr_t>;
CallStack call_stack();

// The innermost source line that is the program's: not of the toolkit's headers or the C++ library's, and not of the
// code that nvcc adds for a launch. Without debug information it is the function that made the call; empty: not even
// this is known. One thread at a time.
std::string place_of(const CallStack& stack);

}  // namespace lockstep::runtime
