#include "grader/judge/speed/timing.h"

#include <functional>
#include <future>
#include <thread>
#include <variant>

#include <time.h>
#include <unistd.h>

#include "grader/judge/base/random.h"
#include "grader/judge/sandbox/time_used.h"
#include "grader/judge/speed/contest.h"

namespace warpladder {
namespace {

constexpr int kCpuRuns = 3;
constexpr int kWarmUpsAlone = 2, kRunsAlone = 5;  // calls of the baseline, before the submission's process exists
constexpr int kInputsAtOnce = 8;                  // inputs of up to 100 MiB each

double milliseconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

// ms for the contract's work on the host. For work of this thread alone the clock is the thread's own, which stands
// still while the machine runs other programs.
double time_once(uint64_t (*work)(std::string_view, View), const Lab& lab, const Bytes& input,
                 clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  static volatile uint64_t sink = 0;  // without it the compiler may leave the work out
  const double start = milliseconds_of(clock);
  sink = sink + work(lab.measured, input);
  return milliseconds_of(clock) - start;
}

// A fresh input for each pair. Several are made at once, on several cores, while nothing is timed.
class Inputs {
 public:
  Inputs(const Lab& lab, uint64_t seed) : lab_(lab), seed_(seed) {}
  const Bytes& of(int pair) {
    const int at = pair % kInputsAtOnce;
    if (inputs_.empty() || pair - at != first_) make(pair - at);
    return inputs_[static_cast<size_t>(at)];
  }

 private:
  void make(int first) {
    first_ = first;
    inputs_.clear();
    std::vector<std::future<Bytes>> makers;
    for (int i = 1; i <= kInputsAtOnce; ++i)
      makers.push_back(std::async(std::launch::async, input_of, measured_case(lab_, seed_, first + i)));
    for (auto& maker : makers) inputs_.push_back(maker.get());
  }

  const Lab& lab_;
  uint64_t seed_;
  int first_ = 0;
  std::vector<Bytes> inputs_;
};

// One process whose calls are timed.
class Runner {
 public:
  explicit Runner(const SubmissionSpec& specification) : lab_(specification.lab), submission_(specification) {}
  std::optional<Failure> start() { return submission_.start(); }
  std::optional<Failure> stop() {  // stops once; later calls return the same result
    if (!std::exchange(is_stopped_, true)) late_ = submission_.stop();
    return late_;
  }

  // The answer is checked like that of any other call.
  std::optional<Failure> time(const Bytes& input, uint64_t seed) {
    const Case job = measured_case(lab_, seed);
    submission_.give(job, input);
    return submission_.run(job, lab_.limits.real_case, Submission::Clock::kOurs);
  }
  // The device's own time decides. Where the arrays are the host's, the whole call does.
  TimedCall last_call() const {
    const double whole_ms = last().whole_ms;
    if (lab_.is_timed_on_host()) return {whole_ms, whole_ms};
    return {last().device_ms ? *last().device_ms : last().events_ms.value_or(whole_ms), whole_ms};
  }
  std::string card() const { return submission_.card(); }
  const Timing& last() const { return submission_.answered().timing; }

 private:
  const Lab lab_;
  Submission submission_;
  bool is_stopped_ = false;
  std::optional<Failure> late_;
};

// The baseline: the rung below in a process of its own, or a plain loop in ours where there is no such rung.
class Opponent {
 public:
  Opponent(const SubmissionSpec& specification, const Below& below) : lab_(specification.lab) {
    if (below.binary.empty()) return;
    SubmissionSpec other = specification;
    other.binary = below.binary;
    other.allowance = nullptr;           // the submission does not pay for its baseline
    other.lab = load_lab(below.folder);  // which may have another entry
    other.lab.sizes.real = lab_.sizes.real;
    number_ = other.lab.number;
    rung_.emplace(other);
    if (rung_->start()) throw fault();
  }

  TimedCall time(const Bytes& input, uint64_t seed) {
    if (!rung_) {
      const double ms = time_once(lab_.measured_entry().code.baseline->serial, lab_, input);
      return {ms, ms};
    }
    if (rung_->time(input, seed)) throw fault();
    return rung_->last_call();
  }
  // Medians. Call it while the submission has no process.
  TimedCall time_alone(Inputs& inputs, uint64_t seed) {
    std::vector<double> ms, whole_ms;
    for (int run = 0; run < kWarmUpsAlone + kRunsAlone; ++run) {
      const TimedCall call = time(inputs.of(run), seed);
      if (run < kWarmUpsAlone) continue;
      ms.push_back(call.ms);
      whole_ms.push_back(call.whole_ms);
    }
    return {median(ms), median(whole_ms)};
  }
  const Timing* last() const { return rung_ ? &rung_->last() : nullptr; }  // null: the baseline has no process

