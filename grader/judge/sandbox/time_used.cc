#include "grader/judge/sandbox/time_used.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include <sched.h>
#include <time.h>

namespace warpladder {
namespace {

namespace fs = std::filesystem;

// The kernel counts a wait when it is over. A wait that is counted this late belongs to time that we took for sleep; a
// later one does not, or else many short waits would make up for a long sleep.
constexpr double kLatestCount = 1;  // seconds

constexpr double kNanosecond = 1e-9;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

unsigned processors_here() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1u;
}

// The times of a thread in its folder of /proc; zeros where the kernel does not count.
ThreadTime times_in(const fs::path& thread) {
  ThreadTime time;
  std::ifstream(thread / "schedstat") >> time.ran >> time.waited;
  return {time.ran * kNanosecond, time.waited * kNanosecond};
}

fs::path first_thread(pid_t process) {
  return fs::path("/proc") / std::to_string(process) / "task" / std::to_string(process);
}

pid_t last_below(pid_t process) {
  std::ifstream children(first_thread(process) / "children");
  pid_t child = 0;
  return children >> child ? last_below(child) : process;
}

}  // namespace

ThreadTimes thread_times(const std::vector<pid_t>& processes) {
  ThreadTimes times;
  std::vector<pid_t> left = processes;
  while (!left.empty()) {
    const std::string tasks = "/proc/" + std::to_string(left.back()) + "/task";
    left.pop_back();
    std::error_code gone;  // a process may end at any time
    for (fs::directory_iterator task(tasks, gone), end; !gone && task != end; task.increment(gone)) {
      ThreadTime time;
      if (std::ifstream(task->path() / "schedstat") >> time.ran >> time.waited) {
        times[std::stoi(task->path().filename())] = {time.ran * kNanosecond, time.waited * kNanosecond};
      }
      std::ifstream children(task->path() / "children");
      left.insert(left.end(), std::istream_iterator<pid_t>(children), {});
    }
  }
  return times;
}

void TimeUsed::add(double wall, ThreadTimes now) {
  double ran = 0, longest = 0, waited = 0;
  for (const auto& [thread, time] : now) {
    const auto found = last_.find(thread);
    const bool is_new = found == last_.end() || found->second.ran > time.ran;  // or its number was given again
    const ThreadTime before = is_new ? ThreadTime{} : found->second;
    ran += time.ran - before.ran;
    longest = std::max(longest, time.ran - before.ran);
    waited += time.waited - before.waited;
  }
  last_ = std::move(now);
  const double worked = std::min(wall, std::max(longest, ran / processors_));
  worked_ += worked;
  const double slept = std::min(wall - waited - worked, most_slept_);
  slept_ = std::max({slept_ + slept, highest_slept_ - kLatestCount, 0.0});
  highest_slept_ = std::max(highest_slept_, slept_);
}

Stopwatch::Stopwatch(std::vector<pid_t> processes, Looks looks)
    : processes_(std::move(processes)),
      most_slept_(looks == Looks::kRare ? HUGE_VAL : 2 * std::chrono::duration<double>(kBetweenLooks).count()),
      start_(Clock::now()),
      last_(start_),
      time_(thread_times(processes_), processors_here(), most_slept_) {}

void Stopwatch::look(Clock::time_point now) {
  time_.add(seconds_between(last_, now), thread_times(processes_));
  last_ = now;
}

double Stopwatch::used() {
  const auto now = Clock::now();
  if (now - last_ >= kBetweenLooks) look(now);
  return time_.seconds() + std::min(seconds_between(last_, now), most_slept_);
}

double Stopwatch::stop() {
  look(Clock::now());
  return time_.seconds();
}

double Stopwatch::wall() const { return seconds_between(start_, Clock::now()); }

CallClock::CallClock(pid_t process)
    : process_(last_below(process)), waited_before_(waited()), ran_before_(ran()), start_(Clock::now()) {}

double CallClock::milliseconds() const {
  const double wall = seconds_between(start_, Clock::now());
  return 1e3 * time_of_call(wall, waited() - waited_before_, ran() - ran_before_);
}

double CallClock::waited() const {
  return times_in("/proc/thread-self").waited + times_in(first_thread(process_)).waited;
}

double CallClock::ran() const {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process_, &clock) == 0) clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + kNanosecond * static_cast<double>(time.tv_nsec);
}

double time_of_call(double wall, double waited, double ran) { return std::max(wall - waited, std::min(wall, ran)); }

}  // namespace warpladder
