// matrix: matrices that lie in the registers of a warp, in pieces that PTX calls fragments, and their products. The
// fragments of mma lie as the PTX ISA says. Those of wmma may lie in any way; here element number i of the matrix, row
// by row, is element i mod n of lane i / n, if a lane has n elements. If the lanes have more elements than the matrix,
// the matrix is there several times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace lockstep {

inline constexpr size_t kMostElements = 512;  // of a matrix: 32 x 16
using Matrix = std::array<double, kMostElements>;

struct Fragment {
  enum Role : uint8_t { kA, kB, kC } role = kA;  // of D = A B + C; D lies as C does
  Type type = Type::kNone;                       // of an element
  bool of_wmma = false;
  uint8_t rows = 0, columns = 0;        // powers of two
  uint8_t count = 0;                    // of registers
  std::array<uint32_t, 8> registers{};  // their offsets in a frame
  // By element and lane, lane 0 first: the place in the matrix, row by row. place_elements() fills it.
  std::vector<uint16_t> places{};

  uint32_t in_register() const;  // elements
  uint32_t in_lane() const { return count * in_register(); }
};

void place_elements(Fragment& fragment);

// Where lane 0 has this element in a frame, and how far behind it the next lane has its own. Offset 0: nowhere.
struct ElementPlace {
  uint32_t offset = 0, stride = 0;  // bytes
};
ElementPlace in_registers(const Fragment& fragment, uint32_t element);

// `file`: the registers of a frame.
void read_matrix(const Fragment& fragment, const std::byte* file, Matrix& values);
// Rounds each element to nearest. saturates: integers that do not fit become the nearest that does, and do not wrap.
void write_matrix(const Fragment& fragment, std::byte* file, const Matrix& values, bool saturates);

// c += a b, for matrices of m x k and k x n elements. Products of narrow numbers are exact. Sums are made in double, in
// ascending k. Doubles are multiplied and added with one rounding.
void multiply(const Fragment& a, const Matrix& a_values, const Matrix& b_values, uint32_t n, Matrix& c);

}  // namespace lockstep
