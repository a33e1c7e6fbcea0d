// child: one process that runs foreign code, in a process group of its own, with limits. However it ends, its whole
// group is gone afterwards. Its output is kept up to a size. A third stream carries lines for the judge.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

#include "grader/judge/base/message.h"
#include "grader/judge/sandbox/file.h"
#include "grader/judge/sandbox/time_used.h"

namespace warpladder {

struct Limits {
  uint64_t cpu_seconds = 0;  // over the whole life; 0: none
  uint64_t data_bytes = 0;   // RLIMIT_DATA, which does not count address space that is only reserved; 0: none
  uint64_t file_bytes = 0;   // the largest file it may write; 0: none
  uint64_t open_files = 0;   // 0: as many as the judge may open
  size_t output_kept = 64 << 10;
  size_t output_allowed = 16 << 20;  // a process that prints more is killed
};

struct ChildSpec {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours
  bool only_this_environment = false;                            // ours is left out
  std::filesystem::path folder;                                  // where it starts
  std::vector<std::pair<int, int>> descriptors;                  // ours → its
  int lines_fd = -1;               // its descriptor on which it writes lines for us; -1: none
  std::string filter;              // filter of system calls, made by seccomp.h; "": none
  int filter_fd = -1;              // the command sets the filter itself and reads it here; -1: the judge sets it
  bool codes_are_signals = false;  // exit code 128 + n means signal n, as a shell and bwrap have it
  Limits limits;
};

// The text of a stream. If it is too long, its beginning and its end are kept and its middle is left out.
class Captured {
 public:
  explicit Captured(size_t kept) : half_(kept / 2) {}
  void add(const char* text, size_t length);
  std::string text() const;
  size_t total() const { return total_; }

 private:
  size_t half_, total_ = 0;
  std::string head_, tail_;
};

class Child {
 public:
  explicit Child(const ChildSpec& spec);
  ~Child();  // kills the processes that are left of it
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void end();  // kills it if it still runs

  // While we wait for this process, it may wait for the other one. Then the other one's time counts as well.
  void works_with(const Child& other) { counted_.push_back(other.pid_); }

  enum class Event { kLine, kEnded, kTimeout, kOutputLimit };
  // Waits for the next line on lines_fd, for the end, for too much output, or until the process has worked or slept for
  // so many seconds (time_used.h). After the last two it is dead. Throws JudgeFault if the machine is too busy.
  Event wait(double seconds);
  double used() const { return used_; }                    // seconds that it worked or slept in all waits so far
  Stopwatch watch() const { return Stopwatch(counted_); }  // for a wait elsewhere, by the same clock
  CallClock call_clock() const { return CallClock(pid_); }
  const std::string& line() const { return line_; }  // the one for which wait() waited; "" if none came

  // Valid after kEnded, in words for a person: "ended with exit code 1", "crashed: Segmentation fault".
  Message how_it_ended() const;
  bool ended_well() const;
  bool has_spoken();  // a line, or a part of one, has come before anybody waited for it
  bool has_ended() const { return status_.has_value(); }
  bool gave_up() const;       // it exited with an error code
  int ending_signal() const;  // 0: no signal, it exited
  bool was_killed() const;    // true if a SIGKILL that is not ours ended it

  std::string output() const { return output_.text(); }  // stdout
  std::string errors() const { return errors_.text(); }  // stderr

 private:
  Event wait(double seconds, Stopwatch& watch);
  void collect();
  bool take_line();
  bool read_some(Fd& fd, Captured& into);
  void read_lines();
  void read_streams();
  bool over_the_limit() const;
  void note(int status);

  pid_t pid_ = -1;
  Fd pid_fd_, output_fd_, errors_fd_, lines_fd_;
  Captured output_, errors_;
  size_t output_allowed_;
  bool codes_are_signals_;
  std::string line_, pending_;  // pending_: from lines_fd, not yet a whole line
  std::optional<int> status_;
  bool ended_by_us_ = false;
  std::vector<pid_t> counted_;  // this process, and others that work for it
  double used_ = 0;
};

// After catch_interruptions() a SIGINT, SIGTERM or SIGHUP ends the wait in progress with this exception, so that
// destructors clean up.
class Interrupted {};
void catch_interruptions();

// A child may leave processes behind in sessions of their own. adopt_orphans(), called first, makes them children of
// the judge; kill_orphans() ends them.
void adopt_orphans();
void kill_orphans();

}  // namespace warpladder
