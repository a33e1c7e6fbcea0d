// stream_races: work in two streams that nothing orders, and the memory that both use. In: each piece of work with its
// place in the order of the streams (base/task.h), the accesses of launches, the rows of copies. Out: findings of the
// kind host_race. What happens within one launch is left to races.h, whose records of memory serve here, too: they keep
// the last accesses of earlier launches.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/findings.h"
#include "base/task.h"
#include "check/races.h"
#include "engine/launch.h"
#include "engine/memory.h"
#include "engine/observer.h"

namespace lockstep {

// Rows of `width` bytes. The starts of two rows are `pitch` bytes apart.
struct Rows {
  uint64_t address = 0, pitch = 0, width = 0, rows = 1;
  // The first byte of [begin, end) that lies in a row.
  std::optional<uint64_t> first_in(uint64_t begin, uint64_t end) const;
};

// Work that was given to the device and may not have ended on a card.
struct PastWork {
  struct Copied {
    Rows rows;
    bool writes = false;
  };
  Task work;
  std::string name;                       // "kernel reduce", "cudaMemcpyAsync"; with marks
  SegmentId first = 0, end = 0;           // of a launch: its accesses are stamped with segments in [first, end)
  std::optional<SourceNames> names;       // of a launch: its source lines
  std::map<uint64_t, NamedArray> arrays;  // of a launch: what it calls the allocations that the host reaches
  std::vector<Copied> copied;             // of a copy or a fill
};

// The present work and earlier work use the same byte.
struct Clash {
  const PastWork* other = nullptr;
  uint64_t byte = 0;                 // its offset from the start of the device's memory
  uint32_t lane = 0;                 // of the present access
  uint32_t access = kUnknownAccess;  // of a past launch: in its Program::accesses
  bool other_wrote = false;
};

class StreamRaces {
 public:
  // cells: of the device's memory. They hold what launches accessed.
  StreamRaces(const Memory& memory, const Cells& cells) : memory_(memory), cells_(cells) {}

  // The requests that follow are this work, until the next call.
  void begin_work(const Task& work);
  void begin_launch(const Launch& launch, SegmentId first);
  void end_launch(SegmentId end);
  void forget_records();  // segments are numbered from the start again
  void forget_all();      // everything has ended

  // While this is false, no other stream has unfinished work, and nothing need be checked.
  bool is_beside_others() const { return !beside_.empty(); }
  SegmentId first_kept() const { return first_kept_; }

  // The clashes of an access that the present launch is about to make. bytes: offsets of the lanes' data.
  std::vector<Clash> clashes(const MemoryAccess& access, Mask mask, const uint64_t* bytes);
  Finding finding(const Clash& clash, const Site& here, const std::string& where, const MemoryAccess& access) const;

  // The present work, which is no launch, reads or writes these rows.
  void use(const Rows& rows, bool writes, Findings& findings);
  void touched(const HostTouch& touch, Findings& findings) const;

  PastWork* present() { return present_ ? &*present_ : nullptr; }

 private:
  struct Launched {
    SegmentId first, end;
    const PastWork* past;
  };
  const PastWork* launch_of(const Record& record) const;
  void look(const Record& record, bool wrote, const Record& me, Clash clash, std::vector<Clash>& found);
  void look_at_copies(uint64_t begin, uint64_t end, bool writes, Clash clash, std::vector<Clash>& found) const;
  void look_at_records(const Rows& rows, bool writes, std::vector<Clash>& found) const;
  std::string describe(uint64_t address) const;
  std::string line_of(const PastWork& past, bool wrote, uint32_t access) const;
  Site site_of(const PastWork& past, bool wrote, uint32_t access) const;

  const Memory& memory_;
  const Cells cells_;
  std::deque<PastWork> past_;        // by number
  std::optional<PastWork> present_;  // none: nobody tells of the order
  bool kept_ = false;                // the present work is in past_
  std::vector<const PastWork*> beside_;
  std::vector<Launched> launches_;      // of beside_, by segment
  std::set<const PastWork*> acquired_;  // of beside_: the present launch has read a flag of theirs
  SegmentId first_kept_ = 0;
};

}  // namespace lockstep
