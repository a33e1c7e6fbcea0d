#include "grader/judge/base/mismatch.h"

#include <algorithm>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

constexpr size_t kTableWidth = 56, kLabelWidth = 6, kGap = 2;  // characters

std::string aligned(const std::string& name, const std::vector<std::string>& cells, size_t widest) {
  std::string line = name + std::string(kLabelWidth - std::min(kLabelWidth, width_of(name)), ' ');
  for (const std::string& cell : cells) line += std::string(kGap + widest - width_of(cell), ' ') + cell;
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

std::vector<std::string> lines_of(const Table& table) {
  size_t widest = 1;
  for (const Table::Row& row : table.rows)
    for (const std::string& cell : row.cells) widest = std::max(widest, width_of(cell));
  std::vector<std::string> lines, marks;
  for (const Table::Row& row : table.rows) lines.push_back(aligned(row.name, row.cells, widest));
  for (const bool wrong : table.wrong) marks.emplace_back(wrong ? "✗" : "");
  lines.push_back(aligned("", marks, widest));
  return lines;
}

// "767 of 1023 are wrong: every element from out[256] on; each of them is 0". Of a single one: "it is 0".
std::string summary(const Mismatch& wrong) {
  std::string text;
  if (wrong.of > 1) {
    text = std::to_string(wrong.wrong) + " of " + std::to_string(wrong.of) + (wrong.wrong == 1 ? " is" : " are") +
           " wrong";
    if (wrong.place) text += ": " + text_of(*wrong.place);
  }
  if (!wrong.value) return text;
  std::string value = text_of(*wrong.value);
  constexpr std::string_view kMany = "each of them";
  if (wrong.wrong == 1 && value.starts_with(kMany)) value.replace(0, kMany.size(), "it");
  return text + (text.empty() ? "" : "; ") + value;
}

}  // namespace

size_t columns_that_fit(size_t widest) { return (kTableWidth - kLabelWidth) / (widest + kGap); }

// In the texts, {key} stands for an argument.
std::string text_of(const Fact& fact) {
  static const std::map<std::string, std::string> kTexts = {
      {"all", "every element"},
      {"only", "{array}[{first}] alone"},
      {"last", "{array}[{first}], the last one"},
      {"from", "every element from {array}[{first}] on"},
      {"range", "{array}[{first}] to {array}[{last}]"},
      {"every", "one element in {step}, from {array}[{first}] on"},
      {"kept", "each of them still holds what it held before the call"},
      {"nothing_stored", "nothing was stored in {array}: it still holds what it held before the call"},
      {"zero", "each of them is 0"},
      {"nan", "each of them is NaN"},
      {"sum_nan", "it is NaN"},
      {"input", "each of them is its own input"},
      {"next", "each {array}[i] has the value that {array}[i + 1] should have"},
      {"before", "each {array}[i] has the value that {array}[i - 1] should have"},
      {"starts_anew", "{array}[{first}] is {start}, as if the sum began there"},
      {"too_small", "each of them is {by} too small"},
      {"too_large", "each of them is {by} too large"},
      {"fraction", "each of them is off by less than 1"},
      {"counted", "together the bins have {counted} of {n} bytes"},
      {"not_zeroed", "each of them was counted up from -1, which the array held before the call"},
      {"other_order", "the elements are right, but in another order"},
      {"input_order", "they are in the order of the input"},
      {"not_stable", "elements with equal keys have changed their order"},
      {"not_the_input", "{array} has other elements than the input: some are lost, or are there twice"},
      {"behind_count", "the elements behind the {count} selected ones must stay as they were"},
      {"word_cut", "that is not a whole word of the text"},
      {"word_twice", "the same word stands there twice"},
      {"word_missing", "a word is missing"},
      {"other_word", "a more frequent word is missing"},
      {"counted_less", "some of its occurrences are missing"},
      {"counted_more", "it was counted more often than it occurs"},
      {"behind_words", "the elements behind the {count} words must stay as they were"},
      {"sum_zero", "nothing was added"},
      {"sum_twice", "that is twice the sum"},
      {"sum_ones", "{got} of the {n} ones were added"},
      {"sum_more", "that is {by} more than there are ones"},
      {"sum_first", "that is the sum of the first {count} of {n} elements"},
      {"sum_rounded", "that differs by the rounding of a float"},
  };
  std::string text = kTexts.at(fact.name);
  for (const auto& [key, value] : fact.arguments) {
    const std::string mark = "{" + key + "}";
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
      text.replace(at, mark.size(), value);
  }
  return text;
}

std::vector<std::string> lines_of(const Mismatch& wrong) {
  const auto said = [](const std::string& value) { return value == kKept ? "what it held before the call" : value; };
  if (wrong.value && wrong.value->name == "nothing_stored")
    return {text_of(*wrong.value), wrong.where + ": want " + wrong.want};
  std::vector<std::string> lines = {wrong.where + ": got " + said(wrong.got) + ", want " + said(wrong.want)};
  if (const std::string text = summary(wrong); !text.empty()) lines.push_back(text);
  if (!wrong.tolerance.empty()) lines.push_back("tolerance " + wrong.tolerance);
  if (!wrong.table.rows.empty()) std::ranges::copy(lines_of(wrong.table), std::back_inserter(lines));
  return lines;
}

}  // namespace warpladder
