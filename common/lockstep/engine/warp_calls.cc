// Calls: each call has a frame, which the lanes that call together share.
#include <algorithm>
#include <cstring>

#include "base/align.h"
#include "base/words.h"
#include "engine/builtin.h"
#include "engine/fault.h"
#include "engine/launch_state.h"
#include "engine/warp.h"

namespace lockstep {

// A card's stack ends long before: it has 1 KiB a thread unless the program asks for more. The registers here are not
// part of the stack.
static constexpr uint32_t kDeepestCalls = 4096;

// The lanes of `mask` call. All lanes of the path meet again behind the call.
bool Warp::call(Path& path, const Instruction& in, Mask mask) {
  const CallSite& site = launch_->program.calls[in.index];
  const uint32_t after = path.pc + 1;
  if (mask && site.builtin != Builtin::kNone) call_builtin(*this, site, mask, path.pc);
  if (!mask || site.builtin != Builtin::kNone) {
    path.pc = after;
    return true;
  }
  path.join = joins_.add({after, path.frame, path.mask, 0, path.join});
  path.join->arrived = path.mask & ~mask;
  path.mask = mask;
  if (site.function != kNowhere) {
    enter(path, site, site.function, after);
    return !state_->faulted;
  }
  const auto* targets = lanes<uint64_t>(registers(), site.target);
  const auto& ids = launch_->program.function_ids;
  for (Mask rest = mask; rest;) {
    const uint64_t target = targets[first_lane(rest)];
    const Mask group = lanes_with(targets, target, rest);
    const auto found = std::find(ids.begin(), ids.end(), (target - kFunctionWindow) / kFunctionAlignment);
    if (target < kFunctionWindow || found == ids.end()) {
      fail(*this,
           {Status::kIllegalInstruction, "bad_call", first_lane(group), path.pc,
            words("a call through a pointer that does not point to a device function"),
            "Next: " + words("set the pointer on the device. The address of a host's function means nothing there.")});
      return false;
    }
    Path callee = path;
    callee.mask = group;
    enter(callee, site, static_cast<uint32_t>(found - ids.begin()), after);
    if (state_->faulted) return false;
    paths_.push_back(callee);
    rest &= ~group;
    if (rest) ++state_->counters.at[path.pc].divergent;
  }
  return false;
}

void Warp::fail_stack(const Path& path) {
  fail(*this, {Status::kLaunchFailure, "stack_overflow", first_lane(path.mask), path.pc,
               words("stack overflow in device code"),
               "Next: " + words("let the recursion end earlier, or ask for a larger stack: "
                                "cudaDeviceSetLimit(cudaLimitStackSize, bytes).")});
}

uint64_t Warp::local_end(const Frame& frame) const {
  return frame.local_base + launch_->program.functions[frame.function].local_bytes + frame.allocated;
}

void Warp::forget_local(Mask mask, uint64_t offset, uint64_t bytes) {
  if (bytes == 0) return;  // usual: without this test, calls took 12 % more host instructions
  for (const uint32_t l : each_lane(mask)) written_local_.forget(l * local_bytes() + offset, bytes);
}

// One address for all lanes, with room for the lane that asks for most: the next call's frame lies behind it.
void Warp::allocate_local(Path& path, const Instruction& in, Mask mask) {
  const uint64_t offset = align_up(local_end(*path.frame), in.alignment);
  uint64_t most = 0;
  const auto* bytes = lanes<uint64_t>(registers(), in.a);
  for (const uint32_t l : each_lane(mask)) most = std::max(most, bytes[l]);
  if (most > local_bytes() || offset + most > local_bytes()) return fail_stack(path);
  path.frame->allocated += align_up(offset + most, 16) - local_end(*path.frame);
  forget_local(mask, offset, most);
  write_lanes(registers(), in.d, Width::k64, mask, [&](uint32_t) { return offset; });
}

// Copies the lanes' parameters: source number i of one frame becomes target number i of the other.
static void copy_slots(const Frame& from, const std::vector<ParamSlot>& sources, Frame& to,
                       const std::vector<ParamSlot>& targets, Mask mask) {
  const size_t from_stride = from.param_bytes(), to_stride = to.param_bytes();
  for (size_t i = 0; i < std::min(sources.size(), targets.size()); ++i) {
    const std::byte* source = from.params.data() + sources[i].offset;
    std::byte* target = to.params.data() + targets[i].offset;
    const size_t bytes = std::min(sources[i].bytes, targets[i].bytes);
    for (const uint32_t l : each_lane(mask)) std::memcpy(target + l * to_stride, source + l * from_stride, bytes);
  }
}

void Warp::enter(Path& path, const CallSite& site, uint32_t function, uint32_t return_pc) {
  const FunctionCode& code = launch_->program.functions[function];
  const uint64_t base = local_end(*path.frame);
  const bool too_deep = path.frame->depth == kDeepestCalls;
  if (too_deep || (base + code.local_bytes > local_bytes() && code.local_bytes > 0)) {
    fail_stack(path);
    return;
  }
  Frame* frame = new_frame(function);
  Frame* caller = path.frame;
  frame->caller = caller;
  frame->call = &site;
  frame->return_pc = return_pc;
  frame->depth = caller->depth + 1;
  frame->live = path.mask;
  frame->allocated = 0;
  if (frame->local_base != base) {
    frame->local_base = base;
    for (const Preset& preset : code.presets)
      if (preset.source == Preset::kLocalAddress) set_preset(*frame, preset);
  }
  forget_local(path.mask, base, code.local_bytes);
  copy_slots(*caller, site.arguments, *frame, code.params, path.mask);
  path.frame = frame;
  path.pc = code.entry;
}

void Warp::return_lanes(Path& path, Mask mask) {
  Frame* frame = path.frame;
  Frame* caller = frame->caller;
  copy_slots(*frame, launch_->program.functions[frame->function].results, *caller, frame->call->results, mask);
  if (mask != path.mask) put_aside(path, path.mask & ~mask, path.pc + 1);
  path.mask = mask;
  path.pc = frame->return_pc;
  path.frame = caller;
  leave_frame(frame, mask);
}

}  // namespace lockstep
