// report_test: the report of a launch. Source lines are the learner's own, every number has a kind and a name in plain
// words, ratios and occupancy equal the values that we calculate by hand.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "device/emulated_device.h"
#include "tests/one_kernel.h"

namespace lockstep {
namespace {

using nlohmann::json;

json report_of(const std::string& ptx, Dim3 grid, Dim3 block, uint64_t dynamic_shared_bytes = 0) {
  const std::unique_ptr<EmulatedDevice> device = EmulatedDevice::create({});
  uint64_t out = 0;
  EXPECT_TRUE(device->allocate(4096, &out).ok());
  const Outcome outcome =
      run_kernel(*device, ptx, {0, grid, block, dynamic_shared_bytes, false, std::as_bytes(std::span(&out, 1))});
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return json::parse(device->report_json());
}

// reduce.cu:30 calls sum() of helper.h, and line 12 of that calls load() of inner.h. Both are inlined, so their loads
// count for the learner's line 30. The store of line 31 does not.
constexpr const char* kInlined = R"(.version 8.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b64 %rd<2>;
  .reg .b32 %r<4>;
  .loc 1 29 1
  ld.param.u64 %rd1, [out];
  .loc 1 30 3
  .loc 2 12 5, function_name $L__info_string0, inlined_at 1 30 3
  ld.global.u32 %r1, [%rd1];
  .loc 3 7 9, function_name $L__info_string1, inlined_at 2 12 5
  ld.global.u32 %r2, [%rd1+4];
  .loc 2 13 5, function_name $L__info_string0, inlined_at 1 30 3
  add.u32 %r3, %r1, %r2;
  .loc 1 31 3
  st.global.u32 [%rd1], %r3;
  ret;
}
.file 1 "/home/someone/reduce.cu"
.file 2 "/home/someone/helper.h"
.file 3 "/home/someone/inner.h"
.section .debug_str
{
$L__info_string0:
.b8 115, 117, 109, 0
$L__info_string1:
.b8 108, 111, 97, 100, 0
}
)";

TEST(Report, AHelperInAHeaderCountsForTheLineThatCallsIt) {
  const json report = report_of(kInlined, {1, 1, 1}, {32, 1, 1});
  std::map<uint32_t, uint64_t> loads, stores;
  for (const json& line : report["launches"][0]["lines"]) {
    EXPECT_EQ(line["file"], "/home/someone/reduce.cu");
    loads[line["line"]] = line["counters"].value("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", uint64_t{0});
    stores[line["line"]] = line["counters"].value("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", uint64_t{0});
  }
  EXPECT_EQ(loads[30], 2u);
  EXPECT_EQ(stores[30], 0u);
  EXPECT_EQ(loads[31], 0u);
  EXPECT_EQ(stores[31], 1u);
}

TEST(Report, LinesAddUpToTheLaunch) {
  const json launch = report_of(kInlined, {2, 1, 1}, {40, 1, 1})["launches"][0];
  std::map<std::string, uint64_t> sums;
  for (const json& line : launch["lines"])
    for (const auto& [name, value] : line["counters"].items()) sums[name] += value.get<uint64_t>();
  for (const auto& [name, value] : launch["counters"].items()) {
    // Counters of the whole launch.
    if (name == "threads" || name == "launches" || name == "barriers" || name.starts_with("block_") ||
        name.starts_with("host_"))
      continue;
    EXPECT_EQ(sums[name], value.get<uint64_t>()) << name;
  }
}

// Every way to use memory, with bank conflicts; a barrier, and a loop that lanes leave one after the other.
constexpr const char* kEverything = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<3>;
  .reg .b64 %rd<3>;
  .reg .b32 %r<9>;
  .reg .f32 %f<3>;
  .shared .align 16 .b8 s[4096];
  .local .align 4 .b8 l[4];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, s;
  shl.b32 %r3, %r1, 7;
  add.u32 %r3, %r3, %r2;
  st.shared.u32 [%r3], %r1;
  ld.shared.u32 %r4, [%r3];
  atom.shared.add.u32 %r5, [%r3], %r4;
  ld.global.f32 %f1, [%rd1];
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd1], %f2;
  red.global.add.u32 [%rd1+4], 1;
  atom.global.add.u32 %r6, [%rd1+4], %r5;
  st.local.u32 [l], %r6;
  ld.local.u32 %r7, [l];
  cp.async.ca.shared.global [%r3], [%rd1], 4;
  cp.async.wait_all;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1+16], [%r2], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  bar.sync 0;
  mov.u32 %r8, 0;
