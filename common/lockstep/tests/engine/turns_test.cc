// turns_test: which warp and which block runs next, seen from outside: by the values that a kernel leaves, and by the
// message about a deadlock.
#include <gtest/gtest.h>

#include "base/words.h"
#include "device/emulated_device.h"
#include "tests/one_kernel.h"

namespace lockstep {
namespace {

struct Left {
  uint32_t word = 0;    // out[0] at the end
  std::string message;  // of the launch, if it failed
};

// %r1: the thread; %r2: the block; %rd1: out, which is zeroed.
Left left_by(const std::string& body, Dim3 grid, Dim3 block, Schedule schedule = {},
             MemoryKind kind = MemoryKind::kDevice) {
  DeviceOptions options;
  options.schedule = schedule;
  const auto device = EmulatedDevice::create(options);
  uint64_t out = 0;
  EXPECT_TRUE(device->allocate(4096, &out, kind, 0).ok());
  EXPECT_TRUE(device->fill(out, 0, 4096).ok());
  const std::string ptx =
      ".version 8.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
      ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<2>;\n"
      "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n" +
      body + "\nret;\n}\n";
  Left left;
  const Outcome ran = run_kernel(*device, ptx, {0, grid, block, 0, false, std::as_bytes(std::span(&out, 1))});
  left.message = plain(ran.message);
  if (ran.ok()) device->copy_out(&left.word, out, sizeof left.word);
  return left;
}

// The first warp that comes leaves its number + 1. Warp 0 executes 66,000 instructions before: more than a turn has.
TEST(Turns, AWarpThatComputesForLongKeepsItsPlace) {
  const std::string body =
      "shr.u32 %r3, %r1, 5;\nadd.u32 %r4, %r3, 1;\nmov.u32 %r5, 22000;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra COME;\n"
      "LOOP:\nsub.u32 %r5, %r5, 1;\nsetp.ne.u32 %p2, %r5, 0;\n@%p2 bra LOOP;\n"
      "COME:\natom.global.cas.b32 %r6, [%rd1], 0, %r4;";
  EXPECT_EQ(left_by(body, {1}, {64}).word, 1u);
  EXPECT_EQ(left_by(body, {1}, {64}, {Schedule::kReverse}).word, 2u);
}

// The halves of block 0's warp wait for each other at two barriers. Block 1 looks for a flag, and is not to blame.
TEST(Turns, ADeadlockIsReportedBeforeTheNextBlockBegins) {
  const std::string body =
      "setp.eq.u32 %p1, %r2, 1;\n@%p1 bra LOOK;\nsetp.ge.u32 %p2, %r1, 16;\n@%p2 bra UPPER;\nbar.sync 1, 32;\n"
      "bra END;\nUPPER:\nbar.sync 2, 32;\nbra END;\n"
      "LOOK:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p3, %r3, 0;\n@%p3 bra LOOK;\nEND:";
  const std::string message = left_by(body, {2}, {32}).message;
  EXPECT_NE(message.find("deadlock"), std::string::npos) << message;
  EXPECT_NE(message.find("block (0,0,0): lanes 0–15 of warp 0 wait in bar.sync"), std::string::npos) << message;
  EXPECT_NE(message.find("block (0,0,0): lanes 16–31 of warp 0 wait in bar.sync"), std::string::npos) << message;
  EXPECT_EQ(message.find("block (1,0,0)"), std::string::npos) << message;
}

// Block 0 waits for block 1 between barriers, and never looks as if it waited.
TEST(Turns, ABlockThatMeetsAtBarriersLetsOthersBegin) {
  const std::string body =
      "setp.eq.u32 %p1, %r2, 1;\n@%p1 bra SET;\nLOOK:\nbar.sync 0;\nld.global.u32 %r3, [%rd1];\n"
      "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra LOOK;\nbra END;\nSET:\nmov.u32 %r4, 7;\nst.global.u32 [%rd1], %r4;\nEND:";
  for (const auto kind : {Schedule::kForward, Schedule::kReverse, Schedule::kRandom}) {
    const Left left = left_by(body, {2}, {32}, {kind, 1});
    EXPECT_EQ(left.word, 7u) << left.message;
  }
}

// Block 0 gives the lock back and takes it again at once, until block 1 has had it.
TEST(Turns, NoTurnIsInStepWithALock) {
  const std::string body =
      "AGAIN:\natom.global.cas.b32 %r3, [%rd1+4], 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra AGAIN;\n"
      "setp.eq.u32 %p2, %r2, 1;\n@%p2 st.volatile.global.u32 [%rd1], 1;\nld.volatile.global.u32 %r4, [%rd1];\n"
      "st.volatile.global.u32 [%rd1+4], 0;\nsetp.eq.u32 %p3, %r4, 0;\n@%p3 bra AGAIN;";
  for (const auto kind : {Schedule::kForward, Schedule::kReverse, Schedule::kRandom}) {
    const Left left = left_by(body, {2}, {1}, {kind, 1});
    EXPECT_EQ(left.word, 1u) << left.message;
  }
}

// The store changes nothing, and the barrier tells nothing new: the same happens again for ever.
TEST(Turns, ABlockThatMeetsForEverIsADeadlock) {
  const std::string body =
      ".shared .b32 s;\nLOOK:\nld.volatile.global.u32 %r3, [%rd1];\nst.shared.u32 [s], %r3;\n"
      "setp.ne.u32 %p1, %r3, 0;\nbar.red.or.pred %p2, 0, %p1;\n@!%p2 bra LOOK;";
  for (const auto kind : {Schedule::kForward, Schedule::kReverse, Schedule::kRandom}) {
    const std::string message = left_by(body, {2}, {64}, {kind, 1}).message;
    EXPECT_NE(message.find("deadlock"), std::string::npos) << message;
  }
}

// A kernel that waits for the host never ends here.
TEST(Turns, AKernelThatWaitsForTheHostIsToldSo) {
  const std::string body = "LOOK:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra LOOK;";
  const auto tells = [&](MemoryKind kind) {
    const std::string message = left_by(body, {1}, {32}, {}, kind).message;
    EXPECT_NE(message.find("Next: find the write that these threads wait for"), std::string::npos) << message;
    return message.find("no kernel may wait for the host") != std::string::npos;
  };
  EXPECT_TRUE(tells(MemoryKind::kManaged));
  EXPECT_TRUE(tells(MemoryKind::kPinned));
  EXPECT_FALSE(tells(MemoryKind::kDevice));
}

}  // namespace
}  // namespace lockstep
