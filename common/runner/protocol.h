// protocol: the messages between judge and runner. Jobs and replies are JSON, one a line, over two pipes; the
// arrays travel through two shared files, so that nothing large is ever parsed. The expected answer never travels.
//
//   job    {"id","entry","n","block","in_bytes","out_bytes","in_offset","out_offset","on_host","guard","return_input",
//          "timed","profiled","answers","sealed"}
//          {"quit":true}
//   reply  {"status":"ready","entries":[…],"device"}                     once, before the first job
//          {"id","status":"ok","value","device_ms","events_ms","host_ms","copy_gb_per_s"}   null: not measured
//          {"id","status":"cuda","code","name","text","call","file","line"}
//          {"id","status":"memory","about":"bad_alloc"|"null_pointer"}   of the host
//          {"id","status":"fault","about":"entry"|"device","text"}       the runner has no such entry, or no device
//          {"id","status":"no_driver"|"no_gpu_driver","text"}          of OpenCL
//          {"id","status":"exception"|"opencl"|"kernels","text"}         opencl: a call failed; kernels: do not compile
//          if the code chose an OpenCL device, each of these has its name as "opencl_device"
//
// timed: the L2 cache is cold, and the judge also times the call by its own clock. The runner sends
// {"id","status":"set"}; the judge answers {"go":true}. As soon as the call and all its kernels have ended, the runner
// sends {"id","status":"called"}. The judge draws byte offsets in the output only now, and asks for their words with
// {"show":[…]}. Its clock stops at {"id","status":"shown","value","words"}: to send "called" too early gains nothing.
// A thread of the function could begin before "set", once the input is there: docs/labs.md. After that the runner
// copies all outputs and sends ok. device_ms is how long the device was at work (activity.h), copy_gb_per_s the speed
// of a copy on it just before.
//
// in_offset, out_offset: bytes from an aligned address to the start of the array. on_host: the arrays are host memory.
// profiled: LOCKSTEP_FAIL counts calls from cudaProfilerStart() on. Only the function's calls may count, so the runner
// makes none after the function: it sends {"id","status":"ok","value"}, and ends. With `answers` the call that fails is
// known to be one of the function's, and the runner answers as without `profiled`.
//
// sealed: the arrays do not travel through the runner. The device is a process of the judge's (lockstep), and takes the
// input from a file that only the two share, the vault. It puts the arrays there when the runner says that the call has
// ended. So the process with the learner's code never holds the input, but for what it fetches from the device, which
// counts that.
//
// If the arrays are host memory, but the work is the kernels', the vault holds two inputs: the runner's, and another
// that kernels see in its place (lockstep's device/other_input.h). The answer must be right for that one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpladder {

// File descriptors that the judge leaves open for the runner.
inline constexpr int kJobsFd = 3, kRepliesFd = 4, kInputFd = 5, kResultFd = 6;

// The guard bands before and behind the data hold this word: a NaN as a float, far from any count as an integer. So
// reading it spoils a result, and overwriting it is seen.
inline constexpr uint32_t kGuardWord = 0xFFFFA55Au;
inline constexpr unsigned char kPoisonByte = 0xFF;  // outputs before the call: NaN, or -1

// Byte i of any guard band.
inline unsigned char guard_byte(size_t i) { return static_cast<unsigned char>(kGuardWord >> (i % 4 * 8)); }

// The result file: both arrays as the call left them, each between its guard bands. Where the contract lets the
// call overwrite the input, the file has only the input's guard bands.
struct ResultLayout {
  size_t in_bytes = 0, out_bytes = 0, guard = 0;

  size_t in_guarded() const { return 0; }
  size_t in_data() const { return guard; }
  size_t out_guarded() const { return in_bytes + 2 * guard; }
  size_t out_data() const { return out_guarded() + guard; }
  size_t total() const { return out_guarded() + out_bytes + 2 * guard; }
};

// The vault begins with this. The input follows at kVaultArrays, and then a ResultLayout without guard bands, or the
// other input. lockstep has the same layout in device/vault.cc.
struct VaultHeader {
  uint64_t version, job, in_bytes, out_bytes, returns_input, has_other;  // the judge writes these, `job` last
  uint64_t handed_over;         // the device writes these: the last job whose arrays are here
  uint64_t busy;                // a request is being carried out, and the next numbers may grow
  uint64_t to_host, from_host;  // bytes that have passed between the program and the device so far
};
inline constexpr uint64_t kVaultVersion = 1;
inline constexpr size_t kVaultArrays = 4096;

}  // namespace warpladder
