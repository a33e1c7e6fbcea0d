#include "grader/judge/run/submission.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <random>

#include <fcntl.h>
#include <unistd.h>

#include "grader/judge/base/json.h"
#include "grader/judge/run/process_failure.h"

namespace warpladder {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr size_t kHostGuard = 4096;  // bytes
constexpr double kCasesToStart = 3;  // starting may take as long as so many cases, and so may stopping
constexpr int kCudaUnknown = 999;    // cudaErrorUnknown, with which lockstep lets a call fail

ResultLayout layout_of(const EntryInfo& entry, size_t n, size_t guard) {
  return {n * entry.element_bytes, entry.out_bytes(n), guard};
}

// Room for n elements of each entry of the lab.
ResultLayout largest_layout(const Lab& lab, size_t n, size_t guard) {
  ResultLayout largest{0, 0, guard};
  for (const EntryInfo& entry : lab.contract->entries) {
    if (std::ranges::find(lab.entries, entry.name) == lab.entries.end()) continue;
    const ResultLayout layout = layout_of(entry, n, guard);
    largest.in_bytes = std::max(largest.in_bytes, layout.in_bytes);
    largest.out_bytes = std::max(largest.out_bytes, layout.out_bytes);
  }
  return largest;
}

SubmissionSpec with_limits(SubmissionSpec spec) {
  if (spec.checked) spec.cpu_seconds *= 4;
  return spec;
}

// Whether kernels see another input than the program has. A part of the input is two words at least, and few programs
// cut it smaller.
bool may_differ(const Case& job) {
  constexpr size_t kLeast = 64;  // elements
  return (job.input == "random" || job.input == "rough") && job.n >= kLeast;
}

constexpr size_t kMostRecognisable = sizeof(uint32_t) << 25;  // bytes: there are no more words

// The input for the program where kernels see another one. No two words are equal, so the device recognises each part
// (lockstep's device/other_input.h).
// Bytes behind the last whole word are those of the input that kernels see.
Bytes recognisable(View input) {
  constexpr uint32_t kFirst = 0x3e800000, kMask = (1u << 25) - 1, kFactor = 0x9e3779b1;
  Bytes made(input.begin(), input.end());
  for (uint32_t i = 0; i < input.size() / sizeof i; ++i) {
    const uint32_t word = kFirst + (i * kFactor & kMask);
    std::memcpy(&made[i * sizeof word], &word, sizeof word);
  }
  return made;
}

}  // namespace

Submission::Submission(SubmissionSpec spec)
    : spec_(with_limits(std::move(spec))),
      input_("input", largest_layout(spec_.lab, spec_.largest_n, 0).in_bytes, SharedMemory::Others::kMayRead),
      result_("result", largest_layout(spec_.lab, spec_.largest_n, kHostGuard).total(),
              SharedMemory::Others::kMayWrite),
      jobs_(make_pipe()),
      next_id_(std::random_device()()) {
  ChildSpec program = program_of(spec_, folder_.path());
  program.descriptors = {{jobs_.read.get(), kJobsFd}, {input_.fd(), kInputFd}, {result_.fd(), kResultFd}};
  program.lines_fd = kRepliesFd;
  Fd device;
  if (spec_.has_device_process()) {
    vault_.emplace(largest_layout(spec_.lab, spec_.largest_n, 0));
    device_.emplace(spec_, vault_->fd());
    device = device_->take_end();
    program.descriptors.emplace_back(device.get(), kDeviceFd);
  }
  fcntl(jobs_.write.get(), F_SETFL, O_NONBLOCK);  // a program that never reads must not block us
  child_.emplace(program);
  if (device_) child_->works_with(device_->child());
  jobs_.read.reset();
}

std::string Submission::printed() const { return child_->output() + child_->errors(); }

Child::Event Submission::wait(double seconds) {
  Allowance* const allowance = spec_.allowance;
  const double before = child_->used();
  const double most = allowance != nullptr ? std::min(seconds, allowance->left()) : seconds;
  const Child::Event event = child_->wait(most * slower_);
  if (allowance == nullptr) return event;
  allowance->used += (child_->used() - before) / slower_;
  if (event == Child::Event::kTimeout && most < seconds) allowance->used = allowance->seconds;  // whatever was rounded
  return event;
}

