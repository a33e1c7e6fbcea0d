// alu_test: the effects of handlers on registers: masks, aliasing, the copies for different processors; and the names
// that select_alu accepts. Left out: the results of instructions (arith_*_test, alu_hardware_test).

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "alu/alu_table.h"
#include "tests/alu/alu_statement.h"

namespace lockstep {
namespace {

// --- all handlers --------------------------------------------------------------------------------------------------

constexpr uint32_t kD = 512, kSources[] = {1024, 1536, 2048, 2560}, kD2 = 3072;

void fill(Frame& frame, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (auto& byte : frame.bytes) byte = static_cast<std::byte>(random());
}

struct Case {
  std::string name;
  AluHandler handler;
  AluOperands operands;
  Signature signature;
};

// Every handler of a copy, with modes if it has any.
std::vector<Case> cases_of(Isa isa) {
  std::vector<Case> result;
  const AluTable table = make_alu_table(isa);
  for (const auto& [name, entry] : table.entries()) {
    for (const AluHandler handler : {entry.plain, entry.ftz, entry.general}) {
      if (handler == nullptr) continue;
      AluOperands i;
      i.d = kD, i.a = kSources[0], i.b = kSources[1], i.c = kSources[2], i.e = kSources[3];
      if (entry.signature.d == Type::kPred) i.d2 = kD2;
      if (name.starts_with("lop3")) i.modes = 0x196;
      if (name.starts_with("cvt.pack")) i.modes = 0x108;
      // Conversions of pairs have one width only.
      if (handler == entry.general && name.starts_with("cvt.") && name.find("x2") == std::string::npos && !i.modes)
        i.modes = 2u << 16 | 2u << 20;  // 32-bit registers
      result.push_back({name, handler, i, entry.signature});
    }
  }
  std::sort(result.begin(), result.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  return result;
}

class AluCopy : public testing::TestWithParam<Isa> {
  void SetUp() override {
    if (!isa_available(GetParam())) GTEST_SKIP() << "this processor cannot run that copy";
  }
};
INSTANTIATE_TEST_SUITE_P(Isas, AluCopy, testing::Values(Isa::kBaseline, Isa::kAvx2, Isa::kAvx512));

size_t width_in_bytes(Type type) {
  switch (type) {
    case Type::kU16:
    case Type::kS16:
    case Type::kF16:
    case Type::kBf16: return 2;
    case Type::kU32:
    case Type::kS32:
    case Type::kF32:
    case Type::kB32:
    case Type::kF16x2:
    case Type::kBf16x2: return 4;
    case Type::kU64:
    case Type::kS64:
    case Type::kF64: return 8;
    default: return 0;  // predicates, and types narrower than any register
  }
}

// Whether the lanes outside the mask are unchanged, in the destinations and the carry.
bool keeps_inactive_lanes(const Case& c, const Frame& before, const Frame& after, Mask mask) {
  const bool is_cvt = c.operands.modes >> 16 != 0;  // with 32-bit registers for all types
  const Width width = is_cvt                               ? Width::k32
                      : width_in_bytes(c.signature.d) == 2 ? Width::k16
                      : width_in_bytes(c.signature.d) == 4 ? Width::k32
                      : width_in_bytes(c.signature.d) == 8 ? Width::k64
                                                           : Width::kPred;
  for (int l = 0; l < kWarpSize; ++l) {
    if (mask >> l & 1) continue;
    if (before.get(kD, width, l) != after.get(kD, width, l)) return false;
    if (before.get(kD2, Width::kPred, l) != after.get(kD2, Width::kPred, l)) return false;
    if (before.get(kCarry, Width::kPred, l) != after.get(kCarry, Width::kPred, l)) return false;
  }
  return true;
}

TEST_P(AluCopy, PartialMasksWriteActiveLanesOnly) {
  for (const Case& c : cases_of(GetParam())) {
    Frame before, full;
    fill(before, 11);
    full = before;
    c.handler(full.bytes.data(), c.operands, kFullMask);
    for (const Mask mask : {0u, 1u, 0x80000000u, 0x0000ffffu, 0xffff0000u, 0x5a3c7e91u, 0xfffffffeu}) {
      Frame partial = before;
      c.handler(partial.bytes.data(), c.operands, mask);
      ASSERT_TRUE(keeps_inactive_lanes(c, before, partial, mask)) << c.name << " mask " << mask;
      // Two halves of a mask, one after the other, do the same as the full mask, in the whole frame.
      c.handler(partial.bytes.data(), c.operands, ~mask);
      ASSERT_EQ(partial.bytes, full.bytes) << c.name << " mask " << mask;
    }
  }
}

TEST_P(AluCopy, DestinationMayBeASource) {
  for (const Case& c : cases_of(GetParam())) {
    const size_t bytes = width_in_bytes(c.signature.d);
    if (bytes == 0) continue;
    Frame before;
    fill(before, 12);
    for (int s = 0; s < 4; ++s) {
      if (width_in_bytes(c.signature.sources[s]) != bytes) continue;
      for (const Mask mask : {kFullMask, 0x0f0ff00fu}) {
        Frame apart = before, same = before;
        std::memcpy(apart.bytes.data() + kD, apart.bytes.data() + kSources[s], bytes * kWarpSize);
        c.handler(apart.bytes.data(), c.operands, mask);
        AluOperands aliased = c.operands;
        aliased.d = kSources[s];
        c.handler(same.bytes.data(), aliased, mask);
        ASSERT_EQ(std::memcmp(apart.bytes.data() + kD, same.bytes.data() + kSources[s], bytes * kWarpSize), 0)
            << c.name << " d = source " << s;
      }
    }
  }
}

TEST_P(AluCopy, AgreesWithTheBaseline) {
  const auto plain = cases_of(Isa::kBaseline), vectors = cases_of(GetParam());
  ASSERT_EQ(plain.size(), vectors.size());
  for (size_t k = 0; k < plain.size(); ++k) {
    ASSERT_EQ(plain[k].name, vectors[k].name);
    for (uint64_t seed = 20; seed < 28; ++seed) {
      Frame a, b;
      fill(a, seed);
      b = a;
      plain[k].handler(a.bytes.data(), plain[k].operands, kFullMask);
      vectors[k].handler(b.bytes.data(), vectors[k].operands, kFullMask);
      ASSERT_EQ(a.bytes, b.bytes) << plain[k].name;
    }
  }
}

// --- selection ----------------------------------------------------------------------------------------------------

std::optional<AluChoice> select(const std::string& name, size_t operands, std::array<Width, 6> widths = {}) {
  return select_alu(statement_of(name, operands), widths);
}

TEST(AluSelect, SaysHowWideOperandsAre) {
  const auto wide = select("mad.wide.s32", 4);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->d, Width::k64);
  EXPECT_EQ(wide->sources, (std::array{Width::k32, Width::k32, Width::k64, Width::kNone}));
  const auto shift = select("shl.b64", 3);
  ASSERT_TRUE(shift);
  EXPECT_EQ(shift->sources[1], Width::k32);
  EXPECT_EQ(shift->source_types[1], Type::kU32);
  const auto select_by = select("selp.f64", 4);
  ASSERT_TRUE(select_by);
  EXPECT_EQ(select_by->sources, (std::array{Width::k64, Width::k64, Width::kPred, Width::kNone}));
  EXPECT_EQ(select_by->source_types[0], Type::kF64);
  EXPECT_EQ(select("setp.lt.s32", 3)->sources[2], Width::kNone);
  EXPECT_EQ(select("setp.lt.and.s32", 4)->sources[2], Width::kPred);
}

TEST(AluSelect, CvtTakesTheRegistersWidths) {
  const auto narrow = select("cvt.u8.u32", 2, {Width::k16, Width::k32});
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->d, Width::k16);
  const auto wide = select("cvt.s8.s32", 2, {Width::k64, Width::k32});
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->d, Width::k64);
  Frame frame;
  frame.set(1024, Width::k32, 3, 0x1ff);
  AluOperands i{.d = 512, .a = 1024, .modes = wide->modes};
  wide->handler(frame.bytes.data(), i, kFullMask);
  EXPECT_EQ(frame.get(512, Width::k64, 3), ~uint64_t{0});  // cut to 8 bits, then extended
}

