#include "device/device.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "check/checker.h"
#include "check/trace.h"
#include "count/occupancy.h"
#include "device/host_side.h"
#include "engine/launch.h"
#include "engine/memory.h"
#include "engine/workers.h"
#include "program/decode_program.h"
#include "program/frame_layout.h"
#include "program/program.h"
#include "ptx/linker.h"
#include "ptx/parser.h"
#include "report/report.h"

namespace lockstep {
namespace {

// A module that was loaded: its parsed and linked text, and where its variables lie.
struct LoadedModule {
  Module module;
  std::map<std::string, GlobalInfo, std::less<>> globals;
  std::unordered_map<std::string, Function*> functions;
  std::unordered_map<std::string, uint64_t> function_ids;
  std::vector<const Function*> address_taken;
};

struct LoadedFunction {
  LoadedModule* module = nullptr;
  std::unique_ptr<Program> program;
  FunctionInfo info;
  uint64_t max_dynamic_shared = 0;
};

// "void reduce<256u>(int*, int)" → "reduce<256u>": what Nsight Compute calls the function's name.
std::string kernel_name(const std::string& symbol) {
  const std::string whole = demangled(symbol);
  if (whole == symbol) return symbol;
  int depth = 0;
  size_t begin = 0, end = whole.size();
  for (size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] == '<') ++depth;
    if (whole[i] == '>') --depth;
    if (whole[i] == ' ' && depth == 0 && begin == 0) begin = i + 1;  // the result type of a template
    if (whole[i] == '(' && depth == 0 && whole.compare(i, 21, "(anonymous namespace)") != 0) {
      end = i;
      break;
    }
  }
  if (begin > end || whole.compare(0, 5, "void ") != 0) begin = 0;
  return whole.substr(begin, end - begin);
}

// PTX that cannot be read comes from an asm statement, which nvcc passes on as it stands, or from another nvcc.
Outcome refused(const PtxError& error) {
  return {Status::kInvalidPtx, std::string(error.what()) +
                                   "\n  Next: check the program's asm statements, which nvcc does not read; if it has "
                                   "none, rebuild it with nvcc 13."};
}

std::string bytes_text(uint64_t n) { return std::to_string(n) + " bytes"; }

class InProcessDevice : public EmulatedDevice {
 public:
  explicit InProcessDevice(const DeviceOptions& options)
      : options_(options),
        memory_(options),
        param_block_(memory_.allocate_apart(kParamBytes)),
        grid_workspace_(memory_.allocate_apart(kWorkspaceBytes)),
        host_(options, memory_, findings_),
        workers_(options.threads - 1) {
    if (!options.trace.empty()) trace_ = std::make_unique<Trace>(options.trace);
    if (!options.checks.watch()) return;
    checker_ = std::make_unique<Checker>(options.checks, memory_);
    for (const auto& [address, bytes] : {std::pair{param_block_, kParamBytes}, {grid_workspace_, kWorkspaceBytes}}) {
      if (!checker_->allocated(address, bytes)) throw std::bad_alloc();
      checker_->host_wrote(address, bytes);
    }
  }

  const DeviceLimits& limits() const override { return limits_; }
  AddressSpace address_space() const override { return memory_.addresses(); }

  Outcome allocate(uint64_t bytes, uint64_t* address, MemoryKind kind) override;
  Outcome free(uint64_t address, bool pinned) override;
  Outcome copy_in(const Region& to, const void* from, uint64_t from_pitch) override;
  Outcome copy_out(void* to, uint64_t to_pitch, const Region& from, bool goes_on) override;
  Outcome copy_within(const Region& to, uint64_t from, uint64_t from_pitch) override;
  Outcome fill(const Region& to, uint8_t value) override;
  AddressInfo find_address(uint64_t address) const override { return memory_.describe(address); }
  void memory_info(uint64_t* free_bytes, uint64_t* total_bytes) const override;

  Outcome load_module(const std::vector<std::string_view>& ptx, ModuleId* module) override;
  Outcome unload_module(ModuleId module) override;
  Outcome find_function(ModuleId module, std::string_view name, FunctionInfo* info) override;
  Outcome find_global(ModuleId module, std::string_view name, GlobalInfo* info) override;

