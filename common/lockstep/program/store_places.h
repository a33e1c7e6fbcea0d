// store_places: the addresses of a program's stores, as sums of products. engine/meeting_stores.h asks them whether two
// threads may store to one place.
#pragma once

#include "program/program.h"

namespace lockstep {

// Sets Program::store_places.
void note_store_places(Program& program);

}  // namespace lockstep
