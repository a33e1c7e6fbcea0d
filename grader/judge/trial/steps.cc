#include "grader/judge/trial/steps.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "grader/judge/base/random.h"
#include "grader/judge/contract/oracle.h"
#include "grader/judge/run/advice.h"
#include "grader/judge/run/process_failure.h"
#include "grader/judge/trial/culprit.h"
#include "grader/judge/trial/failing_calls.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestInput = size_t{1} << 30;

// ", with the input 1 and the output 3 elements behind an aligned address"; "" if both are aligned.
Message offset_text(const Case& job) {
  const size_t in = job.in_offset, out = job.entry->out_bytes(1) > 0 ? job.out_offset : 0;
  if (in + out == 0) return {};
  const Message::Arguments offsets = {{"in", in}, {"out", out}};
  const Message arrays = out == 0  ? message("the input {in}", offsets)
                         : in == 0 ? message("the output {out}", offsets)
                                   : message("the input {in} and the output {out}", offsets);
  return std::max(in, out) > 1 ? message(", with {arrays} elements behind an aligned address", {{"arrays", arrays}})
                               : message(", with {arrays} element behind an aligned address", {{"arrays", arrays}});
}

// "scan_inclusive with 33 floats in blocks of 64 (ones, seed 7), schedule reverse"
Message call_text(const Case& job, const SubmissionSpec& spec, uint64_t public_seed) {
  std::vector<Message> parts = {
      message("{entry} with {n} {elements}",
              {{"entry", job.entry->name}, {"n", job.n}, {"elements", message(job.entry->elements)}})};
  if (job.block > 0) parts.push_back(message(" in blocks of {block}", {{"block", job.block}}));
  const uint64_t seed = job.alias.empty() ? public_seed : job.seed;
  if (job.n > 0) parts.push_back(message(" ({input}, seed {seed})", {{"input", job.input}, {"seed", seed}}));
  if (!spec.schedule.empty()) parts.push_back(message(", schedule {schedule}", {{"schedule", spec.schedule}}));
  parts.push_back(offset_text(job));
  return together(parts, "");
}

// Whether one of the cases can be looked for that shows a finding by itself. A hidden case stays hidden anyway, and the
// larger ones would take too long.
bool can_be_searched(const std::vector<Case>& cases) {
  return std::ranges::all_of(cases, [](const Case& job) { return job.alias.empty() && job.n <= kLargestChecked; });
}

// A finding of lockstep is the cause, and a wrong answer or a hang may follow from it. Where a card reports the same
// error itself (an illegal address, a bad launch), the failure that is there already is the right one, and the finding
// explains it. False: there is no report of a program that came to its end. cases: as they ran.
bool blame_findings(const Submission& submission, const SubmissionSpec& spec, const std::vector<Case>& cases,
                    Ledger& ledger) {
  const Result& result = ledger.result();
  if (result.verdict() == Verdict::kJudgeFault || result.verdict() == Verdict::kCheating) return true;
  const std::string text = submission.report();
  if (text.empty()) return false;
  const Report report = parse_report(text);
  auto cause = spec.checked && report.is_whole ? cause_of(report, ledger.is_right()) : std::nullopt;
  if (!cause) return ledger.explain(report), report.is_whole;
  const auto call = [&](const Case& job) { return call_text(job, spec, result.setting.seed); };
  if (cases.size() == 1) {
    ledger.blame(std::move(*cause), &cases[0], result.failure, call(cases[0]));
    return true;
  }
  std::vector<Case> ascending = cases;
  std::ranges::sort(ascending, {}, &Case::place);
  const auto culprit = can_be_searched(cases) ? find_culprit(spec, ascending, *cause) : std::nullopt;
  if (culprit) {
    ledger.blame(*cause_of(culprit->report, !culprit->answer), culprit->job, culprit->answer, call(*culprit->job));
  } else {
    ledger.blame(std::move(*cause), nullptr, std::nullopt, {});
  }
  return true;
}

// What a call that gives no answer in time most often is.
Message endless_text(const Case& job) {
  if (job.entry->name.ends_with("_cpu"))
    return message("Follow the loop for n = {n}: which condition ends it, and does it become true?", {{"n", job.n}});
  return message(
      "Follow the loops for n = {n}: which condition ends each, and does it become true for every thread? "
      "Does a thread wait for one that has ended?",
      {{"n", job.n}});
}

void take_advice(Failure& failure, const std::optional<Advice>& advice) {
  if (!advice) return;
  failure.advice = advice->name;
  failure.next_step = advice->text;
}

