#include "device/emulated_device.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "base/words.h"
#include "count/occupancy.h"
#include "device/carried.h"
#include "device/child_grids.h"
#include "device/device_memory.h"
#include "device/host_side.h"
#include "device/kernels.h"
#include "device/machine_code.h"
#include "device/modules.h"
#include "device/watched_accesses.h"
#include "engine/global_races.h"
#include "engine/grid.h"
#include "engine/kept_blocks.h"
#include "engine/last_stores.h"
#include "engine/workers.h"
#include "report/launch_record.h"
#include "report/report.h"
#include "report/trace.h"

namespace lockstep {
namespace {

constexpr uint64_t kWorkspaceBytes = 256;
constexpr uint64_t kOpenEndedStack = 16 << 10;  // a thread's stack, if the depth of its calls is unknown

class InProcessDevice : public EmulatedDevice {
 public:
  explicit InProcessDevice(const DeviceOptions& options)
      : options_(options),
        memory_(options),
        own_{memory_.allocate_apart(kParamBytes), memory_.allocate_apart(kWorkspaceBytes)},
        modules_(memory_),
        kernels_(limits_, own_.param_block),
        machine_code_(options.tools),
        watched_(memory_.memory()),
        carried_(memory_.memory()),
        host_(options, memory_.memory(), findings_),
        child_grids_(options_, limits_, memory_, modules_, kernels_, findings_),
        trace_(options.trace.empty() ? nullptr : std::make_unique<Trace>(options.trace)),
        observers_(memory_.observers()),
        workers_(options.threads - 1),
        kept_(options.threads) {
    if (trace_) observers_.push_back(trace_.get());
  }

  const DeviceLimits& limits() const override { return limits_; }
  AddressSpace address_space() const override { return memory_.memory().addresses(); }

  Outcome allocate(uint64_t bytes, uint64_t* address, MemoryKind kind, uint64_t offset) override {
    if (offset >= kAlignment) return {Status::kInvalidValue, ""};
    Outcome outcome = memory_.allocate(bytes, address, kind, offset);
    if (*address) host_.allocated(*address, bytes, kind);
    carried_.allocated(*address);
    return outcome;
  }
  Outcome free(uint64_t address, bool pinned) override {
    if (address == 0) return {};
    if (!host_.frees(address, pinned)) return {Status::kInvalidValue, ""};
    memory_.release(address);
    return {};
  }
  Outcome reserve(uint64_t bytes, uint64_t* address) override { return memory_.reserve(bytes, address); }
  Outcome allocate_reserved(uint64_t address) override {
    Outcome outcome = memory_.allocate_reserved(address);
    carried_.allocated(address);
    if (outcome.ok()) host_.allocated(address, memory_.memory().reserved_at(address), MemoryKind::kDevice);
    return outcome;
  }
  Outcome unreserve(uint64_t address) override { return memory_.memory().unreserve(address), Outcome{}; }
  Outcome copy_in(const Region& to, const void* from, uint64_t from_pitch) override {
    const Outcome outcome = collected(memory_.copy_in(to, from, from_pitch));
    if (outcome.ok()) carried_.given(to);
    if (outcome.ok() && !host_reaches(to.address)) host_.gives(to.width * to.rows);
    return outcome;
  }
  Outcome copy_out(void* to, uint64_t to_pitch, const Region& from, CopyPart part) override {
    Outcome outcome = collected(memory_.copy_out(to, to_pitch, from));
    if (outcome.ok()) carried_.fetched(from);
    if (outcome.ok() && part == CopyPart::kFirst) host_.waits();
    if (outcome.ok() && !host_reaches(from.address)) host_.fetches(from.width * from.rows);
    return outcome;
  }
  Outcome copy_within(const Region& to, uint64_t from, uint64_t from_pitch) override {
    Outcome outcome = copy(to, from, from_pitch);
    if (!outcome.ok()) return outcome;
    const bool reaches_to = host_reaches(to.address), reaches_from = host_reaches(from);
    if (reaches_to && !reaches_from) host_.fetches(to.width * to.rows);
    if (reaches_from && !reaches_to) host_.gives(to.width * to.rows);
    return outcome;
  }
  Outcome place(const Region& to, const void* from) override {
    if (host_reaches(to.address)) return {Status::kInvalidValue, ""};
    carried_.overwritten(to);
    return memory_.place(to, from, to.pitch);
  }
  Outcome take(void* to, const Region& from) const override { return memory_.take(to, from.pitch, from); }
  std::vector<Range> reached_by_host() const override { return memory_.memory().reached_by_host(); }
  void show(OtherWords words) override { memory_.memory().show(std::move(words)); }
  void show_own_words() override { memory_.memory().show_own_words(); }
  Crossing crossing() const override { return host_.crossing(); }
  Outcome fill(const Region& to, uint8_t value) override {
    Outcome outcome = collected(memory_.fill(to, value));
    if (outcome.ok()) carried_.overwritten(to);
    return outcome;
  }
  AddressInfo find_address(uint64_t address) const override { return memory_.memory().describe(address); }
  void memory_info(uint64_t* free_bytes, uint64_t* total_bytes) const override {
    const Memory& memory = memory_.memory();
    *free_bytes = memory.capacity() - memory.used();
    *total_bytes = memory.capacity();
  }

