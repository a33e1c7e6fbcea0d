// trace_test: small PTX kernels → the records that the trace writes.
#include "report/trace.h"
#include "base/words.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

#include "device/emulated_device.h"
#include "tests/one_kernel.h"

namespace lockstep {
namespace {

using Json = nlohmann::json;

// The records of one launch of `body` in order, the launch's own first; registers and arrays as in checker_test.
std::vector<Json> whole_trace(const std::string& body, uint32_t threads = 32, uint32_t blocks = 1) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const auto file = std::filesystem::temp_directory_path() /
                    ("trace_test_" + std::to_string(getpid()) + "_" + std::string(test->name()) + ".jsonl");
  DeviceOptions options;
  options.trace = file;
  options.threads = 4;  // without a trace, blocks would run side by side
  const auto device = EmulatedDevice::create(options);
  uint64_t array = 0;
  device->allocate(1024, &array);
  const std::vector<float> ones(256, 1.0f);
  device->copy_in(array, ones.data(), 1024);
  const std::string text =
      ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<9>; .reg .b32 "
      "%r<20>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n.shared .align 16 .b8 s[1024], other[16];\nld.param.u64 %rd1, [p];\n"
      "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd2, %rd1;\nmov.u32 %r2, s;\n"
      "mad.lo.u32 %r2, %r1, 4, %r2;\n" +
      body + "\nret;\n}\n";
  const Outcome outcome =
      run_kernel(*device, text, {0, {blocks}, {threads}, 0, false, std::as_bytes(std::span(&array, 1))});
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  std::vector<Json> records;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) records.push_back(Json::parse(line));
  std::filesystem::remove(file);
  return records;
}

// Without the branches, which most tests need only to leave lanes out.
std::vector<Json> trace(const std::string& body, uint32_t threads = 32, uint32_t blocks = 1) {
  auto records = whole_trace(body, threads, blocks);
  std::erase_if(records, [](const Json& record) { return record.value("op", "") == "branch"; });
  return records;
}

TEST(Trace, ALaunchComesFirst) {
  const auto records = trace("");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0],
            Json::parse(R"({"version": 3, "launch": 1, "kernel": "k", "grid": [1,1,1], "block": [32,1,1]})"));
}

TEST(Trace, AnAccessNamesArrayElementAndValue) {
  const auto records = trace(
      "setp.gt.u32 %p1, %r1, 1; @%p1 bra END; ld.global.f32 %f1, [%rd2+40]; st.shared.f32 [%r2+132], %f1;"
      "red.shared.add.u32 [s+4], 3; END:");
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[1], Json::parse(R"({"launch": 1, "block": [0,0,0], "warp": 0, "step": 0, "file": "", "line": 0,
      "op": "load", "lanes": [0,1], "space": "global", "bytes": 4, "count": 1, "array": "parameter 1",
      "index": [10,11], "address": [40,44], "value": [1.0,1.0], "sectors": 1})"));
  EXPECT_EQ(records[2], Json::parse(R"({"launch": 1, "block": [0,0,0], "warp": 0, "step": 0, "file": "", "line": 0,
      "op": "store", "lanes": [0,1], "space": "shared", "bytes": 4, "count": 1, "array": "s",
      "index": [33,34], "address": [132,136], "bank": [1,2], "value": [1.0,1.0], "wavefronts": 1})"));
  EXPECT_EQ(records[3]["op"], "atomic");
  EXPECT_EQ(records[3]["atomic"], "add");
  EXPECT_EQ(records[3]["value"], Json({3, 3}));
  EXPECT_EQ(records[3]["index"], Json({1, 1}));
}

TEST(Trace, AnAtomicSaysWhatWasThereBefore) {
  const auto records = trace("red.global.add.f32 [%rd1], 0f40000000; red.global.add.f32 [%rd1], 0f40000000;", 2);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1]["before"], Json({1.0, 1.0})) << "before all lanes of the instruction";
  EXPECT_EQ(records[2]["before"], Json({5.0, 5.0}));
}

