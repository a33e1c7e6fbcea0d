// comparison_test: which comparisons ask the same.
#include "sass/comparison.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

Relation integer(std::string_view name, std::optional<int64_t> left, std::optional<int64_t> right) {
  return relation_of(name, false, left, right);
}

TEST(Comparison, AQuestionAndItsOppositeAreTheSame) {
  EXPECT_EQ(integer("lt", {}, 5), integer("GE", {}, 5));
  EXPECT_EQ(integer("le", {}, 5), integer("GT", {}, 5));
  EXPECT_EQ(integer("eq", {}, 5), integer("NE", {}, 5));
  EXPECT_EQ(integer("lt", {}, {}), integer("GE", {}, {}));
}

TEST(Comparison, TheSidesMayBeExchanged) {
  EXPECT_EQ(integer("lt", 5, {}), integer("gt", {}, 5)) << "5 < x";
  EXPECT_EQ(integer("ge", 5, {}), integer("le", {}, 5));
  EXPECT_EQ(integer("ne", 0, {}), integer("ne", {}, 0));
}

TEST(Comparison, IntegersHaveNothingBetweenFiveAndSix) {
  EXPECT_EQ(integer("le", {}, 5), integer("lt", {}, 6));
  EXPECT_EQ(integer("hi", {}, 5), integer("hs", {}, 6));
  EXPECT_NE(integer("lt", {}, 5), integer("lt", {}, 6));
  EXPECT_NE(integer("lt", {}, 5), integer("le", {}, 5));
}

TEST(Comparison, FloatsHave) {
  const int64_t five = float_bits(5);
  EXPECT_EQ(relation_of("lt", true, {}, five), relation_of("GEU", true, {}, five)) << "the opposite counts NaN";
  EXPECT_NE(relation_of("lt", true, {}, five), relation_of("le", true, {}, five));
  EXPECT_NE(relation_of("le", true, {}, five), relation_of("lt", true, {}, five + 1));
}

TEST(Comparison, OtherKindsDiffer) {
  EXPECT_NE(integer("eq", {}, 5), integer("lt", {}, 5));
  EXPECT_NE(integer("lt", {}, 5), integer("lt", {}, {}));
  EXPECT_NE(integer("lt", {}, {}), relation_of("lt", true, {}, {}));
  EXPECT_EQ(relation_of("num", true, {}, {}).kind, Relation::kOther);
}

}  // namespace
}  // namespace lockstep
