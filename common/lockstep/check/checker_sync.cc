// Barriers, syncs and collectives: who takes part, and the findings about those that should and do not.
#include <bit>
#include <string>
#include <vector>

#include "base/words.h"
#include "check/checker.h"
#include "engine/block.h"
#include "program/cuda_names.h"

namespace lockstep {

void Checker::sync_lanes(const Warp& warp, uint32_t pc, Mask together, const uint32_t* members, LaneSync) {
  for (const uint32_t l : each_lane(checks_.synchronisation ? together : 0)) {
    const Mask mask = members[l];
    const Mask others = mask & together;
    if (!(mask >> l & 1)) report_unnamed(warp, pc, l, mask);
    if (lanes_with(members, mask, others) != others) report_masks(warp, pc, l);
  }
  if (!checks_.races) return;
  for (Mask rest = together, group = 0; rest; rest &= ~group) {
    group = lanes_with(members, members[first_lane(rest)], rest);
    order_.join_lanes(checks_of(warp.block()).order, {warp.index(), group}, warp.live());
  }
}

void Checker::report_masks(const Warp& warp, uint32_t pc, uint32_t lane) {
  const Cause cause{"mask_mismatch", pc, pc};
  if (count_again(cause)) return;
  add(cause,
      {.at = warp.site(lane, pc),
       .message = words("{call} of lanes that name each other with different masks",
                        {{"call", cuda_name(launch_->program, pc)}})},
      words("The result of such a call is undefined.") +
          "\n  Next: " + words("give all lanes that take part the same mask."));
}

void Checker::report_unnamed(const Warp& warp, uint32_t pc, uint32_t lane, Mask named) {
  const Cause cause{"mask_mismatch", pc, pc};
  if (count_again(cause)) return;
  add(cause,
      {.at = warp.site(lane, pc),
       .message =
           words("{call} of a lane that its own mask does not name", {{"call", cuda_name(launch_->program, pc)}})},
      words("It is lane {lane} of its warp, and its mask is {mask}.",
            {{"lane", std::to_string(lane)}, {"mask", hex(named)}}) +
          "\n  " +
          words(
              "CUDA leaves the result undefined. An H200 lets the lane take part if a lane of the mask comes with it, "
              "and stops the kernel if none does.") +
          "\n  Next: " + words("give a mask with the bit of every lane that calls."));
}

void Checker::meet_apart(const Warp& warp, const Arrival& one, const Arrival& other) {
  const Cause cause = between("mask_mismatch", one.pc, other.pc);
  if (!checks_.synchronisation || count_again(cause)) return;
  add(cause,
      {.at = warp.site(first_lane(one.lanes.mask), one.pc),
       .other = warp.site(first_lane(other.lanes.mask), other.pc),
       .message = words("lanes that one mask names wait for each other at different calls")},
      words("An H200 lets them go on, and each call works with the lanes that are there. CUDA does not promise it.") +
          "\n  Next: " +
          words("let all lanes of the mask reach one call, or give each call a mask of the lanes that reach it."));
}

bool Checker::follows(const Warp& warp, const Frame& frame, uint32_t pc, Mask active) {
  return checks_.synchronisation && lane_values_.follows(warp, frame, pc, active);
}

bool Checker::ran(const Warp& warp, const RanInstruction& ran) {
  for (const UndefinedUse& use : lane_values_.step(warp, ran)) report_undefined(warp, use);
  return lane_values_.holds(ran.frame);
}

void Checker::report_undefined(const Warp& warp, const UndefinedUse& use) {
  const Cause cause{"mask_mismatch", use.shuffle_pc, use.shuffle_pc};
  if (count_again(cause)) return;
  const uint32_t thread = warp.index() * kWarpSize + use.source;
  const std::vector<std::pair<std::string, std::string>> lanes = {{"reader", std::to_string(use.reader)},
                                                                  {"source", std::to_string(use.source)}};
  const std::string takes =
      thread >= launch_->shape.threads_per_block()
          ? words("Lane {reader} takes the value of lane {source}, but the block has no such thread.", lanes)
      : warp.live() >> use.source & 1
          ? words("Lane {reader} takes the value of lane {source}, which is elsewhere.", lanes)
          : words("Lane {reader} takes the value of lane {source}, which has ended.", lanes);
  const std::vector<std::pair<std::string, std::string>> facts = {
      {"lane", std::to_string(use.lane)}, {"what", words(use.what)}, {"place", launch_->names.location(use.pc)}};
  const std::string value = use.lane == use.reader
                                ? words("The value {what} at {place}.", facts)
                                : words("The value, passed on to lane {lane}, {what} at {place}.", facts);
  add(cause,
      {.at = warp.site(use.reader, use.shuffle_pc),
       .message =
           words("{call} from a lane that takes no part", {{"call", cuda_name(launch_->program, use.shuffle_pc)}})},
      takes + "\n  " + value + " " + words("CUDA leaves it undefined. An H200 gives 0.") +
          "\n  Next: " + words("let lane {source} make the same call, or let lane {reader} discard the value.", lanes));
}

void Checker::open_barrier(const Block& block, const OpenedBarrier& opened) {
  if (checks_.synchronisation && opened.kind == OpenedBarrier::kWholeBlock) check_arrivals(block, opened.arrivals);
  if (!checks_.races) return;
  BlockOrder& order = checks_of(block).order;
  uint32_t lanes = 0, live = 0;
  for (const Arrival& arrival : opened.arrivals) lanes += static_cast<uint32_t>(std::popcount(arrival.lanes.mask));
  for (const auto& warp : block.warps()) live += static_cast<uint32_t>(std::popcount(warp->live()));
  if (lanes == live) return order_.join_block(order);
  std::vector<Lanes> participants;
  for (const Arrival& arrival : opened.arrivals) participants.push_back(arrival.lanes);
  order_.join_some(order, opened.id, participants);
}

// Every thread must reach the same barrier: the same instruction, since two barriers can stand in one source line, and
// #line can put any two there. The compiler copies a barrier only where all threads of the block come to one copy.
void Checker::check_arrivals(const Block& block, const std::vector<Arrival>& arrivals) {
  const auto site = [&](const Arrival& a) { return block.warps()[a.lanes.warp]->site(first_lane(a.lanes.mask), a.pc); };
  uint32_t came = 0;
  for (const Arrival& arrival : arrivals) {
    came += static_cast<uint32_t>(std::popcount(arrival.lanes.mask));
    if (arrival.pc == arrivals[0].pc) continue;
    const Cause cause = between("barrier_divergence", arrival.pc, arrivals[0].pc);
    if (count_again(cause)) continue;
    add(cause,
        {.at = site(arrival),
         .other = site(arrivals[0]),
         .message = words("threads of one block wait at two different calls of {call}",
                          {{"call", cuda_name(launch_->program, arrival.pc)}})},
        words("What happens on a card is undefined.") + "\n  Next: " +
            words(
                "let every thread of the block reach the same __syncthreads(): move it out of the branch or the loop. "
                "Threads without work skip the work, not the barrier."));
  }
  const uint32_t threads = launch_->shape.threads_per_block(), missing = threads - came;
  const Cause cause{"barrier_divergence", arrivals[0].pc, arrivals[0].pc};
  if (missing == 0 || count_again(cause)) return;
  const std::vector<std::pair<std::string, std::string>> facts = {
      {"missing", std::to_string(missing)},
      {"threads", std::to_string(threads)},
      {"call", cuda_name(launch_->program, arrivals[0].pc)}};
  add(cause,
      {.at = site(arrivals[0]),
       .message = missing == 1 ? words("{missing} of the block's {threads} threads has ended before {call}", facts)
                               : words("{missing} of the block's {threads} threads have ended before {call}", facts)},
      words("Cards let the other threads pass. CUDA does not promise it.") + "\n  Next: " +
          words("let every thread of the block reach the barrier: move it out of the if, or let no thread return, or "
                "leave a loop around it, before the others. Threads without work skip the work, not the barrier."));
}

void Checker::arrive_at_barrier(const Warp& warp, uint32_t barrier, Mask mask) {
  if (checks_.races) order_.arrive(checks_of(warp.block()).order, barrier, {warp.index(), mask});
}

}  // namespace lockstep