TEST(Trace, OneLaneIsEnough) {
  const auto records = trace("setp.ne.u32 %p1, %r1, 5; @%p1 bra END; st.shared.u32 [%r2], 7; END:");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1]["lanes"], Json({5}));
  EXPECT_EQ(records[1]["array"], "s");
  EXPECT_EQ(records[1]["index"], Json({5}));
  EXPECT_EQ(records[1]["value"], Json({7}));
}

TEST(Trace, LanesInTwoArraysNameBoth) {
  const auto records = trace(
      "setp.gt.u32 %p1, %r1, 1; @%p1 bra END; setp.eq.u32 %p2, %r1, 0; mov.u32 %r3, other;"
      "selp.u32 %r3, %r3, %r2, %p2; st.shared.u32 [%r3], 7; END:",
      32, 1);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1]["array"], Json({"other", "s"}));
  EXPECT_EQ(records[1]["index"], Json({0, 1}));
}

TEST(Trace, RowsAreRecordedToo) {
  const auto records = trace("ld.global.v2.f32 {%f1, %f2}, [%rd1]; st.shared.s32 [%r2], -5;");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1]["count"], 2);
  EXPECT_EQ(records[1]["value"].size(), 64u);
  EXPECT_EQ(records[2]["index"][31], 31);
  EXPECT_EQ(records[2]["value"][31], -5);
}

// One lane stores the same number under each type.
TEST(Trace, ValuesHaveTheTypeOfTheInstruction) {
  const auto value = [](const std::string& type, const std::string& number) {
    const auto records = trace("st.shared." + type + " [s], " + number + ";", 1);
    return records.size() == 2 ? records[1]["value"][0] : Json();
  };
  EXPECT_EQ(value("s8", "-1"), -1);
  EXPECT_EQ(value("u8", "-1"), 255);
  EXPECT_EQ(value("s16", "-1"), -1);
  EXPECT_EQ(value("b16", "-1"), 65535);
  EXPECT_EQ(value("s32", "-1"), -1);
  EXPECT_EQ(value("b32", "-1"), 4294967295u);
  EXPECT_EQ(value("s64", "-1"), -1);
  EXPECT_EQ(value("u64", "-1"), ~uint64_t{0});
  EXPECT_EQ(value("f32", "0f3F000000"), 0.5);
  EXPECT_EQ(value("f64", "0d3FE0000000000000"), 0.5);
}

TEST(Trace, EachAtomicHasItsNameAndTheNewValue) {
  for (const char* const name :
       {"add.u32", "min.u32", "max.u32", "inc.u32", "dec.u32", "and.b32", "or.b32", "xor.b32", "exch.b32", "cas.b32"}) {
    const std::string text = name;
    const auto records = trace(
        "atom.global." + text + " %r3, [%rd1], " + (text == "cas.b32" ? "5, 7;" : "7;") + "st.shared.u32 [s], %r3;", 1);
    ASSERT_EQ(records.size(), 3u) << name;
    EXPECT_EQ(records[1]["op"], "atomic") << name;
    EXPECT_EQ(records[1]["atomic"], text.substr(0, text.find('.')));
    EXPECT_EQ(records[1]["value"], Json({7})) << name;
  }
}

TEST(Trace, LocalMemoryIsNamed) {
  const auto records = trace(".local .align 4 .b8 l[8]; st.local.u32 [l+4], %r1;", 1);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1]["space"], "local");
  EXPECT_EQ(records[1]["array"], "local memory");
  EXPECT_EQ(records[1]["index"], Json({1}));
}

TEST(Trace, WhatAnAccessCosts) {
  const auto records = trace(
      "mad.lo.u32 %r2, %r1, 12, %r2; st.shared.u32 [%r2], %r1; mul.wide.u32 %rd3, %r1, 28; add.u64 %rd2, %rd2, %rd3;"
      "ld.global.u32 %r3, [%rd2];");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1]["wavefronts"], 4) << "every fourth bank, eight lanes on each";
  EXPECT_EQ(records[2]["sectors"], 32);
}