// False: the process can run no further case.
bool run_case(Submission& submission, const SubmissionSpec& spec, const Case& job, Ledger& ledger) {
  submission.give(job, input_of(job));
  const Lab& lab = spec.lab;
  const bool is_real = job.n > lab.sizes.largest || job.n == lab.sizes.real;
  auto failure = submission.run(job, is_real ? lab.limits.real_case : lab.limits.one_case);
  // The code could put a hidden case into the name of its device, so only public cases set it.
  const std::string& device = submission.answered().opencl_device;
  if (job.alias.empty() && !device.empty()) ledger.result().opencl_device = device;
  if (const auto& crossing = submission.answered().crossing; !failure && crossing)
    failure = host_work(lab, job, *crossing);
  else if (failure && failure->mismatch && crossing)
    take_advice(*failure, advice_on_copies(*failure->mismatch, job, crossing->to_host));
  if (!failure) return ledger.add_case(job, true), true;
  const bool still_runs = failure->verdict == Verdict::kWrongAnswer || failure->verdict == Verdict::kRuleBroken;
  failure->steps.insert(failure->steps.begin(), call_text(job, spec, ledger.result().setting.seed));
  if (failure->verdict == Verdict::kTime && failure->advice == "endless") failure->next_step = endless_text(job);
  ledger.fail_case(job, spec.schedule, std::move(*failure));
  ledger.add_case(job, false);
  return still_runs;
}

// Drawn by the seed, so that the number of a call says nothing about it.
void shuffle(std::vector<Case>& cases, uint64_t seed) {
  Random random(seed_of(seed, "order"));
  for (size_t i = cases.size(); i > 1; --i) std::swap(cases[i - 1], cases[random.below(i)]);
}

void run_cases(Submission& submission, const SubmissionSpec& spec, const std::vector<Case>& cases, Ledger& ledger) {
  for (const Case& job : cases) {
    // After a failure a large public case would add nothing but minutes. The bound leaves no case out in one run that
    // it keeps in another: every drawn size lies on the same side of it for every seed.
    if (!ledger.is_right() && job.n > kLargestChecked && job.alias.empty()) {
      --ledger.result().planned_cases;
      ledger.result().leaves_out = true;
      continue;
    }
    if (!run_case(submission, spec, job, ledger)) return;
  }
}

bool can_be_checked(const SubmissionSpec& spec, Checks checks) {
  return checks == Checks::kAll && spec.device.is_lockstep && !spec.lab.is_opencl();
}

// Ends the program, and looks at the findings. cases: as they ran.
void end_program(Submission& submission, const SubmissionSpec& spec, const std::vector<Case>& cases, Ledger& ledger) {
  auto late = submission.stop();
  const bool is_told = blame_findings(submission, spec, cases, ledger) || !spec.checked;
  if (late) ledger.fail(std::move(*late));
  if (!is_told && ledger.is_right()) ledger.fail(silent_failure());
}

// Runs the batch in one process.
void run_batch(SubmissionSpec spec, const Batch& batch, Ledger& ledger) {
  std::vector<Case> cases = batch.cases;
  for (const Case& job : cases) spec.largest_n = std::max(spec.largest_n, job.n);
  if (batch.shuffled_by) shuffle(cases, *batch.shuffled_by);
  ledger.result().planned_cases += cases.size();
  spec.schedule = batch.schedule;
  spec.checked = can_be_checked(spec, batch.checks);
  Submission submission(spec);
  if (auto failure = submission.start()) return ledger.fail_at_start(std::move(*failure));
  if (!spec.device.is_lockstep) ledger.result().card = submission.card();
  run_cases(submission, spec, cases, ledger);
  ledger.sort_cases();
  end_program(submission, spec, cases, ledger);
  if (batch.keeps_output) ledger.result().printed = submission.printed();
}

Bytes read_input_file(const fs::path& file) {
  if (!fs::exists(file))
    throw JudgeFault(message("{file}: no such file. --input takes the file whose bytes are to be counted.",
                             {{"file", file.string()}}));
  if (!fs::is_regular_file(file))
    throw JudgeFault(message("{file}: is no regular file. --input takes a file.", {{"file", file.string()}}));
  const size_t bytes = fs::file_size(file);
  if (bytes == 0)
    throw JudgeFault(
        message("{file}: is empty, there is nothing to count. Choose another file.", {{"file", file.string()}}));
  if (bytes > kLargestInput)
    throw JudgeFault(message("{file}: is larger than 1 GiB. Choose a smaller file, or cut it with head -c.",
                             {{"file", file.string()}}));
  Bytes data(bytes);
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(bytes));
  if (stream.gcount() != static_cast<std::streamsize>(bytes))
    throw JudgeFault(message("{file}: cannot be read. Check its permissions.", {{"file", file.string()}}));
  return data;
}

