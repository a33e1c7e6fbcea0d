// listing_test: what is read out of the text of ptxas and nvdisasm. The rows are as these tools print them.
#include "sass/listing.h"

#include <gtest/gtest.h>

#include <limits>

namespace lockstep {
namespace {

using Class = MachineAccess::Class;

// A row "LDG.E R0, …;" of the kernel k. "12: …" sets the line of the PTX first; "name:" is a label.
std::string listing(const std::vector<std::string>& rows) {
  std::string text = "\t.section\t.text.k,\"ax\",@progbits\n        .global         k\nk:\n.text.k:\n";
  for (const std::string& row : rows) {
    const size_t colon = row.find(": ");
    if (row.ends_with(':')) {
      text += row + "\n";
      continue;
    }
    if (colon != row.npos) text += "\t//## File \".nv_debug_ptx_txt\", line " + row.substr(0, colon) + "\n";
    text += "        /*00a0*/                   " + (colon == row.npos ? row : row.substr(colon + 2)) + " ;\n";
  }
  return text;
}

std::vector<MachineAccess> accesses(const std::vector<std::string>& rows) {
  const auto kernels = read_listing(listing(rows));
  return kernels.contains("k") ? kernels.find("k")->second.accesses : std::vector<MachineAccess>();
}

MachineAccess one(const std::vector<std::string>& rows) {
  const std::vector<MachineAccess> found = accesses(rows);
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? MachineAccess{} : found[0];
}

TEST(Listing, WidthKindAndSpaceStandInTheName) {
  const auto expect = [](const std::string& row, Class kind, Space space, int bytes) {
    const MachineAccess access = one({"7: " + row});
    EXPECT_EQ(access.kind, kind) << row;
    EXPECT_EQ(access.space, space) << row;
    EXPECT_EQ(access.bytes, bytes) << row;
    EXPECT_EQ(access.line, 7u) << row;
  };
  expect("LDG.E.128.CONSTANT R8, desc[UR6][R2.64]", Class::kLoad, Space::kGlobal, 16);
  expect("LDG.E.U8 R8, desc[UR6][R2.64+0x1]", Class::kLoad, Space::kGlobal, 1);
  expect("LDS.64 R4, [R16+0x40]", Class::kLoad, Space::kShared, 8);
  expect("STS.U16 [R0], R2", Class::kStore, Space::kShared, 2);
  expect("STL [R1+0x4], R2", Class::kStore, Space::kLocal, 4);
  expect("LD.E R4, desc[UR4][R2.64]", Class::kLoad, Space::kGeneric, 4);
  expect("ATOMG.E.ADD.STRONG.GPU PT, R4, desc[UR6][R4.64], R7", Class::kAtomic, Space::kGlobal, 4);
  expect("REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR6][R4.64], R7", Class::kReduction, Space::kGlobal, 4);
  expect("ATOM.E.ADD.F16x2.RN.STRONG.GPU P0, RZ, desc[UR6][R4.64], R7", Class::kAtomic, Space::kGeneric, 4);
}

TEST(Listing, TheAddressStandsInBrackets) {
  EXPECT_EQ(one({"LDS R4, [R16+0x40]"}).address, "[R16+0x40]");
  EXPECT_EQ(one({"STG.E desc[UR6][R2.64+-0x8], R7"}).address, "desc[UR6][R2.64+-0x8]");
  EXPECT_EQ(one({"ATOMG.E.ADD.STRONG.GPU PT, R4, desc[UR6][R4.64], R7"}).address, "desc[UR6][R4.64]");
}

TEST(Listing, MatricesAreCounted) {
  const MachineAccess load = one({"LDSM.16.MT88.4 R4, [R16+0x40]"});
  EXPECT_EQ(load.kind, Class::kLoad);
  EXPECT_EQ(load.space, Space::kShared);
  EXPECT_EQ(load.bytes, 16);
  EXPECT_EQ(load.matrices, 4);
  EXPECT_EQ(one({"LDSM.16.M88 R4, [R16]"}).matrices, 1);
  const MachineAccess store = one({"STSM.16.M88.2 [R4], R8"});
  EXPECT_EQ(store.kind, Class::kStore);
  EXPECT_EQ(store.matrices, 2);
  EXPECT_EQ(one({"LDS.128 R4, [R16]"}).matrices, 0);
}

// The lines of the branches at which lanes part that are not together at the store.
std::vector<Conditions> parting(const std::vector<std::string>& rows, bool around = false) {
  std::vector<Conditions> found;
  const MachineAccess access = one(rows);
  for (const PartingBranch& branch : around ? access.parting_around : access.parting) found.push_back(branch.compares);
  return found;
}

TEST(Listing, LanesMeetAtBsyncAndWhereAllWait) {
  const std::string compare = "5: ISETP.GE.AND P0, PT, R5, UR4, PT", over = "6: @P0 BRA `(.L_x_1)";
  EXPECT_EQ(parting({compare, over, "7: IADD3 R1, R1, 0x1, RZ", ".L_x_1:", "8: STS [R0], RZ", "EXIT"}),
            std::vector<Conditions>{{5}});
  EXPECT_EQ(parting({compare, over, "7: IADD3 R1, R1, 0x1, RZ", ".L_x_1:", "WARPSYNC.ALL", "8: STS [R0], RZ", "EXIT"}),
            std::vector<Conditions>())
      << "all lanes wait for each other";
  EXPECT_EQ(parting({compare, over, "7: IADD3 R1, R1, 0x1, RZ", ".L_x_1:", "WARPSYNC R2", "8: STS [R0], RZ", "EXIT"}),
            std::vector<Conditions>{{5}})
      << "some lanes do";
  EXPECT_EQ(parting({compare, over, "WARPSYNC.ALL", ".L_x_1:", "8: STS [R0], RZ", "EXIT"}),
            std::vector<Conditions>{{5}})
      << "on one side";
  EXPECT_EQ(parting({compare, "BSSY B0, `(.L_x_2)", over, "7: IADD3 R1, R1, 0x1, RZ", ".L_x_1:", "BSYNC B0",
                     ".L_x_2:", "8: STS [R0], RZ", "EXIT"}),
            std::vector<Conditions>{});
  EXPECT_EQ(parting({compare, "BSSY B1, `(.L_x_2)", over, "7: IADD3 R1, R1, 0x1, RZ", ".L_x_1:", "8: STS [R0], RZ",
                     "BSYNC B1", ".L_x_2:", "EXIT"}),
            std::vector<Conditions>{{5}})
      << "it comes too late";
  EXPECT_EQ(parting({"5: UISETP.GE.AND UP0, UPT, UR5, UR4, UPT", "6: @UP0 BRA `(.L_x_1)", "7: IADD3 R1, R1, 0x1, RZ",
                     ".L_x_1:", "8: STS [R0], RZ", "EXIT"}),
            std::vector<Conditions>{})
      << "a condition of the whole warp";
}

// The branch in line 5 asks about R5, which the rows make.
TEST(Listing, LanesDoNotPartWhereParametersDecide) {
  const auto parted = [](std::vector<std::string> rows) {
    rows.insert(rows.end(), {"5: ISETP.GE.AND P0, PT, R5, 0x1, PT", "@P0 BRA `(.L_x_1)", "7: IADD3 R1, R1, 0x1, RZ",
                             ".L_x_1:", "8: STS [R0], RZ", "EXIT"});
    return parting(rows);
  };
  const std::vector<Conditions> nowhere, here{{5}};
  const std::string parameter = "LDC R4, c[0x0][0x210]", thread = "S2R R4, SR_TID.X", block = "S2R R4, SR_CTAID.X";
  EXPECT_EQ(parted({parameter, "IADD3 R5, R4, -0x1, RZ"}), nowhere);
  EXPECT_EQ(parted({block, "IADD3 R5, -R4, UR4, RZ"}), nowhere);
  EXPECT_EQ(parted({thread, "IADD3 R5, R4, -0x1, RZ"}), here);
  EXPECT_EQ(parted({parameter, "SHFL.IDX PT, R5, R4, RZ, 0x1f"}), here) << "it is not known what other lanes have";
  EXPECT_EQ(parted({parameter, "IMAD.WIDE R4, R4, 0x4, R6"}), here) << "it reads R7, too";
  EXPECT_EQ(parted({"IADD3 R5, R4, -0x1, RZ"}), here) << "nobody has written R4";
  const std::string asks = "4: ISETP.GE.AND P1, PT, R4, 0x3, PT", zero = "MOV R5, RZ", one = "MOV R5, 0x1";
  EXPECT_EQ(parted({block, asks, zero, "@P1 MOV R5, 0x1"}), nowhere);
  EXPECT_EQ(parted({thread, asks, zero, "@P1 MOV R5, 0x1"}), here);
  const auto of_two = [&](const std::string& decides) {
    return parted(
        {decides, asks, "BSSY B0, `(.L_x_3)", zero, "@P1 BRA `(.L_x_2)", one, ".L_x_2:", "BSYNC B0", ".L_x_3:"});
  };
  EXPECT_EQ(of_two(block), nowhere);
  EXPECT_EQ(of_two(thread), here) << "each lane has one of two constants";
  EXPECT_EQ(parted({thread, asks, "@P1 EXIT", zero}), nowhere) << "the lanes that stay have one";
}

// for (r5 = 0; r5 < r4; ++r5): how often it turns decides what R5 is behind it.
TEST(Listing, ACounterIsAsUniformAsTheEndOfItsLoop) {
  const auto parted = [](const std::string& end) {
    return parting({end, "MOV R5, RZ", ".L_x_2:", "IADD3 R5, R5, 0x1, RZ", "4: ISETP.LT.AND P1, PT, R5, R4, PT",
                    "@P1 BRA `(.L_x_2)", "5: ISETP.GE.AND P0, PT, R5, 0x7, PT", "@P0 BRA `(.L_x_1)",
                    "7: IADD3 R1, R1, 0x1, RZ", ".L_x_1:", "8: STS [R0], RZ", "EXIT"});
  };
  EXPECT_EQ(parted("LDC R4, c[0x0][0x210]"), std::vector<Conditions>{});
  EXPECT_EQ(parted("S2R R4, SR_TID.X"), std::vector<Conditions>{{5}});
}

TEST(Listing, CopiesOnTwoSidesOfABranchAreMadeApart) {
  const auto parted = [](const std::vector<std::string>& rows) { return accesses(rows).at(0).parting.size(); };
  const std::string compare = "5: ISETP.GE.AND P0, PT, R5, UR4, PT", over = "6: @P0 BRA `(.L_x_1)",
                    out = "9: BRA `(.L_x_3)";
  EXPECT_EQ(parted({compare, over, "8: STS [R0], RZ", out, ".L_x_1:", "8: STS [R0], RZ", ".L_x_3:", "EXIT"}), 1u);
  EXPECT_EQ(parted({compare, over, "8: STS [R0], RZ", out, ".L_x_1:", "7: STS [R0], RZ", ".L_x_3:", "EXIT"}), 0u)
      << "two stores, and not copies of one";
  EXPECT_EQ(parted({compare, "BSSY B0, `(.L_x_2)", over, "8: STS [R0], RZ", ".L_x_1:", "BSYNC B0",
                    ".L_x_2:", "8: STS [R0], RZ", "EXIT"}),
            0u)
      << "one side makes a copy, and then both make the other";
}

// ptxas loads a value again if it has no register to keep it.
TEST(Listing, ACopyThatEveryWayHasPassedIsMadeAgain) {
  const auto again = [](const std::vector<std::string>& rows) {
    std::vector<bool> found;
    for (const MachineAccess& access : accesses(rows)) found.push_back(access.again);
    return found;
  };
  using Each = std::vector<bool>;
  EXPECT_EQ(again({"7: LDG.E R2, [R4.64]", "LDG.E R6, [R4.64]"}), (Each{false, true}));
  EXPECT_EQ(again({"7: LDG.E R2, [R4.64]", "8: LDG.E R6, [R4.64]"}), (Each{false, false})) << "another line";
  EXPECT_EQ(again({"7: @P0 BRA `(.L_1)", "LDG.E R2, [R4.64]", "BRA `(.L_2)", ".L_1:", "LDG.E R2, [R4.64]", ".L_2:"}),
            (Each{false, false}))
      << "on two sides of a branch";
  EXPECT_EQ(again({"7: @P0 LDG.E R2, [R4.64]", "@!P0 LDG.E R6, [R4.64]"}), (Each{false, false}));
  EXPECT_EQ(again({"7: @P0 LDG.E R2, [R4.64]", "@P0 LDG.E R6, [R4.64]"}), (Each{false, true}));
}

TEST(Listing, LanesThatLeaveALoopInDifferentTurnsArePartedUntilTheyWait) {
  const std::vector<std::string> loop = {".L_x_1:",           "5: ISETP.GE.AND P0, PT, R5, R4, PT",
                                         "@P0 BRA `(.L_x_2)", "6: ISETP.GE.AND P1, PT, R6, R4, PT",
                                         "@P1 BRA `(.L_x_1)", "EXIT"};
  std::vector<std::string> apart = loop, together = loop;
  apart.insert(apart.end(), {".L_x_2:", "8: STS [R0], RZ", "EXIT"});
  together.insert(together.begin(), "BSSY B0, `(.L_x_3)");
  together.insert(together.end(), {".L_x_2:", "BSYNC B0", ".L_x_3:", "8: STS [R0], RZ", "EXIT"});
  EXPECT_EQ(parting(apart), std::vector<Conditions>{}) << "in one turn all lanes come from one place";
  EXPECT_EQ(parting(apart, true), (std::vector<Conditions>{{5}}));
  EXPECT_EQ(parting(together, true), std::vector<Conditions>{});
}

TEST(Listing, WhatIsNoAccessIsPassedOver) {
  EXPECT_TRUE(accesses({"LDC.64 R2, c[0x0][0x210]", "ULDC UR4, c[0x0][0x0]", "UTMALDG.1D [UR4], [UR6]",
                        "BAR.SYNC.DEFER_BLOCKING 0x0", "STSX R1, R2", "NOP"})
                  .empty());
}

TEST(Listing, CallsOfTheDriversFunctionsAreKnown) {
  const auto kernels = read_listing(listing({"7: CALL.ABS.NOINC R2", "8: CALL.REL.NOINC `($__internal_0_$__div)"}));
  const std::vector<MachineAccess>& calls = kernels.find("k")->second.calls;
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].line, 7u);
  ASSERT_EQ(kernels.find("k")->second.inner_calls.size(), 1u);
  EXPECT_EQ(kernels.find("k")->second.inner_calls[0].line, 8u);
  EXPECT_TRUE(kernels.find("k")->second.accesses.empty());
}

