// arith_int_test: integer and bit functions against wide arithmetic and bit-by-bit definitions.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "alu/arith_int.h"

namespace lockstep::baseline {
namespace {

// Edge cases of T, and some values of every size.
template <class T>
std::vector<T> samples() {
  std::vector<T> result;
  const std::vector<Unsigned<T>> edges = {0, 1, 2, 3, 7, 8, 0x7f, 0x80, 0xff};
  for (const auto e : edges) {
    result.push_back(static_cast<T>(e));
    result.push_back(static_cast<T>(static_cast<Unsigned<T>>(0) - e));
    result.push_back(static_cast<T>(static_cast<Unsigned<T>>(kMax<std::make_signed_t<T>>) + e));
  }
  std::mt19937_64 random(1);
  for (int bits = 1; bits <= kBits<T>; bits += 3) result.push_back(static_cast<T>(random() >> (64 - bits)));
  return result;
}

template <class T>
class ArithInt : public testing::Test {};
using AllTypes = testing::Types<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>;
TYPED_TEST_SUITE(ArithInt, AllTypes);

TYPED_TEST(ArithInt, WrapsLikeWideArithmetic) {
  using T = TypeParam;
  for (const T a : samples<T>()) {
    for (const T b : samples<T>()) {
      // 128 bits hold every sum, and the low half of every product.
      const auto x = static_cast<Uint128>(static_cast<Int128>(a)), y = static_cast<Uint128>(static_cast<Int128>(b));
      EXPECT_EQ(add(a, b), static_cast<T>(x + y));
      EXPECT_EQ(sub(a, b), static_cast<T>(x - y));
      EXPECT_EQ(mul_lo(a, b), static_cast<T>(x * y));
      EXPECT_EQ(mad_lo(a, b, T{5}), static_cast<T>(x * y + 5));
      EXPECT_EQ(min(a, b), static_cast<Int128>(a) < static_cast<Int128>(b) ? a : b);
      EXPECT_EQ(max(a, b), static_cast<Int128>(a) < static_cast<Int128>(b) ? b : a);
      EXPECT_EQ(sad(a, b, T{9}), static_cast<T>(9 + (static_cast<Int128>(a) < static_cast<Int128>(b) ? y - x : x - y)));
      if constexpr (sizeof(T) < 8) {
        EXPECT_EQ(mul_hi(a, b), static_cast<T>(x * y >> kBits<T>));
        EXPECT_EQ(mul_wide(a, b), static_cast<Wider<T>>(x * y));
        EXPECT_EQ(mad_wide(a, b, Wider<T>{7}), static_cast<Wider<T>>(x * y + 7));
      }
    }
  }
}

TEST(ArithInt64, HighHalvesAreThoseOfTheLongMultiplication) {
  for (const uint64_t a : samples<uint64_t>()) {
    for (const uint64_t b : samples<uint64_t>()) {
      const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
      const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), crossed = a0 * b1 + (middle & 0xffffffff);
      const uint64_t high = a1 * b1 + (middle >> 32) + (crossed >> 32);
      EXPECT_EQ(mul_hi(a, b), high);
      // If its top bit is set, a as a signed number is a - 2^64, which subtracts b from the high half. The same for b.
      const uint64_t signed_high = high - (a >> 63 ? b : 0) - (b >> 63 ? a : 0);
      EXPECT_EQ(mul_hi(static_cast<int64_t>(a), static_cast<int64_t>(b)), static_cast<int64_t>(signed_high));
    }
  }
}

TYPED_TEST(ArithInt, DividesTowardsZeroAndNeverTraps) {
  using T = TypeParam;
  for (const T a : samples<T>()) {
    EXPECT_EQ(div(a, T{0}), static_cast<T>(~T{0}));
    EXPECT_EQ(rem(a, T{0}), static_cast<T>(~T{0}));
    for (const T b : samples<T>()) {
      if (b == 0) continue;
      EXPECT_EQ(div(a, b), static_cast<T>(static_cast<Int128>(a) / static_cast<Int128>(b))) << +a << " / " << +b;
      EXPECT_EQ(rem(a, b), static_cast<T>(static_cast<Int128>(a) % static_cast<Int128>(b))) << +a << " % " << +b;
    }
  }
  if constexpr (std::is_signed_v<T>) {
    EXPECT_EQ(div(kMin<T>, T{-1}), kMin<T>);
    EXPECT_EQ(rem(kMin<T>, T{-1}), T{0});
    EXPECT_EQ(abs(kMin<T>), kMin<T>);
    EXPECT_EQ(neg(kMin<T>), kMin<T>);
  }
}

TYPED_TEST(ArithInt, ShiftsClamp) {
  using T = TypeParam;
  for (const T a : samples<T>()) {
    for (const uint32_t n : {0u, 1u, 7u, 15u, 16u, 31u, 32u, 63u, 64u, 65u, 0x80000000u, ~0u}) {
      T left = a, right = a;
      for (uint32_t i = 0; i < std::min(n, 64u); ++i) {
        left = static_cast<T>(static_cast<Unsigned<T>>(left) * 2u);
        right = static_cast<T>((right - static_cast<T>(right & 1)) / 2);  // towards minus infinity
      }
      EXPECT_EQ(shl(static_cast<Unsigned<T>>(a), n), static_cast<Unsigned<T>>(left));
      EXPECT_EQ(shr(a, n), right);
    }
  }
}

// --- bits, one by one ---------------------------------------------------------------------------------------------

template <class T>
bool bit_of(T a, uint64_t i) {
  return i < kBits<T> && (static_cast<Unsigned<T>>(a) >> i & 1) != 0;
}
template <class T>
T set_bit(T a, uint64_t i) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) | Unsigned<T>{1} << i);
}

