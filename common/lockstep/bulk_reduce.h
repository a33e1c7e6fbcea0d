// bulk_reduce: cp.reduce.async.bulk's arithmetic: each element of a range, combined with one of another.
#pragma once

#include <cstddef>

#include "program.h"

namespace lockstep {

// Null if PTX has no such reduction, or lockstep does not know it.
BulkReduction select_bulk_reduction(AtomicOp op, Type type);

}  // namespace lockstep
