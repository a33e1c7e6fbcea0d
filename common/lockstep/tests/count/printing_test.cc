// printing_test: what the card's printf() accesses. The figures are those of an H200 (driver 580.159.04, Nsight Compute
// 2025.3.1, 2026-11-27), without what the kernels access themselves.
#include "count/printing.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep {
namespace {

// The addresses of a text that all lanes print, or of texts side by side.
PrintText text(uint32_t length, uint64_t step = 0) {
  PrintText made{{}, length};
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) made.addresses[lane] = 4096 + lane * step;
  return made;
}

PrintCounters counts(const std::string& format, Mask mask, const std::vector<PrintText>& of_arguments = {}) {
  std::vector<PrintText> texts{text(static_cast<uint32_t>(format.size()))};
  texts.insert(texts.end(), of_arguments.begin(), of_arguments.end());
  return print_counters(print_format(format).value(), texts, mask);
}

// Requests: loads, stores, loads and stores of local memory.
std::vector<uint64_t> requests(const std::string& format, const std::vector<PrintText>& of_arguments = {}) {
  const PrintCounters c = counts(format, 1, of_arguments);
  EXPECT_TRUE(c.known) << format;
  EXPECT_EQ(c.atomics.requests, format.empty() ? 0u : 5u) << format;
  EXPECT_EQ(c.stores.sectors, c.stores.requests) << "one lane";
  EXPECT_EQ(c.local_loads.sectors, c.local_loads.requests) << "one lane";
  return {c.loads.requests, c.stores.requests, c.local_loads.requests, c.local_stores.requests};
}

std::string repeated(const std::string& part, size_t times) {
  std::string made;
  while (times-- > 0) made += part;
  return made;
}

using Counts = std::vector<uint64_t>;

TEST(Printing, CountsAreThoseOfACard) {
  EXPECT_EQ(requests(""), (Counts{1, 0, 35, 37}));
  EXPECT_EQ(requests("a"), (Counts{8, 222, 481, 60}));
  EXPECT_EQ(requests("abcdefghijklmnopqrstuvwxy"), (Counts{80, 222, 433, 60}));
  EXPECT_EQ(requests("%%"), (Counts{11, 222, 479, 60}));
  EXPECT_EQ(requests("%d"), (Counts{11, 215, 478, 72}));
  EXPECT_EQ(requests("%*d"), (Counts{14, 208, 471, 78}));
  EXPECT_EQ(requests("%5.2f"), (Counts{20, 215, 475, 74}));
  EXPECT_EQ(requests("%p"), (Counts{11, 215, 481, 74}));
  EXPECT_EQ(requests("%f%d%f"), (Counts{23, 201, 466, 88}));
  EXPECT_EQ(requests("%ld%ld%d"), (Counts{29, 201, 462, 88}));
  EXPECT_EQ(requests("%s", {text(0)}), (Counts{14, 215, 485, 78}));
  EXPECT_EQ(requests("%s %s", {text(3), text(5)}), (Counts{50, 208, 465, 90}));
}

// A record has pieces of 256 bytes.
TEST(Printing, LongTextsTakeFurtherPieces) {
  EXPECT_EQ(requests(repeated("a", 215)), (Counts{650, 222, 53, 60}));
  EXPECT_EQ(requests(repeated("a", 216)), (Counts{653, 471, 547, 60}));
  EXPECT_EQ(requests(repeated("a", 463)), (Counts{1394, 471, 53, 60}));
  EXPECT_EQ(requests(repeated("a", 1000)), (Counts{3005, 1218, 467, 60}));
  EXPECT_EQ(requests("%s", {text(203)}), (Counts{623, 215, 79, 78}));
  EXPECT_EQ(requests("%s", {text(204)}), (Counts{626, 464, 573, 78}));
  EXPECT_EQ(requests(repeated("%d", 21)), (Counts{131, 75, 298, 192}));
  EXPECT_EQ(requests(repeated("%d", 28)), (Counts{173, 275, 731, 235})) << "the arguments need two pieces";
  EXPECT_FALSE(counts("%s%s", 1, {text(100), text(92)}).known) << "not measured: one byte more or less decides";
}

TEST(Printing, EachLaneHasARecord) {
  const PrintCounters all = counts("%d\n", kFullMask), some = counts("%d\n", 0x1ff), odd = counts("%d\n", 0xaaaaaaaa);
  EXPECT_EQ(all.stores.sectors, 6880u);
  EXPECT_EQ(all.local_loads.sectors, 1898u);
  EXPECT_EQ(all.local_stores.sectors, 282u);
  EXPECT_EQ(all.loads.sectors, 14u);
  EXPECT_EQ(some.stores.sectors, 1935u);
  EXPECT_EQ(some.local_loads.sectors, 950u) << "lanes 0 to 7 share a sector, and lane 8 has another";
  EXPECT_EQ(odd.local_stores.sectors, 282u);
}

TEST(Printing, TextsOfLanesAreLoadedWhereTheyLie) {
  EXPECT_EQ(counts("%s\n", kFullMask, {text(4, 64)}).loads.sectors, 494u);
}

TEST(Printing, WhatTheCardDoesNotKnowIsNotCounted) {
  for (const char* format : {"%zu", "%hhd", "%.*f", "%Lf", "%jd", "%5%", "%q", "%1$d", "abc%", "%l", "%hs", "%lllx"})
    EXPECT_FALSE(print_format(format)) << format;
  EXPECT_TRUE(print_format(repeated("%d", 32)));
  EXPECT_FALSE(print_format(repeated("%d", 33))) << "it passes over the others";
  using Format = PrintFormat;
  EXPECT_EQ(print_format("%-5d|%+.3f|%#llx %hd%s%c %%").value().arguments,
            (std::vector{Format::kWord, Format::kWide, Format::kWide, Format::kWord, Format::kString, Format::kWord}));
}

}  // namespace
}  // namespace lockstep
