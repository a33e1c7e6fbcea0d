#include "alu/bulk_reduce.h"

#include <algorithm>
#include <type_traits>

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
  using namespace baseline;
  if constexpr (std::is_integral_v<T>)
    return add(a, b);
  else if constexpr (std::is_floating_point_v<T>)
    return add(a, b, FloatMode{});
  else
    return finish_half<T>(to_double(a) + to_double(b), FloatMode{});
}

template <class T>
T smaller(T a, T b) {
  return std::min(a, b);
}
template <class T>
T larger(T a, T b) {
  return std::max(a, b);
}
template <class T>
T both(T a, T b) {
  return a & b;
}
template <class T>
T either(T a, T b) {
  return a | b;
}
template <class T>
T differing(T a, T b) {
  return a ^ b;
}
uint32_t wrapped_increment(uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }
uint32_t wrapped_decrement(uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; }

template <class T>
BulkReduction select_integer(AtomicOp op) {
  switch (op) {
    case AtomicOp::kAdd: return reduce<T, sum<T>>;
    case AtomicOp::kMin: return reduce<T, smaller<T>>;
    case AtomicOp::kMax: return reduce<T, larger<T>>;
    case AtomicOp::kAnd: return reduce<T, both<T>>;
    case AtomicOp::kOr: return reduce<T, either<T>>;
    case AtomicOp::kXor: return reduce<T, differing<T>>;
    default: return nullptr;
  }
}

}  // namespace

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
