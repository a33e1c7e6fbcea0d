// sampling_test: texels, weights and channels of textures. Expected values: by hand, from the formulas of the CUDA C++
// Programming Guide.
#include "alu/sampling.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace lockstep {
namespace {

using enum AddressMode;
constexpr bool kNormalized = true, kTexels = false;

TEST(Sampling, AnIndexOutsideFollowsTheMode) {
  const int64_t indices[] = {-9, -8, -5, -4, -1, 0, 3, 4, 7, 8};
  const int wrap[] = {3, 0, 3, 0, 3, 0, 3, 0, 3, 0}, mirror[] = {0, 0, 3, 3, 0, 0, 3, 3, 0, 0},
            clamp[] = {0, 0, 0, 0, 0, 0, 3, 3, 3, 3}, border[] = {-1, -1, -1, -1, -1, 0, 3, -1, -1, -1};
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(texel_index(indices[i], 4, kWrap), wrap[i]) << indices[i];
    EXPECT_EQ(texel_index(indices[i], 4, kMirror), mirror[i]) << indices[i];
    EXPECT_EQ(texel_index(indices[i], 4, kClamp), clamp[i]) << indices[i];
    EXPECT_EQ(texel_index(indices[i], 4, kBorder), border[i]) << indices[i];
  }
}

TEST(Sampling, APointIsTheTexelAroundTheCoordinate) {
  const auto at = [](float x, AddressMode mode, bool normalized) { return point_texel(x, 4, mode, normalized).first; };
  EXPECT_EQ(at(0.0f, kClamp, kTexels), 0);
  EXPECT_EQ(at(0.99f, kClamp, kTexels), 0);
  EXPECT_EQ(at(1.0f, kClamp, kTexels), 1);
  EXPECT_EQ(at(-0.01f, kBorder, kTexels), kOnBorder);
  EXPECT_EQ(at(4.0f, kBorder, kTexels), kOnBorder);
  EXPECT_EQ(at(0.25f, kClamp, kNormalized), 1);
  EXPECT_EQ(at(1.3f, kWrap, kNormalized), 1);
  EXPECT_EQ(at(-0.3f, kWrap, kNormalized), 2);
  EXPECT_EQ(at(1.3f, kMirror, kNormalized), 2);
  EXPECT_EQ(at(-0.3f, kMirror, kNormalized), 1);
  EXPECT_EQ(at(1.0f, kMirror, kNormalized), 3);
  EXPECT_EQ(at(-1e-9f, kWrap, kNormalized), 3) << "its fraction is not rounded to 1";
}

TEST(Sampling, WithoutNormalizedCoordinatesWrapAndMirrorClamp) {
  for (const AddressMode mode : {kWrap, kMirror}) {
    EXPECT_EQ(point_texel(4.5f, 4, mode, kTexels).first, 3);
    EXPECT_EQ(point_texel(-0.5f, 4, mode, kTexels).first, 0);
    EXPECT_EQ(linear_texels(4.5f, 4, mode, kTexels).second, 3);
  }
}

TEST(Sampling, NoCoordinateLeavesTheTexture) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const float x : {inf, -inf, std::nanf(""), 3e38f, -3e38f})
    for (const AddressMode mode : {kWrap, kMirror, kClamp, kBorder})
      for (const bool normalized : {true, false})
        for (const AxisTexels& t : {point_texel(x, 5, mode, normalized), linear_texels(x, 5, mode, normalized)}) {
          EXPECT_TRUE(t.first >= kOnBorder && t.first < 5) << x;
          EXPECT_TRUE(t.second >= kOnBorder && t.second < 5) << x;
          EXPECT_LT(t.weight, 256u) << x;
        }
}