template <class T>
class ArithBits : public testing::Test {};
using WordTypes = testing::Types<uint32_t, int32_t, uint64_t, int64_t>;
TYPED_TEST_SUITE(ArithBits, WordTypes);

TYPED_TEST(ArithBits, CountsAndFinds) {
  using T = TypeParam;
  using U = Unsigned<T>;
  for (const T a : samples<T>()) {
    uint32_t ones = 0, zeros = 0, top = ~0u;
    U reversed = 0;
    for (int i = 0; i < kBits<T>; ++i) {
      ones += bit_of(a, static_cast<uint64_t>(i));
      if (bit_of(a, static_cast<uint64_t>(i))) reversed = set_bit(reversed, static_cast<uint64_t>(kBits<T> - 1 - i));
      if (bit_of(a, static_cast<uint64_t>(i)) != (a < 0)) top = static_cast<uint32_t>(i);
    }
    while (zeros < kBits<T> && !bit_of(a, static_cast<uint64_t>(kBits<T> - 1) - zeros)) ++zeros;
    EXPECT_EQ(popc(static_cast<U>(a)), ones);
    EXPECT_EQ(clz(static_cast<U>(a)), zeros);
    EXPECT_EQ(brev(static_cast<U>(a)), reversed);
    EXPECT_EQ(bfind(a), top);
    EXPECT_EQ(bfind_shiftamt(a), top == ~0u ? ~0u : static_cast<uint32_t>(kBits<T> - 1) - top);
  }
}

TYPED_TEST(ArithBits, FieldsAreCopiedBitByBit) {
  using T = TypeParam;
  using U = Unsigned<T>;
  for (const T a : samples<T>()) {
    for (uint32_t start = 0; start < 80; start += 3) {
      for (uint32_t length = 0; length < 80; length += 5) {
        const uint64_t last = std::min<uint64_t>(start + length - 1, kBits<T> - 1);
        const bool fill = std::is_signed_v<T> && length != 0 && bit_of(a, last);
        T extracted = 0;
        U inserted = static_cast<U>(~U{0} / 3);
        for (uint64_t i = 0; i < kBits<T>; ++i) {
          if (i < length && start + i < kBits<T> ? bit_of(a, start + i) : fill) extracted = set_bit(extracted, i);
          if (i >= start && i < start + uint64_t{length}) {
            inserted = static_cast<U>(inserted & ~(U{1} << i));
            if (bit_of(a, i - start)) inserted = set_bit(inserted, i);
          }
        }
        EXPECT_EQ(bfe(a, start, length), extracted) << +a << " from " << start << " length " << length;
        EXPECT_EQ(bfi(static_cast<U>(a), static_cast<U>(~U{0} / 3), start, length), inserted);
      }
    }
  }
}