// An H200 loaded 193 times in a function, not 30 times, which lanes called behind a loop with a YIELD.
TEST(Listing, LanesThatYieldMayBeApartInAFunctionAndBehindIt) {
  const std::string loads = "8: LDG.E R2, [R4.64]", other = "9: LDG.E R3, [R4.64]";
  const auto yields = [&](const std::string& first, const std::string& in_function,
                          const std::string& callee = "`($k$f)") {
    std::vector<std::pair<uint32_t, bool>> found;  // by line
    for (const MachineAccess& access :
         accesses({first, "CALL.REL.NOINC " + callee, "7: STG.E [R4.64], R2", "EXIT", "$k$f:", loads, in_function,
                   "RET.REL.NODEC R6 `(k)", "$k$g:", other, "RET.REL.NODEC R6 `(k)"}))
      found.emplace_back(access.line, access.apart.yields);
    return found;
  };
  using Each = std::vector<std::pair<uint32_t, bool>>;
  EXPECT_EQ(yields("YIELD", "NOP"), (Each{{7, true}, {8, true}, {9, false}})) << "nobody calls g";
  EXPECT_EQ(yields("NOP", "YIELD"), (Each{{7, true}, {8, false}, {9, false}})) << "the function yields behind its load";
  EXPECT_EQ(yields("YIELD", "NOP", "R2 `(k)"), (Each{{7, true}, {8, true}, {9, true}})) << "it may call any function";
  EXPECT_EQ(yields("NOP", "YIELD", "R2 `(k)"), (Each{{7, true}, {8, false}, {9, false}}));
}

