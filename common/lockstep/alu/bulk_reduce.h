// bulk_reduce: cp.reduce.async.bulk's arithmetic: each element of a range, combined with one of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "ptx/module.h"

namespace lockstep {

// Of atom, red and cp.reduce.
enum class AtomicOp : uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExch, kCas };
std::optional<AtomicOp> atomic_op_from_name(const std::string& name);  // "add" → kAdd

// Combines each element of `from` into the one of `to`.
using BulkReduction = void (*)(const std::byte* from, std::byte* to, size_t bytes);

// Null if PTX has no such reduction, or lockstep does not know it.
BulkReduction select_bulk_reduction(AtomicOp op, Type type);

}  // namespace lockstep
