// interpolation: the card's unit for special functions (MUFU in SASS), to the last bit. It looks up a row by the upper
// bits of the argument. The lower 17 bits are the x of c0 + c1 x + c2 x^2, in fixed point. Of x^2 it adds only the
// partial products that reach the highest 15 bits. The sum is cut off, never rounded.
//
// Oberman and Siu describe such a unit ("A High-Performance Area-Efficient Multifunction Interpolator", 2005), without
// the tables. docs/lockstep.md says which arguments were compared with a card.
//
// A double holds every sum, so no order of the additions changes it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "alu/interpolation_rows.h"
#include "alu/vectors.h"

namespace lockstep::LOCKSTEP_ISA {

template <size_t n>
struct RowTable {
  static constexpr uint32_t kMask = std::bit_ceil(uint32_t{n}) - 1;  // the bits of a row's number; rows from n on are 0
  double c0[kMask + 1], c1[kMask + 1], c2[kMask + 1];
};
// `unit`: the value of 1 in the table's c1. All others count in this unit. c0_unit, c2_unit: the values of 1 in the
// table's c0 and c2. `constant`: what the card's unit adds because it leaves out small products; it was found together
// with the rows. `less`: the part of the result that the table does not hold.
template <size_t n>
constexpr RowTable<n> rows_of(const Coefficients (&from)[n], double unit, double c0_unit, double c2_unit,
                              double constant, double less) {
  RowTable<n> rows{};
  for (size_t i = 0; i < n; ++i) {
    rows.c0[i] = (from[i].c0 * c0_unit + constant + less) * unit;
    rows.c1[i] = from[i].c1 * unit;
    rows.c2[i] = from[i].c2 * c2_unit * unit;
  }
  return rows;
}
// The rows of [1, 2), then those of [2, 4).
template <size_t n>
constexpr RowTable<2 * n> rows_of(const Coefficients (&from)[2][n], double unit, double c0_unit, double c2_unit,
                                  double constant, double less) {
  Coefficients all[2 * n] = {};
  for (size_t i = 0; i < 2 * n; ++i) all[i] = from[i / n][i % n];
  return rows_of(all, unit, c0_unit, c2_unit, constant, less);
}

inline constexpr auto kReciprocalRows = rows_of(kReciprocals, 0x1p-40, 0x1p14, 2, 4046, 0x1p39);  // 1 / x
inline constexpr auto kInverseRootRows = rows_of(kInverseRoots, 0x1p-40, 0x1p14, 4, -1, 0x1p39);  // 1 / sqrt(x)
inline constexpr auto kRootRows = rows_of(kRoots, 0x1p-40, 0x1p14, 2, -1, 0x1p40);                // sqrt(x)
inline constexpr auto kPowerRows = rows_of(kPowers, 0x1p-38, 0x1p13, 1, 6114, 0x1p38);            // 2^x
inline constexpr auto kLogarithmRows =
    rows_of(kLogarithms, 0x1p-38, 0x1p12, 2, 837.5, 0);                       // log2(x), for Lg2::adjusted()
inline constexpr auto kSineRows = rows_of(kSines, 0x1p-37, 0x1p12, 1, 0, 0);  // sin(x * pi / 2)
inline constexpr auto kTanhRows = rows_of(kTanhs, 0x1p-39, 0x1p13, 1, 0, 0);  // tanh(x)

// x^2 / 2^19, of 17 bits. The product of the bits i and j is worth 2^(i + j), twice if they differ.
constexpr uint32_t upper_square(uint32_t x) {
  const uint32_t high = x >> 9;
  uint32_t square = high * high >> 1;
  for (int i = 2; i <= 8; ++i) square += -(x >> i & 1) & x >> (18 - i);
  return square;
}
// The same by two tables. The bits 2 to 5 of x meet only its bits 13 to 16; all other products are those of the bits 6
// to 16 alone.
template <size_t n>
struct WordTable {
  uint32_t at[n];
};
inline constexpr auto kSquaresOfUpperBits = [] {
  WordTable<1 << 11> squares{};
  for (uint32_t i = 0; i < 1 << 11; ++i) squares.at[i] = upper_square(i << 6);
  return squares;
}();
inline constexpr auto kProductsOfLowerBits = [] {
  WordTable<1 << 8> products{};
  for (uint32_t i = 0; i < 1 << 8; ++i) {
    const uint32_t upper = (i >> 4) << 13, lower = (i & 0xf) << 2;
    products.at[i] = upper_square(upper | lower) - upper_square(upper);
  }
  return products;
}();
inline Words upper_square(Words x) {
  // The multiplication brings the bits 13 to 16 and 2 to 5 together, at the upper end.
  const Words factors = x & each<0xf << 13 | 0xf << 2>, together = factors * each<1 << 12 | 1 << 19>;
  return gathered(kSquaresOfUpperBits.at, x >> 6 & each<0x7ff>) + gathered(kProductsOfLowerBits.at, together >> 21);
}

// A position: the row's number, and 17 bits of x below it. The unit ignores the bits above.
template <size_t n>
constexpr double interpolated(const RowTable<n>& rows, uint32_t position) {
  const uint32_t row = position >> 17 & RowTable<n>::kMask, x = position & 0x1'ffff;
  return rows.c0[row] + rows.c1[row] * x + rows.c2[row] * upper_square(x);
}
// The same for vectors, one half at a time.
template <size_t n>
struct Interpolation {
  const RowTable<n>& rows;
  Words row;
  Integers x, square;

  Interpolation(const RowTable<n>& table, Words position)
      : rows(table),
        row(position >> 17 & each<RowTable<n>::kMask>),
        x(signed_of(position & each<0x1'ffff>)),
        square(signed_of(upper_square(position))) {}

  template <int half>
  Doubles sum() const {
    const Doubles c0 = gathered<half>(rows.c0, row), c1 = gathered<half>(rows.c1, row),
                  c2 = gathered<half>(rows.c2, row);
    return product_and_sum(c1, widened<half>(x), product_and_sum(c2, widened<half>(square), c0));
  }
};

}  // namespace lockstep::LOCKSTEP_ISA
