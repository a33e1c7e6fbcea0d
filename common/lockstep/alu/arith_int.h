// arith_int: PTX integer and bit instructions as pure functions of one lane. Everything wraps or clamps as PTX says;
// nothing here is undefined for any input. T is a 16-, 32- or 64-bit integer unless a function says otherwise.
#pragma once

#include <limits>
#include <type_traits>

#include "alu/arith_types.h"

namespace lockstep::LOCKSTEP_ISA {

// An extension of GCC and Clang; __extension__ keeps -Wpedantic from warning.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

template <class T, class Signed, class Unsigned>
using BySign = std::conditional_t<std::is_signed_v<T>, Signed, Unsigned>;
template <class T>  // of twice the width
using Wider =
    std::conditional_t<sizeof(T) == 2, BySign<T, int32_t, uint32_t>,
                       std::conditional_t<sizeof(T) == 4, BySign<T, int64_t, uint64_t>, BySign<T, Int128, Uint128>>>;
template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
inline constexpr int kBits = static_cast<int>(sizeof(T) * 8);
template <class T>
inline constexpr T kMin = std::numeric_limits<T>::min();
template <class T>
inline constexpr T kMax = std::numeric_limits<T>::max();

// --- add, sub, mul, mad -------------------------------------------------------------------------------------------
// Sums are formed in 64 unsigned bits. The conversion back drops every bit that could overflow there.

template <class T>
constexpr T add(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}
template <class T>
constexpr T sub(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}
template <class T>
constexpr Wider<T> mul_wide(T a, T b) {
  return static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b);
}
template <class T>
constexpr T mul_hi(T a, T b) {
  return static_cast<T>(mul_wide(a, b) >> kBits<T>);
}
template <class T>
constexpr T mul_lo(T a, T b) {
  if constexpr (sizeof(T) == 2)
    return static_cast<T>(uint32_t{static_cast<uint16_t>(a)} * static_cast<uint16_t>(b));
  else
    return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
}
template <class T>
constexpr T mad_lo(T a, T b, T c) {
  return add(mul_lo(a, b), c);
}
template <class T>
constexpr T mad_hi(T a, T b, T c) {
  return add(mul_hi(a, b), c);
}
template <class T>
constexpr Wider<T> mad_wide(T a, T b, Wider<T> c) {
  return add(mul_wide(a, b), c);
}

constexpr int32_t clamp_s32(int64_t x) {
  return static_cast<int32_t>(x < kMin<int32_t> ? kMin<int32_t> : x > kMax<int32_t> ? kMax<int32_t> : x);
}
constexpr int32_t add_sat(int32_t a, int32_t b) { return clamp_s32(int64_t{a} + b); }
constexpr int32_t sub_sat(int32_t a, int32_t b) { return clamp_s32(int64_t{a} - b); }
constexpr int32_t mad_hi_sat(int32_t a, int32_t b, int32_t c) { return clamp_s32(int64_t{mul_hi(a, b)} + c); }

// The 24-bit factors are the low bits of 32-bit registers. lo is bits 31:0 of the 48-bit product, hi is bits 47:16.
constexpr uint64_t mul48(uint32_t a, uint32_t b) { return uint64_t{a & 0xffffff} * (b & 0xffffff); }
constexpr int64_t mul48(int32_t a, int32_t b) {
  return int64_t{static_cast<int32_t>(static_cast<uint32_t>(a) << 8) >> 8} *
         (static_cast<int32_t>(static_cast<uint32_t>(b) << 8) >> 8);
}
template <class T>
constexpr T mul24_lo(T a, T b) {
  return static_cast<T>(mul48(a, b));
}
template <class T>
constexpr T mul24_hi(T a, T b) {
  return static_cast<T>(mul48(a, b) >> 16);
}
template <class T>
constexpr T mad24_lo(T a, T b, T c) {
  return add(mul24_lo(a, b), c);
}
template <class T>
constexpr T mad24_hi(T a, T b, T c) {
  return add(mul24_hi(a, b), c);
}
constexpr int32_t mad24_hi_sat(int32_t a, int32_t b, int32_t c) { return clamp_s32(int64_t{mul24_hi(a, b)} + c); }

