// interpolation: the card's unit for special functions (MUFU in SASS), to the last bit. It looks up a row by the upper
// bits of the argument. The lower 17 bits are the x of c0 + c1 x + c2 x^2, in fixed point. Of x^2 it adds only the
// partial products that reach the highest 15 bits. The sum is cut off, never rounded.
//
// Oberman and Siu describe such a unit ("A High-Performance Area-Efficient Multifunction Interpolator", 2005), without
// the tables. docs/lockstep.md says which arguments were compared with a card.
//
// The sums are whole numbers below 2^53, so doubles hold them, and no order of the additions changes them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "alu/interpolation_rows.h"
#include "alu/operands.h"

namespace lockstep::LOCKSTEP_ISA {

struct alignas(4 * sizeof(double)) Row {
  double c0, c1, c2, unused;
};
template <size_t n>
struct RowTable {
  Row row[n];
};
// A sum is in the unit that stands beside each table below. c0_unit and c2_unit: what one of the table's c0 and c2 is
// worth in it. `constant`: the unit adds it, since it leaves out small products; it was found together with the rows.
// `less`: a part of the result that the table does not hold.
template <size_t n>
constexpr RowTable<n> rows_of(const Coefficients (&from)[n], double c0_unit, double c2_unit, double constant,
                              double less) {
  RowTable<n> rows{};
  for (size_t i = 0; i < n; ++i)
    rows.row[i] = {from[i].c0 * c0_unit + constant + less, double(from[i].c1), from[i].c2 * c2_unit, 0};
  return rows;
}
// Those of [1, 2), then those of [2, 4).
template <size_t n>
constexpr RowTable<2 * n> rows_of(const Coefficients (&from)[2][n], double c0_unit, double c2_unit, double constant,
                                  double less) {
  Coefficients all[2 * n] = {};
  for (size_t i = 0; i < 2 * n; ++i) all[i] = from[i / n][i % n];
  return rows_of(all, c0_unit, c2_unit, constant, less);
}

inline constexpr auto kReciprocalRows = rows_of(kReciprocals, 0x1p14, 2, 4046, 0x1p39);  // 1 / x, in units of 2^-40
inline constexpr auto kInverseRootRows = rows_of(kInverseRoots, 0x1p14, 4, -1, 0x1p39);  // 1 / sqrt(x), of 2^-40
inline constexpr auto kRootRows = rows_of(kRoots, 0x1p14, 2, -1, 0x1p40);                // sqrt(x), of 2^-40
inline constexpr auto kPowerRows = rows_of(kPowers, 0x1p13, 1, 6114, 0x1p38);            // 2^x, of 2^-38
inline constexpr auto kLogarithmRows = rows_of(kLogarithms, 0x1p12, 2, 837, 0);          // log2(x), of 2^-38
inline constexpr auto kSineRows = rows_of(kSines, 0x1p12, 1, 0, 0);                      // sin(x * pi / 2), of 2^-37
inline constexpr auto kTanhRows = rows_of(kTanhs, 0x1p13, 1, 0, 0);                      // tanh(x), of 2^-39

// x^2 / 2^19, of 17 bits. The product of the bits i and j is worth 2^(i + j), twice if they differ.
constexpr uint32_t upper_square(uint32_t x) {
  const uint32_t high = x >> 9;
  uint32_t square = high * high >> 1;
  for (int i = 2; i <= 8; ++i) square += -(x >> i & 1) & x >> (18 - i);
  return square;
}

// A position: the row's number, of 7 bits, and 17 bits of x below it. The unit ignores the bits above.
constexpr uint32_t row_of(uint32_t position) { return position >> 17 & 0x7f; }
constexpr uint32_t x_of(uint32_t position) { return position & 0x1ffff; }

template <size_t n>
constexpr double interpolated(const RowTable<n>& rows, uint32_t position) {
  const Row& row = rows.row[row_of(position)];
  return row.c0 + row.c1 * x_of(position) + row.c2 * upper_square(x_of(position));
}

// upper_square() of all lanes. Its sum of products fits into a byte, so one vector holds those of the warp. The sign of
// `bits` is the bit that is looked at.
inline void upper_squares(const uint32_t (&positions)[kWarpSize], double (&squares)[kWarpSize]) {
  using Bytes = uint8_t __attribute__((vector_size(kWarpSize)));
  using SignedBytes = int8_t __attribute__((vector_size(kWarpSize)));
  uint8_t low[kWarpSize], high[kWarpSize], products[kWarpSize];
  for (int l = 0; l < kWarpSize; ++l) low[l] = static_cast<uint8_t>(positions[l] >> 1 & 0xfe);
  for (int l = 0; l < kWarpSize; ++l) high[l] = static_cast<uint8_t>(positions[l] >> 10 & 0x7f);
  Bytes bits, part, sum{};
  __builtin_memcpy(&bits, low, sizeof bits);
  __builtin_memcpy(&part, high, sizeof part);
#pragma GCC unroll 7
  for (int i = 0; i < 7; ++i, bits += bits, part >>= 1)
    sum += part & reinterpret_cast<Bytes>(reinterpret_cast<SignedBytes>(bits) < 0);
  __builtin_memcpy(products, &sum, sizeof sum);
  for (int l = 0; l < kWarpSize; ++l) {
    const auto upper = static_cast<int32_t>(positions[l] >> 9 & 0xff);
    squares[l] = (upper * upper >> 1) + products[l];
  }
}

// interpolated() of all lanes. The rows of four lanes are turned into columns.
template <size_t n>
inline void interpolate(const RowTable<n>& rows, const uint32_t (&positions)[kWarpSize], double (&sums)[kWarpSize]) {
  using Four = double __attribute__((vector_size(4 * sizeof(double))));
  uint32_t offsets[kWarpSize];
  double x[kWarpSize], squares[kWarpSize];
  for (int l = 0; l < kWarpSize; ++l) offsets[l] = row_of(positions[l]) * uint32_t{sizeof(Row)};
  for (int l = 0; l < kWarpSize; ++l) x[l] = static_cast<int32_t>(x_of(positions[l]));
  upper_squares(positions, squares);
#pragma GCC unroll 1
  for (int l = 0; l < kWarpSize; l += 4) {
    Four row0, row1, row2, row3, xs, qs;
    const auto load = [&](Four& row, uint32_t offset) {
      __builtin_memcpy(&row, reinterpret_cast<const std::byte*>(rows.row) + offset, sizeof row);
    };
    load(row0, offsets[l]), load(row1, offsets[l + 1]), load(row2, offsets[l + 2]), load(row3, offsets[l + 3]);
    const Four even01 = __builtin_shufflevector(row0, row1, 0, 4, 2, 6);  // c0 c0 c2 c2
    const Four even23 = __builtin_shufflevector(row2, row3, 0, 4, 2, 6);
    const Four odd01 = __builtin_shufflevector(row0, row1, 1, 5, 3, 7);  // c1 c1
    const Four odd23 = __builtin_shufflevector(row2, row3, 1, 5, 3, 7);
    const Four c0 = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
    const Four c1 = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
    const Four c2 = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
    __builtin_memcpy(&xs, x + l, sizeof xs);
    __builtin_memcpy(&qs, squares + l, sizeof qs);
    const Four sum = c0 + c1 * xs + c2 * qs;
    __builtin_memcpy(sums + l, &sum, sizeof sum);
  }
}

constexpr double without_low_bits(double x) {  // with a float's 24 bits
  return __builtin_bit_cast(double, __builtin_bit_cast(uint64_t, x) & ~uint64_t{0x1fff'ffff});
}
// A float of the bits that are kept, for results that are no subnormal floats.
constexpr float cut_off(double x) { return static_cast<float>(without_low_bits(x)); }

}  // namespace lockstep::LOCKSTEP_ISA
