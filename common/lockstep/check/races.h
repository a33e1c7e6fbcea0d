// races: the last accesses to each word of memory, and which of them the next one is not ordered with. In: one warp's
// access, cells of the words it touches. Out: conflicts. order.h says what is ordered; findings are made elsewhere.
//
// A word keeps its last write and two reads by different threads, from different warps or blocks if there are such:
// whoever writes the word next is at most one of the two. Bytes of a word that different threads access are told
// apart, but only the last access is remembered for all of them: a byte's race may be missed, none is invented.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "check/order.h"
#include "program/program.h"

namespace lockstep {

// One access, as a word remembers it. All zero: none.
struct Record {
  SegmentId segment = 0;
  uint32_t lane : 5 = 0;
  uint32_t bytes : 4 = 0;        // of the word
  uint32_t atomic : 1 = 0;       // a strong access: two of them are no race
  uint32_t is_volatile : 1 = 0;  // as strong as that only between warps: lanes of one warp would rely on luck
  uint32_t block_scope : 1 = 0;  // strong, but only for its own block
  uint32_t access : 20 = 0;      // in Program::accesses, kUnknownAccess if beyond
};
inline constexpr uint32_t kUnknownAccess = (1u << 20) - 1;
static_assert(sizeof(Record) == 8);

// Where the records of a stretch of memory lie, word 0 first.
struct Cells {
  Record *writer = nullptr, *reader = nullptr, *other_reader = nullptr;
  uint64_t words = 0;
};

struct Conflict {
  uint32_t lane = 0;  // of the access that is being made
  uint64_t byte = 0;  // where it begins, in the memory that the cells are for
  Record earlier;
  bool earlier_wrote = false;
};

// The warp that makes the access: everything that the access's records share, and the cells that keep them.
struct Accessor {
  const Order& order;
  const BlockOrder& block;
  const Cells& cells;
  uint32_t warp = 0;
  SegmentId segment = 0;
  SegmentId floor = 0;  // records of segments below it are ordered before: of an earlier launch, block or barrier
};

// `bytes` are offsets of the lanes' data from word 0's start. Appends what it conflicts with to `conflicts`.
void note_access(const Accessor& who, const MemoryAccess& access, Mask mask, const uint64_t* bytes,
                 std::vector<Conflict>& conflicts);

}  // namespace lockstep
