// lane_values: what becomes of a value that a shuffle takes from a lane that does not take part. CUDA leaves it
// undefined. In: each instruction of the frames that hold such values. Out: the places where the program uses them: as
// an address, as stored data, or to choose a way.
//
// A program may take such a value and discard it: the upper lanes of a sum in a half-filled warp do. So the frame's
// code runs twice, on a second set of registers in which undefined values are other numbers. What differs between the
// two depends on them. Left out: values that pass through local memory or through a call.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "engine/observer.h"
#include "engine/warp.h"

namespace lockstep {

// The shuffle that took the value, and the use of it.
struct UndefinedUse {
  uint32_t lane = 0, pc = 0;  // of the use
  const char* what = "";      // "stored", …
  uint32_t shuffle_pc = kNowhere;
  uint32_t reader = 0, source = 0;  // lanes of the shuffle
};

class LaneValues {
 public:
  void forget() { copies_.clear(); }
  // Lanes of `active` shuffle. True: the frame must be followed: it gets a value that is undefined, or holds some.
  bool follows(const Warp& warp, const Frame& frame, uint32_t pc, Mask active);
  bool holds(const Frame& frame) const { return copies_.contains(&frame); }
  // Gives the uses of undefined values in one instruction of a followed frame, after it has run.
  std::vector<UndefinedUse> step(const Warp& warp, const RanInstruction& ran);

 private:
  struct Origin {
    uint32_t pc = kNowhere, reader = 0, source = 0;
  };
  struct Copy {  // of a frame
    AlignedBytes registers;
    std::array<Origin, kWarpSize> origins{};  // of each lane's last undefined value
    uint32_t steps = 0;
  };
  // One instruction, and the two sets of registers that it runs on.
  struct Step {
    const Program& program;
    uint32_t pc;
    const Instruction& in;
    std::byte* real;
    std::byte* other;
    Mask mask, other_mask;
    Copy& copy;
    std::vector<UndefinedUse> uses{};
  };

  static void access(Step& step);
  static void compare(Step& step);
  static void shuffle(Step& step, const Collective& collective);
  static void collective(Step& step);
  static void run(Step& step);
  static void use(Step& step, uint32_t lane, const char* what);

  std::map<const Frame*, Copy> copies_;
};

}  // namespace lockstep
