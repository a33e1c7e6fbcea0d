#include "grader/judge/run/process_failure.h"

#include <csignal>

#include "grader/judge/base/json.h"
#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

// Values of cudaError_t, as the judge is built without CUDA.
constexpr int kCudaOutOfMemory = 2, kCudaIllegalAddress = 700;

Failure memory_failure(const std::string& what) {
  return make_failure(
      Verdict::kMemory, "memory", what,
      "Look for an allocation whose size was computed wrongly, or one that is repeated and never freed.");
}

// A CUDA error that check.h or the runner reported.
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
    return make_failure(Verdict::kRuntimeError, "guard", what,
                        "A thread used an index outside an array: compare the guard of each access with n.");
  }
  return runtime_failure(what, "Look at the launch, its block and grid size, and at the calls before it.");
}

}  // namespace

std::string seconds_text(double seconds) { return number(seconds, 6) + (seconds == 1 ? " second" : " seconds"); }

Failure time_failure(const std::string& what) {
  return make_failure(Verdict::kTime, "time", what,
                      "Look for a loop whose end is never reached, or for a barrier or a lock that waits for ever.");
}

Failure allowance_failure(double seconds) {
  return make_failure(
      Verdict::kTime, "time",
      "all runs of the program together took more than " + seconds_text(seconds) + ", the limit for one submission",
      "No single call is too slow, but their sum is. Look for a call that sleeps, or that repeats work.");
}

Failure output_failure() {
  return make_failure(Verdict::kOutputLimit, "output", "more than 16 MiB were printed",
                      "Print less, or only from one thread.");
}

Failure protocol_failure(const std::string& what) {
  return make_failure(
      Verdict::kCheating, "protocol", what + ": only the runner answers the judge, when it is asked",
      "Compute the answer in the contract's functions, and leave the descriptors that you did not open alone.");
}

Failure refused_failure(const std::string& line, const std::string& errors) {
  try {
    const Json reply = Json::parse(line, nullptr, false);
    const std::string status = reply.is_object() ? reply.value("status", "") : "";
    if (status == "cuda") return cuda_failure(reply);
    if (status == "memory") return memory_failure(reply.value("text", ""));
    if (status == "fault")
      return make_failure(Verdict::kJudgeFault, "judge", reply.value("text", ""),
                          "The code that was judged is not at fault. Run it again; if the fault stays, report it.",
                          errors);
    if (status == "kernels")
      return compile_failure("OpenCL's compiler refuses the kernels",
                             "Start with the first error; later ones often follow from it.");
    if (status == "opencl")
      return runtime_failure(reply.value("text", ""),
                             "Look the call up in OpenCL's reference: it lists what each of its errors means.");
    if (status == "exception") {
      return runtime_failure("an exception left the function: " + reply.value("text", ""),
                             "Functions of a contract return normally.");
    }
  } catch (const Json::exception&) {}  // keys of other types than those of the runner
  if (Json::parse(line, nullptr, false).is_object()) return protocol_failure("the program made up an answer");
  return runtime_failure("the program wrote into the judge's pipe", "Use stdout and stderr only.");
}

Failure ended_failure(const Child& child, double cpu_seconds) {
  const int signal = child.ending_signal();
  if (signal == SIGXCPU) return time_failure("the limit of " + seconds_text(cpu_seconds) + " of CPU time is used up");
  if (signal == SIGKILL) return memory_failure("the system killed the process, as it does when memory runs out");
  if (signal == SIGXFSZ)
    return make_failure(Verdict::kOutputLimit, "output", "a file grew over the limit",
                        "A lab's functions need no files: print less, or nothing.");
  const std::string errors = child.errors();
  if (errors.find("std::bad_alloc") != std::string::npos)
    return memory_failure("an allocation on the host failed (std::bad_alloc)");
  if (signal == 0) {
    return runtime_failure("the program " + child.how_it_ended() + " before it gave its answer",
                           "A function of a lab returns to its caller; it does not end the program.");
  }
  if (signal == SIGABRT) {
    return runtime_failure(
        "the program " + child.how_it_ended(),
        "It called abort() itself: an assertion, a case that your code refuses, or host memory freed twice.");
  }
  return runtime_failure(
      "the program " + child.how_it_ended(),
      "Device memory may be used in kernels only, host memory on the host only: look for a pointer that crosses.");
}

}  // namespace warpladder
