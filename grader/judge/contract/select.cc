// select: inputs, check and host's times of the contract "select". Selected are the elements above zero.
#include <algorithm>
#include <cstdint>
#include <iterator>

#ifdef WARPLADDER_TBB
#include <execution>
#endif

#include "grader/judge/base/random.h"
#include "grader/judge/contract/compare.h"

namespace warpladder {
namespace {

bool is_selected(int32_t x) { return x > 0; }

// Element i is i + 1 where it is selected, so that each tells its place; else it is zero or below.
Bytes make_selected(std::string_view kind, size_t n, uint64_t seed) {
  Random random(seed);
  std::vector<int32_t> in(n);
  const auto fill = [&](auto selected) {
    for (size_t i = 0; i < n; ++i) {
      const auto place = static_cast<int32_t>(i + 1);
      in[i] = selected(i) ? place : (i % 3 == 0 ? 0 : -place);
    }
  };
  if (kind == "all") {
    fill([](size_t) { return true; });
  } else if (kind == "none") {
    fill([](size_t) { return false; });
  } else if (kind == "alternating") {
    fill([](size_t i) { return i % 2 == 0; });
  } else if (kind == "rare") {
    fill([&](size_t) { return random.below(1000) == 0; });
  } else if (kind == "runs") {
    size_t left = 0;
    bool selected = false;
    fill([&](size_t) {
      if (left == 0) selected = !selected, left = 1 + random.below(100);
      --left;
      return selected;
    });
  } else if (kind == "random") {
    for (int32_t& x : in) x = static_cast<int32_t>(random.bits());
  } else {
    throw std::logic_error("no input kind " + std::string(kind));
  }
  return to_bytes(in);
}

// The elements behind the last selected one must be as they were.
std::optional<Mismatch> check_rest(View rest, size_t selected) {
  for (size_t i = 0; i < rest.size() / sizeof(int32_t); ++i) {
    if (is_kept<int32_t>(rest, i)) continue;
    Mismatch wrong{"out[" + std::to_string(selected + i) + "]", number(element<int32_t>(rest, i), kDigits<int32_t>),
                   std::string(kKept)};
    wrong.first = selected + i;
    wrong.value = Fact{"behind_count", {{"count", std::to_string(selected)}}};
    return wrong;
  }
  return std::nullopt;
}

std::optional<Mismatch> check_select(std::string_view, View in_bytes, const Answer& answer) {
  const auto in = as<int32_t>(in_bytes);
  std::vector<int32_t> want;
  std::ranges::copy_if(in, std::back_inserter(want), is_selected);
  // The count is the last int, as in common/contracts/select.cc.
  const View out = answer.out.first(answer.out.size() - sizeof(int32_t));
  if (const auto both = compare<int32_t>("out", out, want, kNoTolerance)) {
    Mismatch wrong = mismatch_of(*both);
    wrong.place = place_of(*both);
    wrong.value = is_rearranged(both->got, both->want) ? Fact{"other_order"} : value_of(*both);
    if (needs_table(wrong)) wrong.table = table_of(*both, all_of(*both), {});
    return wrong;
  }
  if (const auto count = compare<int32_t>("count", answer.out.subspan(out.size()),
                                          std::vector{static_cast<int32_t>(want.size())}, kNoTolerance)) {
    Mismatch wrong = mismatch_of(*count);
    wrong.where = std::string("*count");
    wrong.value = value_of(*count);
    return wrong;
  }
  return check_rest(out.subspan(want.size() * sizeof(int32_t)), want.size());
}

uint64_t last_of(const std::vector<int32_t>& out, std::vector<int32_t>::iterator end) {
  return end == out.begin() ? 0 : static_cast<uint64_t>(end[-1]);
}

uint64_t serial_select(std::string_view, View in_bytes) {
  const auto in = as<int32_t>(in_bytes);
  std::vector<int32_t> out(in.size());
  return last_of(out, std::copy_if(in.begin(), in.end(), out.begin(), is_selected));
}

#ifdef WARPLADDER_TBB
uint64_t parallel_select(std::string_view, View in_bytes) {
  const auto in = as<int32_t>(in_bytes);
  std::vector<int32_t> out(in.size());
  return last_of(out, std::copy_if(std::execution::par_unseq, in.begin(), in.end(), out.begin(), is_selected));
}
#else
constexpr decltype(Baseline::parallel) parallel_select = nullptr;
#endif

constexpr Baseline kSelectBaseline{serial_select, parallel_select, later("std::copy_if, par_unseq (TBB)")};

}  // namespace

EntryCode select_code() { return {make_selected, check_select, &kSelectBaseline}; }

}  // namespace warpladder