  Outcome create_texture(const Texture& texture, uint64_t* handle) override {
    uint64_t bytes = 0;
    *handle = 0;
    if (!is_sound(texture) || !texture.reach(&bytes) ||
        !memory_.memory().find(texture.address).contains(texture.address, bytes))
      return {Status::kInvalidValue, ""};
    *handle = ++created_textures_;
    textures_[*handle] = texture;
    return {};
  }
  Outcome destroy_texture(uint64_t handle) override {
    return {textures_.erase(handle) ? Status::kOk : Status::kInvalidValue, ""};
  }

  Outcome load_module(const std::vector<std::string_view>& ptx, ModuleId* module) override {
    const Outcome outcome = modules_.load(ptx, module);
    if (!outcome.ok()) return outcome;
    machine_code_.loads(modules_.find(*module), ptx);
    if (options_.report) machine_code_.ask(modules_.find(*module));
    return outcome;
  }
  Outcome unload_module(ModuleId id) override {
    const LoadedModule* const module = modules_.find(id);
    if (!module) return {Status::kInvalidValue, ""};
    for (KeptBlocks& blocks : kept_) blocks.clear();
    kernels_.forget(*module);
    machine_code_.forget(module);
    watched_.forget_programs();
    carried_.forget_programs();
    if (Checker* const checker = memory_.checker()) checker->forget_work();
    modules_.unload(id);
    return {};
  }
  Outcome find_function(ModuleId id, std::string_view name, FunctionInfo* info) override {
    LoadedModule* const module = modules_.find(id);
    return module ? kernels_.find(*module, name, info) : Outcome{Status::kInvalidValue, ""};
  }
  Outcome find_global(ModuleId module, std::string_view name, GlobalInfo* info) override {
    return modules_.find_global(module, name, info);
  }

