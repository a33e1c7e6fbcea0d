// bulk_reduce: the arithmetic of cp.reduce.async.bulk, which combines two ranges element by element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "ptx/module.h"

namespace lockstep {

// The operations of atom, red and cp.reduce.
enum class AtomicOp : uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExch, kCas };
std::optional<AtomicOp> atomic_op_from_name(const std::string& name);  // "add" → kAdd

// Combines each element of `from` into the one of `to`.
using BulkReduction = void (*)(const std::byte* from, std::byte* to, size_t bytes);

// Null if PTX has no such reduction, or lockstep does not know it.
BulkReduction select_bulk_reduction(AtomicOp op, Type type);

}  // namespace lockstep