TEST(Sampling, LinearWeightsAreStepsOf256) {
  const auto expect = [](float x, int first, int second, uint32_t weight) {
    const AxisTexels t = linear_texels(x, 4, kClamp, kTexels);
    EXPECT_EQ(t.first, first) << x;
    EXPECT_EQ(t.second, second) << x;
    EXPECT_EQ(t.weight, weight) << x;
  };
  expect(0.5f, 0, 1, 0);
  expect(1.0f, 0, 1, 128);
  expect(1.75f, 1, 2, 64);
  expect(0.0f, 0, 0, 0);  // one texel
  expect(4.0f, 3, 3, 0);
  expect(1.5f + 0.4f / 256, 1, 2, 0);  // rounded down
  expect(1.5f + 0.6f / 256, 1, 2, 1);  // rounded up
  expect(2.5f - 0.4f / 256, 2, 3, 0);  // up to the next texel
}

TEST(Sampling, LinearNeighboursFollowTheMode) {
  const auto two = [](float x, AddressMode mode) {
    const AxisTexels t = linear_texels(x, 4, mode, kNormalized);
    return std::pair(t.first, t.second);
  };
  EXPECT_EQ(two(0.0f, kWrap), std::pair(3, 0));
  EXPECT_EQ(two(0.0f, kMirror), std::pair(0, 0));
  EXPECT_EQ(linear_texels(0.0f, 4, kMirror, kNormalized).weight, 128u) << "only clamp holds a place inside";
  EXPECT_EQ(two(0.0f, kClamp), std::pair(0, 0));
  EXPECT_EQ(two(0.0f, kBorder), std::pair(kOnBorder, 0));
  EXPECT_EQ(two(0.97f, kWrap), std::pair(3, 0));
  EXPECT_EQ(two(0.97f, kBorder), std::pair(3, kOnBorder));
}

TEST(Sampling, TheFaceOfACubeIsTheLargestCoordinate) {
  const auto expect = [](float x, float y, float z, uint32_t face, float s, float t) {
    const CubePlace place = cube_place(x, y, z);
    EXPECT_EQ(place.face, face);
    EXPECT_EQ(place.s, s) << face;
    EXPECT_EQ(place.t, t) << face;
  };
  // The table of the guide, with m = 2: behind each place, what it divides by m for s and t.
  expect(2, 1, -0.5f, 0, 0.625f, 0.25f);   // (-z, -y)
  expect(-2, 1, -0.5f, 1, 0.375f, 0.25f);  // (z, -y)
  expect(1, 2, -0.5f, 2, 0.75f, 0.375f);   // (x, z)
  expect(1, -2, -0.5f, 3, 0.75f, 0.625f);  // (x, -z)
  expect(1, -0.5f, 2, 4, 0.75f, 0.625f);   // (x, -y)
  expect(1, -0.5f, -2, 5, 0.25f, 0.625f);  // (-x, -y)
}

Texture texture_of(ChannelKind kind, uint8_t bits, uint8_t channels, bool normalized) {
  Texture t;
  t.kind = kind, t.channel_bits = bits, t.channels = channels, t.normalized_values = normalized;
  return t;
}

float float_channel(const Texture& t, const void* texel, uint32_t channel) {
  return std::bit_cast<float>(channel_bits(t, static_cast<const std::byte*>(texel), channel));
}

TEST(Sampling, IntegersKeepTheirSign) {
  const int8_t bytes[] = {-1, 127, -128, 5};
  const auto* const at = reinterpret_cast<const std::byte*>(bytes);
  const Texture with_sign = texture_of(ChannelKind::kSigned, 8, 4, false);
  const Texture without = texture_of(ChannelKind::kUnsigned, 8, 4, false);
  EXPECT_EQ(channel_bits(with_sign, at, 0), 0xffffffffu);
  EXPECT_EQ(channel_bits(with_sign, at, 2), 0xffffff80u);
  EXPECT_EQ(channel_bits(without, at, 0), 255u);
  EXPECT_EQ(channel_bits(without, at, 3), 5u);
  const uint16_t word[] = {0x8000};
  const auto* const at_word = reinterpret_cast<const std::byte*>(word);
  EXPECT_EQ(channel_bits(texture_of(ChannelKind::kSigned, 16, 1, false), at_word, 0), 0xffff8000u);
  EXPECT_EQ(channel_bits(texture_of(ChannelKind::kUnsigned, 16, 1, false), at_word, 0), 0x8000u);
  EXPECT_EQ(channel_bits(without, at, 3), 5u);
  EXPECT_EQ(channel_bits(texture_of(ChannelKind::kUnsigned, 16, 1, false), at_word, 1), 0u) << "there is no channel";
}

