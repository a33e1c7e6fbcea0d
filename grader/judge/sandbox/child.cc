#include "grader/judge/sandbox/child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/judge/base/failure.h"
#include "grader/judge/base/text.h"
#include "grader/judge/sandbox/seccomp.h"

namespace warpladder {
namespace {

constexpr size_t kLongestLine = 1 << 20;  // bytes of a line for the judge; honest lines are far shorter

// A guard against a hang. By the wall clock a process may take this many times its limit, and at least ten minutes: its
// threads may hinder each other so much that next to nothing of their time counts.
constexpr double kPatience = 20, kLeastPatience = 600;

volatile std::sig_atomic_t interrupted = 0;

void limit(int resource, uint64_t soft, uint64_t hard) {
  const rlimit value{soft, hard};
  setrlimit(resource, &value);  // cannot fail, as it is lower than our own limit
}

void set_limits(const Limits& limits) {
  limit(RLIMIT_CORE, 0, 0);
  if (limits.cpu_seconds > 0)
    limit(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1);  // first SIGXCPU, then SIGKILL
  if (limits.data_bytes > 0) limit(RLIMIT_DATA, limits.data_bytes, limits.data_bytes);
  if (limits.file_bytes > 0) limit(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes);
  if (limits.open_files > 0) limit(RLIMIT_NOFILE, limits.open_files, limits.open_files);
}

// A file in memory with this text, for a child to read.
Fd file_with(const std::string& text) {
  Fd file(memfd_create("filter", MFD_CLOEXEC));
  if (!file.is_open() || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      lseek(file.get(), 0, SEEK_SET) != 0)
    throw JudgeFault(message("no shared memory can be had: {reason}", {{"reason", std::string(std::strerror(errno))}}));
  return file;
}

// The program that set_filter() takes.
std::vector<sock_filter> program_of(const std::string& text) {
  std::vector<sock_filter> program(text.size() / sizeof(sock_filter));
  if (!program.empty()) std::memcpy(program.data(), text.data(), program.size() * sizeof(sock_filter));
  return program;
}

// Sets the filter for this process and all processes that it starts. False: the kernel refuses.
bool set_filter(std::vector<sock_filter>& program) {
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// The environment of the child, as "NAME=value". A later value of a name replaces an earlier one.
std::vector<std::string> environment_of(const ChildSpec& spec) {
  std::map<std::string, std::string> values;
  for (char** one = environ; !spec.only_this_environment && *one != nullptr; ++one) {
    const std::string_view text = *one;
    if (const size_t end = text.find('='); end != text.npos)
      values[std::string(text.substr(0, end))] = text.substr(end + 1);
  }
  for (const auto& [name, value] : spec.environment) values[name] = value;
  std::vector<std::string> words;
  for (const auto& [name, value] : values) words.push_back(name + "=" + value);
  return words;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

void say(const char* text) {
  if (write(2, text, std::strlen(text)) < 0) _exit(126);
}

// What turns a new process into the command. All memory is allocated before fork(): if another thread of the judge
// holds a lock of the allocator at that moment, nobody gives it back in the new process, which then waits for ever.
class Start {
 public:
  Start(const ChildSpec& spec, int output, int errors, int lines, int filter)
      : spec_(spec),
        null_(open("/dev/null", O_RDONLY | O_CLOEXEC)),
        moves_(spec.descriptors),
        variables_(environment_of(spec)),
        environment_(pointers_to(variables_)),
        arguments_(pointers_to(spec.command)),
        program_(program_of(spec.filter_fd < 0 ? spec.filter : "")) {
    moves_.emplace_back(null_.get(), 0);
    moves_.emplace_back(output, 1);
    moves_.emplace_back(errors, 2);
    if (spec.lines_fd >= 0) moves_.emplace_back(lines, spec.lines_fd);
    if (spec.filter_fd >= 0) moves_.emplace_back(filter, spec.filter_fd);
  }

  // Runs between fork and exec.
  [[noreturn]] void become() {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // if the judge itself is killed
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_DFL);

    // Each descriptor first moves to a high number, so that none is overwritten, then to the number that is wanted.
    // dup2 also clears close-on-exec.
    for (auto& [from, to] : moves_) from = fcntl(from, F_DUPFD_CLOEXEC, 64);
    close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);  // descriptors that our parent left open
    for (const auto& [from, to] : moves_) dup2(from, to);

    if (!spec_.folder.empty() && chdir(spec_.folder.c_str()) != 0) _exit(127);
    for (sock_filter& instruction : program_) {
      if (instruction.k == kOwnProcess) instruction.k = static_cast<uint32_t>(getpid());
    }
    environ = environment_.data();  // execvp() looks for the command in its PATH
    set_limits(spec_.limits);       // last, as this process may already need more than they allow
    if (!program_.empty() && !set_filter(program_)) _exit(126);
    execvp(arguments_[0], arguments_.data());
    const int error = errno;
    say(arguments_[0]);
    say(": ");
    say(strerrordesc_np(error));
    say("\n");
    _exit(127);
  }

 private:
  const ChildSpec& spec_;
  const Fd null_;
  std::vector<std::pair<int, int>> moves_;  // ours → its
  const std::vector<std::string> variables_;
  std::vector<char*> environment_, arguments_;
  std::vector<sock_filter> program_;
};

}  // namespace

void Captured::add(const char* text, size_t length) {
  total_ += length;
  const size_t to_head = std::min(length, half_ - head_.size());
  head_.append(text, to_head);
  tail_.append(text + to_head, length - to_head);
  if (tail_.size() > 2 * half_) tail_.erase(0, tail_.size() - half_);  // at times only, not for each byte
}

std::string Captured::text() const {
  if (total_ <= 2 * half_) return head_ + tail_;
  const std::string end = tail_.substr(tail_.size() - half_);
  return head_ + "\n… " + std::to_string(total_ - head_.size() - end.size()) + " bytes left out …\n" + end;
}

Child::Child(const ChildSpec& spec)
    : output_(spec.limits.output_kept),
      errors_(spec.limits.output_kept),
      output_allowed_(spec.limits.output_allowed),
      codes_are_signals_(spec.codes_are_signals) {
  Fd filter;
  if (spec.filter_fd >= 0) filter = file_with(spec.filter);
  Pipe output = make_pipe(), errors = make_pipe(), lines = make_pipe();
  Start start(spec, output.write.get(), errors.write.get(), lines.write.get(), filter.get());
  pid_ = fork();
  if (pid_ < 0)
    throw JudgeFault(
        message("no further process can be started: {reason}", {{"reason", std::string(std::strerror(errno))}}));
  if (pid_ == 0) start.become();
  counted_ = {pid_};
  setpgid(pid_, pid_);  // parent and child both do it, as either may run first
  pid_fd_ = Fd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  output_fd_ = std::move(output.read);
  errors_fd_ = std::move(errors.read);
  lines_fd_ = std::move(lines.read);
  for (const Fd* fd : {&output_fd_, &errors_fd_, &lines_fd_}) fcntl(fd->get(), F_SETFL, O_NONBLOCK);
}

Child::~Child() { end(); }

// Kills the group and waits for it. The child's pid stays taken until waitpid, so the group's number cannot belong to
// other processes yet.
void Child::end() {
  if (pid_ < 0 || status_) return;
  ended_by_us_ = true;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
  note(status);
}

void Child::note(int status) {
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  status_ = codes_are_signals_ && code > 128 && code <= 128 + SIGRTMAX ? code - 128 : status;
}

bool Child::take_line() {
  const size_t end = pending_.find('\n');
  if (end == std::string::npos) return false;
  line_ = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  return true;
}

// False once the stream is empty or closed.
bool Child::read_some(Fd& fd, Captured& into) {
  std::array<char, 1 << 16> buffer;
  const ssize_t count = read(fd.get(), buffer.data(), buffer.size());
  if (count > 0) into.add(buffer.data(), static_cast<size_t>(count));
  if (count == 0) fd.reset();
  return count > 0;
}

void Child::read_lines() {
  std::array<char, 1 << 12> buffer;
  ssize_t count = 0;
  while (pending_.size() < kLongestLine && (count = read(lines_fd_.get(), buffer.data(), buffer.size())) > 0) {
    pending_.append(buffer.data(), static_cast<size_t>(count));
  }
  if (count == 0 || pending_.size() >= kLongestLine) lines_fd_.reset();
}

bool Child::over_the_limit() const { return output_.total() + errors_.total() > output_allowed_; }

// Lines are read first: the text that was printed before a line was sent is then certainly read with that line.
void Child::read_streams() {
  if (lines_fd_.is_open()) read_lines();
  while (!over_the_limit() && output_fd_.is_open() && read_some(output_fd_, output_)) {}
  while (!over_the_limit() && errors_fd_.is_open() && read_some(errors_fd_, errors_)) {}
}

Child::Event Child::wait(double seconds) {
  Stopwatch watch(counted_);
  const Event event = wait(seconds, watch);
  used_ += watch.stop();
  return event;
}

Child::Event Child::wait(double seconds, Stopwatch& watch) {
  line_.clear();
  while (true) {
    if (take_line()) return Event::kLine;
    if (status_) return Event::kEnded;
    const double left = seconds - watch.used();
    if (left <= 0) {
      end();
      return Event::kTimeout;
    }
    if (watch.wall() > std::max(kLeastPatience, kPatience * seconds)) {
      throw JudgeFault(
          message("this machine is so busy that a process got {used} of its {seconds} seconds in {wall} seconds. Grade "
                  "again when the machine has less to do.",
                  {{"used", number(seconds - left)}, {"seconds", number(seconds)}, {"wall", number(watch.wall())}}));
    }
    pollfd fds[] = {{pid_fd_.get(), POLLIN, 0},
                    {output_fd_.get(), POLLIN, 0},
                    {errors_fd_.get(), POLLIN, 0},
                    {lines_fd_.get(), POLLIN, 0}};
    const int ready = poll(fds, 4, static_cast<int>(Stopwatch::kBetweenLooks.count()));
    if (interrupted) throw Interrupted();
    if (ready <= 0) continue;
    if ((fds[0].revents & POLLIN) != 0) {
      watch.stop();  // while its counters are still there
      collect();
    }
    read_streams();
    if (over_the_limit()) {
      end();
      return Event::kOutputLimit;
    }
  }
}

// The exit comes before the end of its group: the status must be the process's own and not that of our kill. The text
// that the process wrote before is still in the pipes.
void Child::collect() {
  int status = 0;
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);  // as a zombie it still holds its group's number
  kill(-pid_, SIGKILL);
  waitpid(pid_, &status, 0);
  note(status);
}

