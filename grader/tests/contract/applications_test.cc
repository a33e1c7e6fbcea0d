// The contracts of the last labs: select, sort and words.
#include <algorithm>
#include <numeric>
#include <random>
#include <ranges>
#include <set>

#include <gtest/gtest.h>

#include "grader/judge/contract/contract.h"
#include "grader/judge/run/advice.h"

namespace warpladder {
namespace {

const EntryInfo& entry_of(const char* contract, const char* entry) {
  return *find_contract(contract)->find_entry(entry);
}

std::vector<std::string> all_kinds(const EntryInfo& entry) { return entry.inputs; }

template <class T>
std::vector<T> values_of(View bytes) {
  return {as<T>(bytes).begin(), as<T>(bytes).end()};
}

template <class T>
Bytes joined(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return to_bytes(first);
}

// The right answer by the standard library, in the runner's form.
Bytes selected(View in) {
  std::vector<int32_t> out(in.size() / 4 + 64, -1);
  const auto all = values_of<int32_t>(in);
  const auto end = std::ranges::copy_if(all, out.begin(), [](int32_t x) { return x > 0; }).out;
  out.back() = static_cast<int32_t>(end - out.begin());
  return to_bytes(out);
}

Bytes sorted(std::string_view entry, View in) {
  auto all = values_of<uint32_t>(in);
  if (entry == "sort_pairs") {
    const size_t n = all.size() / 2;
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (size_t i = 0; i < n; ++i) pairs.emplace_back(all[i], all[n + i]);
    std::ranges::stable_sort(pairs, {}, &std::pair<uint32_t, uint32_t>::first);
    for (size_t i = 0; i < n; ++i) std::tie(all[i], all[n + i]) = pairs[i];
  } else {
    std::ranges::stable_sort(all, {}, [&](uint32_t key) { return entry == "sort_keys" ? key : key & 0xff; });
  }
  return to_bytes(all);
}

std::optional<Mismatch> check(const EntryInfo& entry, View in, const Bytes& out, int64_t value = 0) {
  return entry.code.check(entry.name, in, {out, value});
}

TEST(Select, TheRightAnswerOfEachInputIsAccepted) {
  const EntryInfo& entry = entry_of("select", "select_positive");
  std::set<size_t> counts;
  for (const std::string& kind : all_kinds(entry)) {
    const Bytes in = entry.code.make(kind, 5000, 3), out = selected(in);
    EXPECT_EQ(out.size(), entry.out_bytes(5000));
    EXPECT_FALSE(check(entry, in, out)) << kind;
    counts.insert(element<uint32_t>(out, 5063));
  }
  EXPECT_EQ(counts.size(), all_kinds(entry).size());
  EXPECT_TRUE(counts.contains(0) && counts.contains(5000));
}

TEST(Select, SaysWhatIsWrong) {
  const EntryInfo& entry = entry_of("select", "select_positive");
  const Bytes in = to_bytes(std::vector<int32_t>{5, 0, 6, -7, 8});
  const auto answer = [](std::vector<int32_t> out, int32_t count) {
    out.resize(5 + 64, -1);
    out.back() = count;
    return to_bytes(out);
  };
  EXPECT_FALSE(check(entry, in, answer({5, 6, 8}, 3)));
  EXPECT_EQ(check(entry, in, answer({6, 5, 8}, 3))->value->name, "other_order");
  EXPECT_EQ(check(entry, in, answer({5, 0, 6}, 3))->where, "out[1]");
  EXPECT_EQ(check(entry, in, answer({5, 6, 8}, 4))->where, "*count");
  EXPECT_EQ(check(entry, in, answer({}, -1))->value->name, "nothing_stored");
  const auto behind = check(entry, in, answer({5, 6, 8, 0}, 3));
  EXPECT_EQ(behind->where, "out[3]");
  EXPECT_EQ(behind->want, kKept);
  EXPECT_EQ(behind->value->name, "behind_count");
}

TEST(Sort, TheRightAnswerOfEachInputIsAccepted) {
  for (const EntryInfo& entry : find_contract("sort")->entries) {
    for (const std::string& kind : all_kinds(entry)) {
      const Bytes in = entry.code.make(kind, 3001, 5);
      EXPECT_EQ(in.size(), 3001 * entry.element_bytes);
      EXPECT_FALSE(check(entry, in, sorted(entry.name, in))) << entry.name << " " << kind;
    }
    EXPECT_FALSE(check(entry, {}, {})) << entry.name;
  }
}

// How many different values these bits have over the keys.
size_t count_parts(const std::vector<uint32_t>& keys, uint32_t mask) {
  std::set<uint32_t> parts;
  for (const uint32_t key : keys) parts.insert(key & mask);
  return parts.size();
}

TEST(Sort, TheInputsAreWhatTheirNamesSay) {
  const EntryInfo& entry = entry_of("sort", "sort_keys");
  const auto keys_of = [&](const char* kind) { return values_of<uint32_t>(entry.code.make(kind, 3001, 7)); };
  const auto increasing = keys_of("increasing"), decreasing = keys_of("decreasing"), few = keys_of("few");
  EXPECT_TRUE(std::ranges::is_sorted(increasing, std::less_equal())) << "no two are equal";
  EXPECT_TRUE(std::ranges::equal(increasing, std::views::reverse(decreasing)));
  EXPECT_EQ(count_parts(keys_of("constant"), ~0u), 1u);
  EXPECT_EQ(count_parts(few, ~0u), 4u);
  for (int shift = 0; shift < 32; shift += 8) {
    EXPECT_EQ(count_parts(few, 0xffu << shift), 4u) << shift;
    EXPECT_GT(count_parts(keys_of("random"), 0xffu << shift), 250u) << shift;
  }
  const auto high_byte = keys_of("high_byte");
  EXPECT_EQ(count_parts(high_byte, 0xffffff), 1u);
  EXPECT_GT(count_parts(high_byte, ~0u), 250u);
}

// A sort that leaves a digit out. Random keys rarely differ in a low digit alone, so descending keys must show that.
TEST(Sort, AMissingDigitIsWrong) {
  const EntryInfo& entry = entry_of("sort", "sort_keys");
  const char* const shown_by[] = {"decreasing", "decreasing", "random", "random"};
  for (int digit = 0; digit < 4; ++digit) {
    const Bytes in = entry.code.make(shown_by[digit], 3001, 9);
    auto keys = values_of<uint32_t>(in);
    std::ranges::stable_sort(keys, {}, [&](uint32_t key) { return key & ~(0xffu << 8 * digit); });
    const auto wrong = check(entry, in, to_bytes(keys));
    ASSERT_TRUE(wrong.has_value()) << digit;
    EXPECT_EQ(wrong->value->name, "other_order") << digit;
  }
}

// Equal keys whose values are turned round: every input with equal keys shows it.
TEST(Sort, AnUnstableSortIsWrong) {
  const EntryInfo& pairs = entry_of("sort", "sort_pairs");
  size_t refused = 0;
  for (const std::string& kind : all_kinds(pairs)) {
    const Bytes in = pairs.code.make(kind, 3001, 11);
    auto both = values_of<uint32_t>(sorted(pairs.name, in));
    const auto equal = std::ranges::adjacent_find(both.begin(), both.begin() + 3001);
    if (equal == both.begin() + 3001) continue;
    const auto value = equal + 3001;
    std::iter_swap(value, value + 1);
    const auto wrong = check(pairs, in, to_bytes(both));
    ASSERT_TRUE(wrong.has_value()) << kind;
    EXPECT_EQ(wrong->value->name, "not_stable") << kind;
    EXPECT_EQ(wrong->where, "values_out[" + std::to_string(equal - both.begin()) + "]") << kind;
    ++refused;
  }
  EXPECT_GE(refused, 3u) << "constant, few and high_byte have equal keys";
}

TEST(Sort, SaysWhatIsWrong) {
  const EntryInfo &keys = entry_of("sort", "sort_keys"), &digit = entry_of("sort", "sort_by_digit");
  const auto of = [](std::vector<uint32_t> values) { return to_bytes(values); };
  const Bytes in = of({0x300, 0x201, 0x100});
  EXPECT_EQ(check(keys, in, of({0x100, 0x300, 0x201}))->value->name, "other_order");
  EXPECT_EQ(check(keys, in, of({0x300, 0x201, 0x100}))->value->name, "input_order");
  EXPECT_EQ(check(keys, in, of({0x100, 0x100, 0x300}))->value->name, "not_the_input");
  EXPECT_FALSE(check(digit, in, of({0x300, 0x100, 0x201})));
  EXPECT_EQ(check(digit, in, of({0x100, 0x300, 0x201}))->value->name, "not_stable");
  EXPECT_EQ(check(digit, in, of({0x201, 0x300, 0x100}))->value->name, "other_order");
}

TEST(Sort, ValuesGoWithTheirKeys) {
  const EntryInfo& pairs = entry_of("sort", "sort_pairs");
  const auto of = [](std::vector<uint32_t> keys, const std::vector<uint32_t>& values) { return joined(keys, values); };
  const Bytes in = of({7, 3, 7}, {10, 11, 12});
  EXPECT_FALSE(check(pairs, in, of({3, 7, 7}, {11, 10, 12})));
  const auto unstable = check(pairs, in, of({3, 7, 7}, {11, 12, 10}));
  EXPECT_EQ(unstable->where, "values_out[1]");
  EXPECT_EQ(unstable->value->name, "not_stable");
  EXPECT_EQ(check(pairs, in, of({3, 7, 7}, {10, 11, 12}))->value->name, "input_order");
  EXPECT_EQ(check(pairs, in, of({7, 3, 7}, {11, 10, 12}))->where, "keys_out[0]");
}

// The name of the next step for this wrong answer.
std::string advice_on(const EntryInfo& entry, const Bytes& in, const Bytes& out, size_t n) {
  const auto wrong = check(entry, in, out);
  Case job;
  job.entry = &entry;
  job.n = n;
  return wrong ? advice_for(*wrong, job).name : "right";
}

TEST(Sort, EachMistakeHasItsAdvice) {
  const EntryInfo &keys = entry_of("sort", "sort_keys"), &digit = entry_of("sort", "sort_by_digit");
  const auto of = [](std::vector<uint32_t> values) { return to_bytes(values); };
  const Bytes in = of({0x300, 0x201, 0x100});
  EXPECT_EQ(advice_on(keys, in, of({0x100, 0x201, 0x300}), 3), "right");
  EXPECT_EQ(advice_on(keys, in, of({0x100, 0x300, 0x201}), 3), "key_order");
  EXPECT_EQ(advice_on(keys, in, in, 3), "input_order");
  EXPECT_EQ(advice_on(keys, in, of({0x100, 0x100, 0x300}), 3), "same_place");
  EXPECT_EQ(advice_on(digit, in, of({0x100, 0x300, 0x201}), 3), "not_stable");
  const Bytes pair = of({7, 3, 10, 11});
  EXPECT_EQ(advice_on(entry_of("sort", "sort_pairs"), pair, of({3, 7, 10, 11}), 2), "values_order");
}

TEST(Select, EachMistakeHasItsAdvice) {
  const EntryInfo& entry = entry_of("select", "select_positive");
  const auto advice = [&](std::vector<int32_t> in, std::vector<int32_t> out, int32_t count) {
    const size_t n = in.size();
    out.resize(n + 64, -1);
    out.back() = count;
    return advice_on(entry, to_bytes(in), to_bytes(out), n);
  };
  EXPECT_EQ(advice({5, 0, 6}, {5, 6}, 2), "right");
  EXPECT_EQ(advice({5, 0, 6}, {6, 5}, 2), "selected_order");
  EXPECT_EQ(advice({5, 0, 6}, {5, 6, 0}, 2), "behind_count");
  EXPECT_EQ(advice({5, 0, 6}, {5, 6}, 1), "count");
  EXPECT_EQ(advice({}, {}, -1), "count_of_none");
}

struct Word {
  uint64_t first;
  uint32_t length, count;
};

Bytes top(const std::vector<Word>& words) {
  Bytes bytes(320, std::byte{0xFF});
  for (size_t i = 0; i < words.size(); ++i) std::memcpy(&bytes[i * sizeof(Word)], &words[i], sizeof(Word));
  return bytes;
}

Bytes text(std::string_view words) {
  Bytes bytes(words.size());
  std::ranges::transform(words, bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

TEST(Words, CountsByTheRules) {
  const EntryInfo& entry = entry_of("words", "top_words");
  // Capitals, a digit between two words, a letter of two bytes, equal counts, a word at the end.
  const Bytes in = text("The cat2the \xC3\xA9t\xC3\xA9 THE cat dog");
  const std::vector<Word> right = {{0, 3, 3}, {4, 3, 2}, {12, 5, 1}, {26, 3, 1}};
  EXPECT_FALSE(check(entry, in, top(right), 4));
  EXPECT_EQ(check(entry, in, top(right), 3)->where, "the returned number of words");
  EXPECT_EQ(check(entry, in, top({right[1], right[0], right[2], right[3]}), 4)->value->name, "other_order");
  EXPECT_EQ(check(entry, in, top({{8, 3, 3}, right[1], right[2], right[3]}), 4)->where, "top[0]");
  EXPECT_EQ(check(entry, in, top({}), 4)->value->name, "nothing_stored");
  EXPECT_EQ(check(entry, in, top({right[0], right[1], right[2], right[3], {0, 0, 0}}), 4)->value->name, "behind_words");
  EXPECT_FALSE(check(entry, {}, top({}), 0));
}

TEST(Words, AreShownWithTheirNumbers) {
  const Bytes in = text("the \xC3\xA9t\xC3\xA9 THE aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
  const auto shown = words_in(in, top({{0, 3, 2}, {4, 5, 1}, {14, 30, 1}}));
  const std::vector<std::pair<std::string, uint64_t>> expected = {
      {"the", 2}, {"\xC3\xA9t\xC3\xA9", 1}, {std::string(24, 'a') + "…", 1}};
  EXPECT_EQ(shown, expected);
}

TEST(Words, TheInputsDiffer) {
  const EntryInfo& entry = entry_of("words", "top_words");
  for (const std::string& kind : all_kinds(entry)) {
    const Bytes in = entry.code.make(kind, 20'000, 1);
    ASSERT_EQ(in.size(), 20'000u);
    const auto wrong = check(entry, in, top({}), 0);
    EXPECT_EQ(wrong.has_value(), kind != "separators") << kind;
  }
}

// The host's times are those of the same work, whether it is done by one core or by all.
TEST(Applications, BothBaselinesDoTheSame) {
  for (const char* name : {"select", "sort", "words"}) {
    for (const EntryInfo& entry : find_contract(name)->entries) {
      const Bytes in = entry.code.make("random", 100'003, 1);
      const uint64_t serial = entry.code.baseline->serial(entry.name, in);
      EXPECT_GT(serial, 0u) << entry.name;
      if (entry.code.baseline->parallel) {
        EXPECT_EQ(serial, entry.code.baseline->parallel(entry.name, in)) << entry.name;
      }
    }
  }
}

}  // namespace
}  // namespace warpladder
