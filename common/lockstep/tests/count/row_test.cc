// row_test: compares the results from a row's few numbers with the functions that look at every lane.
#include "count/row.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace lockstep {
namespace {

const std::vector<int64_t> kStrides = {0, 1, 2, 4, 8, 12, 16, 20, 32, 36, 64, 100, 128, 132, 256, 1024, 4096};

template <class Unsigned>
bool find_in(const std::array<Unsigned, kWarpSize>& registers, Mask mask, int64_t offset, Row& row) {
  return find_row<Unsigned>(reinterpret_cast<const std::byte*>(registers.data()), mask, offset, &row);
}

struct Case {
  std::array<uint64_t, kWarpSize> addresses{};
  Mask mask = 0;
  Row row;
};

// Rows for accesses of so many bytes: all strides, up and down, from the first addresses of a sector. Either runs of
// lanes, or full warps.
std::vector<Case> cases(uint32_t bytes, bool partial) {
  std::vector<Case> all;
  for (const int64_t size : kStrides)
    for (const int64_t stride : {size, -size})
      for (uint64_t start = 0; start < 64; start += bytes)
        for (uint32_t begin = 0; begin < (partial ? kWarpSize : 1u); begin += 5)
          for (uint32_t count = partial ? 1 : kWarpSize; begin + count <= kWarpSize; ++count) {
            if (stride % bytes != 0) continue;
            Case c;
            c.mask = static_cast<Mask>(((uint64_t{1} << count) - 1) << begin);
            c.addresses.fill(12345678);  // lanes that are not active may hold any value
            for (uint32_t l = 0; l < count; ++l)
              c.addresses[begin + l] = (1 << 20) + start + l * static_cast<uint64_t>(stride);
            if (!find_in(c.addresses, c.mask, 0, c.row)) {
              ADD_FAILURE() << "stride " << stride << ", " << count << " lanes from " << begin;
              continue;
            }
            all.push_back(c);
          }
  return all;
}

TEST(Row, SectorsAreThoseOfItsLanes) {
  for (const uint32_t bytes : {1u, 2u, 4u, 8u, 16u})
    for (const Case& c : cases(bytes, true))
      ASSERT_EQ(global_sectors(c.row), global_sectors(c.addresses.data(), c.mask, bytes))
          << bytes << " bytes, stride " << c.row.stride << ", mask " << std::hex << c.mask;
}

TEST(Row, WavefrontsAreThoseOfItsLanes) {
  for (const uint32_t bytes : {1u, 2u, 4u, 8u, 16u})
    for (const bool partial : {false, true})
      for (const Case& c : cases(bytes, partial))
        for (const bool merges : {false, true}) {
          const auto quick = shared_wavefronts(c.row, bytes, merges);
          if (!quick) continue;
          const Wavefronts slow = shared_wavefronts(c.addresses.data(), c.mask, bytes, merges);
          ASSERT_EQ(quick->total, slow.total) << bytes << " bytes, stride " << c.row.stride << ", " << c.row.count;
          ASSERT_EQ(quick->ideal, slow.ideal) << bytes << " bytes, stride " << c.row.stride << ", " << c.row.count;
        }
}

TEST(Row, IsNotFoundWhereThereIsNone) {
  std::array<uint32_t, kWarpSize> registers;
  for (uint32_t l = 0; l < kWarpSize; ++l) registers[l] = 4 * l;
  Row row;
  EXPECT_TRUE(find_in(registers, kFullMask, 8, row));
  EXPECT_EQ(row.first, 8u);
  EXPECT_EQ(row.stride, 4);
  EXPECT_FALSE(find_in(registers, 0x55u, 0, row)) << "lanes with gaps";
  registers[7] = 0;
  EXPECT_FALSE(find_in(registers, kFullMask, 0, row));
  EXPECT_TRUE(find_in(registers, 0x7fu, 0, row)) << "the odd one is not active";
}

TEST(Row, BoundsAreExact) {
  const Row up{1000, 4, 0, 32}, down{1124, -4, 0, 32}, one{1000, 0, 5, 1};
  EXPECT_TRUE(up.inside({1000, 1128}, 4));
  EXPECT_FALSE(up.inside({1000, 1127}, 4));
  EXPECT_FALSE(up.inside({1001, 1128}, 4));
  EXPECT_TRUE(down.inside({1000, 1128}, 4));
  EXPECT_FALSE(down.inside({1004, 1128}, 4));
  EXPECT_TRUE(one.inside({1000, 1004}, 4));
  EXPECT_FALSE(up.inside({0, 4096}, 16)) << "misaligned";
  EXPECT_FALSE(Row({8, -4, 0, 32}).inside({0, 4096}, 4)) << "it would run below zero";
}

}  // namespace
}  // namespace lockstep