$turn:
  add.u32 %r8, %r8, 1;
  setp.le.u32 %p1, %r8, %r1;
  @%p1 bra $turn;
  ret;
}
)";

TEST(Report, EveryNumberHasAKindAndPlainWords) {
  const json report = report_of(kEverything, {2, 1, 1}, {32, 1, 1}, 16);
  for (const char* part : {"counters", "ratios", "occupancy"}) {
    for (const auto& [name, value] : report["launches"][0][part].items()) {
      const std::string kind = report["counter_kinds"].value(name, "");
      EXPECT_TRUE(kind == "exact" || kind == "ptx-level" || kind == "modelled") << name << ": " << kind;
      EXPECT_NE(report["counter_names"].value(name, ""), "") << name;
      EXPECT_TRUE(value != 0 || name.starts_with("host_")) << name;
    }
  }
  EXPECT_EQ(report["counter_kinds"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], "exact");
  EXPECT_EQ(report["counter_kinds"]["smsp__inst_executed.sum"], "ptx-level");
}

// A loop of five rounds, and before it a forward branch that no lane takes.
constexpr const char* kLoop = R"(.version 8.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<3>;
  .reg .b32 %r<3>;
  mov.u32 %r1, 0;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $done;
$turn:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p2, %r1, 5;
  @%p2 bra $turn;
$done:
  ret;
}
)";

TEST(Report, LoopBranchesAreThoseThatGoBack) {
  const json counters = report_of(kLoop, {3, 1, 1}, {48, 1, 1})["launches"][0]["counters"];
  EXPECT_EQ(counters["loop_branches"], 5u * 6);                  // 3 blocks of 2 warps
  EXPECT_EQ(counters["smsp__sass_branch_targets.sum"], 6u * 6);  // and the forward branch
}

// Two additions of floats for each thread. Integers, doubles and the product do not count.
constexpr const char* kAdditions = R"(.version 8.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<2>;
  .reg .f32 %f<4>;
  .reg .f64 %d<2>;
  mov.f32 %f1, 0f3F800000;
  add.f32 %f2, %f1, %f1;
  sub.rn.f32 %f3, %f1, %f2;
  mul.f32 %f3, %f1, %f2;
  mov.u32 %r1, 1;
  add.s32 %r1, %r1, %r1;
  mov.f64 %d1, 0d3FF0000000000000;
  add.f64 %d1, %d1, %d1;
  ret;
}
)";

TEST(Report, AdditionsAreThoseOfFloatsOneAThread) {
  const json launch = report_of(kAdditions, {2, 1, 1}, {40, 1, 1})["launches"][0];
  EXPECT_EQ(launch["counters"]["smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"], 2 * 2 * 40);
}

// 2 blocks of 48 threads: a full warp and a half warp. Two barriers; 16 lanes of each block store.
constexpr const char* kHalfWarp = R"(.version 8.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  .shared .align 4 .b8 s_tile[1000];
  ld.param.u64 %rd1, [out];
  bar.sync 0;
  bar.sync 0;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 64;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}
)";

