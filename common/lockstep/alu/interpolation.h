// interpolation: the card's unit for special functions (MUFU in SASS), to the last bit. It looks up a row by the upper
// bits of the argument. The lower 17 bits are the x of c0 + c1 x + c2 x^2, in fixed point. Of x^2 it adds only the
// partial products that reach the highest 15 bits. The sum is cut off, never rounded.
//
// Oberman and Siu describe such a unit ("A High-Performance Area-Efficient Multifunction Interpolator", 2005), without
// the tables. docs/lockstep.md says which arguments were compared with a card.
//
// All sums are whole numbers in units of 2^-7 of that of c1: x and its square have seven zeros behind them. So the bits
// of c0 in a row already stand where the sum needs them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "alu/interpolation_rows.h"
#include "alu/vectors.h"

namespace lockstep::LOCKSTEP_ISA {

inline constexpr int kZeros = 7, kBitsOfX = 17;
inline constexpr uint32_t kX = (1 << kBitsOfX) - 1;

// A row is one word, because AVX2 reads it with one gather. It has the sizes of c1 (from bit 0 on), of c0 (from bit
// c0_at on) and of c2 (from bit c2_at on). Where 16 bits are enough for c1 and for c2, c0 has the two quarters between
// them, which AVX2 takes with one instruction.
template <size_t n>
struct RowTable {
  static constexpr uint32_t kRows = std::bit_ceil(uint32_t{n});  // those from n on are 0
  uint64_t at[256];                     // by the byte above x, whose highest bits the unit ignores
  uint32_t lower[kRows], upper[kRows];  // the halves of each, for AVX-512
  bool c1_is_negative, c2_is_negative;  // in all rows
  int c0_at, c2_at;
  uint64_t constant;  // what to add to each sum, below 2^c0_at; the rest is in c0
};
// c0_unit, c2_unit: the values of 1 in the table's c0 and c2, in units of c1. `constant`, in the same unit: what the
// card's unit adds because it leaves out small products; it was found together with the rows.
template <size_t n>
consteval RowTable<n> rows_of(const Coefficients (&from)[n], int c0_unit, int c2_unit, int constant) {
  RowTable<n> rows{};
  rows.c1_is_negative = from[0].c1 < 0, rows.c2_is_negative = from[0].c2 < 0;
  uint64_t c0[n], c1[n], c2[n], all_c1 = 0xffff, all_c2 = 0xffff;
  for (size_t i = 0; i < n; ++i) {
    c0[i] = static_cast<uint64_t>(int64_t{from[i].c0} * c0_unit + constant) << kZeros;
    c1[i] = static_cast<uint64_t>(rows.c1_is_negative ? -from[i].c1 : from[i].c1), all_c1 |= c1[i];
    c2[i] = static_cast<uint64_t>((rows.c2_is_negative ? -from[i].c2 : from[i].c2) * c2_unit), all_c2 |= c2[i];
  }
  rows.c0_at = static_cast<int>(std::bit_width(all_c1)), rows.c2_at = std::countl_zero(all_c2);
  const uint64_t below_c0 = (uint64_t{1} << rows.c0_at) - 1;
  rows.constant = c0[0] & below_c0;
  for (uint32_t i = 0; i < 256; ++i) {
    const uint32_t row = i % rows.kRows;
    if (row >= n) continue;
    // Too many bits, or another sign: this does not compile.
    if ((c0[row] & below_c0) != rows.constant || c0[row] >> rows.c2_at) throw row;
    rows.at[i] = c1[row] | (c0[row] - rows.constant) | c2[row] << rows.c2_at;
  }
  for (uint32_t i = 0; i < rows.kRows; ++i)
    rows.lower[i] = static_cast<uint32_t>(rows.at[i]), rows.upper[i] = static_cast<uint32_t>(rows.at[i] >> 32);
  return rows;
}
// The rows of [1, 2), then those of [2, 4).
template <size_t n>
consteval RowTable<2 * n> rows_of(const Coefficients (&from)[2][n], int c0_unit, int c2_unit, int constant) {
  Coefficients all[2 * n] = {};
  for (size_t i = 0; i < 2 * n; ++i) all[i] = from[i / n][i % n];
  return rows_of(all, c0_unit, c2_unit, constant);
}

// The unit of c1 stands behind each. Roots and powers lie in [1/2, 1], or in [1, 2]; their rows have only what is above
// 1/2 or 1.
inline constexpr auto kReciprocalRows = rows_of(kReciprocals, 1 << 14, 2, 4046);  // 2^-40: 1 / x
inline constexpr auto kInverseRootRows = rows_of(kInverseRoots, 1 << 14, 4, -1);  // 2^-40: 1 / sqrt(x)
inline constexpr auto kRootRows = rows_of(kRoots, 1 << 14, 2, -1);                // 2^-40: sqrt(x)
inline constexpr auto kPowerRows = rows_of(kPowers, 1 << 13, 1, 6114);            // 2^-38: 2^x
inline constexpr auto kLogarithmRows = rows_of(kLogarithms, 1 << 12, 2, 837);     // 2^-38: log2(x)
inline constexpr auto kSineRows = rows_of(kSines, 1 << 12, 1, 0);                 // 2^-37: sin(x * pi / 2)
inline constexpr auto kTanhRows = rows_of(kTanhs, 1 << 13, 1, 0);                 // 2^-39: tanh(x)

// x^2 / 2^19, of 17 bits. The product of the bits i and j is worth 2^(i + j), twice if they differ.
template <class Number>
constexpr Number upper_square(Number x) {
  const Number high = x >> 9;
  Number square = high * high >> 1;
  for (int i = 2; i <= 8; ++i) square += -(x >> i & 1) & x >> (18 - i);
  return square;
}
// The same for vectors. x and its square have kZeros.
inline Words upper_square_of(Words x) {
#ifdef __AVX2__
  static_assert(kZeros == 7);
  // Four times the bits 2 to 8, as the highest ones of seven, and four times the bits 9 to 16.
  const Words lower = byte_four_times<1>(x >> 1), upper = byte_four_times<2>(x);
  // A byte for each lower bit i: 2^(i - 2) if it is set, times the upper bits that it meets. Bit 8 meets all but one.
  const Words products = products_of_bytes(upper & each<0xf0'f8'fc'fe>, lower & each<0x08'10'20'40>) +
                         products_of_bytes(upper & each<0x00'80'c0'e0>, lower & each<0x00'01'02'04>);
  // x has the bits 9 to 16 in its upper half.
  const Words high = squares_of_halves(x) >> 16;
  return products_of_halves(products, each<0x1'0001>) + (high >> 1 << kZeros);
#else
  return upper_square(x >> kZeros) << kZeros;
#endif
}

inline uint64_t product(uint64_t a, uint64_t b) { return a * b; }
// One sum, or those of the even lanes. x and square have kZeros.
template <const auto& rows, class Number>
[[gnu::always_inline]] inline Number sum_of(Number row, Number x, Number square) {
  constexpr uint64_t kC1 = (uint64_t{1} << rows.c0_at) - 1, kC0 = (uint64_t{1} << rows.c2_at) - 1 - kC1;
  const Number c0 = combined<kC0, rows.constant>(row);
  const Number c1x = product(combined<kC1, 0>(row), x), c2_square = product(row >> rows.c2_at, square);
  const Number line = rows.c1_is_negative ? c0 - c1x : c0 + c1x;
  return rows.c2_is_negative ? line - c2_square : line + c2_square;
}

// A position: the row's number, and 17 bits of x below it. The unit ignores the bits above.
template <const auto& rows>
uint64_t interpolated(uint32_t position) {
  const uint64_t x = position & kX;
  return sum_of<rows>(rows.at[position >> kBitsOfX & 0xff], x << kZeros, upper_square(x) << kZeros);
}

// The sums of a vector's positions.
struct Sums {
  Pairs even, odd;

  // The bits from `first` on; they are less than 32.
  template <int first>
  Words from() const {
    return interleaved(even >> first, odd << (32 - first));
  }
  // The upper 24 bits as floats. The sums are below 2^52. `point`: how many of the bits are behind the point.
  template <int point>
  Floats cut_off() const {
    // As the significand of a double of [1, 2), then normalised. A float has 29 bits less.
    const auto normalised = [](Pairs sum) {
      return bits_of(double_of(sum | each_pair<bits_of(1.0)>) - double_of(each_pair<bits_of(1.0)>));
    };
    const Words bits = interleaved(normalised(even) >> 29, normalised(odd) << 3);
    // What the exponent has too much, modulo 512. All but 0 have more.
    const Words more = each<static_cast<uint32_t>(1023 - 127 - 52 + point) << 23>;
    return float_of((bits > more ? bits : more) - more);
  }
};

// The rows of a vector's positions.
struct RowsOfPairs {
  Pairs even, odd;
};
template <const auto& rows>
[[gnu::always_inline]] inline RowsOfPairs rows_at(Words position) {
#ifdef __AVX512F__
  const auto half = [&](const auto& table) { return pairs_of(looked_up<rows.kRows>(table, position >> kBitsOfX)); };
  const Pairs lower = half(rows.lower), upper = half(rows.upper);
  return {pairs_of(interleaved(lower, upper << 32)), pairs_of(interleaved(lower >> 32, upper))};
#else
  const Words at_the_top = position << kZeros;
  return {gathered(rows.at, highest_bytes(at_the_top)), gathered(rows.at, pairs_of(at_the_top) >> 56)};
#endif
}
template <const auto& rows>
[[gnu::always_inline]] inline Sums interpolated(Words position) {
  const Words x = position << kZeros & each<kX << kZeros>, square = upper_square_of(x);
  const RowsOfPairs row = rows_at<rows>(position);
  return {sum_of<rows>(row.even, pairs_of(x), pairs_of(square)),
          sum_of<rows>(row.odd, pairs_of(x) >> 32, pairs_of(square) >> 32)};
}

}  // namespace lockstep::LOCKSTEP_ISA