  uint32_t blocks_per_sm(FunctionId id, uint32_t threads, uint64_t dynamic_shared_bytes) override {
    const LoadedKernel* const kernel = kernels_.find(id);
    return kernel ? lockstep::blocks_per_sm(limits_, *kernel, registers(*kernel), threads, dynamic_shared_bytes) : 0;
  }
  KernelLimits kernel_limits(FunctionId id) override {
    const LoadedKernel* const kernel = kernels_.find(id);
    if (!kernel) return {};
    const uint32_t known = registers(*kernel);
    return {known ? known : kernel->info.registers,
            std::min(kernel->info.max_threads_per_block, most_threads(limits_, known))};
  }
  Outcome set_max_dynamic_shared(FunctionId id, uint64_t bytes) override {
    LoadedKernel* const kernel = kernels_.find(id);
    const uint64_t most = limits_.shared_per_block_optin;
    if (!kernel || bytes > most || kernel->info.static_shared_bytes + bytes > most) return {Status::kInvalidValue, ""};
    kernel->max_dynamic_shared = bytes;
    return {};
  }
  Outcome launch(const LaunchRequest& request) override;
  Outcome synchronise() override { return host_.waits(), sticky_; }
  Outcome fault() const override { return sticky_; }
  void read_error() override { host_.reads_error(); }
  bool call_fails(std::string_view function) override { return host_.call_fails(function); }
  void start_profiling() override { host_.start_profiling(); }
  void tell_place(CallKind call, uint64_t address, std::string_view place) override {
    host_.tell_place(call, address, place);
  }
  bool watches_streams() const override { return options_.checks.races; }
  void begin_work(const Task& work) override {
    if (Checker* const checker = memory_.checker()) checker->begin_work(work);
  }
  void use(const Region& region, bool writes) override { collected(memory_.use(region, writes)); }
  std::vector<HostUse> take_host_uses() override {
    Checker* const checker = memory_.checker();
    return checker ? checker->take_host_uses() : std::vector<HostUse>{};
  }
  void touched(const HostTouch& touch) override {
    if (Checker* const checker = memory_.checker()) checker->touched(touch);
    collected({});
  }
  std::string take_output() override { return std::exchange(output_, {}); }
  std::vector<Condition> take_conditions() override {
    std::vector<Condition> taken;
    for (const auto& [handle, value] : std::exchange(conditions_, {})) taken.push_back({handle, value});
    return taken;
  }
  std::vector<std::string> take_messages() override {
    auto messages = findings_.take_messages();
    if (trace_) messages.push_back(trace_->take_message());
    if (!stopped_at_.empty()) messages.push_back(stopped_at_);
    return messages;
  }
  Outcome end_program(End end) override {
    static const char* const kTexts[] = {"reset", "orderly", "interrupted by SIGINT", "interrupted by SIGTERM"};
    const std::string_view text = kTexts[static_cast<int>(end)];
    if (end == End::kReset || end == End::kOrderly) end_orderly();
    return options_.report_file.empty() ? Outcome{} : write_report(options_.report_file, report_json(text));
  }
  void end_orderly() {
    std::vector<uint64_t> heap;
    for (const uint64_t address : heap_) heap.push_back(memory_.memory().describe(address).bytes);
    host_.ends(heap);
  }
  std::string report_json(std::string_view end) const override {
    return to_json({records_, findings_.all(), host_.counted_calls(), host_.failed_calls(), stopped_at_,
                    host_.library_calls(), host_.crossing()},
                   options_.schedule, end);
  }

 private:
  // Of a thread; 0: not known, so the program learns a guess.
  uint32_t registers(const LoadedKernel& kernel) {
    const uint32_t known = machine_code_.registers(kernel);
    guessed_ |= known == 0;
    return known;
  }
  bool host_reaches(uint64_t address) const { return memory_.memory().find(address).host_reaches; }
  // Of the grid: the outcome is about the request only. started: what the grid's kernel started.
  Outcome launch(const LoadedKernel& kernel, const LaunchRequest& request, const StartedWork& origin,
                 std::vector<StartedWork>* started);
  std::vector<StartedWork> run(const Launch& launch, const LoadedKernel& kernel);
  void run_started(std::vector<StartedWork> started, uint64_t stack_bytes);
  Outcome run_started(const StartedWork& work, uint64_t stack_bytes, std::vector<StartedWork>* started);
  Outcome copy(const Region& to, uint64_t from, uint64_t from_pitch) {
    Outcome outcome = collected(memory_.copy_within(to, from, from_pitch));
    if (outcome.ok()) carried_.copied(to, from);
    return outcome;
  }
  // The outcome of a copy, after its findings were added.
  Outcome collected(Outcome outcome) {
    if (Checker* const checker = memory_.checker()) findings_.add_all(checker->take_findings());
    return outcome;
  }
  static std::vector<uint64_t> arguments_of(const LoadedKernel& kernel, const LaunchRequest& request);
  Origin origin_of(const LoadedKernel& kernel, const LaunchRequest& request, uint64_t base) const;

