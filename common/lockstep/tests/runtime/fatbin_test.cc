// fatbin_test: containers made by hand, correct ones and every kind of damaged one.
#include "runtime/fatbin.h"
#include "base/words.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/runtime/fatbin_builder.h"

namespace lockstep {
namespace {

using Entries = std::vector<std::vector<std::byte>>;

PtxChoice choose(const Entries& entries, int device_arch = 90) {
  const std::vector<std::byte> container = fatbin_container(entries);
  return choose_ptx(read_fatbin(container), device_arch);
}

// Copies the bytes to the heap at exactly this size, so that the address sanitizer sees every read outside.
FatbinContents read_exactly(const std::vector<std::byte>& bytes, size_t size) {
  const auto copy = std::make_unique<std::byte[]>(size);
  std::memcpy(copy.get(), bytes.data(), size);
  FatbinContents contents = read_fatbin({copy.get(), size});
  (void)choose_ptx(contents, 90);
  contents.entries.clear();  // their payloads were views of the copy
  return contents;
}

TEST(Fatbin, GivesThePtxOfTheHighestArchThatTheDeviceRuns) {
  const Entries entries{
      fatbin_entry(kPtxEntry, 75, kPlainFlags, "seventy-five"), fatbin_entry(kElfEntry, 90, kPlainFlags, "ELF"),
      fatbin_entry(kPtxEntry, 90, kPlainFlags, "ninety", 112), fatbin_entry(kPtxEntry, 100, kPlainFlags, "hundred")};
  EXPECT_EQ(choose(entries, 90).ptx, "ninety");
  EXPECT_EQ(choose(entries, 89).ptx, "seventy-five");
  EXPECT_EQ(choose(entries, 120).ptx, "hundred");
  EXPECT_EQ(choose(entries, 90).arch, 90);
  EXPECT_EQ(choose(entries, 90).error, FatbinError::kNone);
  EXPECT_EQ(choose(entries, 70).error, FatbinError::kTooNew);
  EXPECT_NE(plain(choose(entries, 70).message).find("10.0"), std::string::npos) << plain(choose(entries, 70).message);
}

TEST(Fatbin, PrefersPortablePtxAndRunsArchSpecificPtxOnItsArchOnly) {
  const auto portable = fatbin_entry(kPtxEntry, 90, kPlainFlags, "compute_90");
  const auto specific = fatbin_entry(kPtxEntry, 90, kArchSpecificFlags, "compute_90a");
  EXPECT_EQ(choose({portable, specific}).ptx, "compute_90");
  EXPECT_EQ(choose({specific, portable}).ptx, "compute_90");
  EXPECT_EQ(choose({specific}, 90).ptx, "compute_90a");
  EXPECT_EQ(choose({specific}, 100).error, FatbinError::kTooNew);
}

TEST(Fatbin, CutsThePaddingOff) {
  for (const std::string text : {"1234567", "12345678", "123456789"})
    EXPECT_EQ(choose({fatbin_entry(kPtxEntry, 75, kPlainFlags, text)}).ptx, text);
}

TEST(Fatbin, NamesTheFlagForAProgramWithoutPtx) {
  const PtxChoice choice = choose({fatbin_entry(kElfEntry, 90, kPlainFlags, "ELF")});
  EXPECT_EQ(choice.error, FatbinError::kNoPtx);
  EXPECT_NE(plain(choice.message).find("-gencode arch=compute_75,code=compute_75"), std::string::npos)
      << plain(choice.message);
  EXPECT_EQ(choose({}).error, FatbinError::kNoPtx);
}

TEST(Fatbin, UnpacksPtx) {
  std::string text = "// a text\n";
  for (int i = 0; i < 12; ++i) text += text;
  for (const uint64_t flags : {kZstdFlags, kLz4Flags})
    EXPECT_EQ(choose({packed_entry(kPtxEntry, 75, flags, text)}).ptx, text) << std::hex << flags;
  EXPECT_EQ(choose({packed_entry(kPtxEntry, 75, kZstdFlags, "old"), packed_entry(kPtxEntry, 90, kLz4Flags, "new")}).ptx,
            "new");
}

TEST(Fatbin, PackedPtxMayBeDamaged) {
  const std::string text(1000, 'x');
  for (const uint64_t flags : {kZstdFlags, kLz4Flags}) {
    const auto whole = fatbin_container({packed_entry(kPtxEntry, 75, flags, text)});
    for (const uint64_t bytes : {0ull, 999ull, 1001ull, ~0ull, 1ull << 31}) {
      auto wrong = whole;
      put(wrong, 16 + 56, bytes);  // of the text
      const PtxChoice choice = choose_ptx(read_fatbin(wrong), 90);
      EXPECT_EQ(choice.error, FatbinError::kDamaged) << std::hex << flags << " " << bytes;
      EXPECT_NE(plain(choice.message).find("rebuild"), std::string::npos) << plain(choice.message);
    }
    for (size_t at = 0; at < whole.size(); ++at)
      for (const int value : {0, 0x7f, 0xff}) {
        auto wrong = whole;
        wrong[at] = static_cast<std::byte>(value);
        (void)read_exactly(wrong, wrong.size());  // the sanitizers check the reads
      }
  }
}

TEST(Fatbin, NamesTheFlagForPtxThatIsCompressedInAnUnknownWay) {
  // The entry says that it is compressed, by a method that we do not know.
  auto unknown = fatbin_entry(kPtxEntry, 75, kPlainFlags, "text");
  put(unknown, 16, uint32_t{4});
  EXPECT_EQ(choose({unknown}).error, FatbinError::kCompressed);
}

TEST(Fatbin, UsesPlainPtxBesideCompressed) {
  EXPECT_EQ(
      choose({fatbin_entry(kPtxEntry, 90, kZstdFlags, "xx"), fatbin_entry(kPtxEntry, 75, kPlainFlags, "plain")}).ptx,
      "plain");
}

TEST(Fatbin, CutAnywhereIsDamagedAndNothingOutsideIsRead) {
  const auto whole = fatbin_container(
      {fatbin_entry(kPtxEntry, 75, kPlainFlags, "first"), fatbin_entry(kElfEntry, 90, kPlainFlags, "second", 96)});
  for (size_t size = 0; size < whole.size(); ++size) {
    const FatbinContents contents = read_exactly(whole, size);
    EXPECT_EQ(contents.error, FatbinError::kDamaged) << size << " bytes of " << whole.size();
    EXPECT_FALSE(contents.message.empty());
  }
  EXPECT_EQ(read_exactly(whole, whole.size()).error, FatbinError::kNone);
}

TEST(Fatbin, AnyByteMayBeWrong) {
  const auto whole = fatbin_container(
      {fatbin_entry(kPtxEntry, 75, kPlainFlags, "first"), fatbin_entry(kPtxEntry, 90, kPlainFlags, "second")});
  for (size_t at = 0; at < whole.size(); ++at)
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      auto wrong = whole;
      wrong[at] = static_cast<std::byte>(value);
      (void)read_exactly(wrong, wrong.size());  // the sanitizers check the reads
    }
}

TEST(Fatbin, SizesThatOverflowAreDamaged) {
  for (const uint64_t huge : {~0ull, ~0ull - 63, 1ull << 63}) {
    auto entry = fatbin_entry(kPtxEntry, 75, kPlainFlags, "text");
    put(entry, 8, huge);
    EXPECT_EQ(read_exactly(fatbin_container({entry}), fatbin_container({entry}).size()).error, FatbinError::kDamaged);
  }
  for (const uint32_t header : {0u, 47u, ~0u}) {
    auto entry = fatbin_entry(kPtxEntry, 75, kPlainFlags, "text");
    put(entry, 4, header);
    EXPECT_EQ(read_exactly(fatbin_container({entry}), fatbin_container({entry}).size()).error, FatbinError::kDamaged);
  }
}

TEST(Fatbin, KeepsWhatComesBeforeTheDamage) {
  auto bytes = fatbin_container({fatbin_entry(kPtxEntry, 75, kPlainFlags, "good"), std::vector<std::byte>(64)});
  const FatbinContents contents = read_fatbin(bytes);
  EXPECT_EQ(contents.error, FatbinError::kDamaged);
  EXPECT_EQ(choose_ptx(contents, 90).ptx, "good");
}

TEST(Fatbin, WrapperLeadsToItsContainers) {
  const auto one = fatbin_container({fatbin_entry(kPtxEntry, 75, kPlainFlags, "one")});
  const auto two = fatbin_container({fatbin_entry(kPtxEntry, 75, kPlainFlags, "two")});
  const auto linked = fatbin_container({});
  FatbinWrapper wrapper;
  wrapper.data = one.data();
  ASSERT_EQ(fatbin_containers(&wrapper).size(), 1u);
  EXPECT_EQ(fatbin_containers(&wrapper)[0].size(), one.size());

  const void* list[] = {one.data(), two.data(), nullptr};  // a separately compiled program
  wrapper = {0x466243B1, 2, linked.data(), list};
  const auto containers = fatbin_containers(&wrapper);
  ASSERT_EQ(containers.size(), 3u);
  EXPECT_EQ(containers[2].data(), two.data());

  wrapper.magic = 1;
  EXPECT_TRUE(fatbin_containers(&wrapper).empty());
  EXPECT_TRUE(fatbin_containers(nullptr).empty());
  const uint64_t no_container[2] = {};
  wrapper = {0x466243B1, 1, no_container, nullptr};
  EXPECT_TRUE(fatbin_containers(&wrapper).empty());
}

}  // namespace
}  // namespace lockstep