  uint32_t blocks_per_sm(FunctionId function, uint32_t threads, uint64_t dynamic_shared_bytes) const override;
  Outcome set_max_dynamic_shared(FunctionId function, uint64_t bytes) override;
  Outcome launch(const LaunchRequest& request) override;
  Outcome synchronise() override { return host_.waits(), sticky_; }
  Outcome fault() const override { return sticky_; }
  void read_error() override { host_.reads_error(); }
  bool call_fails(std::string_view function) override { return host_.call_fails(function); }
  void start_profiling() override { host_.start_profiling(); }
  std::string take_output() override { return std::exchange(output_, {}); }
  std::vector<std::string> take_messages() override {
    auto messages = findings_.take_messages();
    if (trace_) messages.push_back(trace_->take_message());
    return messages;
  }
  Outcome end_program(End end) override;
  std::string report_json(std::string_view end) const override {
    return to_json(records_, findings_.all(), options_.schedule, end);
  }

 private:
  static constexpr uint64_t kWorkspaceBytes = 256;
  // For recursion and indirect calls, whose depth the program leaves open.
  static constexpr uint64_t kOpenEndedStack = 16 << 10;

  bool holds(const Region& region) const;
  void release(uint64_t address);
  void place_variables(LoadedModule& loaded);
  void initialise(LoadedModule& loaded, const Variable& v);
  DeviceSymbols symbols(LoadedModule& loaded) const;
  LoadedFunction* function(FunctionId id) { return id < functions_.size() ? functions_[id].get() : nullptr; }
  Outcome check_shape(const LoadedFunction& f, const LaunchRequest& request) const;
  Outcome launch(LoadedFunction& f, const LaunchRequest& request);
  void run(Launch& launch);
  void wrote(const Region& region) {
    for (uint64_t row = 0; checker_ && row < region.rows; ++row)
      checker_->host_wrote(region.address + row * region.pitch, region.width);
  }
  std::string allocation_name(const LoadedFunction& f, const LaunchRequest& request, uint64_t base) const;

  const DeviceOptions options_;
  const DeviceLimits limits_;
  Memory memory_;
  const uint64_t param_block_;     // where each launch puts the kernel's parameters
  const uint64_t grid_workspace_;  // cooperative groups keep a grid's barrier there
  std::set<uint64_t> heap_;        // addresses that kernels got from malloc()
  std::map<ModuleId, std::unique_ptr<LoadedModule>> modules_;
  std::vector<std::unique_ptr<LoadedFunction>> functions_;
  uint64_t next_function_id_ = 1;
  ModuleId next_module_ = 1;
  uint64_t launches_ = 0;
  Outcome sticky_;
  std::string output_;
  LaunchRecords records_;
  Findings findings_;
  HostSide host_;
  std::unique_ptr<Checker> checker_;  // null if nothing is checked
  std::unique_ptr<Trace> trace_;      // null if nothing is recorded
  Workers workers_;
};

// ---- memory ----

Outcome InProcessDevice::allocate(uint64_t bytes, uint64_t* address, MemoryKind kind) {
  const bool shared = kind != MemoryKind::kDevice;
  *address = bytes ? allocate_watched(memory_, checker_.get(), bytes, true, shared) : 0;
  if (*address) {
    if (shared) wrote({*address, bytes, bytes});
    host_.allocated(*address, bytes, kind);
  }
  if (bytes == 0 || *address) return {};
  if (bytes <= memory_.capacity() - memory_.used())
    return {Status::kOutOfMemory, "the system gives this process no " + bytes_text(bytes) +
                                      " more\n  Next: allocate less, or lift the process's memory limit."};
  return {Status::kOutOfMemory,
          "the device has " + bytes_text(memory_.capacity() - memory_.used()) + " left of " +
              bytes_text(memory_.capacity()) + ", and " + bytes_text(bytes) +
              " were asked for\n  Next: allocate less, free what is no longer used, or give the emulated card more "
              "(LOCKSTEP_MEMORY=16G)."};
}

Outcome InProcessDevice::free(uint64_t address, bool pinned) {
  if (address == 0) return {};
  if (!host_.frees(address, pinned)) return {Status::kInvalidValue, ""};
  release(address);
  return {};
}

void InProcessDevice::release(uint64_t address) {
  const AddressInfo freed = memory_.describe(address);
  memory_.free(address);
  if (checker_) checker_->freed(freed.base, freed.bytes);
}

// All of it, gaps between rows too, in one allocation.
bool InProcessDevice::holds(const Region& region) const {
  uint64_t bytes = 0;
  if (region.width == 0 || region.rows == 0) return true;
  return !__builtin_mul_overflow(region.pitch, region.rows - 1, &bytes) &&
         !__builtin_add_overflow(bytes, region.width, &bytes) &&
         memory_.find(region.address).contains(region.address, bytes);
}

