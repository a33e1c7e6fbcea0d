// protocol: what judge and runner say to each other. Jobs and replies are JSON, one a line, over two pipes; the
// arrays travel through two shared files, so that nothing large is ever parsed. The expected answer never travels.
//
//   job    {"id","entry","n","block","in_bytes","out_bytes","on_host","guard","return_input","timed","profiled"}
//          {"quit":true}
//   reply  {"status":"ready","entries":[…],"device"}                     once, before the first job
//          {"id","status":"ok","value","device_ms","events_ms","host_ms","copy_gb_per_s"}   null: not measured
//          {"id","status":"cuda","code","name","text","call","file","line"}
//          {"id","status":"memory"|"fault","text"}                       fault: the runner's own trouble
//          {"id","status":"exception"|"opencl"|"kernels","text"}         opencl: a call failed; kernels: do not compile
//          where the code chose an OpenCL device, its name is in each of these as "opencl_device"
//
// timed: with the L2 cache cold, and the judge holds a clock of its own against the call. The runner says
// {"id","status":"set"}, the judge {"go":true}, and the runner, as soon as the call and all that it launched has ended,
// {"id","status":"called"}. The judge asks {"show":[…]} for words of the output by their bytes' places, which it draws
// only now, and its clock stops with {"id","status":"shown","value","words"}: to say "called" too early gains nothing.
// A thread of the function's own could begin before "set", once the input is there: docs/labs.md. All outputs are
// copied, and ok is said, after that. device_ms is how long the device was at work (activity.h), copy_gb_per_s what a
// copy on it reached just before.
//
// on_host: the arrays are host memory. profiled: from cudaProfilerStart() on LOCKSTEP_FAIL may count calls. So that
// they are the function's alone, the runner makes none after it: it says {"id","status":"ok"}, and ends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpladder {

// File descriptors that the judge leaves open for the runner.
inline constexpr int kJobsFd = 3, kRepliesFd = 4, kInputFd = 5, kResultFd = 6;

// A guard band and, behind the data, another hold this word: a NaN as a float, far from any count as an integer, so
// that reading it spoils a result and overwriting it is seen.
inline constexpr uint32_t kGuardWord = 0xFFFFA55Au;
inline constexpr unsigned char kPoisonByte = 0xFF;  // outputs before the call: NaN, or -1

// Byte i of any guard band.
inline unsigned char guard_byte(size_t i) { return static_cast<unsigned char>(kGuardWord >> (i % 4 * 8)); }

// The result file: both arrays as the call left them, each between its guard bands. Where the contract lets the
// call overwrite the input, only the input's guard bands are filled in.
struct ResultLayout {
  size_t in_bytes = 0, out_bytes = 0, guard = 0;

  size_t in_guarded() const { return 0; }
  size_t in_data() const { return guard; }
  size_t out_guarded() const { return in_bytes + 2 * guard; }
  size_t out_data() const { return out_guarded() + guard; }
  size_t total() const { return out_guarded() + out_bytes + 2 * guard; }
};

}  // namespace warpladder
