// verdict: what the judge found, as plain values. text turns it into words for a person, json into a file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/judge/lab.h"
#include "grader/judge/speed.h"

namespace warpladder {

enum class Verdict {
  kAccepted,
  kWrongAnswer,
  kRuleBroken,
  kTooSlow,
  kInconclusive,
  kCompileError,
  kRuntimeError,
  kTime,
  kMemory,
  kOutputLimit,
  kCheating,
  kJudgeFault,
};

std::string_view name_of(Verdict verdict);  // "wrong answer"

// Why a submission does not pass.
struct Failure {
  // What of it must stay with the instructor: it would tell a hidden case's size or input.
  struct Secret {
    std::string case_name, check;
    std::vector<std::string> steps;
    std::string printed;
  };

  Verdict verdict;
  std::string check;               // a name of docs/labs.md: case.reduce_sum.33.ones
  std::vector<std::string> steps;  // what was done, what was seen
  std::string next_step;
  std::string printed;  // by the compiler or the learner's code
  std::optional<Secret> instructor = {};
};

struct CaseResult {
  std::string name, input;
  size_t n = 0;
  bool passed = false;
  // Of a hidden case: what a student reads in place of all else, hidden.3; "": it is a public one.
  std::string alias = "";
  uint64_t seed = 0;  // of its input
  int block = 0;      // 0: its entry takes none

  bool is_hidden() const { return !alias.empty(); }
};

struct RuleResult {
  Rule rule;
  std::optional<double> measured;  // empty: not measured on this device
  bool holds = true;
  std::string input = "";  // where several are measured: the worst for this rule
};

struct Measurement {
  std::string name, input;  // of the case
  size_t n = 0;
  std::map<std::string, double> counters;  // of all launches
};

// How the submission was locked in: recorded, since what a machine allows differs.
struct SandboxUsed {
  std::string compile, run;  // what was used, best first: "bubblewrap, seccomp, limits"; compile is "" for a binary
  bool is_weaker = false;    // than on a machine that allows everything
  std::string device;        // "separate process", "in process" or "card"
};

// Points of the score's parts; they add up to 100.
struct Worth {
  int correct = 0, rules = 0, speed = 0;
};

struct Result {
  std::string lab, file, device;
  std::string opencl_device;  // that the code chose; "": it uses none
  uint64_t seed = 0;
  std::optional<Failure> failure;            // the first; empty: accepted
  std::string failed_case, failed_schedule;  // where it arose; "": elsewhere
  std::vector<CaseResult> cases;
  size_t planned_cases = 0, planned_hidden = 0;  // hidden ones are among the planned
  bool is_whole = false;                         // all that a grade takes was asked for: else there is no score
  Worth worth;
  std::vector<RuleResult> rules;
  std::vector<Measurement> measurements;
  Speed speed;
  SandboxUsed sandbox;
  std::string baseline;
  std::optional<std::vector<uint64_t>> histogram;  // of a file of the learner's
  std::string input_file;
  size_t input_bytes = 0;
  std::string printed;  // by a single case that passed; a failure holds its own

  Verdict verdict() const {
    if (failure) return failure->verdict;
    return speed.verdict == SpeedVerdict::kInconclusive ? Verdict::kInconclusive : Verdict::kAccepted;
  }
};

// True if `check` is `expected` or lies below it: case.reduce_sum.33 is below case.reduce_sum.
bool covers(std::string_view expected, std::string_view check);

std::string to_json(const Result& result);

// For a person. `command` is how the judge was called: the failed case's command begins so.
std::string to_text(const Result& result, const std::string& command);

}  // namespace warpladder