Failure Submission::out_of_time(const Message& what, double seconds) {
  if (spec_.allowance != nullptr && spec_.allowance->left() == 0) return allowance_failure(spec_.allowance->seconds);
  Failure failure =
      time_failure(message("{what} within {time}", {{"what", what}, {"time", seconds_text(seconds * slower_)}}));
  failure.advice = "endless";
  return failure;
}

// Waits for one line. It is a failure if none comes; `what` then names the call that gave no answer.
std::optional<Failure> Submission::await(double seconds, const Message& what) {
  std::optional<Failure> failure;
  switch (wait(seconds)) {
    case Child::Event::kLine: return std::nullopt;
    case Child::Event::kEnded:
      throw_if_killed();
      failure = ended_failure(*child_, spec_.cpu_seconds);
      break;
    case Child::Event::kTimeout:
      failure = out_of_time(message("{what} gave no answer", {{"what", what}}), seconds);
      break;
    case Child::Event::kOutputLimit: failure = output_failure(); break;
  }
  failure->printed = printed();
  return failure;
}

void Submission::throw_if_killed() const {
  if (spec_.throws_killed && child_->was_killed()) throw Killed();
}

std::optional<Failure> Submission::start() {
  auto failure = await(kCasesToStart * spec_.lab.limits.one_case, message("the program's start"));
  try {
    if (!failure) failure = greeted();
  } catch (const Json::exception&) {  // keys of other types than those of the runner
    failure = refused_failure(child_->line(), child_->errors());
  }
  if (!failure) return std::nullopt;
  auto trouble = device_trouble();
  return trouble ? trouble : failure;
}

// Reads the runner's first line: every function of the lab must be there.
std::optional<Failure> Submission::greeted() {
  const Json reply = Json::parse(child_->line(), nullptr, false);
  const std::string status = reply.is_object() ? reply.value("status", "") : "";
  if (status != "ready" || !reply.contains("entries")) return refused_failure(child_->line(), child_->errors());
  card_ = reply.value("device", "");
  const auto there = reply["entries"].get<std::vector<std::string>>();
  for (const std::string& entry : spec_.lab.entries) {
    if (std::ranges::find(there, entry) != there.end()) continue;
    return compile_failure(
        message("the file defines no {function}", {{"function", spec_.lab.contract->find_entry(entry)->signature}}),
        message("Compare its name and its parameters with {file}.",
                {{"file", "common/contracts/" + spec_.lab.contract->name + ".h"}}));
  }
  return std::nullopt;
}

// The arrays of a call that takes device memory do not pass through the program.
bool Submission::is_sealed(const Case& job) const { return vault_ && !job.entry->on_host; }

// Bytes are counted if kernels do the work.
bool Submission::is_counted(const Case& job) const { return vault_ && job.entry->on_device; }

void Submission::give(const Case& job, View input) {
  if (is_sealed(job)) return vault_->give(input);
  const bool differs = is_counted(job) && may_differ(job) && input.size() <= kMostRecognisable;
  const Bytes shown = differs ? recognisable(input) : Bytes();
  if (is_counted(job)) vault_->give(differs ? View(shown) : input, differs ? input : View());
  std::ranges::copy(differs ? View(shown) : input, input_.data());
}

Job Submission::job_of(const Case& job) const {
  const size_t guard = job.entry->on_host ? kHostGuard : spec_.device.guard_bytes();
  return {job, spec_.lab, layout_of(*job.entry, job.n, guard), next_id_ + 1};
}

