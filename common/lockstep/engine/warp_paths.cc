// Lanes part at branches, meet at joins, and end.
#include <algorithm>
#include <utility>

#include "engine/launch.h"
#include "engine/warp.h"

namespace lockstep {

void Warp::put_aside(const Path& path, Mask mask, uint32_t pc) {
  Path other = path;
  other.mask = mask;
  other.pc = pc;
  paths_.push_back(other);
}

Join* Warp::new_join(uint32_t pc, Frame* frame, Mask expected, Join* parent) {
  if (spare_joins_.empty()) {
    join_storage_.emplace_back();
    spare_joins_.push_back(&join_storage_.back());
  }
  Join* join = spare_joins_.back();
  spare_joins_.pop_back();
  *join = {pc, frame, expected, 0, parent};
  joins_.push_back(join);
  return join;
}

void Warp::free_join(Join* join) {
  std::erase(joins_, join);
  spare_joins_.push_back(join);
}

// `taken` goes to target, the rest goes on; both know where they meet.
void Warp::branch(Path& path, uint32_t target, Mask taken, uint32_t meeting) {
  if (taken == path.mask) {
    path.pc = target;
    return;
  }
  const uint32_t next = path.pc + 1;
  if (taken == 0) {
    path.pc = next;
    return;
  }
  ++launch_.counters.at[path.pc].divergent;
  const Mask rest = path.mask & ~taken;
  if (meeting != kNowhere && !(path.join && path.join->pc == meeting && path.join->frame == path.frame))
    path.join = new_join(meeting, path.frame, path.mask, path.join);
  if (target == meeting) {
    path.join->arrived |= taken;
    path.mask = rest;
    path.pc = next;
  } else if (next == meeting) {
    path.join->arrived |= rest;
    path.mask = taken;
    path.pc = target;
  } else {
    const bool take_first = launch_.schedule.kind == Schedule::kReverse ? target > next : target < next;
    put_aside(path, take_first ? rest : taken, take_first ? next : target);
    path.mask = take_first ? taken : rest;
    path.pc = take_first ? target : next;
  }
}

// brx.idx: one path for each target that some lane takes.
bool Warp::branch_indexed(Path& path, const Instruction& in, Mask mask) {
  const auto& table = launch_.program.tables[in.index];
  const auto* index = lanes<uint32_t>(registers(), in.a);
  std::vector<std::pair<uint32_t, Mask>> groups;
  if (mask != path.mask) groups.emplace_back(path.pc + 1, path.mask & ~mask);
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const uint32_t l = first_lane(rest);
    const uint32_t target = table[std::min<size_t>(index[l], table.size() - 1)];
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == target; });
    if (group == groups.end())
      groups.emplace_back(target, 1u << l);
    else
      group->second |= 1u << l;
  }
  if (groups.size() > 1) {
    ++launch_.counters.at[path.pc].divergent;
    if (in.meeting != kNowhere && !(path.join && path.join->pc == in.meeting && path.join->frame == path.frame))
      path.join = new_join(in.meeting, path.frame, path.mask, path.join);
  }
  for (size_t i = 1; i < groups.size(); ++i) put_aside(path, groups[i].second, groups[i].first);
  path.mask = groups[0].second;
  path.pc = groups[0].first;
  return true;
}

bool Warp::arrive(Path& path) {
  while (path.join && path.join->pc == path.pc && path.join->frame == path.frame) {
    Join* join = path.join;
    join->arrived |= path.mask;
    if (join->arrived != join->expected) return false;
    path.mask = join->expected;
    path.join = join->parent;
    free_join(join);
  }
  ++path.pc;
  return true;
}

// Lanes that waited at joins go on without the others. False if none waited.
bool Warp::release_joins() {
  bool any = false;
  const std::vector<Join*> joins = joins_;
  for (Join* join : joins) {
    if (!join->arrived) continue;
    Path path;
    path.mask = std::exchange(join->arrived, 0);
    path.pc = join->pc;
    path.frame = join->frame;
    path.join = join->parent;
    join->expected &= ~path.mask;
    if (!join->expected) free_join(join);
    paths_.push_back(path);
    any = true;
  }
  return any;
}

// Paths that stand at the same place with the same way ahead are one.
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
      paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(j));
    }
}

// No join may wait for these lanes any longer; one that waited for nobody else lets its lanes go on.
void Warp::remove_from_joins(Join* join, Mask leaving) {
  while (join) {
    Join* parent = join->parent;
    join->expected &= ~leaving;
    if (!join->expected) {
      free_join(join);
    } else if (join->arrived == join->expected) {
      Path path;
      path.mask = join->expected;
      path.pc = join->pc;
      path.frame = join->frame;
      path.join = parent;
      free_join(join);
      paths_.push_back(path);
    }
    join = parent;
  }
}

bool Warp::end_lanes(Path& path, Mask leaving) {
  if (!copies_.idle()) copies_.finish(*this, leaving);
  live_ &= ~leaving;
  path.mask &= ~leaving;
  for (Frame* frame = path.frame; frame;) {
    Frame* caller = frame->caller;
    leave_frame(frame, leaving);
    frame = caller;
  }
  if (leaving) remove_from_joins(path.join, leaving);
  ++path.pc;
  return path.mask != 0;
}

}  // namespace lockstep