Outcome InProcessDevice::copy_in(const Region& to, const void* from, uint64_t from_pitch) {
  if (!holds(to)) return {Status::kInvalidValue, ""};
  for (uint64_t row = 0; to.width && row < to.rows; ++row)
    std::memcpy(reinterpret_cast<void*>(to.address + row * to.pitch),
                static_cast<const std::byte*>(from) + row * from_pitch, to.width);
  wrote(to);
  return {};
}

Outcome InProcessDevice::copy_out(void* to, uint64_t to_pitch, const Region& from, bool goes_on) {
  if (!holds(from)) return {Status::kInvalidValue, ""};
  for (uint64_t row = 0; from.width && row < from.rows; ++row)
    std::memcpy(static_cast<std::byte*>(to) + row * to_pitch,
                reinterpret_cast<const void*>(from.address + row * from.pitch), from.width);
  if (!goes_on) host_.waits();
  return {};
}

Outcome InProcessDevice::copy_within(const Region& to, uint64_t from, uint64_t from_pitch) {
  if (!holds(to) || !holds({from, from_pitch, to.width, to.rows})) return {Status::kInvalidValue, ""};
  for (uint64_t row = 0; to.width && row < to.rows; ++row)
    std::memmove(reinterpret_cast<void*>(to.address + row * to.pitch),
                 reinterpret_cast<const void*>(from + row * from_pitch), to.width);
  wrote(to);
  return {};
}

Outcome InProcessDevice::fill(const Region& to, uint8_t value) {
  if (!holds(to)) return {Status::kInvalidValue, ""};
  for (uint64_t row = 0; to.width && row < to.rows; ++row)
    std::memset(reinterpret_cast<void*>(to.address + row * to.pitch), value, to.width);
  wrote(to);
  return {};
}

void InProcessDevice::memory_info(uint64_t* free_bytes, uint64_t* total_bytes) const {
  *free_bytes = memory_.capacity() - memory_.used();
  *total_bytes = memory_.capacity();
}

// ---- modules ----

Outcome InProcessDevice::load_module(const std::vector<std::string_view>& ptx, ModuleId* id) {
  auto loaded = std::make_unique<LoadedModule>();
  try {
    std::vector<Module> modules;
    for (const std::string_view text : ptx) modules.push_back(parse(text));
    loaded->module = link_modules(std::move(modules));
    for (Function& f : loaded->module.functions) loaded->functions[f.name] = &f;
    for (const auto& [name, f] : loaded->functions) loaded->function_ids[name] = next_function_id_++;
    place_variables(*loaded);
  } catch (const PtxError& error) { return refused(error); }
  *id = next_module_++;
  modules_[*id] = std::move(loaded);
  return {};
}

// What an indirect call could reach: functions whose address some instruction or initialiser takes.
std::vector<const Function*> functions_with_address(const LoadedModule& loaded) {
  std::vector<const Function*> taken;
  const auto note = [&](const std::string& name) {
    const auto f = loaded.functions.find(name);
    if (f == loaded.functions.end() || f->second->is_extern || f->second->is_entry) return;
    if (std::find(taken.begin(), taken.end(), f->second) == taken.end()) taken.push_back(f->second);
  };
  for (const Function& f : loaded.module.functions)
    for (const Statement& s : f.body) {
      if (s.opcode() != "mov" && s.opcode() != "st" && s.opcode() != "cvta") continue;
      for (const Operand& operand : s.operands)
        if (operand.kind == Operand::kSymbol) note(operand.name);
    }
  for (const Variable& v : loaded.module.variables)
    for (const auto& r : v.relocations) note(r.symbol);
  return taken;
}

void InProcessDevice::place_variables(LoadedModule& loaded) {
  for (const Variable& v : loaded.module.variables) {
    if (v.space != Space::kGlobal && v.space != Space::kConst) continue;
    if (v.is_extern) continue;
    const uint64_t address =
        allocate_watched(memory_, checker_.get(), std::max<uint64_t>(v.bytes, 1), false, v.managed);
    if (!address)
      throw PtxError(0, "no device memory is left for the variable '" + v.name + "' of " + bytes_text(v.bytes));
    std::memset(reinterpret_cast<void*>(address), 0, v.bytes);
    wrote({address, v.bytes, v.bytes});
    loaded.globals[v.name] = {address, v.bytes, v.managed};
  }
  for (const Variable& v : loaded.module.variables)
    if (loaded.globals.contains(v.name)) initialise(loaded, v);
  loaded.address_taken = functions_with_address(loaded);
}