std::optional<Failure> Submission::send(const Job& job, Clock clock, bool answers) {
  // Bytes that the process leaves out keep a value that no right answer has.
  const bool sealed = is_sealed(job.one_case);
  if (is_counted(job.one_case)) vault_->open(job);
  if (!sealed) std::memset(result_.data(), kPoisonByte, job.layout.total());
  next_id_ = job.id;
  const Json message = {{"id", job.id},
                        {"entry", job.one_case.entry->name},
                        {"n", job.one_case.n},
                        {"block", job.one_case.block},
                        {"in_bytes", job.layout.in_bytes},
                        {"out_bytes", job.layout.out_bytes},
                        {"in_offset", job.one_case.in_offset * job.one_case.entry->in_step},
                        {"out_offset", job.one_case.out_offset * job.one_case.entry->out_step},
                        {"on_host", job.one_case.entry->on_host},
                        {"guard", job.layout.guard},
                        {"return_input", job.one_case.entry->const_input},
                        {"timed", clock == Clock::kOurs},
                        {"profiled", spec_.failing_call != 0},
                        {"answers", answers},
                        {"sealed", sealed}};
  return say(message.dump() + "\n");
}

// If the process is gone, await() will say how it ended.
std::optional<Failure> Submission::say(const std::string& text) {
  if (child_->has_spoken()) {  // without being asked
    child_->wait(1);
    return refused_failure(child_->line(), child_->errors());
  }
  // The pipe is much larger than a job, and the job before has been answered: a full pipe means that nobody reads.
  if (write(jobs_.write.get(), text.data(), text.size()) < 0 && errno != EPIPE)
    return protocol_failure(message("the program answers jobs that it does not read"));
  return std::nullopt;
}

// The words are chosen after the process has said that the call ended. With eight words, a process that has nine tenths
// of the output is still caught in more than half of its calls.
std::string Submission::ask_to_show(size_t out_bytes) {
  constexpr size_t kShown = 8;
  std::random_device random;
  shown_.asked.clear();
  for (size_t words = out_bytes / sizeof(uint32_t); words > 0 && shown_.asked.size() < kShown;)
    shown_.asked.push_back(random() % words * sizeof(uint32_t));
  return Json{{"show", shown_.asked}}.dump() + "\n";
}

// For a timed call. The process's reply is the last line that comes. The clock runs from "go" until the words of the
// output are here. If the process sends another line before that, that line is its reply.
std::optional<Failure> Submission::hold_clock(const Job& job, double seconds) {
  const std::string what(job.one_case.entry->name);
  const auto says = [&](const char* status) {
    const Json reply = Json::parse(child_->line(), nullptr, false);
    return reply.is_object() && reply.value("id", Json()) == job.id && reply.value("status", Json()) == status;
  };
  if (auto failure = await(seconds, what)) return failure;
  if (!says("set")) return std::nullopt;
  const CallClock clock = child_->call_clock();
  if (auto failure = say("{\"go\":true}\n")) return failure;
  if (auto failure = await(seconds, what)) return failure;
  if (!says("called")) return std::nullopt;
  if (auto failure = say(ask_to_show(job.layout.out_bytes))) return failure;
  if (auto failure = await(seconds, what)) return failure;
  shown_.whole_ms = clock.milliseconds();
  if (!says("shown")) return std::nullopt;
  shown_.line = child_->line();
  return await(seconds, what);
}

std::optional<Failure> Submission::run(const Case& one_case, double seconds, Clock clock) {
  const Job job = job_of(one_case);
  const bool is_timed = clock == Clock::kOurs;
  shown_ = {};
  slower_ = spec_.checked && one_case.n > kLargestChecked ? kSlowerChecked : 1;
  if (auto failure = send(job, clock)) return failure;
  if (auto failure = is_timed ? hold_clock(job, seconds) : await(seconds, one_case.entry->name)) return failure;
  const CameBack back = came_back(job);
  answered_ = {.timing = {}, .output = {}, .crossing = {}, .opencl_device = std::move(answered_.opencl_device)};
  std::optional<Failure> failure = inspect(job, back, answered_);
  answered_.timing.whole_ms = shown_.whole_ms;
  if (!failure && is_counted(one_case)) failure = open_vault(job, seconds);
  // What crossed may be the cause. The verdict does not depend on it.
  if (failure && failure->mismatch && is_counted(one_case))
    answered_.crossing = vault_->count(seconds, child_->watch());
  if (!failure && is_timed) failure = compare_shown(shown_, answered_.output, back.line);
  if (failure && failure->printed.empty()) failure->printed = printed();
  return failure;
}

