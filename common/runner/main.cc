// runner: main of every lab binary. Jobs come in, the contract's functions are called, arrays and times go out.
// Judges nothing: it does not know the expected answers, and the judge takes only bytes from it, no verdict.
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/runner/activity.h"
#include "common/runner/adapter.h"
#include "common/runner/buffer.h"
#include "common/runner/lockstep.h"
#include "common/runner/protocol.h"

// common/opencl.h defines it in labs that use OpenCL.
extern "C" __attribute__((weak)) bool warpladder_opencl_describe(const std::exception& error, std::string& text);

// Its header, cuda_profiler_api.h, is a package of its own, which may be missing.
extern "C" cudaError_t cudaProfilerStart();

namespace warpladder {
namespace {

using Json = nlohmann::json;

struct Job {
  uint64_t id;
  std::string entry;
  size_t n, in_bytes, out_bytes, in_offset, out_offset, guard;
  int block;
  bool on_host, return_input, timed, profiled, answers, sealed;
};

uint64_t current_job = 0;   // for exits that have no job at hand
std::string opencl_device;  // the one that the learner's code chose; "": none
FILE* jobs = nullptr;       // lines from the judge

void reply(const Json& message) {
  std::fflush(nullptr);  // the learner's output belongs to this case
  const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t count = write(kRepliesFd, line.data() + sent, line.size() - sent);
    if (count < 0 && errno != EINTR) _exit(1);  // the judge is gone
    if (count > 0) sent += static_cast<size_t>(count);
  }
}

// "": the judge sends no more lines.
std::string next_line() {
  char* line = nullptr;
  size_t capacity = 0;
  const ssize_t length = getline(&line, &capacity, jobs);
  std::string text(line != nullptr && length > 0 ? line : "");
  std::free(line);
  return text;
}

// The judge's answer to this status.
std::string ask_judge(const char* status) {
  reply({{"id", current_job}, {"status", status}});
  std::string line = next_line();
  if (line.empty()) _exit(1);  // the judge is gone
  return line;
}

Json cuda_reply(cudaError_t error, const char* call) {
  return {{"id", current_job},
          {"status", "cuda"},
          {"code", static_cast<int>(error)},
          {"name", cudaGetErrorName(error)},
          {"text", cudaGetErrorString(error)},
          {"call", call}};
}

// malloc returned null, the code did not check it, and now reads it: tell the judge that memory ran out. Only write()
// is allowed here, hence the fixed text. Then the signal takes its way: lockstep may tell which line used memory of the
// device, and it ends the process.
struct sigaction crashed_before {};

void on_crash(int signal, siginfo_t* info, void*) {
  static const char kLine[] = "{\"id\":0,\"status\":\"memory\",\"about\":\"null_pointer\"}\n";
  if (errno == ENOMEM && write(kRepliesFd, kLine, sizeof kLine - 1) < 0) _exit(1);
  sigaction(signal, &crashed_before, nullptr);
  const bool is_access = info->si_code > 0;  // the instruction runs again, and fails again
  if (!is_access) std::raise(signal);
}

// lockstep's device takes the input from the judge, and gives it the output.
template <class Function>
Function* in_runtime(const char* name) {
  Function* const found = find_in_runtime<Function>(name);
  if (found == nullptr) throw CudaFailure{cudaErrorSymbolNotFound, name};
  return found;
}

void place_input(const Buffer& in, size_t bytes) {
  const auto place = in_runtime<cudaError_t(void*, size_t)>("lockstep_place_input");
  require(place(in.data(), bytes), "lockstep_place_input");
}

void hand_over(const Buffer& in, const Buffer& out) {
  const auto hand = in_runtime<cudaError_t(const void*, const void*)>("lockstep_hand_over");
  require(hand(in.data(), out.data()), "lockstep_hand_over");
}

// A shared file that the judge made, mapped for one job.
class Mapping {
 public:
  Mapping(int fd, size_t bytes, int protection, int flags) : bytes_(bytes) {
    if (bytes == 0) return;
    memory_ = mmap(nullptr, bytes, protection, flags, fd, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~Mapping() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  unsigned char* data() const { return static_cast<unsigned char*>(memory_); }

 private:
  void* memory_ = nullptr;
  size_t bytes_;
};

struct Events {
  cudaEvent_t start = nullptr, stop = nullptr;
  Events() {
    require(cudaEventCreate(&start), "cudaEventCreate");
    require(cudaEventCreate(&stop), "cudaEventCreate");
  }
  ~Events() {
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  double elapsed() const {  // ms, after stop was reached
    float ms = 0;
    require(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
    return static_cast<double>(ms);
  }
};

// The speed of a copy, with which a timed call is compared, and an L2 cache without data of earlier work. Both use
// arrays of their own, together much larger than that cache.
class Card {
 public:
  static Card& get() {
    static Card* card = new Card;  // never destroyed: cudart may end before we do
    return *card;
  }

  // GB/s of a copy on the card, read and written.
  double copy_speed() {
    Events events;
    if (record_activity()) forget_activity();
    require(cudaEventRecord(events.start), "cudaEventRecord");
    require(cudaMemcpyAsync(to_.data(), from_.data(), bytes_, cudaMemcpyDeviceToDevice), "cudaMemcpyAsync");
    require(cudaEventRecord(events.stop), "cudaEventRecord");
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return 2 * static_cast<double>(bytes_) / 1e6 / (record_activity() ? busy_ms() : events.elapsed());
  }

  // Reads its array from end to end, into one small piece: so the data left in the cache need not be written back while
  // the next call runs.
  void cool_cache() {
    require(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
    for (size_t at = 0; at < bytes_; at += kPiece) {
      const void* piece = static_cast<const char*>(from_.data()) + at;
      require(cudaMemcpyAsync(to_.data(), piece, kPiece, cudaMemcpyDeviceToDevice), "cudaMemcpyAsync");
    }
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

 private:
  Card() : bytes_(size_of()), from_(bytes_, 0, false), to_(bytes_, 0, false) {
    from_.poison();
    to_.poison();
  }
  static size_t size_of() {
    int l2_bytes = 0;
    require(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0), "cudaDeviceGetAttribute");
    return (2 * static_cast<size_t>(l2_bytes) / kPiece + 1) * kPiece;
  }

  static constexpr size_t kPiece = size_t{4} << 20;
  size_t bytes_;
  Buffer from_, to_;
};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Calls a function and returns the state of the device's work: cudaSuccess or the error. A function that takes host
// memory may use the device all the same.
cudaError_t call(const EntryPoint& entry, Arguments& arguments, const Job& job) {
  if (job.profiled) require(cudaProfilerStart(), "cudaProfilerStart");
  entry.call(arguments);
  if (job.profiled && !job.answers) {  // no call of the runner may be counted
    reply({{"id", current_job}, {"status", "ok"}, {"value", arguments.value}});
    _exit(0);
  }
  // Asked before anything else runs, so that a failed launch and a failed kernel can be told apart.
  return cudaGetLastError();
}

// The timed call has ended: the judge's clock stops when it gets the words of the output that it asks for.
void show(const Buffer& out, const Arguments& arguments) {
  Json words = Json::array();
  for (const size_t at : Json::parse(ask_judge("called")).at("show").get<std::vector<size_t>>())
    words.push_back(out.word(at));
  reply({{"id", current_job}, {"status", "shown"}, {"value", arguments.value}, {"words", words}});
}

// The reply is a failure, or ok with the times. Times by CUDA's events are null for a function of the host.
Json call_timed(const EntryPoint& entry, Arguments& arguments, const Buffer& out, const Job& job) {
  std::optional<Events> events;
  if (!job.on_host) events.emplace();
  const bool recorded = job.timed && !job.on_host && record_activity();
  if (recorded) forget_activity();
  if (job.timed) ask_judge("set");  // the judge's clock starts with its answer
  const auto start = std::chrono::steady_clock::now();
  if (events) require(cudaEventRecord(events->start), "cudaEventRecord");
  if (const cudaError_t error = call(entry, arguments, job); error != cudaSuccess) return cuda_reply(error, "");
  if (events) require(cudaEventRecord(events->stop), "cudaEventRecord");
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) return cuda_reply(error, "");
  const double host_ms = milliseconds_since(start);
  const Json device_ms =
      recorded ? Json(busy_ms()) : Json(nullptr);  // before words are copied: that is not the call's work
  if (job.timed) show(out, arguments);
  return {{"id", current_job},
          {"status", "ok"},
          {"value", arguments.value},
          {"device_ms", device_ms},
          {"events_ms", events ? Json(events->elapsed()) : Json(nullptr)},
          {"host_ms", host_ms}};
}

Json run_job(const Job& job) {
  const EntryPoint* entry = nullptr;
  for (const EntryPoint& candidate : entry_points()) {
    if (candidate.name == job.entry && candidate.defined) entry = &candidate;
  }
  if (entry == nullptr) return {{"id", job.id}, {"status", "fault"}, {"about", "entry"}, {"text", job.entry}};

  const ResultLayout layout{job.in_bytes, job.out_bytes, job.guard};
  const Mapping input(kInputFd, job.sealed ? 0 : job.in_bytes, PROT_READ, MAP_PRIVATE);
  const Mapping result(kResultFd, job.sealed ? 0 : layout.total(), PROT_READ | PROT_WRITE, MAP_SHARED);

  Buffer in(job.in_bytes, job.guard, job.on_host, job.in_offset);
  Buffer out(job.out_bytes, job.guard, job.on_host, job.out_offset);
  job.sealed ? place_input(in, job.in_bytes) : in.fill(input.data());
  out.poison();
  // cudaMemset returns before its work is done. Code that works on a non-blocking stream does not wait for it.
  if (!job.on_host) require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const double copy_speed = job.timed && !job.on_host ? Card::get().copy_speed() : 0;
  if (job.timed) Card::get().cool_cache();

  Arguments arguments{in.data(), out.data(), job.n, job.block};
  Json answer = call_timed(*entry, arguments, out, job);
  if (answer["status"] != "ok") return answer;
  answer["copy_gb_per_s"] = copy_speed;
  if (job.sealed) return hand_over(in, out), answer;
  in.copy_out(result.data() + layout.in_guarded(), job.return_input);
  out.copy_out(result.data() + layout.out_guarded(), true);
  return answer;
}

Json run_guarded(const Job& job) {
  try {
    return run_job(job);
  } catch (const std::bad_alloc&) {
    return {{"id", job.id}, {"status", "memory"}, {"about", "bad_alloc"}};
  } catch (const CudaFailure& failure) {
    return cuda_reply(failure.error, failure.call);
  } catch (const std::exception& error) {
    std::string text = error.what();
    const bool opencl = warpladder_opencl_describe != nullptr && warpladder_opencl_describe(error, text);
    return {{"id", job.id}, {"status", opencl ? "opencl" : "exception"}, {"text", text}};
  }
}

std::optional<Job> next_job() {
  const std::string text = next_line();
  if (text.empty()) return std::nullopt;
  const Json job = Json::parse(text);
  if (job.contains("quit")) return std::nullopt;
  return Job{job.at("id"),           job.at("entry"),      job.at("n"),        job.at("in_bytes"), job.at("out_bytes"),
             job.at("in_offset"),    job.at("out_offset"), job.at("guard"),    job.at("block"),    job.at("on_host"),
             job.at("return_input"), job.at("timed"),      job.at("profiled"), job.at("answers"),  job.at("sealed")};
}

Json ready() {
  Json entries = Json::array();
  for (const EntryPoint& entry : entry_points()) {
    if (entry.defined) entries.push_back(entry.name);
  }
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  require(cudaFree(nullptr), "cudaFree");  // makes the context here, so that no case pays for it
  return {{"status", "ready"}, {"entries", entries}, {"device", properties.name}};
}

int serve() {
  jobs = fdopen(kJobsFd, "r");
  if (jobs == nullptr || fcntl(kRepliesFd, F_GETFD) < 0) {
    std::fprintf(stderr, "This is a lab's binary; it runs under the judge. Use: ./lab check NN\n");
    return 2;
  }
  struct sigaction ours {};
  ours.sa_sigaction = on_crash;
  ours.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &ours, &crashed_before);
  try {
    reply(ready());
  } catch (const CudaFailure& failure) {
    const std::string error = std::string(cudaGetErrorName(failure.error)) + ": " + cudaGetErrorString(failure.error);
    reply({{"status", "fault"}, {"about", "device"}, {"text", failure.call + (": " + error)}});
    return 1;
  }
  while (const std::optional<Job> job = next_job()) {
    current_job = job->id;
    errno = 0;
    Json answer = run_guarded(*job);
    if (!opencl_device.empty()) answer["opencl_device"] = opencl_device;
    reply(answer);
  }
  return 0;
}

}  // namespace
}  // namespace warpladder

// common/check.h calls it before it ends the program.
extern "C" void warpladder_cuda_failed(cudaError_t error, const char* call, const char* file, int line) {
  auto message = warpladder::cuda_reply(error, call);
  message["file"] = file;
  message["line"] = line;
  warpladder::reply(message);
}

// common/opencl.h calls both.
extern "C" void warpladder_opencl_device(const char* name) { warpladder::opencl_device = name; }
extern "C" void warpladder_opencl_failed(const char* status, const char* text) {
  using namespace warpladder;
  reply({{"id", current_job}, {"status", status}, {"text", text}, {"opencl_device", opencl_device}});
}

int main() { return warpladder::serve(); }