TEST(ArithBits32, LogicTablesAndFunnels) {
  for (uint32_t table = 0; table < 256; ++table) {
    for (const uint32_t a : {0x12345678u, 0xffff0000u}) {
      const uint32_t b = 0x0ff00f5a, c = 0x9abcdef1;
      uint32_t wanted = 0;
      for (uint32_t i = 0; i < 32; ++i) {
        const uint32_t row = (a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1);
        wanted |= (table >> row & 1) << i;
      }
      EXPECT_EQ(lop3(a, b, c, table), wanted);
    }
  }
  EXPECT_EQ(shf_l_wrap(0x89abcdef, 0x01234567, 36), 0x12345678u);
  EXPECT_EQ(shf_l_clamp(0x89abcdef, 0x01234567, 36), 0x89abcdefu);
  EXPECT_EQ(shf_r_wrap(0x89abcdef, 0x01234567, 36), 0x789abcdeu);
  EXPECT_EQ(shf_r_clamp(0x89abcdef, 0x01234567, 36), 0x01234567u);
  EXPECT_EQ(bmsk_clamp(4, 8), 0xff0u);
  EXPECT_EQ(bmsk_clamp(4, 100), 0xfffffff0u);
  EXPECT_EQ(bmsk_clamp(40, 8), 0u);
  EXPECT_EQ(bmsk_wrap(36, 40), 0xff0u);
  EXPECT_EQ(szext_clamp<int32_t>(0x80, 8), -128);
  EXPECT_EQ(szext_clamp<uint32_t>(0xfff80, 8), 0x80u);
  EXPECT_EQ(szext_wrap<int32_t>(0x80, 40), -128);
}

TEST(ArithBits32, FnsCountsFromItsBase) {
  constexpr uint32_t mask = 0b1011'0100;
  EXPECT_EQ(fns(mask, 0, 1), 2u);
  EXPECT_EQ(fns(mask, 0, 3), 5u);
  EXPECT_EQ(fns(mask, 0, 5), ~0u);
  EXPECT_EQ(fns(mask, 2, 1), 2u);
  EXPECT_EQ(fns(mask, 7, -2), 5u);
  EXPECT_EQ(fns(mask, 31, -1), 7u);
  EXPECT_EQ(fns(mask, 4, 0), 4u);
  EXPECT_EQ(fns(mask, 3, 0), ~0u);
}

TEST(ArithBits32, PrmtModesFollowTheTable) {
  constexpr uint32_t a = 0x33221100, b = 0x77665584;
  EXPECT_EQ(prmt<Prmt::kGeneric>(a, b, 0x7410), 0x77841100u);
  EXPECT_EQ(prmt<Prmt::kGeneric>(a, b, 0xc480), 0xff84'00'00u);  // 0xc: the sign of byte 4; 8: of byte 0
  EXPECT_EQ(prmt<Prmt::kForward4>(a, b, 1), 0x84332211u);
  EXPECT_EQ(prmt<Prmt::kBackward4>(a, b, 1), 0x66770011u);
  EXPECT_EQ(prmt<Prmt::kReplicate8>(a, b, 2), 0x22222222u);
  EXPECT_EQ(prmt<Prmt::kEdgeLeft>(a, b, 2), 0x33222222u);
  EXPECT_EQ(prmt<Prmt::kEdgeRight>(a, b, 2), 0x22221100u);
  EXPECT_EQ(prmt<Prmt::kReplicate16>(a, b, 1), 0x33223322u);
}

// --- saturation, 24 bits, dot products, carries -------------------------------------------------------------------

