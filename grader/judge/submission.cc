#include "grader/judge/submission.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>

#include <fcntl.h>
#include <unistd.h>

#include "common/runner/protocol.h"
#include "grader/judge/json.h"
#include "grader/judge/process_failure.h"
#include "grader/judge/returned.h"
#include "grader/judge/sandbox.h"

namespace warpladder {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kHostGuard = 4096;
constexpr double kCasesToStart = 3;                 // starting and stopping may each take as long as so many cases
constexpr uint64_t kDataLimit = uint64_t{8} << 30;  // host memory and, on lockstep, device memory with its shadows
constexpr const char* kLockstepMemory = "4G";       // device memory there
constexpr uint64_t kLargestFile = uint64_t{256} << 20, kOpenFiles = 1024;
constexpr int kDeviceFd = 7;  // of the program: where its runtime finds lockstep

constexpr size_t kLongestName = 200;  // of an OpenCL device

constexpr int kCudaUnknown = 999;  // cudaErrorUnknown, which lockstep lets a call fail with

Clock::time_point in(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// A folder that names NVIDIA's OpenCL driver. Containers often have the driver without the file that says so.
std::string nvidia_vendor(const std::filesystem::path& in) {
  std::filesystem::create_directory(in / "vendors");
  std::ofstream(in / "vendors" / "nvidia.icd") << "libnvidia-opencl.so.1\n";
  return in / "vendors";
}

// Where it may leave files: in memory of its own, or, where nothing hides our files from it, in `folder`.
std::filesystem::path workplace(const std::filesystem::path& folder) {
  return Sandbox::here().hides_files() ? "/tmp" : folder;
}

Walls walls_of(const SubmissionSpec& spec, const std::filesystem::path& folder) {
  Walls walls;
  const bool is_opencl = spec.lab->is_opencl(), is_lockstep = spec.device.is_lockstep;
  // PoCL calls a linker.
  walls.permissions = {
      .processes = is_opencl, .shared_memory = !is_lockstep || is_opencl, .local_sockets = !is_lockstep};
  walls.card = !is_lockstep;
  walls.system = !is_lockstep || is_opencl;
  walls.variables = {"WARPLADDER_", "OCL_ICD_"};
  // Some containers find the driver's libraries, OpenCL's among them, by LD_LIBRARY_PATH alone.
  if (!is_lockstep) walls.variables.insert(walls.variables.end(), {"CUDA_", "NVIDIA_", "LD_LIBRARY_PATH"});
  walls.readable = spec.device.sees;
  walls.readable.insert(walls.readable.end(), {spec.binary, spec.device.lockstep, folder / "vendors"});
  std::istringstream libraries(
      is_lockstep || std::getenv("LD_LIBRARY_PATH") == nullptr ? "" : std::getenv("LD_LIBRARY_PATH"));
  for (std::string library; std::getline(libraries, library, ':');) walls.readable.emplace_back(library);
  if (const char* vendors = std::getenv("OCL_ICD_VENDORS")) walls.readable.emplace_back(vendors);
  if (is_opencl && !spec.cache.empty()) {
    std::filesystem::create_directory(spec.cache);
    walls.writable.push_back(spec.cache);
  }
  return walls;
}

// Of a process that keeps its files in `folder`.
std::vector<std::pair<std::string, std::string>> environment_of(const SubmissionSpec& spec,
                                                                const std::filesystem::path& folder) {
  const bool is_lockstep = spec.device.is_lockstep;
  std::vector<std::pair<std::string, std::string>> variables = {
      {"TMPDIR", workplace(folder)},
      {"POCL_CACHE_DIR", spec.cache.empty() ? workplace(folder) / "pocl" : spec.cache},
      {"WARPLADDER_OPENCL", is_lockstep ? "cpu" : "gpu"}};
  const auto set = [&](const char* name, const std::string& value) { variables.emplace_back(name, value); };
  if (is_lockstep) {
    set("LD_LIBRARY_PATH", spec.device.lockstep);
    if (!spec.lab->is_opencl()) set("LOCKSTEP_DEVICE", "fd:" + std::to_string(kDeviceFd));
  } else if (std::getenv("OCL_ICD_VENDORS") == nullptr && !std::filesystem::exists("/etc/OpenCL/vendors/nvidia.icd")) {
    set("OCL_ICD_VENDORS", nvidia_vendor(folder));
  }
  return variables;
}

// Each option is named, lest one of ours reaches it.
DeviceProcessSpec device_of(const SubmissionSpec& spec, const Limits& limits) {
  return {spec.device.lockstep / "device_server",
          {{"LOCKSTEP_MEMORY", kLockstepMemory},
           // Code that is wrong may depend on the order of the blocks, and a verdict must not; other judges may be at
           // work, too.
           {"LOCKSTEP_THREADS", "1"},
           {"LOCKSTEP_SCHEDULE", spec.schedule.empty() ? "forward" : spec.schedule},
           {"LOCKSTEP_CHECKS", spec.checked ? "all" : "none"},
           {"LOCKSTEP_TRACE", spec.trace},
           {"LOCKSTEP_FAIL", spec.failing_call == 0 ? "" : "profiled:" + std::to_string(spec.failing_call)}},
          limits};
}

}  // namespace

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
  child.folder = workplace(folder_.path());
  child.environment = environment_of(spec_, folder_.path());
  child.descriptors = {{jobs_.read.get(), kJobsFd}, {input_.fd(), kInputFd}, {result_.fd(), kResultFd}};
  child.lines_fd = kRepliesFd;
  child.limits.cpu_seconds = static_cast<uint64_t>(spec_.cpu_seconds);
  child.limits.data_bytes = kDataLimit;
  child.limits.file_bytes = kLargestFile;
  child.limits.open_files = kOpenFiles;
  Fd device;
  if (spec_.device.is_lockstep && !spec_.lab->is_opencl()) {  // whose device is PoCL, in the program itself
    device_.emplace(device_of(spec_, {.cpu_seconds = child.limits.cpu_seconds, .data_bytes = kDataLimit}));
    device = device_->take_end();
    child.descriptors.emplace_back(device.get(), kDeviceFd);
  }
  Sandbox::here().enclose(child, walls_of(spec_, folder_.path()));
  fcntl(jobs_.write.get(), F_SETFL, O_NONBLOCK);  // who never reads must not hold us up
  child_ = std::make_unique<Child>(child);
  jobs_.read.reset();
}