// An H200 executed what comes behind a shuffle of tiles once for each tile, also behind a barrier.
TEST(Listing, GroupsOfLanesGoOnForThemselves) {
  const auto grouped = [](const std::string& sync, const std::string& behind = "NOP") {
    return accesses({"7: STG.E [R4.64], R2", sync, "SHFL.DOWN PT, R3, R0, 0x8, 0x1f", behind, "8: STG.E [R4.64], R3"})
        .back()
        .apart.grouped;
  };
  EXPECT_TRUE(grouped("WARPSYNC R0"));
  EXPECT_TRUE(grouped("WARPSYNC.EXCLUSIVE R0"));
  EXPECT_TRUE(grouped("WARPSYNC 0xffff"));
  EXPECT_FALSE(grouped("WARPSYNC.ALL"));
  EXPECT_FALSE(grouped("WARPSYNC 0xffffffff"));
  EXPECT_FALSE(grouped("WARPSYNC.COLLECTIVE R8, `(.L_1)"));
  EXPECT_TRUE(grouped("WARPSYNC R0", "BAR.SYNC.DEFER_BLOCKING 0x0"));
  EXPECT_TRUE(grouped("WARPSYNC R0", "WARPSYNC.COLLECTIVE R8, `(.L_1)")) << "lanes only exchange values";
  EXPECT_FALSE(grouped("WARPSYNC R0", "WARPSYNC.ALL"));
  EXPECT_FALSE(accesses({"7: STG.E [R4.64], R2", "WARPSYNC R0"}).front().apart.grouped);
}

