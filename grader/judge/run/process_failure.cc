#include "grader/judge/run/process_failure.h"

#include <csignal>
#include <map>

#include "grader/judge/base/json.h"
#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

// Values of cudaError_t, as the judge is built without CUDA.
constexpr int kCudaOutOfMemory = 2, kCudaIllegalAddress = 700;

Failure advised(Failure failure, const std::string& advice) {
  failure.advice = advice;
  return failure;
}

// What to do about an error of CUDA, where lockstep does not say more.
std::string next_for_cuda(int code, const std::string& call) {
  static const std::map<int, const char*> kNext = {
      {1, "One of its arguments is not possible: look at each, also at the sizes, for this n."},
      {9, "Look at the launch: a grid and a block have at least 1 thread, and a block at most 1024."},
      {17, "A pointer is not one that cudaMalloc gave: look at where it comes from."},
      {21, "The copy's direction does not fit its pointers: the target comes first, then the source."},
      {98, "The kernel is not in the program for this card: does it compile for it?"},
      {209, "The kernel is not in the program for this card: does it compile for it?"},
      {400, "The stream or the event does not exist: is it created before this call, and not destroyed?"},
      {600, "Wait first: cudaEventSynchronize() for an event, cudaStreamSynchronize() for a stream."},
      {701, "The block needs more registers or shared memory than there is: take fewer threads or less memory."},
      {710, "An assert() in the kernel failed: what was printed has its line."},
      {716, "An address is no multiple of what is loaded there: look at casts such as (float4*) and at offsets."},
      {719, "A kernel ended in an error: look at its accesses to memory."},
      {720, "All blocks of a cooperative launch must fit on the card at the same time: launch fewer."}};
  const auto next = kNext.find(code);
  if (next != kNext.end()) return next->second;
  return "Look at the arguments of " + (call.empty() ? "the call" : call.substr(0, call.find('('))) +
         ", and at the kernels before it: they may have failed first.";
}

// The errors of OpenCL that a first program meets.
std::string next_for_opencl(const std::string& text) {
  static const std::pair<const char*, const char*> kNext[] = {
      {"CL_INVALID_WORK_GROUP_SIZE",
       "The number of work-items must be a multiple of the work-group's size, and a work-group not too large for the "
       "device: round n up, and guard the index in the kernel."},
      {"CL_INVALID_WORK_ITEM_SIZE", "The work-group has more work-items than the device allows: take a smaller one."},
      {"CL_INVALID_GLOBAL_WORK_SIZE", "There are no work-items: for n = 0 return before the launch."},
      {"CL_INVALID_KERNEL_ARGS", "An argument of the kernel was not set: count the calls of setArg, from 0 on."},
      {"CL_INVALID_ARG_INDEX", "The kernel has fewer parameters: setArg counts them from 0."},
      {"CL_INVALID_ARG_SIZE",
       "The argument has another size than the kernel's parameter: an int is cl_int, not size_t; local memory is "
       "cl::Local(bytes)."},
      {"CL_INVALID_ARG_VALUE", "The argument is none for this parameter: a __global pointer takes a cl::Buffer."},
      {"CL_INVALID_KERNEL_NAME", "No kernel has this name: compare it with the source, behind __kernel void."},
      {"CL_INVALID_BUFFER_SIZE", "A buffer has at least 1 byte: for n = 0 return before it is made."},
      {"CL_INVALID_MEM_OBJECT", "The buffer does not exist any more, or belongs to another context."},
      {"CL_MEM_OBJECT_ALLOCATION_FAILURE", "Memory ran out: look at how the size of the buffer is computed."},
      {"CL_OUT_OF_RESOURCES",
       "A kernel used memory outside its buffers, or too much local memory: look at its indices."},
      {"CL_INVALID_VALUE", "A size or an offset lies outside the buffer: look at the bytes of the copy, for this n."}};
  for (const auto& [name, next] : kNext)
    if (text.find(name) != std::string::npos) return next;
  return "Look the call up in OpenCL's reference: it lists what each of its errors means.";
}

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
  return advised(runtime_failure(what, next_for_cuda(code, call)), "cuda." + name);
}

}  // namespace

std::string seconds_text(double seconds) { return number(seconds, 6) + (seconds == 1 ? " second" : " seconds"); }

Failure time_failure(const std::string& what) {
  return make_failure(Verdict::kTime, "time", what,
                      "Look for a loop that never ends, or for a barrier or a lock that waits for ever.");
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

Failure silent_failure() {
  return runtime_failure("the program ended without telling its device",
                         "Return from the function; do not end the program.");
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
      return advised(compile_failure("OpenCL's compiler refuses the kernels",
                                     "Start with the first error; later ones often follow from it."),
                     "first_error");
    if (status == "opencl") {
      const std::string text = reply.value("text", "");
      return advised(runtime_failure(text, next_for_opencl(text)), "opencl");
    }
    if (status == "exception") {
      return runtime_failure("an exception left the function: " + reply.value("text", ""),
                             "Find what throws it. The function of a lab must return to its caller.");
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
