// vectors: the types of as many lanes as a vector register of the host holds, and the operations on them for which C++
// has no operators.
#pragma once

#include <cstdint>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "alu/arith_types.h"

namespace lockstep::LOCKSTEP_ISA {

#ifdef __AVX2__
inline constexpr int kVectorLanes = 8;
#else
inline constexpr int kVectorLanes = 4;
#endif

using Floats = float __attribute__((vector_size(kVectorLanes * sizeof(float))));
using Words = uint32_t __attribute__((vector_size(kVectorLanes * sizeof(uint32_t))));
using Integers = int32_t __attribute__((vector_size(kVectorLanes * sizeof(int32_t))));
// One half of the lanes.
using Doubles = double __attribute__((vector_size(kVectorLanes / 2 * sizeof(double))));

// A vector whose lanes all hold `word`. It is a variable: GCC 12 reads it from memory in the instruction that uses it,
// but builds a constant vector with three instructions.
template <uint32_t word>
[[gnu::visibility("hidden")]] constinit inline Words each = Words{} + word;

// Comparisons give Integers: -1 where they hold, else 0.
inline Words bits_of(Floats x) { return __builtin_bit_cast(Words, x); }
inline Words bits_of(Integers x) { return __builtin_bit_cast(Words, x); }
inline Floats float_of(Words bits) { return __builtin_bit_cast(Floats, bits); }
inline Integers signed_of(Words x) { return __builtin_bit_cast(Integers, x); }
inline Floats magnitude(Floats x) { return float_of(bits_of(x) & each<0x7fff'ffff>); }
inline Words sign_of(Floats x) { return bits_of(x) & each<0x8000'0000>; }

// Whether the condition holds for every lane.
inline bool all_of(Integers condition) {
#ifdef __AVX2__
  return _mm256_movemask_ps(reinterpret_cast<__m256>(condition)) == 0xff;
#else
  int32_t all = -1;
  for (int l = 0; l < kVectorLanes; ++l) all &= condition[l];
  return all != 0;
#endif
}
// Whether lowest <= x <= highest, as unsigned numbers.
template <uint32_t lowest, uint32_t highest>
inline Integers is_between(Words x) {
  constexpr uint32_t kSignBit = 0x8000'0000;  // vectors compare signed numbers
  return signed_of(x - each<lowest + kSignBit>) < signed_of(each<highest + 1 - lowest - kSignBit>);
}

// The values of `from` at these indices. A gather copies the lanes that its mask leaves out from `any`; this mask
// leaves out none. There is a shorter intrinsic without a mask, but GCC warns that it reads a variable before it sets
// it.
#ifdef __AVX2__
inline Words gathered(const uint32_t* from, Words index) {
  __m256i any;
  asm volatile("" : "=x"(any));
  const __m256i values = _mm256_mask_i32gather_epi32(any, reinterpret_cast<const int*>(from),
                                                     reinterpret_cast<__m256i>(index), _mm256_set1_epi32(-1), 4);
  return reinterpret_cast<Words>(values);
}
// The same for one half of the lanes. `half`: 0 is the lower one, 1 the upper one.
template <int half>
inline Doubles gathered(const double* from, Words index) {
  __m256d any;
  asm volatile("" : "=x"(any));
  return _mm256_mask_i32gather_pd(any, from, _mm256_extracti128_si256(reinterpret_cast<__m256i>(index), half),
                                  _mm256_castsi256_pd(_mm256_set1_epi32(-1)), 8);
}
// One half of the lanes as doubles.
template <int half>
inline Doubles widened(Integers x) {
  return _mm256_cvtepi32_pd(_mm256_extracti128_si256(reinterpret_cast<__m256i>(x), half));
}
// Two halves as one vector of floats.
inline Floats narrowed(Doubles lower, Doubles upper) {
  return _mm256_set_m128(_mm256_cvtpd_ps(upper), _mm256_cvtpd_ps(lower));
}
#else
inline Words gathered(const uint32_t* from, Words index) {
  Words values;
  for (int l = 0; l < kVectorLanes; ++l) values[l] = from[index[l]];
  return values;
}
template <int half>
inline Doubles gathered(const double* from, Words index) {
  return Doubles{from[index[2 * half]], from[index[2 * half + 1]]};
}
template <int half>
inline Doubles widened(Integers x) {
  return Doubles{static_cast<double>(x[2 * half]), static_cast<double>(x[2 * half + 1])};
}
inline Floats narrowed(Doubles lower, Doubles upper) {
  return Floats{static_cast<float>(lower[0]), static_cast<float>(lower[1]), static_cast<float>(upper[0]),
                static_cast<float>(upper[1])};
}
#endif

// a b + c. Product and sum must be exact, because a host without FMA rounds the product, too.
inline Doubles product_and_sum(Doubles a, Doubles b, Doubles c) {
#if defined(__AVX2__) && defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#else
  return a * b + c;
#endif
}
// x without the bits behind a float's 24.
constexpr double without_low_bits(double x) {
  return __builtin_bit_cast(double, __builtin_bit_cast(uint64_t, x) & ~uint64_t{0x1fff'ffff});
}
inline Doubles without_low_bits(Doubles x) {
  using Bits = uint64_t __attribute__((vector_size(sizeof x)));
  return __builtin_bit_cast(Doubles, __builtin_bit_cast(Bits, x) & ~uint64_t{0x1fff'ffff});
}
// a b, cut off to a float. A subnormal result may be one unit too large.
inline Floats product_toward_zero(Floats a, float b) {
#if defined(__AVX2__) && defined(__FMA__)
  const Floats factor = Floats{} + b, product = a * factor;  // a float to nearest
  const Words exact_less = bits_of(_mm256_fmsub_ps(a, factor, product));
  return float_of(bits_of(product) + bits_of(signed_of(exact_less) >> 31));
#else
  Floats product;
  for (int l = 0; l < kVectorLanes; ++l) product[l] = static_cast<float>(without_low_bits(double{a[l]} * b));
  return product;
#endif
}

}  // namespace lockstep::LOCKSTEP_ISA
