// races: the last accesses to each word of memory, and the conflicts of the next access with them. In: one warp's
// access, and the records of the words. Out: conflicts. order.h says what is ordered; checker makes the findings.
//
// A word keeps its last write and two reads by different threads, if possible of different warps or blocks: the thread
// that writes the word next is at most one of the two. Accesses to different bytes of a word do not conflict. But the
// word keeps only its last access: a race of single bytes may be missed, none is invented.
#pragma once

#include <cstdint>
#include <vector>

#include "check/order.h"
#include "program/program.h"

namespace lockstep {

// One access, as a word remembers it. All zero: none.
struct Record {
  SegmentId segment = 0;
  uint32_t lane : 5 = 0;
  uint32_t bytes : 4 = 0;        // a bit for each byte of the word
  uint32_t atomic : 1 = 0;       // a strong access: two strong accesses do not race
  uint32_t is_volatile : 1 = 0;  // strong only between warps: within a warp the order is luck
  uint32_t block_scope : 1 = 0;  // strong, but only for its own block
  uint32_t access : 20 = 0;      // index in Program::accesses; kUnknownAccess if it is too large
};
inline constexpr uint32_t kUnknownAccess = (1u << 20) - 1;
static_assert(sizeof(Record) == 8);

// The records of some memory, word 0 first.
struct Cells {
  Record *writer = nullptr, *reader = nullptr, *other_reader = nullptr;
  uint64_t words = 0;
};

struct Conflict {
  uint32_t lane = 0;  // the lane of the present access
  uint64_t byte = 0;  // its offset from word 0
  Record earlier;
  bool earlier_wrote = false;
  bool updates = false;  // both threads read the word by one access, and one of them has written it since
};

// The warp that makes the access: everything that the access's records share, and the cells that keep them.
struct Accessor {
  Order& order;  // is asked
  const BlockOrder& block;
  const Cells& cells;
  uint32_t warp = 0;
  SegmentId segment = 0;
  SegmentId floor = 0;  // records of segments below it are ordered before: of an earlier launch, block or barrier
  // Reads from this segment on are kept although they are below the floor: other streams may still make them. 0: none.
  SegmentId kept = 0;
  bool plain_volatile = false;  // volatile accesses count as weak
};

// `bytes` are offsets of the lanes' data from word 0's start. Appends the earlier accesses that conflict with this one
// to `conflicts`.
void note_access(const Accessor& accessor, const MemoryAccess& access, Mask mask, const uint64_t* bytes,
                 std::vector<Conflict>& conflicts);

}  // namespace lockstep
