#include "grader/judge/judge.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <sstream>

#include "grader/judge/canary.h"
#include "grader/judge/chosen.h"
#include "grader/judge/compile.h"
#include "grader/judge/findings.h"
#include "grader/judge/hidden.h"
#include "grader/judge/modelled.h"
#include "grader/judge/process_failure.h"
#include "grader/judge/rules.h"
#include "grader/judge/sandbox.h"
#include "grader/judge/score.h"
#include "grader/judge/timing.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestAfterFailure = 65536;  // elements
constexpr size_t kLargestFailing = 1025;        // elements: more than one block
constexpr int kMostFailing = 200;               // calls of a function; a loop of them need not fail in every turn
// Of each entry: 200 calls, each with as long as a case may take, would be half an hour. In the time of so many cases
// every call of a lab's own code fails ten times over; what is not reached is not held against anybody.
constexpr double kFailingCases = 5;

bool is_small(const Case& job) { return job.n <= kLargestChecked; }

Failure our_fault(const JudgeFault& fault) {
  return {Verdict::kJudgeFault,
          "judge",
          {fault.what()},
          "This is no fault of the code that was judged: put it right and run again.",
          ""};
}

// By SIGKILL: so it is told by us, by nvcc of its parts, and by gcc of its own. The kernel sends it when memory runs
// out, whoever took it, and to a part of a compiler whose time is over.
bool was_killed(const Failure& failure) {
  const auto says = [&](const char* text) { return failure.printed.find(text) != std::string::npos; };
  return failure.steps.front().ends_with("Killed") || says("died due to signal 9") ||
         says("Killed signal terminated program");
}

Failure silent_failure() {
  return {Verdict::kRuntimeError,
          "runtime",
          {"the program ended without telling its device"},
          "Return from the function; do not end the program.",
          ""};
}

class Judgement {
 public:
  explicit Judgement(const JudgeOptions& options);
  Result run();

 private:
  void compile_file();
  void run_all();
  void run_on_lockstep();
  void run_on_gpu();
  void run_cases(const std::vector<Case>& cases, const std::string& schedule, bool checked);
  bool run_each(Submission& submission, const std::vector<Case>& cases, const std::string& schedule);
  bool blame_findings(const Submission& submission);
  void let_calls_fail(const std::vector<Case>& cases);
  bool let_call_fail(const Case& job, int call);
  void run_input_file();
  void measure_on_lockstep();
  std::optional<Report> measure(const Case& job);
  void measure_on_gpu();
  bool run_one(Submission& submission, const Case& job, const std::string& schedule);
  void note_device(const Submission& submission);
  SubmissionSpec spec(size_t largest_n) const;
  uint64_t measured_seed() const;
  std::vector<Case> measured() const;
  void run_hidden_cases();
  void in_secret(const std::function<void()>& work);
  void fail(Failure failure);
  void fail_at_start(Failure failure);
  void require_machine(const Failure& failure) const;

  const JudgeOptions& options_;
  Lab lab_;
  Build build_;
  std::optional<Hidden> hidden_;
  Device device_;
  fs::path binary_;
  TemporaryFolder folder_;
  bool was_killed_ = false;  // and so this is the second time
  Result result_;
};

Judgement::Judgement(const JudgeOptions& options)
    : options_(options), lab_(load_lab(options.lab)), build_(load_build(options.build)) {
  if (!options.hidden.empty()) hidden_ = load_hidden(options.hidden, lab_, options.lab.parent_path());
  device_.is_lockstep = !options.on_gpu;
  device_.lockstep = build_.lockstep;
  device_.sees = build_.program_sees;
  for (const char* part : {"libcudart.so.13", "device_server"}) {
    if (device_.is_lockstep && !fs::exists(device_.lockstep / part))
      throw JudgeFault((device_.lockstep / part).string() + ": not there. Build it first: cmake --build build");
  }
  result_.lab = lab_.name;
  result_.file = options.file.empty() ? options.binary : options.file;
  result_.device = device_.name();
  if (!options.file.empty()) result_.sandbox.compile = Sandbox::here().text();
  result_.sandbox.run = Sandbox::here().text();
  result_.sandbox.is_weaker = !Sandbox::here().is_full();
  result_.sandbox.device = !device_.is_lockstep ? "card" : lab_.is_opencl() ? "in process" : "separate process";
  result_.seed = options.seed;
  result_.baseline = lab_.baseline;
  result_.worth = worth_of(lab_);
  result_.is_whole = options.only_case.empty() && options.schedules.empty() && options.input.empty() &&
                     options.report.empty() && !options.check_all && options.only == JudgeOptions::Part::kAll;
  result_.speed.reason = !device_.is_lockstep     ? "not reached"
                         : is_timed_on_host(lab_) ? "functions of the host are timed beside a card only"
                                                  : "not reached";
}

