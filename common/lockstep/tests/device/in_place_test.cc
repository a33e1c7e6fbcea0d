// in_place_test: the judge's other input, and how kernels see it in memory that the program reads and writes in place.
#include "device/in_place.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <span>
#include <string>

#include "device/other_input.h"
#include "tests/one_kernel.h"

namespace lockstep {
namespace {

// A word of the judge's input, as the judge makes it, and of the other.
uint32_t given_word(uint32_t i) { return 0x3e800000 + (i * 0x9e3779b1 & ((1u << 25) - 1)); }
uint32_t other_word(uint32_t i) { return 1'000'000 + i; }

class OtherInputTest : public ::testing::Test {
 protected:
  OtherInputTest() : given_(kWords), other_(kWords) {
    for (uint32_t i = 0; i < kWords; ++i) given_[i] = given_word(i), other_[i] = other_word(i);
  }
  std::vector<uint32_t> replaced(std::vector<uint32_t> words) {
    input_.replace(std::as_writable_bytes(std::span(words)));
    return words;
  }
  static constexpr uint32_t kWords = 1000;
  std::vector<uint32_t> given_, other_;
  OtherInput input_{std::as_bytes(std::span(given_)), std::as_bytes(std::span(other_))};
};

TEST_F(OtherInputTest, PartsAreReplacedWhereverTheyLie) {
  EXPECT_EQ(replaced(given_), other_);
  EXPECT_EQ(
      replaced({7, given_word(500), given_word(501), 8, given_word(3), given_word(4), given_word(5)}),
      (std::vector<uint32_t>{7, other_word(500), other_word(501), 8, other_word(3), other_word(4), other_word(5)}));
  EXPECT_EQ(replaced({}), std::vector<uint32_t>{});
}

// One word may look like the input by chance, unless it is the next one of a part.
TEST_F(OtherInputTest, OneWordCountsOnlyAfterAPart) {
  EXPECT_EQ(replaced({given_word(10)}), std::vector<uint32_t>{given_word(10)});
  EXPECT_EQ(replaced({given_word(8), given_word(9), given_word(508), given_word(509)}),
            (std::vector<uint32_t>{other_word(8), other_word(9), other_word(508), other_word(509)}));
  EXPECT_EQ(replaced({given_word(10), given_word(510)}), (std::vector<uint32_t>{other_word(10), other_word(510)}));
  EXPECT_EQ(replaced({given_word(12)}), std::vector<uint32_t>{given_word(12)});
}

TEST_F(OtherInputTest, WhatIsNotTheInputStays) {
  const std::vector<uint32_t> strange = {0,          0x3f800000,         0x40000000,
                                         0xffffffff, given_word(kWords), given_word(kWords + 1)};
  EXPECT_EQ(replaced(strange), strange);
}

// Bytes of the program's memory, and the same number of others that kernels see.
class OtherWordsTest : public ::testing::Test {
 protected:
  static std::vector<std::byte> bytes_of(std::span<const uint32_t> words) {
    const auto bytes = std::as_bytes(words).first(kBytes);
    return {bytes.begin(), bytes.end()};
  }
  uint32_t read(size_t word) {
    uint32_t value = 0;
    shown_.read(reinterpret_cast<std::byte*>(&value), range_.begin + 4 * word, 4);
    return value;
  }