TEST(AluSelect, RefusesWhatItDoesNotKnow) {
  for (const char* name : {"add",
                           "add.f13",
                           "add.rz.f16",
                           "fma.sat.f64",
                           "bfe.u16",
                           "cvt.s32.f32",
                           "cvt.rzi.s32",
                           "setp.s32",
                           "setp.lt.nor.s32",
                           "setp.ltu.s32",
                           "set.ltu.u32.s32",
                           "ld.global.u32",
                           "bra",
                           "shfl.sync.idx.b32",
                           "cvt.pack.sat.u16.s32.b32",
                           "mul.s32",
                           "prmt.b32.xyz",
                           "div.approx.sat.f32",
                           "setp.lt.ftz.s32",
                           "set.lt.ftz.u32.f64"}) {
    EXPECT_FALSE(select(name, 3)) << name;
  }
}

// Each modifier on its own, with an instruction that has others.
TEST(AluSelect, RefusesModifiersThatTheInstructionHasNot) {
  for (const char* name : {"add.rni.f32", "cvt.rn.s32.f32", "add.rn.s32", "ex2.approx.rn.f32", "add.ftz.f64",
                           "sqrt.rn.sat.f32", "fma.rn.relu.f32", "min.relu.f32", "add.NaN.f32", "max.xorsign.abs.f64",
                           "max.abs.f32", "add.abs.f32", "min.rn.f32"}) {
    EXPECT_FALSE(select(name, name[0] == 'f' ? 4 : 3)) << name;
  }
}