Result Judgement::run() {
  try {
    compile_file();
    const Result before = result_;
    try {
      if (!result_.failure) run_all();
    } catch (const Killed&) {  // by the kernel perhaps, as another program took the memory
      result_ = before;
      was_killed_ = true;
      run_all();
    }
  } catch (const JudgeFault& fault) { result_.failure = our_fault(fault); }  // outranks what may only follow from it
  if (result_.speed.reason.empty()) result_.speed.reason = lab_.speed_why;
  return result_;
}

// Keeps the first failure, unless a worse one follows: what makes answers wrong outranks a rule. What a process says of
// the machine is not believed, but is a reason to look.
void Judgement::fail(Failure failure) {
  if (failure.verdict == Verdict::kJudgeFault) {
    require_machine(failure);
    failure.verdict = Verdict::kRuntimeError;
    failure.check = "runtime";
    failure.next_step =
        "Another program runs on this machine: look at what yours does before the functions are called.";
  }
  const bool is_worse = is_right(result_) && !leaves_answers_right(failure);
  const bool is_cheating = failure.verdict == Verdict::kCheating;  // what else went wrong may follow from it
  if (!result_.failure || is_worse || is_cheating) result_.failure = std::move(failure);
}

// A process that does not start may be the machine's doing, too.
void Judgement::fail_at_start(Failure failure) {
  if (failure.verdict != Verdict::kCompileError && failure.verdict != Verdict::kCheating) require_machine(failure);
  fail(std::move(failure));
}

void Judgement::require_machine(const Failure& failure) const {
  if (!machine_works(build_, lab_, device_))
    throw JudgeFault("no program of this lab runs on this machine: " + failure.steps.front() + "\n" + failure.printed);
}

// A full disk, a missing tool or a busy machine is no error in anybody's code.
void Judgement::compile_file() {
  binary_ = options_.binary;
  if (options_.file.empty()) return;
  binary_ = folder_.path() / "submission";
  auto failure = compile(build_, lab_, options_.file, binary_, folder_);
  if (failure && was_killed(*failure)) failure = compile(build_, lab_, options_.file, binary_, folder_);
  if (!failure) return;
  if (failure->verdict == Verdict::kCompileError) {
    if (const auto trouble = compiler_trouble(build_, lab_))
      throw JudgeFault("a file that does nothing does not compile on this machine either: " + trouble->steps.front() +
                       "\n" + trouble->printed);
  }
  fail(std::move(*failure));
}

void Judgement::run_all() {
  if (!options_.input.empty()) return run_input_file();
  if (!options_.only_case.empty()) {
    const Case job = hidden_ ? named_hidden_case(options_.only_case, lab_, {hidden_->cases, measured()})
                             : named_case(options_, lab_);
    return run_cases({job}, options_.schedules.empty() ? "" : options_.schedules.front(), is_small(job));
  }
  if (!options_.schedules.empty()) {
    for (const std::string& schedule : options_.schedules) {
      if (!result_.failure) run_cases(plan_cases(lab_, options_.seed, Extent::kShort), schedule, true);
    }
    return;
  }
  if (options_.check_all) {
    std::vector<Case> cases = plan_cases(lab_, options_.seed, Extent::kFull);
    cases.push_back(measured_case(lab_, options_.seed));
    return run_cases(cases, "", true);
  }
  if (!options_.report.empty()) {
    measure(measured_case(lab_, options_.seed));
    return;
  }
  device_.is_lockstep ? run_on_lockstep() : run_on_gpu();
}

void Judgement::run_on_lockstep() {
  std::vector<Case> cases = plan_cases(lab_, options_.seed, Extent::kFull);
  const auto large = std::stable_partition(cases.begin(), cases.end(), is_small);
  run_cases({cases.begin(), large}, "", true);
  if (!result_.failure && !lab_.is_opencl()) let_calls_fail({cases.begin(), large});
  if (is_right(result_) && large != cases.end()) run_cases({large, cases.end()}, "", false);
  if (is_right(result_)) run_hidden_cases();
  if (is_right(result_)) {
    time_cpu(lab_, measured_seed(), result_.speed);
    in_secret([&] { measure_on_lockstep(); });
  }
  if (options_.hold != JudgeOptions::Figures::kNone)
    hold_figures(lab_, result_, options_.hold == JudgeOptions::Figures::kStarter);
}