TEST(Report, RatiosAndOccupancy) {
  const json launch = report_of(kHalfWarp, {2, 1, 1}, {48, 1, 1}, 3000)["launches"][0];
  EXPECT_EQ(launch["ratios"]["barriers_per_block"], 2.0);
  EXPECT_EQ(launch["counters"]["barrier_instructions"], 2u * 2 * 2);  // one for each warp
  EXPECT_EQ(launch["ratios"]["smsp__thread_inst_executed_per_inst_executed.ratio"], 24.0);
  EXPECT_EQ(launch["ratios"]["l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"], 24.0);
  EXPECT_FALSE(launch["ratios"].contains("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"));
  const json occupancy = {{"launch__shared_mem_per_block_static", 1000},
                          {"launch__shared_mem_per_block_dynamic", 3000},
                          {"launch__occupancy_limit_blocks", 32},
                          {"launch__occupancy_limit_warps", 32},  // 2048 threads / 64
                          {"blocks_by_shared_memory", 45},        // 228 KiB / (4000 + 1024 B in units of 128)
                          {"blocks_per_multiprocessor", 32}};
  EXPECT_EQ(launch["occupancy"], occupancy);
}

// cp.async counts as ld, as on an H200: one request of a warp, and the sectors of all lanes' addresses.
constexpr const char* kCopies = R"(.version 8.5
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  .shared .align 16 .b8 s_tile[16];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, s_tile;
  cp.async.cg.shared.global [%r1], [%rd1], 16;
  cp.async.wait_all;
  ret;
}
)";

TEST(Report, AsynchronousCopiesAreCounted) {
  const json report = report_of(kCopies, {2, 1, 1}, {32, 1, 1});
  const json& counters = report["launches"][0]["counters"];
  EXPECT_EQ(counters["async_bytes_loaded"], 2 * 32 * 16);
  EXPECT_EQ(counters["async_bytes_stored"], 0);
  EXPECT_EQ(counters["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"], 2);
  EXPECT_EQ(counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], 2);
  EXPECT_EQ(counters["global_bytes_loaded"], 2 * 32);
}

TEST(Report, APartOfACopyIsADoubt) {
  const auto doubts = [](const std::string& bytes) {
    std::string ptx = kCopies;
    ptx.replace(ptx.find("16;"), 3, bytes);
    return report_of(ptx, {1, 1, 1}, {32, 1, 1})["launches"][0]
               .value("notes", json::array())
               .dump()
               .find("copy only") != std::string::npos;
  };
  EXPECT_TRUE(doubts("16, 8;"));
  EXPECT_FALSE(doubts("16, 16;"));
}

// printf("%d\n", 7)
constexpr const char* kPrints = R"(.version 9.0
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[4] = {37, 100, 10, 0};
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<3>; .reg .b64 %rd<5>;
  .local .align 8 .b8 depot[8];
  mov.u64 %rd1, depot;
  cvta.local.u64 %rd2, %rd1;
  st.local.u32 [%rd1], 7;
  mov.u64 %rd3, text;
  cvta.global.u64 %rd4, %rd3;
  {
  .param .b64 f; .param .b64 a; .param .b32 r;
  st.param.b64 [f], %rd4;
  st.param.b64 [a], %rd2;
  call.uni (r), vprintf, (f, a);
  }
  ret;
}
)";

TEST(Report, PrintfAccessesMemory) {
  const auto launch_of = [](uint32_t threads) { return report_of(kPrints, {1, 1, 1}, {threads, 1, 1})["launches"][0]; };
  const auto notes_of_several = [](const json& launch) {
    return launch["notes"].dump().find("several warps call printf()") != std::string::npos;
  };
  const json one = launch_of(32), two = launch_of(64);
  EXPECT_EQ(one["counters"]["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"], 215);
  EXPECT_EQ(one["counters"]["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"], 6880);
  EXPECT_EQ(one["counters"]["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"], 14);
  EXPECT_EQ(one["counters"]["l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"], 72 + 1) << "one is the program's";
  EXPECT_EQ(two["counters"]["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"], 430);
  EXPECT_EQ(one["printf_counters"]["l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"], 72);
  EXPECT_EQ(one["printf_counters"]["global_bytes_stored"], 32 * (6880 + 5)) << "stores and atomics";
  EXPECT_FALSE(notes_of_several(one));
  EXPECT_TRUE(notes_of_several(two));
}

}  // namespace
}  // namespace lockstep
