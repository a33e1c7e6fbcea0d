// child: one process of somebody else's code, in a process group of its own, with limits. Whatever way it ends, the
// whole group is gone afterwards. What it prints is kept up to a size; a third stream carries lines for the judge.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "grader/judge/file.h"

namespace warpladder {

struct Limits {
  uint64_t cpu_seconds = 0;  // over the whole life; 0: none
  uint64_t data_bytes = 0;   // RLIMIT_DATA: address space that is only reserved does not count; 0: none
  uint64_t file_bytes = 0;   // the largest file it may write; 0: none
  uint64_t open_files = 0;   // 0: as many as we may have
  size_t output_kept = 64 << 10;
  size_t output_allowed = 16 << 20;  // more than that ends it
};

struct ChildSpec {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;  // on top of ours, unless
  bool only_this_environment = false;
  std::filesystem::path folder;                  // it starts in
  std::vector<std::pair<int, int>> descriptors;  // ours → its
  int lines_fd = -1;                             // its descriptor on which it writes lines for us; -1: none
  std::string filter;                            // of its calls to the kernel, seccomp.h; "": none
  int filter_fd = -1;                            // where the command reads the filter, to set it itself; -1: we set it
  bool codes_are_signals = false;                // exit code 128 + n, in a shell's and bwrap's way, means signal n
  Limits limits;
};

// The text that a stream brought: the beginning and the end, the middle left out once it is too long.
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
  ~Child();  // kills what is left of it
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void end() { finish(); }  // kills it unless it is gone

  enum class Event { kLine, kEnded, kTimeout, kOutputLimit };
  // Waits for the next line on lines_fd (in `line`), the end, or trouble. After trouble it is dead.
  Event wait(std::chrono::steady_clock::time_point deadline, std::string& line);

  // Valid after kEnded. Said as a person would: "ended with exit code 1", "crashed: Segmentation fault".
  std::string how_it_ended() const;
  bool ended_well() const;
  bool has_spoken();          // a line is there, or part of one, that nobody has waited for yet
  bool gave_up() const;       // it exited, with an error code
  int ending_signal() const;  // 0: it exited
  bool was_killed() const;    // by SIGKILL, and not by us

  std::string output() const { return output_.text(); }  // stdout
  std::string errors() const { return errors_.text(); }  // stderr

 private:
  [[noreturn]] void become(const ChildSpec& spec, int output, int errors, int lines, int filter);
  bool take_line(std::string& line);
  bool read_some(Fd& fd, Captured& into);
  void read_lines();
  void read_streams();
  bool over_the_limit() const;
  void finish();
  void note(int status);

  pid_t pid_ = -1;
  Fd pid_fd_, output_fd_, errors_fd_, lines_fd_;
  Captured output_, errors_;
  size_t output_allowed_;
  bool codes_are_signals_;
  std::string pending_;  // of lines_fd, not yet a line
  std::optional<int> status_;
  bool ended_by_us_ = false;
};

// SIGINT, SIGTERM and SIGHUP from now on end the wait in progress with an exception, so that destructors clean up.
class Interrupted {};
void catch_interruptions();

// Ends processes that a child left behind in sessions of their own; catch them with adopt_orphans() first.
void adopt_orphans();
void kill_orphans();

}  // namespace warpladder
