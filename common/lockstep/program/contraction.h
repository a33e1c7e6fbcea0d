// contraction: a function's statements → the additions that ptxas joins with a product into one fused multiply-add. PTX
// allows it where neither instruction names a rounding, and the result differs in its last bits. The rule was found
// with ptxas 13.0 for compute capability 9.0; it is the same for all types of floats.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>

#include "ptx/module.h"

namespace lockstep {

// a * b + c, where a * b is the product of another statement and c is the addition's other operand.
struct Contraction {
  uint32_t product = 0;  // the statement
  uint8_t operand = 1;   // of the addition: its product
  bool negates_product = false, negates_other = false;
};

struct Contractions {
  std::unordered_map<uint32_t, Contraction> of;  // by the statement that adds
  std::set<uint32_t> keep_factors;               // products a factor of which gets another value before an addition
};

Contractions contractions(const Function& function);

}  // namespace lockstep
