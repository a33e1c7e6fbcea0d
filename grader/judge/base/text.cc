// text: numbers and lists → words; any bytes → text that a terminal, a log or a page shows as it is written, without
// obeying it.
#include "grader/judge/base/text.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace warpladder {
namespace {

struct Range {
  uint32_t first, last;
};

// Code points that a reader does not see, or that change how the text around them looks: Unicode's categories Cc
// (control), Cf (format), Zl and Zp (separators of lines and paragraphs). Line feed and tab are left out: they are
// layout. Python's unicodedata lists the same, of Unicode 16; a test compares the two.
constexpr Range kInvisible[] = {
    {0x0, 0x8},         {0xB, 0x1F},        {0x7F, 0x9F},       {0xAD, 0xAD},       {0x600, 0x605},
    {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},
    {0x180E, 0x180E},   {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x2064},   {0x2066, 0x206F},
    {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F},
    {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0001, 0xE0001}, {0xE0020, 0xE007F},
};

bool is_invisible(uint32_t point) {
  return std::ranges::any_of(kInvisible, [&](Range range) { return range.first <= point && point <= range.last; });
}

// The number of bytes of the UTF-8 character at the front, with its code point; 0 if the bytes there are none.
size_t character_at(std::string_view text, uint32_t& point) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  const size_t size = first < 0x80 ? 1 : (first >> 5) == 6 ? 2 : (first >> 4) == 14 ? 3 : (first >> 3) == 30 ? 4 : 0;
  if (size == 0 || size > text.size()) return 0;
  point = size == 1 ? first : first & (0x7F >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    point = point << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // fewer bytes would do: not UTF-8
  const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
  return point < kLeast[size] || point > 0x10FFFF || is_surrogate ? 0 : size;
}

std::string escaped(const char* format, uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

namespace {
size_t columns_of_page = kUsualPage;
}  // namespace

size_t page_width() { return columns_of_page; }
void set_page_width(size_t characters) { columns_of_page = characters; }

std::string wrapped(const std::string& text, const std::string& indent) {
  std::string out;
  for (const std::string& line : split(text, '\n')) {
    const std::string deeper = indent + line.substr(0, line.find_first_not_of(' ')) + "  ";
    std::string row = indent + line;
    while (width_of(row) > columns_of_page) {
      size_t end = 0, width = 0;  // bytes and characters that fit
      for (; width <= columns_of_page; ++end) width += (row[end] & 0xC0) != 0x80;
      const size_t least = row.find_first_not_of(' ');
      size_t space = row.rfind(' ', end - 1);
      if (space == std::string::npos || space <= least) space = row.find(' ', end);
      if (space == std::string::npos) break;
      out += row.substr(0, space) + "\n";
      row = deeper + row.substr(space + 1);
    }
    out += row + "\n";
  }
  return out;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

namespace {

// Levenshtein's distance: letters to insert, to remove or to replace.
size_t distance(std::string_view one, std::string_view other) {
  std::vector<size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < one.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < other.size(); ++j) {
      const size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view text, const std::vector<std::string>& names) {
  return *std::ranges::min_element(names, {}, [&](const std::string& name) { return distance(text, name); });
}

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    uint32_t point = 0;
    const size_t size = character_at(text, point);
    if (size == 0) {
      out += escaped("\\x%02x", static_cast<unsigned char>(text.front()));
    } else if (is_invisible(point)) {
      out += escaped(point > 0xFFFF ? "\\U%08x" : "\\u%04x", point);
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return out;
}

}  // namespace warpladder
