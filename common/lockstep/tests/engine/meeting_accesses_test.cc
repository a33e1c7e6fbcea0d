// meeting_accesses_test: which accesses of a launch may meet at one place. Each kernel ends with a store to the array
// a.
#include "engine/meeting_accesses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "engine/memory.h"
#include "tests/program/code.h"

namespace lockstep {
namespace {

// Whether threads may meet there. %r9: the index of the last store to a.
class Meeting : public testing::Test {
 protected:
  bool meet(const std::string& body, const Dim3& block = {64}, const Dim3& grid = {10}) {
    const Module module =
        module_of("ld.param.u64 %rd1, [a];\n" + body +
                  "\nmul.wide.s32 %rd2, %r9, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], 1;");
    const auto program = decoded(module, params_);
    std::memcpy(reinterpret_cast<void*>(params_), &array_, sizeof array_);
    return meeting_accesses(*program, memory_, block, grid, {.global = true}).what.at(program->accesses.size() - 1) !=
           0;
  }

  Memory memory_{{.memory_bytes = 1 << 20}};
  const uint64_t array_ = memory_.allocate(4096), other_ = memory_.allocate(4096), params_ = memory_.allocate(4096);
};

// %r4 = i, the number of the thread in the grid.
const std::string kNumber =
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.s32 %r4, %r1, %r2, %r3;\n";
// Another store, to a[i + 1].
const std::string kBeside =
    "add.s32 %r5, %r4, 1;\nmul.wide.s32 %rd5, %r5, 4;\nadd.s64 %rd6, %rd1, %rd5;\n"
    "st.global.u32 [%rd6], 2;\n";

TEST_F(Meeting, SumsAndProductsKeepThreadsApart) {
  EXPECT_FALSE(meet(kNumber + "mov.u32 %r9, %r4;"));
  EXPECT_FALSE(meet(kNumber + "shl.b32 %r5, %r4, 2;\nadd.s32 %r9, %r5, 3;"));
  EXPECT_FALSE(meet(kNumber + "shl.b32 %r5, %r4, 2;\nor.b32 %r9, %r5, 3;"));
  EXPECT_FALSE(meet(kNumber + "mov.u32 %r5, 700;\nsub.s32 %r9, %r5, %r4;"));
  EXPECT_FALSE(meet("mov.u32 %r9, %tid.x;", {64}, {1}));
  EXPECT_FALSE(meet("mov.u32 %r9, %ctaid.x;", {1}, {64}));
  EXPECT_FALSE(meet("mov.u32 %r9, 7;", {1}, {1}));
}

TEST_F(Meeting, EachNumberOfTheLaunchMustBeInTheAddress) {
  EXPECT_TRUE(meet("mov.u32 %r9, %tid.x;"));
  EXPECT_TRUE(meet("mov.u32 %r9, %ctaid.x;"));
  EXPECT_TRUE(meet("mov.u32 %r9, 7;", {1}, {2}));
  const std::string rows = "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmad.lo.s32 %r9, %r2, 100, %r1;";
  EXPECT_FALSE(meet(rows, {100, 4}, {1}));
  EXPECT_TRUE(meet(rows, {101, 4}, {1})) << "rows overlap";
  EXPECT_TRUE(meet(rows, {4, 4, 4}, {1}));
}

TEST_F(Meeting, BlocksMustBeAsFarApartAsTheyAreLong) {
  const std::string tile = "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmad.lo.s32 %r9, %r1, 32, %r2;";
  EXPECT_FALSE(meet(tile, {32}));
  EXPECT_TRUE(meet(tile, {33}));
  EXPECT_TRUE(meet("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nadd.s32 %r9, %r1, %r2;"));
  EXPECT_TRUE(meet("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmul.lo.s32 %r9, %r1, %r2;"));
}

TEST_F(Meeting, OtherOperationsMayMakeTwoAlike) {
  for (const std::string operation :
       {"and.b32 %r9, %r4, 31", "shr.s32 %r9, %r4, 1", "rem.s32 %r9, %r4, 10", "div.s32 %r9, %r4, 3",
        "min.s32 %r9, %r4, 5", "selp.b32 %r9, %r4, 5, %p1", "or.b32 %r9, %r4, 1", "mul.hi.s32 %r9, %r4, 9"})
    EXPECT_TRUE(meet(kNumber + operation + ";")) << operation;
  EXPECT_TRUE(meet(kNumber + "ld.global.u32 %r5, [%rd1];\nadd.s32 %r9, %r4, %r5;")) << "a loaded index";
  EXPECT_TRUE(meet("st.global.u32 [%rd1], %r9;")) << "a register that nothing writes";
}

TEST_F(Meeting, TwoStoresMayMeet) {
  EXPECT_TRUE(meet(kNumber + kBeside + "mov.u32 %r9, %r4;")) << "a[i] and a[i + 1]";
  EXPECT_TRUE(meet(kNumber + kBeside + "add.s32 %r9, %r4, 640;")) << "a[i + 1] and a[i + 640]";
  EXPECT_FALSE(meet(kNumber + kBeside + "add.s32 %r9, %r4, 641;")) << "a[i + 1] and a[i + 641]";
}

TEST_F(Meeting, FieldsOfAStructureAreApart) {
  const std::string field = kNumber +
                            "mul.wide.s32 %rd5, %r4, 8;\nadd.s64 %rd6, %rd1, %rd5;\n"
                            "st.global.u32 [%rd6+4], 2;\nshl.b32 %r9, %r4, 1;";
  EXPECT_FALSE(meet(field));
  EXPECT_TRUE(meet(kNumber + "mul.wide.s32 %rd5, %r4, 8;\nadd.s64 %rd6, %rd1, %rd5;\n"
                             "st.global.v2.u32 [%rd6+4], {1, 2};\nshl.b32 %r9, %r4, 1;"))
      << "the structure has 12 bytes, and its array 8";
}

TEST_F(Meeting, ALoadedIndexMeetsAllStoresToItsArray) {
  const std::string scattered =
      "ld.global.u32 %r5, [%rd1];\nmul.wide.s32 %rd5, %r5, 4;\nadd.s64 %rd6, TO, %rd5;\n"
      "st.global.u32 [%rd6], 2;\nmov.u32 %r9, %r4;";
  const auto to = [&](const std::string& array) {
    std::string body = kNumber + scattered;
    return body.replace(body.find("TO"), 2, array);
  };
  EXPECT_TRUE(meet(to("%rd1")));
  EXPECT_FALSE(meet("mov.u64 %rd4, " + std::to_string(other_) + ";\n" + to("%rd4"))) << "another array";
  EXPECT_TRUE(meet("ld.global.u64 %rd4, [%rd1];\n" + to("%rd4"))) << "the array is not known";
}

// k is 0, 1, 2, …
TEST_F(Meeting, ALoopsStepMustBeAsLongAsTheLaunch) {
  const auto in_loop = [&](const std::string& step, const std::string& index) {
    return meet(kNumber + "mov.u32 %r5, 0;\nLOOP:\nadd.s32 %r5, %r5, " + step +
                ";\nsetp.lt.s32 %p1, %r5, 9;\n@%p1 bra LOOP;\n" + index);
  };
  EXPECT_TRUE(in_loop("1", "add.s32 %r9, %r4, %r5;")) << "i + k";
  EXPECT_TRUE(in_loop("1", "mul.lo.s32 %r9, %r4, %r5;")) << "i · k";
  EXPECT_FALSE(in_loop("1", "mad.lo.s32 %r9, %r5, 640, %r4;")) << "640 k + i";
  EXPECT_TRUE(in_loop("1", "mad.lo.s32 %r9, %r5, 639, %r4;")) << "639 k + i";
  EXPECT_FALSE(in_loop("640", "add.s32 %r9, %r4, %r5;")) << "i + 640 k";
  EXPECT_TRUE(in_loop("%r2", "add.s32 %r9, %r4, %r5;")) << "i + 64 k";
  EXPECT_TRUE(in_loop("%r4", "add.s32 %r9, %r4, %r5;")) << "i + i k";
  EXPECT_TRUE(in_loop("%r5", "add.s32 %r9, %r4, %r5;")) << "a step that grows";
}

TEST_F(Meeting, AnIndexMayBeACounter) {
  const auto from_number = [&](const std::string& step) {
    return meet(kNumber +
                "mov.u32 %r6, %nctaid.x;\nmul.lo.s32 %r7, %r2, %r6;\nmov.u32 %r9, %r4;\nLOOP:\nadd.s32 %r9, "
                "%r9, " +
                step + ";\nsetp.lt.s32 %p1, %r9, 99;\n@%p1 bra LOOP;");
  };
  EXPECT_FALSE(from_number("%r7")) << "the threads of the grid";
  EXPECT_TRUE(from_number("%r2")) << "the threads of a block";
}

TEST_F(Meeting, AnIndexMayHaveSeveralValues) {
  EXPECT_TRUE(meet(kNumber + "mov.u32 %r9, %r4;\n@%p1 bra OVER;\nmov.u32 %r9, %r3;\nOVER:"));
  EXPECT_TRUE(meet(kNumber + "mov.u32 %r9, %r4;\n@%p1 bra OVER;\nadd.s32 %r9, %r4, 1;\nOVER:"));
  EXPECT_FALSE(meet(kNumber + "mov.u32 %r9, %r4;\n@%p1 bra OVER;\nadd.s32 %r9, %r4, 1024;\nOVER:"));
}

TEST_F(Meeting, ParametersCountWithTheirValues) {
  const std::string body = kNumber + "ld.param.u32 %r5, [a+4];\nmad.lo.s32 %r9, %r3, %r5, %r1;";  // the upper half of a
  const auto stride = static_cast<uint32_t>(array_ >> 32);
  EXPECT_FALSE(meet(body, {64}, {stride}));
  EXPECT_TRUE(meet(body, {64}, {stride + 1}));
}

// A parameter and another address point into one array.
TEST_F(Meeting, TwoPointersIntoOneArrayMayRace) {
  const auto races_with = [&](uint64_t array, const std::string& load, const std::string& index) {
    const auto program = decoded(
        module_of("mov.u64 %rd4, " + std::to_string(array) + ";\n" + kNumber +
                  "mul.wide.s32 %rd5, %r4, 4;\nadd.s64 %rd6, %rd4, %rd5;\n" + load + "\nld.param.u64 %rd1, [a];\n" +
                  index + "\nmul.wide.s32 %rd2, %r9, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r8;"),
        params_);
    std::memcpy(reinterpret_cast<void*>(params_), &array_, sizeof array_);
    const auto meeting = meeting_accesses(*program, memory_, {64}, {10}, {.global = true});
    return std::ranges::any_of(program->accesses, [&](const MemoryAccess& access) {
      return access.op == MemoryOp::kLoad && (meeting.what[access.index] & kRaceInGlobal);
    });
  };
  const auto races = [&](const std::string& load, const std::string& index) {
    EXPECT_FALSE(races_with(other_, load, index)) << "two arrays";
    return races_with(array_, load, index);
  };
  EXPECT_FALSE(races("ld.global.u32 %r8, [%rd6];", "mov.u32 %r9, %r4;")) << "a[i] and b[i]";
  EXPECT_TRUE(races("ld.global.u32 %r8, [%rd6+4];", "mov.u32 %r9, %r4;")) << "a[i] and b[i + 1]";
  EXPECT_FALSE(races("ld.global.u32 %r8, [%rd6];", "add.s32 %r9, %r4, 640;")) << "two halves of one array";
  EXPECT_FALSE(races("", "mov.u32 %r9, %r4;")) << "no load";
}

// A byte may be a part of a word to which another thread stores.
TEST_F(Meeting, AllAccessesToOneArrayHaveTheUnitOfTheSmallest) {
  const auto unit_of_store = [&](uint64_t bytes_at, const std::string& space, const Dim3& block) {
    const auto program = decoded(
        module_of(".shared .b8 s[64];\nmov.u64 %rd4, " + std::to_string(bytes_at) + ";\nld" + space +
                  ".u8 %r8, [%rd4];\nld.param.u64 %rd1, [a];\n" + kNumber +
                  "mul.wide.s32 %rd2, %r4, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.v2.u32 [%rd3], {%r8, %r8};"),
        params_);
    std::memcpy(reinterpret_cast<void*>(params_), &array_, sizeof array_);
    return int{
        meeting_accesses(*program, memory_, block, {1}, {.global = true}).units.at(program->accesses.size() - 1)};
  };
  EXPECT_EQ(unit_of_store(array_, ".global", {64}), 1);
  EXPECT_EQ(unit_of_store(other_, ".global", {64}), 4);
  EXPECT_EQ(unit_of_store(0, ".shared", {64}), 4);
  EXPECT_EQ(unit_of_store(0, ".shared", {32}), 1) << "the notes about lanes of one warp know no arrays";
}

TEST_F(Meeting, InSharedMemoryEachBlockIsAlone) {
  const auto meet_in_shared = [&](const std::string& body) {
    const auto program =
        decoded(module_of(".shared .b8 s[8192];\nmov.u32 %r1, s;\n" + kNumber.substr(kNumber.find("mov.u32 %r2")) +
                          "mov.u32 %r6, %ctaid.x;\n" + body + "\nst.shared.u32 [%r9], 1;"));
    return meeting_accesses(*program, memory_, {64}, {10}, {.shared = true}).what.at(program->accesses.size() - 1) != 0;
  };
  EXPECT_FALSE(meet_in_shared("shl.b32 %r5, %r3, 2;\nadd.s32 %r9, %r1, %r5;"));
  EXPECT_TRUE(meet_in_shared("shl.b32 %r5, %r3, 1;\nadd.s32 %r9, %r1, %r5;"));
  EXPECT_TRUE(meet_in_shared("shl.b32 %r5, %r6, 2;\nadd.s32 %r9, %r1, %r5;"));
}

}  // namespace
}  // namespace lockstep
