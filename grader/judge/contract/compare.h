// compare: what the checks of all contracts share: an output beside what it should be → what is wrong with it.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "grader/judge/base/bytes.h"
#include "grader/judge/base/mismatch.h"
#include "grader/judge/base/text.h"
#include "grader/judge/contract/contract.h"
#include "grader/judge/contract/facts.h"
#include "grader/judge/contract/oracle.h"

namespace warpladder {

inline constexpr auto kCanary = std::byte{0xFF};  // kPoisonByte of common/runner/protocol.h
inline constexpr auto kNoTolerance = [](size_t) { return 0; };

template <class T>
bool is_kept(View out, size_t i) {
  return std::ranges::all_of(out.subspan(i * sizeof(T), sizeof(T)), [](std::byte byte) { return byte == kCanary; });
}

// Nothing: all elements are right. tolerance(i): how far element i may be from what it should be; integers are exact.
template <class Got, class Want, class Tolerance>
std::optional<Compared> compare(const std::string& array, View out, const std::vector<Want>& want,
                                Tolerance tolerance) {
  const auto is_wrong = [&](size_t i) {
    const Got got = element<Got>(out, i);
    if constexpr (std::is_integral_v<Got>) {
      return got != want[i];
    } else {
      return !within(static_cast<double>(got), want[i], tolerance(i));
    }
  };
  if (std::ranges::none_of(std::views::iota(size_t{0}, want.size()), is_wrong)) return std::nullopt;
  Compared both{array, {}, {want.begin(), want.end()}, {}, {}, kDigits<Got>};
  both.got.reserve(want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    both.got.push_back(element<Got>(out, i));
    both.kept.push_back(is_kept<Got>(out, i));
    both.wrong.push_back(is_wrong(i));
  }
  return both;
}

// The first wrong element and the number of them.
inline Mismatch mismatch_of(const Compared& both) {
  const std::vector<size_t> at = both.wrong_ones();
  const size_t first = at.front();
  Mismatch wrong{both.array + "[" + std::to_string(first) + "]", shown(both.got[first], both.kept[first], both.digits),
                 shown(both.want[first], false, both.digits)};
  wrong.first = first;
  wrong.wrong = at.size();
  wrong.of = both.got.size();
  return wrong;
}

inline std::vector<size_t> all_of(const Compared& both) {
  std::vector<size_t> all(both.got.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

// Whether both hold the same elements, in any order.
inline bool is_rearranged(std::vector<Value> got, std::vector<Value> want) {
  std::ranges::sort(got);
  std::ranges::sort(want);
  return got == want;
}

template <class T>
InputRow row_of(const std::string& name, std::span<const T> values) {
  return {name, [values](size_t i) { return number(values[i], kDigits<T>); }};
}

// A single element, or an array that nothing was stored in, needs no table.
inline bool needs_table(const Mismatch& wrong) {
  return wrong.of > 1 && !(wrong.value && wrong.value->name == "nothing_stored");
}

// The returned value of a function. A float comes as its bits.
template <class T>
T returned(const Answer& answer) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<int32_t>(answer.value));
  } else {
    return static_cast<T>(answer.value);
  }
}

}  // namespace warpladder
