// vectors: the types of as many lanes as a vector register of the host holds, and the operations on them for which C++
// has no operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "alu/arith_types.h"

namespace lockstep::LOCKSTEP_ISA {

#if defined(__AVX512F__)
inline constexpr int kVectorLanes = 16;
using Native = __m512i;  // what Intel's intrinsics take
#define LOCKSTEP_NATIVE(name) _mm512_##name
#elif defined(__AVX2__)
inline constexpr int kVectorLanes = 8;
using Native = __m256i;
#define LOCKSTEP_NATIVE(name) _mm256_##name
#else
inline constexpr int kVectorLanes = 4;
#endif

using Floats = float __attribute__((vector_size(kVectorLanes * sizeof(float))));
using Words = uint32_t __attribute__((vector_size(kVectorLanes * sizeof(uint32_t))));
using Integers = int32_t __attribute__((vector_size(kVectorLanes * sizeof(int32_t))));
// Pairs of lanes: the even lane is the lower half of a pair.
using Pairs = uint64_t __attribute__((vector_size(kVectorLanes * sizeof(uint32_t))));
using Doubles = double __attribute__((vector_size(kVectorLanes * sizeof(uint32_t))));

// A vector whose lanes all hold `word`. It is a variable: GCC 12 reads it from memory in the instruction that uses it,
// but builds a constant vector with three instructions.
template <uint32_t word>
[[gnu::visibility("hidden")]] constinit inline Words each = Words{} + word;
template <uint64_t word>
[[gnu::visibility("hidden")]] constinit inline Pairs each_pair = Pairs{} + word;

// Comparisons give Integers: -1 where they hold, else 0.
inline Words bits_of(Floats x) { return __builtin_bit_cast(Words, x); }
inline Words bits_of(Integers x) { return __builtin_bit_cast(Words, x); }
inline Floats float_of(Words bits) { return __builtin_bit_cast(Floats, bits); }
inline Integers signed_of(Words x) { return __builtin_bit_cast(Integers, x); }
inline Pairs pairs_of(Words x) { return __builtin_bit_cast(Pairs, x); }
inline Words words_of(Pairs x) { return __builtin_bit_cast(Words, x); }
inline Pairs bits_of(Doubles x) { return __builtin_bit_cast(Pairs, x); }
inline Doubles double_of(Pairs bits) { return __builtin_bit_cast(Doubles, bits); }
inline Floats magnitude(Floats x) { return float_of(bits_of(x) & each<0x7fff'ffff>); }
inline Words sign_of(Floats x) { return bits_of(x) & each<0x8000'0000>; }

// Whether the condition holds for every lane.
inline bool all_of(Integers condition) {
#if defined(__AVX512F__)
  return _mm512_movepi32_mask(reinterpret_cast<Native>(condition)) == 0xffff;
#elif defined(__AVX2__)
  return _mm256_movemask_ps(reinterpret_cast<__m256>(condition)) == 0xff;
#else
  int32_t all = -1;
  for (int l = 0; l < kVectorLanes; ++l) all &= condition[l];
  return all != 0;
#endif
}
// Vectors compare signed numbers. These are in the order of the unsigned x, but x below `lowest` come last.
constexpr int32_t order_from(uint32_t lowest, uint32_t x) { return static_cast<int32_t>(x - lowest - 0x8000'0000); }
template <uint32_t lowest>
inline Integers order_from(Words x) {
  return signed_of(x - each<lowest + 0x8000'0000>);
}
inline Integers greatest(Integers a, Integers b) { return a > b ? a : b; }
inline Integers least(Integers a, Integers b) { return a < b ? a : b; }

// looked_up: the values of a table at these indices, whose bits from n on are ignored.
#if defined(__AVX512F__)
// Reads the whole table, two vectors at a time, which takes less time than a gather.
template <size_t n>
[[gnu::always_inline]] inline Words looked_up(const uint32_t* table, Words index) {
  if constexpr (n > 2 * kVectorLanes)
    return (index & each<n / 2>) == 0 ? looked_up<n / 2>(table, index) : looked_up<n / 2>(table + n / 2, index);
  else
    return reinterpret_cast<Words>(_mm512_permutex2var_epi32(_mm512_loadu_si512(table), reinterpret_cast<Native>(index),
                                                             _mm512_loadu_si512(table + kVectorLanes)));
}
#elif defined(__AVX2__)
// A gather copies the lanes that its mask leaves out from `any`; this mask leaves out none. There is a shorter
// intrinsic without a mask, but GCC warns that it reads a variable before it sets it.
template <size_t n>
Words looked_up(const uint32_t* table, Words index) {
  Native any;
  asm volatile("" : "=x"(any));
  const Native values =
      _mm256_mask_i32gather_epi32(any, reinterpret_cast<const int*>(table),
                                  reinterpret_cast<Native>(index & each<n - 1>), _mm256_set1_epi32(-1), 4);
  return reinterpret_cast<Words>(values);
}
inline Pairs gathered(const uint64_t* from, Pairs index) {
  Native any;
  asm volatile("" : "=x"(any));
  const Native values = _mm256_mask_i64gather_epi64(any, reinterpret_cast<const long long*>(from),
                                                    reinterpret_cast<Native>(index), _mm256_set1_epi32(-1), 8);
  return reinterpret_cast<Pairs>(values);
}
// The highest byte of each even lane.
inline Pairs highest_bytes(Words x) {
  constexpr long long kNone = ~0xff;  // a shuffle gives 0 for a negative number of a byte
  return reinterpret_cast<Pairs>(_mm256_shuffle_epi8(reinterpret_cast<Native>(x),
                                                     _mm256_set_epi64x(kNone + 11, kNone + 3, kNone + 11, kNone + 3)));
}
#else
template <size_t n>
Words looked_up(const uint32_t* table, Words index) {
  Words values;
  for (int l = 0; l < kVectorLanes; ++l) values[l] = table[index[l] & (n - 1)];
  return values;
}
inline Pairs gathered(const uint64_t* from, Pairs index) { return Pairs{from[index[0]], from[index[1]]}; }
inline Pairs highest_bytes(Words x) { return (pairs_of(x) & each_pair<0xff00'0000>) >> 24; }
#endif

// x where the mask has bits, and `others` elsewhere.
template <uint64_t mask, uint64_t others>
constexpr uint64_t combined(uint64_t x) {
  return (x & mask) | others;
}
template <uint64_t mask, uint64_t others>
Pairs combined(Pairs x) {
  if constexpr (others == 0) return x & each_pair<mask>;
#if defined(__AVX2__) && !defined(__AVX512F__)
  if constexpr (mask == 0x0000'ffff'ffff'0000)
    return reinterpret_cast<Pairs>(
        _mm256_blend_epi16(reinterpret_cast<Native>(x), reinterpret_cast<Native>(each_pair<others>), 0b1001'1001));
#endif
  return (x & each_pair<mask>) | each_pair<others>;
}
// The even lanes of `even`, and the odd ones of `odd`.
inline Words interleaved(Pairs even, Pairs odd) {
#if defined(__AVX512F__)
  return reinterpret_cast<Words>(
      _mm512_mask_blend_epi32(0xaaaa, reinterpret_cast<Native>(even), reinterpret_cast<Native>(odd)));
#elif defined(__AVX2__)
  return reinterpret_cast<Words>(
      _mm256_blend_epi32(reinterpret_cast<Native>(even), reinterpret_cast<Native>(odd), 0b10101010));
#else
  return words_of((even & each_pair<0xffff'ffff>) | (odd & each_pair<uint64_t{0xffff'ffff} << 32>));
#endif
}
#ifdef __AVX2__
// Byte n of each lane, four times. A shuffle counts bytes within four lanes.
template <int n, int... l>
consteval Words each_byte_of(std::integer_sequence<int, l...>) {
  return Words{(uint32_t{4 * (l % 4) + n} * 0x0101'0101)...};
}
template <int n>
[[gnu::visibility("hidden")]] constinit inline Words each_byte =
    each_byte_of<n>(std::make_integer_sequence<int, kVectorLanes>{});
template <int n>
Words byte_four_times(Words x) {
  return reinterpret_cast<Words>(
      LOCKSTEP_NATIVE(shuffle_epi8)(reinterpret_cast<Native>(x), reinterpret_cast<Native>(each_byte<n>)));
}
// The square of each half of a lane, modulo 2^16.
inline Words squares_of_halves(Words x) {
  return reinterpret_cast<Words>(
      LOCKSTEP_NATIVE(mullo_epi16)(reinterpret_cast<Native>(x), reinterpret_cast<Native>(x)));
}
// For each half of a lane: the sum of its two products of bytes, which must be below 2^15. b's bytes are below 128.
inline Words products_of_bytes(Words a, Words b) {
  return reinterpret_cast<Words>(
      LOCKSTEP_NATIVE(maddubs_epi16)(reinterpret_cast<Native>(a), reinterpret_cast<Native>(b)));
}
// For each lane: the sum of its two products of halves. All halves are below 2^15.
inline Words products_of_halves(Words a, Words b) {
  return reinterpret_cast<Words>(LOCKSTEP_NATIVE(madd_epi16)(reinterpret_cast<Native>(a), reinterpret_cast<Native>(b)));
}
#endif
// Cut off to a whole number. The size is below 2^31.
inline Floats whole(Floats x) {
#if defined(__AVX2__) && !defined(__AVX512F__)
  return Floats(_mm256_round_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
#else
  return __builtin_convertvector(__builtin_convertvector(x, Integers), Floats);
#endif
}
// All bits of a pair if its highest is set, else none.
inline Pairs filled_with_sign(Pairs x) {
  using Signed = int64_t __attribute__((vector_size(sizeof x)));
  return reinterpret_cast<Pairs>(reinterpret_cast<Signed>(x) < 0);
}
// a b of the even lanes, each 64 bits long.
inline Pairs product(Pairs a, Pairs b) {
#ifdef __AVX2__
  return reinterpret_cast<Pairs>(LOCKSTEP_NATIVE(mul_epu32)(reinterpret_cast<Native>(a), reinterpret_cast<Native>(b)));
#else
  return (a & each_pair<0xffff'ffff>)*(b & each_pair<0xffff'ffff>);
#endif
}
// a b, cut off to a float. A subnormal result may be one unit too large.
inline Floats product_toward_zero(Floats a, float b) {
#if defined(__AVX2__) && defined(__FMA__)
  const Floats factor = Floats{} + b, product = a * factor;  // a float to nearest
  const Words exact_less = bits_of(Floats(LOCKSTEP_NATIVE(fmsub_ps)(a, factor, product)));
  return float_of(bits_of(product) + bits_of(signed_of(exact_less) >> 31));
#else
  Floats product;
  constexpr uint64_t kBehindAFloat = 0x1fff'ffff;  // the bits of a double behind the 24 of a float
  for (int l = 0; l < kVectorLanes; ++l)
    product[l] = static_cast<float>(double_of(bits_of(double{a[l]} * b) & ~kBehindAFloat));
  return product;
#endif
}

}  // namespace lockstep::LOCKSTEP_ISA
