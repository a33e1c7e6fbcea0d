#include "report.h"

#include <nlohmann/json.hpp>

namespace lockstep {
namespace {

// Counters of one instruction under their names. Zeros are left out here; summarise() adds those that a reader
// would look for.
void add_counts(CounterSums& sums, const Program& program, uint32_t pc, const InstructionCounters& c) {
  const auto add = [&](const std::string& name, uint64_t value) { sums[name] += value; };
  const Instruction& in = program.code[pc];
  add("smsp__inst_executed.sum", c.warps);
  add("smsp__thread_inst_executed.sum", c.threads);
  if (in.kind == Kind::kBranch || in.kind == Kind::kBranchIndexed) {
    add("smsp__sass_branch_targets.sum", c.warps);
    add("smsp__sass_branch_targets_threads_divergent.sum", c.divergent);
  }
  if (in.kind == Kind::kBarrier) add("barrier_instructions", c.warps);
  if (in.kind != Kind::kMemory) return;
  static const char* const kOps[] = {"ld", "st", "atom", "red"};
  const MemoryAccess& access = program.accesses[in.extra];
  const std::string op = kOps[static_cast<int>(access.op)];
  const bool atomic = access.op == MemoryOp::kAtomic || access.op == MemoryOp::kReduction;
  if (c.global_requests) {
    add("l1tex__t_requests_pipe_lsu_mem_global_op_" + op + ".sum", c.global_requests);
    add("l1tex__t_sectors_pipe_lsu_mem_global_op_" + op + ".sum", c.global_sectors);
    if (atomic) add("global_atomics", c.global_threads);
  }
  if (c.shared_requests) {
    add("smsp__inst_executed_op_shared_" + op + ".sum", c.shared_requests);
    add("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op + ".sum", c.shared_wavefronts);
    add("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op + ".sum", c.shared_wavefronts - c.shared_ideal);
    if (atomic) add("shared_atomics", c.shared_threads);
  }
}

// A launch that did none of these says so with a zero, so that a rule can ask for zero.
constexpr const char* kAlwaysNamed[] = {
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    "smsp__sass_branch_targets_threads_divergent.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "global_atomics",
    "shared_atomics",
};

nlohmann::json shape(const Dim3& d) { return {d.x, d.y, d.z}; }

nlohmann::json to_json(const Site& site) {
  return {{"file", site.file},
          {"line", site.line},
          {"block", shape(site.block)},
          {"thread", shape(site.thread)},
          {"access", site.access}};
}

std::string name_of(const Schedule& schedule) {
  if (schedule.kind == Schedule::kRandom) return "random:" + std::to_string(schedule.seed);
  return schedule.kind == Schedule::kReverse ? "reverse" : "forward";
}

}  // namespace

LaunchRecord summarise(const Launch& launch) {
  LaunchRecord record{launch.kernel, launch.grid, launch.block, {}, {}};
  for (const char* name : kAlwaysNamed) record.counters[name] = 0;
  for (uint32_t pc = 0; pc < launch.counters.at.size(); ++pc) {
    const InstructionCounters& c = launch.counters.at[pc];
    if (c.warps == 0) continue;
    add_counts(record.counters, launch.program, pc, c);
    if (auto [file, line] = launch.source_line(pc); !file.empty())
      add_counts(record.lines[{file, line}], launch.program, pc, c);
  }
  record.counters["barriers"] = launch.counters.barriers;
  record.counters["threads"] = launch.grid.count() * launch.block.count();
  return record;
}

std::string to_json(const std::vector<LaunchRecord>& launches, const std::vector<Finding>& findings,
                    const Schedule& schedule) {
  nlohmann::json report{{"launches", nlohmann::json::array()}, {"findings", nlohmann::json::array()}};
  for (const LaunchRecord& launch : launches) {
    nlohmann::json lines = nlohmann::json::array();
    for (const auto& [place, counters] : launch.lines)
      lines.push_back({{"file", place.first}, {"line", place.second}, {"counters", counters}});
    report["launches"].push_back({{"kernel", launch.kernel},
                                  {"grid", shape(launch.grid)},
                                  {"block", shape(launch.block)},
                                  {"counters", launch.counters},
                                  {"lines", lines}});
  }
  for (const Finding& f : findings) {
    nlohmann::json entry = to_json(f.at);
    entry.update({{"kind", f.kind},
                  {"kernel", f.kernel},
                  {"message", f.message},
                  {"count", f.count},
                  {"schedule", name_of(schedule)}});
    if (!f.where.empty()) entry["where"] = f.where;
    if (f.other) entry["other"] = to_json(*f.other);
    report["findings"].push_back(entry);
  }
  return report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace lockstep
