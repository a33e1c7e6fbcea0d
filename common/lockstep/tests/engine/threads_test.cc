// threads_test: a launch on several threads of the host gives the same findings, counts and memory as on one thread.
// Also tests which kernels may run on several threads. It is built under ThreadSanitizer, too (preset tsan): the
// engine's threads must not race.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "base/words.h"
#include "device/emulated_device.h"
#include "engine/access.h"
#include "engine/workers.h"
#include "program/decode_program.h"
#include "ptx/parser.h"

namespace lockstep {
namespace {

const std::string kHead = ".version 9.0\n.target sm_75\n.address_size 64\n";

// ---- which kernels may run on several threads ----

// Whether a kernel of these instructions may run on several threads. %rd1 is its parameter's value, %r9 a result that
// is used.
bool independent(const std::string& body) {
  const Module module =
      parse(kHead +
            ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
            ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
            ".visible .entry k(.param .u64 p)\n{\n.reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<9>;"
            " .reg .f64 %fd<9>;\n.shared .align 8 .b8 s[256];\nld.param.u64 %rd1, [p];\nmov.u32 %r3, s;\n" +
            body + "\nst.global.u32 [%rd1], %r9;\nret;\n}\n");
  Symbols symbols;
  symbols.variable_address = [](const std::string&) { return uint64_t{0}; };
  symbols.function_id = [](const std::string&) { return uint64_t{1}; };
  symbols.find_function = [&](const std::string& name) -> const Function* {
    for (const Function& f : module.functions)
      if (f.name == name) return &f;
    return nullptr;
  };
  symbols.access_handler = access_handler;
  symbols.address_taken = [] { return std::vector<const Function*>{}; };
  const auto program = decode_program(module, module.functions.back(), symbols);
  EXPECT_EQ(program->refusal.message, "") << body;
  return program->blocks_independent;
}

TEST(Independence, PlainAccessesMay) {
  EXPECT_TRUE(independent(""));
  EXPECT_TRUE(independent("ld.global.u32 %r9, [%rd1];"));
  EXPECT_TRUE(independent("ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];"));
  EXPECT_TRUE(independent("bar.sync 0; bar.warp.sync -1; shfl.sync.bfly.b32 %r9, %r1, 16, 31, -1;"));
}

TEST(Independence, FencesWithoutFlagsMay) {
  EXPECT_TRUE(independent("membar.gl; fence.acq_rel.gpu; st.global.u32 [%rd1], %r1;"));
}

TEST(Independence, ReductionsOfIntegersMay) {
  EXPECT_TRUE(independent("red.global.add.u32 [%rd1], 1;"));
  EXPECT_TRUE(independent("red.global.max.s32 [%rd1], %r1;"));
  EXPECT_TRUE(independent("red.global.or.b32 [%rd1], %r1;"));
  EXPECT_TRUE(independent("red.add.u64 [%rd1], %rd2;"));
  EXPECT_TRUE(independent("atom.global.add.u32 %r8, [%rd1], 1;")) << "nobody reads %r8";
}

TEST(Independence, ReductionsThatDependOnTheOrderMayNot) {
  EXPECT_FALSE(independent("red.global.add.f32 [%rd1], %f1;"));
  EXPECT_FALSE(independent("red.global.add.f64 [%rd1], %fd1;"));
  EXPECT_FALSE(independent("red.global.inc.u32 [%rd1], %r1;"));
}

TEST(Independence, AtomicsThatTellSomethingMayNot) {
  EXPECT_FALSE(independent("atom.global.add.u32 %r9, [%rd1], 1;"));
  EXPECT_FALSE(independent("atom.add.u32 %r9, [%rd1], 1;")) << "a generic address may be a global one";
  EXPECT_FALSE(independent("atom.global.cas.b32 %r8, [%rd1], 0, 1;"));
  EXPECT_FALSE(independent("atom.global.exch.b32 %r8, [%rd1], 1;"));
}

TEST(Independence, LooksForFlagsMayNot) {
  EXPECT_FALSE(independent("ld.volatile.global.u32 %r9, [%rd1];"));
  EXPECT_FALSE(independent("ld.acquire.gpu.global.u32 %r9, [%rd1];"));
  EXPECT_FALSE(independent("ld.relaxed.gpu.u32 %r9, [%rd1];"));
}

TEST(Independence, WhatStaysInTheBlockMay) {
  EXPECT_TRUE(independent("ld.volatile.shared.u32 %r9, [%r3];"));
  EXPECT_TRUE(independent("atom.shared.add.u32 %r9, [%r3], 1;"));
  EXPECT_TRUE(independent("atom.shared.cas.b32 %r9, [%r3], 0, 1;"));
  EXPECT_TRUE(independent("atom.shared.add.f32 %f1, [%r3], 0f3F800000;"));
}

TEST(Independence, CopiesIntoTheBlockMay) {
  EXPECT_TRUE(independent("cp.async.ca.shared.global [%r3], [%rd1], 4; cp.async.commit_group; cp.async.wait_all;"));
}

TEST(Independence, PrintingMayNotButAssertingMay) {
  EXPECT_FALSE(
      independent("{.param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %rd2; st.param.b64 [b], %rd2;"
                  " call.uni (c), vprintf, (a, b);}"));
  EXPECT_TRUE(
      independent("{.param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; st.param.b64 [a], %rd2;"
                  " st.param.b64 [b], %rd2; st.param.b32 [c], 1; st.param.b64 [d], %rd2; st.param.b64 [e], %rd2;"
                  " call.uni __assertfail, (a, b, c, d, e);}"));
}

// ---- the same results with any number of threads ----

// Block b reads its 256 numbers, adds them up in shared memory with a barrier after each step, lets its lanes part at a
// branch, and stores the sum, and adds it to a total and a maximum that all blocks share. A block for which in[] holds
// a negative number reads, at the very end, beyond the array, by that many bytes.
const std::string kSums = kHead + R"(
.visible .entry sums(.param .u64 in, .param .u64 out, .param .u64 total)
{
  .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<12>;
  .shared .align 4 .b8 s[1024];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u64 %rd3, [total];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.s32 %r3, %r2, 256, %r1;
  mul.wide.s32 %rd4, %r3, 4;
  add.s64 %rd5, %rd1, %rd4;
  ld.global.u32 %r4, [%rd5];
  shl.b32 %r5, %r1, 2;
  mov.u32 %r6, s;
  add.s32 %r7, %r6, %r5;
  max.s32 %r8, %r4, 0;
  st.shared.u32 [%r7], %r8;
  bar.sync 0;
  mov.u32 %r9, 128;
HALVE:
  setp.ge.u32 %p1, %r1, %r9;
  @%p1 bra SKIP;
  shl.b32 %r10, %r9, 2;
  add.s32 %r11, %r7, %r10;
  ld.shared.u32 %r12, [%r11];
  ld.shared.u32 %r13, [%r7];
  add.s32 %r13, %r13, %r12;
  st.shared.u32 [%r7], %r13;
SKIP:
  bar.sync 0;
  shr.u32 %r9, %r9, 1;
  setp.ne.u32 %p2, %r9, 0;
  @%p2 bra HALVE;
  setp.ne.u32 %p3, %r1, 0;
  @%p3 bra DONE;
  ld.shared.u32 %r14, [s];
  mul.wide.s32 %rd6, %r2, 4;
  add.s64 %rd7, %rd2, %rd6;
  st.global.u32 [%rd7], %r14;
  red.global.add.u32 [%rd3], %r14;
  red.global.max.u32 [%rd3+4], %r14;
  setp.ge.s32 %p4, %r4, 0;
  @%p4 bra DONE;
  cvt.s64.s32 %rd8, %r4;
  sub.s64 %rd9, %rd1, %rd8;
  ld.global.u32 %r15, [%rd9+4194304];
  st.global.u32 [%rd7], %r15;
DONE:
  ret;
}
)";
constexpr uint32_t kBlocks = 1000, kThreads = 256;
constexpr uint32_t kCapacity = 4194304 / 4;

struct Result {
  std::vector<int32_t> sums, totals;
  std::string report, message;
  bool operator==(const Result&) const = default;
};

// Two devices have different addresses.
std::string without_addresses(std::string text) {
  for (size_t at; (at = text.find("0x")) != std::string::npos;)
    text.erase(at, text.find_first_not_of("0123456789abcdef", at + 2) - at);
  return text;
}

Result run(uint32_t threads, const std::vector<uint32_t>& faulty = {}) {
  DeviceOptions options;
  options.memory_bytes = 64 << 20;
  options.threads = threads;
  const auto device = EmulatedDevice::create(options);
  std::vector<int32_t> in(kCapacity);
  for (uint32_t i = 0; i < kBlocks * kThreads; ++i) in[i] = static_cast<int32_t>(i * 2654435761u >> 20);
  for (const uint32_t block : faulty) in[block * kThreads] = -4 * static_cast<int32_t>(block);
  Result result{std::vector<int32_t>(kBlocks), std::vector<int32_t>(2), {}, {}};
  uint64_t addresses[3];
  EXPECT_TRUE(device->allocate(in.size() * 4, &addresses[0]).ok());
  EXPECT_TRUE(device->allocate(kBlocks * 4, &addresses[1]).ok());
  EXPECT_TRUE(device->allocate(8, &addresses[2]).ok());
  EXPECT_TRUE(device->copy_in(addresses[0], in.data(), in.size() * 4).ok());
  EXPECT_TRUE(device->fill(addresses[2], 0, 8).ok());
  ModuleId module = 0;
  FunctionInfo function;
  EXPECT_TRUE(device->load_module({kSums}, &module).ok());
  EXPECT_TRUE(device->find_function(module, "sums", &function).ok());
  LaunchRequest request;
  request.function = function.id;
  request.grid = {kBlocks};
  request.block = {kThreads};
  std::byte params[24];
  std::memcpy(params, addresses, sizeof params);
  request.params = params;
  EXPECT_TRUE(device->launch(request).ok());
  result.message = plain(device->synchronise().message);
  if (faulty.empty()) {
    EXPECT_TRUE(device->copy_out(result.sums.data(), addresses[1], kBlocks * 4).ok());
    EXPECT_TRUE(device->copy_out(result.totals.data(), addresses[2], 8).ok());
  }
  result.report = device->report_json();
  result.message = without_addresses(result.message);
  result.report = without_addresses(result.report);
  return result;
}

TEST(Threads, LeaveTheSameAndCountTheSame) {
  const Result alone = run(1);
  int32_t total = 0;
  for (const int32_t sum : alone.sums) total += sum;
  EXPECT_EQ(alone.totals[0], total);
  EXPECT_NE(alone.report.find("smsp__inst_executed.sum"), std::string::npos);
  for (const uint32_t threads : {2u, 3u, 8u}) {
    const Result several = run(threads);
    EXPECT_EQ(several.sums, alone.sums) << threads;
    EXPECT_EQ(several.totals, alone.totals) << threads;
    EXPECT_EQ(several.report, alone.report) << threads;
  }
}

// Luck decides which of the two faults happens first. The reported fault must not depend on luck.
TEST(Threads, TheFaultOfTheLowestBlockIsTheOneThatCounts) {
  const Result alone = run(1, {700, 501, 502, 999});
  EXPECT_NE(alone.message.find("block (501,0,0), thread (0,0,0)"), std::string::npos) << alone.message;
  for (int i = 0; i < 10; ++i) {
    const Result several = run(i % 2 ? 2 : 8, {700, 501, 502, 999});
    EXPECT_EQ(several.message, alone.message);
    EXPECT_EQ(several.report, alone.report);
  }
}

TEST(Threads, TheirNumberComesFromTheEnvironment) {
  unsetenv("LOCKSTEP_THREADS");
  EXPECT_GE(DeviceOptions::from_environment().threads, 1u);
  setenv("LOCKSTEP_THREADS", "3", 1);
  EXPECT_EQ(DeviceOptions::from_environment().threads, 3u);
  for (const char* text : {"0", "-1", "1025", "two", "2.5", ""}) {
    setenv("LOCKSTEP_THREADS", text, 1);
    EXPECT_THROW(DeviceOptions::from_environment(), std::invalid_argument) << text;
  }
  unsetenv("LOCKSTEP_THREADS");
}

TEST(Counters, TheirOptionComesFromTheEnvironment) {
  setenv("LOCKSTEP_REPORT", "report.json", 1);
  EXPECT_TRUE(DeviceOptions::from_environment().report);
  setenv("LOCKSTEP_COUNTERS", "none", 1);
  EXPECT_FALSE(DeviceOptions::from_environment().report);
  EXPECT_EQ(DeviceOptions::from_environment().report_file, "report.json");
  setenv("LOCKSTEP_COUNTERS", "some", 1);
  EXPECT_THROW(DeviceOptions::from_environment(), std::invalid_argument);
  unsetenv("LOCKSTEP_COUNTERS");
  unsetenv("LOCKSTEP_REPORT");
}

// ---- the workers ----

TEST(Workers, HelpOnceForEachCall) {
  Workers workers(3);
  for (int call = 0; call < 200; ++call) {
    std::vector<int> helped(3);  // no lock: each helper has its own, and dismiss() makes them visible
    workers.call([&](uint32_t i) { ++helped[i]; });
    workers.dismiss();
    for (const int times : helped) EXPECT_LE(times, 1);
  }
}

}  // namespace
}  // namespace lockstep
