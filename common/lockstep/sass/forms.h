// forms: what ptxas made of each access of a program. It compares the PTX's accesses, line by line, with the machine
// code's: their number, width and kind, in which loops they are, and under which conditions. Where they agree, or
// differ in a way that can be counted, the counters are the card's. Everything else is a doubt, with its reason in
// words.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program/program.h"
#include "sass/conditions.h"
#include "sass/influence.h"
#include "sass/listing.h"
#include "sass/unwritten.h"

namespace lockstep {

struct AccessForm {
  enum Kind : uint8_t {
    kAsWritten,
    kWider,    // one instruction of `bytes`, for it and its neighbours
    kGone,     // no instruction: joined with a neighbour, or not needed
    kElected,  // one lane makes the access for all lanes of the warp
  } kind = kAsWritten;
  uint8_t bytes = 0;
  MemoryOp op = MemoryOp::kLoad;  // as the card counts it
  bool generic = false;           // an atomic by a generic address: one more wavefront of shared memory
  bool parts = false;             // exact only while the lanes of a warp stay together
  // yields: exact only while no lanes of the launch part; grouped: while lanes name no groups, as tiles of a warp do.
  Apart apart{};
  std::vector<uint32_t> parted_by{};  // exact only while no lanes part at these branches of the program
  // Where ptxas put it: exact only if an instruction there is executed by as many warps and lanes. Empty: here.
  std::vector<uint32_t> moved_to{};
  std::vector<OneWay> one_way{};  // exact only if lanes go as these say
  bool early = false;             // ptxas makes it before the conditions that it has in the PTX
  bool unwritten = false;         // depends on Forms::unwritten_reads
  bool retries = false;           // a loop that tries again if another warp was faster
  std::string doubt{};            // why the count may differ from a card's; empty: it is exact
  std::string note{};             // what ptxas did, if the count follows it
};

struct Forms {
  std::vector<AccessForm> of;  // parallel to Program::accesses
  // Calls of printf(), by instruction: only whether lanes come to them together.
  std::map<uint32_t, AccessForm> prints{};
  std::vector<Place> places;  // parallel to Program::code
  // As ptxas says. Without a value ptxas was not asked, and all of this is guessed.
  std::optional<uint32_t> static_shared{};
  // Of a thread. On a card, a launch has at least 16, and 32 if the kernel calls a function of the driver.
  std::optional<uint32_t> registers{};
  std::vector<UnwrittenRead> unwritten_reads{};
  Dependence own{};     // as if earlier launches had left nothing in memory
  bool spills = false;  // ptxas keeps registers in local memory: no access of the PTX asks for these
};

Forms compare(const Program& program, const MachineKernel& machine);

// Without machine code: every access that ptxas might change is a doubt.
Forms judge_alone(const Program& program);

}  // namespace lockstep
