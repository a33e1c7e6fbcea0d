// statistics: repeated measurements → their median and an interval that holds it. Nothing is assumed about how they
// scatter.
#pragma once

#include <optional>
#include <vector>

namespace warpladder {

struct Interval {
  double low = 0, high = 0;
};

double median(std::vector<double> values);  // needs at least one value

// An interval that holds the median of the values' distribution in `confidence` of all cases. Its ends are two of the
// sorted values. Each value lies above or below the median like the toss of a coin, so the binomial distribution says
// how many values may be left out at either end (Conover, Practical Nonparametric Statistics, 3rd ed., 3.2; Hoefler and
// Belli, Scientific Benchmarking of Parallel Computing Systems, SC 15, rule 6). It was chosen over a bootstrap because
// it is exact for any distribution, for few values, for outliers and for clocks with two speeds, and because it needs
// no random numbers. Nothing: the values are too few for that confidence.
std::optional<Interval> median_interval(std::vector<double> values, double confidence);

}  // namespace warpladder
