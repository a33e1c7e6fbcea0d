#include "report/launch_record.h"

#include <algorithm>

#include "count/atomic_loop.h"
#include "count/counter_names.h"
#include "count/occupancy.h"

namespace lockstep {
namespace {

constexpr uint64_t kBytesOfSector = 32;

// Whether the program may come back from this instruction to an earlier one. A call of an earlier function does, if
// functions call each other in a circle.
bool goes_back(const Program& program, uint32_t pc) {
  const Instruction& in = program.code[pc];
  if (in.kind == Kind::kBranch) return in.target <= pc;
  if (in.kind == Kind::kBranchIndexed)
    return std::ranges::any_of(program.tables[in.index], [pc](uint32_t target) { return target <= pc; });
  if (in.kind != Kind::kCall || !program.calls_unknown) return false;
  const uint32_t function = program.calls[in.index].function;
  return function != kNowhere && program.functions[function].entry <= pc;
}

// How often an instruction that adds has added.
uint64_t additions(const Program& program, uint32_t pc, const InstructionCounters& c) {
  const Instruction& in = program.code[pc];
  if (in.kind == Kind::kMemory) return c.global.threads + c.shared.threads;
  if (in.kind != Kind::kAsync) return c.threads;
  return c.bytes_reduced / type_bytes(program.async[in.index].to.type);
}

// What lockstep counts in every form of an access that it can have.
void add_any_form(CounterSums& sums, const MemoryAccess& access, const InstructionCounters& c) {
  const bool atomic = access.op == MemoryOp::kAtomic || access.op == MemoryOp::kReduction;
  const bool loads = access.op == MemoryOp::kLoad || access.op == MemoryOp::kAtomic;
  const auto add = [&](const char* name, uint64_t value) {
    if (value) sums[name] += value;
  };
  if (loads) add("global_bytes_loaded", kBytesOfSector * c.global.sectors);
  if (access.op != MemoryOp::kLoad) add("global_bytes_stored", kBytesOfSector * c.global.sectors);
  add("global_bytes_loaded", kBytesOfSector * c.loop.sectors);
  const uint64_t bytes = c.shared.threads * access.bytes * access.count;
  if (access.op != MemoryOp::kStore) add("shared_bytes_loaded", bytes);
  if (access.op != MemoryOp::kLoad) add("shared_bytes_stored", bytes);
  const uint64_t wavefronts = c.shared.wavefronts + c.loop.wavefronts;
  add("shared_wavefronts", wavefronts);
  add("shared_excess_wavefronts", wavefronts - (atomic ? c.shared.fewest : c.shared.ideal));
}

// Adds the counters of one instruction under their names. Zeros are left out; summarise() adds them for the launch.
void add_counts(CounterSums& sums, const Program& program, uint32_t pc, const InstructionCounters& c) {
  const auto add = [&](const std::string& name, uint64_t value) { sums[name] += value; };
  const Instruction& in = program.code[pc];
  add("smsp__inst_executed.sum", c.warps);
  add("smsp__thread_inst_executed.sum", c.threads);
  if (const uint64_t idle = kWarpSize * c.warps - c.threads) add("idle_lanes", idle);
  if (in.kind == Kind::kBranch || in.kind == Kind::kBranchIndexed) {
    add("smsp__sass_branch_targets.sum", c.warps);
    add("smsp__sass_branch_targets_threads_divergent.sum", c.divergent);
  }
  if (goes_back(program, pc)) add("loop_branches", c.warps);
  if (in.kind == Kind::kBarrier) add("barrier_instructions", c.warps);
  const std::string& opcode = program.names[pc];
  if (opcode.ends_with(".f32") && (opcode.starts_with("add.") || opcode.starts_with("sub.")))
    add("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", c.threads);
  if (const uint32_t each = float_additions(opcode)) add("float_additions", each * additions(program, pc, c));
  if (in.kind != Kind::kMemory) return;
  const MemoryAccess& access = program.accesses[in.index];
  add_any_form(sums, access, c);
  static const char* const kOps[] = {"ld", "st", "atom", "red"};
  const bool atomic = access.op == MemoryOp::kAtomic || access.op == MemoryOp::kReduction;
  const std::string op = kOps[static_cast<int>(access.op)];
  const auto add_sectors = [&](const std::string& what, const auto& accesses) {
    add("l1tex__t_requests_pipe_lsu_mem_" + what + ".sum", accesses.requests);
    add("l1tex__t_sectors_pipe_lsu_mem_" + what + ".sum", accesses.sectors);
  };
  const auto add_wavefronts = [&](const std::string& op_name, const auto& accesses) {
    add("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op_name + ".sum", accesses.wavefronts);
    add("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op_name + ".sum", accesses.wavefronts - accesses.ideal);
  };
  if (c.global.requests) {
    // The attempts of a loop are cas.
    add_sectors("global_op_" + (atomic && is_atomic_loop(access, false) ? "atom" : op), c.global);
    if (atomic) add("global_atomics", c.global.threads);
  }
  if (c.loop.requests) add_sectors("global_op_ld", c.loop);
  if (c.shared.requests) {
    add_wavefronts(atomic ? "atom" : op, c.shared);  // the card has one name for both kinds of atomics
    if (atomic) add("shared_atomics", c.shared.threads);
  }
  if (c.loop.wavefronts) add_wavefronts("ld", c.loop);
  if (c.local.requests) add_sectors("local_op_" + op, c.local);
}

CounterSums occupancy_figures(const Launch& launch) {
  const LaunchShape& shape = launch.shape;
  const Occupancy blocks = occupancy(launch.limits, shape.threads_per_block(), shape.shared_bytes);
  return {{"launch__shared_mem_per_block_static", shape.shared_bytes - shape.dynamic_shared_bytes},
          {"launch__shared_mem_per_block_dynamic", shape.dynamic_shared_bytes},
          {"launch__occupancy_limit_blocks", blocks.by_blocks},
          {"launch__occupancy_limit_warps", blocks.by_warps},
          {"blocks_by_shared_memory", blocks.by_shared},
          {"blocks_per_multiprocessor", blocks.blocks()}};
}

}  // namespace

LaunchRecord summarise(const Launch& launch, const LaunchState& state, const HostCalls& host) {
  const LaunchShape& shape = launch.shape;
  LaunchRecord record{launch.names.kernel, shape.grid, shape.block, {}, occupancy_figures(launch), {}, {}};
  if (state.faulted) return record;  // how far each block got depends on the host's threads
  for (const CounterName& counter : counter_names()) record.counters[counter.name] = 0;
  for (uint32_t pc = 0; pc < state.counters.at.size(); ++pc) {
    const InstructionCounters& c = state.counters.at[pc];
    if (c.warps == 0) continue;
    add_counts(record.counters, launch.program, pc, c);
    if (auto [file, line] = launch.names.source_line(pc); !file.empty())
      add_counts(record.lines[{file, line}], launch.program, pc, c);
  }
  record.counters["barriers"] = state.counters.barriers;
  if (launch.counts_traffic) record.work = work_of(launch, state.counters);
  record.counters["block_waits"] = state.counters.block_waits;
  record.counters["thread_waits"] = state.counters.thread_waits;
  record.counters["block_branches"] = state.counters.block_branches;
  record.counters["global_bytes_loaded"] += state.counters.async_loaded;
  record.counters["global_bytes_stored"] += state.counters.async_stored;
  record.counters["async_bytes_loaded"] = state.counters.async_loaded;
  record.counters["async_bytes_stored"] = state.counters.async_stored;
  record.counters["threads"] = shape.grid.count() * shape.block.count();
  record.counters["host_synchronisations"] = host.synchronisations;
  record.counters["host_allocations"] = host.allocations;
  record.counters["host_bytes_fetched"] = host.fetched;
  record.counters["host_bytes_given"] = host.given;
  record.counters["host_bytes_stored"] = state.counters.host_stored;
  record.counters["host_bytes_loaded"] = state.counters.host_loaded();
  return record;
}

}  // namespace lockstep
