// lab: lab.json and build.json → plain structs, every value checked. docs/labs.md describes the keys.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/judge/contract.h"

namespace warpladder {

// Something is wrong on our side of the line, or with the command: the message says what to do. Never the
// learner's loss.
class JudgeFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// counter ÷ per `op` value, summed over the launches whose kernel's name contains `kernel`.
struct Rule {
  std::string name, counter, per, kernel, op, why;
  double value = 0;
  // What lockstep measures for the starter (empty: it is wrong, and measured no further) and for the reference.
  std::optional<double> starter = {}, reference = {};
};

// A speedup over the baseline that earns points.
struct Threshold {
  double speedup = 0;
  int points = 0;  // of the score's 100
  std::string why;
};

struct Lab {
  std::string name;    // of its folder: 02_reduce_neighbored
  std::string number;  // 02
  std::string title, source;
  const Contract* contract = nullptr;
  std::vector<std::string> entries;
  std::string baseline, measured;
  size_t real_size = 0, largest_size = 0;
  std::vector<std::string> inputs;
  std::vector<std::string> measured_inputs;  // those whose counters the rules look at; the first is timed, too
  std::vector<int> blocks;                   // for entries that take one; the first is measured
  std::vector<Rule> rules;
  std::vector<Threshold> thresholds;  // by ascending speedup
  std::string speed_why;              // why there is none
  double case_seconds = 10, real_seconds = 60, compile_seconds = 120;

  bool is_opencl() const { return source.ends_with(".cc"); }  // else it is CUDA's
};

Lab load_lab(const std::filesystem::path& folder);

// How CMake built the lab: the command lines hold {source}, {object} and {binary}.
struct Build {
  std::vector<std::string> compile, link;
  std::vector<std::filesystem::path> compiler_sees, program_sees;  // beside /usr
  std::filesystem::path lockstep;                                  // folder of its libcudart.so.13
  std::filesystem::path baseline;  // binary of the rung that the speedup is over; empty: the serial CPU
};

Build load_build(const std::filesystem::path& file);

}  // namespace warpladder
