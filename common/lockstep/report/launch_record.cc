#include "report/launch_record.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/words.h"
#include "count/atomic_loop.h"
#include "count/counter_names.h"
#include "count/occupancy.h"
#include "program/register_use.h"
#include "report/card_count.h"

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

// Whether a warp waits here for what it has asked global memory for. An asynchronous copy is awaited by an instruction
// of its own.
bool awaits_memory(const Program& program, uint32_t pc) {
  const std::string& name = program.names[pc];
  return program.costs[pc].awaits_memory || name.starts_with("cp.async.wait_") ||
         name.starts_with("cp.async.bulk.wait_group");
}

// What lockstep counts in every form of an access that it can have.
void add_any_form(CounterSums& sums, const MemoryAccess& access, const InstructionCounters& c) {
  const bool atomic = is_atomic(access);
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

// Adds the counters of one access to memory, as an access of kind `access.op`. Zeros are left out.
void add_memory(CounterSums& sums, const MemoryAccess& access, const InstructionCounters& c) {
  const auto add = [&](const std::string& name, uint64_t value) { sums[name] += value; };
  add_any_form(sums, access, c);
  static const char* const kOps[] = {"ld", "st", "atom", "red"};
  const bool atomic = is_atomic(access);
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

// Adds the counters of one instruction under their names, without those of memory. Zeros are left out; summarise() adds
// them for the launch.
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
  if (awaits_memory(program, pc)) add("memory_waits", c.warps);
  if (in.kind == Kind::kBarrier) add("barrier_instructions", c.warps);
  const std::string& opcode = program.names[pc];
  if (opcode.ends_with(".f32") && (opcode.starts_with("add.") || opcode.starts_with("sub.")))
    add("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", c.threads);
  if (const uint32_t each = float_additions(opcode)) add("float_additions", each * additions(program, pc, c));
}

CounterSums occupancy_figures(const Launch& launch, const Forms& forms) {
  const LaunchShape& shape = launch.shape;
  const uint32_t registers = forms.registers.value_or(0);
  const Occupancy blocks = occupancy(launch.limits, shape.threads_per_block(), shape.shared_bytes, registers);
  const uint64_t declared = shape.shared_bytes - shape.dynamic_shared_bytes;
  CounterSums figures{{"launch__shared_mem_per_block_static", forms.static_shared.value_or(declared)},
                      {"launch__shared_mem_per_block_dynamic", shape.dynamic_shared_bytes},
                      {"launch__occupancy_limit_blocks", blocks.by_blocks},
                      {"launch__occupancy_limit_warps", blocks.by_warps},
                      {"blocks_by_shared_memory", blocks.by_shared},
                      {"blocks_per_multiprocessor", blocks.blocks()}};
  if (registers > 0) {
    figures["launch__registers_per_thread"] = registers;
    figures["launch__occupancy_limit_registers"] = blocks.by_registers;
  }
  return figures;
}

// One access of one lane.
InstructionCounters one_access(Space space) {
  InstructionCounters one;
  if (space == Space::kShared)
    one.shared = {1, 1, 1, 1, 1};
  else if (space == Space::kLocal)
    one.local = {1, 1};
  else
    one.global = {1, 1, 1};
  return one;
}

// What the lanes ask for, whatever ptxas makes of it.
constexpr const char* kAsked[] = {"shared_bytes_loaded", "shared_bytes_stored", "shared_atomics", "global_atomics"};

const std::set<std::string>& exact_names() {
  static const std::set<std::string> names = [] {
    std::set<std::string> found;
    for (const CounterName& counter : counter_names())
      if (counter.kind == CounterKind::kExact) found.insert(counter.name);
    for (const char* asked : kAsked) found.erase(asked);
    return found;
  }();
  return names;
}

// ptxas may make an atomic of any kind from one of another.
bool is_of_atomics(const std::string& name) { return name.ends_with("_op_atom.sum") || name.ends_with("_op_red.sum"); }

void add_card_count(Counted& counted, const CardCount& card, const InstructionCounters& by_ptx) {
  CounterSums of_card;
  add_memory(of_card, card.access, card.counts);
  CounterSums of_ptx = card.changed ? CounterSums{} : of_card;
  if (card.changed) add_memory(of_ptx, card.by_ptx, by_ptx);
  for (const auto& [name, value] : of_card) {
    counted.counters[name] += value;
    of_ptx.try_emplace(name, 0);  // PTX alone may count nothing here
  }
  for (const auto& [name, value] : of_ptx) counted.by_ptx[name] += value;
  if (!card.note.empty()) counted.notes.insert(card.note);
  if (card.looks_in_shared) {
    counted.notes.insert(
        words("the card looks for the address of a generic atomic in shared memory, and may look again"));
    counted.doubtful.insert({"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "shared_wavefronts"});
  }
  if (card.doubt.empty() && !card.varies) return;
  counted.notes.insert(card.doubt.empty() ? by_order() : card.doubt);
  const bool atomic = is_atomic(card.access);
  if (of_ptx.empty()) add_memory(of_ptx, card.by_ptx, one_access(card.by_ptx.space));
  for (const char* asked : kAsked)
    if (card.varies && of_ptx.contains(asked)) counted.doubtful.insert(asked);
  if (card.doubt.empty()) return;
  for (const std::string& name : exact_names())
    if (of_ptx.contains(name) || (atomic && is_of_atomics(name))) counted.doubtful.insert(name);
}

// What only a launch counts, and no line: waits, asynchronous copies, and the host's memory.
void add_order_doubts(Counted& all, const Ended& ended, uint32_t pc) {
  const Kind kind = ended.launch.program.code[pc].kind;
  const bool copies = kind == Kind::kAsync;
  if (!copies && !waits_for_warps(kind)) return;
  const std::string doubt = order_doubt(ended, pc);
  if (doubt.empty()) return;
  all.notes.insert(doubt);
  if (copies)
    all.doubtful.insert({"async_bytes_loaded", "async_bytes_stored", "global_bytes_loaded", "global_bytes_stored"});
  else
    all.doubtful.insert({"barriers", "block_waits", "thread_waits"});
}

// reached: the launch has accessed memory of the host.
void add_host_doubts(Counted& all, const CardCount& card, bool reached) {
  const Space space = card.by_ptx.space;
  if (card.doubt.empty() || !(reached || card.varies) || (space != Space::kGlobal && space != Space::kGeneric)) return;
  if (card.by_ptx.op != MemoryOp::kStore) all.doubtful.insert("host_bytes_loaded");
  if (card.by_ptx.op != MemoryOp::kLoad) all.doubtful.insert("host_bytes_stored");
}

void add_memory_doubts(Counted& counted) {
  for (const std::string& name : exact_names())
    if (name.find("_mem_") != name.npos || name.starts_with("global_bytes") || name.starts_with("shared_"))
      counted.doubtful.insert(name);
}

// The card's own malloc() and free() access memory, too.
void add_system_calls(Counted& counted, const Program& program, uint32_t pc) {
  if (program.code[pc].kind != Kind::kCall || prints(program, program.code[pc])) return;
  const Builtin builtin = program.calls[program.code[pc].index].builtin;
  if (builtin == Builtin::kNone) return;
  counted.notes.insert(is_device_runtime(builtin)
                           ? words("on the card, CUDA's functions access memory when a kernel calls them, too")
                           : words("on the card, malloc() and free() access memory, too"));
  add_memory_doubts(counted);
}

// The card's printf() accesses memory, too; of that, PTX shows nothing.
void add_prints(Counted& counted, const PrintCounters& calls, bool several_warps, const std::string& doubt) {
  const auto add = [&](const std::string& name, uint64_t value) {
    if (value == 0) return;
    counted.counters[name] += value;
    counted.of_printf[name] += value;
    counted.by_ptx.try_emplace(name, 0);
  };
  const auto add_sectors = [&](const std::string& what, const auto& accesses) {
    add("l1tex__t_requests_pipe_lsu_mem_" + what + ".sum", accesses.requests);
    add("l1tex__t_sectors_pipe_lsu_mem_" + what + ".sum", accesses.sectors);
  };
  add_sectors("global_op_ld", calls.loads);
  add_sectors("global_op_st", calls.stores);
  add_sectors("global_op_atom", calls.atomics);
  add_sectors("local_op_ld", calls.local_loads);
  add_sectors("local_op_st", calls.local_stores);
  add("global_bytes_loaded", kBytesOfSector * (calls.loads.sectors + calls.atomics.sectors));
  add("global_bytes_stored", kBytesOfSector * (calls.stores.sectors + calls.atomics.sectors));
  // The atomics are generic: each looks for its address in shared memory.
  add("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", calls.atomics.requests);
  add("shared_wavefronts", calls.atomics.requests);
  if (doubt.empty()) {
    counted.notes.insert(words("the accesses of the card's printf() are counted"));
  } else {
    counted.notes.insert(doubt);
    add_memory_doubts(counted);
  }
  if (!several_warps) return;
  counted.notes.insert(
      words("several warps call printf(), and how many atomics it needs depends on which comes first"));
  for (const char* name :
       {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "shared_wavefronts", "global_bytes_loaded",
        "global_bytes_stored"})
    counted.doubtful.insert(name);
}

// Registers that ptxas keeps in local memory: PTX shows no access. Without machine code nobody knows.
void add_spills(Counted& counted, const Forms& forms) {
  if (!forms.spills) return;
  for (const char* const op : {"ld", "st"})
    for (const char* const what : {"requests", "sectors"})
      counted.doubtful.insert(std::string("l1tex__t_") + what + "_pipe_lsu_mem_local_op_" + op + ".sum");
  counted.notes.insert(forms.static_shared ? words("ptxas keeps registers in local memory")
                                           : words("ptxas may keep registers in local memory"));
}

void doubt_all(Counted& counted, const std::string& why) {
  counted.notes.insert(why);
  for (const CounterName& counter : counter_names())
    if (counter.kind == CounterKind::kExact) counted.doubtful.insert(counter.name);
}

void keep_differences(Counted& counted) {
  std::erase_if(counted.by_ptx, [&](const auto& sum) {
    const auto found = counted.counters.find(sum.first);
    return (found == counted.counters.end() ? 0 : found->second) == sum.second;
  });
}

}  // namespace

LaunchRecord summarise(const Launch& launch, const LaunchState& state, const HostCalls& host, const Forms& forms,
                       const Dependences& depends, const HostDecides& decides) {
  const LaunchShape& shape = launch.shape;
  LaunchRecord record{
      launch.names.kernel, launch.launcher, shape.grid, shape.block, {}, occupancy_figures(launch, forms), {}, {}};
  // On a card, the launch would have gone on, or its error would have come elsewhere.
  if (state.faulted || !state.fault.ok())
    doubt_all(record.all, words("the launch did not end: it failed, or the program was interrupted"));
  if (decides.by_guess)
    doubt_all(record.all, words("the program asked how many registers a kernel needs, or how many blocks fit; without "
                                "ptxas, lockstep guesses"));
  if (decides.by_race)
    doubt_all(record.all, words("the host fetched a number that a race of an earlier launch decides, and this launch "
                                "has it as an argument or as its number of blocks"));
  if (state.faulted) return record;  // how far each block got depends on the host's threads
  const Ended ended(launch, state.counters, forms, depends);
  const bool reaches_host = state.counters.host_stored > 0 || !state.counters.host_loads.empty();
  CounterSums& counters = record.all.counters;
  for (const CounterName& counter : counter_names()) counters[counter.name] = 0;
  for (uint32_t pc = 0; pc < state.counters.at.size(); ++pc) {
    const InstructionCounters& c = state.counters.at[pc];
    const MemoryAccess* const access = plain_access(launch.program, launch.program.code[pc]);
    add_order_doubts(record.all, ended, pc);
    if (c.warps == 0) {
      if (!access) continue;
      const CardCount card = card_count_of_nobody(ended, *access);
      add_card_count(record.all, card, c);
      add_host_doubts(record.all, card, reaches_host);
      continue;
    }
    const auto [file, line] = launch.names.source_line(pc);
    Counted* const of_line = file.empty() ? nullptr : &record.lines[{file, line}];
    for (Counted* const counted : {&record.all, of_line}) {
      if (!counted) continue;
      add_counts(counted->counters, launch.program, pc, c);
      add_system_calls(*counted, launch.program, pc);
      if (const auto calls = state.counters.prints.find(pc); calls != state.counters.prints.end())
        add_prints(*counted, calls->second, state.counters.printing.several(), print_doubt(ended, pc, calls->second));
      if (launch.program.code[pc].kind == Kind::kTexture)
        counted->notes.insert(words("accesses to textures and surfaces are not counted"));
    }
    if (!access) continue;
    const CardCount card = card_count(ended, *access);
    add_host_doubts(record.all, card, reaches_host);
    for (Counted* const counted : {&record.all, of_line})
      if (counted) add_card_count(*counted, card, c);
  }
  if (state.counters.order_decides) {
    record.all.notes.insert(by_order());
    record.all.doubtful.insert({"block_waits", "thread_waits"});
  }
  add_spills(record.all, forms);
  if (!forms.static_shared)  // ptxas may round it up
    record.all.doubtful.insert(
        {"launch__shared_mem_per_block_static", "launch__registers_per_thread", "launch__occupancy_limit_registers"});
  keep_differences(record.all);
  for (auto& [place, counted] : record.lines) keep_differences(counted);
  counters["barriers"] = state.counters.barriers;
  // The cost model knows no tensor cores.
  if (launch.counts_traffic && launch.program.matrices.empty()) record.work = work_of(launch, state.counters);
  counters["block_waits"] = state.counters.block_waits;
  counters["thread_waits"] = state.counters.thread_waits;
  counters["block_branches"] = state.counters.block_branches;
  counters["global_bytes_loaded"] += state.counters.async_loaded - state.counters.async_requested;
  counters["global_bytes_stored"] += state.counters.async_stored;
  counters["async_bytes_loaded"] = state.counters.async_loaded;
  counters["async_bytes_stored"] = state.counters.async_stored;
  counters["launches"] = 1;
  counters["threads"] = shape.grid.count() * shape.block.count();
  counters["host_synchronisations"] = host.synchronisations;
  counters["host_allocations"] = host.allocations;
  counters["host_bytes_fetched"] = host.fetched;
  counters["host_bytes_given"] = host.given;
  counters["host_bytes_stored"] = state.counters.host_stored;
  counters["host_bytes_loaded"] = state.counters.host_loaded();
  return record;
}

}  // namespace lockstep
