// row_access_test: rows of 16 bytes a lane, whose words have a loop of their own.
#include "engine/row_access.h"

#include <gtest/gtest.h>

#include <array>

namespace lockstep {
namespace {

TEST(Row, SixteenBytesALaneAreWordsOfFourRegisters) {
  std::array<std::array<uint32_t, kWarpSize>, 4> registers, loaded = {};
  std::array<uint32_t, 4 *kWarpSize> memory = {}, expected;
  for (uint32_t e = 0; e < 4; ++e)
    for (uint32_t l = 0; l < kWarpSize; ++l) registers[e][l] = expected[4 * l + e] = 100 * e + l;
  const uint32_t* const sources[] = {&registers[0][0], &registers[1][0], &registers[2][0], &registers[3][0]};
  uint32_t* const destinations[] = {&loaded[0][0], &loaded[1][0], &loaded[2][0], &loaded[3][0]};
  store_packed<uint32_t, uint32_t, 4>(memory.data(), sources);
  EXPECT_EQ(memory, expected);
  memory = {};
  widest<store_packed<uint32_t, uint32_t, 4>>(memory.data(), &sources[0]);
  EXPECT_EQ(memory, expected);
  load_packed<uint32_t, uint32_t, 4>(destinations, memory.data());
  EXPECT_EQ(loaded, registers);
  loaded = {};
  widest<load_packed<uint32_t, uint32_t, 4>>(&destinations[0], memory.data());
  EXPECT_EQ(loaded, registers);
}

}  // namespace
}  // namespace lockstep
