// Where lanes wait for others: barriers of the block, __syncwarp, and collectives.
#include "block.h"
#include "collective.h"
#include "launch.h"
#include "warp.h"

namespace lockstep {

bool Warp::wait_at_barrier(Path& path, const Instruction& in, Mask mask) {
  const BarrierUse& use = launch_.program.barriers[in.immediate];
  if (!mask) {
    ++path.pc;
    return true;
  }
  const uint32_t l = first_lane(mask);
  const uint32_t id = lanes<uint32_t>(registers(), use.id)[l] % Block::kBarriers;
  const uint32_t threads = use.threads ? lanes<uint32_t>(registers(), use.threads)[l] : 0;
  if (use.op == BarrierUse::kArrive) {
    block_.arrive_only(id, kWarpSize, threads);
    ++path.pc;
    return true;
  }
  if (use.op != BarrierUse::kSync) block_.contribute(id, *lanes<Mask>(registers(), use.predicate), mask);
  if (mask != path.mask) put_aside(path, path.mask & ~mask, path.pc + 1);
  path.mask = mask;
  path.state = Path::kAtBarrier;
  path.barrier = id;
  path.use = &use;
  path.waits_for = threads;
  paths_.push_back(path);
  return false;
}

void Warp::pass_barrier(uint32_t id, uint32_t reduced) {
  for (Path& path : paths_) {
    if (path.state != Path::kAtBarrier || path.barrier != id) continue;
    path.state = Path::kRunnable;
    ++path.pc;
    std::byte* file = path.frame->registers.get();
    if (path.use->op == BarrierUse::kRedPopc) {
      write_lanes(file, path.use->d, Width::k32, path.mask, [&](uint32_t) { return reduced; });
    } else if (path.use->op != BarrierUse::kSync) {
      Mask& d = *lanes<Mask>(file, path.use->d);
      d = (d & ~path.mask) | (reduced ? path.mask : 0);
    }
  }
}

bool Warp::wait_at_warp_barrier(Path& path, const Instruction& in, Mask mask) {
  const Mask members = mask ? lanes<uint32_t>(registers(), in.a)[first_lane(mask)] & live_ : 0;
  if (!(members & ~mask)) {
    ++path.pc;
    return true;
  }
  if (mask != path.mask) put_aside(path, path.mask & ~mask, path.pc + 1);
  path.mask = mask;
  path.state = Path::kAtWarpBarrier;
  path.waits_for = members;
  paths_.push_back(path);
  wake_waiting();
  return false;
}

bool Warp::collective(Path& path, const Instruction& in, Mask mask) {
  const Collective& c = launch_.program.collectives[in.immediate];
  if (!mask) {
    ++path.pc;
    return true;
  }
  const Mask members = c.member_mask ? lanes<uint32_t>(registers(), c.member_mask)[first_lane(mask)] & live_ : mask;
  if (!(members & ~mask)) {
    run_collective(c, registers(), mask);
    ++path.pc;
    return true;
  }
  if (mask != path.mask) put_aside(path, path.mask & ~mask, path.pc + 1);
  path.mask = mask;
  path.state = Path::kAtCollective;
  path.waits_for = members;
  paths_.push_back(path);
  wake_waiting();
  return false;
}

// Groups whose awaited lanes are all there (or have exited) go on. __syncwarp lets lanes meet from different
// places; a collective needs them at the same one.
bool Warp::wake_waiting() {
  bool any = false;
  for (size_t i = 0; i < paths_.size(); ++i) {
    const Path path = paths_[i];
    if (path.state != Path::kAtWarpBarrier && path.state != Path::kAtCollective) continue;
    const auto together = [&](const Path& other) {
      return other.state == path.state &&
             (path.state == Path::kAtWarpBarrier || (other.pc == path.pc && other.frame == path.frame));
    };
    Mask here = 0;
    for (const Path& other : paths_)
      if (together(other)) here |= other.mask;
    const Mask members = path.waits_for & live_;
    if (members & ~here) continue;
    if (path.state == Path::kAtCollective) {
      const Collective& c = launch_.program.collectives[launch_.program.code[path.pc].immediate];
      run_collective(c, path.frame->registers.get(), here & (members | path.mask));
    }
    for (Path& other : paths_)
      if (together(other) && (other.mask & (members | path.mask))) other.state = Path::kRunnable, ++other.pc;
    any = true;
  }
  return any;
}

}  // namespace lockstep
