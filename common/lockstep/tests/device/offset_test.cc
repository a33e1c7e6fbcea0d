// offset_test: arrays that begin behind an aligned address. Their first byte is their bound, for every check.
#include <gtest/gtest.h>

#include <array>
#include <span>

#include "base/words.h"
#include "device/emulated_device.h"

namespace lockstep {
namespace {

// One thread loads an int in front of the array, an int of the array, or four of them at once.
constexpr std::string_view kLoads = R"(.version 9.0
.target sm_75
.address_size 64
.visible .entry before(.param .u64 array)
{
  .reg .u32 %r<2>;
  .reg .u64 %d<2>;
  ld.param.u64 %d1, [array];
  ld.global.u32 %r1, [%d1+-4];
  ret;
}
.visible .entry first(.param .u64 array)
{
  .reg .u32 %r<2>;
  .reg .u64 %d<2>;
  ld.param.u64 %d1, [array];
  ld.global.u32 %r1, [%d1];
  ret;
}
.visible .entry four(.param .u64 array)
{
  .reg .u32 %r<5>;
  .reg .u64 %d<2>;
  ld.param.u64 %d1, [array];
  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];
  ret;
}
)";

constexpr Checks kAll{.memory = true, .initialised = true, .races = true, .synchronisation = true, .launch = true};

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// What is found when the kernel gets an array of 8 ints, 4 bytes behind an aligned address; "": nothing.
std::string found_in(const char* kernel, bool is_written) {
  const auto device = EmulatedDevice::create({.memory_bytes = 64 << 20, .checks = kAll});
  uint64_t array = 0;
  EXPECT_TRUE(device->allocate(32, &array, MemoryKind::kDevice, 4).ok());
  EXPECT_EQ(array % 256, 4u);
  EXPECT_TRUE(!is_written || device->fill(array, 7, 32).ok());
  ModuleId module = 0;
  FunctionInfo function;
  EXPECT_TRUE(device->load_module({kLoads}, &module).ok());
  EXPECT_TRUE(device->find_function(module, kernel, &function).ok());
  const std::array<uint64_t, 1> params{array};
  LaunchRequest request;
  request.function = function.id;
  request.grid = request.block = {1, 1, 1};
  request.params = std::as_bytes(std::span(params));
  EXPECT_TRUE(device->launch(request).ok());
  EXPECT_TRUE(device->free(array).ok());
  std::string all;
  for (const std::string& message : device->take_messages()) all += plain(message);
  return all;
}

TEST(Offset, TheFirstByteOfAnArrayIsItsBound) {
  EXPECT_PRED2(says, found_in("before", true), "4 bytes before the start");
  EXPECT_PRED2(says, found_in("first", false), "which nothing has written");
  EXPECT_EQ(found_in("first", true), "");
}

TEST(Offset, AMisalignedArrayIsNamedAsTheCause) {
  const std::string found = found_in("four", true);
  EXPECT_PRED2(says, found, "Its address must be a multiple of 16.");
  EXPECT_PRED2(says, found, "The array begins 4 bytes behind such a multiple.");
}

TEST(Offset, OneThatIsTooLargeIsRefused) {
  const auto device = EmulatedDevice::create({.memory_bytes = 64 << 20});
  uint64_t array = 0;
  EXPECT_FALSE(device->allocate(32, &array, MemoryKind::kDevice, 512).ok());
  EXPECT_EQ(array, 0u);
  EXPECT_TRUE(device->allocate(0, &array, MemoryKind::kDevice, 4).ok());
  EXPECT_EQ(array, 0u);
}

}  // namespace
}  // namespace lockstep
