#include "grader/judge/trial/judge.h"

#include "grader/judge/compile/compile.h"
#include "grader/judge/run/process_failure.h"
#include "grader/judge/sandbox/sandbox.h"
#include "grader/judge/trial/canary.h"
#include "grader/judge/trial/steps.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

// For the CUDA of this machine: libcudart.so.13, or .12.
bool has_runtime(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, ignored))
    if (file.path().filename().string().starts_with("libcudart.so.")) return true;
  return false;
}

Device device_for(const JudgeOptions& options, const Build& build) {
  const Device device{!options.on_gpu, build.lockstep, build.program_sees};
  if (!device.is_lockstep && !options.thorough) return device;
  if (!has_runtime(device.lockstep) || !fs::exists(device.lockstep / "device_server"))
    throw JudgeFault(message("lockstep is not in {folder}. Build it first: cmake --build build",
                             {{"folder", device.lockstep.string()}}));
  return device;
}

Setting setting_for(const JudgeOptions& options, const Lab& lab, const Device& device) {
  Setting setting;
  setting.lab = lab.name;
  setting.file = options.file.empty() ? options.binary : options.file;
  setting.device = device.name();
  setting.baseline = lab.baseline;
  setting.seed = options.seed;
  setting.is_thorough = options.thorough;
  setting.is_whole = options.is_whole();
  setting.worth = worth_of(lab);
  if (!options.file.empty()) setting.sandbox.compile = Sandbox::here().text();
  setting.sandbox.run = Sandbox::here().text();
  setting.sandbox.is_weaker = !Sandbox::here().is_full();
  setting.sandbox.device = !device.is_lockstep ? "card" : lab.is_opencl() ? "in process" : "separate process";
  return setting;
}

Below below_of(const JudgeOptions& options, const Build& build) {
  if (build.baseline.empty()) return {};
  return {options.lab.parent_path() / build.baseline.parent_path().filename(), build.baseline};
}

class Trial {
 public:
  explicit Trial(const JudgeOptions& options);
  Result run();

 private:
  void compile_file();
  void run_plan(const Plan& plan, bool throws_killed);
  fs::path machine_code_for(const Step& step);

  const JudgeOptions& options_;
  Lab lab_;
  Build build_;
  std::optional<Hidden> hidden_;
  Device device_;
  TemporaryFolder folder_;
  fs::path binary_;
  std::optional<Asking> asking_;
  Events events_;
  Ledger ledger_;
};

Trial::Trial(const JudgeOptions& options)
    : options_(options),
      lab_(load_lab(options.lab)),
      build_(load_build(options.build)),
      hidden_(options.hidden.empty() ? std::nullopt
                                     : std::optional(load_hidden(options.hidden, lab_, options.lab.parent_path()))),
      device_(device_for(options, build_)),
      binary_(options.file.empty() ? options.binary : folder_.path() / "submission"),
      events_(options.events),
      ledger_(
          setting_for(options, lab_, device_), [this] { return machine_works(build_, lab_, device_); }, events_) {
  ledger_.result().speed.reason = device_.is_lockstep && lab_.is_timed_on_host()
                                      ? message("functions of the host are timed beside a card only")
                                      : message("not reached");
}

Result Trial::run() {
  try {
    const Plan plan = make_plan(options_, lab_, hidden_);  // a mistyped --case is told before anything is compiled
    if (!options_.file.empty()) compile_file();
    if (!ledger_.has_failure()) {
      const Result before = ledger_.result();
      try {
        run_plan(plan, true);
      } catch (const Killed&) {  // perhaps by the kernel, because another program took the memory: once more
        ledger_.result() = before;
        run_plan(plan, false);
      }
    }
  } catch (const JudgeFault& fault) { ledger_.fail_by(fault); }
  Result& result = ledger_.result();
  if (result.speed.reason.empty()) result.speed.reason = message(lab_.speed_why);
  return result;
}

// A compiler that fails because of a full disk, a missing tool or a busy machine is not the learner's fault.
void Trial::compile_file() {
  const auto once = [&] { return compile(build_, lab_, options_.file, binary_, folder_, &ledger_.result().warnings); };
  auto failure = once();
  if (failure && compiler_was_killed(*failure)) failure = once();
  if (!failure) return events_.compiled();
  if (failure->verdict == Verdict::kCompileError) {
    if (const auto trouble = compiler_trouble(build_, lab_))
      throw JudgeFault(message("a file that does nothing does not compile on this machine either: {step}\n{printed}",
                               {{"step", trouble->steps.front()}, {"printed", trouble->printed}}));
  }
  ledger_.fail(std::move(*failure));
}

// Asking takes a third of a second. It begins when the first cases have passed, and is over when counters are wanted.
fs::path Trial::machine_code_for(const Step& step) {
  const bool counts = step.kind == Step::Kind::kCounters || !step.report.empty();
  const bool is_first = step.needs == Step::Needs::kNothing;
  if (!device_.is_lockstep || (is_first && !counts)) return {};
  if (!asking_) asking_.emplace(build_, lab_, binary_, folder_);
  if (!counts) return {};
  asking_->wait();
  return asking_->answers();
}

void Trial::run_plan(const Plan& plan, bool throws_killed) {
  SubmissionSpec spec;
  spec.binary = binary_;
  spec.device = device_;
  spec.lab = lab_;
  spec.trace = options_.trace;
  spec.cache =
      folder_.path() / "pocl";  // the processes of one judgement share compiled kernels, and leave nothing behind
  spec.throws_killed = throws_killed;
  Allowance allowance{lab_.limits.whole};
  spec.allowance = &allowance;
  for (const Step& step : plan.steps) {
    if (step.needs == Step::Needs::kNoFailure && ledger_.has_failure()) continue;
    if (step.needs == Step::Needs::kRightAnswers && !ledger_.is_right()) {
      ledger_.result().leaves_out |= !step.batches.empty() && !step.is_secret;
      continue;
    }
    spec.machine_code = machine_code_for(step);
    const auto work = [&] { run_step(step, spec, below_of(options_, build_), plan.measured_seed, ledger_); };
    step.is_secret ? ledger_.in_secret(work) : work();
  }
  if (plan.hold != Figures::kNone) hold_figures(lab_, plan.hold, ledger_.result().rules, ledger_.result().failure);
}

}  // namespace

Result judge(const JudgeOptions& options) {
  try {
    return Trial(options).run();
  } catch (const JudgeFault& fault) {  // before there was anything to judge
    Setting setting;
    setting.lab = options.lab.filename();
    setting.file = options.file.empty() ? options.binary : options.file;
    setting.device = options.on_gpu ? "gpu" : "lockstep";
    Ledger ledger(setting, [] { return true; });
    ledger.fail_by(fault);
    return ledger.result();
  }
}

}  // namespace warpladder
