// answer: the runner's reply to a job, and the arrays that came back → the times, or a failure. Nothing but the bytes
// of the arrays is trusted; the times are only claims of the process.
#pragma once

#include "common/runner/protocol.h"
#include "grader/judge/base/bytes.h"
#include "grader/judge/base/failure.h"
#include "grader/judge/cases/cases.h"

namespace warpladder {

struct Timing {
  // The process claims these: how long the device was at work; the time by CUDA events; the speed of a copy on the card
  // just before.
  std::optional<double> device_ms, events_ms;
  double copy_gb_per_s = 0;
  double whole_ms = 0;  // the time of a timed call, by the judge's own clock
};

// A job as it was sent.
struct Job {
  const Case& one_case;
  const Lab& lab;
  ResultLayout layout;
  uint64_t id;
};

struct CameBack {
  std::string line;    // the reply
  std::string errors;  // the process's stderr
  View input, result;  // the input as the judge gave it; both arrays as they are now, between their guard bands
  View seen;           // the input as kernels saw it
};

// Bytes that passed between the program and lockstep's device during a call, in any way: by copies; in memory that both
// reach; as output and parameters of kernels.
struct Crossing {
  size_t to_host = 0, from_host = 0;
};

struct Answered {
  Timing timing;
  View output;
  std::optional<Crossing> crossing = {};  // counted on lockstep only, where the arrays are the device's
  std::string opencl_device;              // the device that the code chose, from the last reply that names one
};

std::optional<Failure> inspect(const Job& job, const CameBack& back, Answered& answered);

// For a timed call: words of the output that the judge asked for as soon as the call had ended. The clock stopped when
// `line` brought them.
struct Shown {
  std::vector<size_t> asked;  // bytes from the start of the output
  std::string line;
  double whole_ms = 0;  // of the call, until then
};

// The answer must be equal to the output at the moment when the judge's clock stopped. line: the reply.
std::optional<Failure> compare_shown(const Shown& shown, View output, const std::string& line);

// Whether the arrays of a case came back intact, apart from the answer: the guard bands around them, and the input
// where it is constant. Each function returns nothing, or a text that names the array and the element.
std::optional<Message> broken_guard(View result, const ResultLayout& layout, size_t in_element, size_t out_element);
std::optional<Message> changed_input(View before, View after, size_t element_bytes);

}  // namespace warpladder
