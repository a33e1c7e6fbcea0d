#include "grader/judge/submission.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/runner/protocol.h"

namespace warpladder {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr size_t kHostGuard = 4096;
constexpr double kStartSeconds = 30, kStopSeconds = 30;
constexpr uint64_t kDataLimit = uint64_t{8} << 30;  // host memory and, on lockstep, device memory with its shadows
constexpr const char* kLockstepMemory = "4G";       // device memory there

// cudaError_t by number: the judge is built without CUDA.
constexpr int kCudaOutOfMemory = 2, kCudaIllegalAddress = 700, kCudaUnknown = 999;

Clock::time_point in(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string seconds_text(double seconds) {
  std::ostringstream text;
  text << seconds << (seconds == 1 ? " second" : " seconds");
  return text.str();
}

Failure time_failure(const std::string& what) {
  return {Verdict::kTime,
          "time",
          {what},
          "Look for a loop whose end is never reached, or for a barrier or a lock that waits for ever.",
          ""};
}

Failure memory_failure(const std::string& what) {
  return {Verdict::kMemory,
          "memory",
          {what},
          "Look for an allocation whose size was computed wrongly, or one that is repeated and never freed.",
          ""};
}

// A CUDA error as check.h or the runner reported it.
Failure cuda_failure(const Json& reply) {
  const int code = reply.value("code", 0);
  const std::string name = reply.value("name", ""), call = reply.value("call", "");
  std::string what = name + ": " + reply.value("text", "");
  if (reply.contains("file")) {
    what =
        reply.value("file", "") + ":" + std::to_string(reply.value("line", 0)) + ": " + call + " failed with " + what;
  } else {
    what = "CUDA reports " + what + (call.empty() ? "" : " (seen at " + call + ")");
  }
  if (code == kCudaOutOfMemory) return memory_failure("device memory ran out: " + what);
  if (code == kCudaIllegalAddress) {
    return {Verdict::kRuntimeError,
            "guard",
            {what},
            "A thread used an index outside an array: compare the guard of each access with n.",
            ""};
  }
  return {Verdict::kRuntimeError,
          "runtime",
          {what},
          "Look at the launch, its block and grid size, and at the calls before it.",
          ""};
}

// The runner writes no such line.
Failure foreign_line() {
  return {Verdict::kRuntimeError,
          "runtime",
          {"the program wrote into the judge's pipe"},
          "Use stdout and stderr only.",
          ""};
}

// The bytes of a guard band at `at` are as they were; else the distance of the first that is not.
std::optional<size_t> first_broken(View result, size_t at, size_t guard) {
  for (size_t i = 0; i < guard; ++i) {
    if (result[at + i] != static_cast<std::byte>(guard_byte(i))) return i;
  }
  return std::nullopt;
}

// A folder that names NVIDIA's OpenCL driver. Containers often have the driver without the file that says so.
std::string nvidia_vendor(const std::filesystem::path& in) {
  std::filesystem::create_directory(in / "vendors");
  std::ofstream(in / "vendors" / "nvidia.icd") << "libnvidia-opencl.so.1\n";
  return in / "vendors";
}

}  // namespace

std::optional<std::string> broken_guard(View result, const ResultLayout& layout, size_t in_element,
                                        size_t out_element) {
  struct Band {
    const char* array;
    size_t start, bytes, element;
  };
  const Band arrays[] = {{"the input", layout.in_guarded(), layout.in_bytes, in_element},
                         {"the output", layout.out_guarded(), layout.out_bytes, out_element}};
  for (const Band& array : arrays) {
    if (const auto at = first_broken(result, array.start, layout.guard)) {
      return std::to_string(layout.guard - *at) + " bytes before the first element of " + array.array +
             " were overwritten";
    }
    if (const auto at = first_broken(result, array.start + layout.guard + array.bytes, layout.guard)) {
      return "element " + std::to_string((array.bytes + *at) / array.element) + " of " + array.array +
             " was written, which has " + std::to_string(array.bytes / array.element);
    }
  }
  return std::nullopt;
}

std::optional<std::string> changed_input(View before, View after, size_t element_bytes) {
  if (before.empty() || std::memcmp(before.data(), after.data(), before.size()) == 0) return std::nullopt;
  const auto [was, is] = std::ranges::mismatch(before, after);
  const auto at = static_cast<size_t>(was - before.begin()) / element_bytes;
  return "element " + std::to_string(at) + " of the input was changed, which the contract declares const";
}

Submission::Submission(SubmissionSpec spec)
    : spec_(std::move(spec)),
      input_("input", spec_.largest_n * spec_.lab->contract->element_bytes, SharedMemory::Others::kMayRead),
      result_("result",
              ResultLayout{spec_.largest_n * spec_.lab->contract->element_bytes,
                           spec_.lab->contract->out_bytes(spec_.largest_n), kHostGuard}
                  .total(),
              SharedMemory::Others::kMayWrite),
      jobs_(make_pipe()),
      next_id_(std::random_device()()) {
  ChildSpec child;
  child.command = {spec_.binary.string()};
  child.folder = folder_.path();
  child.environment = {{"TMPDIR", folder_.path()},
                       {"POCL_CACHE_DIR", spec_.cache.empty() ? folder_.path() / "pocl" : spec_.cache},
                       {"WARPLADDER_OPENCL", spec_.device.is_lockstep ? "cpu" : "gpu"}};
  if (spec_.device.is_lockstep) {
    child.environment.emplace_back("LD_LIBRARY_PATH", spec_.device.lockstep);
    child.environment.emplace_back("LOCKSTEP_MEMORY", kLockstepMemory);
    // Code that is wrong may depend on the order of the blocks, and a verdict must not; other judges may be at work,
    // too.
    child.environment.emplace_back("LOCKSTEP_THREADS", "1");
    if (!spec_.schedule.empty()) child.environment.emplace_back("LOCKSTEP_SCHEDULE", spec_.schedule);
    if (spec_.checked) child.environment.emplace_back("LOCKSTEP_CHECKS", "all");
    if (!spec_.trace.empty()) child.environment.emplace_back("LOCKSTEP_TRACE", spec_.trace);
    if (spec_.failing_call != 0)
      child.environment.emplace_back("LOCKSTEP_FAIL", "profiled:" + std::to_string(spec_.failing_call));
    if (spec_.wants_report) child.environment.emplace_back("LOCKSTEP_REPORT", folder_.path() / "report.json");
  }
  if (!spec_.device.is_lockstep && std::getenv("OCL_ICD_VENDORS") == nullptr &&
      !std::filesystem::exists("/etc/OpenCL/vendors/nvidia.icd"))
    child.environment.emplace_back("OCL_ICD_VENDORS", nvidia_vendor(folder_.path()));
  child.descriptors = {{jobs_.read.get(), kJobsFd}, {input_.fd(), kInputFd}, {result_.fd(), kResultFd}};
  child.lines_fd = kRepliesFd;
  child.limits.cpu_seconds = static_cast<uint64_t>(spec_.cpu_seconds);
  child.limits.data_bytes = kDataLimit;
  child_ = std::make_unique<Child>(child);
  jobs_.read.reset();
}

Failure Submission::fault(const std::string& what) const {
  return {Verdict::kJudgeFault,
          "judge",
          {what},
          "This is no fault of the code that was judged. Run it again; if it stays, report it.",
          child_->errors()};
}

std::string Submission::printed() const { return child_->output() + child_->errors(); }

// What to say of a line that is no answer.
Failure Submission::refused(const std::string& line) const {
  const Json reply = Json::parse(line, nullptr, false);
  const std::string status = reply.is_object() ? reply.value("status", "") : "";
  if (status == "cuda") return cuda_failure(reply);
  if (status == "memory") return memory_failure(reply.value("text", ""));
  if (status == "fault") return fault(reply.value("text", ""));
  if (status == "kernels")
    return {Verdict::kCompileError,
            "compile",
            {"OpenCL's compiler refuses the kernels"},
            "Start with the first error; later ones often follow from it.",
            ""};
  if (status == "opencl")
    return {Verdict::kRuntimeError,
            "runtime",
            {reply.value("text", "")},
            "Look the call up in OpenCL's reference: it lists what each of its errors means.",
            ""};
  if (status == "exception") {
    return {Verdict::kRuntimeError,
            "runtime",
            {"an exception left the function: " + reply.value("text", "")},
            "Functions of a contract return normally.",
            ""};
  }
  return foreign_line();
}

// What to say of a process that is gone although an answer was due.
Failure Submission::ended() const {
  const int signal = child_->ending_signal();
  if (signal == SIGXCPU)
    return time_failure("the limit of " + seconds_text(spec_.cpu_seconds) + " of CPU time is used up");
  if (signal == SIGKILL) return memory_failure("the system killed the process, as it does when memory runs out");
  const std::string errors = child_->errors();
  if (errors.find("std::bad_alloc") != std::string::npos)
    return memory_failure("an allocation on the host failed (std::bad_alloc)");
  if (signal == 0) {
    return {Verdict::kRuntimeError,
            "runtime",
            {"the program " + child_->how_it_ended() + " before it gave its answer"},
            "A function of a lab returns to its caller; it does not end the program.",
            ""};
  }
  return {Verdict::kRuntimeError,
          "runtime",
          {"the program " + child_->how_it_ended()},
          "Device memory may be used in kernels only, host memory on the host only: look for a pointer that crosses.",
          ""};
}

// Waits for one line; a failure if there is none. `what` names what was being waited for.
std::optional<Failure> Submission::await(double seconds, const std::string& what, std::string& line) {
  std::optional<Failure> failure;
  switch (child_->wait(in(seconds), line)) {
    case Child::Event::kLine: return std::nullopt;
    case Child::Event::kEnded: failure = ended(); break;
    case Child::Event::kTimeout:
      failure = time_failure(what + " gave no answer within " + seconds_text(seconds));
      break;
    case Child::Event::kOutputLimit:
      failure = Failure{Verdict::kOutputLimit,
                        "output",
                        {"more than 16 MiB were printed"},
                        "Print less, or only from one thread.",
                        ""};
      break;
  }
  failure->printed = printed();
  return failure;
}

std::optional<Failure> Submission::start() {
  std::string line;
  if (auto failure = await(kStartSeconds, "the program's start", line)) return failure;
  try {
    return greeted(line);
  } catch (const Json::exception&) {  // keys of other types than the runner's
    return foreign_line();
  }
}

// On the runner's first line: every function that the lab wants must be there.
std::optional<Failure> Submission::greeted(const std::string& line) const {
  const Json reply = Json::parse(line, nullptr, false);
  const std::string status = reply.is_object() ? reply.value("status", "") : "";
  if (status != "ready" || !reply.contains("entries")) return refused(line);
  const auto there = reply["entries"].get<std::vector<std::string>>();
  for (const std::string& entry : spec_.lab->entries) {
    if (std::ranges::find(there, entry) != there.end()) continue;
    const std::string signature(spec_.lab->contract->find_entry(entry)->signature);
    return Failure{
        Verdict::kCompileError,
        "compile",
        {"the file defines no " + signature},
        "Compare its name and its parameters with common/contracts/" + std::string(spec_.lab->contract->name) + ".h.",
        ""};
  }
  return std::nullopt;
}

std::span<std::byte> Submission::input(size_t bytes) { return {input_.data(), bytes}; }

size_t Submission::guard_of(const Case& job) const {
  return job.entry->on_host ? kHostGuard : spec_.device.guard_bytes();
}

std::optional<Failure> Submission::send(const Case& job, bool cold_cache) {
  const Contract& contract = *spec_.lab->contract;
  const size_t guard = guard_of(job);
  const ResultLayout layout{job.n * contract.element_bytes, contract.out_bytes(job.n), guard};
  // Whatever the process leaves out stays what no right answer is.
  std::memset(result_.data(), kPoisonByte, layout.total());

  const Json message = {{"id", ++next_id_},
                        {"entry", job.entry->name},
                        {"n", job.n},
                        {"block", job.block},
                        {"in_bytes", layout.in_bytes},
                        {"out_bytes", layout.out_bytes},
                        {"on_host", job.entry->on_host},
                        {"guard", guard},
                        {"return_input", contract.const_input},
                        {"cold_cache", cold_cache},
                        {"profiled", spec_.failing_call != 0}};
  const std::string text = message.dump() + "\n";
  // A job is far smaller than a pipe: if this fails the process is gone, and await says how it went.
  if (write(jobs_.write.get(), text.data(), text.size()) < 0 && errno != EPIPE) return fault("a job cannot be sent");
  return std::nullopt;
}

std::variant<Timing, Failure> Submission::run(const Case& job, double seconds, bool cold_cache) {
  if (auto failure = send(job, cold_cache)) return *failure;
  std::string line;
  if (auto failure = await(seconds, std::string(job.entry->name), line)) return *failure;
  Timing timing;
  std::optional<Failure> failure;
  try {
    failure = inspect(job, guard_of(job), line, timing);
  } catch (const Json::exception&) { failure = foreign_line(); }
  if (!failure) return timing;
  if (failure->printed.empty()) failure->printed = printed();
  return *failure;
}

Submission::Reaction Submission::react(const Case& job, double seconds) {
  std::string line;
  if (send(job, false) || await(seconds, std::string(job.entry->name), line)) {
    return child_->gave_up() ? Reaction::kNoticed : Reaction::kWentOn;
  }
  const Json reply = Json::parse(line, nullptr, false);
  if (reply.is_object()) {
    const Json status = reply.value("status", Json());
    // Without a file it is the runner who saw the error, and with another code it is that of a later call.
    const bool checked = reply.contains("file") && reply.value("code", Json()) == kCudaUnknown;
    if (status == "exception" || (status == "cuda" && checked)) return Reaction::kNoticed;
  }
  stop();
  return report().find("injected_error") == std::string::npos ? Reaction::kNothingFailed : Reaction::kWentOn;
}

// From the reply to the verdict on this case.
std::optional<Failure> Submission::inspect(const Case& job, size_t guard, const std::string& line, Timing& timing) {
  const Contract& contract = *spec_.lab->contract;
  const Json reply = Json::parse(line, nullptr, false);
  if (reply.is_object()) opencl_device_ = reply.value("opencl_device", "");
  if (!reply.is_object() || reply.value("status", "") != "ok" || reply.value("id", uint64_t{0}) != next_id_ ||
      !reply.contains("value") || !reply["value"].is_number_integer()) {
    return refused(line);
  }
  if (reply.contains("events_ms") && reply["events_ms"].is_number())
    timing.events_ms = reply["events_ms"].get<double>();
  timing.host_ms = reply.value("host_ms", 0.0);

  const ResultLayout layout{job.n * contract.element_bytes, contract.out_bytes(job.n), guard};
  const View result{result_.data(), layout.total()};
  const View input{input_.data(), layout.in_bytes};
  if (const auto what = broken_guard(result, layout, contract.element_bytes, sizeof(uint32_t))) {
    return Failure{Verdict::kRuntimeError,
                   "guard",
                   {*what},
                   "A thread wrote outside an array: compare the guard of each access with n.",
                   ""};
  }
  if (contract.const_input) {
    if (const auto what =
            changed_input(input, result.subspan(layout.in_data(), layout.in_bytes), contract.element_bytes)) {
      return Failure{Verdict::kWrongAnswer, "const", {*what}, "Write to the output, or to memory of your own.", ""};
    }
  }
  output_ = result.subspan(layout.out_data(), layout.out_bytes);
  const auto wrong = contract.check(job.entry->name, input, {output_, reply["value"].get<int64_t>()});
  if (!wrong) return std::nullopt;
  Failure failure{Verdict::kWrongAnswer, "case." + job.name, {}, "", ""};
  failure.steps.push_back(wrong->where + ": got " + wrong->got + ", want " + wrong->want);
  if (!wrong->tolerance.empty()) failure.steps.push_back("tolerance " + wrong->tolerance);
  if (wrong->of > 1)
    failure.steps.push_back(std::to_string(wrong->wrong) + " of " + std::to_string(wrong->of) +
                            " are wrong, this is the first");
  failure.next_step = "Work this element out by hand: which thread writes it, and from what?";
  return failure;
}

std::optional<Failure> Submission::stop() {
  const std::string text = "{\"quit\":true}\n";
  if (write(jobs_.write.get(), text.data(), text.size()) < 0 && errno != EPIPE) return fault("a job cannot be sent");
  std::string line;
  switch (child_->wait(in(kStopSeconds), line)) {
    case Child::Event::kEnded: break;
    case Child::Event::kTimeout: return time_failure("the program did not end within " + seconds_text(kStopSeconds));
    default:
      return Failure{Verdict::kRuntimeError, "runtime", {"the program went on printing after its last answer"}, "", ""};
  }
  if (!child_->ended_well()) {
    return Failure{Verdict::kRuntimeError,
                   "runtime",
                   {"after its last answer the program " + child_->how_it_ended()},
                   "Look at objects with a lifetime beyond the functions: their destructors run now.",
                   child_->errors()};
  }
  return std::nullopt;
}

std::string Submission::report() const {
  std::ifstream stream(folder_.path() / "report.json");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace warpladder
