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

namespace lockstep {

// Values equal cudaError_t's (runtime_api asserts it), so that translating is a cast.
enum class Status : int {
  kOk = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidConfiguration = 9,
  kInvalidSymbol = 13,
  kDeviceGone = 46,  // cudaErrorDevicesUnavailable
  kInvalidDeviceFunction = 98,
  kInvalidPtx = 218,
  kUnsupportedInstruction = 222,  // cudaErrorUnsupportedPtxVersion
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kAssert = 710,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kLaunchFailure = 719,
  kCooperativeLaunchTooLarge = 720,
};

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

// A status and, unless it is kOk, a text for a person: what happened and what to do next.
struct Outcome {
  Status status = Status::kOk;
  std::string message;
  bool ok() const { return status == Status::kOk; }
};

// How memory was asked for. The host itself reads and writes pinned and managed memory in place, unseen by the device.
enum class MemoryKind : uint8_t { kDevice, kPinned, kManaged };

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

// What the host did since the launch before; nothing before the first.
struct HostCalls {
  uint64_t synchronisations = 0;  // calls that waited for the device
  uint64_t allocations = 0;
};

struct LaunchRequest {
  FunctionId function = 0;
  Dim3 grid, block;
  uint64_t dynamic_shared_bytes = 0;
  bool cooperative = false;           // every block resident at once, or kCooperativeLaunchTooLarge
  std::span<const std::byte> params;  // packed as FunctionInfo::params says
  uint64_t stack_bytes = 0;           // of a thread, for recursion; less than the usual 16 KiB changes nothing
};

enum class AddressKind { kUnknown, kDevice, kFreed };
struct AddressInfo {
  AddressKind kind = AddressKind::kUnknown;
  uint64_t base = 0, bytes = 0;  // the allocation that holds (or held) the address
};

// Rows of `width` bytes in device memory, each `pitch` bytes after the one before it.
struct Region {
  uint64_t address = 0, pitch = 0, width = 0, rows = 1;
};

// All addresses of device memory; those from `shared` on the host's process has too.
struct AddressSpace {
  uint64_t begin = 0, end = 0, shared = 0;
  uint64_t around = 0;  // nothing of the host's lies so near
};

// The program that uses the device, as the device asks about it while a kernel runs.
class Host {
 public:
  virtual ~Host() = default;
  virtual bool holds(uint64_t address) const = 0;  // it has something of its own there
  virtual bool has_other_threads() const = 0;      // beside the one in the launch: they may write what a kernel reads
  static const Host& local();                      // the device lives in the program's own process
};

// Order in which warps of a block, lanes' paths of a warp, and resident blocks take turns.
struct Schedule {
  enum Kind { kForward, kReverse, kRandom } kind = kForward;
  uint64_t seed = 0;
};

// Which mistakes are looked for. Accesses outside of memory end the kernel in any case; with `memory` on it goes on
// without them, so that one run shows more than the first.
struct Checks {
  bool memory = false, initialised = false, races = false, synchronisation = false, launch = false;
  bool watch() const { return initialised || races || synchronisation; }  // what happens while a kernel runs
};

// LOCKSTEP_FAIL: one call that fails although nothing is wrong, so that one sees whether the program looks.
struct PlannedFailure {
  uint64_t number = 0;         // of the call, from 1; 0: none
  bool profiled_only = false;  // counted from the first cudaProfilerStart() on
};

struct DeviceOptions {
  uint64_t memory_bytes = 8ull << 30;  // what the device pretends to have
  Schedule schedule{};
  Checks checks{};
  uint32_t threads = 1;       // of the host, that run blocks side by side where that changes nothing
  bool report = true;         // keep what each launch counted, some 10 KB of it, for report_json()
  std::string report_file{};  // where end_program() writes the report; empty: nowhere
  std::string trace{};        // file for a record of what warps do (trace.h); empty: none
  PlannedFailure failure{};
  // Of a device in a process of its own: a file whose bytes from shared_offset on are the memory that the host has,
  // too.
  int shared_file = -1;
  uint64_t shared_offset = 0;
  const Host* host = &Host::local();
  // From the environment: LOCKSTEP_SCHEDULE (forward | reverse | random:SEED), LOCKSTEP_MEMORY (bytes,
  // with an optional K, M or G), LOCKSTEP_CHECKS (all, none, or a list of the names in Checks, separated by commas),
  // LOCKSTEP_THREADS (unset: one for each core that this process may use), LOCKSTEP_REPORT (no report unless it names
  // a file), LOCKSTEP_TRACE (a file), LOCKSTEP_FAIL (K or profiled:K). A malformed value throws std::invalid_argument
  // that says what is accepted.
  static DeviceOptions from_environment();
};

// Fixed properties of the emulated card: those of an NVIDIA H200, on which the counters' rules were measured.
struct DeviceLimits {
  uint32_t warp_size = 32, max_threads_per_block = 1024, max_threads_per_sm = 2048, max_blocks_per_sm = 32;
  uint32_t sm_count = 132, registers_per_sm = 65536;
  uint32_t shared_per_block = 48 << 10, shared_per_block_optin = 227 << 10, shared_per_sm = 228 << 10;
  uint32_t shared_reserved_per_block = 1 << 10, const_bytes = 64 << 10, l2_bytes = 60 << 20;
  Dim3 max_block{1024, 1024, 64}, max_grid{0x7fffffff, 65535, 65535};
  int compute_major = 9, compute_minor = 0;
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
