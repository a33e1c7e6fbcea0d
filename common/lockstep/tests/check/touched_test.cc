// touched_test: which parts of memory a launch is said to have used.
#include "check/touched.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace lockstep {
namespace {

std::vector<uint64_t> parts_of(const Touched& touched) {
  std::vector<uint64_t> parts = touched.parts();
  std::ranges::sort(parts);
  return parts;
}

TEST(Touched, EachLanesPartIsNotedOnce) {
  Touched touched(8 * Touched::kPart);
  std::array<uint64_t, kWarpSize> bytes;
  bytes.fill(2 * Touched::kPart + 8);
  touched.note(kFullMask, bytes.data());
  touched.note(1, bytes.data());
  EXPECT_EQ(parts_of(touched), std::vector<uint64_t>({2}));
  bytes[31] = 4 * Touched::kPart - 4;
  touched.note(kFullMask, bytes.data());
  EXPECT_EQ(parts_of(touched), std::vector<uint64_t>({2, 3})) << "the first lane's part was known";
  bytes[7] = 6 * Touched::kPart;
  touched.note(1u << 7, bytes.data());
  EXPECT_EQ(parts_of(touched), std::vector<uint64_t>({2, 3, 6}));
}

TEST(Touched, LanesThatAreNotInTheMaskTouchNothing) {
  Touched touched(8 * Touched::kPart);
  std::array<uint64_t, kWarpSize> bytes;
  bytes.fill(Touched::kPart);
  bytes[0] = bytes[31] = 7 * Touched::kPart;
  touched.note(0x6, bytes.data());
  touched.note(0x6, bytes.data());
  EXPECT_EQ(parts_of(touched), std::vector<uint64_t>({1}));
}

TEST(Touched, ForgetsAll) {
  Touched touched(8 * Touched::kPart);
  std::array<uint64_t, kWarpSize> bytes;
  bytes.fill(2 * Touched::kPart);
  touched.note(kFullMask, bytes.data());
  touched.forget();
  EXPECT_TRUE(touched.parts().empty());
  touched.note(kFullMask, bytes.data());
  EXPECT_EQ(parts_of(touched), std::vector<uint64_t>({2}));
}

}  // namespace
}  // namespace lockstep
