#include "program/special_registers.h"

#include <unordered_map>

namespace lockstep {

std::optional<Special> find_special(const std::string& name) {
  using enum Special;
  // Without clusters every block is a cluster of its own.
  // clang-format off
  static const std::unordered_map<std::string, Special> table = {
      {"%tid.x", kTidX}, {"%tid.y", kTidY}, {"%tid.z", kTidZ},
      {"%ntid.x", kNtidX}, {"%ntid.y", kNtidY}, {"%ntid.z", kNtidZ},
      {"%ctaid.x", kCtaidX}, {"%ctaid.y", kCtaidY}, {"%ctaid.z", kCtaidZ},
      {"%nctaid.x", kNctaidX}, {"%nctaid.y", kNctaidY}, {"%nctaid.z", kNctaidZ},
      {"%laneid", kLaneId}, {"%warpid", kWarpId}, {"%nwarpid", kNWarpId}, {"%smid", kSmId}, {"%nsmid", kNSmId},
      {"%gridid", kGridId}, {"%lanemask_eq", kLanemaskEq}, {"%lanemask_lt", kLanemaskLt},
      {"%lanemask_le", kLanemaskLe}, {"%lanemask_gt", kLanemaskGt}, {"%lanemask_ge", kLanemaskGe},
      {"%dynamic_smem_size", kDynamicSharedBytes}, {"%total_smem_size", kTotalSharedBytes},
      {"%aggr_smem_size", kTotalSharedBytes},
      {"%clusterid.x", kCtaidX}, {"%clusterid.y", kCtaidY}, {"%clusterid.z", kCtaidZ},
      {"%nclusterid.x", kNctaidX}, {"%nclusterid.y", kNctaidY}, {"%nclusterid.z", kNctaidZ},
      {"%cluster_ctaid.x", kZero}, {"%cluster_ctaid.y", kZero}, {"%cluster_ctaid.z", kZero},
      {"%cluster_nctaid.x", kOne}, {"%cluster_nctaid.y", kOne}, {"%cluster_nctaid.z", kOne},
      {"%cluster_ctarank", kZero}, {"%cluster_nctarank", kOne}, {"%envreg1", kGridWorkspaceHigh},
      {"%envreg2", kGridWorkspaceLow}, {"%clock", kClock}, {"%clock_hi", kGlobalTimerHigh}, {"%clock64", kClock64},
      {"%globaltimer", kGlobalTimer}, {"%globaltimer_lo", kGlobalTimerLow}, {"%globaltimer_hi", kGlobalTimerHigh},
  };
  // clang-format on
  const auto found = table.find(name);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

Width special_width(Special special) {
  const bool wide = special == Special::kClock64 || special == Special::kGlobalTimer || special == Special::kGridId;
  return wide ? Width::k64 : Width::k32;
}

}  // namespace lockstep
