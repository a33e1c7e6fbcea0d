#include "grader/judge/trial/case_runner.h"

#include <algorithm>

#include "grader/judge/rules/findings.h"
#include "grader/judge/trial/chosen.h"

namespace warpladder {
namespace {

constexpr size_t kLargestAfterFailure = 65536;  // elements

// "scan_inclusive with 33 floats in blocks of 64 (ones, seed 7), schedule reverse"
std::string call_text(const Case& job, const Lab& lab, const std::string& schedule, uint64_t public_seed) {
  std::string text = job.entry->name + " with " + std::to_string(job.n) + " " + lab.contract->elements;
  if (job.block > 0) text += " in blocks of " + std::to_string(job.block);
  const uint64_t seed = job.alias.empty() ? public_seed : job.seed;
  if (job.n > 0) text += " (" + job.input + ", seed " + std::to_string(seed) + ")";
  return schedule.empty() ? text : text + ", schedule " + schedule;
}

// A finding of lockstep is the cause, and a wrong answer or a hang may follow from it. Where a card reports the same
// error itself (an illegal address, a bad launch), the failure that is there already says enough. False: there is no
// report of a program that came to its end.
bool blame_findings(const Submission& submission, Ledger& ledger) {
  const Verdict verdict = ledger.result().verdict();
  if (verdict == Verdict::kJudgeFault || verdict == Verdict::kCheating) return true;
  const std::string text = submission.report();
  if (text.empty()) return false;
  const Report report = parse_report(text);
  if (!report.is_whole) return false;
  if (ledger.has_failure()) drop_leaks(report, ledger.result().failure->printed);
  if (auto cause = cause_of(report, ledger.is_right())) ledger.replace_failure(std::move(*cause));
  return true;
}

void run_cases(Submission& submission, const Lab& lab, const Batch& batch, Ledger& ledger) {
  for (const Case& job : batch.cases) {
    // After a failure a large public case would add nothing but minutes.
    if (!ledger.is_right() && job.n > kLargestAfterFailure && job.alias.empty()) {
      --ledger.result().planned_cases;
      continue;
    }
    if (!run_case(submission, lab, job, batch.schedule, ledger)) return;
  }
}

}  // namespace

Failure silent_failure() {
  return runtime_failure("the program ended without telling its device",
                         "Return from the function; do not end the program.");
}

bool run_case(Submission& submission, const Lab& lab, const Case& job, const std::string& schedule, Ledger& ledger) {
  submission.give(input_of(lab, job));
  const bool is_real = job.n > lab.sizes.largest || job.n == lab.sizes.real;
  auto outcome = submission.run(job, is_real ? lab.limits.real_case : lab.limits.one_case);
  // The code could put a hidden case into the name of its device, so only public cases set it.
  if (job.alias.empty() && !submission.opencl_device().empty())
    ledger.result().opencl_device = submission.opencl_device();
  Failure* failure = std::get_if<Failure>(&outcome);
  if (failure == nullptr) return ledger.add_case(job, true), true;
  const bool still_runs = failure->verdict == Verdict::kWrongAnswer;
  failure->steps.insert(failure->steps.begin(), call_text(job, lab, schedule, ledger.result().setting.seed));
  ledger.fail_case(job, schedule, std::move(*failure));
  ledger.add_case(job, false);
  return still_runs;
}

void run_batch(SubmissionSpec spec, const Batch& batch, Ledger& ledger) {
  for (const Case& job : batch.cases) spec.largest_n = std::max(spec.largest_n, job.n);
  ledger.result().planned_cases += batch.cases.size();
  spec.schedule = batch.schedule;
  spec.checked = batch.checks == Checks::kAll && spec.device.is_lockstep && !spec.lab->is_opencl();
  Submission submission(spec);
  if (auto failure = submission.start()) return ledger.fail_at_start(std::move(*failure));
  run_cases(submission, *spec.lab, batch, ledger);
  auto late = submission.stop();
  const bool is_told = !spec.checked || blame_findings(submission, ledger);
  if (late) ledger.fail(std::move(*late));
  if (!is_told && ledger.is_right()) ledger.fail(silent_failure());
  if (batch.keeps_output) ledger.result().printed = submission.printed();
}

void run_own_file(SubmissionSpec spec, Case job, const std::filesystem::path& file, Ledger& ledger) {
  const Contract& contract = *spec.lab->contract;
  Bytes data = read_input_file(file);
  job.n = data.size() / contract.element_bytes;
  data.resize(job.n * contract.element_bytes);
  Result& result = ledger.result();
  result.own_file = OwnFile{file, data.size(), {}};
  result.planned_cases = 1;
  spec.largest_n = job.n;
  Submission submission(spec);
  if (auto failure = submission.start()) return ledger.fail_at_start(std::move(*failure));
  submission.give(data);
  auto outcome = submission.run(job, spec.lab->limits.real_case);
  Failure* failure = std::get_if<Failure>(&outcome);
  result.cases.push_back({job.name, job.input, job.n, failure == nullptr});
  if (failure != nullptr) {
    failure->steps.insert(failure->steps.begin(),
                          job.entry->name + " of " + file.string() + ", " + std::to_string(data.size()) + " bytes");
    ledger.fail(std::move(*failure));
    if (auto trouble = submission.device_trouble()) ledger.fail(std::move(*trouble));
    return;
  }
  if (contract.name == "histogram") {
    auto& histogram = result.own_file->histogram.emplace();
    for (size_t bin = 0; bin < submission.output().size() / sizeof(uint32_t); ++bin)
      histogram.push_back(element<uint32_t>(submission.output(), bin));
  }
  if (auto late = submission.stop()) ledger.fail(std::move(*late));
}

}  // namespace warpladder
