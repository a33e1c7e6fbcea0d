#include "report/work.h"

#include "engine/launch.h"
#include "program/program.h"

namespace lockstep {
namespace {

uint64_t atomic_sectors(const Program& program, size_t pc, const InstructionCounters& count) {
  if (program.code[pc].kind != Kind::kMemory) return 0;
  return is_atomic(program.accesses[program.code[pc].index]) ? count.global.sectors : 0;
}

}  // namespace

Work work_of(const Launch& launch, const LaunchCounters& counters) {
  Work work;
  work.blocks = launch.shape.grid.count();
  work.threads_per_block = launch.shape.block.count();
  work.shared_bytes = launch.shape.shared_bytes;
  for (size_t pc = 0; pc < counters.at.size(); ++pc) {
    const InstructionCounters& count = counters.at[pc];
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
    work.wavefronts += count.shared.wavefronts + count.loop.wavefronts + count.local.requests;
    work.atomic_sectors += atomic_sectors(launch.program, pc, count);
  }
  const Traffic& traffic = counters.traffic;
  work.wavefronts += traffic.load_lines + traffic.store_lines;
  work.loaded_sectors = traffic.missed_sectors;
  work.l2_sectors = traffic.missed_sectors + traffic.store_sectors + work.atomic_sectors;
  work.sectors_read = traffic.footprint.sectors_read();
  work.sectors_written = traffic.footprint.sectors_written();
  if (traffic.atomic_lanes)  // the share of the sectors equals the share of the lanes
    work.busiest_atomics = work.atomic_sectors * traffic.footprint.busiest_server() / traffic.atomic_lanes;
  work.chains = counters.chains;
  work.longest_chain = counters.longest_chain;
  return work;
}

}  // namespace lockstep
