// Lanes part at branches, meet at joins, and end.
#include <algorithm>
#include <utility>

#include "engine/launch_state.h"
#include "engine/warp.h"

namespace lockstep {

void Warp::put_aside(const Path& path, Mask mask, uint32_t pc) {
  Path other = path;
  other.mask = mask;
  other.pc = pc;
  paths_.push_back(other);
}

// The lanes of `taken` go to target, the others to the next instruction. Both know where they meet again.
void Warp::branch(Path& path, uint32_t target, Mask taken, uint32_t meeting) {
  if (taken == path.mask) return void(path.pc = target);
  const uint32_t next = path.pc + 1;
  if (taken == 0) return void(path.pc = next);
  ++state_->counters.at[path.pc].divergent;
  for (Observer* observer : launch_->observers) observer->part_lanes(*this, path.pc, path.mask, taken);
  if (meeting != kNowhere && !(path.join && path.join->pc == meeting && path.join->frame == path.frame))
    path.join = joins_.add({meeting, path.frame, path.mask, 0, path.join});
  const bool nearer = launch_->schedule.kind == Schedule::kReverse ? target > next : target < next;
  const bool take_first = target != meeting && (next == meeting || nearer);
  const Mask first = take_first ? taken : path.mask & ~taken, others = path.mask & ~first;
  if (target == meeting || next == meeting)
    path.join->arrived |= others;
  else
    put_aside(path, others, take_first ? next : target);
  path.mask = first;
  path.pc = take_first ? target : next;
}

// brx.idx: one path for each target that a lane takes.
void Warp::branch_indexed(Path& path, const Instruction& in, Mask mask) {
  const auto& table = launch_->program.tables[in.index];
  const auto* index = lanes<uint32_t>(registers(), in.a);
  std::vector<std::pair<uint32_t, Mask>> groups;
  if (mask != path.mask) groups.emplace_back(path.pc + 1, path.mask & ~mask);
  for (const uint32_t l : each_lane(mask)) {
    const uint32_t target = table[std::min<size_t>(index[l], table.size() - 1)];
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == target; });
    if (group == groups.end())
      groups.emplace_back(target, 1u << l);
    else
      group->second |= 1u << l;
  }
  if (groups.size() > 1) {
    ++state_->counters.at[path.pc].divergent;
    const Mask taken = groups[mask != path.mask].second;  // of the first target
    for (Observer* observer : launch_->observers) observer->part_lanes(*this, path.pc, path.mask, taken);
    if (in.meeting != kNowhere && !(path.join && path.join->pc == in.meeting && path.join->frame == path.frame))
      path.join = joins_.add({in.meeting, path.frame, path.mask, 0, path.join});
  }
  for (size_t i = 1; i < groups.size(); ++i) put_aside(path, groups[i].second, groups[i].first);
  path.mask = groups[0].second;
  path.pc = groups[0].first;
}

// Lanes come to a place where not all of them meet. Those that are further behind and may come, too, go first; those
// that are here already come along. False: the path waits.
bool Warp::meets_early(Path& path) {
  if (launch_->schedule.kind != Schedule::kForward) return true;
  const auto may_come = [&](const Path& other) {
    if (other.state != Path::kRunnable || other.pc >= path.pc || other.frame != path.frame) return false;
    for (const Join* join = other.join; join != path.join; join = join->parent)
      if (!join) return false;
    return true;
  };
  const bool waits = std::exchange(path.patience, Path::kPatient) != Path::kImpatient;
  if (std::ranges::any_of(paths_, may_come)) {
    if (waits) {
      path.patience = Path::kWaits;
      path.yielded = std::ranges::none_of(paths_, [&](const Path& other) { return may_come(other) && !other.yielded; });
      put_aside(path, path.mask, path.pc);
      return false;
    }
    ++state_->counters.at[path.pc].divergent;  // so the report knows that lanes did not meet here
  }
  std::erase_if(paths_, [&](const Path& other) {
    const bool is_here =
        other.state == Path::kRunnable && other.pc == path.pc && other.frame == path.frame && other.join == path.join;
    if (is_here) path.mask |= other.mask;
    return is_here;
  });
  return true;
}

bool Warp::arrive(Path& path, const Instruction& in) {
  while (path.join && path.join->pc == path.pc && path.join->frame == path.frame) {
    Join* join = path.join;
    join->arrived |= path.mask;
    if (join->arrived != join->expected) return false;
    path.mask = join->expected;
    path.join = join->parent;
    joins_.free(join);
  }
  if (in.index && !meets_early(path)) return false;
  ++path.pc;
  return true;
}

// The path of lanes that have passed the join.
static Path behind(const Join& join, Mask lanes) {
  return {.mask = lanes, .pc = join.pc, .frame = join.frame, .join = join.parent};
}

// Lanes that wait at joins continue without the others, which the report learns. False if no lane waits there.
bool Warp::release_joins() {
  bool any = false;
  const std::vector<Join*> joins = joins_.in_use();
  for (Join* join : joins) {
    if (!join->arrived) continue;
    join->expected &= ~join->arrived;
    ++state_->counters.at[join->pc].divergent;
    paths_.push_back(behind(*join, std::exchange(join->arrived, 0)));
    if (!join->expected) joins_.free(join);
    any = true;
  }
  return any;
}

// Paths with the same pc, frame and join become one path.
void Warp::merge_paths() {
  if (paths_.size() < 2) return;
  for (size_t i = 0; i < paths_.size(); ++i)
    for (size_t j = i + 1; j < paths_.size();) {
      const bool same = paths_[i].state == Path::kRunnable && paths_[j].state == Path::kRunnable &&
                        paths_[i].pc == paths_[j].pc && paths_[i].frame == paths_[j].frame &&
                        paths_[i].join == paths_[j].join && paths_[i].yielded == paths_[j].yielded;
      if (!same) {
        ++j;
        continue;
      }
      paths_[i].mask |= paths_[j].mask;
      paths_[i].patience = std::max(paths_[i].patience, paths_[j].patience);
      paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(j));
    }
}

// No join waits for these lanes any longer. If a join waited for no other lanes, its lanes continue.
void Warp::remove_from_joins(Join* join, Mask leaving) {
  for (Join* parent = nullptr; join; join = parent) {
    parent = join->parent;
    join->expected &= ~leaving;
    if (!join->expected) {
      joins_.free(join);
    } else if (join->arrived == join->expected) {
      paths_.push_back(behind(*join, join->expected));
      joins_.free(join);
    }
  }
}

bool Warp::end_lanes(Path& path, Mask leaving) {
  live_ &= ~leaving;
  path.mask &= ~leaving;
  for (Frame *frame = path.frame, *caller = nullptr; frame; frame = caller) {
    caller = frame->caller;
    leave_frame(frame, leaving);
  }
  if (leaving) remove_from_joins(path.join, leaving);
  ++path.pc;
  return path.mask != 0;
}

}  // namespace lockstep
