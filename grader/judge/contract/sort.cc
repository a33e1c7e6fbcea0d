// sort: inputs, check and host's times of the contract "sort". Keys are unsigned; in pairs, n values follow n keys.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#ifdef WARPLADDER_TBB
#include <execution>
#endif

#include "grader/judge/base/random.h"
#include "grader/judge/contract/compare.h"

namespace warpladder {
namespace {

using Keys = std::vector<uint32_t>;

Keys make_keys(std::string_view kind, size_t n, uint64_t seed) {
  Random random(seed);
  Keys keys(n);
  const auto each = [&](auto key) {
    for (size_t i = 0; i < n; ++i) keys[i] = static_cast<uint32_t>(key(i));
  };
  const uint64_t same = random.bits();
  if (kind == "increasing") {
    each([](size_t i) { return i; });
  } else if (kind == "decreasing") {
    each([&](size_t i) { return n - 1 - i; });
  } else if (kind == "constant") {
    each([&](size_t) { return same; });
  } else if (kind == "few") {  // four keys, which differ in every byte
    each([&](size_t) { return random.below(4) * 0x01010101; });
  } else if (kind == "high_byte") {
    each([&](size_t) { return random.below(256) << 24 | (same & 0xffffff); });
  } else if (kind == "random") {
    each([&](size_t) { return random.bits(); });
  } else {
    throw std::logic_error("no input kind " + std::string(kind));
  }
  return keys;
}

Bytes make_sorted(std::string_view kind, size_t n, uint64_t seed) { return to_bytes(make_keys(kind, n, seed)); }

// The values count up from any number: each tells the place of its key in the input.
Bytes make_pairs(std::string_view kind, size_t n, uint64_t seed) {
  Keys pairs = make_keys(kind, n, seed);
  const auto start = static_cast<uint32_t>(Random(seed_of(seed, "values")).below(1000));
  pairs.resize(2 * n);
  std::iota(pairs.begin() + static_cast<std::ptrdiff_t>(n), pairs.end(), start);
  return to_bytes(pairs);
}

// The places of the input in the order of the output, by a counting sort for each byte.
std::vector<uint32_t> order_of(std::span<const uint32_t> keys, int bytes) {
  std::vector<uint32_t> order(keys.size()), next(keys.size());
  std::iota(order.begin(), order.end(), 0);
  for (int byte = 0; byte < bytes; ++byte) {
    const auto digit = [&](uint32_t i) { return keys[i] >> (8 * byte) & 0xff; };
    std::array<size_t, 257> begin{};
    for (const uint32_t i : order) ++begin[digit(i) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const uint32_t i : order) next[begin[digit(i)]++] = i;
    order.swap(next);
  }
  return order;
}

int bytes_of(std::string_view entry) { return entry == "sort_by_digit" ? 1 : 4; }

// What is certain about a wrong order of keys.
std::optional<Fact> value_of_order(const Compared& both, std::span<const uint32_t> in) {
  if (!is_rearranged(both.got, both.want)) {
    const auto common = value_of(both);
    if (common && common->name != "too_small" && common->name != "too_large") return common;
    return Fact{"not_the_input", {{"array", both.array}}};
  }
  const auto is_input = [&](size_t i) { return both.got[i] == static_cast<Value>(in[i]); };
  if (std::ranges::all_of(std::views::iota(size_t{0}, in.size()), is_input)) return Fact{"input_order"};
  return Fact{"other_order"};
}

std::optional<Mismatch> wrong_order(const Compared& both, std::span<const uint32_t> in, const std::string& name) {
  Mismatch wrong = mismatch_of(both);
  wrong.place = place_of(both);
  wrong.value = value_of_order(both, in);
  if (needs_table(wrong)) wrong.table = table_of(both, all_of(both), {row_of(name, in)});
  return wrong;
}

Keys in_order(std::span<const uint32_t> values, const std::vector<uint32_t>& order) {
  Keys sorted(values.size());
  std::ranges::transform(order, sorted.begin(), [&](uint32_t i) { return values[i]; });
  return sorted;
}

std::optional<Mismatch> check_keys(std::string_view entry, View in_bytes, const Answer& answer) {
  const auto in = as<uint32_t>(in_bytes);
  const Keys want = in_order(in, order_of(in, bytes_of(entry)));
  const auto both = compare<uint32_t>("out", answer.out, want, kNoTolerance);
  if (!both) return std::nullopt;
  auto wrong = wrong_order(*both, in, "in");
  // Right to the eye of the digit: only the order of elements with the same digit is wrong.
  const auto same_digit = [&](size_t i) { return (element<uint32_t>(answer.out, i) & 0xff) == (want[i] & 0xff); };
  const auto all = std::views::iota(size_t{0}, want.size());
  if (bytes_of(entry) == 1 && wrong->value->name == "other_order" && std::ranges::all_of(all, same_digit))
    wrong->value = Fact{"not_stable"};
  return wrong;
}

std::optional<Mismatch> check_pairs(std::string_view entry, View in_bytes, const Answer& answer) {
  const auto in = as<uint32_t>(in_bytes);
  const size_t n = in.size() / 2;
  const auto keys = in.first(n), values = in.subspan(n);
  const auto order = order_of(keys, bytes_of(entry));
  const View keys_out = answer.out.first(n * 4), values_out = answer.out.subspan(n * 4);
  if (const auto both = compare<uint32_t>("keys_out", keys_out, in_order(keys, order), kNoTolerance))
    return wrong_order(*both, keys, "keys");
  const auto both = compare<uint32_t>("values_out", values_out, in_order(values, order), kNoTolerance);
  if (!both) return std::nullopt;
  auto wrong = wrong_order(*both, values, "values");
  // The keys are right. If each value still belongs to its key, equal keys have changed their order.
  const auto belongs = [&](size_t i) {
    const size_t place = element<uint32_t>(values_out, i) - values.front();
    return place < n && keys[place] == element<uint32_t>(keys_out, i);
  };
  if (std::ranges::all_of(std::views::iota(size_t{0}, n), belongs) && wrong->value->name != "not_the_input")
    wrong->value = Fact{"not_stable"};
  return wrong;
}

uint64_t first_of(const Keys& sorted) { return sorted.empty() ? 0 : sorted[sorted.size() / 2]; }

bool is_pairs(std::string_view entry) { return entry == "sort_pairs"; }

// Both halves of a pair in one number: the order of these is the order of the keys, and stable, because values grow.
std::vector<uint64_t> joined(std::span<const uint32_t> in) {
  std::vector<uint64_t> pairs(in.size() / 2);
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = uint64_t{in[i]} << 32 | in[pairs.size() + i];
  return pairs;
}

template <class Sort>
uint64_t sorted_on_host(std::string_view entry, View in_bytes, Sort sort) {
  const auto in = as<uint32_t>(in_bytes);
  if (is_pairs(entry)) {
    std::vector<uint64_t> pairs = joined(in);
    sort(pairs, std::less<>());
    return pairs.empty() ? 0 : pairs[pairs.size() / 2];
  }
  Keys keys(in.begin(), in.end());
  if (bytes_of(entry) == 1) {
    sort(keys, [](uint32_t a, uint32_t b) { return (a & 0xff) < (b & 0xff); });
  } else {
    sort(keys, std::less<>());
  }
  return first_of(keys);
}

uint64_t serial_sort(std::string_view entry, View in) {
  return sorted_on_host(entry, in, [](auto& values, auto less) { std::ranges::stable_sort(values, less); });
}

#ifdef WARPLADDER_TBB
uint64_t parallel_sort(std::string_view entry, View in) {
  return sorted_on_host(entry, in, [](auto& values, auto less) {
    std::stable_sort(std::execution::par_unseq, values.begin(), values.end(), less);
  });
}
#else
constexpr decltype(Baseline::parallel) parallel_sort = nullptr;
#endif

constexpr Baseline kSortBaseline{serial_sort, parallel_sort, later("std::stable_sort, par_unseq (TBB)")};

}  // namespace

EntryCode sort_keys_code() { return {make_sorted, check_keys, &kSortBaseline}; }
EntryCode sort_pairs_code() { return {make_pairs, check_pairs, &kSortBaseline}; }

}  // namespace warpladder
