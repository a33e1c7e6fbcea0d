// golden: a .ptx file whose first comments say how to run it and which results it expects. The file goes in. The
// differences between the expected results and those of a device come out. It takes any Device, so that the same files
// test lockstep and a real card.
//
// Directives, each on a line that begins with "//! ":
//   buffer NAME TYPE = VALUES…        device memory, filled
//   launch KERNEL GRID BLOCK [shared=BYTES] [cooperative] : ARGS…
//                                     GRID and BLOCK are x or x,y or x,y,z. An argument is a buffer's name,
//                                     NAME+BYTES, TYPE:VALUE, or a structure of such: u8:1|f64:2.5
//   expect NAME TYPE [sorted | within R] = VALUES…
//                                     a buffer or a module's variable, from its start, after the last launch;
//                                     sorted: in any order; within R: relative error at most R
//   prints TEXT                       one line of the kernels' printed output, all lines in order
//   fails STATUS                      the status that load, launch or synchronise must return
//   says TEXT                         part of that answer's message
//   lockstep-only WHY                 not compared with a real card
//   arch N                            needs a card of this compute capability
// VALUES: 7 -7 0xff 1.5 nan inf, 3..9 (a range, either direction), 5*32 (repeated). A line "//!   …" continues
// the line before. TYPE: u8 s8 u16 s16 u32 s32 u64 s64 f32 f64.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "device/device.h"

namespace lockstep::golden {

struct Values {
  std::string type;
  std::vector<uint64_t> bits;  // one element each, as type's bits
};

struct Buffer {
  std::string name;
  Values values;
};

struct Argument {
  std::string buffer;  // empty: a plain value
  uint64_t offset = 0;
  std::vector<std::byte> bytes;
};

struct Launch {
  std::string kernel;
  Dim3 grid, block;
  uint64_t shared_bytes = 0;
  bool cooperative = false;
  std::vector<Argument> arguments;
};

struct Expectation {
  std::string name;
  Values values;
  bool sorted = false;
  double within = 0;
};

struct Golden {
  std::string text;
  std::vector<Buffer> buffers;
  std::vector<Launch> launches;
  std::vector<Expectation> expectations;
  std::string printed;
  Status fails = Status::kOk;
  std::vector<std::string> says;
  bool lockstep_only = false;
  int arch = 75;
};

// Throws std::runtime_error with the file's name and line if a directive is malformed.
Golden read_golden(const std::filesystem::path& path);

// Every .ptx file under the folder, sorted.
std::vector<std::filesystem::path> find_goldens(const std::filesystem::path& folder);

// Runs it and returns the differences, one sentence each; empty if all expectations hold. The kernels' output comes
// from the device, or from `printed` if the device cannot return it (a real card writes to stdout). Only lockstep has
// these texts of messages, so they are compared only if check_messages.
struct RunOptions {
  bool check_messages = true;
  bool check_output = true;
};
std::vector<std::string> run_golden(const Golden& golden, Device& device, const RunOptions& options = {});

}  // namespace lockstep::golden
