// comparison: an instruction that compares → what it asks. ptxas turns a relation round, joins it with others, and
// gives the joined one the line of any of them, so a comparison of the PTX cannot always be found in the machine code
// by its line. Left out: which registers are compared.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

namespace lockstep {

struct Relation {
  // kIndexed: an indexed branch of the machine code.
  enum Kind : uint8_t { kOther, kEqual, kOrder, kIndexed } kind = kOther;
  bool of_floats = false;
  // Where the answer changes, if one side is a constant: x < 5 and x >= 5 have one bound. Of an indexed branch, the
  // number of its sides.
  std::optional<int64_t> bound{};
  auto operator<=>(const Relation&) const = default;
};

struct Comparison {
  uint32_t at = 0;    // the instruction
  uint32_t line = 0;  // of the PTX
  Relation relation{};
  bool joined = false;  // in machine code: the instruction joins its answer with that of another one
  auto operator<=>(const Comparison&) const = default;
};
using Comparisons = std::set<Comparison>;

// A constant as the functions here take it.
int64_t float_bits(double value);

// name: "lt", "GEU", "hi", …. A constant operand: the integer, or float_bits().
Relation relation_of(std::string_view name, bool of_floats, std::optional<int64_t> left, std::optional<int64_t> right);

}  // namespace lockstep
