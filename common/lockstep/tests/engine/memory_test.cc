// memory_test: allocations, their bounds, and the texts about addresses that are in none.
#include "engine/memory.h"
#include "base/words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "engine/card_heap.h"

namespace lockstep {
namespace {

constexpr uint64_t kMiB = 1 << 20;

TEST(Memory, BoundsAreExact) {
  Memory memory({.memory_bytes = kMiB});
  const uint64_t a = memory.allocate(10);
  ASSERT_NE(a, 0u);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_TRUE(memory.find(a).contains(a + 6, 4));
  EXPECT_FALSE(memory.find(a).contains(a + 7, 4));
  EXPECT_EQ(memory.find(a + 10).end, 0u);
}

// ThreadSanitizer chooses addresses itself.
#ifndef __SANITIZE_THREAD__
TEST(Memory, EachRunHasTheSameAddresses) {
  Memory memory({.memory_bytes = kMiB});
  EXPECT_EQ(memory.base(), 0x2008'0000'0000u);
}
#endif

// Such an array is what a caller's pointer into the middle of another array would be.
TEST(Memory, AnAllocationMayBeginBehindAnAlignedAddress) {
  Memory memory({.memory_bytes = 16 * kMiB});
  for (const uint64_t bytes : {uint64_t{100}, uint64_t{4096 - 512 - 4}, 3 * kMiB}) {
    const uint64_t a = memory.allocate(bytes, {.offset = 4});
    EXPECT_EQ(a % 512, 4u);
    EXPECT_EQ(memory.find(a - 1).end, 0u) << "what lies before is not the array's";
    EXPECT_TRUE(memory.find(a).contains(a, bytes));
    EXPECT_FALSE(memory.find(a).contains(a + 1, bytes));
    EXPECT_EQ(memory.find(a).on_card % 512, 4u);
    std::memset(reinterpret_cast<void*>(a), 1, bytes);
    EXPECT_FALSE(memory.free(a - 4)) << "no allocation starts there";
    EXPECT_TRUE(memory.free(a));
    EXPECT_EQ(memory.describe(a).kind, AddressKind::kFreed);
    EXPECT_EQ(memory.used(), 0u);
  }
}

// All addresses are used many times over: none is lost, and no two arrays overlap.
TEST(Memory, TheAddressesOfSuchAnAllocationAreUsedAgain) {
  Memory memory({.memory_bytes = kMiB});
  for (int i = 0; i < 1000; ++i) {
    const uint64_t a = memory.allocate(kMiB / 2, {.offset = 4 * static_cast<uint64_t>(i % 100)});
    const uint64_t b = memory.allocate(kMiB / 4);
    ASSERT_TRUE(a && b) << i;
    ASSERT_TRUE(a + kMiB / 2 + 512 <= b || b + kMiB / 4 + 512 <= a) << i;
    memory.free(a);
    memory.free(b);
  }
}

TEST(Memory, NeighboursDoNotTouch) {
  Memory memory({.memory_bytes = kMiB});
  const uint64_t a = memory.allocate(4096), b = memory.allocate(4096);
  EXPECT_GE(std::max(a, b) - std::min(a, b), 4096u + 512u);
}

// As the driver of a card places them: a program may look at the bits of an address.
TEST(Memory, LargeAllocationsBeginAtMultiplesOf2MiB) {
  Memory memory({.memory_bytes = 16 * kMiB});
  memory.allocate(4096);
  const uint64_t large = memory.allocate(kMiB + 1), small = memory.allocate(kMiB), next = memory.allocate(3 * kMiB);
  EXPECT_EQ(large % (2 * kMiB), 0u);
  EXPECT_EQ(next % (2 * kMiB), 0u);
  EXPECT_NE(small % (2 * kMiB), 0u) << "up to 1 MiB, allocations lie one after the other";
}

TEST(Memory, CapacityIsWhatTheCardHas) {
  Memory memory({.memory_bytes = kMiB});
  EXPECT_EQ(memory.allocate(kMiB + 1), 0u);
  const uint64_t all = memory.allocate(kMiB);
  EXPECT_NE(all, 0u);
  EXPECT_EQ(memory.allocate(1), 0u);
  EXPECT_TRUE(memory.free(all));
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_NE(memory.allocate(kMiB), 0u);
}

TEST(Memory, WhatTheSystemDoesNotAllowIsSaid) {
  EXPECT_THROW(Memory({.memory_bytes = uint64_t{1} << 60}), std::runtime_error);
}

TEST(Memory, OnlyAStartCanBeFreedAndOnlyOnce) {
  Memory memory({.memory_bytes = kMiB});
  const uint64_t a = memory.allocate(100);
  EXPECT_FALSE(memory.free(a + 1));
  EXPECT_TRUE(memory.free(a));
  EXPECT_FALSE(memory.free(a));
}

// Otherwise a pointer that is used after free would point into another array, and no check would notice.
TEST(Memory, WhatWasJustFreedIsNotGivenAgain) {
  Memory memory({.memory_bytes = kMiB});
  const uint64_t a = memory.allocate(100);
  memory.free(a);
  const uint64_t b = memory.allocate(100);
  EXPECT_NE(a, b);
  EXPECT_EQ(memory.describe(a).kind, AddressKind::kFreed);
}

TEST(Memory, RemembersWhatWasFreed) {
  Memory memory({.memory_bytes = kMiB});
  const uint64_t a = memory.allocate(100);
  memory.free(a);
  EXPECT_EQ(memory.describe(a + 99).kind, AddressKind::kFreed);
  EXPECT_EQ(memory.describe(a + 100).kind, AddressKind::kUnknown);
  EXPECT_NE(plain(memory.nearest(a, 4)).find("was freed"), std::string::npos);
}

// More is allocated and freed than the address range holds, so addresses must be used again.
TEST(Memory, PlacesAreUsedAgain) {
  Memory memory({.memory_bytes = kMiB});
  for (int i = 0; i < 1000; ++i) {
    const uint64_t a = memory.allocate(kMiB / 2), b = memory.allocate(kMiB / 4);
    ASSERT_NE(a, 0u);
    ASSERT_NE(b, 0u);
    std::memset(reinterpret_cast<void*>(a), i, kMiB / 2);
    ASSERT_TRUE(memory.free(a));
    ASSERT_TRUE(memory.free(b));
  }
}

// The memory of a graph: the same addresses each time, and freed memory in between.
TEST(Memory, ReservedAddressesComeAgain) {
  Memory memory({.memory_bytes = kMiB});
  const uint64_t at = memory.reserve(1000);
  ASSERT_NE(at, 0u);
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_EQ(memory.describe(at + 999).kind, AddressKind::kFreed);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(memory.allocate(1000, {.reserved = at}), at);
    EXPECT_EQ(memory.allocate(1000, {.reserved = at}), 0u) << "it is there already";
    EXPECT_TRUE(memory.find(at).contains(at, 1000));
    std::memset(reinterpret_cast<void*>(at), 1, 1000);
    EXPECT_TRUE(memory.free(at));
    EXPECT_EQ(memory.find(at).end, 0u);
  }
  EXPECT_EQ(memory.allocate(999, {.reserved = at}), 0u);
  EXPECT_EQ(memory.allocate(1000, {.reserved = at}), at);
  memory.unreserve(at);
  EXPECT_TRUE(memory.find(at).contains(at, 1000)) << "what lies there stays";
  EXPECT_TRUE(memory.free(at));
  EXPECT_EQ(memory.allocate(1000, {.reserved = at}), 0u);
  EXPECT_EQ(memory.reserve(2 * kMiB), 0u);
}

// Else a program that makes and destroys graphs would use up the addresses.
TEST(Memory, AddressesThatWereReservedAreUsedAgain) {
  Memory memory({.memory_bytes = kMiB});
  for (int i = 0; i < 100; ++i) {
    const uint64_t at = memory.reserve(kMiB / 2);
    ASSERT_NE(at, 0u) << i;
    memory.unreserve(at);
  }
}

TEST(Memory, WhatIsTheDevicesOwnIsOutOfTheWay) {
  Memory memory({.memory_bytes = kMiB});
  const uint64_t own = memory.allocate_apart(1000), a = memory.allocate(100);
  EXPECT_TRUE(memory.find(own).contains(own, 1000));
  EXPECT_GT(own, a + kMiB);
  EXPECT_EQ(memory.used(), 100u);
  EXPECT_EQ(memory.describe(own).kind, AddressKind::kUnknown);
}

TEST(Memory, ForeignAddressesAreFarAway) {
  Memory memory({.memory_bytes = kMiB});
  const uint64_t a = memory.allocate(100);
  EXPECT_FALSE(memory.is_foreign(a - (kMiB << 4)));
  EXPECT_TRUE(memory.is_foreign(a + (uint64_t{1} << 40)));
  EXPECT_TRUE(memory.is_foreign(a - (uint64_t{1} << 40)));
}

TEST(Memory, SaysHowFarAnAddressIsFromTheNearest) {
  Memory memory({.memory_bytes = kMiB});
  const uint64_t a = memory.allocate(100);
  EXPECT_NE(plain(memory.nearest(a + 104, 4)).find("4 bytes past the end of the nearest allocation, 100 bytes"),
            std::string::npos);
  EXPECT_NE(plain(memory.nearest(a - 8, 4)).find("8 bytes before the start"), std::string::npos);
  EXPECT_NE(plain(memory.nearest(a + 96, 16)).find("ends 12 bytes behind it"), std::string::npos);
}

TEST(CardHeap, SmallOnesLieInABlockOneAfterTheOther) {
  CardHeap heap;
  const uint64_t first = heap.allocate(100), second = heap.allocate(1025), third = heap.allocate(1 << 20);
  EXPECT_EQ(first % (2 << 20), 0u);
  EXPECT_EQ(second, first + 512);
  EXPECT_EQ(third, second + 1536);
  EXPECT_EQ(heap.allocate(1 << 20) % (2 << 20), 0u) << "the block has no room for it";
  EXPECT_EQ(heap.allocate((1 << 20) + 1) % (2 << 20), 0u) << "a large one lies by itself";
  EXPECT_EQ(heap.allocate(1), third + (1 << 20));
}

TEST(CardHeap, WhatIsFreedIsUsedAgain) {
  CardHeap heap;
  const uint64_t first = heap.allocate(512), second = heap.allocate(512), third = heap.allocate(512);
  heap.free(first);
  heap.free(second);
  EXPECT_EQ(heap.allocate(1024), first) << "two gaps become one";
  heap.free(third);
  EXPECT_EQ(heap.allocate(1 << 19), third);
}

}  // namespace
}  // namespace lockstep