 private:
  JudgeFault fault() const {
    return JudgeFault(
        message("lab {lab}'s solution, which this lab's speedup is over, does not run. Build the labs again.",
                {{"lab", number_}}));
  }

  const Lab& lab_;
  std::string number_;
  std::optional<Runner> rung_;
};

ContestRules rules_of(const Lab& lab) {
  ContestRules rules;
  rules.thresholds = lab.thresholds;
  if (lab.is_timed_on_host()) return rules;
  const EntryInfo& entry = lab.measured_entry();
  rules.read_bytes = static_cast<double>(lab.sizes.real * entry.element_bytes);
  rules.traffic_bytes = rules.read_bytes;
  if (entry.fills_output) rules.traffic_bytes += static_cast<double>(entry.out_bytes(lab.sizes.real));
  return rules;
}

Message method(const Lab& lab, const Timing& timing, const Speed& speed) {
  const char* how = lab.is_timed_on_host()
                        ? later("the whole call by the judge's clock, copies to the device and back included")
                    : timing.device_ms ? later("the time that the device is at work (CUPTI)")
                                       : later("CUDA events around the call");
  return message(
      "{how}; medians of {count} pairs of calls, this code's and the baseline's in turn, fresh input each, L2 "
      "cold; the speedup's interval holds its median in 99 of 100 runs",
      {{"how", message(how)}, {"count", speed.measured.runs}});
}

}  // namespace

std::optional<Failure> time_on_gpu(SubmissionSpec specification, const Below& below, uint64_t seed, Speed& speed) {
  const Lab& lab = specification.lab;
  specification.largest_n = lab.sizes.real;
  Inputs inputs(lab, seed);
  Opponent opponent(specification, below);
  ContestRules rules = rules_of(lab);
  rules.base_alone = opponent.time_alone(inputs, seed);
  rules.base_on_device = opponent.last() != nullptr && opponent.last()->device_ms && !lab.is_timed_on_host();
  Runner mine(specification);
  if (auto failure = mine.start()) return failure;
  Random coin(seed_of(seed, "order"));
  const auto next = [&](int number) -> std::variant<TimedPair, Failure> {
    const Bytes& input = inputs.of(number);
    std::optional<Failure> failure;
    const bool mine_first = coin.below(2) == 0;  // so neither code always finds the card as the other left it
    if (mine_first) failure = mine.time(input, seed);
    const TimedCall base = opponent.time(input, seed);
    if (!mine_first) failure = mine.time(input, seed);
    if (failure) return *failure;
    TimedCall call = mine.last_call();
    // If the baseline's process has CUPTI and this one has not, this code has disabled it: then only our clock counts.
    if (rules.base_on_device && !mine.last().device_ms) call.ms = call.whole_ms;
    return TimedPair{call, base, (opponent.last() ? *opponent.last() : mine.last()).copy_gb_per_s};
  };
  rules.base_again = [&] {
    mine.stop();
    return opponent.time_alone(inputs, seed);
  };
  Stopwatch watch({getpid()}, Stopwatch::Looks::kRare);  // so that a contest has as many pairs on a busy machine
  auto failure = hold_contest(
      rules, next, [&] { return watch.used(); }, speed);
  if (failure) return failure;
  speed.kind = "measured";
  speed.card = mine.card();
  speed.what = method(lab, mine.last(), speed);
  return mine.stop();
}

void time_cpu(const Lab& lab, uint64_t seed, Speed& speed) {
  const Baseline& baseline = *lab.measured_entry().code.baseline;
  const Bytes input = input_of(measured_case(lab, seed));
  const auto time = [&](auto work, clockid_t clock) {
    std::vector<double> milliseconds;
    for (int run = 0; run < kCpuRuns; ++run) milliseconds.push_back(time_once(work, lab, input, clock));
    return median(milliseconds);
  };
  speed.cpu.serial_ms = time(baseline.serial, CLOCK_THREAD_CPUTIME_ID);
  if (baseline.parallel != nullptr) speed.cpu.parallel_ms = time(baseline.parallel, CLOCK_MONOTONIC);
  speed.cpu.parallel_what = message("{how}, {count} threads", {{"how", message(baseline.parallel_what)},
                                                               {"count", std::thread::hardware_concurrency()}});
}

}  // namespace warpladder
