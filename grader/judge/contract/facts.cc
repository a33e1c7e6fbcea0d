#include "grader/judge/contract/facts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>

#include "grader/judge/base/text.h"
#include "grader/judge/contract/oracle.h"

namespace warpladder {
namespace {

std::string text(size_t number) { return std::to_string(number); }

bool has_steps(const std::vector<size_t>& at, size_t step) {
  for (size_t i = 1; i < at.size(); ++i)
    if (at[i] - at[i - 1] != step) return false;
  return true;
}

template <class Holds>
bool for_each_wrong(const Compared& both, Holds holds) {
  for (size_t i = 0; i < both.got.size(); ++i)
    if (both.wrong[i] && !holds(i)) return false;
  return true;
}

// Whether each wrong element has the value of the neighbour in this distance; at the array's end there is none.
bool is_neighbours(const Compared& both, int distance) {
  size_t compared = 0;
  const bool all = for_each_wrong(both, [&](size_t i) {
    const auto other = static_cast<int64_t>(i) + distance;
    if (other < 0 || other >= static_cast<int64_t>(both.want.size())) return true;
    ++compared;
    return both.got[i] == both.want[static_cast<size_t>(other)];
  });
  return all && compared >= 2;
}

}  // namespace

std::string shown(Value value, bool kept, int digits) { return kept ? kKept : number(value, digits); }

std::vector<size_t> Compared::wrong_ones() const {
  std::vector<size_t> at;
  for (size_t i = 0; i < wrong.size(); ++i)
    if (wrong[i]) at.push_back(i);
  return at;
}

std::optional<Fact> place_of(const Compared& both) {
  const std::vector<size_t> at = both.wrong_ones();
  const size_t n = both.got.size();
  const auto fact = [&](const char* name) {
    return Fact{name, {{"array", both.array}, {"first", text(at.front())}, {"last", text(at.back())}}};
  };
  if (n == 1) return std::nullopt;
  if (at.size() == n) return fact("all");
  if (at.size() == 1) return fact(at.back() + 1 == n ? "last" : "only");
  if (has_steps(at, 1)) return fact(at.back() + 1 == n ? "from" : "range");
  const size_t step = at[1] - at[0];
  if (at.size() < 3 || !has_steps(at, step) || at.front() >= step || at.back() + step < n) return std::nullopt;
  Fact every = fact("every");
  every.arguments["step"] = text(step);
  return every;
}

std::optional<Fact> value_of(const Compared& both) {
  const auto all = [&](auto holds) { return for_each_wrong(both, holds); };
  if (all([&](size_t i) { return both.kept[i]; })) {
    const bool everywhere = std::ranges::find(both.wrong, false) == both.wrong.end();
    return everywhere ? Fact{"nothing_stored", {{"array", both.array}}} : Fact{"kept"};
  }
  if (all([&](size_t i) { return both.got[i] == 0; })) return Fact{"zero"};
  if (all([&](size_t i) { return std::isnan(both.got[i]) && !both.kept[i]; })) return Fact{"nan"};
  const std::vector<size_t> at = both.wrong_ones();
  const Value by = both.got[at.front()] - both.want[at.front()];
  if (at.size() >= 2 && all([&](size_t i) { return both.got[i] - both.want[i] == by; }))
    return Fact{by < 0 ? "too_small" : "too_large", {{"by", number(std::fabs(by), both.digits)}}};
  return std::nullopt;
}

std::optional<Fact> value_of_scan(const Compared& both, const std::function<Value(size_t)>& in, bool inclusive) {
  const auto first = static_cast<size_t>(std::ranges::find(both.wrong, true) - both.wrong.begin());
  const auto common = value_of(both);
  if (common && common->name != "too_small" && common->name != "too_large") return common;
  for (const auto& [name, distance] : {std::pair{"next", 1}, {"before", -1}})
    if (is_neighbours(both, distance)) return Fact{name, {{"array", both.array}}};
  const auto is_fraction = [&](size_t i) { return std::fabs(both.got[i] - both.want[i]) < 1; };
  const auto all = std::views::iota(size_t{0}, both.want.size());
  const bool has_fractions = std::ranges::any_of(all, [&](size_t i) { return in(i) != std::floor(in(i)); });
  if (has_fractions && for_each_wrong(both, is_fraction)) return Fact{"fraction"};
  const auto is_input = [&](size_t i) { return both.got[i] == in(i); };
  if (inclusive && std::ranges::count(both.wrong, true) > 1 && for_each_wrong(both, is_input)) return Fact{"input"};
  const Value start = inclusive ? in(first) : 0;
  // A sum that begins anew stays wrong behind its beginning.
  const bool stays_wrong = first + 1 == both.wrong.size() || both.wrong[first + 1];
  if (first > 0 && both.got[first] == start && stays_wrong)
    return Fact{
        "starts_anew",
        {{"array", both.array}, {"first", text(first)}, {"start", inclusive ? "in[" + text(first) + "]" : "0"}}};
  return common;
}

std::optional<Fact> value_of_counts(const Compared& both) {
  const auto all = [&](auto holds) { return for_each_wrong(both, holds); };
  if (all([&](size_t i) { return both.kept[i]; })) return value_of(both);
  const bool some_kept = std::ranges::find(both.kept, true) != both.kept.end();
  if (some_kept && all([&](size_t i) { return both.kept[i] ? both.want[i] == 0 : both.got[i] == both.want[i] - 1; }))
    return Fact{"not_zeroed"};
  const auto total = [](const std::vector<Value>& counts) {
    return std::accumulate(counts.begin(), counts.end(), Value{0});
  };
  return Fact{"counted",
              {{"counted", number(total(both.got), both.digits)}, {"n", number(total(both.want), both.digits)}}};
}

template <class T>
std::optional<Fact> value_of_sum(std::span<const T> in, T got, Value want) {
  const std::string n = text(in.size());
  if (got != got) return Fact{"sum_nan"};
  if (got == 0) {
    const auto first = std::ranges::find_if(in, [](T element) { return element != 0; });
    return Fact{"sum_zero", {{"first", std::to_string(first - in.begin())}}};
  }
  if (static_cast<Value>(got) == 2 * want) return Fact{"sum_twice"};
  if (std::ranges::all_of(in, [](T value) { return value == 1; }) && got > 0)
    return got < want ? Fact{"sum_ones", {{"got", number(got, kDigits<T>)}, {"n", n}}}
                      : Fact{"sum_more", {{"by", number(got - want, kDigits<T>)}}};
  constexpr Value kExactUpTo = 1 << 24;  // in a float
  const Value magnitude = std::fabs(want), off = std::fabs(got - want);
  if (std::is_integral_v<T> && magnitude > kExactUpTo && off <= magnitude / kExactUpTo * 2) return Fact{"sum_rounded"};
  // Whole warps, since with small numbers any count may hit the sum by chance.
  Sum<T> sum = 0;
  std::optional<Fact> first;
  for (size_t i = 0; i + 1 < in.size(); ++i) {
    sum += static_cast<Sum<T>>(in[i]);
    if (static_cast<T>(sum) == got && (i + 1) % 32 == 0) first = Fact{"sum_first", {{"count", text(i + 1)}, {"n", n}}};
  }
  return first;
}
template std::optional<Fact> value_of_sum(std::span<const float> in, float got, Value want);
template std::optional<Fact> value_of_sum(std::span<const int32_t> in, int32_t got, Value want);
template std::optional<Fact> value_of_sum(std::span<const int64_t> in, int64_t got, Value want);

Table table_of(const Compared& both, const std::vector<size_t>& shown_ones, const std::vector<InputRow>& inputs) {
  const auto row = [&](const std::string& name, std::span<const size_t> at, auto cell) {
    Table::Row made{name, {}};
    for (const size_t i : at) made.cells.push_back(cell(i));
    return made;
  };
  const auto rows_of = [&](std::span<const size_t> at) {
    std::vector<Table::Row> rows = {row("i", at, text)};
    for (const InputRow& input : inputs) rows.push_back(row(input.name, at, input.cell));
    rows.push_back(row("got", at, [&](size_t i) { return shown(both.got[i], both.kept[i], both.digits); }));
    rows.push_back(row("want", at, [&](size_t i) { return shown(both.want[i], false, both.digits); }));
    return rows;
  };
  const auto widest = [&](const std::vector<Table::Row>& rows) {
    size_t most = 1;
    for (const Table::Row& one : rows)
      for (const std::string& cell : one.cells) most = std::max(most, width_of(cell));
    return most;
  };
  // A few elements before the first wrong one, and as many behind it as fit.
  const auto first = std::ranges::find_if(shown_ones, [&](size_t i) { return both.wrong[i]; });
  const auto place = static_cast<size_t>(first - shown_ones.begin());
  std::span<const size_t> at = shown_ones;
  constexpr size_t kMost = 16;
  for (size_t fit = std::min(kMost, at.size()); fit > 0; --fit) {
    const size_t begin = std::min(place - std::min(place, fit / 3), shown_ones.size() - fit);
    at = std::span(shown_ones).subspan(begin, fit);
    if (columns_that_fit(widest(rows_of(at))) >= fit) break;
  }
  Table table{rows_of(at), {}};
  for (const size_t i : at) table.wrong.push_back(both.wrong[i]);
  return table;
}

}  // namespace warpladder