std::vector<uint64_t> counts_in(View output) {
  std::vector<uint64_t> counts;
  for (size_t bin = 0; bin < output.size() / sizeof(uint32_t); ++bin) counts.push_back(element<uint32_t>(output, bin));
  return counts;
}

void write_report(const std::string& text, const fs::path& file) {
  if (!(std::ofstream(file) << text << std::flush))
    throw JudgeFault(
        message("{file}: cannot be written. Choose another place for --report.", {{"file", file.string()}}));
}

// Runs the case on the bytes of a file, which gives the size. For a histogram the result holds the counts, and for
// words the words; a trace works for any contract. A wrong histogram is kept beside the right one. If a report is
// wanted, it is written whatever the answer is, and has the findings.
void run_own_file(SubmissionSpec spec, const Step& step, Ledger& ledger) {
  const Batch& batch = step.batches.front();
  Case job = batch.cases.front();
  const fs::path& file = step.file;
  const Contract& contract = *spec.lab.contract;
  Bytes data = read_input_file(file);
  job.n = data.size() / job.entry->element_bytes;
  data.resize(job.n * job.entry->element_bytes);
  Result& result = ledger.result();
  result.own_file = OwnFile{file, data.size()};
  result.planned_cases = 1;
  spec.largest_n = job.n;
  spec.schedule = batch.schedule;
  spec.counted = !step.report.empty();
  spec.checked = can_be_checked(spec, spec.counted ? Checks::kAll : Checks::kNone);
  Submission submission(spec);
  if (auto failure = submission.start()) return ledger.fail_at_start(std::move(*failure));
  submission.give(job, data);
  auto failure = submission.run(job, spec.lab.limits.real_case);
  result.cases.push_back({job.name, job.input, job.n, !failure});
  if (contract.name == "histogram" && (!failure || failure->verdict == Verdict::kWrongAnswer)) {
    result.own_file->histogram = counts_in(submission.answered().output);
    const Counts right = histogram_oracle(data);
    if (failure) result.own_file->wanted.emplace(right.begin(), right.end());
  }
  if (contract.name == "words" && !failure) result.own_file->words = words_in(data, submission.answered().output);
  if (failure) {
    failure->steps.insert(failure->steps.begin(),
                          message("{entry} of {file}, {bytes} bytes",
                                  {{"entry", job.entry->name}, {"file", file.string()}, {"bytes", data.size()}}));
    ledger.fail(std::move(*failure));
    if (auto trouble = submission.device_trouble()) ledger.fail(std::move(*trouble));
    if (const std::string text = submission.report(); !text.empty()) ledger.explain(parse_report(text));
  } else if (auto late = submission.stop()) {
    ledger.fail(std::move(*late));
  }
  if (spec.checked) write_report(submission.report(), step.report);
}

struct Counted {
  std::string report;                // lockstep's; "" for OpenCL, which lockstep does not run
  std::optional<Crossing> crossing;  // of the call
};