void InProcessDevice::initialise(LoadedModule& loaded, const Variable& v) {
  auto* place = reinterpret_cast<uint8_t*>(loaded.globals.find(v.name)->second.address);
  std::copy_n(v.init.begin(), std::min<uint64_t>(v.init.size(), v.bytes), place);
  for (const auto& r : v.relocations) {
    uint64_t address = 0;
    if (const auto variable = loaded.globals.find(r.symbol); variable != loaded.globals.end())
      address = variable->second.address;
    else if (const auto f = loaded.function_ids.find(r.symbol); f != loaded.function_ids.end())
      address = kFunctionWindow + 16 * f->second;
    else
      throw PtxError(0, "the initialiser of '" + v.name + "' names '" + r.symbol + "', which is not defined");
    address += static_cast<uint64_t>(r.addend);
    for (uint32_t i = 0; i < r.bytes; ++i)
      place[r.offset + i] = static_cast<uint8_t>(address >> (8 * (i + r.byte_of_address)));
  }
}

Outcome InProcessDevice::unload_module(ModuleId id) {
  const auto found = modules_.find(id);
  if (found == modules_.end()) return {Status::kInvalidValue, ""};
  for (const auto& [name, global] : found->second->globals) release(global.address);
  for (auto& f : functions_)
    if (f && f->module == found->second.get()) f.reset();
  modules_.erase(found);
  return {};
}

DeviceSymbols InProcessDevice::symbols(LoadedModule& loaded) const {
  DeviceSymbols symbols;
  symbols.variable_address = [&loaded](const std::string& name) {
    const auto found = loaded.globals.find(name);
    return found == loaded.globals.end() ? 0 : found->second.address;
  };
  symbols.function_id = [&loaded](const std::string& name) { return loaded.function_ids.at(name); };
  symbols.find_function = [&loaded](const std::string& name) -> const Function* {
    const auto found = loaded.functions.find(name);
    return found == loaded.functions.end() ? nullptr : found->second;
  };
  symbols.address_taken = [&loaded] { return loaded.address_taken; };
  symbols.param_block = param_block_;
  return symbols;
}

Outcome InProcessDevice::find_function(ModuleId id, std::string_view name, FunctionInfo* info) {
  for (const auto& f : functions_)
    if (f && modules_.contains(id) && f->module == modules_[id].get() && f->info.name == name)
      return *info = f->info, Outcome{};
  const auto found = modules_.find(id);
  if (found == modules_.end()) return {Status::kInvalidValue, ""};
  LoadedModule& loaded = *found->second;
  const auto entry = loaded.functions.find(std::string(name));
  if (entry == loaded.functions.end() || !entry->second->is_entry)
    return {Status::kInvalidDeviceFunction, "the program's PTX has no kernel '" + std::string(name) +
                                                "'\n  Next: rebuild it, every file with PTX; host code and PTX do not "
                                                "belong together."};
  auto f = std::make_unique<LoadedFunction>();
  f->module = &loaded;
  try {
    f->program = decode_program(loaded.module, *entry->second, symbols(loaded));
  } catch (const PtxError& error) { return refused(error); }
  // Decoded once, and called by nobody: of a large module the statements are most of what is kept.
  std::vector<Statement>().swap(entry->second->body);
  const ParamLayout layout = lay_out(entry->second->params);
  f->info.id = static_cast<FunctionId>(functions_.size());
  f->info.name = entry->second->name;
  for (const ParamSlot& slot : layout.slots) f->info.params.push_back({slot.offset, slot.bytes});
  f->info.param_bytes = layout.bytes;
  f->info.static_shared_bytes = f->program->static_shared_bytes;
  f->info.local_bytes = static_cast<uint32_t>(f->program->local_bytes);
  f->info.registers = std::min<uint32_t>(255, f->program->functions[0].register_bytes / (4 * kWarpSize));
  f->info.max_threads_per_block =
      entry->second->max_threads ? entry->second->max_threads : limits_.max_threads_per_block;
  f->info.ptx_version = loaded.module.target;
  f->max_dynamic_shared = limits_.shared_per_block - std::min(limits_.shared_per_block, f->info.static_shared_bytes);
  *info = f->info;
  functions_.push_back(std::move(f));
  return {};
}

