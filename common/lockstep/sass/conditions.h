// conditions: whether ptxas makes an access under the conditions that it has in the PTX.
#pragma once

#include <optional>
#include <vector>

#include "program/program.h"
#include "sass/flow.h"
#include "sass/listing.h"

namespace lockstep {

// Whether each branch of the PTX decides in the machine code, too, and not more comparisons than in the PTX. A
// comparison may have got the line of another instruction there.
bool same_conditions(const std::vector<Asked>& written, const Conditions& machine);

// Whether each comparison of the machine code is another one of the PTX, by its line or by what it asks, and each
// branch of the PTX has one of them.
bool asks_the_same(const std::vector<Asked>& written, const MachineAccess& machine);

// In a loop that lanes leave in several places, the branches behind an access decide about it, too: about its next
// turns. True: no branch stands before the access in the PTX and behind it in the machine code, and none stands the
// other way round.
bool asks_in_same_turn(const std::vector<Asked>& written, const MachineAccess& machine);

// All lanes that come to a branch go one way: as many come to the instruction `probe` as to the branch, or none.
struct OneWay {
  uint32_t branch = 0, probe = 0;
  bool all = true;
};

// The branches that must send all lanes one way, so that the access of the PTX is executed as often as that of the
// machine code, though their conditions differ:
// - ptxas leaves out a branch of the PTX of which it knows the answer;
// - ptxas asks one comparison more, and its answer decides a later one of the PTX, which asks the same;
// - ptxas makes one indexed branch of several that compare one register with constants. This needs no branch.
// written: the access' conditions. No value: the conditions differ in another way.
std::optional<std::vector<OneWay>> same_if(const Program& program, const FlowFacts& facts, const MemoryAccess& access,
                                           const std::vector<Asked>& written, const MachineAccess& machine);

}  // namespace lockstep