TEST(Listing, AnAddOfTheNumberOfLanesIsKnown) {
  EXPECT_TRUE(one({"ATOMS.POPC.INC.32 RZ, [UR4]"}).counts);
  EXPECT_FALSE(one({"ATOMS.ADD RZ, [UR4], R0"}).counts);
}

TEST(Listing, AGuardIsACondition) {
  EXPECT_EQ(one({"5: ISETP.NE.AND P1, PT, R5, RZ, PT", "8: @!P1 STS [R0], RZ"}).conditions, Conditions{5});
  EXPECT_EQ(one({"5: UISETP.NE.AND UP1, UPT, UR5, URZ, UPT", "8: @UP1 STS [R0], RZ"}).conditions, Conditions{5});
  EXPECT_EQ(one({"8: STS [R0], RZ"}).conditions, Conditions{});
}

TEST(Listing, ConditionsOfEarlierTurnsAreTold) {
  const auto found =
      accesses({".L_x_1:", "7: LDG R0, [R2]", "5: ISETP.GE.AND P0, PT, R0, UR4, PT", "6: @P0 BRA `(.L_x_2)",
                "8: STG [R2], R0", ".L_x_2:", "9: ISETP.NE.AND P1, PT, R0, UR5, PT", "9: @P1 BRA `(.L_x_1)", "EXIT"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].earlier, Conditions{9});
  EXPECT_EQ(found[1].conditions, (Conditions{5, 9}));
  EXPECT_EQ(found[1].earlier, Conditions{9});
}

