// device: the one door to the emulated GPU. Requests go in (allocate, copy, load a module, launch,
// synchronise), statuses and a report come out. Everything that crosses is a plain value, and so the device lives in
// the program's process, or in one of its own where the program is not to touch what it counts and finds
// (remote_device, device_server). Knows no CUDA header: runtime_api translates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/dim3.h"
#include "base/limits.h"
#include "base/options.h"
#include "base/status.h"

namespace lockstep {

using ModuleId = uint32_t;
using FunctionId = uint32_t;

struct ParamInfo {
  uint32_t offset = 0, bytes = 0;  // place in the packed parameter block
};

// What cudaFuncGetAttributes reports. `registers` counts PTX registers and is no measure of ptxas's.
struct FunctionInfo {
  FunctionId id = 0;
  std::string name;
  std::vector<ParamInfo> params;
  uint32_t param_bytes = 0;
  uint32_t static_shared_bytes = 0, local_bytes = 0;
  uint32_t registers = 0;
  uint32_t max_threads_per_block = 1024;
  int ptx_version = 75;  // the .target, e.g. 75 for sm_75
};

struct GlobalInfo {
  uint64_t address = 0;
  uint64_t bytes = 0;
  bool managed = false;
};

struct LaunchRequest {
  FunctionId function = 0;
  Dim3 grid, block;
  uint64_t dynamic_shared_bytes = 0;
  bool cooperative = false;           // every block resident at once, or kCooperativeLaunchTooLarge
  std::span<const std::byte> params;  // packed as FunctionInfo::params says
  uint64_t stack_bytes = 0;           // of a thread, for recursion; less than the usual 16 KiB changes nothing
};

// Rows of `width` bytes in device memory, each `pitch` bytes after the one before it.
struct Region {
  uint64_t address = 0, pitch = 0, width = 0, rows = 1;
};

// The device as the program's runtime sees it: an EmulatedDevice in this process, or a RemoteDevice, which sends each
// request to a process that has one. Nothing but the copies below reaches device memory; only what is allocated as
// pinned or managed may be read and written in place.
class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceLimits& limits() const = 0;

  // Memory. Sizes in bytes. allocate() aligns to 256; allocate(0) gives address 0.
  virtual Outcome allocate(uint64_t bytes, uint64_t* address, MemoryKind kind = MemoryKind::kDevice) = 0;
  // 0 is fine; anything but the start of an allocation of that kind (pinned or not) is kInvalidValue and a finding.
  virtual Outcome free(uint64_t address, bool pinned = false) = 0;
  // Fetching data is to wait for the device, and counts as that, unless it only goes on with the request before.
  virtual Outcome copy_in(const Region& to, const void* from, uint64_t from_pitch) = 0;
  virtual Outcome copy_out(void* to, uint64_t to_pitch, const Region& from, bool goes_on = false) = 0;
  virtual Outcome copy_within(const Region& to, uint64_t from, uint64_t from_pitch) = 0;
  virtual Outcome fill(const Region& to, uint8_t value) = 0;
  Outcome copy_in(uint64_t to, const void* from, uint64_t bytes) { return copy_in({to, bytes, bytes}, from, bytes); }
  Outcome copy_out(void* to, uint64_t from, uint64_t bytes) { return copy_out(to, bytes, {from, bytes, bytes}); }
  Outcome fill(uint64_t to, uint8_t value, uint64_t bytes) { return fill({to, bytes, bytes}, value); }
  virtual AddressInfo find_address(uint64_t address) const = 0;
  virtual void memory_info(uint64_t* free_bytes, uint64_t* total_bytes) const = 0;

  // Modules. load_module takes PTX text, one for each object file if the program is compiled separately, and links
  // them. Functions that cannot be run (an instruction not supported, a function that no file defines) are refused
  // when they are launched, by name and source line, not here.
  virtual Outcome load_module(const std::vector<std::string_view>& ptx, ModuleId* module) = 0;
  virtual Outcome unload_module(ModuleId module) = 0;
  virtual Outcome find_function(ModuleId module, std::string_view name, FunctionInfo* info) = 0;
  virtual Outcome find_global(ModuleId module, std::string_view name, GlobalInfo* info) = 0;

  // Resident blocks per multiprocessor for this launch shape; 0 if not even one fits.
  virtual uint32_t blocks_per_sm(FunctionId function, uint32_t threads, uint64_t dynamic_shared_bytes) const = 0;
  // The kernel may use up to this much dynamic shared memory (cudaFuncAttributeMaxDynamicSharedMemorySize).
  virtual Outcome set_max_dynamic_shared(FunctionId function, uint64_t bytes) = 0;

  // Runs the kernel to its end. The result tells only of the request (configuration, resources, an instruction
  // that is not supported); what goes wrong inside the kernel is sticky and comes from synchronise().
  virtual Outcome launch(const LaunchRequest& request) = 0;
  // The host waits for the device: counted. kOk, or the sticky fault. Once sticky, every later launch returns it too.
  virtual Outcome synchronise() = 0;
  virtual Outcome fault() const = 0;  // the same, without waiting

  // The program asked for the last error of a launch.
  virtual void read_error() = 0;
  // One more call of the runtime, by this name: whether it is the one that the planned failure names.
  virtual bool call_fails(std::string_view function) = 0;
  virtual void start_profiling() = 0;  // from now on PlannedFailure::profiled_only counts; nothing ends that

  // What kernels printed since the last call, in order.
  virtual std::string take_output() = 0;
  // Messages of the findings since the last call, and that a trace is not whole.
  virtual std::vector<std::string> take_messages() = 0;

  // The program ends, or resets the device and goes on: what is not freed, or was not looked at, becomes a finding, and
  // the report is written.
  enum class End { kReset, kOrderly };
  virtual Outcome end_program(End end) = 0;
};

// The device itself, in this process.
class EmulatedDevice : public Device {
 public:
  static std::unique_ptr<EmulatedDevice> create(const DeviceOptions& options);

  virtual AddressSpace address_space() const = 0;
  // The report, whose shape docs/lockstep.md describes: {"launches":[…],"findings":[…],"end":…}.
  virtual std::string report_json(std::string_view end = "orderly") const = 0;
};

// Writes the file beside its place and then renames it: whoever waits for it never reads half of it.
Outcome write_report(const std::string& file, const std::string& report);

}  // namespace lockstep
