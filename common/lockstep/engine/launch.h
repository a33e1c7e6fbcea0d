// launch: what one kernel launch was asked to do. Nothing here changes while it runs; launch_state has the rest.
#pragma once

#include <set>
#include <utility>

#include "base/limits.h"
#include "base/options.h"
#include "base/texture.h"
#include "engine/meeting_accesses.h"
#include "engine/observer.h"
#include "engine/source_names.h"
#include "engine/started_work.h"
#include "program/program.h"

namespace lockstep {

// What follows an access out of bounds: the launch ends, or the kernel continues without the access, so that one run
// finds more than the first error.
enum class AfterBadAccess : uint8_t { kStop, kContinue };

// How many blocks and threads a launch has, and how much memory each has to itself.
struct LaunchShape {
  Dim3 grid{}, block{};
  uint64_t shared_bytes = 0;  // of a block, static and dynamic
  uint64_t dynamic_shared_bytes = 0;
  uint64_t local_bytes = 0;  // of a thread
  uint32_t threads_per_block() const { return static_cast<uint32_t>(block.count()); }
  bool operator==(const LaunchShape&) const = default;
  uint32_t warps_per_block() const { return (threads_per_block() + kWarpSize - 1) / kWarpSize; }
  bool is_one_warp() const { return grid.count() == 1 && block.count() <= kWarpSize; }
};

class GlobalRaces;
class LastStores;

struct Launch {
  const Program& program;
  Memory& memory;
  const DeviceLimits& limits;
  const Textures& textures;  // those that exist, by handle
  std::set<uint64_t>& heap;  // live allocations of kernels' malloc(), of this launch and of earlier launches
  ChildLaunches& children;   // what kernels ask for that launch kernels
  SourceNames names;
  LaunchShape shape;
  Schedule schedule{};
  Launcher launcher{};
  uint32_t depth = 0;                   // levels below the grid that the host launched
  uint64_t sequence = 0;                // number of this launch on the device, from 1
  uint32_t resident_blocks = 1;         // blocks that the card would hold at once
  uint64_t grid_workspace = 0;          // zeroed memory for the grid barrier of cooperative groups; 0: not cooperative
  bool independent = false;             // its blocks may run at the same time
  bool counts_traffic = false;          // for the cost model
  LastStores* last_stores = nullptr;    // null: nobody asks
  GlobalRaces* global_races = nullptr;  // likewise
  MeetingAccesses meeting{};            // what is noted
  // By Program::accesses, of those with kRaceInWarp: an access that brings a value, and one that may change it.
  std::set<std::pair<uint32_t, uint32_t>> lane_pairs{};
  AfterBadAccess after_bad_access = AfterBadAccess::kStop;
  Observers observers{};  // empty: nobody watches

  bool watched() const { return !observers.empty(); }
  // Whether several threads may write to one place here.
  bool may_meet(const MemoryAccess& access, Space space) const {
    return notes(access, space == Space::kShared ? kMeetInShared : kMeetInGlobal);
  }
  // Whether a load and a store may race here.
  bool may_race(const MemoryAccess& access, Space space) const {
    return notes(access, space == Space::kShared ? kRaceInShared : kRaceInGlobal);
  }
  // Whether a load may find shared or local memory here that nobody has written, or a store writes it.
  bool may_be_left(const MemoryAccess& access, Space space) const {
    return notes(access, space == Space::kShared ? kLeftInShared : kLeftInLocal);
  }
  // Whether a lane may race with another one of its warp here.
  bool may_race_in_warp(const MemoryAccess& access) const { return notes(access, kRaceInWarp); }
  // Whether the access needs more than to be counted and to move its data.
  bool looks_at(const MemoryAccess& access, Space space) const {
    constexpr int kGlobal = kMeetInGlobal | kRaceInGlobal, kShared = kMeetInShared | kRaceInShared | kLeftInShared;
    return watched() || notes(access, kRaceInWarp | (space == Space::kShared ? kShared : kGlobal));
  }
  // Whether that is only to note what is written of shared memory.
  bool only_notes_written(const MemoryAccess& access) const {
    return !watched() && !notes(access, kMeetInShared | kRaceInShared | kRaceInWarp);
  }
  // Whether one of these bits is set for the access (meeting_accesses.h).
  bool notes(const MemoryAccess& access, int what) const {
    return !meeting.what.empty() && (meeting.what[access.index] & what);
  }
  uint32_t unit(const MemoryAccess& noted) const { return meeting.units[noted.index]; }
  bool is_one_warp() const { return shape.is_one_warp(); }
};

}  // namespace lockstep