// --- extended precision: a - b is a + ~b + 1, so the carry of a subtraction says that nothing was borrowed ---------
// PTX calls it the borrow, but an H200 keeps the carry, and nvcc's 128-bit division adds the carry of a subtraction.

template <class T>
struct Carried {
  T value;
  bool carry;
};  // T unsigned

template <class T>
constexpr Carried<T> add_carry(T a, T b, bool carry) {
  const T partial = add(a, b);
  const T sum = add(partial, static_cast<T>(carry));
  return {sum, partial < a || sum < partial};
}
template <class T>
constexpr Carried<T> sub_carry(T a, T b, bool carry) {
  return add_carry(a, static_cast<T>(~b), carry);
}
template <class T>
constexpr Carried<T> sub_first(T a, T b, bool) {
  return sub_carry(a, b, true);
}

// --- div, rem, abs, neg, min, max ---------------------------------------------------------------------------------

// PTX leaves division by zero unspecified. GPUs do not trap: quotient and remainder are all ones.
template <class T>
constexpr T div(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return sub(T{0}, a);  // the most negative number wraps
  }
  return static_cast<T>(a / b);
}
template <class T>
constexpr T rem(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}
template <class T>
constexpr T neg(T a) {
  return sub(T{0}, a);
}
template <class T>
constexpr T abs(T a) {
  return a < 0 ? neg(a) : a;
}
template <class T>
constexpr T min(T a, T b) {
  return a < b ? a : b;
}
template <class T>
constexpr T max(T a, T b) {
  return a > b ? a : b;
}
template <class T>
constexpr T relu(T a) {
  return a > 0 ? a : T{0};
}
template <class T>
constexpr T min_relu(T a, T b) {
  return relu(min(a, b));
}
template <class T>
constexpr T max_relu(T a, T b) {
  return relu(max(a, b));
}
template <class T>
constexpr T sad(T a, T b, T c) {
  return add(c, a < b ? sub(b, a) : sub(a, b));
}

// Two 16-bit integers in one register; T is the element's type.
template <class T, T (*f)(T, T)>
constexpr uint32_t pairwise(uint32_t a, uint32_t b) {
  const auto low = static_cast<uint16_t>(f(static_cast<T>(a), static_cast<T>(b)));
  const auto high = static_cast<uint16_t>(f(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
  return uint32_t{high} << 16 | low;
}

// --- logic and shifts; T unsigned unless said ---------------------------------------------------------------------

template <class T>
constexpr T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
constexpr T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
constexpr T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
constexpr T bit_not(T a) {
  return static_cast<T>(~a);
}
template <class T>
constexpr T cnot(T a) {
  return a == 0;
}

// A shift by more than the width acts as a shift by the width. The mask keeps the C++ shift defined where its result
// is not used.
template <class T>
constexpr T shl(T a, uint32_t n) {
  return n < kBits<T> ? static_cast<T>(a << (n & (kBits<T> - 1))) : T{0};
}
template <class T>
constexpr T shr(T a, uint32_t n) {  // T signed: fills with the sign
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> (n < kBits<T> ? n : kBits<T> - 1));
  else
    return n < kBits<T> ? static_cast<T>(a >> (n & (kBits<T> - 1))) : T{0};
}

// Funnel shifts of b:a; l returns the high word, r the low one.
constexpr uint32_t shf_l_wrap(uint32_t a, uint32_t b, uint32_t n) {
  return static_cast<uint32_t>(((uint64_t{b} << 32 | a) << (n & 31)) >> 32);
}
constexpr uint32_t shf_r_wrap(uint32_t a, uint32_t b, uint32_t n) {
  return static_cast<uint32_t>((uint64_t{b} << 32 | a) >> (n & 31));
}
constexpr uint32_t shf_l_clamp(uint32_t a, uint32_t b, uint32_t n) { return n < 32 ? shf_l_wrap(a, b, n) : a; }
constexpr uint32_t shf_r_clamp(uint32_t a, uint32_t b, uint32_t n) { return n < 32 ? shf_r_wrap(a, b, n) : b; }

// Bit i of the table is the result for the three bits that spell i (a is the highest).
constexpr uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    const uint32_t chosen = 0u - (table >> i & 1);
    result |= chosen & (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  }
  return result;
}