TEST(ArithInt32, SaturatesAndMultiplies24Bits) {
  EXPECT_EQ(add_sat(kMax<int32_t>, 1), kMax<int32_t>);
  EXPECT_EQ(add_sat(kMin<int32_t>, -1), kMin<int32_t>);
  EXPECT_EQ(sub_sat(kMin<int32_t>, 1), kMin<int32_t>);
  EXPECT_EQ(sub_sat(-2, kMax<int32_t>), kMin<int32_t>);
  EXPECT_EQ(mad_hi_sat(kMax<int32_t>, kMax<int32_t>, kMax<int32_t>), kMax<int32_t>);
  EXPECT_EQ(mul24_lo(0xff000003u, 0x01000005u), 15u);
  EXPECT_EQ(mul24_hi(0x00ffffffu, 0x00ffffffu), 0xfffffe00u);
  EXPECT_EQ(mul24_lo(0x00ffffff, 2), -2);  // bit 23 is the sign
  EXPECT_EQ(mul24_hi(0x00800000, 0x00800000), 0x40000000);
  EXPECT_EQ(mad24_hi_sat(0x007fffff, 0x007fffff, kMax<int32_t>), kMax<int32_t>);
  EXPECT_EQ((pairwise<int16_t, min<int16_t>>(0xffff0001, 0x00020000)), 0xffff0000u);
  EXPECT_EQ((pairwise<uint16_t, min<uint16_t>>(0xffff0001, 0x00020000)), 0x00020000u);
  EXPECT_EQ((pairwise<int16_t, max_relu<int16_t>>(0xffff0001, 0xfffe0000)), 0x00000001u);
}

TEST(ArithInt32, DotProducts) {
  EXPECT_EQ((dp4a<uint32_t, uint32_t>(0x01020304, 0x05060708, 10)), 10u + 5 + 12 + 21 + 32);
  EXPECT_EQ((dp4a<int32_t, int32_t>(-1, 0x01010101, 0)), static_cast<uint32_t>(-4));
  EXPECT_EQ((dp4a<uint32_t, int32_t>(0xffffffff, -1, 0)), static_cast<uint32_t>(-4 * 255));
  EXPECT_EQ((dp2a_lo<int32_t, uint32_t>(static_cast<int32_t>(0xffff0003), 0x09080201, 1)), 1u + 3 - 2);
  EXPECT_EQ((dp2a_hi<int32_t, uint32_t>(static_cast<int32_t>(0xffff0003), 0x09080201, 1)), 1u + 3 * 8 - 9);
}

TEST(ArithInt64, CarriesChainTo128Bits) {
  for (const uint64_t a : samples<uint64_t>()) {
    for (const uint64_t b : samples<uint64_t>()) {
      const Uint128 x = Uint128{a} << 64 | b, y = Uint128{b} << 64 | a;
      const auto low = add_carry(b, a, false);
      const auto high = add_carry(a, b, low.carry);
      EXPECT_EQ(Uint128{high.value} << 64 | low.value, x + y);
      EXPECT_EQ(high.carry, x + y < x);
      const auto low_difference = sub_first(b, a, false);
      const auto high_difference = sub_carry(a, b, low_difference.carry);
      EXPECT_EQ(Uint128{high_difference.value} << 64 | low_difference.value, x - y);
      EXPECT_EQ(high_difference.carry, x >= y);
    }
  }
}

TEST(ArithSelection, Chooses) {
  EXPECT_EQ(selp(1, 2, true), 1);
  EXPECT_EQ(selp(1, 2, false), 2);
  EXPECT_EQ((slct<int, int32_t>(1, 2, 0)), 1);
  EXPECT_EQ((slct<int, int32_t>(1, 2, -1)), 2);
  EXPECT_EQ((slct<int, float>(1, 2, -0.0f)), 1);
  EXPECT_EQ((slct<int, float>(1, 2, std::numeric_limits<float>::quiet_NaN())), 2);
  EXPECT_EQ(slct_ftz(1, 2, -1e-40f), 1);
}

}  // namespace
}  // namespace lockstep::baseline
