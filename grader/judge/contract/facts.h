// facts: an answer beside the right one → what is certain about the wrong elements: where they lie, what all of them
// have in common; and the table that shows some of them. Nothing is guessed: each fact holds for every wrong element.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "grader/judge/base/mismatch.h"

namespace warpladder {

inline constexpr int kFloatDigits = 9;  // enough to tell any two floats apart

// The elements of an output and what they should be.
struct Compared {
  std::string array;  // "out"
  std::vector<double> got, want;
  std::vector<bool> kept;   // still the canary that was there before the call
  std::vector<bool> wrong;  // one of them at least

  std::vector<size_t> wrong_ones() const;
};

std::optional<Fact> place_of(const Compared& both);

// What holds for an array of any contract.
std::optional<Fact> value_of(const Compared& both);
// For a scan, whose neighbours have something to do with each other. start: what out[i] is where a sum begins at i.
std::optional<Fact> value_of_scan(const Compared& both, std::span<const float> in, bool inclusive);
std::optional<Fact> value_of_counts(const Compared& both);
std::optional<Fact> value_of_sum(std::span<const int32_t> in, int32_t got, int32_t want);

// A row of the input: its name, and the text of an element.
struct InputRow {
  std::string name;
  std::function<std::string(size_t)> cell;
};

// As many elements as fit beside each other, the first wrong one among them. shown: the elements that may appear.
Table table_of(const Compared& both, const std::vector<size_t>& shown, const std::vector<InputRow>& inputs);

std::string shown(double value, bool kept);  // the text of an element

}  // namespace warpladder
