// words: inputs, check and host's times of the contract "words": the most frequent words of a text.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_map>

#ifdef WARPLADDER_TBB
#include <execution>
#endif

#include "grader/judge/base/random.h"
#include "grader/judge/base/text.h"
#include "grader/judge/contract/compare.h"

namespace warpladder {
namespace {

constexpr size_t kTopWords = 20;  // as in common/contracts/words.h

struct WordCount {  // likewise
  uint64_t first = 0;
  uint32_t length = 0, count = 0;
};

bool belongs_to_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 128;
}
char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct HashOfWord {
  size_t operator()(std::string_view word) const {
    uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
    for (const char c : word) hash = (hash ^ static_cast<unsigned char>(folded(c))) * 0x100000001B3u;
    return hash ^ hash >> 32;
  }
};
struct SameWord {
  bool operator()(std::string_view a, std::string_view b) const { return std::ranges::equal(a, b, {}, folded, folded); }
};
using Found = std::unordered_map<std::string_view, WordCount, HashOfWord, SameWord>;  // views of the text

// The words of the text that begin from `begin` on and before `end`.
Found count_words(std::string_view text, size_t begin, size_t end) {
  Found found;
  size_t i = begin;
  if (i > 0 && belongs_to_word(text[i - 1]))
    while (i < end && belongs_to_word(text[i])) ++i;
  while (i < end) {
    if (!belongs_to_word(text[i])) {
      ++i;
      continue;
    }
    const size_t first = i;
    while (i < text.size() && belongs_to_word(text[i])) ++i;
    WordCount& word = found[text.substr(first, i - first)];
    if (word.count++ == 0) word.first = first, word.length = static_cast<uint32_t>(i - first);
  }
  return found;
}

bool comes_before(const WordCount& a, const WordCount& b) {
  return a.count != b.count ? a.count > b.count : a.first < b.first;
}

std::vector<WordCount> top_of(const Found& found) {
  std::vector<WordCount> words;
  for (const auto& [text, word] : found) words.push_back(word);
  const auto top = words.begin() + static_cast<std::ptrdiff_t>(std::min(kTopWords, words.size()));
  std::ranges::partial_sort(words, top, comes_before);
  words.erase(top, words.end());
  return words;
}

std::string_view text_of(View bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Word `rank` of a language that nobody speaks: each number has a word of its own. Some have a letter of two bytes.
std::string word_of(uint64_t rank) {
  constexpr const char* kSyllables[] = {"ra", "no", "ti", "sel", "mo", "da", "ku", "pe", "lin", "\xC3\xA9t", "vo", "s"};
  std::string word;
  for (uint64_t rest = rank + 1; rest > 0; rest /= std::size(kSyllables))
    word += kSyllables[rest % std::size(kSyllables)];
  return word;
}

// A text of n bytes from words; it ends where the last of them is cut off.
template <class Next>
Bytes text_from(size_t n, Next next) {
  std::string text;
  text.reserve(n + 64);
  while (text.size() < n) text += next();
  text.resize(n);
  const View bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Bytes make_text(std::string_view kind, size_t n, uint64_t seed) {
  Random random(seed);
  uint64_t at = 0;
  if (kind == "separators") return text_from(n, [&] { return std::string(1, " \n\t.,0'-@[`{"[random.below(12)]); });
  if (kind == "repeated")
    return text_from(n, [&] { return std::string(random.below(2) == 0 ? "Again" : "again") + " "; });
  if (kind == "ties")  // as many of each word, as far as the text goes
    return text_from(n, [&] { return word_of(at++ * 7 % 40) + " "; });
  if (kind == "late")  // the frequent words come when there are many others already
    return text_from(n, [&] {
      ++at;
      return word_of(at < n / 16 ? at + 40 : at * 7 % 40) + " ";
    });
  if (kind == "distinct") return text_from(n, [&] { return word_of(at++) + "\n"; });
  if (kind == "long")  // some that differ only in the middle or at the end
    return text_from(n, [&] {
      std::string word(1 + random.below(3000), static_cast<char>('a' + random.below(2)));
      word[word.size() / 2] = static_cast<char>('a' + random.below(2));
      return word + (random.below(2) == 0 ? "b" : "") + " the ";
    });
  if (kind != "random") throw std::logic_error("no input kind " + std::string(kind));
  // Zipf's law: the word of rank r is about half as frequent as that of rank r / 2.
  constexpr const char* kSeparators[] = {" ",  " ",  " ",      " ",  " ",  " ",   ", ",
                                         ". ", "\n", " 1984 ", " (", ") ", "'s ", "-"};
  return text_from(n, [&] {
    const double chosen = static_cast<double>(random.below(1u << 31)) * 0x1p-31;
    std::string word = word_of(static_cast<uint64_t>(std::exp(chosen * std::log(50'000.0))) - 1);
    if (random.below(8) == 0 && word[0] >= 'a' && word[0] <= 'z') word[0] = static_cast<char>(word[0] - 'a' + 'A');
    return word + kSeparators[random.below(std::size(kSeparators))];
  });
}

// The word as people may see it; a long one is cut off, between two letters.
Message name_of(std::string_view text, const WordCount& word) {
  constexpr size_t kMost = 24;
  if (word.first > text.size() || word.length > text.size() - word.first) return message("outside the text");
  const std::string_view whole = text.substr(word.first, word.length);
  size_t cut = std::min(kMost, whole.size());
  while (cut > 0 && cut < whole.size() && (static_cast<unsigned char>(whole[cut]) & 0xC0) == 0x80) --cut;
  return visible(std::string(whole.substr(0, cut))) + (cut < whole.size() ? "…" : "");
}

// "the, 17 times, first at 42"
Message said(std::string_view text, const WordCount& word) {
  return message("{word}, {count} times, first at {place}",
                 {{"word", name_of(text, word)}, {"count", word.count}, {"place", word.first}});
}

bool same(const WordCount& a, const WordCount& b) {
  return a.first == b.first && a.length == b.length && a.count == b.count;
}

// The same words with the same counts, and only their order is wrong.
bool only_order(std::vector<WordCount> got, std::vector<WordCount> want) {
  std::ranges::sort(got, {}, &WordCount::first);
  std::ranges::sort(want, {}, &WordCount::first);
  return std::ranges::equal(got, want, same);
}

bool is_word(std::string_view text, const WordCount& word) {
  if (word.length == 0 || word.first > text.size() || word.length > text.size() - word.first) return false;
  const std::string_view whole = text.substr(word.first, word.length);
  const size_t end = word.first + word.length;
  return std::ranges::all_of(whole, belongs_to_word) && (word.first == 0 || !belongs_to_word(text[word.first - 1])) &&
         (end == text.size() || !belongs_to_word(text[end]));
}

// What the first wrong word shows of the cause.
std::optional<Fact> fact_of(std::string_view text, const std::vector<WordCount>& got, const WordCount& wrong,
                            const WordCount& want, bool kept) {
  if (kept) return Fact{"word_missing"};
  if (!is_word(text, wrong)) return Fact{"word_cut"};
  for (const WordCount& other : got)
    if (other.first != wrong.first && is_word(text, other) &&
        SameWord()(text.substr(other.first, other.length), text.substr(wrong.first, wrong.length)))
      return Fact{"word_twice"};
  if (wrong.first == want.first && wrong.count != want.count)
    return Fact{wrong.count < want.count ? "counted_less" : "counted_more"};
  if (wrong.count < want.count) return Fact{"other_word"};
  return std::nullopt;
}

std::optional<Mismatch> check_words(std::string_view, View in, const Answer& answer) {
  const std::string_view text = text_of(in);
  const std::vector<WordCount> want = top_of(count_words(text, 0, text.size()));
  std::vector<WordCount> got;
  for (size_t i = 0; i < kTopWords; ++i) got.push_back(element<WordCount>(answer.out, i));
  for (size_t i = 0; i < want.size(); ++i) {
    if (same(got[i], want[i])) continue;
    const bool kept = is_kept<WordCount>(answer.out, i);
    Mismatch wrong{"top[" + std::to_string(i) + "]", kept ? std::string(kKept) : said(text, got[i]),
                   said(text, want[i])};
    wrong.first = i;
    got.resize(want.size());
    wrong.of = want.size();
    wrong.wrong = 0;
    for (size_t k = 0; k < want.size(); ++k) wrong.wrong += !same(got[k], want[k]);
    wrong.value = fact_of(text, got, got[i], want[i], kept);
    if (only_order(got, want)) wrong.value = Fact{"other_order"};
    if (kept && i == 0 && wrong.wrong == wrong.of) wrong.value = Fact{"nothing_stored", {{"array", "top"}}};
    return wrong;
  }
  if (answer.value != static_cast<int64_t>(want.size()))
    return Mismatch{message("the returned number of words"), answer.value, want.size()};
  for (size_t i = want.size(); i < kTopWords; ++i) {
    if (is_kept<WordCount>(answer.out, i)) continue;
    Mismatch wrong{"top[" + std::to_string(i) + "]", said(text, got[i]), std::string(kKept)};
    wrong.first = i;
    wrong.value = Fact{"behind_words", {{"count", std::to_string(want.size())}}};
    return wrong;
  }
  return std::nullopt;
}

uint64_t most(const Found& found) {
  const auto top = top_of(found);
  return top.empty() ? 0 : top.front().count;
}

uint64_t serial_words(std::string_view, View in) {
  const std::string_view text = text_of(in);
  return most(count_words(text, 0, text.size()));
}

#ifdef WARPLADDER_TBB
// Each part of the text has its own words. Then the parts meet: each group of words is merged by one thread.
uint64_t parallel_words(std::string_view, View in) {
  constexpr size_t kParts = 64;
  const std::string_view text = text_of(in);
  std::vector<size_t> parts(kParts);
  std::iota(parts.begin(), parts.end(), size_t{0});
  std::vector<Found> found(kParts), merged(kParts);
  std::for_each(std::execution::par, parts.begin(), parts.end(), [&](size_t part) {
    found[part] = count_words(text, text.size() * part / kParts, text.size() * (part + 1) / kParts);
  });
  std::for_each(std::execution::par, parts.begin(), parts.end(), [&](size_t group) {
    for (const Found& one : found)
      for (const auto& [word, counted] : one) {
        if (HashOfWord()(word) % kParts != group) continue;
        WordCount& all = merged[group].try_emplace(word, WordCount{counted.first, counted.length, 0}).first->second;
        all.count += counted.count;
      }
  });
  uint64_t top = 0;
  for (const Found& one : merged) top = std::max(top, most(one));
  return top;
}
#else
constexpr decltype(Baseline::parallel) parallel_words = nullptr;
#endif

constexpr Baseline kWordsBaseline{serial_words, parallel_words,
                                  later("std::for_each, par (TBB), a table for each part")};

}  // namespace

std::vector<std::pair<std::string, uint64_t>> words_in(View text, View top) {
  std::vector<std::pair<std::string, uint64_t>> words;
  for (size_t i = 0; i < kTopWords && !is_kept<WordCount>(top, i); ++i) {
    const auto word = element<WordCount>(top, i);
    words.emplace_back(name_of(text_of(text), word).text(), word.count);
  }
  return words;
}

EntryCode words_code() { return {make_text, check_words, &kWordsBaseline}; }

}  // namespace warpladder