void Judgement::run_on_gpu() {
  using Part = JudgeOptions::Part;
  if (options_.only != Part::kSpeed) {
    run_cases(plan_cases(lab_, options_.seed, Extent::kWithReal), "", false);
    if (is_right(result_)) run_hidden_cases();
  }
  if (!is_right(result_)) return;
  for (const Rule& rule : lab_.rules) result_.rules.push_back({rule, std::nullopt, true});
  if (options_.only != Part::kCorrect) in_secret([&] { measure_on_gpu(); });
}

void Judgement::run_hidden_cases() {
  if (!hidden_) return;
  std::vector<Case> cases = hidden_->cases;
  result_.planned_hidden = cases.size();
  const auto large = std::stable_partition(cases.begin(), cases.end(),
                                           [&](const Case& job) { return device_.is_lockstep && is_small(job); });
  in_secret([&] {
    if (large != cases.begin()) run_cases({cases.begin(), large}, "", true);
    if (large != cases.end()) run_cases({large, cases.end()}, "", false);
  });
}

// What runs here may be about hidden cases: then a student is not told what a failure would tell of them.
void Judgement::in_secret(const std::function<void()>& work) {
  if (!hidden_) return work();
  std::optional<Failure> before = std::exchange(result_.failure, std::nullopt);  // at most a rule's
  try {
    work();
  } catch (const JudgeFault& fault) { result_.failure = our_fault(fault); }  // its text may tell as much
  if (result_.failure && !result_.failure->check.starts_with("rule.") &&
      !result_.failure->check.starts_with("speed.")) {
    const auto failed =
        std::ranges::find_if(result_.cases, [](const CaseResult& one) { return one.is_hidden() && !one.passed; });
    const std::string alias = failed == result_.cases.end() ? "hidden" : failed->alias;
    result_.failure = hide(std::move(*result_.failure), std::exchange(result_.failed_case, ""), alias);
  }
  if (before && is_right(result_)) result_.failure = std::move(before);
}

uint64_t Judgement::measured_seed() const { return hidden_ ? hidden_->measured_seed : options_.seed; }

std::vector<Case> Judgement::measured() const {
  std::vector<Case> cases = measured_cases(lab_, measured_seed());
  for (Case& job : cases) {
    if (hidden_) job.alias = "hidden.measured." + job.input;
  }
  return cases;
}

SubmissionSpec Judgement::spec(size_t largest_n) const {
  SubmissionSpec spec;
  spec.binary = binary_;
  spec.device = device_;
  spec.lab = &lab_;
  spec.largest_n = largest_n;
  spec.trace = options_.trace;
  spec.cache = folder_.path() / "pocl";  // a submission's processes compile its kernels once, and leave nothing
  spec.throws_killed = !was_killed_;
  return spec;
}

void Judgement::note_device(const Submission& submission) {
  if (!submission.opencl_device().empty()) result_.opencl_device = submission.opencl_device();
}

// Runs a case on an input of its own and files it. False: no further case can follow in this process.
bool Judgement::run_one(Submission& submission, const Case& job, const std::string& schedule) {
  submission.give(input_of(lab_, job));
  const double seconds = job.n > lab_.largest_size || job.n == lab_.real_size ? lab_.real_seconds : lab_.case_seconds;
  auto outcome = submission.run(job, seconds);
  if (job.alias.empty()) note_device(submission);  // a name may tell of a case, and this one is hidden
  Failure* failure = std::get_if<Failure>(&outcome);
  const CaseResult filed{job.name, job.input, job.n, failure == nullptr, job.alias, job.seed, job.block};
  if (failure == nullptr) return result_.cases.push_back(filed), true;
  const bool goes_on = failure->verdict == Verdict::kWrongAnswer;
  std::string step =
      std::string(job.entry->name) + " with " + std::to_string(job.n) + " " + std::string(lab_.contract->elements);
  if (job.block > 0) step += " in blocks of " + std::to_string(job.block);
  const uint64_t seed = job.alias.empty() ? options_.seed : job.seed;
  if (job.n > 0) step += " (" + job.input + ", seed " + std::to_string(seed) + ")";
  if (!schedule.empty()) step += ", schedule " + schedule;
  failure->steps.insert(failure->steps.begin(), step);
  if (is_right(result_)) {  // and so this one is the failure
    result_.failed_case = job.name;
    result_.failed_schedule = schedule;
  }
  fail(std::move(*failure));
  result_.cases.push_back(filed);
  return goes_on;
}

