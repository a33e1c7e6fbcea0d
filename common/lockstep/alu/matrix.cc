#include "alu/matrix.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "alu/arith.h"
#include "base/lanes.h"

namespace lockstep {
namespace {

using baseline::Bfloat;
using baseline::Half;

constexpr uint32_t kRegisterBytes = 4;
constexpr uint32_t kNan = 0x7fffffff;              // as the arithmetic of single floats gives it
constexpr uint32_t kTf32Bits = ~((1u << 13) - 1);  // those of a float that count in tf32

uint32_t lane_bytes(Type type) { return std::max(kRegisterBytes, type_bytes(type)); }

double value_of(Half bits) { return to_double(bits); }
double value_of(Bfloat bits) { return to_double(bits); }
struct Tf32 {
  uint32_t bits;
};
double value_of(Tf32 number) { return std::bit_cast<float>(number.bits & kTf32Bits); }
template <class T>
double value_of(T number) {
  return static_cast<double>(number);
}

// A sum of integers is exact in a double.
uint32_t integer_bits(double value, bool saturates) {
  using Limits = std::numeric_limits<int32_t>;
  if (saturates) value = std::clamp<double>(value, Limits::min(), Limits::max());
  return static_cast<uint32_t>(static_cast<int64_t>(value));
}

// visit(offset in the frame, place in the matrix), for all elements of all lanes.
template <class Visit>
void for_each_element(const Fragment& f, const Visit& visit) {
  const uint16_t* place = f.places.data();
  for (uint32_t e = 0; e < f.in_lane(); ++e, place += kWarpSize) {
    const auto [offset, stride] = in_registers(f, e);
    for (uint32_t lane = 0; offset && lane < kWarpSize; ++lane) visit(offset + lane * stride, place[lane]);
  }
}

template <class T>
void read_as(const Fragment& f, const std::byte* file, Matrix& values) {
  for_each_element(f, [&](uint32_t offset, uint32_t place) {
    T element;
    std::memcpy(&element, file + offset, sizeof element);
    values[place] = value_of(element);
  });
}

template <class Round>
void write_by(const Fragment& f, std::byte* file, const Matrix& values, const Round& round) {
  for_each_element(f, [&](uint32_t offset, uint32_t place) {
    const auto element = round(values[place]);
    std::memcpy(file + offset, &element, sizeof element);
  });
}

// The PTX ISA's figures of the fragments of mma all follow these rules: groups of four lanes share a row of A or C, or
// a column of B, and each lane has `packed` neighbours of it.
uint32_t place_of(const Fragment& f, uint32_t lane, uint32_t element) {
  if (f.of_wmma) return (lane * f.in_lane() + element) % (uint32_t{f.rows} * f.columns);
  const uint32_t packed = f.in_register(), r = element / packed, j = element % packed, group = lane / 4, at = lane % 4;
  switch (f.role) {
    case Fragment::kA: {
      const bool tall = f.rows == 16;  // registers alternate between the upper and the lower half
      const uint32_t row = group + (tall ? 8 * (r % 2) : 0);
      return row * f.columns + at * packed + j + (tall ? r / 2 : r) * 4 * packed;
    }
    case Fragment::kB: return (at * packed + j + r * 4 * packed) * f.columns + group;
    default: return (group + 8 * (element / 2)) * f.columns + at * 2 + element % 2;
  }
}

}  // namespace

uint32_t Fragment::in_register() const { return std::max(1u, kRegisterBytes / type_bytes(type)); }

void place_elements(Fragment& f) {
  f.places.clear();
  for (uint32_t e = 0; e < f.in_lane(); ++e)
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) f.places.push_back(static_cast<uint16_t>(place_of(f, lane, e)));
}

ElementPlace in_registers(const Fragment& f, uint32_t element) {
  const uint32_t packed = f.in_register(), offset = f.registers[element / packed];
  return {offset ? offset + element % packed * type_bytes(f.type) : 0, lane_bytes(f.type)};
}

void read_matrix(const Fragment& f, const std::byte* file, Matrix& values) {
  switch (f.type) {
    case Type::kF16: return read_as<Half>(f, file, values);
    case Type::kBf16: return read_as<Bfloat>(f, file, values);
    case Type::kTf32: return read_as<Tf32>(f, file, values);
    case Type::kF32: return read_as<float>(f, file, values);
    case Type::kF64: return read_as<double>(f, file, values);
    case Type::kS8: return read_as<int8_t>(f, file, values);
    case Type::kU8: return read_as<uint8_t>(f, file, values);
    default: return read_as<int32_t>(f, file, values);
  }
}

void write_matrix(const Fragment& f, std::byte* file, const Matrix& values, bool saturates) {
  switch (f.type) {
    case Type::kF16: return write_by(f, file, values, [](double value) { return baseline::from_nearest<Half>(value); });
    case Type::kF32:
      return write_by(f, file, values, [](double value) {
        return std::isnan(value) ? std::bit_cast<float>(kNan) : static_cast<float>(value);
      });
    case Type::kF64: return write_by(f, file, values, [](double value) { return value; });
    default: return write_by(f, file, values, [&](double value) { return integer_bits(value, saturates); });
  }
}

void multiply(const Fragment& a, const Matrix& a_values, const Matrix& b_values, uint32_t n, Matrix& c) {
  for (uint32_t row = 0; row < a.rows; ++row)
    for (uint32_t k = 0; k < a.columns; ++k) {
      const double factor = a_values[row * a.columns + k];
      const double* const b = &b_values[k * n];
      double* const sums = &c[row * n];
      if (a.type == Type::kF64)
        for (uint32_t column = 0; column < n; ++column) sums[column] = std::fma(factor, b[column], sums[column]);
      else
        for (uint32_t column = 0; column < n; ++column) sums[column] += factor * b[column];
    }
}

}  // namespace lockstep