std::string Submission::printed() const { return child_->output() + child_->errors(); }

// Waits for one line; a failure if there is none. `what` names what was being waited for.
std::optional<Failure> Submission::await(double seconds, const std::string& what, std::string& line) {
  std::optional<Failure> failure;
  switch (child_->wait(in(seconds), line)) {
    case Child::Event::kLine: return std::nullopt;
    case Child::Event::kEnded:
      throw_if_killed();
      failure = ended_failure(*child_, spec_.cpu_seconds);
      break;
    case Child::Event::kTimeout:
      timed_out_ = true;
      failure = time_failure(what + " gave no answer within " + seconds_text(seconds));
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
  std::string line;
  auto failure = await(kCasesToStart * spec_.lab->case_seconds, "the program's start", line);
  try {
    if (!failure) failure = greeted(line);
  } catch (const Json::exception&) {  // keys of other types than the runner's
    failure = foreign_line_failure(line);
  }
  if (!failure) return std::nullopt;
  auto trouble = device_trouble();
  return trouble ? trouble : failure;
}

// On the runner's first line: every function that the lab wants must be there.
std::optional<Failure> Submission::greeted(const std::string& line) {
  const Json reply = Json::parse(line, nullptr, false);
  const std::string status = reply.is_object() ? reply.value("status", "") : "";
  if (status != "ready" || !reply.contains("entries")) return refused_failure(line, child_->errors());
  card_ = reply.value("device", "");
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

void Submission::give(View input) { std::ranges::copy(input, input_.data()); }

size_t Submission::guard_of(const Case& job) const {
  return job.entry->on_host ? kHostGuard : spec_.device.guard_bytes();
}

std::optional<Failure> Submission::send(const Case& job, bool timed) {
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
                        {"timed", timed},
                        {"profiled", spec_.failing_call != 0}};
  return say(message.dump() + "\n");
}

// If the process is gone, await says how it went.
std::optional<Failure> Submission::say(const std::string& text) {
  if (child_->has_spoken()) {  // unasked
    std::string line;
    child_->wait(in(1), line);
    return refused_failure(line, child_->errors());
  }
  // The pipe is far larger than a job, and the last one has been answered.
  if (write(jobs_.write.get(), text.data(), text.size()) < 0 && errno != EPIPE)
    return protocol_failure("the program answers jobs that it does not read");
  return std::nullopt;
}

// Places that nobody knows before the call is said to have ended. Eight: who has nine tenths of the output then is
// still caught in more than every other call.
std::string Submission::ask_to_show(size_t out_bytes) {
  constexpr size_t kShown = 8;
  std::random_device random;
  asked_.clear();
  for (size_t words = out_bytes / sizeof(uint32_t); words > 0 && asked_.size() < kShown;)
    asked_.push_back(random() % words * sizeof(uint32_t));
  return Json{{"show", asked_}}.dump() + "\n";
}

// Of a timed call: `line` is that of the process's answer, and whole_ms how long it took from go until words of the
// output were here. Where the process says something else, that is its answer.
std::optional<Failure> Submission::hold_clock(const Case& job, double seconds, std::string& line, double& whole_ms) {
  const std::string what(job.entry->name);
  const auto says = [&](const char* status) {
    const Json reply = Json::parse(line, nullptr, false);
    return reply.is_object() && reply.value("id", Json()) == next_id_ && reply.value("status", Json()) == status;
  };
  if (auto failure = await(seconds, what, line)) return failure;
  if (!says("set")) return std::nullopt;
  const auto start = Clock::now();
  if (auto failure = say("{\"go\":true}\n")) return failure;
  if (auto failure = await(seconds, what, line)) return failure;
  if (!says("called")) return std::nullopt;
  if (auto failure = say(ask_to_show(spec_.lab->contract->out_bytes(job.n)))) return failure;
  if (auto failure = await(seconds, what, line)) return failure;
  whole_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (!says("shown")) return std::nullopt;
  shown_ = line;
  return await(seconds, what, line);
}

// Whether the answer of a timed call is what was there when the judge's clock stopped.
std::optional<Failure> Submission::compare_shown(const std::string& line) const {
  Json words = Json::array();
  for (const size_t at : asked_) words.push_back(element<uint32_t>(output_, at / sizeof(uint32_t)));
  const Json shown = Json::parse(shown_, nullptr, false);
  if (shown.is_object() && shown.value("words", Json()) == words &&
      shown.value("value", Json()) == Json::parse(line)["value"])
    return std::nullopt;
  return protocol_failure("the answer is not what was there when the call was said to have ended");
}

std::variant<Timing, Failure> Submission::run(const Case& job, double seconds, bool timed) {
  if (auto failure = send(job, timed)) return *failure;
  std::string line;
  Timing timing;
  const std::string what(job.entry->name);
  shown_.clear();
  if (auto failure = timed ? hold_clock(job, seconds, line, timing.whole_ms) : await(seconds, what, line))
    return *failure;
  std::optional<Failure> failure;
  try {
    failure = inspect(job, guard_of(job), line, timing);
    if (!failure && timed) failure = compare_shown(line);
  } catch (const Json::exception&) { failure = foreign_line_failure(line); }
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

// A returned value has no thread that writes it, and a function of the host no threads at all.
static std::string next_step(const Mismatch& wrong, std::string_view entry) {
  if (wrong.where == "the returned milliseconds")
    return "Look at the two events: is one recorded before the launch, one after it, and the time between them taken?";
  if (wrong.where == "the returned sum")
    return "Work this input out by hand: which elements does each thread add, and who adds what they have?";
  if (entry.ends_with("_cpu")) return "Work this element out by hand: what has been added when it is stored?";
  return "Work this element out by hand: which thread writes it, and from what?";
}

static Failure wrong_answer(const Mismatch& wrong, const Case& job) {
  Failure failure{Verdict::kWrongAnswer, "case." + job.name, {}, next_step(wrong, job.entry->name), ""};
  failure.steps.push_back(wrong.where + ": got " + wrong.got + ", want " + wrong.want);
  if (!wrong.tolerance.empty()) failure.steps.push_back("tolerance " + wrong.tolerance);
  if (wrong.of > 1)
    failure.steps.push_back(std::to_string(wrong.wrong) + " of " + std::to_string(wrong.of) +
                            " are wrong, this is the first");
  return failure;
}

// From the reply to the verdict on this case.
std::optional<Failure> Submission::inspect(const Case& job, size_t guard, const std::string& line, Timing& timing) {
  const Contract& contract = *spec_.lab->contract;
  const Json reply = Json::parse(line, nullptr, false);
  if (spec_.lab->is_opencl() && reply.is_object() && reply.contains("opencl_device") &&
      reply["opencl_device"].is_string())
    opencl_device_ = reply["opencl_device"].get<std::string>().substr(0, kLongestName);
  if (!reply.is_object() || reply.value("status", "") != "ok" || reply.value("id", uint64_t{0}) != next_id_ ||
      !reply.contains("value") || !reply["value"].is_number_integer()) {
    return refused_failure(line, child_->errors());
  }
  const auto time = [&](const char* key) {
    return reply.contains(key) && reply[key].is_number() ? reply[key].get<double>() : std::optional<double>();
  };
  timing.device_ms = time("device_ms");
  timing.events_ms = time("events_ms");
  timing.copy_gb_per_s = time("copy_gb_per_s").value_or(0);

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
  return wrong ? std::optional(wrong_answer(*wrong, job)) : std::nullopt;
}

std::optional<Failure> Submission::stop() {
  auto failure = stop_program();
  auto trouble = device_trouble();
  return trouble ? trouble : failure;
}

// What its device says outranks what the program seems to have done. The program is gone then.
std::optional<Failure> Submission::device_trouble() {
  if (!device_ || device_stopped_) return device_trouble_;
  device_stopped_ = true;
  child_->end();
  device_trouble_ = device_->finish(timed_out_ ? 0 : spec_.lab->case_seconds);
  if (device_trouble_) device_trouble_->printed = printed();
  return device_trouble_;
}

std::optional<Failure> Submission::stop_program() {
  if (auto failure = say("{\"quit\":true}\n")) return failure;
  std::string line;
  const double seconds = kCasesToStart * spec_.lab->case_seconds;
  switch (child_->wait(in(seconds), line)) {
    case Child::Event::kEnded: throw_if_killed(); break;
    case Child::Event::kTimeout:
      timed_out_ = true;
      return time_failure("the program did not end within " + seconds_text(seconds));
    case Child::Event::kLine: return refused_failure(line, child_->errors());  // of a destructor, or made up
    case Child::Event::kOutputLimit: return output_failure();
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

std::string Submission::report() const { return device_ ? device_->report() : ""; }

}  // namespace warpladder
