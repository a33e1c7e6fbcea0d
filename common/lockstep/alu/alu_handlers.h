// alu_handlers: makes a handler for 32 lanes out of a pure function of one lane. Lanes outside the mask keep their
// value.
//
// A loop that the compiler turns into vector instructions computes all lanes, straight into d: no function traps or has
// effects. With a partial mask the other lanes then get their old values back. Functions too long for vectors run lane
// by lane.
#pragma once

#include <type_traits>
#include <utility>

#include "alu/alu_table.h"
#include "alu/arith_types.h"
#include "alu/operands.h"

namespace lockstep::LOCKSTEP_ISA {

// Bit l of a mask, as wide as the values that it selects, so that the compiler can compare whole vectors. 16-bit values
// are compared with one half of the mask at a time.
template <class T>
struct LaneBits {
  T bit[kWarpSize];
  constexpr LaneBits() : bit() {
    for (int l = 0; l < kWarpSize; ++l) bit[l] = static_cast<T>(T{1} << l % (sizeof(T) * 8));
  }
};
template <class T>
inline constexpr LaneBits<T> kLaneBits{};

// Values are passed between registers and functions as plain integers: loops over structures do not become vectors.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;

// One source operand of a handler: l → the value in lane l.
template <class T>
struct Source {
  const Bits<T>* values;
  Source(std::byte* registers, uint32_t offset) : values(lanes<Bits<T>>(registers, offset)) {}
  T operator[](int l) const { return __builtin_bit_cast(T, values[l]); }
};
template <>
struct Source<bool> {
  Mask values;
  Source(std::byte* registers, uint32_t offset) : values(*lanes<Mask>(registers, offset)) {}
  bool operator[](int l) const { return (values & kLaneBits<Mask>.bit[l]) != 0; }
};

// Gives lanes outside the mask their old values back. It selects bits by logic, so nothing branches. It has two
// loops, so that the compiler knows in each whether l >= 16.
template <class B>
[[gnu::noinline]] void restore_inactive(B* d, const B* old, Mask mask) {
  const auto select = [](B part, int l) {
    const B bit = kLaneBits<B>.bit[l];
    return static_cast<B>((part & bit) == bit ? ~B{0} : B{0});
  };
  const auto blend = [&](B active, int l) { d[l] = static_cast<B>((d[l] & active) | (old[l] & ~active)); };
  for (int l = 0; l < kWarpSize / 2; ++l) blend(select(static_cast<B>(mask), l), l);
  for (int l = kWarpSize / 2; l < kWarpSize; ++l)
    blend(select(static_cast<B>(sizeof(B) == 2 ? mask >> 16 : mask), l), l);
}
inline void write_predicate(std::byte* registers, uint32_t offset, Mask value, Mask mask) {
  Mask& p = *lanes<Mask>(registers, offset);
  p = (p & ~mask) | (value & mask);
}

// d = f(sources…) by vectors. The pragma says what the compiler cannot know: two registers are the same or do not
// overlap.
template <class D, class F, class... S>
[[gnu::always_inline]] inline void run(std::byte* registers, uint32_t d_offset, Mask mask, F f, S... sources) {
  if constexpr (std::is_same_v<D, bool>) {
    Mask result = 0;
    for (int l = 0; l < kWarpSize; ++l) result |= f(sources[l]...) ? kLaneBits<Mask>.bit[l] : 0;
    write_predicate(registers, d_offset, result, mask);
    return;
  } else {
    using B = Bits<D>;
    B* d = lanes<B>(registers, d_offset);
    B old[kWarpSize];
    if (mask != kFullMask) __builtin_memcpy(old, d, sizeof old);
#pragma GCC ivdep
    for (int l = 0; l < kWarpSize; ++l) d[l] = __builtin_bit_cast(B, D(f(sources[l]...)));
    if (mask != kFullMask) restore_inactive(d, old, mask);
  }
}

// The same for functions that stay scalar: active lanes only.
template <class D, class F, class... S>
[[gnu::always_inline]] inline void run_by_lane(std::byte* registers, uint32_t d_offset, Mask mask, F f, S... sources) {
  Mask result = 0;
  for (Mask rest = mask; rest != 0; rest &= rest - 1) {
    const int l = __builtin_ctz(rest);
    if constexpr (std::is_same_v<D, bool>)
      result |= Mask{f(sources[l]...)} << l;
    else
      lanes<D>(registers, d_offset)[l] = f(sources[l]...);
  }
  if constexpr (std::is_same_v<D, bool>) write_predicate(registers, d_offset, result, mask);
}

// The PTX type of a C++ type, and its suffix.
template <class T>
constexpr Type type_of() {
  if (std::is_same_v<T, bool>) return Type::kPred;
  if (std::is_same_v<T, Half>) return Type::kF16;
  if (std::is_same_v<T, Bfloat>) return Type::kBf16;
  if (std::is_same_v<T, Half2>) return Type::kF16x2;
  if (std::is_same_v<T, Bfloat2>) return Type::kBf16x2;
  if (std::is_same_v<T, float>) return Type::kF32;
  if (std::is_same_v<T, double>) return Type::kF64;
  constexpr Type kIntegers[][2] = {
      {Type::kU8, Type::kS8}, {Type::kU16, Type::kS16}, {Type::kU32, Type::kS32}, {Type::kU64, Type::kS64}};
  return kIntegers[__builtin_ctz(sizeof(T))][std::is_signed_v<T>];
}
template <class T>
inline constexpr Type kTypeOf = type_of<T>();
template <class T>
const char* suffix() {
  return suffix_of(kTypeOf<T>);
}

// The operand types of a function. A FloatMode at the end is not an operand.
template <class D, class... S>
struct Types {
  static constexpr Signature signature{kTypeOf<D>, {kTypeOf<S>...}};
};
template <class D, class... S>
Types<D, S...> types_of(D (*)(S...));
template <class D, class A>
Types<D, A> types_of(D (*)(A, FloatMode));
template <class D, class A, class B>
Types<D, A, B> types_of(D (*)(A, B, FloatMode));
template <class D, class A, class B, class C>
Types<D, A, B, C> types_of(D (*)(A, B, C, FloatMode));
template <auto f>
using TypesOf = decltype(types_of(f));

// How the lanes of an instruction are computed.
enum class Loop { kVector, kByLane };

template <Loop loop, class F, class D, class... S>
[[gnu::always_inline]] inline void apply(std::byte* r, const AluOperands& i, Mask mask, F f, Types<D, S...>) {
  const uint32_t offsets[] = {i.a, i.b, i.c, i.e};
  [&]<size_t... n>(std::index_sequence<n...>) __attribute__((always_inline)) {
    if constexpr (loop == Loop::kByLane)
      run_by_lane<D>(r, i.d, mask, f, Source<S>(r, offsets[n])...);
    else
      run<D>(r, i.d, mask, f, Source<S>(r, offsets[n])...);
  }
  (std::index_sequence_for<S...>{});
}

// The modes of a function are either fixed, so that the compiler folds them away, or read from the operands. The
// handlers are flattened, since a loop with a call does not become vectors.
template <auto f, Loop loop>
[[gnu::flatten]] void handle(std::byte* r, const AluOperands& i, Mask mask) {
  apply<loop>(
      r, i, mask, [](auto... x) __attribute__((always_inline)) { return f(x...); }, TypesOf<f>{});
}
template <auto f, Loop loop, bool ftz>
[[gnu::flatten]] void handle_fixed(std::byte* r, const AluOperands& i, Mask mask) {
  apply<loop>(
      r, i, mask, [](auto... x) __attribute__((always_inline)) { return f(x..., FloatMode{.ftz = ftz}); },
      TypesOf<f>{});
}
template <auto f>
void handle_general(std::byte* r, const AluOperands& i, Mask mask) {
  const FloatMode mode = FloatMode::unpack(i.modes);
  apply<Loop::kByLane>(
      r, i, mask, [mode](auto... x) { return f(x..., mode); }, TypesOf<f>{});
}

// One line of a table: an instruction, and one with modes.
template <auto f, Loop loop = Loop::kVector>
void op(AluTable& table, const char* opcode, const char* type, const char* type2 = "") {
  table.add(opcode, type, type2, {.plain = handle<f, loop>, .signature = TypesOf<f>::signature});
}
template <auto f, Loop loop = Loop::kVector>
void modal(AluTable& table, const char* opcode, const char* type, uint32_t allowed) {
  table.add(opcode, type, "",
            {.plain = handle_fixed<f, loop, false>,
             .ftz = loop == Loop::kVector ? handle_fixed<f, loop, true> : nullptr,
             .general = handle_general<f>,
             .allowed = allowed,
             .signature = TypesOf<f>::signature});
}

}  // namespace lockstep::LOCKSTEP_ISA
