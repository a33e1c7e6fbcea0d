// refusals: what lockstep cannot do for the program. With LOCKSTEP_REFUSED=CODE in the environment, a program that was
// refused something, and ends with 0 all the same, ends with CODE: it may not look at the errors of its calls.
#pragma once

namespace lockstep::runtime {

void note_refusal();

}  // namespace lockstep::runtime
