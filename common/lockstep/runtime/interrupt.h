// interrupt: a signal that ends the program (SIGTERM, SIGINT) → the present launch ends, the report is written with
// what was found until then, and the signal takes its usual effect.
#pragma once

namespace lockstep::runtime {

struct Runtime;

// From now on. A program that installs handlers of its own, or ignores the signals, keeps them: then nothing happens
// here.
void watch_signals(Runtime& runtime);

// After the signal: writes the report and ends the process. Before it: returns. The caller holds the runtime's mutex.
void end_if_interrupted(Runtime& runtime);

}  // namespace lockstep::runtime
