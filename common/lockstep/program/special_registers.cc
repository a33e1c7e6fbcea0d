#include "program/special_registers.h"

#include <unordered_map>

namespace lockstep {

std::optional<Special> find_special(const std::string& name) {
  static const std::unordered_map<std::string, Special> table = {
      {"%tid.x", Special::kTidX},
      {"%tid.y", Special::kTidY},
      {"%tid.z", Special::kTidZ},
      {"%ntid.x", Special::kNtidX},
      {"%ntid.y", Special::kNtidY},
      {"%ntid.z", Special::kNtidZ},
      {"%ctaid.x", Special::kCtaidX},
      {"%ctaid.y", Special::kCtaidY},
      {"%ctaid.z", Special::kCtaidZ},
      {"%nctaid.x", Special::kNctaidX},
      {"%nctaid.y", Special::kNctaidY},
      {"%nctaid.z", Special::kNctaidZ},
      {"%laneid", Special::kLaneId},
      {"%warpid", Special::kWarpId},
      {"%nwarpid", Special::kNWarpId},
      {"%smid", Special::kSmId},
      {"%nsmid", Special::kNSmId},
      {"%gridid", Special::kGridId},
      {"%lanemask_eq", Special::kLanemaskEq},
      {"%lanemask_lt", Special::kLanemaskLt},
      {"%lanemask_le", Special::kLanemaskLe},
      {"%lanemask_gt", Special::kLanemaskGt},
      {"%lanemask_ge", Special::kLanemaskGe},
      {"%dynamic_smem_size", Special::kDynamicSharedBytes},
      {"%total_smem_size", Special::kTotalSharedBytes},
      {"%aggr_smem_size", Special::kTotalSharedBytes},
      // Without clusters every block is a cluster of its own.
      {"%clusterid.x", Special::kCtaidX},
      {"%clusterid.y", Special::kCtaidY},
      {"%clusterid.z", Special::kCtaidZ},
      {"%nclusterid.x", Special::kNctaidX},
      {"%nclusterid.y", Special::kNctaidY},
      {"%nclusterid.z", Special::kNctaidZ},
      {"%cluster_ctaid.x", Special::kZero},
      {"%cluster_ctaid.y", Special::kZero},
      {"%cluster_ctaid.z", Special::kZero},
      {"%cluster_nctaid.x", Special::kOne},
      {"%cluster_nctaid.y", Special::kOne},
      {"%cluster_nctaid.z", Special::kOne},
      {"%cluster_ctarank", Special::kZero},
      {"%cluster_nctarank", Special::kOne},
      {"%envreg1", Special::kGridWorkspaceHigh},
      {"%envreg2", Special::kGridWorkspaceLow},
      {"%clock", Special::kClock},
      {"%clock_hi", Special::kGlobalTimerHigh},
      {"%clock64", Special::kClock64},
      {"%globaltimer", Special::kGlobalTimer},
      {"%globaltimer_lo", Special::kGlobalTimerLow},
      {"%globaltimer_hi", Special::kGlobalTimerHigh},
  };
  const auto found = table.find(name);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

Width special_width(Special special) {
  const bool wide = special == Special::kClock64 || special == Special::kGlobalTimer || special == Special::kGridId;
  return wide ? Width::k64 : Width::k32;
}

}  // namespace lockstep
