#include "grader/judge/trial/measurer.h"

#include <fstream>

#include "grader/judge/base/fault.h"
#include "grader/judge/rules/findings.h"
#include "grader/judge/rules/rules.h"
#include "grader/judge/run/submission.h"
#include "grader/judge/speed/modelled.h"
#include "grader/judge/trial/case_runner.h"

namespace warpladder {
namespace {

// Runs one case in a process of its own. Nothing: it failed. The text is "" for OpenCL, which lockstep does not run.
std::optional<std::string> report_of(SubmissionSpec spec, const Case& job, Ledger& ledger) {
  spec.largest_n = job.n;
  Submission submission(spec);
  ++ledger.result().planned_cases;
  if (!job.alias.empty()) ++ledger.result().planned_hidden;
  std::optional<Failure> failure = submission.start();
  if (!failure) {
    run_case(submission, *spec.lab, job, "", ledger);
    failure = submission.stop();
  }
  if (failure) ledger.fail(std::move(*failure));
  if (!ledger.is_right()) return std::nullopt;
  std::string text = submission.report();
  if (!spec.lab->is_opencl() && (text.empty() || !parse_report(text).is_whole))
    return ledger.fail(silent_failure()), std::nullopt;
  return text;
}

// Where several inputs are measured, a rule keeps the one that is worst for it.
void apply_rules(const Lab& lab, const Case& job, const Report& report, std::vector<RuleResult>& results) {
  for (size_t i = 0; i < lab.rules.size(); ++i) {
    RuleResult measured = apply_rule(lab.rules[i], report, job.n);
    if (lab.measured_inputs.size() > 1) measured.input = job.input;
    if (i == results.size()) {
      results.push_back(std::move(measured));
    } else if (is_worse(measured, results[i])) {
      results[i] = std::move(measured);
    }
  }
}

void fail_by_findings(const Report& report, Ledger& ledger) {
  for (const Finding& finding : report.findings) ledger.fail(finding_failure(finding));
}

void fail_if_slow(Ledger& ledger) {
  const Speed& speed = ledger.result().speed;
  if (speed.verdict == SpeedVerdict::kFail) ledger.fail(speed_failure(speed));
}

}  // namespace

void write_report(const SubmissionSpec& spec, const Case& job, const std::filesystem::path& file, Ledger& ledger) {
  const auto text = report_of(spec, job, ledger);
  if (!text) return;
  if (spec.lab->is_opencl()) throw JudgeFault("lockstep counts no OpenCL: leave out --report for this lab.");
  if (!(std::ofstream(file) << *text << std::flush))
    throw JudgeFault(file.string() + ": cannot be written. Choose another place for --report.");
  fail_by_findings(parse_report(*text), ledger);
}

void measure_on_lockstep(const SubmissionSpec& spec, const std::vector<Case>& cases, const std::filesystem::path& below,
                         Ledger& ledger) {
  const Lab& lab = *spec.lab;
  Result& result = ledger.result();
  for (const Case& job : cases) {
    const auto text = report_of(spec, job, ledger);
    if (!text) return;
    const Report report = lab.is_opencl() ? Report{} : parse_report(*text);
    fail_by_findings(report, ledger);
    if (result.measurements.empty() && !lab.is_timed_on_host()) model_speed(lab, report, below, result.speed);
    if (!lab.is_opencl()) {
      if (auto failure = missing_work(*lab.contract, job.n, report)) ledger.fail(std::move(*failure));
    }
    const std::string name = job.alias.empty() ? job.name : job.alias;
    result.measurements.push_back({name, job.input, job.n, total_counters(report)});
    apply_rules(lab, job, report, result.rules);
  }
  for (const RuleResult& rule : result.rules) {
    if (!rule.holds) ledger.fail(rule_failure(rule));
  }
  fail_if_slow(ledger);
}

void measure_on_card(SubmissionSpec spec, const Below& below, uint64_t seed, Ledger& ledger) {
  Speed& speed = ledger.result().speed;
  time_cpu(*spec.lab, seed, speed);
  spec.largest_n = spec.lab->sizes.real;
  if (auto failure = time_on_gpu(spec, below, seed, speed)) return ledger.fail(std::move(*failure));
  fail_if_slow(ledger);
}

}  // namespace warpladder
