// carried_test: what a launch leaves in memory in an order that no two runs need have in common, or with last bits that
// differ, makes later launches doubtful where it decides an address, or whether an access is made.
#include <gtest/gtest.h>

#include <array>

#include "tests/device/kernels_on_device.h"

namespace lockstep {
namespace {

// Odd lanes take the first side of a branch, even ones the second, which leaves a value in %r7. All store %r7 to a.
std::string two_sides(const std::string& first, const std::string& second) {
  return "mov.u32 %r7, 0; and.b32 %r8, %r1, 1; setp.eq.u32 %p1, %r8, 0;\n@%p1 bra SECOND;\n" + first +
         "\nbra.uni OUT;\nSECOND: " + second + "\nOUT: st.global.u32 [%rd3], %r7;";
}

std::string kernels_that_leave() {
  const std::string ticket = "atom.global.add.u32 %r2, [%rd2], 1;\n",
                    by_ticket = "mul.wide.u32 %rd6, %r2, 4; add.u64 %rd7, %rd1, %rd6;\n",
                    to_shared =
                        "shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;\n",
                    from_other_end =
                        "xor.b32 %r5, %r2, 252; add.u32 %r6, %r3, %r5; ld.shared.u32 %r7, [%r6];\n"
                        "st.global.u32 [%rd3], %r7;",
                    copy_to_shared =
                        "shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2;\n"
                        "cp.async.ca.shared.global [%r4], [%rd4], 4;\ncp.async.commit_group;\n",
                    use_copy = "ld.shared.u32 %r7, [%r4];\nst.global.u32 [%rd3], %r7;";
  return ".version 9.0\n.target sm_80\n.address_size 64\n" +
         kernel("compact", ticket + by_ticket + "st.global.u32 [%rd7+64], %r1;") +
         kernel("number", ticket + "st.global.u32 [%rd3], %r2;") +
         kernel("only_last", ticket + "setp.ne.u32 %p1, %r2, 63;\n@%p1 ret;\nst.global.u32 [%rd1], %r1;") +
         kernel("count", ticket + "red.global.add.u32 [%rd1], %r1;") +
         kernel("sum", "mov.f32 %f1, 0f3F800000;\nred.global.add.f32 [%rd1], %f1;") +
         kernel("sine", "mov.f32 %f1, 0f3F800000;\nsin.approx.f32 %f2, %f1;\nst.global.f32 [%rd3], %f2;") +
         kernel("set", "atom.global.cas.b32 %r2, [%rd1], 0, 1;\natom.global.exch.b32 %r3, [%rd1+4], 7;") +
         kernel("last_stays", "atom.global.exch.b32 %r2, [%rd1], %r1;") +
         kernel("adds_and_sets",
                "red.global.add.u32 [%rd1], 1;\nsetp.ne.u32 %p1, %r1, 40;\n@%p1 ret;\nst.global.u32 [%rd1], 1;") +
         kernel("sets_and_adds",
                "setp.ne.u32 %p1, %r1, 5;\n@%p1 bra ADD;\nst.global.u32 [%rd1], 1;\nADD:\n"
                "red.global.add.u32 [%rd1], 1;") +
         kernel("adds_and_raises", "red.global.add.u32 [%rd1], 1;\nred.global.max.u32 [%rd1], %r1;") +
         kernel("sets_then_adds",
                "setp.ne.u32 %p1, %r1, 5;\n@%p1 bra ADD;\nst.global.u32 [%rd1], 1;\nADD:\nbar.sync 0;\n"
                "red.global.add.u32 [%rd1], 1;\nbar.sync 0;\n@%p1 ret;\nst.global.u32 [%rd1], 3;") +
         kernel("only_adds", "red.global.add.u32 [%rd1], 1;\nadd.u32 %r2, %r1, 1;\nred.global.add.u32 [%rd1], %r2;") +
         kernel("to_one", "st.global.u32 [%rd1], %r1;") + kernel("all_alike", "st.global.u32 [%rd1], 7;") +
         kernel("to_four",
                "and.b32 %r2, %r1, 3;\nmul.wide.u32 %rd6, %r2, 4;\nadd.u64 %rd7, %rd1, %rd6;\n"
                "st.global.u32 [%rd7], %r1;") +
         kernel("chosen_in_bounds",
                "setp.ge.u32 %p1, %r1, 32;\n@%p1 ret;\nmov.u32 %r2, s;\nst.shared.u32 [%r2], 0;\natom.shared.add.u32 "
                "%r3, [%r2], 1;\n" +
                    load_by("")) +
         kernel("pairs_to_one", "st.global.v2.u32 [%rd1], {%r1, %r1};") +
         kernel("fours_to_one", "st.global.v4.u32 [%rd1], {%r1, %r1, %r1, %r1};") +
         kernel("pairs_to_two",
                "and.b32 %r2, %r1, 1;\nmul.wide.u32 %rd6, %r2, 8;\nadd.u64 %rd7, %rd1, %rd6;\n"
                "st.global.v2.u32 [%rd7], {%r1, %r1};") +
         kernel("some_pairs_to_one", "setp.lt.u32 %p1, %r1, 18;\n@%p1 ret;\nst.global.v2.u32 [%rd1], {%r1, %r1};") +
         kernel("own_byte",
                "cvt.u64.u32 %rd6, %r1;\nxor.b64 %rd6, %rd6, 3;\nand.b64 %rd6, %rd6, 255;\n"
                "add.u64 %rd7, %rd1, %rd6;\nst.global.u8 [%rd7], %r1;") +
         kernel("in_turn",
                "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra NEXT;\nst.global.u32 [%rd1], %r1;\nNEXT: bar.sync 0;\n"
                "@!%p1 bra OUT;\nst.global.u32 [%rd1], 9;\nOUT:") +
         kernel("chosen",
                "mov.u32 %r2, s;\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\nld.shared.u32 %r3, [%r2];\n" + load_by("")) +
         kernel("read_too_early", to_shared + from_other_end) +
         kernel("read_in_one_warp", to_shared +
                                        "xor.b32 %r5, %r2, 124; add.u32 %r6, %r3, %r5; ld.shared.u32 %r7, [%r6];\n"
                                        "st.global.u32 [%rd3], %r7;") +
         kernel("read_behind_a_barrier", to_shared + "bar.sync 0;\n" + from_other_end) +
         kernel("read_behind_a_barrier_of_others",
                "setp.ge.u32 %p1, %r1, 64;\n@%p1 bra READ;\n" + to_shared +
                    "bar.sync 1, 64;\nret;\nREAD: mov.u32 %r3, s;\nshl.b32 %r2, %r1, 2;\nadd.u32 %r4, %r3, %r2;\n"
                    "ld.shared.u32 %r7, [%r4+-256];\nst.global.u32 [%rd3], %r7;") +
         kernel("overwrite_too_early", to_shared + "bar.sync 0;\n" + from_other_end + "\nst.shared.u32 [%r4], 0;") +
         kernel("add_halves", to_shared +
                                  "bar.sync 0;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra OUT;\n"
                                  "ld.shared.u32 %r5, [%r4+128];\nld.shared.u32 %r6, [%r4];\nadd.u32 %r5, %r5, %r6;\n"
                                  "st.shared.u32 [%r4], %r5;\nst.global.u32 [%rd3], %r5;\nOUT:") +
         kernel("load_beside_a_store", "st.shared.u32 [s+4], 0;\n" + to_shared +
                                           two_sides("st.shared.u32 [%r4], 7;", "ld.shared.u32 %r7, [%r4+4];")) +
         kernel("load_its_own_word", to_shared + two_sides("st.shared.u32 [%r4], 7;", "ld.shared.u32 %r7, [%r4];")) +
         kernel("load_behind_a_sync", to_shared + two_sides("st.shared.u32 [%r4], 7; bar.warp.sync -1;",
                                                            "bar.warp.sync -1; ld.shared.u32 %r7, [%r4+4];")) +
         kernel("load_beside_a_global_store", two_sides("st.global.u32 [%rd4], 7;", "ld.global.u32 %r7, [%rd4+4];")) +
         kernel("add_on_two_sides",
                two_sides("atom.global.add.u32 %r7, [%rd2], 1;", "atom.global.add.u32 %r7, [%rd2], 100;")) +
         kernel("add_on_two_sides_and_load",
                two_sides("red.global.add.u32 [%rd2], 1;", "red.global.add.u32 [%rd2], 100;") +
                    "\nbar.warp.sync -1;\nld.global.u32 %r7, [%rd2];\nst.global.u32 [%rd3], %r7;") +
         kernel("count_in_many_turns",
                "mov.u32 %r3, s; st.shared.u32 [%r3], 0; bar.warp.sync -1; mov.u32 %r2, 0;\n"
                "TURN: ld.volatile.shared.u32 %r4, [%r3]; add.u32 %r4, %r4, 1; st.volatile.shared.u32 [%r3], %r4;\n"
                "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra TURN;\n"
                "ld.volatile.shared.u32 %r4, [%r3];\nst.global.u32 [%rd3], %r4;") +
         kernel("pass_on", "ld.global.u32 %r2, [%rd3];\nst.global.u32 [%rd4], %r2;") +
         kernel("pass_on_later",
                "mov.u64 %rd8, s;\ncvta.shared.u64 %rd8, %rd8;\ncvta.to.shared.u64 %rd8, %rd8;\nadd.u64 %rd8, %rd8, "
                "%rd5;\ncp.async.ca.shared.global [%rd8], [%rd3], 4;\ncp.async.wait_all;\nld.shared.u32 %r2, [%rd8];\n"
                "st.global.u32 [%rd4], %r2;") +
         kernel("copied_in_time", copy_to_shared + "cp.async.wait_group 0;\n" + use_copy) +
         kernel("copied_too_late", copy_to_shared + "cp.async.wait_group 1;\n" + use_copy) +
         kernel("copy_of_another_warp",
                copy_to_shared + "cp.async.wait_group 0;\nxor.b32 %r4, %r4, 128;\n" + use_copy) +
         kernel("copy_behind_a_barrier",
                copy_to_shared + "cp.async.wait_group 0;\nbar.sync 0;\nxor.b32 %r4, %r4, 128;\n" + use_copy) +
         kernel("copy_value", "ld.global.u32 %r2, [%rd3];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd4], %r2;") +
         kernel("where", load_by("ld.global.u32 %r3, [%rd3];\n")) +
         kernel("whether",
                "ld.global.u32 %r3, [%rd3];\nsetp.eq.u32 %p1, %r3, 12345;\n@%p1 bra OUT;\nst.global.u32 [%rd4], "
                "%r1;\nOUT:") +
         kernel("number_surface",
                "atom.global.add.u32 %r2, [%rd2], 1;\nshl.b32 %r3, %r1, 2;\nsust.b.1d.b32.trap [%rd1, {%r3}], {%r2};") +
         kernel("fill_surface", "shl.b32 %r3, %r1, 2;\nsust.b.1d.b32.trap [%rd1, {%r3}], {%r1};") +
         kernel("where_in_surface", load_by("shl.b32 %r3, %r1, 2;\nsuld.b.1d.b32.trap {%r3}, [%rd1, {%r3}];\n")) +
         kernel("shift_by_one_warp", "ld.global.u32 %r2, [%rd3+128];\nst.global.u32 [%rd4], %r2;") +
         kernel("shift_behind_a_barrier", "ld.global.u32 %r2, [%rd3+128];\nbar.sync 0;\nst.global.u32 [%rd4], %r2;") +
         kernel("tid", load_by("mov.u32 %r3, %r1;\n"));
}

class CarriedValues : public KernelsOnDevice {
 protected:
  CarriedValues() : KernelsOnDevice(kernels_that_leave()) {}
};

TEST_F(CarriedValues, PlacesAndValuesOfTicketsDecideLater) {
  for (const char* kernel : {"compact", "number", "only_last", "last_stays"}) {
    allocate(&a_);
    allocate(&c_);  // the first ticket is 0
    EXPECT_FALSE(doubts("where", a_, b_)) << kernel << ": nothing is there yet";
    run(kernel, a_, c_);
    EXPECT_TRUE(doubts("where", a_, b_)) << kernel;
    EXPECT_TRUE(doubts("whether", a_, b_)) << kernel;
    EXPECT_FALSE(doubts("copy_value", a_, b_)) << kernel << ": only the value differs";
    EXPECT_FALSE(doubts("tid", a_, c_)) << kernel << ": not read";
  }
}

TEST_F(CarriedValues, WhatSurfacesHoldDecidesLater) {
  Texture surface{.address = a_, .width = 64, .kind = ChannelKind::kUnsigned, .user = TextureUser::kSurface};
  uint64_t handle = 0;
  ASSERT_TRUE(device_->create_texture(surface, &handle).ok());
  run("fill_surface", handle, c_);
  EXPECT_FALSE(doubts("where_in_surface", handle, b_));
  run("number_surface", handle, c_);
  EXPECT_TRUE(doubts("where_in_surface", handle, b_));
}

TEST_F(CarriedValues, WhatIsTheSameInAnyOrderDecidesNothing) {
  for (const char* kernel : {"count", "set"}) {
    run(kernel, a_, c_);
    EXPECT_FALSE(doubts("where", a_, b_)) << kernel;
  }
}

// A card may run either side of a branch first, and ptxas may unroll a loop.
TEST_F(CarriedValues, WhatALaneLoadsBesideAStoreOfAnotherLaneDecidesLater) {
  const auto decides = [&](const char* kernel, uint32_t threads) {
    for (uint64_t* array : {&a_, &c_}) allocate(array);
    run(kernel, a_, c_, threads);
    return doubts("where", a_, b_);
  };
  for (const char* kernel : {"load_beside_a_store", "count_in_many_turns"}) {
    EXPECT_TRUE(decides(kernel, 32)) << kernel;
    EXPECT_TRUE(decides(kernel, 64)) << kernel;
    EXPECT_FALSE(decides(kernel, 1)) << kernel << ": no other lane";
  }
  for (const char* kernel : {"load_beside_a_global_store", "add_on_two_sides"}) {
    EXPECT_TRUE(decides(kernel, 32)) << kernel;
    EXPECT_FALSE(decides(kernel, 1)) << kernel;
  }
  for (const char* kernel : {"load_its_own_word", "load_behind_a_sync", "add_on_two_sides_and_load"})
    EXPECT_FALSE(decides(kernel, 32)) << kernel;
}

// No atomic is made. Another schedule leaves another thread's value.
TEST_F(CarriedValues, TheLastOfSeveralStoresDecidesLater) {
  for (const char* kernel : {"to_one", "to_four"}) {
    allocate(&a_);
    run(kernel, a_, c_, 32);
    EXPECT_FALSE(doubts("where", a_, b_)) << kernel << ": the lanes of one warp have an order";
    run(kernel, a_, c_);
    EXPECT_TRUE(doubts("where", a_, b_)) << kernel;
  }
  for (const char* kernel : {"all_alike", "own_byte", "in_turn"}) {
    allocate(&a_);
    run(kernel, a_, c_);
    EXPECT_FALSE(doubts("where", a_, b_)) << kernel;
  }
}

// Which comes last, an atomic or a store, an add or a max.
TEST_F(CarriedValues, AtomicsBesideOtherWritesDecideLater) {
  for (const char* kernel : {"adds_and_sets", "sets_and_adds", "adds_and_raises"}) {
    allocate(&a_);
    run(kernel, a_, c_, 32);
    EXPECT_FALSE(doubts("where", a_, b_)) << kernel << ": one warp";
    run(kernel, a_, c_);
    EXPECT_TRUE(doubts("where", a_, b_)) << kernel;
  }
  for (const char* kernel : {"sets_then_adds", "only_adds"}) {
    allocate(&a_);
    run(kernel, a_, c_);
    EXPECT_FALSE(doubts("where", a_, b_)) << kernel;
  }
}

// Two warps use a word of shared memory, and no barrier of all threads stands between.
TEST_F(CarriedValues, WhatARaceInSharedMemoryBringsDecidesLater) {
  const auto leaves_it = [&](const char* kernel, uint32_t threads) {
    allocate(&a_);
    run(kernel, a_, c_, threads);
    return doubts("where", a_, b_);
  };
  EXPECT_TRUE(leaves_it("read_too_early", 64));
  EXPECT_FALSE(leaves_it("read_in_one_warp", 64));
  EXPECT_FALSE(leaves_it("read_behind_a_barrier", 64));
  EXPECT_TRUE(leaves_it("read_behind_a_barrier_of_others", 128));
  EXPECT_TRUE(leaves_it("overwrite_too_early", 64));
  EXPECT_FALSE(leaves_it("add_halves", 64)) << "each word has one warp";
}

TEST_F(CarriedValues, WhatAnUnfinishedCopyBringsDecidesLater) {
  const auto leaves_it = [&](const char* kernel) {
    allocate(&a_);
    run(kernel, a_, c_);
    return doubts("where", a_, b_);
  };
  EXPECT_FALSE(leaves_it("copied_in_time"));
  EXPECT_TRUE(leaves_it("copied_too_late"));
  EXPECT_TRUE(leaves_it("copy_of_another_warp"));
  EXPECT_FALSE(leaves_it("copy_behind_a_barrier"));
}

TEST_F(CarriedValues, TheLastOfSeveralStoresDecidesInItsOwnLaunch) {
  const auto depends_on_order = [&](uint32_t threads) {
    run("chosen", a_, b_, threads);
    return device_->report_json().find("the order in which threads come to") != std::string::npos;
  };
  EXPECT_FALSE(depends_on_order(32));
  EXPECT_TRUE(depends_on_order(64));
}

// The other warps leave at the check of the bounds.
TEST_F(CarriedValues, AWarpThatIsAloneInMemoryHasAnOrder) {
  const auto depends_on_order = [&](uint32_t blocks) {
    run("chosen_in_bounds", a_, b_, 128, blocks);
    const auto launch = nlohmann::json::parse(device_->report_json())["launches"].back();
    return launch.dump().find("the order in which threads come to") != std::string::npos;
  };
  EXPECT_FALSE(depends_on_order(1));
  EXPECT_TRUE(depends_on_order(2));
}

// Two parameters point into one array: a thread loads what a thread of another warp stores.
TEST_F(CarriedValues, ARaceByTwoPointersDecidesLater) {
  const auto leaves_it = [&](const char* kernel, uint64_t to, uint32_t blocks) {
    allocate(&a_);
    run(kernel, a_, to ? to : a_, 64, blocks);
    return doubts("where", to ? to : a_, c_);
  };
  EXPECT_TRUE(leaves_it("shift_by_one_warp", 0, 1));
  EXPECT_FALSE(leaves_it("shift_by_one_warp", b_, 1)) << "two arrays";
  EXPECT_FALSE(leaves_it("shift_behind_a_barrier", 0, 1));
  EXPECT_FALSE(leaves_it("pass_on", 0, 1)) << "each thread has its own word";
}

TEST_F(CarriedValues, MemoryThatNobodyWroteDecides) {
  EXPECT_TRUE(device_->allocate(kBytes, &a_).ok());
  EXPECT_TRUE(doubts("where", a_, b_));
  run("copy_value", a_, c_);
  EXPECT_TRUE(doubts("where", c_, b_)) << "it was passed on";
  run("count", a_, c_);
  EXPECT_TRUE(doubts("where", a_, b_)) << "a sum begins with what is there";
  run("pass_on", b_, a_);
  EXPECT_FALSE(doubts("where", a_, b_));
  for (const char* kernel : {"where", "whether"}) {
    EXPECT_TRUE(device_->allocate(kBytes, &a_).ok());
    EXPECT_TRUE(device_->fill(a_, 0, 4).ok());
    EXPECT_FALSE(doubts(kernel, a_, b_)) << "somebody wrote to it";
  }
}

// Of the lanes of one store to one place, a card keeps the lowest of the last 128 bytes.
TEST_F(CarriedValues, OfOneStoreTheLowestLaneStays) {
  const auto left_by = [&](const char* kernel) {
    run(kernel, a_, c_, 32);
    std::array<uint32_t, 4> left{};
    EXPECT_TRUE(device_->copy_out(left.data(), a_, sizeof left).ok());
    return left;
  };
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(left_by("to_one")[0], 0u);
  EXPECT_EQ(left_by("to_four"), (Words{0, 1, 2, 3}));
  EXPECT_EQ(left_by("pairs_to_one"), (Words{16, 16, 2, 3}));
  EXPECT_EQ(left_by("fours_to_one"), (Words{24, 24, 24, 24}));
  EXPECT_EQ(left_by("pairs_to_two"), (Words{16, 16, 17, 17}));
  EXPECT_EQ(left_by("some_pairs_to_one"), (Words{18, 18, 17, 17})) << "of lanes 18 to 31";
}

TEST_F(CarriedValues, OneWarpHasNoOrderButFindsOne) {
  run("compact", a_, c_, 32);
  EXPECT_FALSE(doubts("where", a_, b_));
  run("compact", a_, c_);
  EXPECT_TRUE(doubts("where", a_, b_, 32));
}

TEST_F(CarriedValues, TwoBlocksOfOneThreadAreTwoWarps) {
  run("compact", a_, c_, 1, 2);
  EXPECT_TRUE(doubts("where", a_, b_));
}

// A sum of floats, and what a sine makes, differ in their last bits: they decide a branch only if lanes part there.
TEST_F(CarriedValues, LastBitsDecideWhereAndSeldomWhether) {
  for (const char* kernel : {"sum", "sine"}) {
    allocate(&a_);
    run(kernel, a_, c_);
    EXPECT_TRUE(doubts("where", a_, b_)) << kernel;
    EXPECT_FALSE(doubts("whether", a_, b_)) << kernel;
  }
}

TEST_F(CarriedValues, LaunchesAndCopiesPassItOn) {
  for (const char* kernel : {"pass_on", "pass_on_later"}) {
    allocate(&a_);
    allocate(&b_);
    run("compact", a_, c_);
    EXPECT_FALSE(doubts("where", b_, c_)) << kernel;
    run(kernel, a_, b_);
    EXPECT_TRUE(doubts("where", b_, c_)) << kernel;
  }
  allocate(&c_);
  EXPECT_TRUE(device_->copy_within({c_, 64, 64}, a_, 64).ok());
  EXPECT_TRUE(doubts("where", c_, b_)) << "a copy of a part";
}

TEST_F(CarriedValues, WhatTheHostOverwritesIsForgotten) {
  const std::array<std::byte, kBytes> zeros{};
  run("compact", a_, c_);
  EXPECT_TRUE(device_->copy_in(a_, zeros.data(), kBytes - 4).ok());
  EXPECT_TRUE(doubts("where", a_, b_)) << "not all of it";
  EXPECT_TRUE(device_->copy_in({a_, 128, 64, kBytes / 128}, zeros.data(), 64).ok());
  EXPECT_TRUE(doubts("where", a_, b_)) << "rows with gaps";
  EXPECT_TRUE(device_->copy_in(a_, zeros.data(), kBytes).ok());
  EXPECT_FALSE(doubts("where", a_, b_));
  run("compact", a_, c_);
  EXPECT_TRUE(device_->fill(a_, 0, kBytes).ok());
  EXPECT_FALSE(doubts("where", a_, b_));
  run("compact", a_, c_);
  EXPECT_TRUE(device_->copy_within({a_, kBytes, kBytes}, b_, kBytes).ok());
  EXPECT_FALSE(doubts("where", a_, b_));
}

TEST_F(CarriedValues, TheHostMayGiveThemBack) {
  std::array<std::byte, kBytes> fetched{};
  run("compact", a_, c_);
  EXPECT_TRUE(device_->copy_out(fetched.data(), a_, kBytes).ok());
  EXPECT_FALSE(doubts("where", b_, c_));
  EXPECT_TRUE(device_->copy_in(b_, fetched.data(), 512).ok());
  EXPECT_TRUE(doubts("where", b_, c_)) << "a part, to another array";
  allocate(&b_);
  std::ranges::fill(fetched, std::byte{7});
  EXPECT_TRUE(device_->copy_in(b_, fetched.data(), kBytes).ok());
  EXPECT_FALSE(doubts("where", b_, c_)) << "other values";
}

// The frontier of a search: the host fetches its size and chooses the next grid by it.
TEST_F(CarriedValues, TheHostMayPassANumberOfARace) {
  const auto passes = [&](uint64_t argument, uint32_t threads, uint32_t blocks) {
    run("all_alike", b_, argument, threads, blocks);
    return last_has("a race of an earlier launch decides");
  };
  for (const char* kernel : {"last_stays", "count"}) {
    run(kernel, a_, c_);
    const uint32_t left = fetch(a_);
    ASSERT_GT(left, 1u);
    EXPECT_FALSE(passes(left, 64, 2)) << kernel << " makes atomics only";
  }
  allocate(&a_);
  run("to_one", a_, c_);
  EXPECT_FALSE(passes(63, 1, 63)) << "not fetched yet";
  const uint32_t left = fetch(a_);
  ASSERT_GE(left, 32u);
  EXPECT_TRUE(passes(left, 64, 2));
  EXPECT_TRUE(passes(0, 1, left));
  EXPECT_TRUE(passes(0, left - 1, 2)) << "enough blocks for all elements";
  EXPECT_FALSE(passes(0, left, 2));
  EXPECT_FALSE(passes(left + 1, 64, 1)) << "one block is enough for many numbers";
}

TEST_F(CarriedValues, ALaterKernelMayMoveTheNumber) {
  run("to_one", a_, c_);
  run("pass_on", a_, b_);
  run("all_alike", c_, fetch(b_));
  EXPECT_TRUE(last_has("a race of an earlier launch decides"));
}

TEST_F(CarriedValues, NewMemoryHoldsNothingOfTheOld) {
  EXPECT_TRUE(device_->reserve(kBytes, &a_).ok());
  EXPECT_TRUE(device_->allocate_reserved(a_).ok());
  EXPECT_TRUE(device_->fill(a_, 0, 64).ok());
  run("compact", a_, c_);
  EXPECT_TRUE(doubts("where", a_, b_));
  EXPECT_TRUE(device_->free(a_).ok());
  EXPECT_TRUE(device_->allocate_reserved(a_).ok());
  EXPECT_TRUE(device_->fill(a_, 0, 64).ok());
  EXPECT_FALSE(doubts("where", a_, b_));
}

}  // namespace
}  // namespace lockstep
