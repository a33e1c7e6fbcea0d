// forms_test: what the comparison of a program with its machine code says of each access. The machine's accesses stand
// in the tests, as listing_test reads them.
#include "sass/forms.h"
#include "base/words.h"

#include "program/register_use.h"
#include "sass/program_flow.h"

#include "tests/sass/kernel.h"

namespace lockstep {
namespace {

class Compared {
 public:
  Compared(const Kernel& kernel, std::vector<MachineAccess> machine)
      : kernel_(kernel), forms(compare(kernel.program(), {std::move(machine), 0})) {}
  const AccessForm& operator[](std::string_view text) const { return forms.of[kernel_.access(text).index]; }

 private:
  const Kernel& kernel_;

 public:
  const Forms forms;
};

MachineAccess changed(MachineAccess access, const std::function<void(MachineAccess&)>& change) {
  change(access);
  return access;
}

bool says(const std::string& text, const char* part) { return plain(text).find(part) != std::string::npos; }

TEST(Forms, WhatPtxasLeavesAsItIsIsExact) {
  const Kernel kernel("ld.global.v2.u32 {%r3,%r4}, [%rd1];\nst.shared.u8 [s], %r3;\nred.global.add.u32 [%rd2], %r4;");
  const Compared of(kernel,
                    {kernel.as_written("ld.global"), kernel.as_written("st.shared"), kernel.as_written("red.g")});
  for (const char* access : {"ld.global", "st.shared", "red.g"}) {
    EXPECT_EQ(of[access].kind, AccessForm::kAsWritten) << access;
    EXPECT_EQ(of[access].doubt + of[access].note, "") << access;
    EXPECT_FALSE(of[access].parts || of[access].retries || of[access].generic) << access;
    EXPECT_TRUE(of[access].moved_to.empty()) << access;
  }
}

constexpr const char* kFour =
    "ld.shared.u32 %r3, [s];\nld.shared.u32 %r4, [s+4];\nld.shared.u32 %r5, [s+8];\nld.shared.u32 %r6, [s+12];";

TEST(Forms, OneLoadOfSixteenBytesForFour) {
  const Kernel kernel(kFour);
  const Compared of(kernel, {changed(kernel.as_written("[s+8]"), [](auto& a) { a.bytes = 16; })});
  EXPECT_EQ(of["[s+8]"].kind, AccessForm::kWider);
  EXPECT_EQ(of["[s+8]"].bytes, 16);
  EXPECT_EQ(of["[s+8]"].doubt, "");
  EXPECT_TRUE(says(of["[s+8]"].note, "one access of 16 bytes"));
  for (const char* other : {"[s];", "[s+4]", "[s+12]"}) {
    EXPECT_EQ(of[other].kind, AccessForm::kGone) << other;
    EXPECT_EQ(of[other].doubt, "") << other;
  }
}

TEST(Forms, InGlobalMemoryAWiderStoreCountsAsEachOfItsParts) {
  const Kernel kernel(
      "st.global.u32 [%rd1], %r3;\nst.global.u32 [%rd1+4], %r4;\nst.global.v2.u32 [%rd1+8], {%r3, %r4};");
  const Compared of(
      kernel, {changed(kernel.as_written("[%rd1+4]"), [](auto& a) { a.bytes = 8; }), kernel.as_written("[%rd1+8]")});
  EXPECT_EQ(of["[%rd1+4]"].kind, AccessForm::kAsWritten);
  EXPECT_TRUE(says(of["[%rd1+4]"].note, "one access of 8 bytes"));
  EXPECT_EQ(of["[%rd1],"].kind, AccessForm::kGone);
  for (const char* access : {"[%rd1],", "[%rd1+4]", "[%rd1+8]"}) EXPECT_EQ(of[access].doubt, "") << access;
}

TEST(Forms, OneStoreOfTwoToOnePlaceIsADoubt) {
  const Kernel kernel(
      "st.shared.u32 [%r2], %r3;\n@%p1 st.shared.u32 [%r2], %r4;\nadd.u32 %r3, %r3, 1;\nld.shared.u32 %r5, [s];");
  const MachineAccess store = changed(kernel.as_written("[%r2], %r3"), [](auto& a) { a.line += 2; });
  const Compared of(kernel, {store});
  for (const char* gone : {"[%r2], %r3", "[%r2], %r4"}) EXPECT_TRUE(says(of[gone].doubt, "in another place")) << gone;
  EXPECT_EQ(of["ld.shared"].doubt, "") << "another kind of access";
  const Compared at_a_store(kernel, {kernel.as_written("[%r2], %r4")});
  EXPECT_EQ(at_a_store["[%r2], %r3"].doubt, "");
}

TEST(Forms, TwoLoadsOfEightBytesForFour) {
  const Kernel kernel(kFour);
  const auto widened = [](auto& a) { a.bytes = 8; };
  const Compared of(kernel,
                    {changed(kernel.as_written("[s];"), widened), changed(kernel.as_written("[s+12]"), widened)});
  for (const char* wide : {"[s];", "[s+12]"}) {
    EXPECT_EQ(of[wide].kind, AccessForm::kWider) << wide;
    EXPECT_EQ(of[wide].bytes, 8) << wide;
  }
}

TEST(Forms, BytesBecomeOneAccessOfTwoOrFour) {
  const Kernel kernel("st.shared.u8 [s], %r3;\nst.shared.u8 [s+1], %r4;\nst.shared.v2.u8 [s+2], {%r3, %r4};");
  const Compared pair(kernel, {changed(kernel.as_written("[s+1]"), [](auto& a) { a.bytes = 2; }),
                               changed(kernel.as_written("[s+2]"), [](auto& a) { a.bytes = 2; })});
  EXPECT_EQ(pair["[s+1]"].kind, AccessForm::kWider);
  EXPECT_EQ(pair["[s+1]"].bytes, 2);
  EXPECT_EQ(pair["[s+2]"].kind, AccessForm::kAsWritten);
  const Compared all(kernel, {changed(kernel.as_written("[s+2]"), [](auto& a) { a.bytes = 4; })});
  EXPECT_EQ(all["[s+2]"].kind, AccessForm::kWider);
  EXPECT_EQ(all["[s+2]"].bytes, 4);
}

// A loop that loads two floats in each turn. If ptxas makes one load of 16 bytes, every second turn loads nothing.
TEST(Forms, AWiderAccessMustBeOfOneTurn) {
  const auto doubt = [](const std::string& turn, int bytes, const char* end) {
    const Kernel kernel("LOOP:\n" + turn + "\nadd.u32 %r2, %r2, 8;\nsetp.ne.u32 %p1, %r2, %r1;\n" + end);
    const auto widened = [&](auto& a) { a.bytes = static_cast<uint8_t>(bytes); };
    return Compared(kernel, {changed(kernel.as_written("[%r2];"), widened)})["[%r2];"].doubt;
  };
  const std::string two = "ld.shared.f32 %f1, [%r2];\nld.shared.f32 %f2, [%r2+4];",
                    four = two + "\nld.shared.f32 %f3, [%r2+8];\nld.shared.f32 %f4, [%r2+12];";
  const char* const loops = "@%p1 bra LOOP;";
  EXPECT_TRUE(says(doubt(two, 16, loops), "the next turn"));
  EXPECT_EQ(doubt(two, 8, loops), "");
  EXPECT_EQ(doubt(four, 16, loops), "");
  EXPECT_EQ(doubt(two, 16, ""), "") << "no loop: the rest is not used";
}

// An array in local memory that a loop of 16 turns fills. `stores`: the widths of the machine's stores, in `loops`
// loops.
std::string doubt_of_filled(const std::string& store, const std::vector<int>& stores, uint32_t loops = 0,
                            const std::string& turns = "16") {
  const Kernel kernel(".local .align 16 .b8 a[64];\nmov.u64 %rd3, a;\nmov.u32 %r3, 0;\nLOOP:\n" + store +
                      "\nadd.s64 %rd3, %rd3, 4;\nadd.s32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, " + turns +
                      ";\n@%p1 bra LOOP;");
  std::vector<MachineAccess> machine;
  for (const int bytes : stores)
    machine.push_back(changed(kernel.as_written("[%rd3]"), [&](auto& a) {
      a.bytes = static_cast<uint8_t>(bytes), a.loops = loops;
      if (loops) a.conditions = {kernel.line("setp")};
    }));
  const AccessForm form = Compared(kernel, machine)["[%rd3]"];
  EXPECT_EQ(form.kind, AccessForm::kAsWritten);
  return form.doubt;
}

TEST(Forms, StoresOfSeveralTurnsCountAsWordsInLocalMemory) {
  const std::string word = "st.local.u32 [%rd3], %r2;";
  EXPECT_EQ(doubt_of_filled(word, {16, 16, 16, 16}), "");
  EXPECT_EQ(doubt_of_filled(word, {16, 16, 16, 8, 4, 4}), "") << "also in different widths";
  EXPECT_EQ(doubt_of_filled(word, {16}, 1), "") << "four turns in one";
  EXPECT_EQ(doubt_of_filled(word, {16, 16}, 1), "");
  EXPECT_TRUE(says(doubt_of_filled(word, {16, 16, 16}), "cannot name")) << "of twelve turns";
  EXPECT_TRUE(says(doubt_of_filled(word, {16, 16, 16}, 1), "cannot name")) << "16 turns are no multiple of 12";
  EXPECT_TRUE(says(doubt_of_filled(word, {16, 16, 16, 16}, 0, "%r1"), "cannot name")) << "of unknown turns";
  EXPECT_TRUE(says(doubt_of_filled("st.local.u16 [%rd3], %r2;", {16, 16}), "cannot name"))
      << "a card counts one word for two halves";
  EXPECT_NE(doubt_of_filled("ld.local.u32 %r4, [%rd3];", {16, 16, 16, 16}), "") << "a load";
}

TEST(Forms, AWidthThatThePtxDoesNotExplainIsADoubt) {
  const Kernel kernel("ld.global.u32 %r3, [%rd1];");
  const auto with = [&](int bytes) {
    return Compared(kernel, {changed(kernel.as_written("ld.g"),
                                     [&](auto& a) { a.bytes = static_cast<uint8_t>(bytes); })})["ld.g"]
        .doubt;
  };
  EXPECT_TRUE(says(with(16), "accesses that lockstep cannot name"));
  const Compared mixed(kernel,
                       {kernel.as_written("ld.g"), changed(kernel.as_written("ld.g"), [](auto& a) { a.bytes = 8; })});
  EXPECT_TRUE(says(mixed["ld.g"].doubt, "different widths"));
}

// int i = offsets[k], where the offsets are of 64 bits.
TEST(Forms, ThePartThatIsUsedCountsTheSameInGlobalMemory) {
  const auto of_part = [](const char* load, int copies) {
    const Kernel kernel(load);
    const MachineAccess part = changed(kernel.as_written(load), [](auto& a) { a.bytes = 4; });
    return Compared(kernel, std::vector<MachineAccess>(static_cast<size_t>(copies), part))[load];
  };
  const AccessForm used = of_part("ld.global.u64 %rd3, [%rd1];", 1);
  EXPECT_EQ(used.kind, AccessForm::kAsWritten);
  EXPECT_EQ(used.doubt, "");
  EXPECT_TRUE(says(of_part("ld.global.u64 %rd3, [%rd1];", 2).doubt, "narrower")) << "two halves, or two copies";
  EXPECT_TRUE(says(of_part("ld.shared.u64 %rd3, [s];", 1).doubt, "narrower"));
}

TEST(Forms, WhatHasNoInstructionCountsNothing) {
  const Kernel kernel("ld.global.u32 %r3, [%rd1];\nst.global.u32 [%rd2], %r3;");
  const Compared of(kernel, {});
  EXPECT_EQ(of["ld.g"].kind, AccessForm::kGone);
  EXPECT_TRUE(says(of["ld.g"].note, "leaves this load out"));
  EXPECT_TRUE(says(of["st.g"].note, "leaves this store out"));
}

// ---- places ----

constexpr const char* kConditional =
    "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra OUT;\nld.shared.u32 %r3, [s];\nst.shared.u32 [s+512], %r3;\nOUT:\n"
    "st.global.u32 [%rd1], %r2;";

TEST(Forms, AConditionMayBecomeAGuard) {
  const Kernel kernel(kConditional);
  const auto in_if = [&](auto& a) { a.conditions = {kernel.line("setp")}; };
  const Compared of(kernel, {changed(kernel.as_written("ld.s"), in_if), changed(kernel.as_written("st.s"), in_if),
                             kernel.as_written("st.g")});
  for (const char* access : {"ld.s", "st.s", "st.g"}) {
    EXPECT_EQ(of[access].doubt, "") << access;
    EXPECT_TRUE(of[access].moved_to.empty()) << access;
  }
}

TEST(Forms, ALoadBeforeItsConditionIsExactOnlyIfAllWarpsAreThere) {
  const Kernel kernel(kConditional);
  const Compared of(kernel, {kernel.as_written("ld.s")});
  EXPECT_EQ(of["ld.s"].doubt, "");
  EXPECT_EQ(of["ld.s"].moved_to, std::vector<uint32_t>{kernel.program().functions[0].entry}) << "before the condition";
}

// load; if (n > 0) { use the value } else { … }: both sides ask the same comparison. An H200 with n = 0 made no load.
TEST(Forms, ALoadMovesToTheSideThatUsesItsValue) {
  const auto moved_to = [](const std::string& before, const std::string& use, const std::string& other) {
    const Kernel kernel("ld.global.u32 %r3, [%rd1];\n" + before + "setp.gt.s32 %p1, %r1, 0;\n@%p1 bra IN;\n" + other +
                        "mov.u32 %r5, 7;\nbra OUT;\nIN:\n" + use + "OUT:\nst.global.u32 [%rd2], %r5;");
    const auto in_if = [&](auto& a) { a.conditions = {kernel.line("setp")}; };
    std::vector<std::string> sides;
    const Compared compared(kernel, {changed(kernel.as_written("ld.g"), in_if)});
    for (const uint32_t pc : compared["ld.g"].moved_to)
      sides.emplace_back(pc < kernel.pc("mov.u32 %r5, 7") + 1 ? "other" : "use");
    return sides;
  };
  using Sides = std::vector<std::string>;
  EXPECT_EQ(moved_to("", "mul.lo.u32 %r5, %r3, %r3;\n", ""), Sides{"use"});
  EXPECT_EQ(moved_to("mul.lo.u32 %r4, %r3, %r3;\n", "mov.u32 %r5, %r4;\n", ""), Sides{"use"})
      << "ptxas moves the product, too";
  EXPECT_EQ(moved_to("", "mov.u32 %r5, %r3;\n", "st.shared.u32 [s], %r3;\n"), (Sides{"other", "use"}));
  EXPECT_EQ(moved_to("st.shared.u32 [s], %r3;\n", "mov.u32 %r5, 1;\n", ""), Sides{}) << "it is used before the branch";
}

TEST(Forms, OtherConditionsAreADoubt) {
  const Kernel kernel(kConditional);
  for (const Conditions& conditions : {Conditions{kUnknownLine}, Conditions{kernel.line("st.g")},
                                       Conditions{kernel.line("setp"), kernel.line("st.g")}}) {
    const Compared of(kernel, {changed(kernel.as_written("st.s"), [&](auto& a) { a.conditions = conditions; })});
    EXPECT_TRUE(says(of["st.s"].doubt, "other conditions"));
  }
}

// if (i >= n || n < 3) return; load; if (…) store: ptxas joins the first two, and makes the load where it is used.
TEST(Forms, TheQuestionOfALaterBranchIsAnotherCondition) {
  const Kernel kernel(
      "setp.ge.s32 %p1, %r2, %r1;\nsetp.lt.s32 %p2, %r1, 3;\nor.pred %p3, %p1, %p2;\n@%p3 bra OUT;\n"
      "ld.global.u32 %r3, [%rd1];\nsetp.gt.s32 %p4, %r4, %r2;\n@%p4 bra OUT;\nst.shared.u32 [s], %r3;\nOUT:\n"
      "st.global.u32 [%rd2], %r2;");
  const auto moved_to = [&](const char* other) {
    const auto asks = [&](auto& a) { a.conditions = {kernel.line("setp.ge"), kernel.line(other)}; };
    return Compared(kernel, {changed(kernel.as_written("ld.g"), asks)})["ld.g"].moved_to;
  };
  EXPECT_TRUE(moved_to("setp.lt").empty());
  EXPECT_EQ(moved_to("setp.gt"), std::vector<uint32_t>{kernel.pc("st.s")});
}

// ptxas gives a comparison that it joins with others the line of one of them.
TEST(Forms, AComparisonIsKnownByWhatItAsks) {
  const Kernel kernel(
      "setp.gt.s32 %p1, %r2, 369;\n@%p1 bra OUT;\nsetp.lt.f32 %p2, %f1, %f2;\n@%p2 bra OUT;\n"
      "st.shared.u32 [s], %r2;\nOUT:\nst.global.u32 [%rd1], %r2;");
  const Relation above_369 = relation_of("GT", false, {}, 369), floats = relation_of("GEU", true, {}, {});
  const auto doubt = [&](const std::vector<Relation>& asked) {
    MachineAccess access = kernel.as_written("st.s");
    for (uint32_t i = 0; i < asked.size(); ++i) {
      access.conditions.insert(kernel.line("st.g"));
      access.comparisons.insert({i, kernel.line("st.g"), asked[i]});
    }
    return Compared(kernel, {access})["st.s"].doubt;
  };
  EXPECT_EQ(doubt({above_369, floats}), "");
  EXPECT_EQ(doubt({floats, relation_of("LT", false, {}, 370)}), "") << "turned round";
  EXPECT_TRUE(says(doubt({relation_of("GT", false, {}, 368), floats}), "other conditions")) << "another constant";
  EXPECT_TRUE(says(doubt({above_369, relation_of("GEU", false, {}, {})}), "other conditions")) << "not of floats";
  EXPECT_TRUE(says(doubt({above_369, floats, floats}), "other conditions")) << "one of them is not in the PTX";
}

// if (x < 0 || y >= n) return; if (z > -1) …; else store. ptxas stores before the second question. The first one asks
// what the second one would, of other registers.
TEST(Forms, WhatOneBranchAsksDoesNotStandForAnother) {
  const Kernel kernel(
      "or.b32 %r3, %r2, %r1;\nsetp.lt.s32 %p1, %r3, 0;\nsetp.ge.s32 %p2, %r4, %r1;\nor.pred %p3, %p1, %p2;\n"
      "@%p3 bra OUT;\nsetp.gt.s32 %p4, %r5, -1;\n@%p4 bra OUT;\nst.shared.u32 [s], %r2;\nOUT:\n"
      "st.global.u32 [%rd1], %r2;");
  const Relation sign = relation_of("LT", false, {}, 0), order = relation_of("GE", false, {}, {});
  const auto of = [&](const std::vector<std::pair<const char*, Relation>>& asked) {
    MachineAccess access = kernel.as_written("st.s");
    for (const auto& [text, relation] : asked) {
      access.conditions.insert(kernel.line(text));
      access.comparisons.insert({static_cast<uint32_t>(access.comparisons.size()), kernel.line(text), relation});
    }
    return Compared(kernel, {access})["st.s"];
  };
  // As exact as the launch: if as many lanes make the access as come to the second question.
  const auto depends = [&](const AccessForm& form) {
    const bool one_way = form.one_way.size() == 1 && form.one_way[0].branch == kernel.pc("@%p4") && form.one_way[0].all;
    return form.doubt.empty() && (one_way || form.moved_to == std::vector{kernel.pc("setp.gt")});
  };
  EXPECT_TRUE(depends(of({{"or.b32", sign}, {"or.b32", order}})));
  EXPECT_TRUE(depends(of({{"setp.lt", sign}, {"setp.lt", sign}}))) << "copies of the first one";
  EXPECT_TRUE(depends(of({{"setp.ge", order}, {"st.g", sign}}))) << "the first one asks that, too";
  const AccessForm both = of({{"or.b32", sign}, {"or.b32", order}, {"st.g", sign}});
  EXPECT_TRUE(both.doubt.empty() && both.one_way.empty() && both.moved_to.empty());
}

// if (x <= y) return; if (z < n) …; else store. Joined comparisons may have the line of one of them.
TEST(Forms, AJoinedComparisonIsNoCopy) {
  const Kernel kernel(
      "setp.le.s32 %p1, %r3, %r4;\n@%p1 bra OUT;\nsetp.lt.s32 %p2, %r5, %r1;\n@%p2 bra OUT;\nst.shared.u32 [s], "
      "%r2;\nOUT:\nst.global.u32 [%rd1], %r2;");
  const auto asks_again = [&](bool joined) {
    MachineAccess access = kernel.as_written("st.s");
    const Relation order = relation_of("GE", false, {}, {});
    access.conditions = {kernel.line("setp.le")};
    access.comparisons = {{0, kernel.line("setp.le"), order}, {1, kernel.line("setp.le"), order, joined}};
    const Compared compared(kernel, {access});
    const AccessForm& form = compared["st.s"];
    return form.doubt.empty() && form.one_way.empty() && form.moved_to.empty();
  };
  EXPECT_TRUE(asks_again(true));
  EXPECT_FALSE(asks_again(false)) << "a copy";
}

// ptxas leaves out a branch whose answer it knows. In a launch in which all lanes go there, that changes nothing.
TEST(Forms, ABranchThatIsLeftOutMustSendAllLanesOneWay) {
  const Kernel kernel(
      "setp.gt.s32 %p1, %r2, 369;\n@%p1 bra OUT;\nsetp.lt.s32 %p2, %r2, %r1;\n@%p2 bra OUT;\n"
      "st.shared.u32 [s], %r2;\nOUT:\nst.global.u32 [%rd1], %r2;");
  const auto asks = [&](const char* text) {
    return changed(kernel.as_written("st.s"), [&](auto& a) {
      a.conditions = {kernel.line(text)}, a.comparisons = {{1, kernel.line(text), {}}};
    });
  };
  const Compared second(kernel, {asks("setp.lt")});
  ASSERT_EQ(second["st.s"].one_way.size(), 1u);
  EXPECT_EQ(second["st.s"].doubt, "");
  EXPECT_EQ(second["st.s"].one_way[0].branch, kernel.pc("@%p1"));
  EXPECT_EQ(second["st.s"].one_way[0].probe, kernel.pc("setp.lt"));
  EXPECT_TRUE(second["st.s"].one_way[0].all);
  const Compared none(kernel, {asks("st.g")});
  EXPECT_TRUE(says(none["st.s"].doubt, "other conditions")) << "and asks something else instead";
}

// ptxas makes one indexed branch of the comparisons of a switch.
TEST(Forms, AnIndexedBranchStandsForEqualitiesOfOneRegister) {
  const auto is_exact = [](const std::string& between, int64_t sides) {
    const Kernel kernel("setp.eq.s32 %p1, %r2, 6;\n@%p1 bra SIX;\n" + between +
                        "\nsetp.ne.s32 %p2, %r2, 7;\n@!%p2 bra OUT;\nst.shared.u32 [s], %r2;\nbra OUT;\n"
                        "SIX:\nadd.s32 %r3, %r3, 1;\nOUT:\nst.global.u32 [%rd1], %r3;");
    const auto asks = [&](auto& a) {
      a.conditions = {kernel.line("setp.eq")};
      a.comparisons = {{1, kernel.line("setp.eq"), {Relation::kIndexed, false, sides}}};
    };
    const Compared of(kernel, {changed(kernel.as_written("st.s"), asks)});
    return of["st.s"].doubt.empty() && of["st.s"].one_way.empty() && of["st.s"].moved_to.empty();
  };
  EXPECT_TRUE(is_exact("", 3)) << "6, 7, and the others";
  EXPECT_FALSE(is_exact("", 2)) << "7 has no side of its own";
  EXPECT_FALSE(is_exact("", 4)) << "another number has a side, too";
  EXPECT_FALSE(is_exact("add.s32 %r2, %r2, 1;", 3)) << "another value";
}

// if (i < n) { load; i += 256; } if (i < n) { store } : who does not load does not come to the second question either.
TEST(Forms, AQuestionThatIsAskedAgainMaySendLanesPastBoth) {
  const auto doubt = [](const std::string& between, const std::string& again, const std::string& before = "") {
    const Kernel kernel("setp.ge.s32 %p1, %r2, %r1;\n" + before +
                        "\n@%p1 bra NEXT;\nld.global.u32 %r3, [%rd1];\nadd.s32 %r2, %r2, 256;\n"
                        "NEXT:\n" +
                        between + "\n" + again +
                        "\n@%p2 bra OUT;\nst.shared.u32 [s], %r3;\nOUT:\n"
                        "st.global.u32 [%rd1], %r2;");
    const uint32_t first = kernel.line("%p1, %r2"), second = kernel.line("setp.ge.s32 %p2");
    MachineAccess access = kernel.as_written("st.s");
    access.conditions = {first, second};
    access.comparisons = {{1, first, relation_of("GE", false, {}, {})}, {2, second, relation_of("GE", false, {}, {})}};
    return Compared(kernel, {access})["st.s"].doubt;
  };
  EXPECT_EQ(doubt("", "setp.ge.s32 %p2, %r2, %r1;"), "");
  EXPECT_TRUE(says(doubt("add.s32 %r2, %r2, 1;", "setp.ge.s32 %p2, %r2, %r1;"), "other conditions"))
      << "of another value";
  EXPECT_TRUE(says(doubt("", "setp.ge.s32 %p2, %r1, %r2;"), "other conditions")) << "turned round";
  const std::string same = "setp.ge.s32 %p2, %r2, %r1;";
  EXPECT_TRUE(says(doubt("", same, "add.s32 %r2, %r2, 1;"), "other conditions")) << "changed before the branch";
  EXPECT_TRUE(says(doubt("", same + "\n@%p3 bra OUT;"), "other conditions")) << "lanes may not come to the second one";
}

// if (…) keep = true; and later: if (keep) store.
TEST(Forms, APredicateMayRememberWhichWayWasTaken) {
  const Kernel kernel(
      "setp.eq.u32 %p1, %r2, 0;\nmov.pred %p2, 0;\n@%p1 bra OUT;\nmov.pred %p2, -1;\nOUT:\nbar.sync 0;\n"
      "@%p2 st.shared.u32 [s], %r2;");
  const auto doubt = [&](const char* condition) {
    return Compared(kernel, {changed(kernel.as_written("st.s"),
                                     [&](auto& a) { a.conditions = {kernel.line(condition)}; })})["st.s"]
        .doubt;
  };
  EXPECT_EQ(doubt("%p2, -1"), "");
  EXPECT_TRUE(says(doubt("bar.sync"), "other conditions"));
}

constexpr const char* kLoop =
    "mov.u32 %r3, 0;\nTURN:\nld.shared.u32 %r4, [s];\nadd.u32 %r3, %r3, %r4;\nsetp.lt.u32 %p1, %r3, %r1;\n"
    "@%p1 bra TURN;\nst.global.u32 [%rd1], %r3;";

TEST(Forms, CopiesOfALoopAreExactWhileLanesStayTogether) {
  const Kernel kernel(kLoop);
  const auto in_loop = [&](auto& a) { a.loops = 1, a.conditions = {kernel.line("setp")}; };
  const MachineAccess copy = changed(kernel.as_written("ld.s"), in_loop);
  EXPECT_TRUE(Compared(kernel, {copy})["ld.s"].parted_by.empty());
  const Compared twice(kernel, {copy, copy});
  EXPECT_EQ(twice["ld.s"].parted_by, std::vector<uint32_t>{kernel.pc("@%p1")});
  EXPECT_EQ(twice["ld.s"].doubt, "");
  const MachineAccess certain = changed(copy, [](auto& a) { a.conditions.clear(); });
  EXPECT_TRUE(says(Compared(kernel, {copy, certain})["ld.s"].doubt, "out of a condition"));
}

TEST(Forms, AValueThatIsLoadedAgainIsADoubt) {
  const auto doubt = [](const Kernel& kernel, const MachineAccess& first) {
    return Compared(kernel, {first, changed(first, [](auto& a) { a.again = true; })})["ld.s"].doubt;
  };
  const Kernel once("ld.shared.u32 %r4, [s];\nst.global.u32 [%rd1], %r4;"), loop(kLoop);
  EXPECT_TRUE(says(doubt(once, once.as_written("ld.s")), "makes it again"));
  const auto in_loop = [&](auto& a) { a.loops = 1, a.conditions = {loop.line("setp")}; };
  EXPECT_EQ(doubt(loop, changed(loop.as_written("ld.s"), in_loop)), "") << "the copies are turns";
}

// a += s[k] * s[k + 1]: in the second copy of the turn, s[k] is the s[k + 1] of the first one. So it has one copy.
TEST(Forms, AnAccessWithFewerCopiesThanThoseBesideItIsADoubt) {
  const auto doubt = [](const std::string& between, size_t copies, size_t beside, const std::string& behind = "") {
    const Kernel kernel("TURN:\nld.shared.u32 %r3, [%r5+4];\n" + between + "ld.shared.u32 %r4, [%r5];\n" + behind +
                        "OVER:\nadd.u32 %r5, %r5, 4;\nsetp.ne.u32 %p1, %r5, %r1;\n@%p1 bra TURN;\nOUT:\n"
                        "st.global.u32 [%rd1], %r3;");
    const auto in_loop = [&](auto& a) { a.loops = 1, a.conditions = a.earlier = {kernel.line("setp.ne")}; };
    std::vector<MachineAccess> machine(copies, changed(kernel.as_written("[%r5];"), in_loop));
    machine.insert(machine.end(), beside, changed(kernel.as_written(behind.empty() ? "+4]" : "+8]"), in_loop));
    return Compared(kernel, std::move(machine))["[%r5];"].doubt;
  };
  EXPECT_TRUE(says(doubt("", 1, 2), "fewer copies"));
  EXPECT_EQ(doubt("", 2, 2), "");
  EXPECT_EQ(doubt("", 3, 2), "");
  EXPECT_TRUE(says(doubt("", 1, 2, "ld.shared.u32 %r6, [%r5+8];\n"), "fewer copies")) << "the other one is behind it";
  EXPECT_TRUE(says(doubt("@%p2 bra OVER;\n", 3, 7), "fewer copies")) << "the other one is in each turn";
  EXPECT_EQ(doubt("@%p2 bra OUT;\n", 1, 2), "") << "ptxas may turn the loop round";
}

// do { load; if (p1) { if (p2) break; } } while (p3): all branches decide about the next turn's load. ptxas may load
// behind the first, where fewer lanes come.
TEST(Forms, ALoadMayMoveBehindABranchOfItsTurn) {
  const Kernel kernel(
      "TURN:\nld.global.u32 %r3, [%rd1];\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra NEXT;\nadd.u32 %r4, %r4, %r3;\n"
      "setp.gt.u32 %p2, %r4, 5000;\n@%p2 bra OUT;\nNEXT:\nadd.u32 %r2, %r2, 1;\nsetp.ne.u32 %p3, %r2, 9;\n"
      "@%p3 bra TURN;\nOUT:\nst.global.u32 [%rd2], %r4;");
  const auto load = [&](const std::vector<std::string>& earlier) {
    const Compared of(kernel, {changed(kernel.as_written("ld.g"), [&](auto& a) {
                        a.loops = 1;
                        for (const char* const asks : {"setp.lt", "setp.gt", "setp.ne"})
                          a.conditions.insert(kernel.line(asks));
                        for (const std::string& asks : earlier) a.earlier.insert(kernel.line(asks));
                      })});
    return of["ld.g"];
  };
  EXPECT_EQ(load({"setp.lt", "setp.gt", "setp.ne"}).doubt, "");
  EXPECT_TRUE(load({"setp.lt", "setp.gt", "setp.ne"}).moved_to.empty());
  const AccessForm moved = load({"setp.gt", "setp.ne"});
  ASSERT_EQ(moved.moved_to.size(), 1u) << moved.doubt;
  EXPECT_EQ(moved.moved_to[0], kernel.pc("add.u32 %r4"));
}

TEST(Forms, AccessesOnOneLineAreNotToldApart) {
  const auto doubt = [](const std::string& other) {
    const Kernel kernel("ld.shared.u32 %r3, [s];" + other);
    return Compared(kernel, {kernel.as_written("%r3, [s]")})["%r3, [s]"].doubt;
  };
  EXPECT_TRUE(says(doubt("ld.shared.u32 %r4, [s+16];"), "on its line"));
  EXPECT_EQ(doubt("\nld.shared.u32 %r4, [s+16];"), "");
  EXPECT_EQ(doubt("st.shared.u32 [s+16], %r4;"), "") << "another kind";
}

// ptxas writes the first turns before the loop, as when it knows how many there are. A load of shared memory may be one
// that it makes too early, for a turn that never comes.
TEST(Forms, TheFirstTurnMayStandBeforeTheLoop) {
  const auto doubt = [](const std::string& body, std::string_view text) {
    const Kernel kernel(body);
    const MachineAccess turn =
        changed(kernel.as_written(text), [&](auto& a) { a.loops = 1, a.conditions = {kernel.line("setp.lt")}; });
    return Compared(kernel, {kernel.as_written(text), turn})[text].doubt;
  };
  const auto loop = [](const std::string& access) {
    return "mov.u32 %r3, 0;\nTURN:\n" + access + "\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 96;\n@%p1 bra TURN;\n";
  };
  EXPECT_EQ(doubt(loop("ld.global.u32 %r4, [%rd1];"), "ld.g"), "");
  EXPECT_EQ(doubt(loop("st.shared.u32 [s], %r3;"), "st.s"), "");
  EXPECT_TRUE(says(doubt(loop("ld.shared.u32 %r4, [s];"), "ld.s"), "out of a condition"));
  // The load before the way out of the loop, and another beginning of the next turn behind it.
  const std::string left =
      "mov.u32 %r3, 0;\nTURN:\nst.shared.u32 [s], %r3;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, "
      "%r3, 96;\n@!%p1 bra OUT;\nadd.u32 %r4, %r4, 1;\nbra TURN;\nOUT:\n";
  EXPECT_EQ(doubt(left, "st.s"), "");
  const std::string guarded = "setp.eq.u32 %p2, %r2, 0;\n@%p2 bra OUT;\n" + loop("st.shared.u32 [s], %r3;") + "OUT:";
  EXPECT_TRUE(says(doubt(guarded, "st.s"), "out of a condition"));
}

TEST(Forms, ALoadThatHasTheCopiesOfAStoreIsNotEarly) {
  const Kernel kernel(
      "mov.u32 %r3, 0;\nTURN:\nst.shared.u32 [s], %r3;\nld.shared.u32 %r4, [s+64];\nadd.u32 %r3, %r3, 1;\n"
      "setp.lt.u32 %p1, %r3, 96;\n@%p1 bra TURN;");
  const auto in_loop = [&](auto& a) { a.loops = 1, a.conditions = {kernel.line("setp.lt")}; };
  const MachineAccess load = kernel.as_written("ld.s"), store = kernel.as_written("st.s");
  const MachineAccess load_again = changed(load, in_loop), store_again = changed(store, in_loop);
  EXPECT_EQ(Compared(kernel, {store, load, store_again, load_again})["ld.s"].doubt, "");
  EXPECT_TRUE(says(Compared(kernel, {store_again, load, load_again})["ld.s"].doubt, "out of a condition"));
}

// if (…) load; else load, of one address: ptxas makes one load, which has the line of one of them.
TEST(Forms, OneAccessForTwoSidesOfABranchIsADoubt) {
  const auto doubt = [](const std::string& one, const std::string& other, std::string_view kept, std::string_view gone,
                        const std::string& between = "bra OUT;\nELSE:") {
    const Kernel kernel("setp.eq.u32 %p1, %r2, 0;\n@%p1 bra ELSE;\n" + one + "\n" + between + "\n" + other +
                        "\nOUT:\nst.global.u32 [%rd2+512], %r2;");
    return Compared(kernel, {kernel.as_written(kept)})[gone].doubt;
  };
  const std::string load = "ld.global.u32 %r3, [%rd1+8];", same = "ld.global.u32 %r4, [%rd1+8];";
  EXPECT_TRUE(says(doubt(load, same, "%r3, [", "%r4, ["), "in another place"));
  EXPECT_TRUE(says(doubt(load, same, "%r4, [", "%r3, ["), "in another place"));
  EXPECT_EQ(doubt(load, "ld.global.u32 %r4, [%rd1+64];", "%r3, [", "%r4, ["), "") << "of another address";
  EXPECT_EQ(doubt(load, "ld.global.u32 %r4, [%rd2+8];", "%r3, [", "%r4, ["), "") << "of another register";
  EXPECT_EQ(doubt(load, "ld.global.u8 %r4, [%rd1+8];", "%r3, [", "%r4, ["), "") << "of another width";
  EXPECT_EQ(doubt(load, same, "%r3, [", "%r4, [", "ELSE:"), "") << "one after the other";
  EXPECT_TRUE(
      says(doubt("ld.shared.u32 %r3, [s];", "ld.shared.u32 %r4, [s];", "%r3, [", "%r4, ["), "in another place"));
  EXPECT_TRUE(
      says(doubt("st.global.u32 [%rd1], %r3;", "st.global.u32 [%rd1], %r4;", "], %r3", "], %r4"), "in another place"));
  EXPECT_TRUE(says(doubt("add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd3];",
                         "add.s64 %rd4, %rd1, %rd2;\nld.global.u32 %r4, [%rd4];", "%r3, [", "%r4, ["),
                   "in another place"))
      << "each side makes the address";
}

TEST(Forms, OneAccessForThreeSidesIsADoubtOfTheOtherTwo) {
  const Kernel kernel(
      "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra SECOND;\nld.global.u32 %r3, [%rd1];\nbra OUT;\nSECOND:\n"
      "setp.eq.u32 %p2, %r1, 0;\n@%p2 bra THIRD;\nld.global.u32 %r4, [%rd1];\nbra OUT;\nTHIRD:\n"
      "ld.global.u32 %r5, [%rd1];\nOUT:");
  const Compared of(kernel, {kernel.as_written("%r4, [")});
  for (const char* gone : {"%r3, [", "%r5, ["}) EXPECT_TRUE(says(of[gone].doubt, "in another place")) << gone;
}

// Two instructions with the line of the first load, and none with the line of the second.
TEST(Forms, AnInstructionMayHaveTheLineOfAnother) {
  const Kernel kernel("ld.shared.u32 %r3, [%r2];\nld.shared.u32 %r4, [%r2+64];\nst.shared.u32 [s], %r3;");
  const MachineAccess load = kernel.as_written("[%r2];");
  EXPECT_TRUE(says(Compared(kernel, {load, load})["[%r2+64]"].doubt, "line of another"));
  EXPECT_EQ(Compared(kernel, {load})["[%r2+64]"].doubt, "");
  EXPECT_EQ(Compared(kernel, {load, load})["st.s"].doubt, "") << "another kind of access";
  const Kernel row("ld.shared.u32 %r3, [%r2];\nld.shared.u32 %r4, [%r2+64];\nld.shared.u32 %r5, [%r2+68];");
  const MachineAccess apart = row.as_written("[%r2];");
  MachineAccess wide = row.as_written("[%r2+64];");
  EXPECT_TRUE(says(Compared(row, {apart, apart, wide})["[%r2+68]"].doubt, "line of another"));
  wide.bytes = 8;
  EXPECT_EQ(Compared(row, {apart, apart, wide})["[%r2+68]"].doubt, "") << "it is in the wider load beside it";
}

// if (a[2] …) … a[0] …: ptxas joins both loads, parts them again, and gives both the line of the first.
TEST(Forms, AnInstructionOfAnotherAddressIsNoCopy) {
  const auto doubt = [](const std::string& before, std::string_view address, std::string_view other = "[R4+0x8]") {
    const Kernel kernel(before +
                        "ld.shared.u32 %r3, [%r5+8];\nsetp.ge.u32 %p1, %r2, %r3;\n@%p1 bra OUT;\n"
                        "ld.shared.u32 %r4, [s];\nst.global.u32 [%rd1], %r4;\nOUT:\nadd.u32 %r6, %r6, 1;\n"
                        "setp.ne.u32 %p2, %r6, %r1;\n@%p2 bra LOOP;");
    const auto at = [&](std::string_view text) {
      return changed(kernel.as_written("%r3, ["), [&](auto& a) { a.address = text; });
    };
    return Compared(kernel, {at(other), at(address)})["%r4, ["].doubt;
  };
  const std::string loop = "mov.u32 %r5, %r1;\nLOOP:\n", changes = "LOOP:\nadd.u32 %r5, %r5, 4;\n";
  EXPECT_TRUE(says(doubt(loop, "[R4]"), "line of another"));
  EXPECT_EQ(doubt(loop, "[R4+0x8]"), "") << "a copy";
  EXPECT_EQ(doubt(changes, "[R4+0xc]"), "") << "the next turn of the loop";
}

// for (…) { for (…) { if (…) … ; load } }: which loop is unrolled is told by the loops that have all copies.
TEST(Forms, LanesMustLeaveTheLoopThatIsUnrolledTogether) {
  const Kernel kernel(
      "mov.u32 %r3, 0;\nOUTER:\nmov.u32 %r5, 0;\nINNER:\nsetp.eq.u32 %p3, %r2, %r5;\n@%p3 bra OVER;\n"
      "add.u32 %r6, %r6, 1;\nOVER:\nld.shared.u32 %r4, [s];\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r1;\n"
      "@%p1 bra INNER;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, %r1;\n@%p2 bra OUTER;");
  const auto parted_by = [&](uint32_t loops, uint32_t shared) {
    const auto change = [&](auto& a) {
      a.loops = loops, a.shared_loops = shared, a.conditions = {kernel.line("setp.lt.u32 %p1")};
    };
    const MachineAccess copy = changed(kernel.as_written("ld.s"), change);
    return Compared(kernel, {copy, copy})["ld.s"].parted_by;
  };
  const uint32_t inner = kernel.pc("@%p1"), outer = kernel.pc("@%p2");
  EXPECT_EQ(parted_by(2, 2), std::vector<uint32_t>{}) << "a loop without a rest";
  EXPECT_EQ(parted_by(2, 1), std::vector<uint32_t>{inner});
  EXPECT_EQ(parted_by(2, 0), (std::vector<uint32_t>{inner, outer}));
  EXPECT_EQ(parted_by(1, 1), (std::vector<uint32_t>{inner, outer})) << "one of the loops is gone, and which is open";
}

TEST(Forms, InALoopWithAnEndLanesMustNotPart) {
  const Kernel kernel(
      "mov.u32 %r3, 0;\nTURN:\nsetp.eq.u32 %p3, %r2, %r3;\n@%p3 bra OVER;\nadd.u32 %r6, %r6, 1;\nOVER:\n"
      "ld.shared.u32 %r4, [s];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 exit;\nadd.u32 %r3, %r3, 1;\n"
      "setp.lt.u32 %p1, %r3, %r1;\n@%p1 bra TURN;");
  const MachineAccess copy = changed(kernel.as_written("ld.s"), [&](auto& a) {
    a.loops = 1, a.conditions = {kernel.line("setp.lt"), kernel.line("setp.eq.u32 %p2")};
  });
  EXPECT_EQ(Compared(kernel, {copy, copy})["ld.s"].parted_by,
            (std::vector<uint32_t>{kernel.pc("@%p3"), kernel.pc("@%p1")}));
}

TEST(Forms, ALoopThatPtxDoesNotHaveIsADoubt) {
  const Kernel kernel(kLoop);
  const MachineAccess access = changed(kernel.as_written("ld.s"), [](auto& a) { a.loops = 2; });
  EXPECT_TRUE(says(Compared(kernel, {access})["ld.s"].doubt, "into a loop"));
}

TEST(Forms, ALoadBeforeItsLoopIsExactOnlyIfTheLoopTurnsOnce) {
  const Kernel kernel(kLoop);
  const Compared of(kernel, {kernel.as_written("ld.s")});
  EXPECT_EQ(of["ld.s"].doubt, "");
  const std::vector<uint32_t>& places = of["ld.s"].moved_to;
  EXPECT_NE(std::ranges::find(places, kernel.pc("st.g")), places.end());
  EXPECT_EQ(std::ranges::find(places, kernel.pc("ld.s")), places.end());
}

// if (a || b) store: lanes come there from two comparisons.
TEST(Forms, AnEarlyMeetingIsExactWhileLanesStayTogether) {
  const Kernel kernel(
      "setp.eq.u32 %p1, %r2, 0;\nsetp.eq.u32 %p2, %r2, 9;\n@%p1 bra IN;\n@%p2 bra IN;\nbra OUT;\nIN:\n"
      "st.shared.u32 [s], %r2;\nOUT:\nst.global.u32 [%rd1], %r2;");
  const Compared together(kernel, {kernel.as_written("st.s"), kernel.as_written("st.g")});
  EXPECT_TRUE(together["st.g"].parted_by.empty());
  std::vector<uint32_t> parted = together["st.s"].parted_by;
  EXPECT_EQ(std::ranges::count(parted, kernel.pc("@%p1")), 0) << "the machine code brings them together";
  const auto at_second = [&](auto& a) { a.parting_around = {{{kernel.line("setp.eq.u32 %p2")}, true}}; };
  const Compared apart(kernel, {changed(kernel.as_written("st.s"), at_second), kernel.as_written("st.g")});
  parted = apart["st.s"].parted_by;
  EXPECT_EQ(std::ranges::count(parted, kernel.pc("@%p1")), 1) << "only there do both sides lead to the store";
  EXPECT_EQ(std::ranges::count(parted, kernel.pc("@%p2")), 0);
}

// Lanes wait at the early meeting IN only for those that are further behind. A block of the PTX may stand elsewhere.
TEST(Forms, WhatLeadsToAnEarlyMeetingMustStandBeforeIt) {
  const auto parts = [](const std::string& before, const std::string& late) {
    const Kernel kernel(
        "setp.eq.u32 %p1, %r2, 0;\nsetp.eq.u32 %p2, %r2, 9;\nsetp.eq.u32 %p3, %r2, 5;\nbra.uni BEGIN;\n"
        "COLD:\nmov.u32 %r3, 1;\nbra.uni REST;\nBEGIN:\n" +
        before + "\nREST:\n@%p1 bra IN;\n@%p2 bra " + (late.empty() ? "IN" : "LATE") +
        ";\nbra OUT;\nIN:\nst.shared.u32 [s], %r2;\nOUT:\nst.global.u32 [%rd1], %r2;\nret;\n" + late);
    const Compared of(kernel, {kernel.as_written("st.s"), kernel.as_written("st.g")});
    EXPECT_FALSE(FlowFacts(flow_of(kernel.program())).in_order());
    EXPECT_FALSE(of["st.g"].parts) << "all lanes meet here";
    return of["st.s"].parts;
  };
  EXPECT_FALSE(parts("@%p3 bra COLD;", "")) << "all lanes are together again at REST";
  EXPECT_TRUE(parts("@%p3 bra COLD;", "LATE:\nmov.u32 %r3, 1;\nbra IN;"));
}

TEST(Forms, LanesMayStayApartBehindARecursion) {
  const auto parted_by = [](const std::string& callee) {
    const Kernel kernel("ld.global.u32 %r3, [%rd1];\ncall f;\nst.global.u32 [%rd2], %r3;",
                        ".func f()\n{\n.reg .pred %p<2>;\n@%p1 bra OUT;\ncall " + callee +
                            ";\nOUT:\nret;\n}\n.func g()\n{\nret;\n}\n.func h()\n{\ncall f;\nret;\n}\n");
    const Compared of(kernel, {kernel.as_written("ld.g"), kernel.as_written("st.g")});
    EXPECT_TRUE(of["ld.g"].parted_by.empty()) << "before the call";
    return of["st.g"].parted_by == std::vector<uint32_t>{kernel.pc("@%p1")};
  };
  EXPECT_TRUE(parted_by("f"));
  EXPECT_TRUE(parted_by("h")) << "which calls f";
  EXPECT_FALSE(parted_by("g"));
}

// Lanes that come to a call apart make the accesses of the function apart.
TEST(Forms, LanesThatCallApartAreApartInTheFunction) {
  const Kernel kernel(
      "mov.u32 %r5, 0;\nTURN:\ncall f;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r2;\n@%p2 bra TURN;",
      ".func f()\n{\ncall g;\nret;\n}\n.func g()\n{\n.reg .b32 %q<3>;\nst.global.u32 [v], %q1;\nret;\n}\n");
  MachineAccess call;
  call.kind = MachineAccess::kInnerCall;
  call.line = kernel.line("call f");
  const auto in_g = [&](const std::vector<MachineAccess>& calls) {
    const MachineAccess store = kernel.as_written("[v], %q1");
    return compare(kernel.program(), {.accesses = {store}, .inner_calls = calls}).of[kernel.access("[v], %q1").index];
  };
  EXPECT_TRUE(in_g({call}).parted_by.empty());
  EXPECT_EQ(in_g({call, call}).parted_by, std::vector<uint32_t>{kernel.pc("@%p2")}) << "copies of the loop's turn";
  EXPECT_FALSE(in_g({call}).apart.yields);
  EXPECT_TRUE(in_g({changed(call, [](auto& c) { c.apart.yields = true; })}).apart.yields);
  EXPECT_FALSE(in_g({call}).apart.grouped);
  EXPECT_TRUE(in_g({changed(call, [](auto& c) { c.apart.grouped = true; })}).apart.grouped);
}

// if (tid == 0) for (i < n) store: lanes that part before the loop do not come to the store from two sides.
TEST(Forms, LanesThatDoNotMakeTheAccessDoNotMakeItApart) {
  const Kernel kernel(
      "mov.u32 %r3, 0;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra OUT;\nTURN:\nst.shared.u32 [s], %r3;\n"
      "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, %r1;\n@%p2 bra TURN;\nOUT:\nst.global.u32 [%rd1], %r2;");
  const auto part = [&](auto& a) { a.loops = 1, a.conditions = {kernel.line("setp.lt")}, a.parting = {{{}, true}}; };
  const MachineAccess copy = changed(kernel.as_written("st.s"), part);
  EXPECT_EQ(Compared(kernel, {copy, copy})["st.s"].parted_by, std::vector<uint32_t>{kernel.pc("@%p2")});
  const MachineAccess behind = changed(kernel.as_written("st.g"), [](auto& a) { a.parting = {{{}, true}}; });
  EXPECT_EQ(Compared(kernel, {behind})["st.g"].parted_by,
            (std::vector<uint32_t>{kernel.pc("@%p1"), kernel.pc("@%p2")}));
}

// if (atomicAdd(…) != 63) …; store: the machine code does not bring the lanes together before the store.
TEST(Forms, WhetherLanesPartMayDependOnTheOrderOfThreads) {
  const auto of = [](const std::string& value) {
    const Kernel kernel(value +
                        "setp.ne.u32 %p1, %r3, 63;\n@%p1 bra OUT;\nmov.u32 %r4, 1;\nOUT:\nst.global.u32 "
                        "[%rd2], %r2;");
    const MachineAccess apart = changed(kernel.as_written("st.g"), [](auto& a) { a.parting = {{{}, true}}; });
    const Compared compared(kernel, {apart});
    const std::vector<uint32_t>& parted_by = compared["st.g"].parted_by;
    return parted_by.size() == 1 && compared.forms.own.order.branches[parted_by[0]];
  };
  EXPECT_TRUE(of("atom.global.add.u32 %r3, [%rd1], 1;\n"));
  EXPECT_FALSE(of("ld.global.u32 %r3, [%rd1];\n"));
}

// A branch of the machine code that no comparison of the PTX explains.
TEST(Forms, LanesMayPartAtAnyBranchIfTheComparisonIsUnknown) {
  const Kernel kernel("setp.eq.u32 %p1, %r2, 0;\n@%p1 bra OUT;\nmov.u32 %r3, 1;\nOUT:\nst.global.u32 [%rd1], %r2;");
  const auto parted_by = [&](bool in_barrier, Conditions compares) {
    const auto by = [&](auto& a) { a.parting = {{compares, in_barrier}}; };
    return Compared(kernel, {changed(kernel.as_written("st.g"), by)})["st.g"].parted_by;
  };
  EXPECT_TRUE(FlowFacts(flow_of(kernel.program())).in_order());
  EXPECT_EQ(parted_by(true, {kUnknownLine}), std::vector<uint32_t>{kernel.pc("@%p1")});
  EXPECT_EQ(parted_by(true, {}), std::vector<uint32_t>{kernel.pc("@%p1")});
  EXPECT_EQ(parted_by(false, {kUnknownLine}), std::vector<uint32_t>{}) << "ptxas knows that all lanes go one way";
}

// if (tid == 0 && n > 0) …; barrier; for (i < n) …: both branches ask about n, and lanes part only at the first.
TEST(Forms, LanesDoNotPartWherePtxComparesWhatTheyShare) {
  const Kernel kernel(
      "setp.ne.u32 %p1, %r2, 0;\nsetp.lt.s32 %p2, %r1, 1;\nor.pred %p3, %p1, %p2;\n@%p3 bra REST;\n"
      "st.shared.u32 [s], %r2;\nREST:\nbar.sync 0;\n@%p2 bra OUT;\nld.shared.u32 %r3, [s];\nOUT:\n"
      "st.global.u32 [%rd1], %r3;");
  const auto parted_by = [&](bool in_barrier, const char* compares) {
    const auto by = [&](auto& a) { a.parting = {{{kernel.line(compares)}, in_barrier}}; };
    return Compared(kernel, {changed(kernel.as_written("st.g"), by)})["st.g"].parted_by;
  };
  EXPECT_TRUE(parted_by(false, "setp.lt").empty());
  EXPECT_EQ(parted_by(true, "setp.lt"), (std::vector<uint32_t>{kernel.pc("@%p3"), kernel.pc("@%p2")}));
  EXPECT_EQ(parted_by(false, "setp.ne"), std::vector<uint32_t>{kernel.pc("@%p3")});
}

// ---- atomics ----

TEST(Forms, OneLaneForTheWarp) {
  const Kernel kernel("atom.global.add.u32 %r3, [%rd1], %r2;");
  const MachineAccess plain = kernel.as_written("atom");
  const MachineAccess elected = changed(plain, [](auto& a) { a.elected = true; });
  EXPECT_EQ(Compared(kernel, {plain})["atom"].kind, AccessForm::kAsWritten);
  const Compared of(kernel, {elected});
  EXPECT_EQ(of["atom"].kind, AccessForm::kElected);
  EXPECT_EQ(of["atom"].doubt, "");
  EXPECT_TRUE(says(of["atom"].note, "one lane"));
  EXPECT_TRUE(says(Compared(kernel, {elected, plain})["atom"].doubt, "in some copies"));
}

// If all lanes of the warp are there, ptxas adds their values up, and the last lane makes the atomic. Else each lane
// makes its own.
TEST(Forms, OneLaneForTheWholeWarpOnly) {
  const Kernel kernel("atom.shared.add.u32 %r3, [s], %r2;");
  const MachineAccess copy = changed(kernel.as_written("atom"), [&](auto& a) { a.conditions = {kernel.line("atom")}; });
  EXPECT_TRUE(says(Compared(kernel, {copy, copy})["atom"].doubt, "in some copies"));
}

TEST(Forms, TheKindOfAnAtomicIsTheCards) {
  const Kernel kernel("atom.global.add.u32 %r3, [%rd1], %r2;\nst.global.u32 [%rd2], %r3;");
  MachineAccess machine = kernel.as_written("atom");
  EXPECT_EQ(Compared(kernel, {machine})["atom"].op, MemoryOp::kAtomic);
  machine.kind = MachineAccess::kReduction;
  EXPECT_EQ(Compared(kernel, {machine})["atom"].op, MemoryOp::kReduction)
      << "ptxas found that the result is not needed";
  EXPECT_TRUE(says(Compared(kernel, {machine, kernel.as_written("atom")})["atom"].doubt, "different kinds"));
  EXPECT_TRUE(says(Compared(kernel, {})["atom"].doubt, "makes no atomic"));
}

TEST(Forms, AGenericAtomicFindsOutItsSpace) {
  const Kernel kernel("atom.add.u32 %r3, [%rd1], %r2;");
  EXPECT_TRUE(Compared(kernel, {kernel.as_written("atom")})["atom"].generic);
  const MachineAccess global = changed(kernel.as_written("atom"), [](auto& a) { a.space = Space::kGlobal; });
  EXPECT_FALSE(Compared(kernel, {global})["atom"].generic);
}

TEST(Forms, AnAtomicMadeOfALoopTriesAgain) {
  const Kernel shared("red.shared.add.f32 [s], %f1;");
  EXPECT_TRUE(Compared(shared, {shared.as_written("red.s")})["red.s"].retries) << "lockstep knows this loop";
  const Kernel global("atom.global.add.u32 %r3, [%rd1], %r2;");
  const MachineAccess load = changed(global.as_written("atom"), [](auto& a) { a.kind = MachineAccess::kLoad; });
  EXPECT_TRUE(says(Compared(global, {global.as_written("atom"), load})["atom"].doubt, "makes a loop"))
      << "and not this one";
}

TEST(Forms, AddsOfTheNumberOfLanesMustBeWhereLockstepCountsThem) {
  const Kernel one("red.shared.add.u32 [s], 1;"), other("red.shared.add.u32 [s], %r2;");
  const auto counts = [](const Kernel& kernel, bool counting) {
    return Compared(kernel, {changed(kernel.as_written("red.s"), [&](auto& a) { a.counts = counting; })})["red.s"]
        .doubt;
  };
  EXPECT_EQ(counts(one, true), "");
  EXPECT_EQ(counts(other, false), "");
  EXPECT_TRUE(says(counts(one, false), "number of lanes"));
  EXPECT_TRUE(says(counts(other, true), "number of lanes"));
}

// ---- registers in local memory ----

TEST(Forms, LocalAccessesThatPtxDoesNotHaveAreTold) {
  const Kernel kernel(".local .align 4 .b8 l[16];\nst.local.u32 [l], %r2;\nadd.u32 %r3, %r2, 1;");
  const Compared same(kernel, {kernel.as_written("st.local")});
  EXPECT_FALSE(same.forms.spills);
  const MachineAccess load = changed(kernel.as_written("st.local"), [&](auto& a) {
    a.kind = MachineAccess::kLoad;
    a.line = kernel.line("add.u32 %r3");
  });
  const Compared spilled(kernel, {kernel.as_written("st.local"), load});
  EXPECT_TRUE(spilled.forms.spills);
}

// ---- without machine code ----

std::string doubt_alone(const std::string& body, std::string_view access) {
  const Kernel kernel(body);
  return judge_alone(kernel.program()).of[kernel.access(access).index].doubt;
}

TEST(JudgeAlone, DoubtsWhatPtxasChangesOften) {
  EXPECT_TRUE(says(doubt_alone(kFour, "[s+4]"), "beside it"));
  EXPECT_TRUE(says(doubt_alone(".local .b8 l[4];\nst.local.u32 [l], %r2;", "st.local"), "registers"));
  EXPECT_TRUE(says(doubt_alone(kLoop, "ld.s"), "unroll"));
  EXPECT_TRUE(says(doubt_alone(kConditional, "ld.s"), "out of its condition"));
  EXPECT_TRUE(says(doubt_alone("red.global.add.u32 [%rd1], 1;", "red.g"), "one lane"));
}

TEST(JudgeAlone, TrustsTheRest) {
  EXPECT_EQ(doubt_alone("ld.global.u32 %r3, [%rd1];", "ld.g"), "");
  EXPECT_EQ(doubt_alone(kConditional, "st.g"), "");
  EXPECT_EQ(doubt_alone(kConditional, "st.s"), "") << "a store stays under its condition";
}

constexpr const char* kMatrix =
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r3,%r4,%r5,%r6,%r7,%r8,%r9,%r10}, [%rd1], %r1;\n"
    "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}, [s], %r1;\n"
    "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, "
    "{%r3,%r4,%r5,%r6,%r7,%r8,%r9,%r10}, {%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}, "
    "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};\n"
    "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, %r1;";

class Matrices {
 public:
  explicit Matrices(const std::string& body = kMatrix) : kernel_(body) {}

