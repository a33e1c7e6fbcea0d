#include "grader/judge/base/mismatch.h"

#include <algorithm>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

constexpr size_t kTableWidth = 56, kLabelWidth = 6, kGap = 2;  // characters

Message aligned(const std::string& name, const std::vector<std::string>& cells, size_t widest) {
  std::string line;
  for (const std::string& cell : cells) line += std::string(kGap + widest - width_of(cell), ' ') + cell;
  line = line.substr(0, line.find_last_not_of(' ') + 1);
  Message label = name == "got" ? message("got") : name == "want" ? message("want") : Message(name);
  if (!line.empty()) label.columns = kLabelWidth;
  return together({label, line}, "");
}

std::vector<Message> lines_of(const Table& table) {
  size_t widest = 1;
  for (const Table::Row& row : table.rows)
    for (const std::string& cell : row.cells) widest = std::max(widest, width_of(cell));
  std::vector<Message> lines;
  std::vector<std::string> marks;
  for (const Table::Row& row : table.rows) lines.push_back(aligned(row.name, row.cells, widest));
  for (const bool wrong : table.wrong) marks.emplace_back(wrong ? "✗" : "");
  lines.push_back(aligned("", marks, widest));
  return lines;
}

// "767 of 1023 are wrong: every element from out[256] on; each of them is 0". Of a single one: "it is 0".
std::vector<Message> summary(const Mismatch& wrong) {
  std::vector<Message> parts;
  if (wrong.of > 1) {
    const Message::Arguments counts = {{"wrong", wrong.wrong}, {"count", wrong.of}};
    parts.push_back(wrong.wrong == 1 ? message("{wrong} of {count} is wrong", counts)
                                     : message("{wrong} of {count} are wrong", counts));
    if (wrong.place)
      parts.back() = message("{what}: {where}", {{"what", parts.back()}, {"where", text_of(*wrong.place)}});
  }
  if (wrong.value) parts.push_back(text_of(*wrong.value, wrong.wrong == 1));
  return parts;
}

}  // namespace

size_t columns_that_fit(size_t widest) { return (kTableWidth - kLabelWidth) / (widest + kGap); }

Message text_of(const Fact& fact, bool is_single) {
  static const std::map<std::string, const char*> kTexts = {
      {"all", later("every element")},
      {"only", later("{array}[{first}] alone")},
      {"last", later("{array}[{first}], the last one")},
      {"from", later("every element from {array}[{first}] on")},
      {"range", later("{array}[{first}] to {array}[{last}]")},
      {"every", later("one element in {step}, from {array}[{first}] on")},
      {"kept", later("{which} still holds what it held before the call")},
      {"nothing_stored", later("nothing was stored in {array}: it still holds what it held before the call")},
      {"zero", later("{which} is 0")},
      {"nan", later("{which} is NaN")},
      {"sum_nan", later("it is NaN")},
      {"input", later("{which} is its own input")},
      {"next", later("each {array}[i] has the value that {array}[i + 1] should have")},
      {"before", later("each {array}[i] has the value that {array}[i - 1] should have")},
      {"starts_anew", later("{array}[{first}] is {start}, as if the sum began there")},
      {"starts_alone", later("{array}[{first}] is {start} alone, as if the sum began there")},
      {"too_small", later("{which} is {by} too small")},
      {"too_large", later("{which} is {by} too large")},
      {"fraction", later("{which} is off by less than 1")},
      {"counted", later("together the bins have {counted} of {n} bytes")},
      {"not_zeroed", later("{which} was counted up from -1, which the array held before the call")},
      {"other_order", later("the elements are right, but in another order")},
      {"input_order", later("they are in the order of the input")},
      {"not_stable", later("elements with equal keys have changed their order")},
      {"not_the_input", later("{array} has other elements than the input: some are lost, or are there twice")},
      {"behind_count", later("the elements behind the {count} selected ones must stay as they were")},
      {"word_cut", later("that is not a whole word of the text")},
      {"word_twice", later("the same word stands there twice")},
      {"word_missing", later("a word is missing")},
      {"other_word", later("a more frequent word is missing")},
      {"counted_less", later("some of its occurrences are missing")},
      {"counted_more", later("it was counted more often than it occurs")},
      {"behind_words", later("the elements behind the {count} words must stay as they were")},
      {"sum_zero", later("nothing was added")},
      {"sum_twice", later("that is twice the sum")},
      {"sum_ones", later("{got} of the {n} ones were added")},
      {"sum_more", later("that is {by} more than there are ones")},
      {"sum_first", later("that is the sum of the first {count} of {n} elements")},
      {"sum_rounded", later("that differs by the rounding of a float")},
  };
  Message::Arguments arguments = {{"which", is_single ? message("it") : message("each of them")}};
  for (const auto& [key, value] : fact.arguments) arguments.emplace_back(key, value);
  const auto start = fact.arguments.find("start");
  const bool is_alone = start != fact.arguments.end() && start->second != "0";  // an element, and not an empty sum
  return message(kTexts.at(is_alone ? "starts_alone" : fact.name), std::move(arguments));
}

std::vector<Message> lines_of(const Mismatch& wrong) {
  const auto said = [](const Message& value) {
    return value == kKept ? message("what it held before the call") : value;
  };
  if (wrong.value && wrong.value->name == "nothing_stored")
    return {text_of(*wrong.value), message("{where}: want {want}", {{"where", wrong.where}, {"want", wrong.want}})};
  std::vector<Message> lines = {
      message("{where}: got {got}, want {want}",
              {{"where", wrong.where}, {"got", said(wrong.got)}, {"want", said(wrong.want)}})};
  if (const auto parts = summary(wrong); !parts.empty()) lines.push_back(together(parts, "; "));
  if (!wrong.tolerance.empty()) lines.push_back(message("tolerance {tolerance}", {{"tolerance", wrong.tolerance}}));
  if (!wrong.table.rows.empty()) std::ranges::copy(lines_of(wrong.table), std::back_inserter(lines));
  return lines;
}

}  // namespace warpladder
