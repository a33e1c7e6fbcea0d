// submission: one lab binary at work in a process of its own. Jobs go in, answers or a failure come out. The other side
// is common/runner/protocol.h. Nothing that the process says is trusted but the bytes of the answer.
#pragma once

#include "grader/judge/base/failure.h"
#include "grader/judge/cases/cases.h"
#include "grader/judge/run/answer.h"
#include "grader/judge/run/device_process.h"
#include "grader/judge/run/surroundings.h"
#include "grader/judge/run/vault.h"
#include "grader/judge/sandbox/child.h"

namespace warpladder {

// Each function may throw Killed (process_failure.h), if the spec says so.
class Submission {
 public:
  explicit Submission(SubmissionSpec spec);

  std::optional<Failure> start();  // until the program is ready and has shown that all entries of the lab are there
  void give(const Case& job, View input);  // sets the input of the next run
  enum class Clock { kNone, kOurs };       // kOurs: the judge's clock runs beside the call
  // seconds: its limit without checks. A large case under checks has kSlowerChecked times as long.
  std::optional<Failure> run(const Case& job, double seconds, Clock clock = Clock::kNone);
  // Runs a case with a failing_call, and asks for no answer.
  enum class Reaction {
    kNoticed,     // the program ended or threw, or CUDA_CHECK told of the very error
    kOtherError,  // CUDA_CHECK told of another error and ended the program
    kReturned,    // the function returned; returned() is its value
    kCrashed,
    kNoAnswer,  // in time, or too much output
    kNothingFailed,
  };
  Reaction react(const Case& job, double seconds);
  double returned() const { return returned_; }
  // Asks the program to end. A failure of its device comes before one of the program.
  std::optional<Failure> stop();
  // Ends the processes that still run. The device may have crashed, or been sent something that CUDA never sends.
  std::optional<Failure> device_trouble();
  std::string report() const;                 // lockstep's, after stop(); "" if there is none
  std::string printed() const;                // the code's stdout, then its stderr, on which lockstep writes as well
  std::string card() const { return card_; }  // the card's name, from the runtime
  const Answered& answered() const { return answered_; }  // the last run, if it passed

 private:
  Child::Event wait(double seconds);
  Failure out_of_time(const Message& what, double seconds);
  std::optional<Failure> await(double seconds, const Message& what);
  std::optional<Failure> greeted();
  Job job_of(const Case& job) const;
  bool is_sealed(const Case& job) const;
  bool is_counted(const Case& job) const;
  CameBack came_back(const Job& job) const;
  std::optional<Failure> open_vault(const Job& job, double seconds);
  std::optional<Failure> send(const Job& job, Clock clock, bool answers = true);
  std::optional<Failure> say(const std::string& text);
  std::optional<Failure> hold_clock(const Job& job, double seconds);
  std::string ask_to_show(size_t out_bytes);
  std::optional<Failure> stop_program();
  void throw_if_killed() const;
  Reaction reaction_without_answer() const;

  SubmissionSpec spec_;
  TemporaryFolder folder_;
  SharedMemory input_, result_;
  Pipe jobs_;
  std::optional<Vault> vault_;
  std::optional<DeviceProcess> device_;  // lockstep's
  std::optional<Child> child_;
  double slower_ = 1;  // so many times as long as without checks the case at hand may take
  bool device_stopped_ = false;
  std::optional<Failure> device_trouble_;
  uint64_t next_id_;
  Answered answered_;
  Shown shown_;
  std::string card_;
  double returned_ = 0;
};

}  // namespace warpladder
