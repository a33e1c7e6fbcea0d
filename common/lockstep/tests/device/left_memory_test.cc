// left_memory_test: an access is doubtful if its address comes from shared or local memory that the kernel has not
// written yet.
#include "tests/device/kernels_on_device.h"

namespace lockstep {
namespace {

std::string kernels_that_find() {
  const std::string
      local = ".local .align 8 .b8 l[16];\nsetp.eq.u32 %p1, %r1, 5;\n",
      // Keeps its argument in local memory from the first call to the second one.
      keeps =
          ".func (.param .b32 v) keeps(.param .b32 x)\n{\n.reg .b32 %r<3>;\n.local .align 4 .b8 l[4];\n"
          "ld.local.u32 %r1, [l];\nadd.u32 %r1, %r1, 1;\nld.param.u32 %r2, [x];\nst.local.u32 [l], %r2;\nst.param.b32 "
          "[v], %r1;\nret;\n}\n",
      call =
          "{ .param .b32 x; .param .b32 v; st.param.b32 [x], %r1;\ncall.uni (v), keeps, (x);\nld.param.b32 %r3, "
          "[v]; }\n";
  // %r4: the thread's word of shared memory; %p1: whether it is thread 5.
  const std::string shared =
                        "setp.eq.u32 %p1, %r1, 5;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r4, s;\nadd.u32 %r4, %r4, %r2;\n",
                    load = "ld.shared.u32 %r3, [%r4];\n" + load_by(""),
                    generic = shared + "cvt.u64.u32 %rd6, %r4;\ncvta.shared.u64 %rd6, %rd6;\n";
  return ".version 9.0\n.target sm_90\n.address_size 64\n" + keeps +
         kernel("left_in_local",
                local + "@%p1 bra LATER;\nst.local.u32 [l+4], %r1;\nLATER: ld.local.u32 %r3, [l+4];\n" + load_by("")) +
         kernel("written_in_local", local + "st.local.u32 [l+4], %r1;\nld.local.u32 %r3, [l+4];\n" + load_by("")) +
         kernel("half_written_in_local", local + "st.local.u16 [l+4], %r1;\nld.local.u32 %r3, [l+4];\n" + load_by("")) +
         kernel("left_by_generic_address",
                local + "mov.u64 %rd6, l;\ncvta.local.u64 %rd6, %rd6;\nld.u32 %r3, [%rd6];\n" + load_by("")) +
         kernel("written_by_generic_address",
                local + "mov.u64 %rd6, l;\ncvta.local.u64 %rd6, %rd6;\nst.u32 [%rd6], %r1;\nld.local.u32 %r3, [l];\n" +
                    load_by("")) +
         kernel("left_by_a_call", call + call + load_by("")) +
         kernel("left_and_stored", local + "ld.local.u32 %r3, [l];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%rd3], %r3;") +
         kernel("left_in_shared", shared + "@%p1 bra LATER;\nst.shared.u32 [%r4], %r1;\nLATER:\n" + load) +
         kernel("written_in_shared", shared + "st.shared.u32 [%r4], %r1;\n" + load) +
         kernel("half_written_in_shared", shared + "st.shared.u16 [%r4], %r1;\n" + load) +
         kernel("written_by_the_first_block",
                shared + "mov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 st.shared.u32 [%r4], %r1;\n" + load) +
         kernel("stored_by_generic_address", generic + "st.u32 [%rd6], %r1;\n" + load) +
         kernel("loaded_by_generic_address", generic + "ld.u32 %r3, [%rd6];\n" + load_by("")) +
         kernel("exchanged_in_shared", shared + "atom.shared.exch.b32 %r5, [%r4], %r1;\n" + load) +
         kernel("set_in_shared", shared + "atom.shared.exch.b32 _, [%r4], %r1;\n" + load) +
         kernel("use_of_what_was_there", shared + "atom.shared.exch.b32 %r3, [%r4], %r1;\n" + load_by("")) +
         kernel("added_in_shared", shared + "red.shared.add.u32 [%r4], %r1;\n" + load) +
         kernel("added_to_what_is_written",
                shared + "st.shared.u32 [%r4], %r1;\nred.shared.add.u32 [%r4], %r1;\n" + load) +
         kernel("copied_to_shared",
                shared + "cp.async.ca.shared.global [%r4], [%rd3], 4;\ncp.async.wait_all;\n" + load) +
         kernel("stored_as_a_matrix",
                shared +
                    "and.b32 %r5, %r1, 31;\nshl.b32 %r5, %r5, 4;\nmov.u32 %r6, s;\nadd.u32 %r6, %r6, %r5;\n"
                    "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r6], {%r1, %r1, %r1, %r1};\nbar.sync 0;\n" +
                    load) +
         kernel("left_in_shared_and_stored", shared + "ld.shared.u32 %r3, [%r4];\nst.global.u32 [%rd3], %r3;") +
         kernel("where", load_by("ld.global.u32 %r3, [%rd3];\n"));
}

class LeftMemory : public KernelsOnDevice {
 protected:
  LeftMemory() : KernelsOnDevice(kernels_that_find()) {}

  bool depends(const char* kernel, uint32_t blocks = 1) {
    run(kernel, a_, b_, 64, blocks);
    return last_has("shared or local memory that is read before it is written");
  }
};

TEST_F(LeftMemory, LocalMemoryThatTheThreadHasNotWritten) {
  EXPECT_TRUE(depends("left_in_local")) << "one thread has not written it";
  EXPECT_FALSE(depends("written_in_local"));
  EXPECT_TRUE(depends("half_written_in_local"));
  EXPECT_TRUE(depends("left_by_generic_address"));
  EXPECT_FALSE(depends("written_by_generic_address"));
  EXPECT_TRUE(depends("left_by_a_call")) << "each call has a new variable";
  EXPECT_FALSE(depends("left_and_stored")) << "only the value differs";
  EXPECT_TRUE(doubts("where", a_, b_)) << "later it decides";
}

TEST_F(LeftMemory, SharedMemoryThatTheBlockHasNotWritten) {
  EXPECT_TRUE(depends("left_in_shared")) << "one word";
  EXPECT_FALSE(depends("written_in_shared"));
  EXPECT_TRUE(depends("half_written_in_shared"));
  EXPECT_FALSE(depends("written_by_the_first_block", 1));
  EXPECT_TRUE(depends("written_by_the_first_block", 2)) << "each block has its own";
  EXPECT_FALSE(depends("left_in_shared_and_stored")) << "only the value differs";
  EXPECT_TRUE(doubts("where", a_, b_)) << "later it decides";
}

TEST_F(LeftMemory, EverythingThatWritesSharedMemory) {
  for (const char* kernel : {"stored_by_generic_address", "exchanged_in_shared", "set_in_shared",
                             "added_to_what_is_written", "copied_to_shared", "stored_as_a_matrix"})
    EXPECT_FALSE(depends(kernel)) << kernel;
  EXPECT_TRUE(depends("loaded_by_generic_address"));
  EXPECT_TRUE(depends("use_of_what_was_there"));
  EXPECT_TRUE(depends("added_in_shared")) << "the sum begins with what was there";
}

}  // namespace
}  // namespace lockstep
