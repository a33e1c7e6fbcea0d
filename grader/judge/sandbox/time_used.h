// time_used: how long a process and all processes below it have worked or slept, in seconds. The time in which they
// were ready and the machine ran other programs is left out, so that a limit means the same on a busy machine. Linux
// counts both times of each thread in /proc/PID/task/TID/schedstat. Where it does not, all of the wall clock counts.
#pragma once

#include <chrono>
#include <cmath>
#include <map>
#include <vector>

#include <sys/types.h>

namespace warpladder {

// Seconds since the thread began.
struct ThreadTime {
  double ran = 0, waited = 0;  // on a processor; ready, and not on one
};
using ThreadTimes = std::map<pid_t, ThreadTime>;  // by thread

// All threads of these processes and of the processes below them.
ThreadTimes thread_times(const std::vector<pid_t>& processes);

// The arithmetic. The result is at most the wall-clock time, and equal to it on a quiet machine. It is at least the
// time that the longest thread ran, and the time of all threads divided by the number of processors.
//
// Between two looks the threads may have run at once or in turn, and counters do not tell which. So all their waiting
// is taken off, but never so much that less remains than they ran.
class TimeUsed {
 public:
  // most_slept: seconds of sleep that may lie between two looks.
  TimeUsed(ThreadTimes now, unsigned processors, double most_slept = HUGE_VAL)
      : last_(std::move(now)), processors_(processors), most_slept_(most_slept) {}
  // wall: seconds since the last call, or since the start.
  void add(double wall, ThreadTimes now);
  double seconds() const { return worked_ + slept_; }

 private:
  ThreadTimes last_;
  unsigned processors_;
  double most_slept_;
  double worked_ = 0, slept_ = 0, highest_slept_ = 0;
};

// Looks at processes while somebody waits for them.
//
// A look that comes late means that the machine did not run us, or that it stood still, as a virtual machine does while
// it is moved. Nobody knows then whether the processes slept. So of the time between two looks, two turns at most count
// as sleep. Looks::kRare is for those who ask seldom: all sleep counts.
class Stopwatch {
 public:
  enum class Looks { kInTurn, kRare };

  explicit Stopwatch(std::vector<pid_t> processes, Looks looks = Looks::kInTurn);
  double used();  // since the start; to be asked every kBetweenLooks
  double stop();  // the same, now
  double wall() const;

  static constexpr std::chrono::milliseconds kBetweenLooks{50};

 private:
  using Clock = std::chrono::steady_clock;
  void look(Clock::time_point now);

  std::vector<pid_t> processes_;
  double most_slept_;
  Clock::time_point start_, last_;
  TimeUsed time_;
};

// The milliseconds of one call: the calling thread asks, the first thread of a process answers. The time in which one
// of the two was ready and the machine ran other programs is left out. The waits of other threads count: a thread may
// wait on purpose, so that the work of another looks short. For the same reason the result is at least the time for
// which the whole process ran, if the call took as long.
class CallClock {
 public:
  explicit CallClock(pid_t process);  // or the only process below it, if it stands for a sandbox
  double milliseconds() const;        // since the start

 private:
  using Clock = std::chrono::steady_clock;
  double waited() const;  // seconds, of both threads
  double ran() const;     // seconds, of the process

  pid_t process_;
  double waited_before_, ran_before_;
  Clock::time_point start_;
};

// The arithmetic, in seconds: of the wall clock, of the two threads' waits, of the process's work.
double time_of_call(double wall, double waited, double ran);

}  // namespace warpladder
