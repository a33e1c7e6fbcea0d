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
Message next_for_cuda(int code, const std::string& call) {
  static const std::map<int, const char*> kNext = {
      {1, later("One of its arguments is not possible: look at each, also at the sizes, for this n.")},
      {9, later("Look at the launch: a grid and a block have at least 1 thread, and a block at most 1024.")},
      {17, later("A pointer is not one that cudaMalloc gave: look at where it comes from.")},
      {21, later("The copy's direction does not fit its pointers: the target comes first, then the source.")},
      {98, later("The kernel is not in the program for this card: does it compile for it?")},
      {209, later("The kernel is not in the program for this card: does it compile for it?")},
      {400, later("The stream or the event does not exist: is it created before this call, and not destroyed?")},
      {600, later("Wait first: cudaEventSynchronize() for an event, cudaStreamSynchronize() for a stream.")},
      {701, later("The block needs more registers or shared memory than there is: take fewer threads or less memory.")},
      {710, later("An assert() in the kernel failed: what was printed has its line.")},
      {716,
       later("An address is no multiple of what is loaded there: look at casts such as (float4*) and at offsets.")},
      {719, later("A kernel ended in an error: look at its accesses to memory.")},
      {720, later("All blocks of a cooperative launch must fit on the card at the same time: launch fewer.")}};
  const auto next = kNext.find(code);
  if (next != kNext.end()) return message(next->second);
  return message("Look at the arguments of {call}, and at the kernels before it: they may have failed first.",
                 {{"call", call.empty() ? message("the call") : Message(call.substr(0, call.find('(')))}});
}

// The errors of OpenCL that a first program meets.
Message next_for_opencl(const std::string& text) {
  static const std::pair<const char*, const char*> kNext[] = {
      {"CL_INVALID_WORK_GROUP_SIZE", later("The number of work-items must be a multiple of the work-group's size, and "
                                           "a work-group not too large for the "
                                           "device: round n up, and guard the index in the kernel.")},
      {"CL_INVALID_WORK_ITEM_SIZE",
       later("The work-group has more work-items than the device allows: take a smaller one.")},
      {"CL_INVALID_GLOBAL_WORK_SIZE", later("There are no work-items: for n = 0 return before the launch.")},
      {"CL_INVALID_KERNEL_ARGS", later("An argument of the kernel was not set: count the calls of setArg, from 0 on.")},
      {"CL_INVALID_ARG_INDEX", later("The kernel has fewer parameters: setArg counts them from 0.")},
      {"CL_INVALID_ARG_SIZE",
       later("The argument has another size than the kernel's parameter: an int is cl_int, not size_t; local memory is "
             "cl::Local(bytes).")},
      {"CL_INVALID_ARG_VALUE",
       later("The argument is none for this parameter: a __global pointer takes a cl::Buffer.")},
      {"CL_INVALID_KERNEL_NAME", later("No kernel has this name: compare it with the source, behind __kernel void.")},
      {"CL_INVALID_BUFFER_SIZE", later("A buffer has at least 1 byte: for n = 0 return before it is made.")},
      {"CL_INVALID_MEM_OBJECT", later("The buffer does not exist any more, or belongs to another context.")},
      {"CL_MEM_OBJECT_ALLOCATION_FAILURE", later("Memory ran out: look at how the size of the buffer is computed.")},
      {"CL_OUT_OF_RESOURCES",
       later("A kernel used memory outside its buffers, or too much local memory: look at its indices.")},
      {"CL_INVALID_VALUE",
       later("A size or an offset lies outside the buffer: look at the bytes of the copy, for this n.")}};
  for (const auto& [name, next] : kNext)
    if (text.find(name) != std::string::npos) return message(next);
  return message("Look the call up in OpenCL's reference: it lists what each of its errors means.");
}

// What common/runner says of itself, or of a machine that cannot run the code. Empty: the runner never says this.
Message fault_text(const Json& reply) {
  const std::string status = reply.value("status", ""), about = reply.value("about", ""),
                    text = reply.value("text", "");
  if (status == "no_gpu_driver")
    return message("no GPU here has an OpenCL driver; NVIDIA's libnvidia-opencl.so.1 comes with the card's own");
  if (status == "no_driver")
    return message("no device here has an OpenCL driver; Debian's pocl-opencl-icd serves any CPU");
  if (status == "fault" && about == "entry") return message("no entry point {name}", {{"name", text}});
  if (status == "fault" && about == "device") return message("the device does not start: {error}", {{"error", text}});
  return {};
}

Message bad_alloc_text() { return message("an allocation on the host failed (std::bad_alloc)"); }

// What common/runner says of an allocation that failed. Empty: it never says this.
Message memory_text(const Json& reply) {
  const std::string status = reply.value("status", ""), about = reply.value("about", "");
  if (status == "memory" && about == "null_pointer")
    return message("an allocation failed and its null pointer was used");
  return status == "memory" && about == "bad_alloc" ? bad_alloc_text() : Message();
}

Failure memory_failure(const Message& what) {
  return make_failure(
      Verdict::kMemory, "memory", what,
      message("Look for an allocation whose size was computed wrongly, or one that is repeated and never freed."));
}