TEST(Sampling, NormalizedIntegersReachFromMinusOneToOne) {
  const uint8_t bytes[] = {0, 255, 51, 128};
  const Texture u8 = texture_of(ChannelKind::kUnsigned, 8, 4, true);
  EXPECT_EQ(float_channel(u8, bytes, 0), 0);
  EXPECT_EQ(float_channel(u8, bytes, 1), 1);
  EXPECT_EQ(float_channel(u8, bytes, 2), 0.2f);
  const int16_t words[] = {32767, -32767, -32768, 0};
  const Texture s16 = texture_of(ChannelKind::kSigned, 16, 4, true);
  EXPECT_EQ(float_channel(s16, words, 0), 1);
  EXPECT_EQ(float_channel(s16, words, 1), -1);
  EXPECT_EQ(float_channel(s16, words, 2), -1);
  EXPECT_EQ(float_channel(s16, words, 3), 0);
  const uint16_t most[] = {65535};
  EXPECT_EQ(float_channel(texture_of(ChannelKind::kUnsigned, 16, 1, true), most, 0), 1);
  const uint32_t wide[] = {7};  // 32 bits are never normalized
  EXPECT_EQ(channel_bits(texture_of(ChannelKind::kUnsigned, 32, 1, true), reinterpret_cast<const std::byte*>(wide), 0),
            7u);
}

TEST(Sampling, SrgbIsForColoursOfBytes) {
  const uint8_t bytes[] = {188, 10, 255, 188};
  Texture t = texture_of(ChannelKind::kUnsigned, 8, 4, true);
  t.srgb = 1;
  EXPECT_NEAR(float_channel(t, bytes, 0), 0.5028865, 1e-6);  // ((188/255 + 0.055) / 1.055)^2.4
  EXPECT_NEAR(float_channel(t, bytes, 1), 10 / 255.0 / 12.92, 1e-8);
  EXPECT_EQ(float_channel(t, bytes, 2), 1);
  EXPECT_NEAR(float_channel(t, bytes, 3), 188 / 255.0, 1e-7) << "opacity";
}

TEST(Sampling, HalvesBecomeFloats) {
  const uint16_t halves[] = {0x3c00, 0xc100};
  const Texture t = texture_of(ChannelKind::kFloat, 16, 2, false);
  EXPECT_EQ(float_channel(t, halves, 0), 1);
  EXPECT_EQ(float_channel(t, halves, 1), -2.5f);
}

TEST(Sampling, TheBorderKeepsItsBits) {
  Texture t = texture_of(ChannelKind::kUnsigned, 8, 1, false);
  t.border[0] = std::bit_cast<float>(17u), t.border[1] = 3;
  EXPECT_EQ(border_bits(t, 0), 17u);
  EXPECT_EQ(border_bits(t, 1), 0u) << "there is no channel";
}

TEST(Sampling, ANormalizedBorderIsAnElement) {
  Texture t = texture_of(ChannelKind::kUnsigned, 8, 1, true);
  const auto border = [&](float given) {
    t.border[0] = given;
    return std::bit_cast<float>(border_bits(t, 0));
  };
  EXPECT_EQ(border(0.3f), 76 / 255.0f);
  EXPECT_EQ(border(77), 1);
  EXPECT_EQ(border(-1), 0);
}