// False: the process is gone.
bool Judgement::run_each(Submission& submission, const std::vector<Case>& cases, const std::string& schedule) {
  for (const Case& job : cases) {
    if (!is_right(result_) && job.n > kLargestAfterFailure && job.alias.empty()) {  // would add nothing but minutes
      --result_.planned_cases;
      continue;
    }
    if (!run_one(submission, job, schedule)) return false;
  }
  return true;
}

// checked: under every check of lockstep.
void Judgement::run_cases(const std::vector<Case>& cases, const std::string& schedule, bool checked) {
  size_t largest_n = 0;
  for (const Case& job : cases) largest_n = std::max(largest_n, job.n);
  result_.planned_cases += cases.size();
  SubmissionSpec specification = spec(largest_n);
  specification.schedule = schedule;
  specification.checked = checked && device_.is_lockstep && !lab_.is_opencl();
  Submission submission(specification);
  if (auto failure = submission.start()) return fail_at_start(std::move(*failure));
  run_each(submission, cases, schedule);
  auto late = submission.stop();
  const bool told = !specification.checked || blame_findings(submission);
  if (late) fail(std::move(*late));
  if (!told && is_right(result_)) fail(silent_failure());  // what was found may be missing
  if (!options_.only_case.empty()) result_.printed = submission.printed();
}

// What lockstep found is the cause, and a wrong answer or a hang what follows from it. Of what a card reports itself
// (an illegal address, a bad launch) the failure that is there says enough, and says it on every device.
// False: there is no report of a program that came to its end.
bool Judgement::blame_findings(const Submission& submission) {
  if (result_.verdict() == Verdict::kJudgeFault || result_.verdict() == Verdict::kCheating) return true;
  const std::string text = submission.report();
  if (text.empty()) return false;
  const Report report = parse_report(text);
  if (!report.is_whole) return false;
  if (result_.failure) drop_leaks(report, result_.failure->printed);
  std::optional<Failure> cause = cause_of(report, is_right(result_));
  if (!cause) return true;
  if (result_.failure)
    cause->steps.insert(cause->steps.begin(), result_.failure->steps.begin(), result_.failure->steps.end());
  result_.failure = std::move(*cause);
  return true;
}

// One call of CUDA's after the other, for each entry on one case that is large enough for several blocks.
void Judgement::let_calls_fail(const std::vector<Case>& cases) {
  using Clock = std::chrono::steady_clock;
  for (const std::string& entry : lab_.entries) {
    const auto deadline = Clock::now() + std::chrono::duration<double>(kFailingCases * lab_.case_seconds);
    const Case* chosen = nullptr;
    for (const Case& job : cases) {
      if (job.entry->name == entry && job.n <= kLargestFailing && job.n > 0 && (!chosen || job.n > chosen->n))
        chosen = &job;
    }
    for (int call = 1; chosen && call <= kMostFailing && Clock::now() < deadline && let_call_fail(*chosen, call);
         ++call) {}
    if (result_.failure) return;
  }
}

// In a process of its own, which ends if all is well. False: there is no such call any more, or a failure.
bool Judgement::let_call_fail(const Case& job, int call) {
  SubmissionSpec specification = spec(job.n);
  specification.failing_call = call;
  Submission submission(specification);
  if (auto failure = submission.start()) return fail_at_start(std::move(*failure)), false;
  submission.give(input_of(lab_, job));
  const Submission::Reaction reaction = submission.react(job, lab_.case_seconds);
  if (reaction != Submission::Reaction::kNoticed)
    if (auto trouble = submission.device_trouble()) return fail(std::move(*trouble)), false;
  if (reaction == Submission::Reaction::kWentOn) {
    Failure failure = unchecked_failure(std::string(job.entry->name), call, submission.report());
    failure.printed = submission.printed();
    fail(std::move(failure));
  } else if (reaction == Submission::Reaction::kNothingFailed && submission.report().empty()) {
    fail(
        {Verdict::kRuntimeError,
         "runtime",
         {"a kernel of the program was still running " + seconds_text(lab_.case_seconds) + " after its function ended"},
         "Let kernels come to an end, and wait for them before you return.",
         ""});
  }
  return reaction == Submission::Reaction::kNoticed;
}

