// device: the one door to the emulated GPU. Requests go in (allocate, copy, load a module, launch, synchronise);
// statuses, values and messages come out. Everything that crosses is a plain value (requests.h). So the device can live
// in the program's process (emulated_device), or in another one, where the program cannot change what the device counts
// and finds (remote_device, device_server). Knows no CUDA header: the runtime translates.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/findings.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/task.h"
#include "base/texture.h"
#include "device/requests.h"

namespace lockstep {

// The device as the program's runtime sees it. Only the copies below reach device memory. The program may read and
// write in place only what is allocated as pinned or managed.
class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceLimits& limits() const = 0;

  // Memory. Sizes in bytes. allocate() aligns to 512; with an offset below 512, the memory begins so many bytes behind
  // such an address. allocate(0) gives address 0.
  virtual Outcome allocate(uint64_t bytes, uint64_t* address, MemoryKind kind = MemoryKind::kDevice,
                           uint64_t offset = 0) = 0;
  // Address 0 is fine. Any other must be the start of an allocation, pinned or not as `pinned` says; else the outcome
  // is kInvalidValue, and a finding is added.
  virtual Outcome free(uint64_t address, bool pinned = false) = 0;
  // Memory of a graph: its address is known before it is allocated, and each launch may allocate and free it again.
  // Sets an address whose memory is not there yet; allocates the memory, which free() frees; gives the address back.
  virtual Outcome reserve(uint64_t bytes, uint64_t* address) = 0;
  virtual Outcome allocate_reserved(uint64_t address) = 0;
  virtual Outcome unreserve(uint64_t address) = 0;
  virtual Outcome copy_in(const Region& to, const void* from, uint64_t from_pitch) = 0;
  // The program waits for the device to get its data. That wait is counted, once for the parts of one call.
  virtual Outcome copy_out(void* to, uint64_t to_pitch, const Region& from, CopyPart part = CopyPart::kFirst) = 0;
  virtual Outcome copy_within(const Region& to, uint64_t from, uint64_t from_pitch) = 0;
  virtual Outcome fill(const Region& to, uint8_t value) = 0;
  Outcome copy_in(uint64_t to, const void* from, uint64_t bytes) { return copy_in({to, bytes, bytes}, from, bytes); }
  Outcome copy_out(void* to, uint64_t from, uint64_t bytes) { return copy_out(to, bytes, {from, bytes, bytes}); }
  Outcome fill(uint64_t to, uint8_t value, uint64_t bytes) { return fill({to, bytes, bytes}, value); }
  virtual AddressInfo find_address(uint64_t address) const = 0;

  // Textures and surfaces: descriptions of memory, by which kernels read and write it. A handle never comes again.
  // kInvalidValue: the memory is not all within one allocation; no texture has this handle.
  virtual Outcome create_texture(const Texture& texture, uint64_t* handle) = 0;
  virtual Outcome destroy_texture(uint64_t handle) = 0;
  virtual void memory_info(uint64_t* free_bytes, uint64_t* total_bytes) const = 0;

  // For a program under the judge, which has a vault for the device's process (vault.h). Fills all of an array with the
  // input of the case; gives the judge both arrays of the case. kInvalidValue: there is no vault, or no such array.
  virtual Outcome place_input(uint64_t /*to*/, uint64_t /*bytes*/) { return {Status::kInvalidValue, ""}; }
  virtual Outcome hand_over(uint64_t /*in*/, uint64_t /*out*/) { return {Status::kInvalidValue, ""}; }

  // Modules. load_module takes PTX texts and links them: one text for each object file of a program that is compiled
  // separately. A function that cannot run (an instruction that is not supported, a call of a function that no text
  // defines) is refused when it is launched, by name and source line.
  virtual Outcome load_module(const std::vector<std::string_view>& ptx, ModuleId* module) = 0;
  virtual Outcome unload_module(ModuleId module) = 0;
  virtual Outcome find_function(ModuleId module, std::string_view name, FunctionInfo* info) = 0;
  virtual Outcome find_global(ModuleId module, std::string_view name, GlobalInfo* info) = 0;

  // These two ask ptxas about the kernel's registers, and wait for the answer. Resident blocks per multiprocessor for
  // this launch shape; 0: not even one fits.
  virtual uint32_t blocks_per_sm(FunctionId function, uint32_t threads, uint64_t dynamic_shared_bytes) = 0;
  virtual KernelLimits kernel_limits(FunctionId function) = 0;
  // The kernel may use up to this much dynamic shared memory (cudaFuncAttributeMaxDynamicSharedMemorySize).
  virtual Outcome set_max_dynamic_shared(FunctionId function, uint64_t bytes) = 0;

  // Runs the kernel to its end. The outcome is about the request only: its configuration, its resources, an instruction
  // that is not supported. A fault inside the kernel is sticky, and synchronise() returns it.
  virtual Outcome launch(const LaunchRequest& request) = 0;
  // The host waits for the device; the wait is counted. Returns kOk or the sticky fault. After a fault every launch
  // returns it, too.
  virtual Outcome synchronise() = 0;
  virtual Outcome fault() const = 0;  // the same, without waiting

  // The program asked for the last error of a launch.
  virtual void read_error() = 0;
  // The program calls the function `function` of the runtime. True: it is the call that LOCKSTEP_FAIL names.
  virtual bool call_fails(std::string_view function) = 0;
  // Names the source line of a call, for the findings: of the allocation that began at the address, of the launch that
  // has just failed, or of the call that has just failed as LOCKSTEP_FAIL asked. place: "reduce.cu:12 in reduce_sum".
  // Or tells of a launch (place: its kernel) or a free that a fault in an earlier kernel prevented.
  virtual void tell_place(CallKind call, uint64_t address, std::string_view place) = 0;
  virtual void start_profiling() = 0;  // PlannedFailure::profiled_only counts from now on; no call ends that

  // The order of the program's streams. It is checked only if watches_streams(); else nobody needs to tell of it. After
  // begin_work(), the next requests are this work: one launch, or copies and fills. use() changes nothing: the present
  // work uses the memory, as cudaFreeAsync does.
  virtual bool watches_streams() const = 0;
  virtual void begin_work(const Task& work) = 0;
  virtual void use(const Region& region, bool writes) = 0;
  virtual std::vector<HostUse> take_host_uses() = 0;  // of the last launch
  virtual void touched(const HostTouch& touch) = 0;   // adds a finding

  // What kernels printed since the last call, in order.
  virtual std::string take_output() = 0;
  // What kernels set by cudaGraphSetConditional since the last call: the last value of each handle.
  virtual std::vector<Condition> take_conditions() = 0;
  // Messages of the findings since the last call, and a message if a trace is incomplete.
  virtual std::vector<std::string> take_messages() = 0;

  // The program ends, or resets the device and continues. Adds findings for memory that was not freed and errors that
  // were not read, and writes the report. Interrupted and terminated, by SIGINT and SIGTERM: without these findings,
  // because nobody can say what the program would still have freed and read.
  enum class End { kReset, kOrderly, kInterrupted, kTerminated };
  virtual Outcome end_program(End end) = 0;
};

// The device in another process. socket: "fd:N", the number of a descriptor. The device closes it. Throws
// std::runtime_error that says what is wrong.
std::unique_ptr<Device> connect_device(const std::string& socket);

// How a device finds the source line of one of this program's calls (Task::call). Unset: no call has a line.
void set_call_lines(Site (*lines)(uint64_t call));

}  // namespace lockstep
