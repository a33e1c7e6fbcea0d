// occupancy_test: how many blocks a multiprocessor holds, as cudaOccupancyMaxActiveBlocksPerMultiprocessor said on an
// H200.
#include "count/occupancy.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

const DeviceLimits kLimits;

TEST(Occupancy, RegistersAreGivenOutInUnits) {
  const struct {
    uint32_t registers, threads, blocks;
  } measured[] = {{20, 32, 32},  {56, 64, 18},  {56, 96, 12}, {56, 1024, 1}, {64, 96, 10},  {96, 32, 20},
                  {96, 224, 2},  {96, 640, 1},  {96, 672, 0}, {128, 96, 5},  {128, 512, 1}, {128, 544, 0},
                  {166, 384, 1}, {166, 416, 0}, {236, 96, 2}, {236, 224, 1}, {255, 256, 1}, {255, 288, 0}};
  for (const auto& [registers, threads, blocks] : measured)
    EXPECT_EQ(occupancy(kLimits, threads, 0, registers).blocks(), blocks) << registers << " " << threads;
}

TEST(Occupancy, ABlockHasAtMostAsManyThreadsAsThereAreRegistersFor) {
  EXPECT_EQ(most_threads(kLimits, 64), 1024u);
  EXPECT_EQ(most_threads(kLimits, 96), 640u);
  EXPECT_EQ(most_threads(kLimits, 166), 384u);
  EXPECT_EQ(most_threads(kLimits, 255), 256u);
}

TEST(Occupancy, UnknownRegistersLimitNothing) {
  EXPECT_EQ(occupancy(kLimits, 1024, 0, 0).blocks(), 2u);
  EXPECT_EQ(most_threads(kLimits, 0), 1024u);
}

TEST(Occupancy, TheLeastOfTheLimitsCounts) {
  EXPECT_EQ(occupancy(kLimits, 32, 10000, 20).blocks(), 20u) << "shared memory";
  EXPECT_EQ(occupancy(kLimits, 64, 10000, 56).blocks(), 18u) << "registers";
  EXPECT_EQ(occupancy(kLimits, 1024, 0, 20).blocks(), 2u) << "warps";
}

}  // namespace
}  // namespace lockstep
