// rules: lockstep's report → counters, findings and whether a lab's rules hold. Reads the report's JSON only; a
// report that does not say what a rule asks for is the judge's trouble, not the learner's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/judge/verdict.h"

namespace warpladder {

struct Finding {
  std::string kind, message, file;
  int line = 0;
};

struct Launch {
  std::string kernel;
  double blocks = 0, threads = 0;
  std::map<std::string, double> counters;
  std::map<std::string, double> modelled_us{};  // for each card that the launch fits on
};

struct Report {
  std::vector<Launch> launches;
  std::optional<double> modelled_error{};  // a factor: a speedup by modelled times is that right
  std::vector<Finding> findings{};
  bool is_whole = true;  // the program said that it ends: else findings may be missing
};

Report parse_report(const std::string& text);  // throws JudgeFault

std::map<std::string, double> total_counters(const Report& report);

// n: the number of elements of the measured case.
RuleResult apply_rule(const Rule& rule, const Report& report, size_t n);

// Of two results of one rule: whether the first is further from holding. No number is furthest.
bool is_worse(const RuleResult& one, const RuleResult& other);

// Kernels that load less than the input, or store less than an output that has an element for each of the input's, have
// not done the work, whatever the answer: the host has. Of the measured case.
std::optional<Failure> missing_work(const Contract& contract, size_t n, const Report& report);

Failure rule_failure(const RuleResult& result);

// lab.json notes what each rule measures for starter and reference, and a reader may rely on it: throws JudgeFault
// where it notes something else.
void hold_figures(const Lab& lab, const Result& result, bool of_starter);

}  // namespace warpladder