TEST(Trace, BarriersCountAsSteps) {
  const auto records = trace("st.shared.u32 [%r2], %r1; bar.sync 0; ld.shared.u32 %r3, [s];", 64, 2);
  ASSERT_EQ(records.size(), 1 + 2 * 2 * 3u);
  std::vector<std::tuple<int, int, int, std::string>> seen;  // of block 1, which reuses the slot of block 0
  for (const Json& r : records)
    if (r.contains("op") && r["block"][0] == 1) seen.emplace_back(r["block"][0], r["warp"], r["step"], r["op"]);
  const decltype(seen) wanted = {{1, 0, 0, "store"},   {1, 0, 0, "barrier"}, {1, 1, 0, "store"},
                                 {1, 1, 0, "barrier"}, {1, 0, 1, "load"},    {1, 1, 1, "load"}};
  EXPECT_EQ(seen, wanted);
}

TEST(Trace, ShufflesNameTheirSources) {
  const auto records = trace("shfl.sync.down.b32 %r3, %r1, 30, 31, 0xffffffff; bar.warp.sync 0xffffffff;");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1]["op"], "shuffle");
  EXPECT_EQ(records[1]["source"][1], 31);
  EXPECT_EQ(records[1]["source"][2], 2) << "beyond the warp: its own";
  EXPECT_EQ(records[1]["value"][0], 30);
  EXPECT_EQ(records[1]["given"][0], 0);
  EXPECT_EQ(records[1]["given"][31], 31);
  EXPECT_EQ(records[2]["op"], "syncwarp");
}

TEST(Trace, LanesPartAtABranch) {
  const auto records = whole_trace(
      "setp.gt.u32 %p1, %r1, 2; @%p1 bra END; setp.gt.u32 %p1, %r1, 40; @%p1 bra END; st.shared.u32 [%r2], 7; END:");
  ASSERT_EQ(records.size(), 3u) << "at the second branch all lanes go on";
  EXPECT_EQ(records[1]["op"], "branch");
  EXPECT_EQ(records[1]["lanes"].size(), 32u);
  EXPECT_EQ(records[1]["taken"].size(), 29u);
  EXPECT_EQ(records[1]["taken"][0], 3);
  EXPECT_EQ(records[2]["lanes"], Json({0, 1, 2}));
}

TEST(Trace, LanesPartAtAnIndexedBranch) {
  const auto records = whole_trace(
      "and.b32 %r3, %r1, 3; TABLE: .branchtargets A, B, C, A; brx.idx %r3, TABLE; A: bra END; B: bra END; C: END:");
  ASSERT_GE(records.size(), 2u);
  EXPECT_EQ(records[1]["op"], "branch");
  EXPECT_EQ(records[1]["taken"], Json({0, 3, 4, 7, 8, 11, 12, 15, 16, 19, 20, 23, 24, 27, 28, 31}));
}

TEST(Trace, EndsWhenItIsFull) {
  const auto file = std::filesystem::temp_directory_path() / ("trace_test_full_" + std::to_string(getpid()));
  Trace full(file, 0);
  EXPECT_NE(plain(full.take_message()).find("ends after 0 lines"), std::string::npos);
  EXPECT_EQ(full.take_message(), "") << "once is enough";
  std::filesystem::remove(file);
}

TEST(Trace, SaysThatTheDiskIsFull) {
  DeviceOptions options;
  options.trace = "/dev/full";
  const auto device = EmulatedDevice::create(options);
  ModuleId module = 0;
  FunctionInfo f;
  ASSERT_TRUE(
      device->load_module({".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n"}, &module)
          .ok());
  ASSERT_TRUE(device->find_function(module, "k", &f).ok());
  ASSERT_TRUE(device->launch({f.id, {1, 1, 1}, {1, 1, 1}, 0, false, {}}).ok());
  const auto messages = device->take_messages();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(plain(messages[0]).find("is not whole"), std::string::npos) << messages[0];
}

TEST(Trace, AFileThatCannotBeWritten) { EXPECT_THROW(Trace("/nowhere/trace"), std::runtime_error); }

}  // namespace
}  // namespace lockstep
