#include "grader/judge/trial/failing_calls.h"

#include <algorithm>

#include "grader/judge/base/text.h"
#include "grader/judge/run/process_failure.h"
#include "grader/judge/run/submission.h"

namespace warpladder {
namespace {

using Reaction = Submission::Reaction;

constexpr int kMostFailing = 200;  // calls of a function: a loop of calls need not fail in every turn
constexpr int kNoCall = 1 << 30;   // the number of a call that no function reaches
// For each entry, in units of the time that a case may take: 200 calls of that length would take half an hour. In this
// time every call of a lab's own code fails ten times over. A call that is not reached counts as checked.
constexpr double kFailingCases = 5;

// One run of a function.
struct Run {
  Reaction reaction = Reaction::kNothingFailed;
  std::vector<std::string> calls;  // of CUDA's functions
  std::string printed;             // by the code itself
  double value = 0;                // that the function returned, if it did
};

// lockstep writes on stderr, too, and differently when it lets a call fail.
std::string without_lockstep(const std::string& printed) {
  std::string own;
  for (const std::string& line : split(printed, '\n'))
    if (!line.starts_with("lockstep: ")) own += line + "\n";
  return own;
}

// A function that gives up may still release what it holds, and ask what there is.
bool is_work(const std::string& call) {
  for (const char* part : {"Free", "Destroy", "Unregister", "Synchronize", "cudaGet", "cudaPeek", "DeviceGet",
                           "FuncGet", "cudaSetDevice", "cudaDeviceReset"})
    if (call.find(part) != std::string::npos) return false;
  return true;
}

std::vector<std::string> work_behind(const std::vector<std::string>& calls, int call) {
  std::vector<std::string> work;
  for (size_t i = static_cast<size_t>(call); i < calls.size(); ++i)
    if (is_work(calls[i])) work.push_back(calls[i]);
  return work;
}

class FailingCalls {
 public:
  FailingCalls(const SubmissionSpec& spec, const Case& job, Ledger& ledger) : spec_(spec), job_(job), ledger_(ledger) {
    spec_.largest_n = job.n;
  }

  // False: the code does not make so many calls, or there is a failure.
  bool let_fail(int call) {
    Run run;
    std::string report;
    if (!start(call, run, report)) return false;
    if (run.reaction == Reaction::kNoticed) return true;
    if (run.reaction == Reaction::kNothingFailed) {
      if (report.empty()) ledger_.fail(silent_failure());
      return false;
    }
    const Message went_on = how_it_went_on(run, call);
    if (went_on.empty()) return !ledger_.has_failure();
    Failure failure = unchecked_failure(job_.entry->name, call, report, went_on);
    failure.printed = run.printed;
    ledger_.fail(std::move(failure));
    return false;
  }

 private:
  // False: the ledger has a failure.
  bool start(int call, Run& run, std::string& report) {
    spec_.failing_call = call;
    Submission submission(spec_);
    if (auto failure = submission.start()) return ledger_.fail_at_start(std::move(*failure)), false;
    submission.give(job_, input_of(job_));
    run.reaction = submission.react(job_, spec_.lab.limits.one_case);
    if (run.reaction == Reaction::kNoticed) return true;
    if (auto trouble = submission.device_trouble()) return ledger_.fail(std::move(*trouble)), false;
    report = submission.report();
    if (!report.empty()) run.calls = parse_report(report).calls;
    run.printed = without_lockstep(submission.printed());
    run.value = submission.returned();
    return true;
  }

  // Empty: the code has noticed the error. Otherwise a sentence that says what it did.
  Message how_it_went_on(const Run& run, int call) {
    const std::vector<std::string> work = work_behind(run.calls, call);
    const Message::Arguments next = {
        {"next", work.empty() ? Message() : message("; its next call was {call}", {{"call", work.front()}})}};
    switch (run.reaction) {
      case Reaction::kCrashed: return message("the code went on{next}, and crashed", next);
      case Reaction::kNoAnswer: return message("the code went on{next}, and gave no answer in time", next);
      // A library may give its caller another code. The error of a later call comes after that call.
      case Reaction::kOtherError:
        return work.empty() ? Message()
                            : message("the code went on{next}. Only the error of a later call ended it", next);
      default: break;
    }
    if (!knows_usual()) return {};
    const std::vector<std::string> usual_work = work_behind(usual_.calls, call);
    if (!work.empty() && work != usual_work)  // it tries again, or has another way
      return recovers(call) ? Message()
                            : message("the code went on in another way{next}, and its answer is wrong", next);
    const bool gave_up = work.empty() && !usual_work.empty();
    const bool prints = prints_the_same_ && run.printed != usual_.printed;
    if (work.empty() && prints) return {};
    if (gave_up && run.value != usual_.value) return {};  // the caller gets another value
    if (gave_up)
      return message("the function left out its work and returned without a message, so its caller cannot know");
    if (prints) return message("the code printed something and went on all the same{next}", next);
    return work.empty() ? message("the function returned as if nothing had happened")
                        : message("the code went on as if nothing had happened{next}", next);
  }

  bool recovers(int call) {
    spec_.failing_call = call;
    Submission submission(spec_);
    if (submission.start()) return false;
    submission.give(job_, input_of(job_));
    return !submission.run(job_, spec_.lab.limits.one_case);
  }

  // What the function does when no call fails: twice, since it may print the time of day. False: there is a failure.
  bool knows_usual() {
    if (knows_usual_) return true;
    Run again;
    std::string report;
    if (!start(kNoCall, usual_, report) || !start(kNoCall, again, report)) return false;
    prints_the_same_ = usual_.printed == again.printed;
    return knows_usual_ = true;
  }

  SubmissionSpec spec_;
  const Case& job_;
  Ledger& ledger_;
  Run usual_;
  bool knows_usual_ = false, prints_the_same_ = false;
};

}  // namespace

// One case for each entry. Ends after the first failure. At least half of the submission's time is left for other
// steps.
void let_calls_fail(const SubmissionSpec& spec, const std::vector<Case>& cases, Ledger& ledger) {
  const double& used = spec.allowance->used;
  for (const Case& job : cases) {
    const double until = std::min(used + kFailingCases * spec.lab.limits.one_case, spec.allowance->seconds / 2);
    FailingCalls calls(spec, job, ledger);
    int call = 1;
    while (call <= kMostFailing && used < until && calls.let_fail(call)) ++call;
    if (ledger.has_failure()) return;
  }
}

}  // namespace warpladder
