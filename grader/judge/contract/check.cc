// check: the input and the answer of one call → the first element that is wrong, or nothing.
#include "grader/judge/contract/contract.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <ranges>
#include <vector>

#include "grader/judge/base/text.h"
#include "grader/judge/contract/facts.h"
#include "grader/judge/contract/oracle.h"

namespace warpladder {
namespace {

constexpr size_t kMostShown = 16;  // elements of a sum's input
constexpr uint32_t kCanary = 0xFFFFFFFFu;

// Nothing: all elements are right. tolerance(i): how far element i may be from what it should be.
template <class Got, class Tolerance>
std::optional<Compared> compare(const std::string& array, View out, std::vector<double> want, Tolerance tolerance) {
  const auto got = [&](size_t i) { return static_cast<double>(element<Got>(out, i)); };
  const auto is_wrong = [&](size_t i) { return !within(got(i), want[i], tolerance(i)); };
  if (std::ranges::none_of(std::views::iota(size_t{0}, want.size()), is_wrong)) return std::nullopt;
  Compared both{array, {}, {}, {}, {}};
  for (size_t i = 0; i < want.size(); ++i) {
    both.got.push_back(got(i));
    both.kept.push_back(element<uint32_t>(out, i) == kCanary);
    both.wrong.push_back(is_wrong(i));
  }
  both.want = std::move(want);
  return both;
}

// The first wrong element and the number of them.
Mismatch mismatch_of(const Compared& both) {
  const std::vector<size_t> at = both.wrong_ones();
  const size_t first = at.front();
  Mismatch wrong{both.array + "[" + std::to_string(first) + "]", shown(both.got[first], both.kept[first]),
                 shown(both.want[first], false), ""};
  wrong.first = first;
  wrong.wrong = at.size();
  wrong.of = both.got.size();
  return wrong;
}

std::vector<size_t> all_of(const Compared& both) {
  std::vector<size_t> all(both.got.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

InputRow row_of(const std::string& name, std::span<const float> values) {
  return {name, [values](size_t i) { return number(static_cast<double>(values[i]), kFloatDigits); }};
}

// A single element, or an array that nothing was stored in, needs no table.
bool needs_table(const Mismatch& wrong) {
  return wrong.of > 1 && !(wrong.value && wrong.value->name == "nothing_stored");
}

bool is_float(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

// The milliseconds decide nothing. But a kernel takes some time, and the time must be a number.
std::optional<Mismatch> check_time(float ms, bool launched) {
  if (std::isfinite(ms) && (launched ? ms > 0 : ms == 0)) return std::nullopt;
  return Mismatch{"the returned milliseconds", number(ms, kFloatDigits), launched ? "a number above 0" : "0", ""};
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
  if (!both) return check_time(std::bit_cast<float>(static_cast<int32_t>(answer.value)), n > 0);
  Mismatch wrong = mismatch_of(*both);
  if (!exact(wrong.first))
    wrong.tolerance =
        number(rounding_bound(2, magnitude(wrong.first)), kFloatDigits) + ": a product and a sum, rounded";
  wrong.place = place_of(*both);
  wrong.value = value_of(*both);
  if (needs_table(wrong))
    wrong.table = table_of(*both, all_of(*both), {row_of("x", in.first(n)), row_of("y", in.subspan(n))});
  return wrong;
}

std::optional<Mismatch> check_scan(std::string_view entry, View in_bytes, const Answer& answer) {
  const auto in = as<float>(in_bytes);
  const bool exact = sums_exactly(in);
  std::vector<double> magnitude;  // of all elements up to i
  for (const float value : in)
    magnitude.push_back((magnitude.empty() ? 0 : magnitude.back()) + std::fabs(static_cast<double>(value)));
  const auto both = compare<float>("out", answer.out, scan_oracle(in, is_inclusive(entry)),
                                   [&](size_t i) { return exact ? 0 : rounding_bound(i, magnitude[i]); });
  if (!both) return std::nullopt;
  Mismatch wrong = mismatch_of(*both);
  if (!exact)
    wrong.tolerance = number(rounding_bound(wrong.first, magnitude[wrong.first]), kFloatDigits) + ": the rounding of " +
                      std::to_string(wrong.first) + " additions";
  wrong.place = place_of(*both);
  wrong.value = value_of_scan(*both, in, is_inclusive(entry));
  if (needs_table(wrong)) wrong.table = table_of(*both, all_of(*both), {row_of("in", in)});
  return wrong;
}

// A sum has no row of its own: the table has the input only, if it fits.
std::optional<Mismatch> check_reduction(std::string_view, View in_bytes, const Answer& answer) {
  const auto in = as<int32_t>(in_bytes);
  const int32_t want = sum_oracle(in);
  if (answer.value == want) return std::nullopt;
  const auto got = static_cast<int32_t>(answer.value);
  Mismatch wrong{"the returned sum", std::to_string(got), std::to_string(want), ""};
  wrong.value = value_of_sum(in, got, want);
  Table::Row index{"i", {}}, data{"data", {}};
  size_t widest = 1;
  for (size_t i = 0; i < in.size() && in.size() <= kMostShown; ++i) {
    index.cells.push_back(std::to_string(i));
    data.cells.push_back(std::to_string(in[i]));
    widest = std::max({widest, width_of(index.cells.back()), width_of(data.cells.back())});
  }
  const bool fits = in.size() > 1 && in.size() <= std::min(kMostShown, columns_that_fit(widest));
  if (fits) wrong.table = {{index, data}, {}};
  return wrong;
}

// Of the bins, those are shown that have or should have a count.
std::optional<Mismatch> check_histogram(std::string_view, View in, const Answer& answer) {
  const Counts counts = histogram_oracle(in);
  const auto both = compare<uint32_t>("bins", answer.out, {counts.begin(), counts.end()}, [](size_t) { return 0; });
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