TEST(Listing, ABranchIsAConditionOfWhatItPassesOver) {
  const auto found = accesses(
      {"5: ISETP.GE.AND P0, PT, R5, UR4, PT", "6: @P0 BRA `(.L_x_1)", "7: STS [R0], RZ", ".L_x_1:", "8: STS [R1], RZ"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].conditions, Conditions{5});
  EXPECT_EQ(found[1].conditions, Conditions{});
}

TEST(Listing, AGuardedExitIsAConditionOfTheRest) {
  EXPECT_EQ(one({"5: ISETP.GE.AND P0, PT, R5, UR4, PT", "6: @P0 EXIT", "7: STS [R0], RZ", "EXIT"}).conditions,
            Conditions{5});
}

TEST(Listing, AVoteReadsItsLastOperand) {
  EXPECT_EQ(one({"5: ISETP.GE.AND P2, PT, R5, UR4, PT", "6: VOTEU.ALL UP1, P2", "8: @!P2 STS [R0], RZ"}).conditions,
            Conditions{5});
  EXPECT_EQ(one({"5: ISETP.GE.AND P0, PT, R5, UR4, PT", "6: VOTE.ALL P0, P0", "8: @!P0 STS [R0], RZ"}).conditions,
            Conditions{6});
}

TEST(Listing, AComparisonThatIsJoinedWithAnotherSaysSo) {
  const Comparisons found =
      one({"5: ISETP.GT.AND P0, PT, R4, R5, PT", "6: ISETP.GE.OR P1, PT, R6, R7, !P0", "8: @P1 STS [R0], RZ"})
          .comparisons;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found.begin()->joined);
  EXPECT_TRUE(found.rbegin()->joined);
}

// What the comparison before a guarded store asks.
Relation relation(const std::string& comparison) {
  const Comparisons found = one({"5: " + comparison, "8: @P1 STS [R0], RZ"}).comparisons;
  EXPECT_EQ(found.size(), 1u) << comparison;
  return found.empty() ? Relation{} : found.begin()->relation;
}

TEST(Listing, AComparisonIsReadWithItsConstants) {
  EXPECT_EQ(relation("ISETP.GT.U32.AND P1, PT, R13.reuse, -0x4, PT"), relation_of("gt", false, {}, -4));
  EXPECT_EQ(relation("ISETP.NE.AND P1, PT, RZ, UR15, PT"), relation_of("ne", false, 0, {}));
  EXPECT_EQ(relation("FSETP.GTU.AND P1, PT, |R12|, +INF , PT"),
            relation_of("gtu", true, {}, float_bits(std::numeric_limits<double>::infinity())));
  EXPECT_EQ(relation("FSETP.LT.AND P1, PT, R1, -1.5, PT"), relation_of("lt", true, {}, float_bits(-1.5)));
  EXPECT_EQ(relation("ISETP.GE.AND P1, PT, R5, c[0x0][0x210], PT"), relation_of("ge", false, {}, {}));
  EXPECT_EQ(relation("LOP3.LUT P1, RZ, R5, 0x1, RZ, 0xc0, !PT"), Relation{});
}

// ptxas asks about several bits of a value at once.
TEST(Listing, BitsOfALoadedValueAreComparedWithZero) {
  const std::string load = "4: LDG.E R67, desc[UR6][R2.64]";
  const auto asked = [](const std::string& from, const std::string& bits) {
    return accesses({from, "5: R2P PR, " + bits, "8: @!P1 STS [R0], RZ"}).back();
  };
  for (const char* bits : {"R67, 0x7e", "R67.B1, 0x7f"}) {
    EXPECT_EQ(asked(load, bits).conditions, Conditions{5});
    EXPECT_EQ(asked(load, bits).comparisons, (Comparisons{{1, 5, relation_of("eq", false, {}, 0)}}));
  }
  EXPECT_EQ(asked("4: LDL R67, [R1]", "R67, 0x7e").conditions, Conditions{kUnknownLine}) << "may be predicates";
  EXPECT_EQ(asked("4: P2R R67, PR, RZ, 0x7f", "R67.B1, 0x7f").conditions, Conditions{kUnknownLine});
}