Outcome InProcessDevice::find_global(ModuleId id, std::string_view name, GlobalInfo* info) {
  const auto found = modules_.find(id);
  if (found == modules_.end()) return {Status::kInvalidValue, ""};
  const auto global = found->second->globals.find(name);
  if (global == found->second->globals.end()) return {Status::kInvalidSymbol, ""};
  *info = global->second;
  return {};
}

// ---- launches ----

uint32_t InProcessDevice::blocks_per_sm(FunctionId id, uint32_t threads, uint64_t dynamic_shared_bytes) const {
  if (id >= functions_.size() || !functions_[id]) return 0;
  if (dynamic_shared_bytes > limits_.shared_per_block_optin) return 0;
  return occupancy(limits_, threads, functions_[id]->info.static_shared_bytes + dynamic_shared_bytes).blocks();
}

Outcome InProcessDevice::set_max_dynamic_shared(FunctionId id, uint64_t bytes) {
  LoadedFunction* f = function(id);
  const uint64_t most = limits_.shared_per_block_optin;
  if (!f || bytes > most || f->info.static_shared_bytes + bytes > most) return {Status::kInvalidValue, ""};
  f->max_dynamic_shared = bytes;
  return {};
}

Outcome InProcessDevice::check_shape(const LoadedFunction& f, const LaunchRequest& r) const {
  const auto bad = [](const std::string& message) { return Outcome{Status::kInvalidConfiguration, message}; };
  if (!r.grid.count() || !r.block.count())
    return bad(
        "a launch needs at least one block and one thread\n  Next: for n = 0 return before the launch; for a small n, "
        "round the number of blocks up.");
  if (r.block.count() > limits_.max_threads_per_block)
    return bad(std::to_string(r.block.count()) + " threads a block; the card allows " +
               std::to_string(limits_.max_threads_per_block) +
               "\n  Next: make the blocks smaller and the grid larger.");
  if (r.block.x > limits_.max_block.x || r.block.y > limits_.max_block.y || r.block.z > limits_.max_block.z)
    return bad("a dimension of the block is larger than 1024 x 1024 x 64\n  Next: put the long dimension in x.");
  if (r.grid.x > limits_.max_grid.x || r.grid.y > limits_.max_grid.y || r.grid.z > limits_.max_grid.z)
    return bad(
        "a dimension of the grid is larger than 2147483647 x 65535 x 65535\n  Next: put the long dimension in x.");
  if (r.block.count() > f.info.max_threads_per_block)
    return {Status::kLaunchOutOfResources, "the kernel was compiled for at most " +
                                               std::to_string(f.info.max_threads_per_block) +
                                               " threads a block\n  Next: launch smaller blocks, or raise its "
                                               "__launch_bounds__."};
  if (r.dynamic_shared_bytes > f.max_dynamic_shared ||
      f.info.static_shared_bytes + r.dynamic_shared_bytes > limits_.shared_per_block_optin)
    return {Status::kInvalidValue, bytes_text(f.info.static_shared_bytes + r.dynamic_shared_bytes) +
                                       " of shared memory a block; the kernel may have " +
                                       bytes_text(f.info.static_shared_bytes + f.max_dynamic_shared) +
                                       "\n  Next: for more than 48 KiB call cudaFuncSetAttribute(kernel, "
                                       "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first."};
  if (r.params.size() < f.info.param_bytes) return {Status::kInvalidValue, ""};
  return {};
}

// Of a kernel with an instruction that nobody here knows.
Outcome refusal_of(const Launch& launch) {
  const Program& program = launch.program;
  const auto file = launch.module.files.find(program.refusal.location.file);
  const std::string at = file == launch.module.files.end()
                             ? "PTX line " + std::to_string(program.refusal.location.ptx_line)
                             : file->second + ":" + std::to_string(program.refusal.location.line);
  return {Status::kUnsupportedInstruction, "kernel " + launch.kernel + " uses " + program.refusal.instruction + " at " +
                                               at + ": " + program.refusal.message};
}

Outcome InProcessDevice::launch(const LaunchRequest& request) {
  if (!sticky_.ok()) return sticky_;
  LoadedFunction* f = function(request.function);
  if (!f) return {Status::kInvalidDeviceFunction, ""};
  Outcome outcome = launch(*f, request);
  if (outcome.ok())
    host_.launched();
  else
    host_.launch_failed(demangled(f->info.name), request, outcome.message);
  return outcome;
}

