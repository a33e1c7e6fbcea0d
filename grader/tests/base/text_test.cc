#include "grader/judge/base/text.h"

#include <gtest/gtest.h>

namespace warpladder {
namespace {

TEST(Text, GoesOnBelowWhereALineIsTooLong) {
  EXPECT_EQ(wrapped("short", "  "), "  short\n");
  EXPECT_EQ(wrapped("", "  "), "");
  const std::string words = "twelve bytes twelve bytes twelve bytes twelve bytes twelve bytes twelve bytes";
  EXPECT_EQ(wrapped(words, "  "),
            "  twelve bytes twelve bytes twelve bytes twelve bytes twelve bytes twelve\n    bytes\n");
  EXPECT_EQ(wrapped("  at " + words, ""),
            "  at twelve bytes twelve bytes twelve bytes twelve bytes twelve bytes twelve\n    bytes\n");
  const std::string path(100, 'x');
  EXPECT_EQ(wrapped(path, "  "), "  " + path + "\n") << "a word is never broken";
  EXPECT_EQ(wrapped("at " + path + " here", ""), "at\n  " + path + "\n  here\n");
  const std::string table = "i" + std::string(60, ' ') + "✗";
  EXPECT_EQ(wrapped(table, "    "), "    " + table + "\n");
}

TEST(Text, IsAsWideAsThePage) {
  set_page_width(kNarrowestPage);
  EXPECT_EQ(wrapped("twelve bytes twelve bytes", "  "), "  twelve bytes\n    twelve bytes\n");
  set_page_width(kUsualPage);
}

TEST(Text, FindsWhatWasMeant) {
  EXPECT_EQ(nearest("forwards", {"reverse", "forward", "random:1"}), "forward");
  EXPECT_EQ(nearest("", {"ab", "a"}), "a");
  EXPECT_EQ(either({"a"}), "a");
  EXPECT_EQ(either({"a", "b", "c"}), "a, b or c");
}

TEST(Visible, OrdinaryTextStaysAsItIs) {
  for (const char* text : {"", "a line\n\tand another\n", "größe 合計 · … ×", "לאה", "\U0001F600", "back\\slash"})
    EXPECT_EQ(visible(text), text);
}

TEST(Visible, WhatCommandsATerminalIsWrittenAsANumber) {
  EXPECT_EQ(visible("\x1b[31mred\x1b]0;title\a"), "\\u001b[31mred\\u001b]0;title\\u0007");
  EXPECT_EQ(visible("over\rwritten\b"), "over\\u000dwritten\\u0008");
  EXPECT_EQ(visible("\x7f\xc2\x9b"
                    "2J"),
            "\\u007f\\u009b2J");
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\u0000b");
}

TEST(Visible, WhatTurnsOrHidesTextIsWrittenAsANumber) {
  EXPECT_EQ(visible("\u061c\u200e\u200f"), "\\u061c\\u200e\\u200f");
  EXPECT_EQ(visible("\u202a\u202b\u202c\u202d\u202e"), "\\u202a\\u202b\\u202c\\u202d\\u202e");
  EXPECT_EQ(visible("\u2066\u2067\u2068\u2069"), "\\u2066\\u2067\\u2068\\u2069");
  EXPECT_EQ(visible("a\u200b\u2028\u2029\ufeff\u00adz"), "a\\u200b\\u2028\\u2029\\ufeff\\u00adz");
  EXPECT_EQ(visible("\U000e0041"), "\\U000e0041");  // a tag: no font draws it
}

TEST(Visible, BytesThatAreNotUtf8AreWrittenAsNumbers) {
  EXPECT_EQ(visible("\x9b[31m"), "\\x9b[31m");       // an 8-bit terminal would obey it
  EXPECT_EQ(visible("gr\xf6\xdf"), "gr\\xf6\\xdf");  // Latin-1, and cut off at the end
  EXPECT_EQ(visible("\xc0\x9b"), "\\xc0\\x9b");      // too long a form of U+001B
  EXPECT_EQ(visible("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
  EXPECT_EQ(visible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(visible("\xe2\x80"), "\\xe2\\x80");
}

}  // namespace
}  // namespace warpladder