// --- counting and fields ------------------------------------------------------------------------------------------

template <class T>
constexpr uint32_t popc(T a) {
  return static_cast<uint32_t>(__builtin_popcountll(a));
}
template <class T>
constexpr uint32_t clz(T a) {
  if constexpr (sizeof(T) == 4)
    return a == 0 ? 32u : static_cast<uint32_t>(__builtin_clz(a));
  else
    return a == 0 ? 64u : static_cast<uint32_t>(__builtin_clzll(a));
}
// Position of the highest bit that differs from the sign; all ones if there is none.
template <class T>
constexpr uint32_t bfind(T a) {
  auto bits = static_cast<Unsigned<T>>(a);
  if (a < 0) bits = bit_not(bits);
  return bits == 0 ? ~0u : static_cast<uint32_t>(kBits<T> - 1) - clz(bits);
}
// The left shift that would bring that bit to the top.
template <class T>
constexpr uint32_t bfind_shiftamt(T a) {
  const uint32_t position = bfind(a);
  return position == ~0u ? position : static_cast<uint32_t>(kBits<T> - 1) - position;
}
template <class T>
constexpr T brev(T a) {
  constexpr auto all = static_cast<T>(~T{0});
  a = static_cast<T>((a >> 1 & all / 3) | (a & all / 3) << 1);
  a = static_cast<T>((a >> 2 & all / 5) | (a & all / 5) << 2);
  a = static_cast<T>((a >> 4 & all / 17) | (a & all / 17) << 4);
  if constexpr (sizeof(T) == 4)
    return __builtin_bswap32(a);
  else
    return __builtin_bswap64(a);
}

// The 32-bit instructions use only the low byte of start and length; the 64-bit instructions use all of it.
template <class T>
constexpr uint32_t field_number(uint32_t x) {
  return sizeof(T) == 4 ? x & 0xff : min(x, 0xffffu);
}

// The field of `length` bits from `start`. If T is signed, the top bit of the field fills the bits above it; a field
// that reaches beyond the register is filled with the register's sign.
template <class T>
constexpr T bfe(T a, uint32_t start, uint32_t length) {
  start = field_number<T>(start);
  length = field_number<T>(length);
  if (length == 0) return 0;
  const T shifted = shr(a, start);
  if (length >= kBits<T> || (std::is_signed_v<T> && start + length >= kBits<T>)) return shifted;
  const auto unused = static_cast<uint32_t>(kBits<T>) - length;
  return shr(static_cast<T>(shl(static_cast<Unsigned<T>>(shifted), unused)), unused);
}
template <class T>
constexpr T bfi(T field, T base, uint32_t start, uint32_t length) {
  start = field_number<T>(start);
  length = field_number<T>(length);
  const T mask = shl(sub(shl(T{1}, length), T{1}), start);  // a length of the full width: 0 - 1
  return static_cast<T>((shl(field, start) & mask) | (base & ~mask));
}
constexpr uint32_t bmsk_clamp(uint32_t start, uint32_t length) { return shl(shl(1u, length) - 1, start); }
constexpr uint32_t bmsk_wrap(uint32_t start, uint32_t length) { return bmsk_clamp(start & 31, length & 31); }
// Sign- or zero-extends the low n bits; clamp takes n above 32 as 32, wrap takes n modulo 32.
template <class T>
constexpr T szext_clamp(T a, uint32_t n) {
  if (n == 0) return 0;
  const uint32_t unused = n < 32 ? 32 - n : 0;
  return shr(static_cast<T>(static_cast<uint32_t>(a) << unused), unused);
}
template <class T>
constexpr T szext_wrap(T a, uint32_t n) {
  return szext_clamp(a, n & 31);
}

// The position of the offset-th set bit of mask, counted from base: upwards for 1, 2, …, downwards for -1, …; for 0 it
// is base itself.
constexpr uint32_t fns(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31) return ~0u;
  if (offset == 0) return mask >> base & 1 ? base : ~0u;
  const int32_t step = offset > 0 ? 1 : -1;
  int64_t remaining = offset > 0 ? int64_t{offset} : -int64_t{offset};
  for (auto position = static_cast<int32_t>(base); position >= 0 && position < 32; position += step) {
    if ((mask >> position & 1) != 0 && --remaining == 0) return static_cast<uint32_t>(position);
  }
  return ~0u;
}

