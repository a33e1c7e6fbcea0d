#include "grader/judge/verdict/page.h"

#include <algorithm>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

constexpr size_t kBeside = 9;                // characters before a text with a word at its side
constexpr size_t kOnPage = 15, kFewest = 5;  // lines of a failure on the usual page; lines of its steps

std::string table(const std::vector<std::vector<Message>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i].text()));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = "   ";
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string cell = row[i].text(), gap(widths[i] - width_of(cell), ' ');
      line += i == 0 ? " " + cell + gap : "   " + gap + cell;
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string text_of(const Part& part) {
  if (part.kind == Part::Kind::kTable) return table(part.rows);
  std::string said = part.text.text();
  if (part.kind == Part::Kind::kFirst) said = said.substr(0, said.find(". "));
  const bool is_line = part.kind == Part::Kind::kLine || part.kind == Part::Kind::kPrinted;
  const std::string indent = part.word.empty() ? part.indent : std::string(kBeside, ' ');
  const std::string rows = is_line ? indent + said + "\n" : wrapped(said, indent);
  if (part.word.empty()) return rows;
  const std::string beside = part.indent + part.word.text();
  return beside + rows.substr(beside.size());
}

size_t lines_in(const std::string& text) { return static_cast<size_t>(std::ranges::count(text, '\n')); }

// Steps end at so many lines, so that the next step is still on the screen.
std::string cut(const std::string& text, size_t most) {
  const std::vector<std::string> lines = split(text, '\n');
  if (lines.size() <= most) return text;
  std::string out;
  for (size_t i = 0; i + 1 < most; ++i) out += lines[i] + "\n";
  const Message left = message("… {count} lines left out; --json keeps them", {{"count", lines.size() - most + 1}});
  return out + "    " + left.text() + "\n";
}

}  // namespace

std::string to_text(const Page& page) {
  std::string text;
  for (size_t i = 0; i < page.size(); ++i) {
    if (page[i].kind != Part::Kind::kStep) {
      text += text_of(page[i]);
      continue;
    }
    std::string steps;
    for (; i < page.size() && page[i].kind == Part::Kind::kStep; ++i) steps += text_of(page[i]);
    size_t taken = 1;  // the line above the steps, and all below but what the code has printed
    for (size_t below = i; below < page.size(); ++below)
      if (page[below].kind != Part::Kind::kPrinted) taken += lines_in(text_of(page[below]));
    const size_t most = kOnPage * kUsualPage / page_width();
    text += cut(steps, std::max(kFewest, most - std::min(most, taken)));
    --i;
  }
  return visible(text);
}

}  // namespace warpladder
