#include "alu/bulk_reduce.h"

#include <type_traits>
#include <unordered_map>

#include "alu/arith.h"

namespace lockstep {
namespace {

template <class T, T next(T, T)>
void reduce(const std::byte* from, std::byte* to, size_t bytes) {
  const T* b = reinterpret_cast<const T*>(from);
  T* a = reinterpret_cast<T*>(to);
  for (size_t i = 0; i < bytes / sizeof(T); ++i) a[i] = next(a[i], b[i]);
}

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return baseline::add(a, b, baseline::FloatMode{});
  else
    return baseline::finish_half<T>(to_double(a) + to_double(b), baseline::FloatMode{});
}

uint32_t wrapped_increment(uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }
uint32_t wrapped_decrement(uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; }

template <class T>
BulkReduction select_integer(AtomicOp op) {
  switch (op) {
    case AtomicOp::kAdd: return reduce<T, baseline::add<T>>;
    case AtomicOp::kMin: return reduce<T, baseline::min<T>>;
    case AtomicOp::kMax: return reduce<T, baseline::max<T>>;
    case AtomicOp::kAnd: return reduce<T, baseline::bit_and<T>>;
    case AtomicOp::kOr: return reduce<T, baseline::bit_or<T>>;
    case AtomicOp::kXor: return reduce<T, baseline::bit_xor<T>>;
    default: return nullptr;
  }
}

}  // namespace

std::optional<AtomicOp> atomic_op_from_name(const std::string& name) {
  static const std::unordered_map<std::string, AtomicOp> ops = {
      {"add", AtomicOp::kAdd},   {"min", AtomicOp::kMin}, {"max", AtomicOp::kMax}, {"inc", AtomicOp::kInc},
      {"dec", AtomicOp::kDec},   {"and", AtomicOp::kAnd}, {"or", AtomicOp::kOr},   {"xor", AtomicOp::kXor},
      {"exch", AtomicOp::kExch}, {"cas", AtomicOp::kCas}};
  const auto found = ops.find(name);
  return found == ops.end() ? std::nullopt : std::optional(found->second);
}

BulkReduction select_bulk_reduction(AtomicOp op, Type type) {
  if (type == Type::kU32 && op == AtomicOp::kInc) return reduce<uint32_t, wrapped_increment>;
  if (type == Type::kU32 && op == AtomicOp::kDec) return reduce<uint32_t, wrapped_decrement>;
  switch (type) {
    case Type::kU32:
    case Type::kB32: return select_integer<uint32_t>(op);
    case Type::kS32: return select_integer<int32_t>(op);
    case Type::kU64:
    case Type::kB64: return select_integer<uint64_t>(op);
    case Type::kS64: return select_integer<int64_t>(op);
    default: break;
  }
  if (op != AtomicOp::kAdd) return nullptr;
  switch (type) {
    case Type::kF32: return reduce<float, sum<float>>;
    case Type::kF64: return reduce<double, sum<double>>;
    case Type::kF16: return reduce<baseline::Half, sum<baseline::Half>>;
    case Type::kBf16: return reduce<baseline::Bfloat, sum<baseline::Bfloat>>;
    default: return nullptr;
  }
}

}  // namespace lockstep