TEST(AluSelect, FoldsTheTableOfLop3) {
  Statement s = statement_of("lop3.b32", 5);
  EXPECT_FALSE(select_alu(s, {}));  // its table must be a number
  s.operands[4] = {.kind = Operand::kInteger, .name = {}, .bits = 0x96, .elements = {}};
  const auto choice = select_alu(s, {});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->modes, 0x96u);
  EXPECT_EQ(choice->folded_source, 3);
}

// --- effects that only registers show ------------------------------------------------------------------------

TEST(Alu, SetpWritesBothPredicatesUnderTheMask) {
  const auto choice = select("setp.lt.and.s32", 4);
  ASSERT_TRUE(choice);
  Frame frame;
  for (int l = 0; l < kWarpSize; ++l) {
    frame.set(1024, Width::k32, l, static_cast<uint64_t>(l));
    frame.set(1536, Width::k32, l, 16);
  }
  *lanes<Mask>(frame.bytes.data(), 2048) = 0x00ff00ff;
  *lanes<Mask>(frame.bytes.data(), 512) = *lanes<Mask>(frame.bytes.data(), 576) = 0xf0f0f0f0;
  const AluOperands i{.d = 512, .d2 = 576, .a = 1024, .b = 1536, .c = 2048, .modes = choice->modes};
  choice->handler(frame.bytes.data(), i, 0x0fffffff);
  EXPECT_EQ(*lanes<Mask>(frame.bytes.data(), 512),
            0xf00000ffu);  // (l < 16) and c; the top four lanes keep their values
  EXPECT_EQ(*lanes<Mask>(frame.bytes.data(), 576), 0xf0ff0000u);  // !(l < 16) and c
}

TEST(Alu, SetpWithFtzTakesSubnormalsAsZero) {
  for (const auto& [name, below] : {std::pair{"setp.lt.f32", 1u}, {"setp.lt.ftz.f32", 0u}}) {
    const auto choice = select(name, 3);
    ASSERT_TRUE(choice && choice->handler) << name;
    Frame frame;
    frame.set(1536, Width::k32, 0, 1);  // the least float above zero
    choice->handler(frame.bytes.data(), {.d = 512, .a = 1024, .b = 1536, .modes = choice->modes}, 1);
    EXPECT_EQ(*lanes<Mask>(frame.bytes.data(), 512), below) << name;
  }
}

