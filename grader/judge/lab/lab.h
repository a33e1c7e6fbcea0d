// lab: lab.json and build.json → plain structs. Every value of lab.json is checked. docs/labs.md describes the keys of
// lab.json.
#pragma once

#include <filesystem>

#include "grader/judge/contract/contract.h"

namespace warpladder {

// counter ÷ per `op` value. Nothing in it depends on a name or on the size of a grid, since learners choose these.
// each "": the counter's sum over all launches. each "launch": the launch that has most. per "": 1.
struct Rule {
  std::string name, counter, per, each, op, why;
  double value = 0;
  // The figures that lockstep measures. starter is empty where the starter is wrong, as it is then not measured.
  std::optional<double> starter = {}, reference = {};
};

// A speedup over the baseline that earns points.
struct Threshold {
  double speedup = 0;
  int points = 0;  // points of the score, which has 100
  std::string why;
};

struct Lab {
  struct Sizes {  // elements
    size_t real = 0, largest = 0;
  };
  struct Limits {  // seconds that a process works or sleeps; whole: all runs of a submission together
    double one_case = 10, real_case = 60, compile = 120, whole = 120;
  };

  std::string name;    // the name of its folder: 02_reduce_neighbored
  std::string number;  // 02
  std::string source;
  const Contract* contract = nullptr;
  std::vector<std::string> entries;
  std::string baseline, measured;
  Sizes sizes;
  std::vector<std::string> inputs;
  std::vector<std::string> measured_inputs;  // the rules look at the counters of these; the first is timed, too
  std::vector<std::string> graded_inputs;    // in a grade the rules look at the counters of these, too
  std::vector<int> blocks;                   // for entries that take one; the first is measured
  std::vector<size_t> offsets = {0};         // elements from an aligned address to an array; the first is measured
  std::vector<std::string> schedules;        // of lockstep, beside forward: the small cases run under these, too
  std::vector<Rule> rules;
  std::vector<Threshold> thresholds;  // by ascending speedup
  std::string speed_why;              // why there are no thresholds
  Limits limits;

  bool is_opencl() const { return source.ends_with(".cc"); }  // else it is a CUDA lab
  const EntryInfo& measured_entry() const { return *contract->find_entry(measured); }
  std::vector<std::string> inputs_of(const EntryInfo& entry) const;  // of the lab's inputs, those that the entry has
  bool is_timed_on_host() const;  // its function takes host memory, so that CUDA events would miss the copies
};

// lockstep knows these schedules: forward, reverse, random:N.
bool is_schedule(const std::string& name);

Lab load_lab(const std::filesystem::path& folder);

// How CMake built the lab, and the parts of the machine that its programs need.
struct Build {
  std::vector<std::string> compile, link;                          // they hold {source}, {object} and {binary}
  std::vector<std::filesystem::path> compiler_sees, program_sees;  // parts of the machine that they see beside /usr
  std::filesystem::path lockstep;                                  // folder of its libcudart
  std::filesystem::path baseline;  // binary of the rung that the speedup is over; empty: the serial CPU
};

Build load_build(const std::filesystem::path& file);

}  // namespace warpladder
