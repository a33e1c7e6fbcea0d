// api: the state behind the entry points: start from the environment, faults, messages, modules, report.
#include "runtime/api.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

#include "base/words.h"
#include "device/emulated_device.h"
#include "report/report.h"
#include "runtime/call_advice.h"
#include "runtime/call_place.h"
#include "runtime/refusals.h"
#include "runtime/stubs.h"
#include "runtime/teller.h"

namespace lockstep::runtime {
namespace {

thread_local cudaError_t t_last_error = cudaSuccess;

void start_here(Runtime& runtime) {
  runtime.device = EmulatedDevice::create(DeviceOptions::from_environment());
  watch_signals(runtime);
}

void start_beside(Runtime& runtime, const char* socket) {
  runtime.device = connect_device(socket);
  watch_host_accesses();
}

// LOCKSTEP_DEVICE=fd:N: the device is a process at the other end of a socket. Unset: it lives in this process.
void start(Runtime& runtime) {
  try {
    if (const char* socket = std::getenv("LOCKSTEP_DEVICE"); socket && *socket)
      start_beside(runtime, socket);
    else
      start_here(runtime);
    set_call_lines(call_line);
  } catch (const std::exception& error) {  // a malformed variable, or no memory to reserve
    runtime.start_up = {static_cast<Status>(cudaErrorInitializationError), error.what()};
  }
}

// Gives the host its pointers to managed variables. If the module cannot be loaded, they point to plain memory: else
// the host's next access to the variable crashes before anybody reads the message.
void bind_managed(Runtime& runtime, Binary& binary) {
  for (const auto& symbol : binary.symbols) {
    if (!symbol->managed_pointer) continue;
    GlobalInfo info;
    if (runtime.device->find_global(binary.module, symbol->name, &info).ok()) {
      *symbol->managed_pointer = pointer_to(info.address);
      runtime.program.symbols[pointer_to(info.address)] = symbol.get();  // what &variable gives the host
      runtime.memory.allocations[info.address] = {info.bytes, MemoryKind::kManaged, nullptr, true, {}};
    }
    if (!*symbol->managed_pointer) *symbol->managed_pointer = std::calloc(1, symbol->bytes);
  }
}

// Runs when the library is unloaded or the program ends: after the program's own exit handlers and destructors.
__attribute__((destructor)) void finish() {
  Runtime& runtime = Runtime::instance();
  if (runtime.pid != getpid()) return;  // a forked child has no output and no report of its own
  const std::unique_lock lock(runtime.mutex, std::try_to_lock);
  if (!lock) {  // waiting for a kernel of another thread might take for ever
    runtime.tell(with_next(words("the program ended while another thread was in a CUDA call, so no report is written"),
                           words("join that thread before main() returns.")));
    return;
  }
  tell_touches(runtime);
  runtime.tell_error_reads();
  runtime.flush_output();
  std::fflush(stdout);
  end_if_interrupted(runtime);
  runtime.end(Device::End::kOrderly);
}

}  // namespace

Runtime& Runtime::instance() {
  static Runtime* const runtime = [] {
    auto* created = new Runtime;
    start(*created);
    return created;
  }();
  return *runtime;
}

std::string no_memory_text() {
  return with_next(words("this process has no memory left to emulate with"),
                   words("lift its memory limit (ulimit -v unlimited), or launch smaller blocks."));
}

void Runtime::tell(const std::string& message) {
  if (!message.empty() && told.insert(message).second) tell_person(message);
}

bool Runtime::tell_findings() {
  if (!device) return false;
  const std::vector<std::string> messages = device->take_messages();
  for (const std::string& message : messages) tell(message);
  return std::ranges::any_of(messages, [](const std::string& message) { return !message.empty(); });
}

void Runtime::tell_failed(std::string_view name, cudaError_t error) {
  std::string why = advice;
  if (why.empty()) why = advice_on_error(error);
  if (why.empty()) why = capture_advice(error, name);
  if (why.empty()) return;
  const bool launches = name.starts_with("__");
  const std::string text = failed_call(launches ? words("a launch") : called(name), error, why,
                                       place_of(launches ? launch_stack() : work_stack(*this)));
  tell_failed_call(text);
}

void Runtime::tell_failed_call(const std::string& message) {
  const bool is_new = !message.empty() && !told.contains(message);
  tell(message);
  if (is_new && device) device->tell_place(CallKind::kFailedCall, 0, message);
}

cudaError_t Runtime::refuse(const char* what, const char* next) {
  note_refusal();
  advice = with_next(words("{what} not emulated.", {{"what", words(what)}}), words(next));
  return cudaErrorNotSupported;
}

void Runtime::tell_error_reads() {
  if (device && error_was_read.exchange(false)) device->read_error();
}

void Runtime::flush_output() {
  if (!device) return;
  const std::string output = device->take_output();
  if (!output.empty()) std::fwrite(output.data(), 1, output.size(), stdout);
}

// For the findings about memory that was not freed. A program that leaks without end needs no more lines than these.
void Runtime::tell_places() {
  constexpr size_t kMostTold = 1000;
  size_t told_now = 0;
  for (const auto& [address, allocation] : memory.allocations) {
    if (allocation.stack.empty()) continue;
    device->tell_place(CallKind::kAllocation, address, place_of(allocation.stack));
    if (++told_now == kMostTold) return;
  }
}

void Runtime::end(Device::End how) {
  Outcome written;
  if (device) {
    tell_places();
    written = device->end_program(how);
    tell_findings();
  } else if (const char* file = std::getenv("LOCKSTEP_REPORT"); file && *file) {
    written = lockstep::write_report(file, R"({"launches":[],"findings":[]})");
  }
  tell(written.message);
}

cudaError_t Runtime::code(const Outcome& outcome) {
  const std::string what = outcome.message.substr(0, outcome.message.find('\n'));
  const bool is_told = std::ranges::any_of(told, [&](const std::string& text) { return text.find(what) != text.npos; });
  if (!outcome.ok() && !is_told) advice = outcome.message;
  if (outcome.status == Status::kUnsupportedInstruction) note_refusal();
  return static_cast<cudaError_t>(outcome.status);
}

Kernel* Runtime::find_kernel(const void* function) {
  const auto found = program.kernels.find(function);
  return found == program.kernels.end() ? nullptr : found->second.get();
}

void Runtime::forget(const Binary* binary) {
  std::erase_if(program.kernels, [&](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(program.symbols, [&](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(program.binaries, [&](const auto& entry) { return entry.get() == binary; });
}

const Outcome& Runtime::load(Binary& binary) {
  if (binary.outcome) return *binary.outcome;
  const int arch = device->limits().compute.number();
  Outcome refusal{static_cast<Status>(cudaErrorNoKernelImageForDevice),
                  with_next(words("the program registered something that is not a fat binary of nvcc's"),
                            words("rebuild it with nvcc."))};
  bool any_entries = false;
  std::vector<std::string> texts;
  if (!binary.text.empty()) texts.push_back(binary.text);
  for (const auto container : binary.containers) {
    const FatbinContents contents = read_fatbin(container);
    PtxChoice choice = choose_ptx(contents, arch);
    if (choice.error == FatbinError::kNone) {
      texts.push_back(std::move(choice.ptx));
      continue;
    }
    // An object file without device code has an empty container. That is fine while another file has code. The first
    // container with code counts: the last one is often libcudadevrt, which nvcc adds and which has PTX for newer
    // cards.
    if (!any_entries)
      refusal = {static_cast<Status>(choice.error == FatbinError::kDamaged ? cudaErrorInvalidKernelImage
                                                                           : cudaErrorNoKernelImageForDevice),
                 choice.message};
    any_entries |= !contents.entries.empty();
  }
  for (size_t i = 0; texts.empty() && i < binary.containers.size(); ++i) {
    PtxChoice choice = choose_newer_ptx(read_fatbin(binary.containers[i]), arch);
    if (choice.error == FatbinError::kNone) texts.push_back(std::move(choice.ptx));
  }
  binary.outcome =
      texts.empty() ? std::move(refusal) : device->load_module({texts.begin(), texts.end()}, &binary.module);
  bind_managed(*this, binary);
  if (!binary.outcome->ok()) note_refusal();
  return *binary.outcome;
}

cudaError_t Runtime::resolve(Kernel& kernel) {
  if (!kernel.outcome) {
    kernel.outcome = load(*kernel.binary);
    if (kernel.outcome->ok()) kernel.outcome = device->find_function(kernel.binary->module, kernel.name, &kernel.info);
    const uint64_t usual = device->limits().shared_per_block;
    kernel.max_dynamic_shared = usual - std::min<uint64_t>(usual, kernel.info.static_shared_bytes);
  }
  return code(*kernel.outcome);
}

cudaError_t Runtime::find_variable(const void* variable, GlobalInfo* info) {
  const auto found = program.symbols.find(variable);
  if (found == program.symbols.end()) return cudaErrorInvalidSymbol;
  const Symbol& symbol = *found->second;
  Outcome outcome = load(*symbol.binary);
  if (outcome.ok() && !device->find_global(symbol.binary->module, symbol.name, info).ok())
    outcome = {Status::kInvalidSymbol,
               with_next(words("the program's PTX has no variable '{name}'", {{"name", symbol.name}}),
                         words("rebuild it, every file with PTX; host code and PTX do not belong together."))};
  return code(outcome);
}

cudaError_t enter(Runtime& runtime, Needs needs, std::string_view name) {
  if (!runtime.start_up.ok()) return runtime.code(runtime.start_up);
  if (needs == Needs::kNothing) return cudaSuccess;
  if (runtime.lost) return cudaErrorDevicesUnavailable;
  if (runtime.captures.any() && is_unsafe(name))
    if (const cudaError_t error = refuse_unsafe(runtime.captures); error != cudaSuccess) return error;
  const bool waits = needs == Needs::kSync;
  if (waits) runtime.fault = runtime.device->synchronise();
  if (needs == Needs::kOutcome || waits) {
    runtime.events.waited = runtime.events.records;
    runtime.flush_output();
    runtime.surfaced = !runtime.fault.ok();
  }
  return runtime.surfaced ? static_cast<cudaError_t>(runtime.fault.status) : cudaSuccess;
}

// LOCKSTEP_FAIL tests whether the program checks the call itself. So cudaGetLastError() does not repeat the error of a
// call that returned it. A launch by <<<>>> returns no error, so a failed launch sets the last error. So does a wait,
// whose error every later call returns as well.
cudaError_t fail_as_planned(Runtime& runtime, std::string_view function) {
  const CallStack stack = function.starts_with("__") ? launch_stack() : call_stack();
  runtime.device->tell_place(CallKind::kPlannedFailure, 0, place_of(stack));
  runtime.tell_findings();
  const bool is_last = function.find("Launch") != std::string_view::npos || function.ends_with("Synchronize");
  return is_last ? leave(cudaErrorUnknown) : cudaErrorUnknown;
}

cudaError_t leave(cudaError_t error) {
  if (error != cudaSuccess) t_last_error = error;
  return error;
}

CallStack work_stack(const Runtime& runtime) {
  return runtime.watch.node.stack ? *runtime.watch.node.stack : call_stack();
}

bool is_stream(const Runtime& runtime, cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return true;
  return runtime.streams.all.find(stream) != nullptr;
}

int refuse(const char* function) {
  return call(Needs::kNothing, function, [&](Runtime& runtime) {
    return runtime.refuse(later("this function is"),
                          later("write the program without it, or run the program on a GPU."));
  });
}

}  // namespace lockstep::runtime

using namespace lockstep::runtime;

// The last error is this thread's own and is not touched by calls that succeed. A fault in a kernel comes back
// with the next call, not by itself. These calls take no lock: as on a card, they do not wait for a launch of another
// thread.
LOCKSTEP_API cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  t_last_error = cudaSuccess;
  return error;
}
LOCKSTEP_API cudaError_t cudaPeekAtLastError() {
  Runtime::instance().error_was_read = true;
  return t_last_error;
}
