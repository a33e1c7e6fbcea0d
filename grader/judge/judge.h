// judge: one submission to one lab → a Result. On lockstep first the small cases, under all its checks; then the larger
// ones; then, if all pass, the case of real size, whose counters the rules read. On a GPU all cases, then the clock.
// Each of these steps has a process of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/judge/lab.h"
#include "grader/judge/submission.h"
#include "grader/judge/verdict.h"

namespace warpladder {

struct JudgeOptions {
  std::filesystem::path lab, build;
  std::filesystem::path file;    // source to compile, or
  std::filesystem::path binary;  // what is compiled already
  bool on_gpu = false;
  uint64_t seed = 0;
  std::string only_case;               // "": all
  std::vector<std::string> schedules;  // not empty: a few cases under each, nothing else
  std::filesystem::path input;         // not empty: this file's bytes are the only case's, of the entry in only_case
  int block = 0;                       // beside input, for an entry that takes one; 0: the lab's first
  std::filesystem::path trace;         // lockstep only; not empty: what its LOCKSTEP_TRACE writes, of one case
  std::filesystem::path report;        // lockstep only; not empty: its report of the measured case, and nothing else
  bool check_all = false;              // lockstep's checks for every case, the real size too, and nothing else
  enum class Figures { kNone, kStarter, kReference };
  enum class Part { kAll, kCorrect, kSpeed };
  Part only = Part::kAll;         // of a verdict: nothing that a clock says; or nothing else
  std::filesystem::path hidden;   // not empty: the instructor's secret, which more cases come from
  Figures hold = Figures::kNone;  // the rules must measure what lab.json notes for this file
};

Result judge(const JudgeOptions& options);

}  // namespace warpladder