// Runs one case in a process of its own. Nothing: the case failed.
std::optional<Counted> report_of(SubmissionSpec spec, const Case& job, Ledger& ledger) {
  spec.largest_n = job.n;
  spec.counted = true;
  Submission submission(spec);
  ++ledger.result().planned_cases;
  if (!job.alias.empty()) ++ledger.result().planned_hidden;
  if (auto failure = submission.start()) return ledger.fail_at_start(std::move(*failure)), std::nullopt;
  run_case(submission, spec, job, ledger);
  end_program(submission, spec, {job}, ledger);
  if (!ledger.is_right()) return std::nullopt;
  std::string text = submission.report();
  if (!spec.lab.is_opencl() && (text.empty() || !parse_report(text).is_whole))
    return ledger.fail(silent_failure()), std::nullopt;
  return Counted{std::move(text), submission.answered().crossing};
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

// Runs the case and writes lockstep's report of it into the file.
void report_measured(SubmissionSpec spec, const Step& step, Ledger& ledger) {
  const Batch& batch = step.batches.front();
  const Case& job = batch.cases.front();
  spec.checked = can_be_checked(spec, batch.checks);
  const auto counted = report_of(spec, job, ledger);
  if (!counted) return;
  if (spec.lab.is_opencl()) throw JudgeFault(message("lockstep counts no OpenCL: leave out --report for this lab."));
  write_report(counted->report, step.report);
  fail_by_findings(parse_report(counted->report), ledger);
}

struct Measured {
  Report report;
  std::optional<Crossing> crossing;
};

// The reports of the step's cases by their names, each from a process of its own. Which of these processes measures
// does not show in its place among them. Empty: a case failed.
std::map<std::string, Measured> measure(SubmissionSpec spec, const Step& step, Ledger& ledger) {
  std::vector<Case> cases;
  for (const Batch& batch : step.batches) std::ranges::copy(batch.cases, std::back_inserter(cases));
  if (const auto& seed = step.batches.front().shuffled_by) shuffle(cases, *seed);
  spec.checked = can_be_checked(spec, step.batches.front().checks);
  std::map<std::string, Measured> measured;
  for (const Case& job : cases) {
    auto counted = report_of(spec, job, ledger);
    if (!counted) return {};
    Report report = spec.lab.is_opencl() ? Report{} : parse_report(counted->report);
    if (counted->crossing) {
      report.of_call["bytes_to_host"] = static_cast<double>(counted->crossing->to_host);
      report.counter_names["bytes_to_host"] = later("bytes that came to the host during the call");
    }
    measured[job.name] = {std::move(report), counted->crossing};
  }
  ledger.sort_cases();
  return measured;
}

// below: the file with the report of the rung below; "": the baseline is the serial CPU.
void measure_on_lockstep(const SubmissionSpec& spec, const Step& step, const fs::path& below, Ledger& ledger) {
  const Lab& lab = spec.lab;
  Result& result = ledger.result();
  const std::map<std::string, Measured> measured = measure(spec, step, ledger);
  if (measured.empty()) return;
  for (const Case& job : step.batches.front().cases) {
    const auto& [report, crossing] = measured.at(job.name);
    fail_by_findings(report, ledger);
    if (result.measurements.empty() && !lab.is_timed_on_host()) model_speed(lab, report, below, result.speed);
    if (!lab.is_opencl()) {
      if (auto failure = missing_work(*job.entry, job.n, report)) ledger.fail(std::move(*failure));
    }
    const std::string name = job.alias.empty() ? job.name : job.alias;
    result.measurements.push_back(
        {name, job.input, job.n, total_counters(report), crossing, allowed_crossing(lab, *job.entry, job.n)});
    apply_rules(lab, job, report, result.rules);
  }
  for (const RuleResult& rule : result.rules) {
    if (!rule.holds) ledger.fail(rule_failure(rule));
  }
}

// On a card nothing looks for races. The binary is the same, and it must be right there, too. Lockstep has the card's
// name, for code that asks.
void check_on_lockstep(SubmissionSpec spec, const Step& step, Ledger& ledger) {
  spec.device.is_lockstep = true;
  spec.card = ledger.result().card;
  const Result before = ledger.result();
  measure(spec, step, ledger);
  Result& result = ledger.result();
  if (result.failure && !before.failure) result.failed_on_lockstep = true;
  // The cases of the verdict are those that ran on the card.
  result.cases = before.cases;
  result.planned_cases = before.planned_cases;
  result.planned_hidden = before.planned_hidden;
}

}  // namespace

void run_step(const Step& step, const SubmissionSpec& spec, const Below& below, uint64_t seed, Ledger& ledger) {
  Result& result = ledger.result();
  switch (step.kind) {
    case Step::Kind::kCases:
      for (const Batch& batch : step.batches) result.planned_hidden += step.is_secret ? batch.cases.size() : 0;
      for (const Batch& batch : step.batches) run_batch(spec, batch, ledger);
      return;
    case Step::Kind::kFailingCalls: return let_calls_fail(spec, step.batches.front().cases, ledger);
    case Step::Kind::kOwnFile: return run_own_file(spec, step, ledger);
    case Step::Kind::kReport: return report_measured(spec, step, ledger);
    case Step::Kind::kRulesUnmeasured:
      for (const Rule& rule : spec.lab.rules) result.rules.push_back({rule, std::nullopt, true});
      return;
    case Step::Kind::kCounters:
      time_cpu(spec.lab, seed, result.speed);
      measure_on_lockstep(spec, step, below.report(), ledger);
      break;
    case Step::Kind::kOnLockstep: return check_on_lockstep(spec, step, ledger);
    case Step::Kind::kClock:
      time_cpu(spec.lab, seed, result.speed);
      if (auto failure = time_on_gpu(spec, below, seed, result.speed)) ledger.fail(std::move(*failure));
      break;
  }
  if (result.speed.verdict == SpeedVerdict::kFail) ledger.fail(speed_failure(result.speed));
}

}  // namespace warpladder
