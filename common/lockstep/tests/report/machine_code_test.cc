// machine_code_test: the report of launches whose machine code is known: which counters follow it, which are doubtful,
// and what is said about it. Fake tools print the listings.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sass/asking.h"
#include "tests/fake_tools.h"
#include "tests/one_kernel.h"

namespace lockstep {
namespace {

using nlohmann::json;

// The kernel's body begins in line 10 of the PTX, which is line 1 of the source file f.cu. %rd1: an array of 4 KiB of
// global memory; %r1: %tid.x; %r2: the thread's word of the shared array s.
constexpr const char* kHead =
    ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<9>; .reg .b32 "
    "%r<20>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .shared .align 16 .b8 s[4096];\nld.param.u64 %rd1, [p]; mov.u32 %r1, "
    "%tid.x;\nmov.u32 %r2, s; mad.lo.u32 %r2, %r1, 16, %r2;\n.loc 1 1 1\n";

std::string ptx_of(const std::string& body) { return kHead + body + "\nret;\n}\n.file 1 \"/f.cu\"\n"; }

json launch_on(const DeviceOptions& options, const std::string& ptx, uint32_t threads = 32, uint32_t blocks = 1) {
  const std::unique_ptr<EmulatedDevice> device = EmulatedDevice::create(options);
  uint64_t array = 0;
  EXPECT_TRUE(device->allocate(4096, &array).ok());
  const Outcome outcome =
      run_kernel(*device, ptx, {0, {blocks}, {threads}, 0, false, std::as_bytes(std::span(&array, 1))});
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return json::parse(device->report_json())["launches"][0];
}

json launch_with(const Tools& tools, const std::string& body, uint32_t threads = 32, uint32_t blocks = 1) {
  DeviceOptions options;
  options.tools = tools;
  return launch_on(options, ptx_of(body), threads, blocks);
}

json launch_of(const std::string& body, const std::vector<std::string>& listing, uint32_t threads = 32) {
  return launch_with(FakeTools(listing_of(listing)).tools(), body, threads);
}

bool is_doubtful(const json& counted, const std::string& name) {
  return counted.value("counter_kinds", json::object()).value(name, "exact") == "ptx-level";
}

bool notes_say(const json& counted, const std::string& part) {
  for (const std::string note : counted.value("notes", json::array()))
    if (note.find(part) != note.npos) return true;
  return false;
}

int count(const json& counted, const std::string& name) { return counted["counters"].value(name, 0); }

// By the PTX alone; -1: it is not told, since the machine code counts the same.
int by_ptx(const json& counted, const std::string& name) {
  return counted.value("ptx_counters", json::object()).value(name, -1);
}

const std::string kShared = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_",
                  kGlobal = "l1tex__t_sectors_pipe_lsu_mem_";

constexpr const char* kPlain = "ld.global.u32 %r3, [%rd1];\nst.global.u32 [%rd1+64], %r3;";

// The card adds lanes of one address one after the other there, and at an address in shared memory together.
TEST(MachineCode, AGenericAtomicOfSharedMemoryIsADoubt) {
  const std::string address = "mov.u64 %rd2, s; cvta.shared.u64 %rd3, %rd2;\n";
  const json launch = launch_of(address + "red.add.u32 [%rd3], 1;", {"11: RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R3"});
  EXPECT_TRUE(is_doubtful(launch, kShared + "atom.sum"));
  EXPECT_TRUE(notes_say(launch, "by a generic address"));
}

TEST(MachineCode, AGenericAccessOfLocalMemoryIsADoubt) {
  const std::string address = ".local .align 4 .b8 l[16]; mov.u64 %rd2, l; cvta.local.u64 %rd3, %rd2;\n";
  const std::vector<std::string> listing{"11: ST.E desc[UR4][R2.64], R3"};
  const json local = launch_of(address + "st.u32 [%rd3], %r1;", listing);
  EXPECT_TRUE(is_doubtful(local, kGlobal + "local_op_st.sum"));
  EXPECT_TRUE(notes_say(local, "local memory by a generic address"));
  EXPECT_FALSE(notes_say(launch_of(address + "st.u32 [%rd1], %r1;", listing), "by a generic address"));
}

// Behind a call through a pointer the card need not bring the lanes together.
TEST(MachineCode, LanesMayStayApartBehindACallOfSeveralFunctions) {
  const auto notes = [](const std::string& chosen) {
    const std::string functions =
        ".func one() { ret; }\n.func two() { ret; }\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<2>; .reg .b32 "
        "%r<3>; .reg .b64 %rd<5>; ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, " +
        chosen + "; mov.u64 %rd2, one; mov.u64 %rd3, two; selp.b64 %rd4, %rd2, %rd3, %p1;\n";
    const std::string ptx = ".version 9.0\n.target sm_75\n.address_size 64\n" + functions +
                            "P: .callprototype _ ();\ncall %rd4, (), P;\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
    DeviceOptions options;
    const FakeTools tools(listing_of({"8: STG.E desc[UR4][R2.64], R3"}));
    options.tools = tools.tools();
    return notes_say(launch_on(options, ptx), "different ways");
  };
  EXPECT_TRUE(notes("16"));
  EXPECT_FALSE(notes("32")) << "all lanes call one function";
}

// Code for a debugger (-G) is not optimised on the card, and ptxas is not asked about it.
TEST(MachineCode, CodeForADebuggerIsJudgedAlone) {
  const FakeTools tools(listing_of({"10: LDG.E R3, desc[UR4][R2.64]", "11: STG.E desc[UR4][R2.64+0x40], R3"}));
  const auto spills_are_doubtful = [&](const std::string& target) {
    std::string ptx = ptx_of(kPlain);
    ptx.replace(ptx.find("sm_75"), 5, target);
    DeviceOptions options;
    options.tools = tools.tools();
    return is_doubtful(launch_on(options, ptx), kGlobal + "local_op_ld.sum");
  };
  EXPECT_FALSE(spills_are_doubtful("sm_75"));
  EXPECT_TRUE(spills_are_doubtful("sm_75, debug"));
}

TEST(MachineCode, WhatIsTheSameIsExactAndNotMentioned) {
  const json launch = launch_of(kPlain, {"10: LDG.E R3, desc[UR4][R2.64]", "11: STG.E desc[UR4][R2.64+0x40], R3"});
  for (const char* key : {"counter_kinds", "ptx_counters", "notes"}) {
    EXPECT_FALSE(launch.contains(key)) << key;
    for (const json& line : launch["lines"]) EXPECT_FALSE(line.contains(key)) << key;
  }
  EXPECT_EQ(launch["occupancy"]["launch__shared_mem_per_block_static"], 16) << "as ptxas says";
}

// Each thread reads 16 bytes: by PTX with four loads of 4 wavefronts each, on the card with one load of 4 phases.
constexpr const char* kFour =
    "ld.shared.u32 %r3, [%r2];\nld.shared.u32 %r4, [%r2+4];\nld.shared.u32 %r5, [%r2+8];\nld.shared.u32 %r6, "
    "[%r2+12];\n"
    ".loc 1 2 1\nst.global.u32 [%rd1], %r6;";

TEST(MachineCode, AWiderLoadIsCountedAsTheCardCountsIt) {
  const json launch = launch_of(kFour, {"11: LDS.128 R4, [R2]", "15: STG.E desc[UR4][R2.64], R6"});
  const json& line = launch["lines"][0];
  ASSERT_EQ(line["line"], 1);
  for (const json& counted : {launch, line}) {
    EXPECT_EQ(count(counted, kShared + "ld.sum"), 4);
    EXPECT_EQ(by_ptx(counted, kShared + "ld.sum"), 16);
    EXPECT_EQ(count(counted, "shared_bytes_loaded"), 32 * 16) << "the lanes ask for as much";
    EXPECT_EQ(by_ptx(counted, "shared_bytes_loaded"), -1);
    EXPECT_FALSE(counted.contains("counter_kinds"));
    EXPECT_TRUE(notes_say(counted, "one access of 16 bytes"));
  }
  EXPECT_FALSE(launch["lines"][1].contains("notes")) << "the store's line";
}

TEST(MachineCode, WithoutAnAnswerTheSameLoadsAreDoubtful) {
  const json launch = launch_with(Tools{}, kFour);
  EXPECT_EQ(count(launch, kShared + "ld.sum"), 16);
  EXPECT_FALSE(launch.contains("ptx_counters"));
  EXPECT_TRUE(is_doubtful(launch, kShared + "ld.sum"));
  EXPECT_TRUE(is_doubtful(launch["lines"][0], kShared + "ld.sum"));
  EXPECT_FALSE(is_doubtful(launch, kGlobal + "global_op_st.sum"));
  EXPECT_FALSE(launch["lines"][1].contains("counter_kinds"));
  EXPECT_TRUE(is_doubtful(launch, "launch__shared_mem_per_block_static"));
}

TEST(MachineCode, ALoadThatPtxasLeavesOutCountsNothing) {
  const json launch = launch_of("ld.global.u32 %r3, [%rd1];", {});
  EXPECT_EQ(count(launch, kGlobal + "global_op_ld.sum"), 0);
  EXPECT_EQ(by_ptx(launch, kGlobal + "global_op_ld.sum"), 1);
  EXPECT_EQ(count(launch, "global_bytes_loaded"), 0);
  EXPECT_FALSE(launch.contains("counter_kinds"));
}

// 32 lanes add to one word.
TEST(MachineCode, ALaunchThatFailsIsDoubtful) {
  for (const bool goes_on : {false, true}) {  // after the bad access
    DeviceOptions options;
    options.checks.memory = goes_on;
    const FakeTools tools(listing_of({"10: LDG.E R0, desc[UR4][R2.64]"}));
    options.tools = tools.tools();
    const std::unique_ptr<EmulatedDevice> device = EmulatedDevice::create(options);
    const uint64_t nowhere = 64;
    const Outcome outcome = run_kernel(*device, ptx_of("ld.global.u32 %r3, [%rd1];"),
                                       {0, {1}, {32}, 0, false, std::as_bytes(std::span(&nowhere, 1))});
    EXPECT_FALSE(outcome.ok());
    const json launch = json::parse(device->report_json())["launches"][0];
    EXPECT_TRUE(is_doubtful(launch, kGlobal + "global_op_ld.sum"));
    EXPECT_TRUE(is_doubtful(launch, kShared + "st.sum"));
    EXPECT_TRUE(is_doubtful(launch, "barriers"));
    EXPECT_FALSE(is_doubtful(launch, "launch__shared_mem_per_block_static"));
    EXPECT_TRUE(notes_say(launch, "did not end"));
  }
}

TEST(MachineCode, OneLaneForTheWarp) {
  const std::string sum = "red.global.add.u32 [%rd1], %r1;";
  const std::string add = "10: @P0 REDG.E.ADD.STRONG.GPU desc[UR6][R4.64], R7";
  const json launch = launch_of(sum, {"10: S2R R5, SR_LANEID", "10: VOTEU.ANY UR8, UPT, PT", "10: FLO.U32 R4, UR8",
                                      "10: ISETP.EQ.U32.AND P0, PT, R4, R5, PT", add});
  EXPECT_EQ(count(launch, kGlobal + "global_op_red.sum"), 1);
  EXPECT_EQ(by_ptx(launch, kGlobal + "global_op_red.sum"), 32);
  EXPECT_EQ(count(launch, "global_atomics"), 32);
  EXPECT_FALSE(launch.contains("counter_kinds"));
  const json alone = launch_with(Tools{}, sum);
  EXPECT_EQ(count(alone, kGlobal + "global_op_red.sum"), 32);
  EXPECT_TRUE(is_doubtful(alone, kGlobal + "global_op_red.sum"));
  EXPECT_TRUE(is_doubtful(alone, kGlobal + "global_op_atom.sum")) << "ptxas may choose the other kind";
}

TEST(MachineCode, AGenericAtomicTakesAWavefrontOfSharedMemory) {
  const json launch =
      launch_of("atom.add.u32 %r3, [%rd1], %r1;\nst.global.u32 [%rd1+64], %r3;",
                {"10: ATOM.E.ADD.STRONG.GPU PT, R3, desc[UR6][R4.64], R7", "11: STG.E desc[UR4][R2.64+0x40], R3"});
  EXPECT_EQ(count(launch, kShared + "atom.sum"), 1);
  EXPECT_EQ(by_ptx(launch, kShared + "atom.sum"), 0);
  EXPECT_TRUE(is_doubtful(launch, kShared + "atom.sum")) << "the card may look again";
  EXPECT_FALSE(is_doubtful(launch, kGlobal + "global_op_atom.sum"));
}

// Half of the lanes branch away from a loop whose body the machine code has twice.
TEST(MachineCode, CopiesAreDoubtfulOnlyIfLanesPart) {
  const auto launch = [](const char* turns) {
    return launch_of("mov.u32 %r3, 0; setp.lt.u32 %p2, %r1, 16;\nselp.u32 %r5, " + std::string(turns) +
                         ", 4, %p2;\nTURN:\nld.global.u32 %r4, [%rd1];\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, "
                         "%r5;\n@%p1 bra TURN;",
                     {"15: ISETP.LT.U32.AND P0, PT, R3, R5, PT", "13: @P0 LDG.E R4, desc[UR4][R2.64]",
                      "13: @P0 LDG.E R4, desc[UR4][R2.64]"});
  };
  EXPECT_FALSE(is_doubtful(launch("4"), kGlobal + "global_op_ld.sum"));
  const json parted = launch("2");
  EXPECT_TRUE(is_doubtful(parted, kGlobal + "global_op_ld.sum"));
  EXPECT_TRUE(is_doubtful(parted, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"));
  EXPECT_TRUE(is_doubtful(parted, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"));
  EXPECT_FALSE(is_doubtful(parted, kGlobal + "global_op_st.sum"));
  EXPECT_TRUE(notes_say(parted, "different ways"));
}

// A load in front of its condition: the card counts as lockstep does only if the condition holds for all.
TEST(MachineCode, ALoadThatPtxasMovesIsExactIfItCountsTheSameThere) {
  const auto launch = [](const std::string& from) {
    return launch_of(
        "setp.lt.u32 %p1, %r1, " + from + ";\n@%p1 bra OUT;\nld.global.u32 %r3, [%rd1];\nOUT:\nmov.u32 %r4, 1;",
        {"12: LDG.E R3, desc[UR4][R2.64]"});
  };
  EXPECT_FALSE(is_doubtful(launch("0"), kGlobal + "global_op_ld.sum")) << "nobody leaves";
  const json moved = launch("16");
  EXPECT_TRUE(is_doubtful(moved, kGlobal + "global_op_ld.sum"));
  EXPECT_TRUE(notes_say(moved, "other conditions"));
}

// The machine code makes the load only under the condition of the store that needs it.
TEST(MachineCode, ALoadThatPtxasMakesOnlyWhereItsValueIsUsed) {
  const auto launch = [](const std::string& to, const char* address) {
    return launch_of("mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;\nld.global.u32 %r3, " +
                         std::string(address) + ";\nsetp.ge.u32 %p1, %r1, " + to +
                         ";\n@%p1 bra OUT;\nst.global.u32 [%rd1+64], %r3;\nOUT:",
                     {"12: ISETP.LT.U32.AND P0, PT, R3, " + to + ", PT", "11: @P0 LDG.E R3, desc[UR4][R2.64]",
                      "14: @P0 STG.E desc[UR4][R2.64+0x40], R3"});
  };
  const json nobody = launch("0", "[%rd1]");
  EXPECT_FALSE(is_doubtful(nobody, kGlobal + "global_op_ld.sum"));
  EXPECT_EQ(count(nobody, kGlobal + "global_op_ld.sum"), 0);
  EXPECT_EQ(by_ptx(nobody, kGlobal + "global_op_ld.sum"), 1);
  EXPECT_TRUE(notes_say(nobody, "only where its value is used"));
  const json one_address = launch("16", "[%rd1]");
  EXPECT_FALSE(is_doubtful(one_address, kGlobal + "global_op_ld.sum")) << "some lanes get what all would get";
  EXPECT_EQ(count(one_address, kGlobal + "global_op_ld.sum"), 1);
  EXPECT_TRUE(is_doubtful(launch("16", "[%rd2]"), kGlobal + "global_op_ld.sum"));
}

// Lanes part at the first branch, and nothing brings them together before the store.
// if (n threads are below 40) if (below 20) store: the machine code asks only the second question.
TEST(MachineCode, ABranchThatPtxasLeavesOutIsExactIfAllLanesGoOneWay) {
  const auto launch = [](const char* below) {
    return launch_of(
        std::string("setp.ge.u32 %p1, %r1, ") + below +
            ";\n@%p1 bra OUT;\nsetp.ge.u32 %p2, %r1, 20;\n@%p2 bra OUT;\nst.shared.u32 [%r2], %r1;\nOUT:",
        {"12: ISETP.GE.U32.AND P0, PT, R1, 0x14, PT", "13: @P0 BRA `(.L_x_1)", "14: STS [R2], R1", ".L_x_1:"});
  };
  EXPECT_FALSE(is_doubtful(launch("40"), kShared + "st.sum"));
  const json some = launch("16");
  EXPECT_TRUE(is_doubtful(some, kShared + "st.sum"));
  EXPECT_TRUE(notes_say(some, "other conditions"));
  EXPECT_TRUE(is_doubtful(launch("0"), kShared + "st.sum")) << "no lane comes to the second question";
}

TEST(MachineCode, ALaneThatComesAloneCannotPart) {
  const auto launch = [](const std::string& comes) {
    return launch_of("setp.lt.u32 %p1, %r1, 9;\n@%p1 bra ON;\nmov.u32 %r4, 1;\nON:\nsetp." + comes +
                         ".u32 %p2, %r1, 5;\n@!%p2 bra OUT;\nst.global.u32 [%rd1], %r1;\nOUT:",
                     {"10: ISETP.LT.U32.AND P0, PT, R3, 0x9, PT", "11: @P0 BRA `(.L_x_1)", "12: MOV R4, 0x1",
                      ".L_x_1:", "14: ISETP.NE.AND P1, PT, R3, 0x5, PT", "16: @!P1 STG.E desc[UR4][R2.64], R3"});
  };
  EXPECT_FALSE(is_doubtful(launch("eq"), kGlobal + "global_op_st.sum"));
  const json several = launch("ge");
  EXPECT_TRUE(is_doubtful(several, kGlobal + "global_op_st.sum"));
  EXPECT_TRUE(notes_say(several, "different ways"));
}

// A ticket says where the thread stores. The threads of one warp get their tickets together.
TEST(MachineCode, TheOrderOfWarpsIsADoubtOnlyIfThereAreSeveral) {
  const std::string ticket =
      "atom.global.add.u32 %r3, [%rd1], 1;\nand.b32 %r3, %r3, 31; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, "
      "%rd1;\nst.global.u32 [%rd2+64], %r1;";
  const std::vector<std::string> same = {"10: ATOMG.E.ADD.STRONG.GPU PT, R3, desc[UR6][R4.64], R7",
                                         "12: STG.E desc[UR4][R2.64+0x40], R1"};
  EXPECT_FALSE(is_doubtful(launch_of(ticket, same), kGlobal + "global_op_st.sum"));
  const json launch = launch_of(ticket, same, 64);
  EXPECT_TRUE(is_doubtful(launch, kGlobal + "global_op_st.sum"));
  EXPECT_FALSE(is_doubtful(launch, kGlobal + "global_op_ld.sum"));
  EXPECT_TRUE(notes_say(launch, "order in which threads"));
  EXPECT_TRUE(is_doubtful(launch_with(Tools{}, ticket, 32, 2), kGlobal + "global_op_st.sum")) << "two blocks";
}

// if (ticket == 99) store: no thread of this run gets that ticket.
TEST(MachineCode, AnAccessToWhichNobodyCameMayDependOnTheOrder) {
  const json launch = launch_with(
      Tools{},
      "atom.global.add.u32 %r3, [%rd1], 1;\nsetp.ne.u32 %p1, %r3, 99;\n@%p1 ret;\nst.global.u32 [%rd1+64], %r1;", 64);
  EXPECT_TRUE(is_doubtful(launch, kGlobal + "global_op_st.sum"));
  EXPECT_FALSE(is_doubtful(launch, kGlobal + "global_op_ld.sum"));
}

// In `some`, the lanes with a ticket below 40 load from shared memory and pass a barrier. In `elsewhere`, all lanes
// load, and the ticket decides where.
TEST(MachineCode, WhatLanesAskForIsADoubtIfTheOrderDecidesHowOften) {
  const std::string ticket = "atom.global.add.u32 %r3, [%rd1], 1;\n", load = "ld.shared.u32 %r4, [%r2];\n";
  const auto launch = [&](const std::string& body, uint32_t threads) {
    return launch_with(Tools{}, "st.shared.u32 [%r2], %r1;\n" + ticket + body + "st.global.u32 [%rd1+64], %r4;",
                       threads);
  };
  const std::string some = "setp.ge.u32 %p1, %r3, 40;\n@%p1 bra OUT;\n" + load + "bar.sync 1, 32;\nOUT:\n";
  const json often = launch(some, 64);
  for (const char* name : {"shared_bytes_loaded", "barriers", "barriers_per_block", "block_waits", "thread_waits"})
    EXPECT_TRUE(is_doubtful(often, name)) << name;
  EXPECT_TRUE(is_doubtful(often["lines"][0], "shared_bytes_loaded"));
  EXPECT_FALSE(is_doubtful(often, "shared_bytes_stored")) << "before the ticket";
  EXPECT_FALSE(is_doubtful(often, "global_atomics"));
  EXPECT_FALSE(is_doubtful(launch(some, 32), "shared_bytes_loaded")) << "one warp gets its tickets together";

  const json elsewhere = launch("and.b32 %r3, %r3, 31;\nmad.lo.u32 %r2, %r3, 4, %r2;\n" + load, 64);
  EXPECT_TRUE(is_doubtful(elsewhere, kShared + "ld.sum"));
  EXPECT_FALSE(is_doubtful(elsewhere, "shared_bytes_loaded")) << "as many bytes, wherever they are";
  EXPECT_FALSE(is_doubtful(elsewhere, "barriers"));
}

// The lanes take turns: each looks until the one before it has stored.
TEST(MachineCode, HowOftenLanesThatAreApartLookIsADoubt) {
  const json launch = launch_with(Tools{},
                                  "mov.u32 %r2, s;\nst.volatile.shared.u32 [%r2], 0;\nbar.warp.sync -1;\nWAIT:\n"
                                  "ld.volatile.shared.u32 %r3, [%r2];\nsetp.ne.u32 %p1, %r3, %r1;\n@%p1 bra WAIT;\n"
                                  "add.u32 %r3, %r3, 1;\nst.volatile.shared.u32 [%r2], %r3;");
  EXPECT_TRUE(is_doubtful(launch, "shared_bytes_loaded"));
  EXPECT_FALSE(is_doubtful(launch, "shared_bytes_stored"));
}

// A store to memory that the host reads in place counts once for the lanes that are together.
TEST(MachineCode, BytesOfTheHostAreAsDoubtfulAsTheirAccess) {
  const auto is_a_doubt = [](const std::string& ticket) {
    const json launch = launch_with(
        Tools{}, ticket + "setp.ge.u32 %p1, %r3, 40;\n@%p1 bra OUT;\nst.global.u32 [%rd1+64], %r3;\nOUT:\n", 64);
    return is_doubtful(launch, "host_bytes_stored");
  };
  EXPECT_TRUE(is_a_doubt("atom.global.add.u32 %r3, [%rd1], 1;\n"));
  EXPECT_FALSE(is_a_doubt("mov.u32 %r3, %r1;\n"));
}

// The even lanes wait where all meet, while the odd ones take so many tickets that lockstep lets the others go on.
TEST(MachineCode, LanesThatDidNotWaitForOthersAreADoubt) {
  const auto store_behind = [](int turns) {
    return launch_with(Tools{},
                       "ld.global.u32 %r9, [%rd1+32];\nand.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\nmov.u32 "
                       "%r4, 0;\n@%p1 bra OUT;\nTURN:\natom.global.add.u32 %r5, [%rd1], 1;\nadd.u32 %r6, %r6, "
                       "%r5;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, " +
                           std::to_string(turns) + ";\n@%p2 bra TURN;\nOUT:\nst.global.u32 [%rd1+64], %r1;");
  };
  const json few = store_behind(4), many = store_behind(1000);
  EXPECT_FALSE(is_doubtful(few, kGlobal + "global_op_st.sum"));
  EXPECT_EQ(count(few, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"), 1);
  EXPECT_EQ(count(many, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"), 2) << "the test means nothing";
  EXPECT_TRUE(is_doubtful(many, kGlobal + "global_op_st.sum"));
  EXPECT_TRUE(notes_say(many, "different ways"));
  EXPECT_FALSE(is_doubtful(many, kGlobal + "global_op_ld.sum")) << "before they part";
}

// As above, at MID, where lanes of another branch might come, too. Those would meet at END.
TEST(MachineCode, LanesThatDidNotWaitAtAnEarlyMeetingAreADoubt) {
  const auto store_behind = [](int turns) {
    return launch_with(
        Tools{},
        "setp.gt.u32 %p1, %r1, 99;\n@%p1 bra MID;\nsetp.gt.u32 %p2, %r1, 98;\n@%p2 bra END;\nand.b32 %r3, %r1, "
        "1;\nmul.lo.u32 %r3, %r3, " +
            std::to_string(turns) +
            ";\nmov.u32 %r4, 0;\nTURN:\natom.global.add.u32 %r5, [%rd1], 1;\nadd.u32 %r6, %r6, %r5;\nadd.u32 %r4, %r4, "
            "1;\n"
            "setp.lt.u32 %p3, %r4, %r3;\n@%p3 bra TURN;\nMID:\nadd.u32 %r6, %r6, 1;\nEND:\nst.global.u32 [%rd1+64], "
            "%r1;\n");
  };
  const json few = store_behind(4), many = store_behind(1000);
  EXPECT_FALSE(is_doubtful(few, kGlobal + "global_op_st.sum"));
  EXPECT_EQ(count(many, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"), 2) << "the test means nothing";
  EXPECT_TRUE(is_doubtful(many, kGlobal + "global_op_st.sum"));
}

// Behind YIELD, lanes need not be together, though BSYNC stands there.
TEST(MachineCode, LanesThatPartAreADoubtBehindAYield) {
  const auto store_behind = [](const char* opcode, const char* bit) {
    return launch_of(
        "and.b32 %r3, %r1, " + std::string(bit) +
            ";\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra OUT;\nadd.u32 %r4, %r4, 1;\nOUT:\nst.global.u32 [%rd1], %r4;",
        {std::string("11: ") + opcode, "11: BSSY B0, `(.L_x_2)", "11: ISETP.NE.AND P0, PT, R3, RZ, PT",
         "12: @P0 BRA `(.L_x_1)", "13: IADD3 R4, R4, 0x1, RZ", ".L_x_1:", "15: BSYNC B0",
         ".L_x_2:", "15: STG.E desc[UR4][R2.64], R4"});
  };
  EXPECT_FALSE(is_doubtful(store_behind("NOP", "1"), kGlobal + "global_op_st.sum"));
  EXPECT_TRUE(is_doubtful(store_behind("YIELD", "1"), kGlobal + "global_op_st.sum"));
  EXPECT_FALSE(is_doubtful(store_behind("YIELD", "32"), kGlobal + "global_op_st.sum")) << "no lanes part";
}

// if (__fdividef(tid, 37) <= bound) store. No quotient is above 2, and some are above 1/2.
TEST(MachineCode, AnApproximatedFunctionIsADoubtOnlyIfLanesDiffer) {
  const std::string quotient = "cvt.rn.f32.u32 %f1, %r1;\ndiv.approx.f32 %f2, %f1, 0f42140000;\n";
  const auto stored_unless_above = [&](const char* bound) {
    return launch_with(
        Tools{}, quotient + "setp.gt.f32 %p1, %f2, " + bound + ";\n@%p1 bra OUT;\nst.global.u32 [%rd1], %r1;\nOUT:\n");
  };
  const json all = stored_unless_above("0f40000000"), some = stored_unless_above("0f3F000000");
  EXPECT_FALSE(is_doubtful(all, kGlobal + "global_op_st.sum"));
  EXPECT_TRUE(is_doubtful(some, kGlobal + "global_op_st.sum"));
  EXPECT_TRUE(notes_say(some, "approximates"));
  const json index = launch_with(Tools{}, quotient +
                                              "cvt.rzi.u32.f32 %r3, %f2;\nmul.wide.u32 %rd2, %r3, 4;\n"
                                              "add.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;");
  EXPECT_TRUE(is_doubtful(index, kGlobal + "global_op_st.sum"));
}

// if (a != b) store, with two quotients: on a card some may differ in their last bits, though here none does, or all
// do.
TEST(MachineCode, WhetherApproximatedValuesAreEqualIsADoubtThoughAllLanesAgree) {
  const auto stored_if = [](const std::string& question) {
    return launch_with(Tools{},
                       "cvt.rn.f32.u32 %f1, %r1;\ndiv.approx.f32 %f2, %f1, 0f42140000;\n"
                       "div.approx.f32 %f3, %f1, 0f42140000;\n" +
                           question + ";\n@%p1 bra OUT;\nst.global.u32 [%rd1], %r1;\nOUT:\n");
  };
  EXPECT_TRUE(is_doubtful(stored_if("setp.eq.f32 %p1, %f2, %f3"), kGlobal + "global_op_st.sum")) << "nobody stores";
  EXPECT_TRUE(is_doubtful(stored_if("setp.neu.f32 %p1, %f2, %f3"), kGlobal + "global_op_st.sum")) << "all do";
  EXPECT_FALSE(is_doubtful(stored_if("setp.nan.f32 %p1, %f2, %f2"), kGlobal + "global_op_st.sum"));
  EXPECT_FALSE(is_doubtful(stored_if("setp.neu.f32 %p1, %f2, %f2"), kGlobal + "global_op_st.sum")) << "a number?";
  EXPECT_FALSE(is_doubtful(stored_if("setp.eq.f32 %p1, %f2, 0f40000000"), kGlobal + "global_op_st.sum"))
      << "an exact constant is met or not";
  EXPECT_FALSE(is_doubtful(stored_if("setp.gt.f32 %p1, %f2, %f3"), kGlobal + "global_op_st.sum")) << "an order";
}

// for (…) { if (a) continue; if (b) break; … }: lanes that continue wait for the others only in the usual schedule.
TEST(MachineCode, AnotherScheduleIsADoubtWhereLanesMeetAtTheStepBack) {
  const auto loads = [](Schedule::Kind kind, const std::string& leave) {
    DeviceOptions options;
    options.schedule.kind = kind;
    const std::string body =
        "mov.u32 %r4, 0;\nTURN:\nld.global.u32 %r3, [%rd1];\nadd.u32 %r5, %r1, %r4;\nand.b32 %r6, %r5, 1;\n"
        "setp.eq.u32 %p1, %r6, 0;\n@%p1 bra BACK;\n" +
        leave + "add.u32 %r7, %r7, %r3;\nBACK:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 5;\n@%p3 bra TURN;\nOUT:";
    return launch_on(options, ptx_of(body));
  };
  const std::string leave = "setp.gt.u32 %p2, %r5, 99;\n@%p2 bra OUT;\n";
  EXPECT_FALSE(notes_say(loads(Schedule::kReverse, ""), "different ways")) << "all meet in the turn";
  EXPECT_TRUE(notes_say(loads(Schedule::kReverse, leave), "different ways"));
  EXPECT_FALSE(notes_say(loads(Schedule::kForward, leave), "different ways"));
}

TEST(MachineCode, AtomicsMadeOfALoopAreDoubtfulIfSeveralWarpsMeet) {
  const std::string sum = "mov.f32 %f1, 0f3F800000;\nred.shared.add.f32 [s], %f1;";
  const std::vector<std::string> loop = {"11: LDS R3, [R2]", "11: ATOMS.CAST.SPIN R3, [R2], R3, R4"};
  EXPECT_FALSE(is_doubtful(launch_of(sum, loop), "shared_wavefronts"));
  EXPECT_TRUE(is_doubtful(launch_of(sum, loop, 64), "shared_wavefronts"));
  const json blocks = launch_with(Tools{}, sum, 32, 2);
  EXPECT_FALSE(notes_say(blocks, "another warp was faster")) << "each block has its own shared memory";
}

TEST(MachineCode, RegistersInLocalMemoryMakeItsCountersDoubtful) {
  const json launch = launch_of("add.u32 %r3, %r1, 1;", {"10: STL [R1], R3"});
  EXPECT_TRUE(is_doubtful(launch, kGlobal + "local_op_st.sum"));
  EXPECT_TRUE(is_doubtful(launch, kGlobal + "local_op_ld.sum")) << "what is stored is loaded again";
  EXPECT_TRUE(notes_say(launch, "registers in local memory"));
}

// At least 16, whatever ptxas says.
TEST(MachineCode, RegistersAreThoseThatALaunchGets) {
  for (const auto& [said, gets, blocks] : {std::tuple{8, 16, 128}, std::tuple{40, 40, 48}, std::tuple{255, 255, 8}}) {
    const FakeTools fake(listing_of({"10: LDG.E R3, desc[UR4][R2.64]"}), said);
    const json occupancy = launch_with(fake.tools(), kPlain)["occupancy"];
    EXPECT_EQ(occupancy["launch__registers_per_thread"], gets);
    EXPECT_EQ(occupancy["launch__occupancy_limit_registers"], blocks);
    EXPECT_EQ(occupancy["blocks_per_multiprocessor"], std::min(32, blocks));
  }
  EXPECT_FALSE(launch_with({}, kPlain)["occupancy"].contains("launch__registers_per_thread"));
}

TEST(MachineCode, ACardRefusesABlockWithTooManyRegisters) {
  const FakeTools fake(listing_of({"10: LDG.E R3, desc[UR4][R2.64]"}), 128);
  DeviceOptions options;
  options.tools = fake.tools();
  std::string body = kPlain;  // ptxas is asked before the launch only if the PTX has many registers, too
  for (int i = 3; i < 20; ++i) body += "add.u32 %r" + std::to_string(i) + ", %r" + std::to_string(i - 1) + ", 1;\n";
  const auto launch = [&](uint32_t threads) {
    const auto device = EmulatedDevice::create(options);
    uint64_t array = 0;
    EXPECT_TRUE(device->allocate(16384, &array).ok());
    return run_kernel(*device, ptx_of(body), {0, {1}, {threads}, 0, false, std::as_bytes(std::span(&array, 1))});
  };
  EXPECT_TRUE(launch(512).ok());
  const Outcome refused = launch(1024);
  EXPECT_EQ(refused.status, Status::kLaunchOutOfResources);
  EXPECT_NE(plain(refused.message).find("128 registers, and the card has enough for 512 threads"), std::string::npos);
  EXPECT_NE(plain(refused.message).find("__launch_bounds__(1024)"), std::string::npos);
  options.tools = {};
  EXPECT_TRUE(launch(1024).ok()) << "nobody knows";
}

// It may have chosen its grid by the answer.
TEST(MachineCode, AProgramThatLearnsAGuessOfRegistersIsDoubtful) {
  const FakeTools fake(listing_of({"10: LDG.E R3, desc[UR4][R2.64]", "11: STG.E desc[UR4][R2.64+0x40], R3"}));
  const auto launch_after = [](const Tools& tools, bool asks) {
    DeviceOptions options;
    options.tools = tools;
    const auto device = EmulatedDevice::create(options);
    uint64_t array = 0;
    ModuleId module = 0;
    FunctionInfo function;
    EXPECT_TRUE(device->allocate(4096, &array).ok());
    EXPECT_TRUE(device->load_module({ptx_of(kPlain)}, &module).ok());
    EXPECT_TRUE(device->find_function(module, "k", &function).ok());
    EXPECT_EQ(asks ? device->blocks_per_sm(function.id, 1024, 0) : 2, 2u);
    EXPECT_TRUE(device->launch({function.id, {1}, {32}, 0, false, std::as_bytes(std::span(&array, 1))}).ok());
    return json::parse(device->report_json())["launches"][0];
  };
  EXPECT_TRUE(notes_say(launch_after({}, true), "without ptxas"));
  EXPECT_FALSE(notes_say(launch_after({}, false), "without ptxas"));
  EXPECT_FALSE(notes_say(launch_after(fake.tools(), true), "without ptxas"));
}

// As in the judge's device, which may start no process.
TEST(MachineCode, TheAnswerInTheFolderNeedsNoTool) {
  const FakeTools fake(listing_of({"10: LDG.E R3, desc[UR4][R2.64]", "11: STG.E desc[UR4][R2.64+0x40], R3"}));
  launch_with(fake.tools(), kPlain);
  const size_t calls = fake.asked().size();
  EXPECT_EQ(launch_with(fake.answers_only(), kPlain)["occupancy"]["launch__shared_mem_per_block_static"], 16);
  EXPECT_EQ(fake.asked().size(), calls);
}

// Its kernels that run are asked about one by one.
TEST(MachineCode, OfALargeModuleOnlyTheKernelThatRunsIsAskedAbout) {
  const FakeTools fake(listing_of({"10: LDG.E R3, desc[UR4][R2.64]", "11: STG.E desc[UR4][R2.64+0x40], R3"}));
  const std::string large = kPlain + std::string("\n// ") + std::string(300 << 10, 'x');
  EXPECT_EQ(launch_with(fake.tools(), large)["occupancy"]["launch__shared_mem_per_block_static"], 16);
  ASSERT_EQ(fake.asked().size(), 2u);
  EXPECT_NE(fake.asked()[0].find("-e k "), std::string::npos);
}

// As in the judge's device: ask_ptxas has asked about all kernels before.
TEST(MachineCode, ALargeModuleThatWasAskedAboutAsAWholeNeedsNoTool) {
  const FakeTools fake(listing_of({"10: LDG.E R3, desc[UR4][R2.64]", "11: STG.E desc[UR4][R2.64+0x40], R3"}));
  const std::string large = kPlain + std::string("\n// ") + std::string(300 << 10, 'x');
  Question(fake.tools(), ptx_of(large), "");
  for (const Tools& tools : {fake.answers_only(), fake.tools()})
    EXPECT_EQ(launch_with(tools, large)["occupancy"]["launch__shared_mem_per_block_static"], 16);
  EXPECT_EQ(fake.asked().size(), 2u);
}

}  // namespace
}  // namespace lockstep
