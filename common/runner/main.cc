// runner: main of every lab binary. Jobs come in, the contract's functions are called, arrays and times go out.
// Judges nothing: it does not know the expected answers, and the judge does not believe it anything but bytes.
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/runner/adapter.h"
#include "common/runner/buffer.h"
#include "common/runner/protocol.h"

// common/opencl.h defines it in labs that use OpenCL.
extern "C" __attribute__((weak)) bool warpladder_opencl_describe(const std::exception& error, std::string& text);

// Their header, cuda_profiler_api.h, is a package of its own, which a machine may lack.
extern "C" cudaError_t cudaProfilerStart();
extern "C" cudaError_t cudaProfilerStop();

namespace warpladder {
namespace {

using Json = nlohmann::json;

struct Job {
  uint64_t id;
  std::string entry;
  size_t n, in_bytes, out_bytes, guard;
  int block;
  bool on_host, return_input, cold_cache, profiled;
};

uint64_t current_job = 0;   // for the ways out that know only that they are reached
std::string opencl_device;  // that the learner's code chose; "": none

void reply(const Json& message) {
  std::fflush(nullptr);  // what the learner printed belongs to this case
  const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t count = write(kRepliesFd, line.data() + sent, line.size() - sent);
    if (count < 0 && errno != EINTR) _exit(1);  // the judge is gone
    if (count > 0) sent += static_cast<size_t>(count);
  }
}

Json cuda_reply(cudaError_t error, const char* call) {
  return {{"id", current_job},
          {"status", "cuda"},
          {"code", static_cast<int>(error)},
          {"name", cudaGetErrorName(error)},
          {"text", cudaGetErrorString(error)},
          {"call", call}};
}

// malloc returned null, nobody looked, and now it is read: tell the judge that it was memory. Only write() is
// allowed here, hence the fixed text; the signal then takes its course.
void on_crash(int signal) {
  static const char kLine[] =
      "{\"id\":0,\"status\":\"memory\",\"text\":\"an allocation failed and its null pointer was used\"}\n";
  if (errno == ENOMEM && write(kRepliesFd, kLine, sizeof kLine - 1) < 0) _exit(1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
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
};

// Twice the L2 written over: what the copies left there must not make the first loads faster than the rest.
void cool_cache() {
  int l2_bytes = 0;
  require(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0), "cudaDeviceGetAttribute");
  Buffer scratch(2 * static_cast<size_t>(l2_bytes), 0, false);
  scratch.poison();
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Calls a function and asks what became of the device's work: cudaSuccess, or what went wrong. One that takes host
// memory may use the device all the same.
cudaError_t call(const EntryPoint& entry, Arguments& arguments, bool profiled) {
  if (profiled) require(cudaProfilerStart(), "cudaProfilerStart");
  entry.call(arguments);
  if (profiled) cudaProfilerStop();  // an error here is the learner's, and is told below
  // Asked before anything else runs, so that a launch which never happened is told from a kernel that failed.
  return cudaGetLastError();
}

// Both: the reply is a failure, or ok with the times.
Json call_on_device(const EntryPoint& entry, Arguments& arguments, bool profiled) {
  Events events;
  const auto start = std::chrono::steady_clock::now();
  require(cudaEventRecord(events.start), "cudaEventRecord");
  if (const cudaError_t error = call(entry, arguments, profiled); error != cudaSuccess) return cuda_reply(error, "");
  require(cudaEventRecord(events.stop), "cudaEventRecord");
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) return cuda_reply(error, "");
  const double host_ms = milliseconds_since(start);
  float events_ms = 0;
  require(cudaEventElapsedTime(&events_ms, events.start, events.stop), "cudaEventElapsedTime");
  return {{"id", current_job},
          {"status", "ok"},
          {"value", arguments.value},
          {"events_ms", events_ms},
          {"host_ms", host_ms}};
}

Json call_on_host(const EntryPoint& entry, Arguments& arguments, bool profiled) {
  const auto start = std::chrono::steady_clock::now();
  if (const cudaError_t error = call(entry, arguments, profiled); error != cudaSuccess) return cuda_reply(error, "");
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) return cuda_reply(error, "");
  const double host_ms = milliseconds_since(start);
  return {
      {"id", current_job}, {"status", "ok"}, {"value", arguments.value}, {"events_ms", nullptr}, {"host_ms", host_ms}};
}

