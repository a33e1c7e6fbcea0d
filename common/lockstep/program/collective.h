// collective: the operands of barriers and of the instructions between the lanes of a warp. They are registers; 0 =
// none.
#pragma once

#include <cstdint>

namespace lockstep {

struct BarrierUse {
  enum Op : uint8_t { kSync, kArrive, kRedPopc, kRedAnd, kRedOr } op = kSync;
  uint32_t id = 0, threads = 0;  // threads 0: all
  uint32_t predicate = 0;        // reductions
  uint32_t d = 0;
};

// clang-format off
enum class CollectiveOp : uint8_t {
  kShflUp, kShflDown, kShflBfly, kShflIdx,
  kVoteAll, kVoteAny, kVoteUni, kVoteBallot,
  kMatchAny, kMatchAll,
  kReduxAdd, kReduxMin, kReduxMax, kReduxAnd, kReduxOr, kReduxXor,
  kElect
};
// clang-format on

struct Collective {
  CollectiveOp op = CollectiveOp::kShflIdx;
  bool is_signed = false, wide = false;  // redux.s32; match.b64
  uint32_t d = 0, p = 0;                 // destination, predicate destination
  uint32_t a = 0, b = 0, c = 0;
  uint32_t member_mask = 0;
};

inline bool is_shuffle(const Collective& c) { return c.op <= CollectiveOp::kShflIdx; }

}  // namespace lockstep