// The result tells of the request.
Outcome InProcessDevice::launch(LoadedFunction& f, const LaunchRequest& request) {
  if (Outcome bad = check_shape(f, request); !bad.ok()) return bad;
  const uint64_t resident =
      uint64_t{limits_.sm_count} *
      blocks_per_sm(request.function, static_cast<uint32_t>(request.block.count()), request.dynamic_shared_bytes);
  if (request.cooperative && request.grid.count() > resident)
    return {Status::kCooperativeLaunchTooLarge, "a cooperative launch of " + std::to_string(request.grid.count()) +
                                                    " blocks; the card holds " + std::to_string(resident) +
                                                    " at once\n  Next: ask cudaOccupancyMaxActiveBlocksPer"
                                                    "Multiprocessor for the number, and let each block loop."};
  const Program& program = *f.program;
  Launch launch{program, f.module->module, memory_, limits_, heap_};
  launch.kernel = kernel_name(f.info.name);
  if (!program.refusal.message.empty()) return refusal_of(launch);
  launch.grid = request.grid;
  launch.block = request.block;
  launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
  launch.shared_bytes = program.static_shared_bytes + request.dynamic_shared_bytes;
  launch.local_bytes = program.local_bytes;
  if (program.calls_unknown) launch.local_bytes += std::max(kOpenEndedStack, (request.stack_bytes + 15) / 16 * 16);
  launch.host = host_.calls();
  launch.resident_blocks = static_cast<uint32_t>(std::max<uint64_t>(1, resident));
  launch.schedule = options_.schedule;
  launch.random.seed(options_.schedule.seed + launches_);
  launch.sequence = ++launches_;
  launch.clock = launches_ << 32;  // later than any clock of the launch before
  if (request.cooperative) {
    launch.grid_workspace = grid_workspace_;
    std::memset(reinterpret_cast<void*>(grid_workspace_), 0, kWorkspaceBytes);
  }
  launch.counters.at.resize(program.code.size());
  launch.last_range.resize(program.accesses.size());
  if (f.info.param_bytes > 0)  // without parameters there may be no address to copy from
    std::memcpy(reinterpret_cast<void*>(param_block_), request.params.data(), f.info.param_bytes);
  launch.goes_on = options_.checks.memory;
  launch.allocation_name = [&](uint64_t base) { return allocation_name(f, request, base); };
  launch.counts_traffic = options_.report;
  launch.checker = checker_.get();
  launch.trace = trace_.get();
  launch.independent = program.blocks_independent && !request.cooperative &&
                       launch.schedule.kind == Schedule::kForward && !launch.goes_on && !launch.watched();
  run(launch);
  return {};
}

void InProcessDevice::run(Launch& launch) {
  if (checker_) checker_->begin_launch(launch);
  if (trace_) trace_->begin_launch(launch);
  run_grid(launch, workers_);
  if (checker_) checker_->end_launch();
  if (trace_) trace_->end_launch();
  if (options_.report) records_.add(summarise(launch));
  output_ += launch.output;
  findings_.add_all(launch.findings);
  sticky_ = launch.fault;
}

Outcome InProcessDevice::end_program(End end) {
  std::vector<uint64_t> heap;
  for (const uint64_t address : heap_) heap.push_back(memory_.describe(address).bytes);
  host_.ends(!sticky_.ok(), heap);
  if (options_.report_file.empty()) return {};
  return write_report(options_.report_file, report_json(end == End::kReset ? "reset" : "orderly"));
}

// A variable's own name, or which parameter of the kernel points to the allocation: PTX keeps no names of parameters.
std::string InProcessDevice::allocation_name(const LoadedFunction& f, const LaunchRequest& request,
                                             uint64_t base) const {
  for (const auto& [name, global] : f.module->globals)
    if (global.address == base) return demangled(name);
  for (size_t i = 0; i < f.info.params.size(); ++i) {
    uint64_t value = 0;
    if (f.info.params[i].bytes != sizeof value) continue;
    std::memcpy(&value, request.params.data() + f.info.params[i].offset, sizeof value);
    if (value == base) return "parameter " + std::to_string(i + 1);
  }
  return "device memory";
}

}  // namespace

std::unique_ptr<EmulatedDevice> EmulatedDevice::create(const DeviceOptions& options) {
  return std::make_unique<InProcessDevice>(options);
}

}  // namespace lockstep