TEST(Listing, OfAWideComparisonTheLowerHalfCounts) {
  const MachineAccess access = one(
      {"5: ISETP.GE.U32.AND P0, PT, R0, UR4, PT", "6: ISETP.GE.AND.EX P0, PT, RZ, UR5, PT, P0", "8: @P0 STS [R0], RZ"});
  EXPECT_EQ(access.conditions, (Conditions{5, 6}));
  EXPECT_EQ(access.comparisons, (Comparisons{{0, 5, relation_of("ge", false, {}, {})}}));
}

TEST(Listing, PredicatesThatAreCombinedAreAllConditions) {
  EXPECT_EQ(one({"5: ISETP.GE.AND P0, PT, R5, UR4, PT", "6: ISETP.NE.AND P1, PT, R6, RZ, PT",
                 "7: PLOP3.LUT P2, PT, P0, P1, PT, 0xa8, 0x0", "8: @P2 STS [R0], RZ"})
                .conditions,
            (Conditions{5, 6}));
  EXPECT_EQ(one({"5: ISETP.GE.AND P0, PT, R5, UR4, PT", "6: ISETP.NE.AND P1, PT, R6, RZ, P0", "8: @P1 STS [R0], RZ"})
                .conditions,
            (Conditions{5, 6}))
      << "a comparison that takes another with it";
}

TEST(Listing, APredicateThatOneComparisonSharesWithAnotherIsFound) {
  EXPECT_EQ(one({"5: ISETP.GE.AND P0, P3, R5, UR4, PT", "8: @P3 STS [R0], RZ"}).conditions, Conditions{5})
      << "the second result";
  EXPECT_EQ(
      one({"5: ISETP.GE.AND P0, PT, R5, UR4, PT", "6: @!P1 ISETP.NE.AND P0, PT, R6, RZ, PT", "8: @P0 STS [R0], RZ"})
          .conditions,
      (Conditions{kUnknownLine, 5, 6}))
      << "it may keep the older value; P1 comes from nowhere";
}

// if (…) keep = true; and later: if (keep) …
TEST(Listing, AConstantRemembersWhichWayWasTaken) {
  EXPECT_EQ(one({"3: PLOP3.LUT P0, PT, PT, PT, PT, 0x8, 0x0", "4: ISETP.GE.AND P1, PT, R5, UR4, PT",
                 "@P1 BRA `(.L_x_1)", "5: PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0", ".L_x_1:", "8: @P0 STS [R0], RZ"})
                .conditions,
            (Conditions{3, 5}));
}

// Only what is set on a way to the instruction counts, not what stands before it in the text.
TEST(Listing, APredicateIsFollowedAgainstTheFlow) {
  const std::string compare = "5: ISETP.GE.AND P0, PT, R5, UR4, PT", other = "6: ISETP.GE.AND P1, PT, R6, UR4, PT";
  EXPECT_EQ(one({compare, other, "@P1 BRA `(.L_x_1)", "7: ISETP.GE.AND P0, PT, R7, UR4, PT", "@P0 EXIT", "EXIT",
                 ".L_x_1:", "8: @P0 STS [R0], RZ"})
                .conditions,
            (Conditions{5, 6}));
  EXPECT_EQ(one({compare, other, "@P1 BRA `(.L_x_1)", "7: ISETP.GE.AND P0, PT, R7, UR4, PT",
                 ".L_x_1:", "8: @P0 STS [R0], RZ"})
                .conditions,
            (Conditions{5, 7}));
}

TEST(Listing, APredicateFromNowhereIsUnknown) {
  EXPECT_EQ(one({"8: @P0 STS [R0], RZ"}).conditions, Conditions{kUnknownLine});
  EXPECT_EQ(one({"R2P PR, R0, 0x7f", "8: @P0 STS [R0], RZ"}).conditions, Conditions{kUnknownLine});
}

// What ptxas writes for an atomic on one address: the first of the lanes makes it.
std::vector<std::string> elected(const std::string& comparison) {
  return {"S2R R5, SR_LANEID",
          "VOTEU.ANY UR8, UPT, PT",
          "FLO.U32 R4, UR8",
          "POPC R0, UR8",
          comparison,
          "9: @P0 ATOMS.ADD R5, [UR4], R0",
          "SHFL.IDX PT, R5, R5, R4, 0x1f"};
}