  static constexpr size_t kBytes = 4 * 4 + 2;  // the last word is no whole one
  std::array<uint32_t, 5> memory_{10, 11, 12, 13, 14};
  const std::array<uint32_t, 5> other_{0x50505050, 0x51515151, 0x52525252, 0x53535353, 0x54545454};
  const Range range_{reinterpret_cast<uint64_t>(memory_.data()), reinterpret_cast<uint64_t>(memory_.data()) + kBytes};
  OtherWords shown_{range_, bytes_of(memory_), bytes_of(other_)};
};

TEST_F(OtherWordsTest, KernelsSeeThemAndTheProgramDoesNot) {
  for (size_t word = 0; word < 4; ++word) EXPECT_EQ(read(word), other_[word]);
  std::array<std::byte, 9> parts{};  // the end of a word, two words, and what follows the last one
  shown_.read(parts.data(), range_.begin + 9, parts.size());
  EXPECT_EQ(parts,
            std::bit_cast<decltype(parts)>(std::to_array<uint8_t>({0x52, 0x52, 0x52, 0x53, 0x53, 0x53, 0x53, 14, 0})));
  EXPECT_EQ(memory_, (std::array<uint32_t, 5>{10, 11, 12, 13, 14}));
}

TEST_F(OtherWordsTest, WhatTheProgramWritesIsSeenAndStays) {
  memory_[1] = 77;
  EXPECT_EQ(read(1), 77u);
  for (const uint8_t value : {200, 201}) {  // byte by byte
    reinterpret_cast<uint8_t*>(memory_.data())[4 * 2] = value;
    EXPECT_EQ(read(2), value);
  }
  EXPECT_EQ(memory_, (std::array<uint32_t, 5>{10, 77, 201, 13, 14}));
}

TEST_F(OtherWordsTest, AStoreToAPartLeavesTheRestOfTheOtherWord) {
  shown_.stores(range_.begin + 5, 1);
  EXPECT_EQ(memory_[1], other_[1]) << "the store comes now";
  reinterpret_cast<uint8_t*>(memory_.data())[5] = 0;
  EXPECT_EQ(read(1), 0x51510051u);
  memory_[1] = 11;  // the kernel stores what lay there before
  EXPECT_EQ(read(1), 11u);
  EXPECT_EQ(read(0), other_[0]);
  EXPECT_EQ(read(2), other_[2]);
  shown_.stores(range_.begin + 14, 4);  // word 3 and the bytes behind it
  EXPECT_EQ(memory_, (std::array<uint32_t, 5>{10, 11, 12, other_[3], 14}));
}

TEST_F(OtherWordsTest, AStoreKeepsWhatTheProgramHasWritten) {
  memory_[1] = 77;
  shown_.stores(range_.begin + 4, 1);
  EXPECT_EQ(memory_[1], 77u);
}

// One way to access the first 32 words: lane l accesses word l or others, and stores to out[l].
struct Way {
  const char* name;
  std::string body;  // %r1: the lane, %rd1: the input, %rd2: its address of word l, %r2: result
  std::function<uint32_t(uint32_t)> expected = [](uint32_t lane) { return other_word(lane); };
};

std::vector<Way> ways_to_load() {
  const std::string shared = "shl.b32 %r4, %r1, 2; mov.u32 %r5, s; add.u32 %r4, %r4, %r5;\n",
                    use_shared = "bar.sync 0;\nld.shared.u32 %r2, [%r4];\n";
  return {
      {"a row", "ld.global.u32 %r2, [%rd2];"},
      {"a row by a generic address", "ld.u32 %r2, [%rd2];"},
      {"lanes in another order",
       "mul.lo.u32 %r3, %r1, 5; and.b32 %r3, %r3, 31; mad.wide.u32 %rd3, %r3, 4, %rd1;\nld.global.u32 %r2, [%rd3];",
       [](uint32_t lane) { return other_word(lane * 5 % 32); }},
      {"some lanes", "setp.lt.u32 %p1, %r1, 7;\n@!%p1 mov.u32 %r2, 3;\n@%p1 ld.global.u32 %r2, [%rd2];",
       [](uint32_t lane) { return lane < 7 ? other_word(lane) : 3; }},
      {"16 bytes", "mad.wide.u32 %rd3, %r1, 16, %rd1;\nld.global.v4.u32 {%r3, %r4, %r5, %r2}, [%rd3];",
       [](uint32_t lane) { return other_word(4 * lane + 3); }},
      {"one byte", "ld.global.u8 %r2, [%rd2+1];", [](uint32_t lane) { return other_word(lane) >> 8 & 0xff; }},
      {"an asynchronous copy",
       shared + "cp.async.ca.shared.global [%r4], [%rd2], 4;\ncp.async.wait_all;\n" + use_shared},
      {"a bulk copy", shared +
                          "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\nmbarrier.init.shared::cta.b64 [barrier], 1;\n"
                          "fence.proxy.async.shared::cta;\n"
                          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 128;\n"
                          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 128, "
                          "[barrier];\nWAIT: bar.sync 0;\n"
                          "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p2, [barrier], 0;\n@!%p2 bra AGAIN;\n" +
                          use_shared},
      {"a matrix",
       shared +
           "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%rd1], %r6;\n"
           "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [s], {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, %r6;\n" +
           use_shared},
      {"a texture", "tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd6, {%r1}];"},
      {"a surface", "shl.b32 %r3, %r1, 2;\nsuld.b.1d.b32.trap {%r2}, [%rd7, {%r3}];"},
  };
}

std::vector<Way> ways_to_change() {
  return {
      {"an atomic", "atom.global.add.u32 %r2, [%rd2], 0;"},
      {"a part", "st.global.u8 [%rd2], 0;\nld.global.u32 %r2, [%rd2];",
       [](uint32_t lane) { return other_word(lane) & ~0xffu; }},
      {"a word of the program's", "st.global.u32 [%rd2], 0x3e800000;\nld.global.u32 %r2, [%rd2];",
       [](uint32_t) { return given_word(0); }},
  };
}

class InPlaceTest : public OtherInputTest {
 protected:
  void SetUp() override {
    for (uint64_t* array : {&pinned_, &out_})
      ASSERT_TRUE(
          device_->allocate(kWords * 4, array, array == &out_ ? MemoryKind::kDevice : MemoryKind::kPinned).ok());
    std::ranges::copy(given_, words().begin());
    Texture texture{.address = pinned_, .width = kWords, .kind = ChannelKind::kUnsigned};
    ASSERT_TRUE(device_->create_texture(texture, &texture_).ok());
    texture.user = TextureUser::kSurface;
    ASSERT_TRUE(device_->create_texture(texture, &surface_).ok());
  }
  std::span<uint32_t> words() const { return {reinterpret_cast<uint32_t*>(pinned_), kWords}; }