// "clCreateBuffer failed with CL_INVALID_BUFFER_SIZE (-61)", as common/opencl.h says it.
Message opencl_step(const std::string& text) {
  constexpr std::string_view kFailed = " failed with ";
  const size_t at = text.find(kFailed);
  if (at == std::string::npos) return text;
  return message("{call} failed with {error}",
                 {{"call", text.substr(0, at)}, {"error", text.substr(at + kFailed.size())}});
}

// A CUDA error that check.h or the runner reported.
Failure cuda_failure(const Json& reply) {
  const int code = reply.value("code", 0);
  const std::string name = reply.value("name", ""), call = reply.value("call", "");
  const std::string error = name + ": " + reply.value("text", "");
  Message what = message("CUDA reports {error}", {{"error", error}});
  if (reply.contains("file")) {
    const std::string place = reply.value("file", "") + ":" + std::to_string(reply.value("line", 0));
    what = message("{place}: {call} failed with {error}", {{"place", place}, {"call", call}, {"error", error}});
  } else if (!call.empty()) {
    what = message("CUDA reports {error} (seen at {call})", {{"error", error}, {"call", call}});
  }
  if (code == kCudaOutOfMemory) return memory_failure(message("device memory ran out: {what}", {{"what", what}}));
  if (code == kCudaIllegalAddress) {
    return make_failure(Verdict::kRuntimeError, "guard", what,
                        message("A thread used an index outside an array: compare the guard of each access with n."));
  }
  return advised(runtime_failure(what, next_for_cuda(code, call)), "cuda." + name);
}

}  // namespace

Message seconds_text(double seconds) {
  return seconds == 1 ? message("1 second") : message("{count} seconds", {{"count", number(seconds, 6)}});
}

Failure time_failure(const Message& what) {
  return make_failure(Verdict::kTime, "time", what,
                      message("Look for a loop that never ends, or for a barrier or a lock that waits for ever."));
}

Failure allowance_failure(double seconds) {
  return make_failure(
      Verdict::kTime, "time",
      message("all runs of the program together took more than {time}, the limit for one submission",
              {{"time", seconds_text(seconds)}}),
      message("No single call is too slow, but their sum is. Look for a call that sleeps, or that repeats work."));
}

Failure output_failure() {
  return make_failure(Verdict::kOutputLimit, "output", message("more than 16 MiB were printed"),
                      message("Print less, or only from one thread."));
}

Failure silent_failure() {
  return runtime_failure(message("the program ended without telling its device"),
                         message("Return from the function; do not end the program."));
}

Failure protocol_failure(const Message& what) {
  return make_failure(
      Verdict::kCheating, "protocol",
      message("{what}: only the runner answers the judge, when it is asked", {{"what", what}}),
      message(
          "Compute the answer in the contract's functions, and leave the descriptors that you did not open alone."));
}

Failure refused_failure(const std::string& line, const std::string& errors) {
  const Json reply = Json::parse(line, nullptr, false);
  if (!reply.is_object())
    return runtime_failure(message("the program wrote into the judge's pipe"), message("Use stdout and stderr only."));
  try {
    const std::string status = reply.value("status", "");
    if (status == "cuda") return cuda_failure(reply);
    if (const Message memory = memory_text(reply); !memory.empty()) return memory_failure(memory);
    if (const Message fault = fault_text(reply); !fault.empty())
      return make_failure(
          Verdict::kJudgeFault, "judge", fault,
          message("The code that was judged is not at fault. Run it again; if the fault stays, report it."), errors);
    if (status == "kernels")
      return advised(compile_failure(message("OpenCL's compiler refuses the kernels"),
                                     message("Start with the first error; later ones often follow from it.")),
                     "first_error");
    if (status == "opencl") {
      const std::string text = reply.value("text", "");
      return advised(runtime_failure(opencl_step(text), next_for_opencl(text)), "opencl");
    }
    if (status == "exception") {
      return runtime_failure(message("an exception left the function: {what}", {{"what", reply.value("text", "")}}),
                             message("Find what throws it. The function of a lab must return to its caller."));
    }
  } catch (const Json::exception&) {}  // keys of other types than those of the runner
  return protocol_failure(message("the program made up an answer"));
}

Failure ended_failure(const Child& child, double cpu_seconds) {
  const int signal = child.ending_signal();
  if (signal == SIGXCPU)
    return time_failure(message("the limit of {time} of CPU time is used up", {{"time", seconds_text(cpu_seconds)}}));
  if (signal == SIGKILL)
    return memory_failure(message("the system killed the process, as it does when memory runs out"));
  if (signal == SIGXFSZ)
    return make_failure(Verdict::kOutputLimit, "output", message("a file grew over the limit"),
                        message("A lab's functions need no files: print less, or nothing."));
  const std::string errors = child.errors();
  if (errors.find("std::bad_alloc") != std::string::npos) return memory_failure(bad_alloc_text());
  if (signal == 0) {
    return runtime_failure(message("the program {ended} before it gave its answer", {{"ended", child.how_it_ended()}}),
                           message("A function of a lab returns to its caller; it does not end the program."));
  }
  if (signal == SIGABRT) {
    return runtime_failure(
        message("the program {ended}", {{"ended", child.how_it_ended()}}),
        message("It called abort() itself: an assertion, a case that your code refuses, or host memory freed twice."));
  }
  return runtime_failure(
      message("the program {ended}", {{"ended", child.how_it_ended()}}),
      message(
          "Device memory may be used in kernels only, host memory on the host only: look for a pointer that crosses."));
}

}  // namespace warpladder