// What an H200 (driver 580.159) gives.
TEST(Sampling, CornersShare256AsACardDoes) {
  struct Shares {
    uint32_t x, y, z;
    std::array<uint32_t, 8> corners;
  };
  for (const Shares& s :
       {Shares{38, 0, 0, {218, 38, 0, 0}}, Shares{38, 38, 0, {186, 32, 32, 6}},
        Shares{2, 93, 128, {81, 1, 46, 0, 81, 1, 46, 0}}, Shares{127, 126, 1, {65, 64, 63, 63, 1, 0, 0, 0}},
        Shares{34, 80, 36, {131, 20, 60, 9, 21, 3, 10, 2}}, Shares{128, 214, 21, {19, 19, 98, 99, 2, 2, 8, 9}},
        Shares{222, 169, 192, {3, 19, 5, 37, 8, 57, 17, 110}}})
    EXPECT_EQ(corner_weights(s.x, s.y, s.z), s.corners) << s.x << ", " << s.y << ", " << s.z;
}

// The blend of two elements, the second of which weighs 1/256; as an H200 gives it.
template <class T>
float blend(const Texture& texture, T first, T second) {
  const auto value = [&](T& element) {
    return blended_value(texture, reinterpret_cast<const std::byte*>(&element), 0);
  };
  return blend_of(texture, 255 * value(first) + value(second));
}

TEST(Sampling, IntegersAreBlendedAs16Bits) {
  EXPECT_EQ(blend<uint8_t>(texture_of(ChannelKind::kUnsigned, 8, 1, true), 37, 200), 9673 / 65535.0f);
  EXPECT_EQ(blend<uint16_t>(texture_of(ChannelKind::kUnsigned, 16, 1, true), 40000, 123), 39844 / 65535.0f);
  const Texture s16 = texture_of(ChannelKind::kSigned, 16, 1, true);
  EXPECT_EQ(blend<int16_t>(s16, -32768, 1234), -32635 / 32767.0f);
  EXPECT_EQ(blend<int16_t>(s16, -3, 7), -3 / 32767.0f);
  EXPECT_EQ(blend<int16_t>(s16, -32768, -32767), -1);
  EXPECT_EQ(blend<int8_t>(texture_of(ChannelKind::kSigned, 8, 1, true), 0, 127), 128 / 32767.0f);
}

TEST(Sampling, ABlendOfHalvesIsAHalf) {
  const Texture t = texture_of(ChannelKind::kFloat, 16, 1, false);
  EXPECT_EQ(blend<uint16_t>(t, 0x63d0, 0x1419), 996);         // 1000 and 0.001
  EXPECT_EQ(blend<uint16_t>(t, 0x3e00, 0xc180), 1.4833984f);  // 1.5 and -2.75
}

TEST(Texture, OnlyKnownValuesAreSound) {
  EXPECT_TRUE(is_sound(Texture{}));
  const auto with = [](auto change) {
    Texture t;
    change(t);
    return is_sound(t);
  };
  EXPECT_FALSE(with([](Texture& t) { t.width = 0; }));
  EXPECT_FALSE(with([](Texture& t) { t.slices = 0xffffffff; }));
  EXPECT_FALSE(with([](Texture& t) { t.channels = 3; }));
  EXPECT_FALSE(with([](Texture& t) { t.channel_bits = 64; }));
  EXPECT_FALSE(with([](Texture& t) { t.channel_bits = 8; })) << "no float has 8 bits";
  EXPECT_FALSE(with([](Texture& t) { t.kind = static_cast<ChannelKind>(3); }));
  EXPECT_FALSE(with([](Texture& t) { t.modes[2] = static_cast<AddressMode>(4); }));
  EXPECT_FALSE(with([](Texture& t) { t.filter = static_cast<TextureFilter>(2); }));
  EXPECT_FALSE(with([](Texture& t) { t.user = static_cast<TextureUser>(2); }));
  EXPECT_FALSE(with([](Texture& t) { t.order = static_cast<Slices>(2); }));
  uint64_t bytes = 0;
  Texture far;
  far.height = 3, far.row_bytes = uint64_t{1} << 63;
  EXPECT_FALSE(far.reach(&bytes));
  far.row_bytes = 16, far.width = 3, far.slices = 2, far.slice_bytes = 100;
  EXPECT_TRUE(far.reach(&bytes));
  EXPECT_EQ(bytes, 100u + 2 * 16 + 12);
}

}  // namespace
}  // namespace lockstep