// ptxas has seven predicates; it keeps others in registers.
TEST(Listing, APredicateThatIsKeptInARegisterIsFound) {
  const std::string compare = "5: ISETP.GE.AND P0, PT, R5, UR4, PT", other = "6: ISETP.GE.AND P1, PT, R6, UR4, PT";
  const std::string keep = "7: P2R R10, PR, RZ, 0x1", keep_other = "7: P2R R10, PR, R10, 0x2";
  const std::string load = "9: @!P3 LDG.E R4, desc[UR6][R2.64]", back = "8: ISETP.NE.AND P3, PT, R10, RZ, PT";
  const auto conditions = [](const std::vector<std::string>& rows) { return one(rows).conditions; };
  EXPECT_EQ(conditions({compare, keep, "7: ISETP.GE.AND P0, PT, R7, UR4, PT", back, load}), Conditions{5});
  EXPECT_EQ(one({compare, keep, back, load}).comparisons.begin()->line, 5u);
  const std::string second = "8: LOP3.LUT P3, RZ, R10, 0x2, RZ, 0xc0, !PT";
  EXPECT_EQ(conditions({compare, other, keep, keep_other, second, load}), Conditions{6});
  const std::string first = "8: LOP3.LUT P3, RZ, R10, 0x1, RZ, 0xc0, !PT";
  EXPECT_EQ(conditions({compare, other, keep, keep_other, first, load}), Conditions{5});
  const std::string taken = "9: @P1 LDG.E R4, desc[UR6][R2.64]";
  EXPECT_EQ(conditions({compare, other, keep, keep_other, "8: R2P PR, R10, 0x3", taken}), Conditions{6});
  EXPECT_EQ(conditions({compare, other, keep, "8: R2P PR, R10, 0x1", taken}), Conditions{6}) << "P1 is not taken back";
  // Not a predicate: several at once, another value in the register, a store that may not be made.
  EXPECT_EQ(conditions({compare, other, keep, keep_other, back, load}), Conditions{8});
  EXPECT_EQ(conditions({compare, keep, "7: IMAD.MOV.U32 R10, RZ, RZ, R3", back, load}), Conditions{8});
  EXPECT_EQ(conditions({compare, keep, "7: IMAD.WIDE R9, R0, 0x4, R2", back, load}), Conditions{8}) << "R9 and R10";
  EXPECT_EQ(conditions({compare, keep, "7: IMAD.WIDE R10, R0, 0x4, R2", "8: R2P PR, R10, 0x3", taken}),
            Conditions{kUnknownLine});
  EXPECT_EQ(conditions({compare, "7: @P2 P2R R10, PR, RZ, 0x1", back, load}), Conditions{8});
  EXPECT_EQ(conditions({compare, keep, "7: HFMA2.MMA R9, -RZ, RZ, 0, 0", back, load}), Conditions{5}) << "R9 alone";
  EXPECT_EQ(conditions({compare, keep, "7: F2F.F32.F64 R9, R60", back, load}), Conditions{5}) << "R9 alone";
  EXPECT_EQ(conditions({compare, keep, "7: F2F.F64.F32 R9, R60", back, load}), Conditions{8}) << "R9 and R10";
  EXPECT_EQ(conditions({compare, keep, "7: CS2R R9, SRZ", back, load}), Conditions{8}) << "R9 and R10";
  EXPECT_EQ(conditions({compare, keep, "7: CS2R.32 R9, SRZ", back, load}), Conditions{5}) << "R9 alone";
  EXPECT_EQ(conditions({compare, keep, "7: TEX.SCR.B.LL R7, R4, R4, 0x0, 2D", back, load}), Conditions{8})
      << "R7 to R10";
  EXPECT_EQ(conditions({compare, keep, "7: HMMA.16816.F32 R8, R4, R6, R8", back, load}), Conditions{8}) << "R8 to R11";
}

TEST(Listing, AnElectionIsNoConditionButASign) {
  for (const char* comparison : {"ISETP.EQ.U32.AND P0, PT, R4, R5, PT", "ISETP.EQ.U32.AND P0, PT, R5.reuse, R4, PT"}) {
    const MachineAccess access = one(elected(comparison));
    EXPECT_TRUE(access.elected) << comparison;
    EXPECT_EQ(access.conditions, Conditions{}) << comparison;
  }
  for (const char* comparison : {"8: ISETP.NE.U32.AND P0, PT, R4, R5, PT", "8: ISETP.EQ.U32.AND P0, PT, R4, R6, PT"}) {
    const MachineAccess access = one(elected(comparison));
    EXPECT_FALSE(access.elected) << comparison;
    EXPECT_EQ(access.conditions, Conditions{8}) << comparison;
  }
}

TEST(Listing, ALoopIsSeen) {
  const auto found = accesses({"STS [R0], RZ", ".L_x_1:", "4: LDS R1, [R2]", "5: ISETP.GE.AND P0, PT, R5, UR4, PT",
                               "@!P0 BRA `(.L_x_1)", "EXIT", ".L_x_2:", "BRA `(.L_x_2)"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].loops, 0u);
  EXPECT_EQ(found[1].loops, 1u);
  EXPECT_EQ(found[1].conditions, Conditions{5});
}