bool Child::has_spoken() {
  read_streams();
  return !pending_.empty();
}

int Child::ending_signal() const { return status_ && WIFSIGNALED(*status_) ? WTERMSIG(*status_) : 0; }

bool Child::was_killed() const { return ending_signal() == SIGKILL && !ended_by_us_; }

bool Child::gave_up() const { return status_ && WIFEXITED(*status_) && WEXITSTATUS(*status_) != 0; }

bool Child::ended_well() const { return status_ && WIFEXITED(*status_) && WEXITSTATUS(*status_) == 0; }

// The words of the C library, which are in English here.
static Message words_of(int signal) {
  static const std::set<std::string> kForms = {later("Segmentation fault"),
                                               later("Aborted"),
                                               later("Bus error"),
                                               later("Killed"),
                                               later("Terminated"),
                                               later("Illegal instruction"),
                                               later("Bad system call"),
                                               later("Hangup"),
                                               later("CPU time limit exceeded"),
                                               later("File size limit exceeded"),
                                               later("Floating point exception")};
  const std::string text = strsignal(signal);
  return kForms.contains(text) ? message(text) : Message(text);
}

Message Child::how_it_ended() const {
  if (const int signal = ending_signal(); signal != 0)
    return message("crashed: {signal}", {{"signal", words_of(signal)}});
  return message("ended with exit code {code}", {{"code", WEXITSTATUS(status_.value_or(0))}});
}

void catch_interruptions() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a dead runner is noticed where its answer is awaited
}

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void kill_orphans() {
  // Each round ends one generation. The children of that generation thereby become ours, for the next round.
  for (int round = 0; round < 100; ++round) {
    std::ifstream stream("/proc/self/task/" + std::to_string(getpid()) + "/children");
    const std::vector<pid_t> children{std::istream_iterator<pid_t>(stream), {}};
    if (children.empty()) return;
    for (const pid_t pid : children) kill(pid, SIGKILL);
    for (const pid_t pid : children) waitpid(pid, nullptr, 0);
  }
}

}  // namespace warpladder