CameBack Submission::came_back(const Job& job) const {
  if (is_sealed(job.one_case))
    return {child_->line(), child_->errors(), vault_->input(), vault_->result(job), vault_->input()};
  const View input(input_.data(), job.layout.in_bytes);
  const bool other = is_counted(job.one_case) && vault_->has_other();
  return {
      child_->line(), child_->errors(), input, {result_.data(), job.layout.total()}, other ? vault_->other() : input};
}

// After a right answer: the device must have it, too, and what crossed until then is known.
std::optional<Failure> Submission::open_vault(const Job& job, double seconds) {
  answered_.crossing = vault_->count(seconds, child_->watch());
  if (!answered_.crossing)
    return time_failure(
        message("a kernel still ran {time} after the call had ended", {{"time", seconds_text(seconds)}}));
  if (is_sealed(job.one_case) && !vault_->has_arrays(job))
    return protocol_failure(message("the answer came without the arrays of the call"));
  return std::nullopt;
}

// A program that ends itself has noticed something: by exit() with any code, by abort(), by an exception that nobody
// caught. A program that uses what the call should have given crashes.
Submission::Reaction Submission::reaction_without_answer() const {
  if (!child_->has_ended()) return Reaction::kNoAnswer;
  const int signal = child_->ending_signal();
  if (signal == SIGXCPU || signal == SIGXFSZ) return Reaction::kNoAnswer;
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE ? Reaction::kCrashed : Reaction::kNoticed;
}

Submission::Reaction Submission::react(const Case& job, double seconds) {
  if (send(job_of(job), Clock::kNone, false) || await(seconds, job.entry->name)) return reaction_without_answer();
  const Json reply = Json::parse(child_->line(), nullptr, false);
  const auto says = [&](const char* key, const Json& value) {
    return reply.is_object() && reply.value(key, Json()) == value;
  };
  // The runner's handler of a crash knows no job, and gives the number 0.
  if (says("status", "exception") || (says("status", "memory") && says("id", next_id_))) return Reaction::kNoticed;
  if (says("status", "memory")) return Reaction::kCrashed;
  // If "file" is missing, the runner saw the error and not the code.
  if (says("status", "cuda") && reply.contains("file"))
    return says("code", kCudaUnknown) ? Reaction::kNoticed : Reaction::kOtherError;
  if (reply.is_object() && reply.contains("value") && reply["value"].is_number()) returned_ = reply["value"];
  stop();
  return report().find("injected_error") == std::string::npos ? Reaction::kNothingFailed : Reaction::kReturned;
}

std::optional<Failure> Submission::stop() {
  auto failure = stop_program();
  auto trouble = device_trouble();
  return trouble ? trouble : failure;
}

std::optional<Failure> Submission::device_trouble() {
  if (!device_ || device_stopped_) return device_trouble_;
  device_stopped_ = true;
  child_->end();
  device_trouble_ = device_->finish(spec_.lab.limits.one_case);
  if (device_trouble_) device_trouble_->printed = printed();
  return device_trouble_;
}

std::optional<Failure> Submission::stop_program() {
  slower_ = 1;
  if (auto failure = say("{\"quit\":true}\n")) return failure;
  const double seconds = kCasesToStart * spec_.lab.limits.one_case;
  switch (wait(seconds)) {
    case Child::Event::kEnded: throw_if_killed(); break;
    case Child::Event::kTimeout: return out_of_time(message("the program did not end"), seconds);
    case Child::Event::kLine:
      return refused_failure(child_->line(), child_->errors());  // a destructor wrote it, or the program made it up
    case Child::Event::kOutputLimit: return output_failure();
  }
  if (child_->ended_well()) return std::nullopt;
  return make_failure(Verdict::kRuntimeError, "runtime",
                      message("after its last answer the program {ended}", {{"ended", child_->how_it_ended()}}),
                      message("Look at objects with a lifetime beyond the functions: their destructors run now."),
                      child_->errors());
}

std::string Submission::report() const { return device_ ? device_->report() : ""; }

}  // namespace warpladder
