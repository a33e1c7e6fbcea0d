// access_place: the address of an access as a sum of products: the numbers of the thread and its block, their extents,
// parameters and constants.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

namespace lockstep {

// A factor that is no literal.
struct Factor {
  enum Kind : uint8_t {
    kSpecial,   // at: the Special, one of those up to kNctaidZ
    kConstant,  // `bytes` of constant memory at this address, as of a parameter; `is_signed`
    kUnknown    // at: the register
  } kind = kUnknown;
  uint8_t bytes = 0;
  bool is_signed = false;
  uint64_t at = 0;
  auto operator<=>(const Factor&) const = default;
};
// A product: its factors in ascending order. No factors: 1.
using Factors = std::vector<Factor>;
// The products of a sum, each with its literal factor, which is not 0.
using Sum = std::map<Factors, int64_t>;

// An access of global or shared memory. The place of its first byte is `address`, to which loops add each of `steps`
// any number of times. An access has several of these if a register of its address is set in several places.
struct AccessPlace {
  uint32_t access = 0;  // in Program::accesses
  Sum address;
  std::vector<Sum> steps;
};

}  // namespace lockstep