Json run_job(const Job& job) {
  const EntryPoint* entry = nullptr;
  for (const EntryPoint& candidate : entry_points()) {
    if (candidate.name == job.entry && candidate.defined) entry = &candidate;
  }
  if (entry == nullptr) return {{"id", job.id}, {"status", "fault"}, {"text", "no entry point " + job.entry}};

  const Mapping input(kInputFd, job.in_bytes, PROT_READ, MAP_PRIVATE);
  const ResultLayout layout{job.in_bytes, job.out_bytes, job.guard};
  const Mapping result(kResultFd, layout.total(), PROT_READ | PROT_WRITE, MAP_SHARED);

  Buffer in(job.in_bytes, job.guard, job.on_host);
  Buffer out(job.out_bytes, job.guard, job.on_host);
  in.fill(input.data());
  out.poison();
  if (job.cold_cache) cool_cache();

  Arguments arguments{in.data(), out.data(), job.n, job.block};
  const Json answer = (job.on_host ? call_on_host : call_on_device)(*entry, arguments, job.profiled);
  if (answer["status"] != "ok") return answer;
  in.copy_out(result.data() + layout.in_guarded(), job.return_input);
  out.copy_out(result.data() + layout.out_guarded(), true);
  return answer;
}

Json run_guarded(const Job& job) {
  try {
    return run_job(job);
  } catch (const std::bad_alloc&) {
    return {{"id", job.id}, {"status", "memory"}, {"text", "an allocation on the host failed (std::bad_alloc)"}};
  } catch (const CudaFailure& failure) {
    return cuda_reply(failure.error, failure.call);
  } catch (const std::exception& error) {
    std::string text = error.what();
    const bool opencl = warpladder_opencl_describe != nullptr && warpladder_opencl_describe(error, text);
    return {{"id", job.id}, {"status", opencl ? "opencl" : "exception"}, {"text", text}};
  }
}

std::optional<Job> next_job(FILE* jobs) {
  char* line = nullptr;
  size_t capacity = 0;
  const ssize_t length = getline(&line, &capacity, jobs);
  const std::string text(line != nullptr && length > 0 ? line : "");
  std::free(line);
  if (text.empty()) return std::nullopt;
  const Json job = Json::parse(text);
  if (job.contains("quit")) return std::nullopt;
  return Job{job.at("id"),           job.at("entry"),      job.at("n"),       job.at("in_bytes"),
             job.at("out_bytes"),    job.at("guard"),      job.at("block"),   job.at("on_host"),
             job.at("return_input"), job.at("cold_cache"), job.at("profiled")};
}

Json ready() {
  Json entries = Json::array();
  for (const EntryPoint& entry : entry_points()) {
    if (entry.defined) entries.push_back(entry.name);
  }
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  require(cudaFree(nullptr), "cudaFree");  // makes the context, which no case should pay for
  return {{"status", "ready"}, {"entries", entries}, {"device", properties.name}};
}

int serve() {
  FILE* jobs = fdopen(kJobsFd, "r");
  if (jobs == nullptr || fcntl(kRepliesFd, F_GETFD) < 0) {
    std::fprintf(stderr, "This is a lab's binary; it runs under the judge. Use: ./lab check NN\n");
    return 2;
  }
  std::signal(SIGSEGV, on_crash);
  try {
    reply(ready());
  } catch (const CudaFailure& failure) {
    reply({{"status", "fault"},
           {"text", std::string("the device does not start: ") + failure.call + ": " + cudaGetErrorName(failure.error) +
                        ": " + cudaGetErrorString(failure.error)}});
    return 1;
  }
  while (const std::optional<Job> job = next_job(jobs)) {
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
