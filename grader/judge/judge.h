// judge: one submission to one lab → a Result. First the cases, all in one process; then, if they pass, the case
// of real size in a process of its own, whose counters the rules read and whose time is taken.
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
  std::filesystem::path input;         // not empty: this file's bytes are the only case
};

Result judge(const JudgeOptions& options);

}  // namespace warpladder
