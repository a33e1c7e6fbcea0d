#include "base/words.h"
#include "base/findings.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Words, ArePartsOfAString) {
  const std::string marked =
      "a " + words("{n} of {what}", {{"n", "2"}, {"what", words("three {x}", {{"x", "4"}})}}) + "!";
  EXPECT_EQ(plain(marked), "a 2 of three 4!");
  const Pieces all = pieces(marked);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].text + all[2].text, "a !");
  EXPECT_TRUE(all[1].is_words);
  EXPECT_EQ(all[1].text, "{n} of {what}");
  ASSERT_EQ(all[1].arguments.size(), 2u);
  EXPECT_EQ(all[1].arguments[1].first, "what");
  EXPECT_EQ(all[1].arguments[1].second.front().text, "three {x}");
}

TEST(Words, AnArgumentIsNeverAForm) { EXPECT_EQ(plain(words("{a}{b}", {{"a", "{b}"}, {"b", "{a}"}})), "{b}{a}"); }

// Whatever a name holds, the text is read to its end.
TEST(Words, StrayMarksAreLeftOut) {
  for (const char* text : {"\1a", "a\4b", "\2a\3b", "\1f\2k", "\1f\2k\3", "\4\4\4"})
    EXPECT_EQ(plain(text).find_first_of("\1\2\3\4"), std::string::npos);
  EXPECT_EQ(plain("a\4b"), "ab");
}

TEST(Words, OfATextFromOutsideOnlyTheMarksStay) {
  EXPECT_EQ(harmless("a\033[2J\r\177\nb" + words("c")), "a?[2J??\nb" + words("c"));
}

TEST(Words, TheNextStepHasALineOfItsOwn) {
  EXPECT_EQ(plain(with_next(words("{a} is wrong", {{"a", byte_count(1)}}), words("stop."))),
            "1 byte is wrong\n  Next: stop.");
}

TEST(Words, FindingsTakeTheMarksOut) {
  Findings findings;
  const size_t index =
      findings.add({.kind = "race", .message = words("race: {x}", {{"x", "s[1]"}}) + "\n  Next: stop."});
  findings.add_line(index, "\n  " + words("in line {line}", {{"line", "3"}}));
  const Finding& finding = findings.all().front();
  EXPECT_EQ(finding.message, "race: s[1]\n  in line 3\n  Next: stop.");
  EXPECT_EQ(plain(finding.marked), finding.message);
  EXPECT_NE(finding.marked, finding.message);
}

}  // namespace
}  // namespace lockstep
