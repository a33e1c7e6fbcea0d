// kept_blocks_test: launches on one device, one after the other. The blocks of a launch serve the next one, which must
// see nothing of that.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/emulated_device.h"

namespace lockstep {
namespace {

// Each thread writes the number of its launch, times 1000, plus its place in the grid. Blocks wait for each other, so
// that all of them have started at once. `way`: which of two kernels.
std::string kernel(int way) {
  return ".version 8.5\n.target sm_75\n.address_size 64\n.visible .entry k" + std::to_string(way) +
         "(.param .u64 out, .param .u64 count)\n{\n"
         ".reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %rd<6>;\n"
         "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [count];\n"
         "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %nctaid.x;\n"
         "mov.u64 %rd3, %gridid;\ncvt.u32.u64 %r5, %rd3;\n"
         "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra WRITE;\natom.global.add.u32 %r6, [%rd2], 1;\n"
         "LOOK:\nld.volatile.global.u32 %r7, [%rd2];\nsetp.lt.u32 %p2, %r7, %r4;\n@%p2 bra LOOK;\n"
         "WRITE:\nmad.lo.u32 %r8, %r2, %r3, %r1;\nmad.lo.u32 %r9, %r5, 1000, %r8;\nadd.u32 %r9, %r9, " +
         std::to_string(way) + ";\nmad.wide.u32 %rd4, %r8, 4, %rd1;\nst.global.u32 [%rd4], %r9;\nret;\n}\n";
}

class Launches : public testing::Test {
 protected:
  void SetUp() override {
    for (int way : {0, 1}) EXPECT_TRUE(load(way).ok());
    EXPECT_TRUE(device_->allocate(4096, &out_).ok());
  }
  Outcome load(int way) {
    const Outcome loaded = device_->load_module({kernel(way)}, &modules_[way]);
    return loaded.ok() ? device_->find_function(modules_[way], "k" + std::to_string(way), &functions_[way]) : loaded;
  }
  // What each thread wrote, less what the first one wrote.
  std::vector<uint32_t> launch(int way, uint32_t blocks, uint32_t threads) {
    EXPECT_TRUE(device_->fill(out_, 0, 4096).ok());
    const std::array<uint64_t, 2> params{out_, out_ + 4092};
    const Outcome launched =
        device_->launch({functions_[way].id, {blocks}, {threads}, 0, false, std::as_bytes(std::span(params))});
    EXPECT_TRUE(launched.ok() && device_->synchronise().ok()) << launched.message;
    std::vector<uint32_t> written(blocks * threads);
    EXPECT_TRUE(device_->copy_out(written.data(), out_, written.size() * 4).ok());
    return written;
  }
  void expect_own(int way, uint32_t blocks, uint32_t threads) {
    const auto written = launch(way, blocks, threads);
    ++launches_;
    for (uint32_t i = 0; i < written.size(); ++i)
      ASSERT_EQ(written[i], 1000 * launches_ + i + static_cast<uint32_t>(way)) << i;
  }

  std::unique_ptr<EmulatedDevice> device_ = EmulatedDevice::create({});
  std::array<ModuleId, 2> modules_{};
  std::array<FunctionInfo, 2> functions_;
  uint64_t out_ = 0;
  uint32_t launches_ = 0;
};

TEST_F(Launches, OfOneKernelAndShape) {
  for (int i = 0; i < 3; ++i) expect_own(0, 5, 64);
}

TEST_F(Launches, OfAnotherShapeOrKernel) {
  expect_own(0, 5, 64);
  expect_own(0, 5, 96);
  expect_own(0, 7, 96);
  expect_own(1, 7, 96);
  expect_own(0, 7, 96);
}

TEST_F(Launches, OfAModuleThatWasUnloaded) {
  expect_own(0, 5, 64);
  EXPECT_TRUE(device_->unload_module(modules_[0]).ok());
  EXPECT_TRUE(load(0).ok());
  expect_own(0, 5, 64);
}

}  // namespace
}  // namespace lockstep
