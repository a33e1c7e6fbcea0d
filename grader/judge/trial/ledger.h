// ledger: collects the results while a plan is run, and keeps the failure that counts. It runs nothing itself.
#pragma once

#include <functional>

#include "grader/judge/cases/cases.h"
#include "grader/judge/trial/events.h"
#include "grader/judge/verdict/verdict.h"

namespace warpladder {

class JudgeFault;
struct Report;

class Ledger {
 public:
  // machine_works: asked where a process blames the machine, since its word alone is not trusted.
  // events: hears of every case that ran.
  Ledger(Setting setting, std::function<bool()> machine_works, Events events = Events(-1));

  // Keeps the first failure. Exceptions: a failure that makes answers wrong replaces one that leaves them right, and
  // cheating replaces all others, as they may follow from it. Throws JudgeFault where the machine does not work.
  void fail(Failure failure);
  // As fail(), for a process that did not start. That may be the machine's fault, too.
  void fail_at_start(Failure failure);
  // As fail(), and names this case as the one that failed. Of several wrong answers it keeps the one of the case with
  // the first place, in whichever order they ran.
  void fail_case(const Case& job, const std::string& schedule, Failure failure);
  void fail_by(const JudgeFault& fault);  // replaces all others, as they may follow from it

  // Makes the failure clear by the report of its process. A failure is explained once: later reports are of others.
  void explain(const Report& report);

  void add_case(const Case& job, bool passed);
  void sort_cases();  // by their places
  // The finding is the cause of the failure so far. culprit: the case that shows it, or null. failed: the failure of
  // its answer; nothing: the answer is right.
  void blame(Failure cause, const Case* culprit, const std::optional<Failure>& failed, const Message& call);

  // Runs work on hidden cases. A failure in it keeps only the text that a student may read.
  void in_secret(const std::function<void()>& work);

  bool is_right() const { return result_.is_right(); }
  bool has_failure() const { return result_.failure.has_value(); }
  Result& result() { return result_; }

 private:
  void require_machine(const Failure& failure) const;

  Result result_;
  bool is_explained_ = false;
  size_t failed_place_ = 0;
  std::string failed_alias_;  // of the failed case, if it is hidden
  std::function<bool()> machine_works_;
  Events events_;
};

}  // namespace warpladder
