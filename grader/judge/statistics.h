// statistics: repeated measurements → their median and an interval that holds it, without a word about how they
// scatter.
#pragma once

#include <optional>
#include <vector>

namespace warpladder {

struct Interval {
  double low = 0, high = 0;
};

double median(std::vector<double> values);  // of at least one

// Holds the median of what the values are drawn from in `confidence` of all cases: two order statistics, as many values
// from either end as the binomial distribution allows (each value lies on either side of the median like a coin;
// Conover, Practical Nonparametric Statistics, 3rd ed., 3.2; Hoefler and Belli, Scientific Benchmarking of Parallel
// Computing Systems, SC 15, rule 6). Chosen over a bootstrap as it is exact for any distribution, few values, outliers
// and clocks with two speeds, and needs no random numbers. Nothing: too few values for that confidence.
std::optional<Interval> median_interval(std::vector<double> values, double confidence);

}  // namespace warpladder