  void expect_seen(const Way& way) {
    const std::string ptx =
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param "
        ".u64 out, .param .u64 texture, .param .u64 surface)\n{\n.reg .pred %p<3>; .reg .b32 %r<9>;"
        " .reg .b64 %rd<9>; .reg .f32 %f<9>;\n.shared .align 128 .b8 s[1024];"
        " .shared .align 8 .b64 barrier;\nld.param.u64 %rd1, [in];\nld.param.u64 %rd5, [out];\n"
        "ld.param.u64 %rd6, [texture];\nld.param.u64 %rd7, [surface];\nmov.u32 %r1, %tid.x;\n"
        "mov.u32 %r6, 16;\nmad.wide.u32 %rd2, %r1, 4, %rd1;\nmad.wide.u32 %rd4, %r1, 4, %rd5;\n" +
        way.body + "\nst.global.u32 [%rd4], %r2;\nret;\n}\n";
    const std::array<uint64_t, 4> params{pinned_, out_, texture_, surface_};
    LaunchRequest request;
    request.grid = {1, 1, 1}, request.block = {32, 1, 1};
    request.params = std::as_bytes(std::span(params));
    {
      const InPlace in_place(*device_, input_);
      const Outcome outcome = run_kernel(*device_, ptx, request);
      ASSERT_TRUE(outcome.ok()) << way.name << ": " << outcome.message;
    }
    ASSERT_TRUE(device_->fault().ok()) << way.name;
    std::array<uint32_t, 32> out{};
    ASSERT_TRUE(device_->copy_out(out.data(), out_, 128).ok());
    for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(out[lane], way.expected(lane)) << way.name << ", " << lane;
  }

  std::unique_ptr<EmulatedDevice> device_ = EmulatedDevice::create({.memory_bytes = 64 << 20});
  uint64_t pinned_ = 0, out_ = 0, texture_ = 0, surface_ = 0;
};

TEST_F(InPlaceTest, EachWayToLoadSeesTheOtherInput) {
  for (const Way& way : ways_to_load()) expect_seen(way);
  EXPECT_TRUE(std::ranges::equal(words(), given_)) << "the program sees its own";
}

TEST_F(InPlaceTest, WhatKernelsStoreComesOntoTheOtherInput) {
  for (const Way& way : ways_to_change()) {
    std::ranges::copy(given_, words().begin());
    expect_seen(way);
    for (uint32_t i = 0; i < kWords; ++i) EXPECT_EQ(words()[i], i < 32 ? way.expected(i) : given_[i]) << way.name;
  }
}

TEST_F(InPlaceTest, CopiesOfKernelsSeeIt) {
  const InPlace in_place(*device_, input_);
  std::array<uint32_t, 8> out{};
  ASSERT_TRUE(device_->copy_within({out_, 32, 32}, pinned_ + 8, 32).ok());
  ASSERT_TRUE(device_->copy_out(out.data(), out_, 32).ok());
  EXPECT_TRUE(std::ranges::equal(out, std::span(other_).subspan(2, 8)));
  ASSERT_TRUE(device_->fill({pinned_, 1, 1}, 0).ok());
  EXPECT_EQ(words()[0], other_word(0) & ~0xffu);
  EXPECT_EQ(words()[1], given_word(1));
}

}  // namespace
}  // namespace lockstep
