#include "grader/judge/speed/statistics.h"

#include <algorithm>
#include <cmath>

namespace warpladder {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::optional<Interval> median_interval(std::vector<double> values, double confidence) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  // The chance that at most `left_out` of n coins show heads. Then the interval would not hold the median.
  double term = std::pow(0.5, n), chance = 0;
  size_t left_out = 0;
  while (2 * (chance + term) <= 1 - confidence) {
    chance += term;
    term *= (n - static_cast<double>(left_out)) / static_cast<double>(left_out + 1);
    ++left_out;
  }
  if (left_out == 0) return std::nullopt;
  return Interval{values[left_out - 1], values[values.size() - left_out]};
}

}  // namespace warpladder