TEST(Listing, TheLoopsThatHaveAllCopiesAreCounted) {
  const std::string again = "ISETP.GE.AND P0, PT, R5, UR4, PT", turn = "@P0 BRA `(.L_x_1)", store = "8: STS [R0], RZ";
  for (const MachineAccess& access : accesses({".L_x_1:", store, store, again, turn, "EXIT"}))
    EXPECT_EQ(access.shared_loops, 1u);
  for (const MachineAccess& access : accesses({".L_x_1:", store, again, turn, store, "EXIT"}))
    EXPECT_EQ(access.shared_loops, 0u);
}

TEST(Listing, AnIndexedBranchLeadsToAllItsTargets) {
  const auto found = accesses({"3: BRX R2 -0xe0                             (*\"BRANCH_TARGETS .L_x_1,.L_x_2\"*)",
                               ".L_x_1:", "4: STS [R0], RZ", "EXIT", ".L_x_2:", "5: STS [R1], RZ", "EXIT"});
  ASSERT_EQ(found.size(), 2u);
  for (const MachineAccess& access : found) {
    EXPECT_EQ(access.conditions, Conditions{3});
    EXPECT_EQ(access.comparisons, (Comparisons{{0, 3, {Relation::kIndexed, false, 2}}})) << "it has two sides";
  }
}

TEST(Listing, TheWayForLanesThatDivergedIsNoWay) {
  EXPECT_EQ(one({"BRA.DIV UR4, `(.L_x_1)", "4: STS [R0], RZ", ".L_x_1:", "EXIT"}).conditions, Conditions{});
}

TEST(Listing, SharedMemoryAndRegistersAreWhatPtxasSays) {
  const std::string text =
      "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'f' for 'sm_90'\n"
      "ptxas info    : Used 10 registers, used 0 barriers\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
      "ptxas info    : Used 32 registers, used 1 barriers, 2048 bytes smem, 16 bytes cmem[2]\n" +
      listing({"EXIT"}) + "\t.section\t.text.f,\"ax\",@progbits\n.text.f:\n        /*0000*/  EXIT ;\n";
  const auto kernels = read_listing(text);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels.find("k")->second.static_shared, 2048u);
  EXPECT_EQ(kernels.find("k")->second.registers, 32u);
  EXPECT_EQ(kernels.find("f")->second.static_shared, 0u);
  EXPECT_EQ(kernels.find("f")->second.registers, 10u);
}

TEST(Listing, KernelsDoNotMix) {
  const std::string text = listing({"4: STS [R0], RZ"}) + "\t.section\t.nv.info\n        /*0000*/ STS [R1], RZ ;\n" +
                           "\t.section\t.text.f,\"ax\",@progbits\n        /*0000*/ LDS R0, [R1] ;\n";
  const auto kernels = read_listing(text);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels.find("k")->second.accesses.size(), 1u);
  EXPECT_EQ(kernels.find("f")->second.accesses.size(), 1u);
}

// nvdisasm 12 says more of a section, in rows of their own.
TEST(Listing, RowsAboutASectionBeginNoOther) {
  std::string text = listing({"STS [R0], RZ"});
  const size_t begin = text.find("        .global");
  text.insert(begin, "\t.sectionflags\t@\"SHF_BARRIERS=1\"\n\t.sectioninfo\t@\"SHI_REGISTERS=10\"\n");
  const auto kernels = read_listing(text);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels.find("k")->second.accesses.size(), 1u);
}

// Every beginning of a listing, and every listing without one of its bytes, is read to its end.
TEST(Listing, DamagedTextDoesNoHarm) {
  std::vector<std::string> rows = elected("ISETP.EQ.U32.AND P0, PT, R4, R5, PT");
  rows.insert(rows.end(), {".L_x_1:", "PLOP3.LUT P0, PT, P0, P1, PT, 0xa8, 0x0", "@P0 BRA `(.L_x_1)",
                           "BRX R2 -0xe0 (*\"BRANCH_TARGETS .L_x_1,.L_x_1\"*)", "{ STS.64 [R0], R2"});
  const std::string text =
      "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
      "ptxas info    : Used 8 registers, 16 bytes smem\n" +
      listing(rows);
  EXPECT_EQ(read_listing(text).find("k")->second.accesses.size(), 2u);
  for (size_t end = 0; end < text.size(); ++end) {
    EXPECT_LE(read_listing(text.substr(0, end)).size(), 1u);
    EXPECT_LE(read_listing(std::string(text).erase(end, 1)).size(), 1u);
  }
  EXPECT_TRUE(read_listing("").empty());
  EXPECT_TRUE(read_listing("ptxas fatal   : Unresolved extern function 'f'\n").empty());
}

}  // namespace
}  // namespace lockstep
