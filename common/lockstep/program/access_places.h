// access_places: the addresses of a program's accesses, as sums of products. engine/meeting_accesses.h asks them
// whether two threads may access one place.
#pragma once

#include "program/program.h"

namespace lockstep {

// Sets Program::access_places.
void note_access_places(Program& program);

}  // namespace lockstep