TEST(Alu, CarriesGoThroughTheReservedPredicate) {
  Frame frame;
  std::mt19937_64 random(6);
  std::array<unsigned __int128, kWarpSize> x{}, y{};
  for (int l = 0; l < kWarpSize; ++l) {
    const auto k = static_cast<size_t>(l);
    x[k] = static_cast<unsigned __int128>(random()) << 64 | random();
    y[k] = static_cast<unsigned __int128>(random()) << 64 | random();
    for (uint32_t part = 0; part < 2; ++part) {
      frame.set(1024 + 512 * part, Width::k64, l, static_cast<uint64_t>(x[k] >> (64 * part)));
      frame.set(2048 + 512 * part, Width::k64, l, static_cast<uint64_t>(y[k] >> (64 * part)));
    }
  }
  const auto chain = [&](const char* first, const char* second) {
    const auto low = select(first, 3), high = select(second, 3);
    low->handler(frame.bytes.data(), AluOperands{.d = 3072, .a = 1024, .b = 2048}, kFullMask);
    high->handler(frame.bytes.data(), AluOperands{.d = 3584, .a = 1536, .b = 2560}, kFullMask);
  };
  const auto result = [&](int l) {
    return static_cast<unsigned __int128>(frame.get(3584, Width::k64, l)) << 64 | frame.get(3072, Width::k64, l);
  };
  chain("add.cc.u64", "addc.cc.u64");
  for (int l = 0; l < kWarpSize; ++l) {
    const auto k = static_cast<size_t>(l);
    EXPECT_TRUE(result(l) == x[k] + y[k]);
    EXPECT_EQ(frame.get(kCarry, Width::kPred, l), static_cast<uint64_t>(x[k] + y[k] < x[k]));
  }
  chain("sub.cc.s64", "subc.s64");
  for (int l = 0; l < kWarpSize; ++l) EXPECT_TRUE(result(l) == x[static_cast<size_t>(l)] - y[static_cast<size_t>(l)]);
}

TEST(Alu, MadcMakesLongProducts) {  // 64 × 64 → 128 bits from 32-bit words, as compilers write it
  Frame frame;
  const uint64_t x = 0xfedcba9876543210, y = 0x8123456789abcdef;
  const uint32_t x0 = 1024, x1 = 1536, y0 = 2048, y1 = 2560, r0 = 3072, r1 = 3584, r2 = 4096, r3 = 4608, zero = 5120;
  for (int l = 0; l < kWarpSize; ++l) {
    frame.set(x0, Width::k32, l, x), frame.set(x1, Width::k32, l, x >> 32);
    frame.set(y0, Width::k32, l, y), frame.set(y1, Width::k32, l, y >> 32);
  }
  const auto step = [&](const char* name, uint32_t d, uint32_t a, uint32_t b, uint32_t c) {
    const auto choice = select(name, 4);
    ASSERT_TRUE(choice) << name;
    choice->handler(frame.bytes.data(), AluOperands{.d = d, .a = a, .b = b, .c = c}, 0x00ffff00);
  };
  step("mul.lo.u32", r0, x0, y0, zero), step("mul.hi.u32", r1, x0, y0, zero);
  step("mad.lo.cc.u32", r1, x0, y1, r1), step("madc.hi.u32", r2, x0, y1, zero);
  step("mad.lo.cc.u32", r1, x1, y0, r1), step("madc.hi.cc.u32", r2, x1, y0, r2), step("addc.u32", r3, zero, zero, zero);
  step("mad.lo.cc.u32", r2, x1, y1, r2), step("madc.hi.u32", r3, x1, y1, r3);
  const unsigned __int128 product = static_cast<unsigned __int128>(x) * y;
  const uint32_t words[] = {r0, r1, r2, r3};
  for (int w = 0; w < 4; ++w) {
    EXPECT_EQ(frame.get(words[w], Width::k32, 15), static_cast<uint32_t>(product >> (32 * w))) << w;
    EXPECT_EQ(frame.get(words[w], Width::k32, 31), 0u);
  }
}

TEST(Alu, MinOfThree) {
  const auto choice = select("min.f32", 4);
  ASSERT_TRUE(choice);
  Frame frame;
  const float values[] = {3.0f, -1.0f, 2.0f};
  for (size_t s = 0; s < 3; ++s) frame.set(kSources[s], Width::k32, 0, __builtin_bit_cast(uint32_t, values[s]));
  choice->handler(frame.bytes.data(), AluOperands{.d = kD, .a = kSources[0], .b = kSources[1], .c = kSources[2]}, 1);
  EXPECT_EQ(frame.get(kD, Width::k32, 0), 0xbf800000u);
}

}  // namespace
}  // namespace lockstep