  const DeviceOptions options_;
  const DeviceLimits limits_;
  DeviceMemory memory_;
  const struct {
    uint64_t param_block;     // each launch puts the kernel's parameters there
    uint64_t grid_workspace;  // cooperative groups keep a grid's barrier there
  } own_;                     // device memory for the device's own use
  std::set<uint64_t> heap_;   // addresses that kernels got from malloc()
  Textures textures_;
  uint64_t created_textures_ = 0;
  Modules modules_;
  Kernels kernels_;
  MachineCode machine_code_;
  WatchedAccesses watched_;
  CarriedValues carried_;
  bool guessed_ = false;  // the program asked for registers, or for what depends on them, and nobody knew
  Outcome sticky_;
  std::string stopped_at_;  // what a kernel was doing when the program was interrupted
  std::string output_;
  std::map<uint64_t, uint32_t> conditions_;  // handle → value
  LaunchRecords records_;                    // of all launches
  Findings findings_;
  HostSide host_;
  ChildGrids child_grids_;
  std::unique_ptr<Trace> trace_;  // null if nothing is recorded
  Observers observers_;           // the checker and the trace, if there are any
  Workers workers_;
  std::vector<KeptBlocks> kept_;  // of the last launch
};

Outcome InProcessDevice::launch(const LaunchRequest& request) {
  if (!sticky_.ok()) return sticky_;
  const LoadedKernel* const kernel = kernels_.find(request.function);
  if (!kernel) return {Status::kInvalidDeviceFunction, ""};
  std::vector<StartedWork> started;
  Outcome outcome = launch(*kernel, request, {}, &started);
  if (outcome.ok())
    run_started(std::move(started), request.stack_bytes);
  else
    host_.launch_failed(kernel->name, request, outcome.message);
  return outcome;
}

// A launch of the host's is complete when all that its kernels started is.
void InProcessDevice::run_started(std::vector<StartedWork> started, uint64_t stack_bytes) {
  std::vector<StartedWork> waiting;
  for (put_in_front(waiting, std::move(started)); !waiting.empty() && sticky_.ok();) {
    const StartedWork work = std::move(waiting.back());
    waiting.pop_back();
    started.clear();
    if (Outcome outcome = run_started(work, stack_bytes, &started); !outcome.ok()) {
      const Launcher& by = work.launcher;
      sticky_ = {Status::kIllegalAddress,
                 words("work that kernel {kernel} started at {place} cannot run any more: ",
                       {{"kernel", by.kernel}, {"place", by.file + ":" + std::to_string(by.line)}}) +
                     outcome.message};
    }
    put_in_front(waiting, std::move(started));
  }
}

Outcome InProcessDevice::run_started(const StartedWork& work, uint64_t stack_bytes, std::vector<StartedWork>* started) {
  const Region to{work.to, work.bytes, work.bytes};
  if (work.kind == StartedWork::kCopy) return copy(to, work.from, work.bytes);
  if (work.kind == StartedWork::kFill) return fill(to, work.value);
  LaunchRequest request;
  if (Outcome unknown = child_grids_.request(work, &request); !unknown.ok()) return unknown;
  request.stack_bytes = stack_bytes;
  return launch(*kernels_.find(request.function), request, work, started);
}

Outcome InProcessDevice::launch(const LoadedKernel& kernel, const LaunchRequest& request, const StartedWork& origin,
                                std::vector<StartedWork>* started) {
  uint64_t resident = 0;
  const uint32_t registers = registers_decide(limits_, kernel, request) ? machine_code_.registers(kernel) : 0;
  if (Outcome bad = check_launch(limits_, kernel, registers, request, &resident); !bad.ok()) return bad;
  const Program& program = *kernel.program;
  LaunchShape shape{request.grid, request.block, program.static_shared_bytes + request.dynamic_shared_bytes,
                    request.dynamic_shared_bytes, program.local_bytes};
  if (program.calls_unknown) shape.local_bytes += std::max(kOpenEndedStack, (request.stack_bytes + 15) / 16 * 16);
  const auto name = [&](uint64_t base) { return origin_of(kernel, request, base); };
  LastStores last_stores;
  GlobalRaces global_races;
  Launch launch{.program = program,
                .memory = memory_.memory(),
                .limits = limits_,
                .textures = textures_,
                .heap = heap_,
                .children = child_grids_,
                .names = {program, kernel.module->module, memory_.memory(), kernel.name, request.block, name,
                          kernel.info.name, arguments_of(kernel, request)},
                .shape = shape,
                .schedule = options_.schedule,
                .launcher = origin.launcher,
                .depth = origin.depth,
                .sequence = host_.launches() + 1,
                .resident_blocks = static_cast<uint32_t>(std::max<uint64_t>(1, resident)),
                .counts_traffic = options_.report,
                .last_stores = options_.report ? &last_stores : nullptr,
                .global_races = options_.report ? &global_races : nullptr,
                .after_bad_access = options_.checks.memory ? AfterBadAccess::kContinue : AfterBadAccess::kStop,
                .observers = observers_};
  if (request.cooperative) {
    launch.grid_workspace = own_.grid_workspace;
    std::memset(reinterpret_cast<void*>(own_.grid_workspace), 0, kWorkspaceBytes);
  }
  if (kernel.info.param_bytes > 0)  // without parameters the request may have no address to copy from
    std::memcpy(reinterpret_cast<void*>(own_.param_block), request.params.data(), kernel.info.param_bytes);
  if (options_.report) {
    Watched watched = watched_.of(program, shape, modules_.steering());
    launch.meeting = std::move(watched.accesses);
    launch.lane_pairs = std::move(watched.lane_pairs);
  }
  const bool by_host = launch.launcher.kernel.empty();
  if (by_host) host_.tells(0, kernel.info.param_bytes);
  launch.independent = program.blocks_independent && !request.cooperative &&
                       launch.schedule.kind == Schedule::kForward && !options_.checks.memory && !launch.watched();
  *started = run(launch, kernel);
  host_.launched();
  return {};
}

// A finding in a grid that a kernel launched names the line of that launch, too.
void name_launcher(const Launcher& by, LaunchState& state) {
  for (size_t i = 0; i < state.findings.all().size(); ++i) {
    const bool is_fault = state.findings.all()[i].marked == state.fault.message;
    const std::string place = by.file.empty() ? "" : by.file + ":" + std::to_string(by.line);
    state.findings.add_line(
        i, "\n  " + words("launched by kernel {kernel}{at}", {{"kernel", by.kernel}, {"at", at_place(place)}}));
    if (is_fault) state.fault.message = state.findings.all()[i].marked;
  }
}

std::vector<StartedWork> InProcessDevice::run(const Launch& launch, const LoadedKernel& kernel) {
  if (options_.report) machine_code_.ask(kernel);
  for (Observer* observer : observers_) observer->begin_launch(launch);
  LaunchState state = run_grid(launch, workers_, kept_);
  for (Observer* observer : observers_) observer->end_launch(state.findings);
  if (!launch.launcher.kernel.empty()) name_launcher(launch.launcher, state);
  if (options_.report) {
    const Forms& forms = machine_code_.forms(kernel);
    const std::span arguments(reinterpret_cast<const std::byte*>(own_.param_block), kernel.info.param_bytes);
    const HostDecides decides{guessed_, carried_.passes_race(arguments, launch.shape)};
    records_.add(summarise(launch, state, host_.calls(), forms, carried_.follow(launch, state, forms.own), decides));
  }
  host_.tells(state.counters.host_stored + state.output.size(), state.counters.host_loaded());
  output_ += state.output;
  for (const auto& [handle, value] : state.conditions) conditions_[handle] = value;
  for (const auto& [buffer, grid] : state.parameter_buffers) memory_.release(buffer);
  findings_.add_all(state.findings);
  if (stopped_at_.empty()) stopped_at_ = state.stopped_at;
  sticky_ = state.fault;
  if (sticky_.ok()) return std::move(state.children);
  const auto& all = findings_.all();
  const auto found = std::ranges::find(all, sticky_.message, &Finding::marked);
  if (found != all.end()) host_.kernel_failed(static_cast<size_t>(found - all.begin()));
  return {};
}

std::vector<uint64_t> InProcessDevice::arguments_of(const LoadedKernel& kernel, const LaunchRequest& request) {
  std::vector<uint64_t> arguments;
  for (const ParamInfo& param : kernel.info.params) {
    uint64_t& value = arguments.emplace_back(0);
    if (param.bytes == sizeof value) std::memcpy(&value, request.params.data() + param.offset, sizeof value);
  }
  return arguments;
}

// A variable's own name, or the number of the parameter that points to the allocation: PTX keeps no parameter names.
Origin InProcessDevice::origin_of(const LoadedKernel& kernel, const LaunchRequest& request, uint64_t base) const {
  for (const auto& [name, global] : kernel.module->globals)
    if (global.address == base) return {demangled(name)};
  const std::vector<uint64_t> arguments = arguments_of(kernel, request);
  const auto found = base ? std::ranges::find(arguments, base) : arguments.end();
  if (found == arguments.end()) return {words("device memory")};
  const auto number = static_cast<uint32_t>(found - arguments.begin() + 1);
  const bool only = std::find(found + 1, arguments.end(), base) == arguments.end();  // else which of them is not known
  return {words("parameter {number}", {{"number", std::to_string(number)}}), only ? number : 0};
}

}  // namespace

std::unique_ptr<EmulatedDevice> EmulatedDevice::create(const DeviceOptions& options) {
  return std::make_unique<InProcessDevice>(options);
}

}  // namespace lockstep
