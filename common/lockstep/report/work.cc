#include "report/work.h"

#include "engine/launch.h"

namespace lockstep {
namespace {

uint64_t atomic_sectors(const Program& program, size_t pc, const InstructionCounters& count) {
  if (program.code[pc].kind != Kind::kMemory) return 0;
  const MemoryOp op = program.accesses[program.code[pc].extra].op;
  return op == MemoryOp::kAtomic || op == MemoryOp::kReduction ? count.global_sectors : 0;
}

}  // namespace

Work work_of(const Launch& launch) {
  Work work;
  work.blocks = launch.grid.count();
  work.threads_per_block = launch.block.count();
  work.shared_bytes = launch.shared_bytes;
  for (size_t pc = 0; pc < launch.counters.at.size(); ++pc) {
    const InstructionCounters& count = launch.counters.at[pc];
    const InstructionCost& cost = launch.program.costs[pc];
    const uint64_t issued = count.warps * cost.slots;
    work.issued.slots += issued;
    switch (cost.pipe) {
      case Pipe::kNone: break;
      case Pipe::kInteger: work.issued.integer += issued; break;
      case Pipe::kFloat: work.issued.floating += issued; break;
      case Pipe::kDouble: work.issued.double_precision += issued; break;
      case Pipe::kSpecial: work.issued.special += issued; break;
      case Pipe::kShuffle: work.wavefronts += issued; break;
    }
    work.wavefronts += count.shared_wavefronts + count.loop_wavefronts + count.local_requests;
    work.atomic_sectors += atomic_sectors(launch.program, pc, count);
  }
  const Traffic& traffic = launch.counters.traffic;
  work.wavefronts += traffic.load_lines + traffic.store_lines;
  work.loaded_sectors = traffic.missed_sectors;
  work.l2_sectors = traffic.missed_sectors + traffic.store_sectors + work.atomic_sectors;
  work.sectors_read = traffic.footprint.sectors_read();
  work.sectors_written = traffic.footprint.sectors_written();
  if (traffic.atomic_lanes)  // the share of the sectors equals the share of the lanes
    work.busiest_atomics = work.atomic_sectors * traffic.footprint.busiest_server() / traffic.atomic_lanes;
  work.chains = launch.counters.chains;
  work.longest_chain = launch.counters.longest_chain;
  return work;
}

}  // namespace lockstep
