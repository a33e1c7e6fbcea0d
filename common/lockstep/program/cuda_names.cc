#include "program/cuda_names.h"

#include <algorithm>

#include "base/words.h"

namespace lockstep {
namespace {

const char* of_collective(CollectiveOp op) {
  // In the order of CollectiveOp.
  static constexpr const char* kNames[] = {
      "__shfl_up_sync()",    "__shfl_down_sync()",  "__shfl_xor_sync()",   "__shfl_sync()",       "__all_sync()",
      "__any_sync()",        "vote.sync.uni",       "__ballot_sync()",     "__match_any_sync()",  "__match_all_sync()",
      "__reduce_add_sync()", "__reduce_min_sync()", "__reduce_max_sync()", "__reduce_and_sync()", "__reduce_or_sync()",
      "__reduce_xor_sync()", "elect.sync"};
  return kNames[static_cast<size_t>(op)];
}

// Only PTX has barriers with another number than 0, or for some of the block's threads.
const char* of_barrier(const Program& program, const BarrierUse& use) {
  const bool usual = std::ranges::any_of(program.functions, [&](const FunctionCode& f) {
    return std::ranges::any_of(f.presets, [&](const Preset& preset) {
      return preset.offset == use.id && preset.source == Preset::kBits && preset.bits == 0;
    });
  });
  if (use.threads || !usual) return nullptr;
  switch (use.op) {
    case BarrierUse::kSync: return "__syncthreads()";
    case BarrierUse::kRedPopc: return "__syncthreads_count()";
    case BarrierUse::kRedAnd: return "__syncthreads_and()";
    case BarrierUse::kRedOr: return "__syncthreads_or()";
    case BarrierUse::kArrive: return nullptr;
  }
  return nullptr;
}

}  // namespace

std::string cuda_name(const Program& program, uint32_t pc) {
  const Instruction& in = program.code[pc];
  const char* name = nullptr;
  if (in.kind == Kind::kWarpBarrier) name = "__syncwarp()";
  if (in.kind == Kind::kBarrier) name = of_barrier(program, program.barriers[in.index]);
  if (in.kind == Kind::kCollective) name = of_collective(program.collectives[in.index].op);
  if (in.kind == Kind::kClusterArrive || in.kind == Kind::kClusterWait) return words("the cluster's barrier");
  return name ? name : program.names[pc];
}

const char* cuda_name(AtomicOp op) {
  // In the order of AtomicOp.
  static constexpr const char* kNames[] = {"atomicAdd", "atomicMin", "atomicMax", "atomicInc",  "atomicDec",
                                           "atomicAnd", "atomicOr",  "atomicXor", "atomicExch", "atomicCAS"};
  return kNames[static_cast<size_t>(op)];
}

Loop loop_around(const Program& program, uint32_t pc) {
  Loop innermost;
  for (uint32_t from = pc; from < program.code.size(); ++from) {
    const Instruction& in = program.code[from];
    const bool around = in.kind == Kind::kBranch && in.target <= pc;
    if (around && (!innermost.exists() || in.target > innermost.begin)) innermost = {in.target, from};
  }
  return innermost;
}

}  // namespace lockstep
