// facts: an answer beside the right one → what is certain about the wrong elements: where they lie, what all of them
// have in common; and the table that shows some of them. Nothing is guessed: each fact holds for every wrong element.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>

#include "grader/judge/base/mismatch.h"

namespace warpladder {

// Any element, exactly: a long double holds every float and every 64-bit integer.
using Value = long double;
static_assert(std::numeric_limits<Value>::digits >= 64);

template <class T>  // enough digits to tell any two elements apart: 9 for a float
inline constexpr int kDigits =
    std::is_integral_v<T> ? std::numeric_limits<T>::digits10 + 1 : std::numeric_limits<T>::max_digits10;
inline constexpr int kFloatDigits = kDigits<float>;

// The elements of an output and what they should be.
struct Compared {
  std::string array;  // "out"
  std::vector<Value> got, want;
  std::vector<bool> kept;   // still the canary that was there before the call
  std::vector<bool> wrong;  // one of them at least
  int digits = kFloatDigits;

  std::vector<size_t> wrong_ones() const;
};

std::optional<Fact> place_of(const Compared& both);

// What holds for an array of any contract.
std::optional<Fact> value_of(const Compared& both);
// For a scan, whose neighbours have something to do with each other. in(i): element i of the input.
std::optional<Fact> value_of_scan(const Compared& both, const std::function<Value(size_t)>& in, bool inclusive);
std::optional<Fact> value_of_counts(const Compared& both);
template <class T>  // float, int32_t or int64_t
std::optional<Fact> value_of_sum(std::span<const T> in, T got, Value want);

// A row of the input: its name, and the text of an element.
struct InputRow {
  std::string name;
  std::function<std::string(size_t)> cell;
};

// As many elements as fit beside each other, the first wrong one among them. shown: the elements that may appear.
Table table_of(const Compared& both, const std::vector<size_t>& shown, const std::vector<InputRow>& inputs);

std::string shown(Value value, bool kept, int digits = kFloatDigits);  // the text of an element

}  // namespace warpladder
