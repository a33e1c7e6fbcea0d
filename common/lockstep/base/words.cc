#include "base/words.h"

#include <algorithm>

namespace lockstep {
namespace {

// Characters that no name of a program can hold. Open, form, key, value, key, value, …, close.
constexpr char kOpen = '\1', kKey = '\2', kValue = '\3', kClose = '\4';
constexpr std::string_view kMarks = "\1\2\3\4";
constexpr int kDeepest = 16;  // words in words. A program under the judge may send any text.

// Reads until the mark that ends the text at hand, and takes it away.
Pieces read(std::string_view& rest, int depth) {
  Pieces found;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find_first_of(kMarks), rest.size());
    if (end > 0) found.push_back({std::string(rest.substr(0, end))});
    rest.remove_prefix(end);
    if (rest.empty() || rest.front() != kOpen || depth == kDeepest) return found;
    rest.remove_prefix(1);
    const size_t form = std::min(rest.find_first_of(kMarks), rest.size());
    Piece piece{std::string(rest.substr(0, form)), true};
    rest.remove_prefix(form);
    while (rest.starts_with(kKey)) {
      const size_t value = std::min(rest.find(kValue), rest.size());
      std::string key(rest.substr(1, value - 1));
      rest.remove_prefix(std::min(value + 1, rest.size()));
      piece.arguments.emplace_back(std::move(key), read(rest, depth + 1));
    }
    if (!rest.empty()) rest.remove_prefix(1);  // kClose
    found.push_back(std::move(piece));
  }
  return found;
}

std::string text_of(const Pieces& all);

std::string filled(const Piece& piece) {
  std::string text;
  for (size_t at = 0; at < piece.text.size();) {
    const size_t open = piece.text.find('{', at), close = piece.text.find('}', open);
    text += piece.text.substr(at, open - at);
    if (close == std::string::npos) return text;
    const std::string key = piece.text.substr(open + 1, close - open - 1);
    for (const auto& [name, value] : piece.arguments)
      if (name == key) text += text_of(value);
    at = close + 1;
  }
  return text;
}

std::string text_of(const Pieces& all) {
  std::string text;
  for (const Piece& piece : all) text += piece.is_words ? filled(piece) : piece.text;
  return text;
}

}  // namespace

std::string words(std::string_view form, const Facts& arguments) {
  std::string marked = kOpen + std::string(form);
  for (const auto& [key, value] : arguments) marked += kKey + key + kValue + value;
  return marked + kClose;
}

std::string with_next(const std::string& what, const std::string& next) { return what + "\n  Next: " + next; }

std::string byte_count(uint64_t bytes) {
  return bytes == 1 ? words("1 byte") : words("{count} bytes", {{"count", std::to_string(bytes)}});
}

std::string at_place(const std::string& place) { return place.empty() ? "" : words(" at {place}", {{"place", place}}); }

Pieces pieces(std::string_view marked) {
  Pieces all;
  while (!marked.empty()) {
    Pieces found = read(marked, 0);
    std::ranges::move(found, std::back_inserter(all));
    if (!marked.empty()) marked.remove_prefix(1);  // a mark that opens nothing
  }
  return all;
}

std::string plain(std::string_view marked) { return text_of(pieces(marked)); }

std::string harmless(std::string_view marked) {
  std::string text(marked);
  for (char& c : text)
    if ((static_cast<unsigned char>(c) < ' ' && c != '\n' && kMarks.find(c) == kMarks.npos) || c == 0x7f) c = '?';
  return text;
}

}  // namespace lockstep
