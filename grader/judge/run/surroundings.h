// surroundings: a SubmissionSpec (the program of a submission, its device, and the checks and limits under which it
// runs) → the program to start, behind its walls.
#pragma once

#include "grader/judge/lab/lab.h"
#include "grader/judge/sandbox/child.h"

namespace warpladder {

struct Device {
  bool is_lockstep = true;
  std::filesystem::path lockstep;                // folder of its libcudart and its device_server
  std::vector<std::filesystem::path> sees = {};  // the parts of the machine that a program needs beside /usr

  std::string name() const { return is_lockstep ? "lockstep" : "gpu"; }
  // lockstep itself reports an access one byte outside an allocation, and names the line: it needs no guard bands.
  size_t guard_bytes() const { return is_lockstep ? 0 : 4096; }
};

// The time that all runs of one submission may take together.
struct Allowance {
  double seconds = 0, used = 0;
  double left() const { return seconds > used ? seconds - used : 0; }
};

struct SubmissionSpec {
  std::filesystem::path binary;
  Device device;
  Lab lab;
  size_t largest_n = 0;                  // the largest n of all jobs to come
  std::string schedule;                  // lockstep's schedule; "": its own choice
  std::string card;                      // the name that lockstep gives itself; "": its own
  bool checked = false;                  // under every check of lockstep
  bool counted = false;                  // lockstep reports the counters of each launch
  int failing_call = 0;                  // lockstep lets this call of CUDA's fail, counted within the function; 0: none
  std::filesystem::path machine_code{};  // folder in which lockstep finds what ptxas made of the code; "": nowhere
  std::filesystem::path trace;           // lockstep writes it; "": none
  std::filesystem::path cache;           // PoCL keeps compiled kernels there; "": nowhere
  double cpu_seconds = 600;              // of each process; checked ones get four times as many
  Allowance* allowance = nullptr;        // of all processes of the submission; null: there is none
  bool throws_killed = false;  // after a SIGKILL throw Killed; else the process is taken to have used too much memory

  // Lockstep's device is a process; else it is a card, or PoCL in the program itself.
  bool has_device_process() const { return device.is_lockstep && !lab.is_opencl(); }
};

inline constexpr int kDeviceFd = 7;  // of the program: on it its runtime finds lockstep
// Bytes of host memory, and of device memory with its shadows on lockstep.
inline constexpr uint64_t kDataLimit = uint64_t{8} << 30;

// The program behind its walls. Its descriptors are still missing. folder: a temporary one, for its files.
ChildSpec program_of(const SubmissionSpec& spec, const std::filesystem::path& folder);

}  // namespace warpladder