// A file's bytes: a histogram of them, or, for a trace, any entry's input.
void Judgement::run_input_file() {
  Case job = file_case(options_, lab_);
  Bytes data = read_input_file(options_.input);
  job.n = data.size() / lab_.contract->element_bytes;
  data.resize(job.n * lab_.contract->element_bytes);
  result_.input_file = options_.input;
  result_.input_bytes = data.size();
  result_.planned_cases = 1;
  Submission submission(spec(job.n));
  if (auto failure = submission.start()) return fail_at_start(std::move(*failure));
  submission.give(data);
  auto outcome = submission.run(job, lab_.real_seconds);
  Failure* failure = std::get_if<Failure>(&outcome);
  result_.cases.push_back({job.name, job.input, job.n, failure == nullptr});
  if (failure != nullptr) {
    failure->steps.insert(failure->steps.begin(), std::string(job.entry->name) + " of " + options_.input.string() +
                                                      ", " + std::to_string(data.size()) + " bytes");
    fail(std::move(*failure));
    if (auto trouble = submission.device_trouble()) fail(std::move(*trouble));
    return;
  }
  if (lab_.contract->name == "histogram") {
    result_.histogram.emplace();
    for (size_t bin = 0; bin < submission.output().size() / sizeof(uint32_t); ++bin)
      result_.histogram->push_back(element<uint32_t>(submission.output(), bin));
  }
  if (auto late = submission.stop()) fail(std::move(*late));
}

// A rule's result is that of the input that is worst for it.
void Judgement::measure_on_lockstep() {
  const std::vector<Case> cases = measured();
  for (const Case& job : cases) {
    const std::optional<Report> report = measure(job);
    if (!report) return;
    if (result_.measurements.empty() && !is_timed_on_host(lab_)) {
      const fs::path below = build_.baseline.empty() ? "" : build_.baseline.parent_path() / "report.json";
      model_speed(lab_, *report, below, result_.speed);
    }
    if (!lab_.is_opencl()) {
      if (auto failure = missing_work(*lab_.contract, job.n, *report)) fail(std::move(*failure));
    }
    result_.measurements.push_back({hidden_ ? job.alias : job.name, job.input, job.n, total_counters(*report)});
    for (size_t i = 0; i < lab_.rules.size(); ++i) {
      RuleResult measured = apply_rule(lab_.rules[i], *report, job.n);
      if (cases.size() > 1) measured.input = job.input;
      if (i == result_.rules.size()) {
        result_.rules.push_back(std::move(measured));
      } else if (is_worse(measured, result_.rules[i])) {
        result_.rules[i] = std::move(measured);
      }
    }
  }
  for (const RuleResult& rule : result_.rules) {
    if (!rule.holds) fail(rule_failure(rule));
  }
  if (result_.speed.verdict == SpeedVerdict::kFail) fail(speed_failure(result_.speed));
}

// One case in a process of its own, whose report is all about it. Nothing: it failed.
std::optional<Report> Judgement::measure(const Case& job) {
  Submission submission(spec(job.n));
  ++result_.planned_cases;
  if (hidden_) ++result_.planned_hidden;
  std::optional<Failure> failure = submission.start();
  if (!failure) {
    run_one(submission, job, "");
    failure = submission.stop();
  }
  if (failure) fail(std::move(*failure));
  if (!is_right(result_)) return std::nullopt;
  if (lab_.is_opencl()) {  // lockstep has no part in it
    if (!options_.report.empty()) throw JudgeFault("lockstep counts no OpenCL: leave out --report for this lab.");
    return Report{};
  }
  const std::string text = submission.report();
  Report report;
  if (!text.empty()) report = parse_report(text);
  if (text.empty() || !report.is_whole) {
    fail(silent_failure());
    return std::nullopt;
  }
  if (!options_.report.empty() && !(std::ofstream(options_.report) << text << std::flush))
    throw JudgeFault(options_.report.string() + ": cannot be written. Choose another place for --report.");
  for (const Finding& finding : report.findings) fail(finding_failure(finding));
  return report;
}

void Judgement::measure_on_gpu() {
  time_cpu(lab_, measured_seed(), result_.speed);
  Below below;
  if (!build_.baseline.empty())
    below = {options_.lab.parent_path() / build_.baseline.parent_path().filename(), build_.baseline};
  if (auto failure = time_on_gpu(spec(lab_.real_size), below, measured_seed(), result_.speed))
    return fail(std::move(*failure));
  if (result_.speed.verdict == SpeedVerdict::kFail) fail(speed_failure(result_.speed));
}

}  // namespace

Result judge(const JudgeOptions& options) {
  try {
    return Judgement(options).run();
  } catch (const JudgeFault& fault) {  // before there was anything to judge
    Result result;
    result.lab = options.lab.filename();
    result.file = options.file.empty() ? options.binary : options.file;
    result.device = options.on_gpu ? "gpu" : "lockstep";
    result.failure = our_fault(fault);
    return result;
  }
}

}  // namespace warpladder