  const AccessForm& form(std::string_view text, const std::vector<MachineAccess>& machine) {
    forms_ = compare(kernel_.program(), {machine, 0});
    return forms_.of[access(text).index];
  }
  std::vector<MachineAccess> times(size_t count, std::string_view text, uint8_t bytes, uint8_t matrices = 0) const {
    MachineAccess one;
    one.kind = static_cast<MachineAccess::Class>(access(text).op);
    one.space = access(text).space;
    one.bytes = bytes;
    one.matrices = matrices;
    one.line = kernel_.line(text);
    return std::vector<MachineAccess>(count, one);
  }

 private:
  const MemoryAccess& access(std::string_view text) const {
    const Program& program = kernel_.program();
    return program.accesses[program.matrices[program.code[kernel_.pc(text)].index].access.index];
  }

  const Kernel kernel_;
  Forms forms_;
};

TEST(Forms, AMatrixIsSeveralAccesses) {
  Matrices of;
  EXPECT_EQ(of.form("load.a", of.times(4, "load.a", 4)).doubt, "");
  EXPECT_EQ(of.form("load.b", of.times(1, "load.b", 16, 4)).doubt, "");
  EXPECT_EQ(of.form("store.d", of.times(4, "store.d", 8)).doubt, "");
  EXPECT_EQ(of.form("load.a", {}).kind, AccessForm::kGone);
}

TEST(Forms, OtherAccessesOfAMatrixAreADoubt) {
  Matrices of;
  for (const auto& machine : {of.times(3, "load.a", 4), of.times(4, "load.a", 8), of.times(4, "load.a", 16, 1)})
    EXPECT_TRUE(says(of.form("load.a", machine).doubt, "other accesses of this matrix"));
  EXPECT_TRUE(says(of.form("load.b", of.times(1, "load.b", 16, 2)).doubt, "other accesses of this matrix"));
  EXPECT_EQ(of.form("load.a", of.times(8, "load.a", 4)).doubt, "") << "two copies, of an unrolled loop";
}

TEST(Forms, APartOfAMatrixThatNobodyUsesIsADoubt) {
  const std::string all = kMatrix;
  Matrices of(all.substr(0, all.find("wmma.mma")) + "xor.b32 %r1, %r3, %r4;");
  EXPECT_TRUE(says(of.form("load.a", of.times(4, "load.a", 4)).doubt, "other accesses of this matrix"));
}

TEST(Forms, AnAsynchronousCopyIsALoad) {
  const auto form = [](size_t instructions) {
    const Kernel kernel("mov.u32 %r3, s;\ncp.async.ca.shared.global [%r3], [%rd1], 4;");
    MachineAccess copy;
    copy.space = Space::kGlobal;
    copy.line = kernel.line("cp.async");
    const std::vector<MachineAccess> machine(instructions, copy);
    const uint32_t pc = kernel.pc("cp.async");
    return compare(kernel.program(), {machine, 0}).of[plain_access(kernel.program(), kernel.program().code[pc])->index];
  };
  EXPECT_EQ(form(1).kind, AccessForm::kAsWritten);
  EXPECT_EQ(form(1).doubt, "");
  EXPECT_TRUE(says(form(0).doubt, "this copy"));
}

// ptxas may join the calls of two branches. One call that is left has the line of one of them.
TEST(Forms, ACallOfPrintfNeedsACallOfItsOwn) {
  const Kernel kernel("setp.lt.u32 %p1, %r2, 7;\n@%p1 bra OUT;\n" + Kernel::print() + "OUT:");
  const uint32_t pc = kernel.pc("vprintf, (f");
  MachineAccess call;
  call.kind = MachineAccess::kCall;
  call.line = kernel.line("vprintf, (f");
  const auto form = [&](std::vector<MachineAccess> calls) {
    return compare(kernel.program(), {.accesses = {}, .calls = std::move(calls)}).prints.at(pc);
  };
  EXPECT_EQ(form({call}).doubt, "");
  EXPECT_TRUE(form({call}).parted_by.empty()) << "only one side of the branch prints";
  EXPECT_TRUE(says(form({}).doubt, "joins this call"));
  EXPECT_TRUE(says(form({changed(call, [](auto& c) { c.line += 9; })}).doubt, "joins this call"));
}

// A loop that lanes leave in different turns, of which ptxas makes two calls.
TEST(Forms, CopiesOfACallAreMadeApart) {
  const Kernel kernel("mov.u32 %r5, 0;\nTURN:\n" + Kernel::print() +
                      "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, %r2;\n@%p2 bra TURN;");
  MachineAccess call;
  call.kind = MachineAccess::kCall;
  call.line = kernel.line("vprintf, (f");
  const auto parted_by = [&](std::vector<MachineAccess> calls) {
    return compare(kernel.program(), {.accesses = {}, .calls = std::move(calls)})
        .prints.at(kernel.pc("vprintf, (f"))
        .parted_by;
  };
  EXPECT_EQ(parted_by({call, call}), std::vector<uint32_t>{kernel.pc("@%p2")});
}

}  // namespace
}  // namespace lockstep
