// check: the input and the answer of one call → the first element that is wrong, or nothing.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "grader/judge/base/text.h"
#include "grader/judge/contract/compare.h"
#include "grader/judge/contract/facts.h"
#include "grader/judge/contract/oracle.h"

namespace warpladder {
namespace {

constexpr size_t kMostShown = 16;  // elements of a sum's input

// For element i of a scan: at most i additions.
std::vector<double> rounding_bounds(std::span<const float> in) {
  std::vector<double> bounds;
  double magnitude = 0;  // of all elements up to i
  for (const float value : in) {
    magnitude += std::fabs(static_cast<double>(value));
    bounds.push_back(rounding_bound(bounds.size(), magnitude));
  }
  return bounds;
}

Message tolerance_text(double bound, size_t additions) {
  return message("{bound}: the rounding of {count} additions",
                 {{"bound", number(bound, kFloatDigits)}, {"count", additions}});
}

bool is_float(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

// The milliseconds decide nothing. But a kernel takes some time, and the time must be a number.
std::optional<Mismatch> check_time(float ms, bool launched) {
  if (std::isfinite(ms) && (launched ? ms > 0 : ms == 0)) return std::nullopt;
  return Mismatch{message("the returned milliseconds"), number(ms, kFloatDigits),
                  launched ? message("a number above 0") : Message(0)};
}

}  // namespace

std::optional<Mismatch> check_saxpy(std::string_view, View in_bytes, const Answer& answer) {
  const auto in = as<float>(in_bytes);
  const std::vector<double> want = saxpy_oracle(in, kSaxpyA);
  const size_t n = want.size();
  const auto product = [&](size_t i) { return static_cast<double>(kSaxpyA) * static_cast<double>(in[i]); };
  const auto magnitude = [&](size_t i) { return std::fabs(product(i)) + std::fabs(static_cast<double>(in[n + i])); };
  const auto exact = [&](size_t i) { return is_float(product(i)) && is_float(want[i]); };
  const auto both =
      compare<float>("out", answer.out, want, [&](size_t i) { return exact(i) ? 0 : rounding_bound(2, magnitude(i)); });
  if (!both) return check_time(returned<float>(answer), n > 0);
  Mismatch wrong = mismatch_of(*both);
  if (!exact(wrong.first))
    wrong.tolerance = message("{bound}: a product and a sum, rounded",
                              {{"bound", number(rounding_bound(2, magnitude(wrong.first)), kFloatDigits)}});
  wrong.place = place_of(*both);
  wrong.value = value_of(*both);
  if (needs_table(wrong))
    wrong.table = table_of(*both, all_of(*both), {row_of("x", in.first(n)), row_of("y", in.subspan(n))});
  return wrong;
}

template <class T>
std::optional<Mismatch> check_scan(std::string_view entry, View in_bytes, const Answer& answer) {
  const auto in = as<T>(in_bytes);
  std::vector<double> bound;  // how far each element may be off; empty: not at all
  if constexpr (std::is_same_v<T, float>) {
    if (!sums_exactly(in)) bound = rounding_bounds(in);
  }
  const auto both = compare<T>("out", answer.out, scan_oracle(in, is_inclusive(entry)),
                               [&](size_t i) { return bound.empty() ? 0 : bound[i]; });
  if (!both) return std::nullopt;
  Mismatch wrong = mismatch_of(*both);
  if (!bound.empty()) wrong.tolerance = tolerance_text(bound[wrong.first], wrong.first);
  wrong.place = place_of(*both);
  wrong.value = value_of_scan(
      *both, [in](size_t i) { return static_cast<Value>(in[i]); }, is_inclusive(entry));
  if (needs_table(wrong)) wrong.table = table_of(*both, all_of(*both), {row_of("in", in)});
  return wrong;
}
template std::optional<Mismatch> check_scan<float>(std::string_view, View, const Answer&);
template std::optional<Mismatch> check_scan<int32_t>(std::string_view, View, const Answer&);
template std::optional<Mismatch> check_scan<int64_t>(std::string_view, View, const Answer&);

// A sum has no row of its own: the table has the input only, if it fits.
template <class T>
std::optional<Mismatch> check_reduction(std::string_view, View in_bytes, const Answer& answer) {
  const auto in = as<T>(in_bytes);
  const auto want = sum_oracle(in);
  const auto got = returned<T>(answer);
  const size_t additions = in.empty() ? 0 : in.size() - 1;
  double bound = 0;
  if constexpr (std::is_same_v<T, float>) {
    if (!sums_exactly(in)) bound = rounding_bound(additions, magnitude_of(in));
    if (within(static_cast<double>(got), want, bound)) return std::nullopt;
  } else if (answer.value == want) {
    return std::nullopt;
  }
  Mismatch wrong{message("the returned sum"), number(got, kDigits<T>), number(want, kDigits<T>)};
  if (bound > 0) wrong.tolerance = tolerance_text(bound, additions);
  wrong.value = value_of_sum<T>(in, got, want);
  const InputRow data = row_of("data", in);
  Table::Row index{"i", {}}, row{data.name, {}};
  size_t widest = 1;
  for (size_t i = 0; i < in.size() && in.size() <= kMostShown; ++i) {
    index.cells.push_back(std::to_string(i));
    row.cells.push_back(data.cell(i));
    widest = std::max({widest, width_of(index.cells.back()), width_of(row.cells.back())});
  }
  const bool fits = in.size() > 1 && in.size() <= std::min(kMostShown, columns_that_fit(widest));
  if (fits) wrong.table = {{index, row}, {}};
  return wrong;
}
template std::optional<Mismatch> check_reduction<float>(std::string_view, View, const Answer&);
template std::optional<Mismatch> check_reduction<int32_t>(std::string_view, View, const Answer&);
template std::optional<Mismatch> check_reduction<int64_t>(std::string_view, View, const Answer&);

// Of the bins, those are shown that have or should have a count.
std::optional<Mismatch> check_histogram(std::string_view, View in, const Answer& answer) {
  const Counts counts = histogram_oracle(in);
  const auto both = compare<uint32_t>("bins", answer.out, std::vector(counts.begin(), counts.end()), kNoTolerance);
  if (!both) return std::nullopt;
  Mismatch wrong = mismatch_of(*both);
  if (wrong.wrong == 1 || wrong.wrong == wrong.of) wrong.place = place_of(*both);
  wrong.value = value_of_counts(*both);
  std::vector<size_t> bins;
  for (size_t bin = 0; bin < kBins; ++bin)
    if (both->wrong[bin] || both->want[bin] > 0) bins.push_back(bin);
  if (needs_table(wrong)) {
    wrong.table = table_of(*both, bins, {});
    wrong.table.rows.front().name = "bin";
  }
  return wrong;
}

}  // namespace warpladder
