// host_pages_test: pages that unfinished work uses, and what the host is found to do with them.
#include "runtime/host_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>

namespace lockstep::runtime {
namespace {

constexpr uint64_t kPage = 4096, kUnknown = 0;

struct HostPages : testing::Test {
  void SetUp() override {
    memory = static_cast<char*>(mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory, MAP_FAILED);
  }
  void TearDown() override {
    drop_pending([](const PendingUse&) { return true; });
    take_touches();
    munmap(memory, 2 * kPage);
  }
  // Work of this number uses bytes of the two pages, which are one allocation.
  void use(uint64_t work, uint64_t from, uint64_t to, HostUse::Kind kind) {
    const auto begin = reinterpret_cast<uint64_t>(memory);
    add_pending({work, static_cast<uint32_t>(work), {begin + from, begin + to, kind}, {begin, begin + 2 * kPage}});
  }
  char read(uint64_t at) const { return *const_cast<const volatile char*>(memory + at); }
  void write(uint64_t at) const { *const_cast<volatile char*>(memory + at) = 1; }
  // The work that the host was found to touch since the last question; kUnknown: none.
  static uint64_t touched() {
    const std::vector<PageTouch> touches = take_touches();
    EXPECT_LE(touches.size(), 1u);
    return touches.empty() ? kUnknown : touches[0].work;
  }

  char* memory = nullptr;
};

TEST_F(HostPages, WhatWorkWritesIsNeitherReadNorWritten) {
  use(1, 0, 2 * kPage, HostUse::kWrite);
  close_pages();
  read(5);
  EXPECT_EQ(touched(), 1u);
  read(6);
  EXPECT_EQ(touched(), kUnknown) << "told twice";
  drop_pending([](const PendingUse&) { return true; });
  use(2, 0, 2 * kPage, HostUse::kWrite);
  close_pages();
  write(5);
  const std::vector<PageTouch> touches = take_touches();
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_EQ(touches[0].work, 2u);
  EXPECT_EQ(touches[0].address, reinterpret_cast<uint64_t>(memory) + 5);
  EXPECT_TRUE(touches[0].writes);
  EXPECT_GT(touches[0].depth, 0u);
}

TEST_F(HostPages, WhatWorkReadsMayBeReadToo) {
  use(1, 0, 2 * kPage, HostUse::kRead);
  close_pages();
  read(5);
  EXPECT_EQ(touched(), kUnknown);
  write(5);
  EXPECT_EQ(touched(), 1u);
}

// Two pieces of work use different bytes of one page.
TEST_F(HostPages, APageThatIsWrittenAndReadIsClosed) {
  use(1, 0, 100, HostUse::kWrite);
  use(2, 200, 300, HostUse::kRead);
  close_pages();
  read(50);
  EXPECT_EQ(touched(), 1u);
  close_pages();  // as the next call of the runtime does
  write(250);
  EXPECT_EQ(touched(), 2u);
}

TEST_F(HostPages, BytesThatNoWorkUsesAreFree) {
  use(1, 0, 100, HostUse::kWrite);
  use(2, 200, 300, HostUse::kRead);
  close_pages();
  read(250);
  read(150);
  write(150);
  EXPECT_EQ(touched(), kUnknown);
  read(50);
  EXPECT_EQ(touched(), 1u) << "the page was not closed again";
}

TEST_F(HostPages, WorkThatHasEndedIsNotTouched) {
  use(1, 0, kPage, HostUse::kWrite);
  use(2, kPage, 2 * kPage, HostUse::kWrite);
  close_pages();
  drop_pending([](const PendingUse& p) { return p.work == 1; });
  write(5);
  EXPECT_EQ(touched(), kUnknown);
  write(kPage + 5);
  EXPECT_EQ(touched(), 2u);
}

TEST_F(HostPages, WhileTheRuntimeWorksThePagesAreOpen) {
  use(1, 0, kPage, HostUse::kWrite);
  close_pages();
  open_pages();
  write(5);
  EXPECT_EQ(touched(), kUnknown);
  close_pages();
  write(5);
  EXPECT_EQ(touched(), 1u);
}

// The program has unmapped a part of the memory, so that the handler's own call fails.
TEST_F(HostPages, ATouchLeavesErrnoAlone) {
  use(1, 0, 2 * kPage, HostUse::kWrite);
  close_pages();
  munmap(memory + kPage, kPage);
  errno = EDOM;
  read(5);
  EXPECT_EQ(errno, EDOM);
  EXPECT_EQ(touched(), 1u);
}

}  // namespace
}  // namespace lockstep::runtime