// --- byte permutation: prmt{.mode}; byte 0..3 is a, 4..7 is b -----------------------------------------------------

enum class Prmt : uint8_t { kGeneric, kForward4, kBackward4, kReplicate8, kEdgeLeft, kEdgeRight, kReplicate16 };

// Selector nibbles for the modes, by the low two bits of c.
constexpr uint32_t prmt_selector(Prmt mode, uint32_t c) {
  constexpr uint16_t kSelectors[7][4] = {
      {0, 0, 0, 0},                      // generic: c itself
      {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
      {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
      {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
      {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
      {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
      {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
  };
  return mode == Prmt::kGeneric ? c : kSelectors[static_cast<int>(mode)][c & 3];
}
template <Prmt mode>
constexpr uint32_t prmt(uint32_t a, uint32_t b, uint32_t c) {
  const uint64_t bytes = uint64_t{b} << 32 | a;
  const uint32_t selector = prmt_selector(mode, c);
  uint32_t result = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t nibble = selector >> (4 * i);
    auto byte = static_cast<uint32_t>(bytes >> (8 * (nibble & 7))) & 0xff;
    if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;  // replicate the sign
    result |= byte << (8 * i);
  }
  return result;
}

// --- dot products of 4 bytes, or of 2 16-bit halves with the 2 low or high bytes of b --------------------------------

template <class T>
constexpr int32_t element8(T word, int i) {  // signed by T
  const uint32_t byte = static_cast<uint32_t>(word) >> (8 * i) & 0xff;
  return std::is_signed_v<T> ? static_cast<int8_t>(byte) : static_cast<int32_t>(byte);
}
template <class T>
constexpr int32_t element16(T word, int i) {
  const uint32_t half = static_cast<uint32_t>(word) >> (16 * i) & 0xffff;
  return std::is_signed_v<T> ? static_cast<int16_t>(half) : static_cast<int32_t>(half);
}
template <class A, class B>
constexpr uint32_t dp4a(A a, B b, uint32_t c) {
  for (int i = 0; i < 4; ++i) c += static_cast<uint32_t>(element8(a, i) * element8(b, i));
  return c;
}
template <class A, class B>
constexpr uint32_t dp2a_lo(A a, B b, uint32_t c) {
  for (int i = 0; i < 2; ++i) c += static_cast<uint32_t>(element16(a, i) * element8(b, i));
  return c;
}
template <class A, class B>
constexpr uint32_t dp2a_hi(A a, B b, uint32_t c) {
  return dp2a_lo(a, static_cast<B>(static_cast<uint32_t>(b) >> 16), c);
}

// --- absolute differences of 4 bytes or 2 halves -------------------------------------------------------------------

template <class Element>
constexpr uint32_t vabsdiff(uint32_t a, uint32_t b, uint32_t) {  // the third would replace bytes that a mask leaves out
  uint32_t result = 0;
  for (uint32_t shift = 0; shift < 32; shift += 8 * sizeof(Element)) {
    const auto x = static_cast<Element>(a >> shift), y = static_cast<Element>(b >> shift);
    result |= static_cast<uint32_t>(x < y ? y - x : x - y) << shift;
  }
  return result;
}
template <class Element>
constexpr uint32_t vabsdiff_add(uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t differences = vabsdiff<Element>(a, b, 0);
  for (uint32_t shift = 0; shift < 32; shift += 8 * sizeof(Element)) c += static_cast<Element>(differences >> shift);
  return c;
}

// --- selection ----------------------------------------------------------------------------------------------------

template <class T>
constexpr T move(T a) {
  return a;
}
template <class T>
constexpr T selp(T a, T b, bool p) {
  return p ? a : b;
}
template <class T, class C>
constexpr T slct(T a, T b, C c) {
  return c >= 0 ? a : b;
}  // NaN selects b
template <class T>
constexpr T slct_ftz(T a, T b, float c) {
  return c > -0x1p-126f ? a : b;
}  // subnormals count as 0

}  // namespace lockstep::LOCKSTEP_ISA
