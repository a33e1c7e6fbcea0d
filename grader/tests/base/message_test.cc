#include "grader/judge/base/message.h"
#include "grader/judge/base/json.h"

#include <gtest/gtest.h>

namespace warpladder {
namespace {

TEST(Message, SaysItselfInEnglish) {
  const Message name = std::string("out[3]");
  EXPECT_EQ(name.text(), "out[3]");
  EXPECT_EQ(message("{n} of {array} and {n}", {{"n", 2}, {"array", name}}).text(), "2 of out[3] and 2");
  EXPECT_EQ(message("{inner}!", {{"inner", message("a {b}", {{"b", 1}})}}).text(), "a 1!");
  EXPECT_EQ(message("A } is missing behind the { of it").text(), "A } is missing behind the { of it");
  EXPECT_EQ(together({name, message("two")}, ", ").text(), "out[3], two");
}

// An argument may come from a submission.
TEST(Message, NeverReadsAnArgumentAsAForm) {
  EXPECT_EQ(message("{a} {b}", {{"a", std::string("{b}")}, {"b", std::string("{a}")}}).text(), "{b} {a}");
  EXPECT_EQ(Message(std::string("{a}")).text(), "{a}");
}

TEST(Message, FillsACellUp) {
  Message cell = message("got");
  cell.columns = 6;
  EXPECT_EQ(cell.text(), "got   ");
  EXPECT_EQ(Json(cell), (Json{{"form", "got"}, {"arguments", Json::object()}, {"columns", 6}}));
}

TEST(Message, ChangesOnlyWhatIsTheSameInEveryLanguage) {
  const Message before = message("/a/b {file}", {{"file", std::string("/a/b")}});
  EXPECT_EQ(before.changed([](const std::string&) { return std::string("b"); }).text(), "/a/b b");
}

TEST(Message, IsAStringInJsonIfItIsNoWords) {
  EXPECT_EQ(Json(Message(std::string("out[3]"))), Json("out[3]"));
  EXPECT_EQ(Json(message("{n} words", {{"n", 7}})), (Json{{"form", "{n} words"}, {"arguments", {{"n", "7"}}}}));
}

}  // namespace
}  // namespace warpladder
