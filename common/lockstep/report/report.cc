#include "report/report.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <tuple>

#include "count/atomic_loop.h"
#include "count/counter_names.h"
#include "count/occupancy.h"

namespace lockstep {
namespace {

// Counters of one instruction under their names. Zeros are left out here; summarise() adds them to the launch.
void add_counts(CounterSums& sums, const Program& program, uint32_t pc, const InstructionCounters& c) {
  const auto add = [&](const std::string& name, uint64_t value) { sums[name] += value; };
  const Instruction& in = program.code[pc];
  add("smsp__inst_executed.sum", c.warps);
  add("smsp__thread_inst_executed.sum", c.threads);
  if (in.kind == Kind::kBranch || in.kind == Kind::kBranchIndexed) {
    add("smsp__sass_branch_targets.sum", c.warps);
    add("smsp__sass_branch_targets_threads_divergent.sum", c.divergent);
  }
  if (in.kind == Kind::kBranch && in.target <= pc) add("loop_branches", c.warps);
  if (in.kind == Kind::kBarrier) add("barrier_instructions", c.warps);
  const std::string& opcode = program.names[pc];
  if (opcode.ends_with(".f32") && (opcode.starts_with("add.") || opcode.starts_with("sub.")))
    add("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", c.threads);
  if (in.kind != Kind::kMemory) return;
  const MemoryAccess& access = program.accesses[in.index];
  static const char* const kOps[] = {"ld", "st", "atom", "red"};
  const bool atomic = access.op == MemoryOp::kAtomic || access.op == MemoryOp::kReduction;
  const std::string op = kOps[static_cast<int>(access.op)];
  if (c.global_requests) {
    const std::string name = atomic && is_atomic_loop(access, false) ? "atom" : op;  // its tries are cas
    add("l1tex__t_requests_pipe_lsu_mem_global_op_" + name + ".sum", c.global_requests);
    add("l1tex__t_sectors_pipe_lsu_mem_global_op_" + name + ".sum", c.global_sectors);
    if (atomic) add("global_atomics", c.global_threads);
  }
  if (c.loop_requests) {
    add("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", c.loop_requests);
    add("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", c.loop_sectors);
  }
  if (c.shared_requests) {
    const std::string name = atomic ? "atom" : op;  // the card has one name for both kinds of atomics there
    add("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + name + ".sum", c.shared_wavefronts);
    add("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + name + ".sum", c.shared_wavefronts - c.shared_ideal);
    if (atomic) add("shared_atomics", c.shared_threads);
  }
  if (c.loop_wavefronts) {
    add("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", c.loop_wavefronts);
    add("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", c.loop_wavefronts - c.loop_ideal);
  }
  if (c.local_requests) {
    add("l1tex__t_requests_pipe_lsu_mem_local_op_" + op + ".sum", c.local_requests);
    add("l1tex__t_sectors_pipe_lsu_mem_local_op_" + op + ".sum", c.local_sectors);
  }
}

// Quotients of a launch's or a line's sums; those with nothing below the line are left out.
nlohmann::json ratios(const CounterSums& sums, uint64_t blocks) {
  nlohmann::json result = nlohmann::json::object();
  const auto value = [&](const std::string& name) {
    const auto found = sums.find(name);
    return found == sums.end() ? 0.0 : static_cast<double>(found->second);
  };
  const auto add = [&](const std::string& name, double above, double below) {
    if (below > 0) result[name] = above / below;
  };
  add("smsp__thread_inst_executed_per_inst_executed.ratio", value("smsp__thread_inst_executed.sum"),
      value("smsp__inst_executed.sum"));
  for (const std::string access : {"global_op_ld", "global_op_st", "local_op_ld", "local_op_st"})
    add("l1tex__average_t_sectors_per_request_pipe_lsu_mem_" + access + ".ratio",
        value("l1tex__t_sectors_pipe_lsu_mem_" + access + ".sum"),
        value("l1tex__t_requests_pipe_lsu_mem_" + access + ".sum"));
  if (sums.contains("barriers")) add("barriers_per_block", value("barriers"), static_cast<double>(blocks));
  return result;
}

CounterSums occupancy_figures(const Launch& launch) {
  const Occupancy blocks = occupancy(launch.limits, launch.threads_per_block(), launch.shared_bytes);
  return {{"launch__shared_mem_per_block_static", launch.shared_bytes - launch.dynamic_shared_bytes},
          {"launch__shared_mem_per_block_dynamic", launch.dynamic_shared_bytes},
          {"launch__occupancy_limit_blocks", blocks.by_blocks},
          {"launch__occupancy_limit_warps", blocks.by_warps},
          {"blocks_by_shared_memory", blocks.by_shared},
          {"blocks_per_multiprocessor", blocks.blocks()}};
}

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

bool operator<(const LaunchRecord& a, const LaunchRecord& b) {
  const auto all = [](const LaunchRecord& r) {
    return std::tie(r.kernel, r.grid.x, r.grid.y, r.grid.z, r.block.x, r.block.y, r.block.z, r.counters, r.occupancy,
                    r.lines, r.work);
  };
  return all(a) < all(b);
}

LaunchRecord summarise(const Launch& launch) {
  LaunchRecord record{launch.kernel, launch.grid, launch.block, {}, occupancy_figures(launch), {}, {}};
  if (launch.faulted) return record;  // how far each block came depends on the host's threads
  for (const CounterName& counter : counter_names()) record.counters[counter.name] = 0;
  for (uint32_t pc = 0; pc < launch.counters.at.size(); ++pc) {
    const InstructionCounters& c = launch.counters.at[pc];
    if (c.warps == 0) continue;
    add_counts(record.counters, launch.program, pc, c);
    if (auto [file, line] = launch.source_line(pc); !file.empty())
      add_counts(record.lines[{file, line}], launch.program, pc, c);
  }
  record.counters["barriers"] = launch.counters.barriers;
  if (launch.counts_traffic) record.work = work_of(launch);
  record.counters["async_bytes_loaded"] = launch.counters.async_loaded;
  record.counters["async_bytes_stored"] = launch.counters.async_stored;
  record.counters["threads"] = launch.grid.count() * launch.block.count();
  record.counters["host_synchronisations"] = launch.host.synchronisations;
  record.counters["host_allocations"] = launch.host.allocations;
  return record;
}

namespace {

double rounded(double us) { return std::round(us * 1e3) / 1e3; }

nlohmann::json modelled(const Work& work) {
  nlohmann::json result = nlohmann::json::object();
  if (work.blocks == 0) return result;
  for (const Card& card : cards()) {
    if (!fits(work, card)) continue;
    const ModelledTime t = modelled_time(work, card);
    result[card.name] = {{"us", rounded(t.us)},
                         {"bound", t.bound},
                         {"parts",
                          {{"launch", rounded(t.launch)},
                           {"dram", rounded(t.dram)},
                           {"l2", rounded(t.l2)},
                           {"shared", rounded(t.shared)},
                           {"issue", rounded(t.issue)},
                           {"atomics", rounded(t.atomics)},
                           {"latency", rounded(t.latency)},
                           {"blocks", rounded(t.blocks)}}}};
  }
  return result;
}

// Of all launches together, for the cards that each of them fits on.
nlohmann::json modelled(const std::vector<const LaunchRecord*>& launches) {
  nlohmann::json result = nlohmann::json::object();
  for (const Card& card : cards()) {
    double us = 0;
    const bool all = std::ranges::all_of(launches, [&](const LaunchRecord* launch) {
      const bool fitting = launch->work.blocks > 0 && fits(launch->work, card);
      if (fitting) us += modelled_time(launch->work, card).us;
      return fitting;
    });
    if (all) result[card.name] = rounded(us);
  }
  return result;
}

nlohmann::json to_json(const Chain& chain) {
  return {{"cycles", chain.cycles},
          {"shared_waits", chain.shared_waits},
          {"l1_waits", chain.l1_waits},
          {"misses", chain.misses},
          {"barriers", chain.barriers}};
}

nlohmann::json to_json(const Work& w) {
  return {{"shared_bytes", w.shared_bytes},
          {"slots", w.slots},
          {"integer", w.integer},
          {"floating", w.floating},
          {"double_precision", w.double_precision},
          {"special", w.special},
          {"wavefronts", w.wavefronts},
          {"l2_sectors", w.l2_sectors},
          {"loaded_sectors", w.loaded_sectors},
          {"sectors_read", w.sectors_read},
          {"sectors_written", w.sectors_written},
          {"atomic_sectors", w.atomic_sectors},
          {"busiest_atomics", w.busiest_atomics},
          {"chains", to_json(w.chains)},
          {"longest_chain", to_json(w.longest_chain)}};
}

nlohmann::json to_json(const LaunchRecord& launch) {
  const uint64_t blocks = launch.grid.count();
  nlohmann::json lines = nlohmann::json::array();
  for (const auto& [place, counters] : launch.lines)
    lines.push_back(
        {{"file", place.first}, {"line", place.second}, {"counters", counters}, {"ratios", ratios(counters, blocks)}});
  return {{"kernel", launch.kernel},
          {"grid", shape(launch.grid)},
          {"block", shape(launch.block)},
          {"counters", launch.counters},
          {"ratios", ratios(launch.counters, blocks)},
          {"occupancy", launch.occupancy},
          {"lines", lines},
          {"modelled", modelled(launch.work)},
          {"work", to_json(launch.work)}};
}

std::string to_text(const nlohmann::json& json) {
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string to_json(const LaunchRecords& launches, const std::vector<Finding>& findings, const Schedule& schedule,
                    std::string_view end) {
  nlohmann::json report{{"findings", nlohmann::json::array()}, {"end", end}};
  for (const auto names : {counter_names(), ratio_names(), occupancy_names()})
    for (const CounterName& counter : names) {
      report["counter_kinds"][counter.name] = to_text(counter.kind);
      report["counter_names"][counter.name] = counter.plain;
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
  report["modelled"] = modelled(launches.all());
  report["modelled_error"] = cards().front()["speedup_error"];
  // Launches may be many: each becomes text by itself, since json takes several times the room.
  std::string text = to_text(report);
  text.erase(text.rfind("\n}"));
  text += ",\n \"launches\": [";
  const char* separator = "\n";
  for (const LaunchRecord* launch : launches.all()) {
    text += separator + to_text(to_json(*launch));
    separator = ",\n";
  }
  return text + "]\n}";
}

Outcome write_report(const std::string& file, const std::string& report) {
  const std::string temporary = file + ".tmp" + std::to_string(getpid());
  std::FILE* stream = std::fopen(temporary.c_str(), "wb");
  bool written = stream && std::fwrite(report.data(), 1, report.size(), stream) == report.size();
  if (stream) written = std::fclose(stream) == 0 && written;
  if (written && std::rename(temporary.c_str(), file.c_str()) == 0) return {};
  const std::string reason = std::strerror(errno);
  if (stream) unlink(temporary.c_str());
  return {Status::kInvalidValue, "the report cannot be written to " + file + " (LOCKSTEP_REPORT): " + reason};
}

}  // namespace lockstep
