#include "grader/judge/timing.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <variant>
#include <vector>

namespace warpladder {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTimedRuns = 7, kCpuRuns = 3;

// One run on fresh input, for the clock. Its answer is checked like any other.
std::variant<Timing, Failure> timed_run(Submission& submission, const Lab& lab, const Case& job) {
  submission.give(input_of(lab, job));
  return submission.run(job, lab.real_seconds, true);
}

// The working kernel of the rung below, which the speedup is over. It is called as its own lab has it: by another name,
// perhaps, on as many elements.
class Rung {
 public:
  Rung(const Below& below, SubmissionSpec specification) : lab_(load_lab(below.folder)) {
    lab_.real_size = specification.lab->real_size;
    specification.binary = below.binary;
    specification.lab = &lab_;
    submission_.emplace(specification);
    if (auto failure = submission_->start()) throw JudgeFault(fault());
  }
  // ms of run `run` on fresh input.
  double time(uint64_t seed, int run) {
    const auto outcome = timed_run(*submission_, lab_, measured_case(lab_, seed, run));
    if (const Timing* timing = std::get_if<Timing>(&outcome)) return timing->events_ms.value_or(timing->host_ms);
    throw JudgeFault(fault());
  }

 private:
  std::string fault() const {
    return "lab " + lab_.number + "'s solution, which this lab's speedup is over, does not run. Build the labs again.";
  }

  Lab lab_;
  std::optional<Submission> submission_;
};

}  // namespace

bool is_timed_on_host(const Lab& lab) { return lab.contract->find_entry(lab.measured)->on_host; }

std::optional<Failure> time_on_gpu(const SubmissionSpec& specification, const Below& below, uint64_t seed,
                                   Speed& speed) {
  const Lab& lab = *specification.lab;
  Submission submission(specification);
  if (auto failure = submission.start()) return failure;
  std::optional<Rung> rung;
  if (!below.binary.empty()) rung.emplace(below, specification);
  std::vector<double> events, host, base;
  for (int run = 0; run <= kTimedRuns; ++run) {  // run 0 warms up
    auto outcome = timed_run(submission, lab, measured_case(lab, seed, run));
    if (const auto* failure = std::get_if<Failure>(&outcome)) return *failure;
    const double other = rung ? rung->time(seed, run) : 0;
    if (run == 0) continue;
    const Timing& mine = std::get<Timing>(outcome);
    host.push_back(mine.host_ms);
    events.push_back(mine.events_ms.value_or(mine.host_ms));
    if (rung) base.push_back(other);
  }
  speed.ms = median(events);
  speed.host_ms = median(host);
  if (!base.empty()) speed.baseline_ms = median(base);
  if (lab.baseline == "cpu") speed.baseline_ms = speed.serial_cpu_ms;
  speed.runs = kTimedRuns;
  speed.what =
      "measured: median of " + std::to_string(kTimedRuns) + " runs by " +
      (is_timed_on_host(lab) ? "the host's clock, copies to the device and back included" : "CUDA events, L2 cold") +
      ", fresh input each";
  speed.reason.clear();
  return submission.stop();
}

void time_cpu(const Lab& lab, uint64_t seed, Speed& speed) {
  const Baseline& baseline = lab.contract->baseline;
  const Bytes input = input_of(lab, measured_case(lab, seed));
  const auto time = [&](uint64_t (*work)(std::string_view, View)) {
    std::vector<double> milliseconds;
    volatile uint64_t sink = 0;  // else the compiler may leave the work out
    for (int run = 0; run < kCpuRuns; ++run) {
      const auto start = Clock::now();
      sink = sink + work(lab.measured, input);
      milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    return median(milliseconds);
  };
  speed.serial_cpu_ms = time(baseline.serial);
  if (baseline.parallel != nullptr) speed.parallel_cpu_ms = time(baseline.parallel);
  speed.parallel_cpu_what =
      std::string(baseline.parallel_what) + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads";
}

}  // namespace warpladder
