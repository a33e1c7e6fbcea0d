// address_numbers_test: the accesses that depend on an address that serves as a number.
#include "sass/address_numbers.h"

#include "sass/influence.h"
#include "sass/program_flow.h"
#include "tests/sass/kernel.h"

namespace lockstep {
namespace {

bool depends_on_address(const std::string& body, const std::string& functions = "") {
  const Kernel kernel(body, functions);
  const FlowFacts facts(flow_of(kernel.program()));
  const Dependent found = depend_on_order(kernel.program(), facts);
  const uint32_t pc = kernel.pc("st.global.u32");
  EXPECT_EQ(!found.by_address.empty() && found.by_address[pc], found.accesses[pc]) << body;
  return found.accesses[pc];
}

// index: sets %r9, which is the index of a store.
bool decides(const std::string& index, const std::string& functions = "") {
  return depends_on_address(index +
                                "\nmul.wide.u32 %rd18, %r9, 4;\nadd.u64 %rd19, %rd1, %rd18;\n"
                                "st.global.u32 [%rd19], %r2;",
                            functions);
}

std::string lower_half(const std::string& variable) {
  return "mov.u64 %rd3, " + variable + ";\ncvta.global.u64 %rd4, %rd3;\ncvt.u32.u64 %r3, %rd4;\n";
}

TEST(AddressNumbers, AHashOfAVariablesAddress) {
  for (const char* const hash : {"shr.u32 %r9, %r3, 5;", "mul.lo.u32 %r9, %r3, 77;", "xor.b32 %r9, %r3, %r2;",
                                 "rem.u32 %r9, %r3, 97;", "mad.lo.u32 %r9, %r2, 5, %r3;", "and.b32 %r9, %r3, 4095;"})
    EXPECT_TRUE(decides(lower_half("v") + hash)) << hash;
  EXPECT_TRUE(decides("mov.u64 %rd3, v;\nshr.u64 %rd4, %rd3, 9;\ncvt.u32.u64 %r9, %rd4;"));
  EXPECT_TRUE(decides(lower_half("v") + "setp.gt.u32 %p1, %r3, 4096;\n@%p1 ret;\nmov.u32 %r9, 0;")) << "whether";
}

TEST(AddressNumbers, TheAlignmentFixesLowBits) {
  for (const char* const bits : {"and.b32 %r9, %r3, 15;", "bfe.u32 %r9, %r3, 2, 2;",
                                 "cvt.u64.u32 %rd5, %r3;\n"
                                 "shl.b64 %rd6, %rd5, 4;\nand.b64 %rd7, %rd6, 255;\ncvt.u32.u64 %r9, %rd7;"}) {
    EXPECT_FALSE(decides(lower_half("v") + bits)) << bits;
    EXPECT_TRUE(decides(lower_half("w") + bits)) << "aligned to 4 bytes: " << bits;
  }
  EXPECT_FALSE(
      decides(lower_half("v") + "and.b32 %r4, %r3, 15;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 ret;\nmov.u32 %r9, 0;"));
}

TEST(AddressNumbers, FunctionsAndLocalMemory) {
  EXPECT_TRUE(decides("mov.u64 %rd3, f;\nshr.u64 %rd4, %rd3, 4;\ncvt.u32.u64 %r9, %rd4;", ".func f()\n{\nret;\n}\n"));
  EXPECT_TRUE(
      decides(".local .align 16 .b8 l[64];\nmov.u64 %rd3, l;\ncvta.local.u64 %rd4, %rd3;\n"
              "shr.u64 %rd5, %rd4, 2;\ncvt.u32.u64 %r9, %rd5;"));
}

// The window of shared memory lies elsewhere on a card. Within the window, the addresses are the same.
TEST(AddressNumbers, SharedMemory) {
  const std::string generic = "mov.u64 %rd3, s;\ncvta.shared.u64 %rd4, %rd3;\n";
  EXPECT_FALSE(decides("mov.u32 %r3, s;\nxor.b32 %r4, %r3, %r2;\nshr.u32 %r9, %r4, 2;"));
  EXPECT_FALSE(decides(generic + "cvt.u32.u64 %r3, %rd4;\nshr.u32 %r4, %r3, 2;\nand.b32 %r9, %r4, 1023;"));
  EXPECT_FALSE(decides(generic + "cvta.to.shared.u64 %rd5, %rd4;\ncvt.u32.u64 %r3, %rd5;\nshr.u32 %r9, %r3, 2;"));
  EXPECT_TRUE(decides(generic + "shr.u64 %rd5, %rd4, 20;\ncvt.u32.u64 %r9, %rd5;"));
}

TEST(AddressNumbers, AnAddressStaysAnAddress) {
  const std::string both = "mov.u64 %rd3, v;\nmov.u64 %rd4, w;\nmul.wide.u32 %rd5, %r2, 4;\n",
                    choose = "setp.gt.u32 %p1, %r2, 5;\n", store = "st.global.u32 [%rd6], %r2;";
  EXPECT_FALSE(depends_on_address(both + "add.u64 %rd6, %rd3, %rd5;\n" + store));
  EXPECT_FALSE(depends_on_address(both + "and.b64 %rd5, %rd5, 12;\nor.b64 %rd6, %rd3, %rd5;\n" + store));
  EXPECT_FALSE(depends_on_address(both + "add.u64 %rd5, %rd3, 8;\nand.b64 %rd6, %rd5, -16;\n" + store));
  EXPECT_TRUE(depends_on_address(both + "and.b64 %rd6, %rd3, -256;\n" + store)) << "not a multiple on a card";
  EXPECT_FALSE(depends_on_address(both + choose + "selp.b64 %rd6, %rd3, %rd4, %p1;\n" + store));
  EXPECT_FALSE(depends_on_address(
      both + ".local .align 8 .b8 l[8];\nst.local.u64 [l], %rd3;\nld.local.u64 %rd6, [l];\n" + store));
}

TEST(AddressNumbers, ARegisterMayHoldAnIndexLater) {
  EXPECT_FALSE(
      decides("mov.u64 %rd3, v;\nst.shared.u64 [s], %rd3;\ncvt.u64.u32 %rd3, %r2;\nshl.b64 %rd3, %rd3, 2;\n"
              "cvt.u32.u64 %r9, %rd3;"));
}

TEST(AddressNumbers, ANumberMayBeOneOfSeveralValues) {
  EXPECT_TRUE(decides(lower_half("v") + "mov.u32 %r9, 0;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 shr.u32 %r9, %r3, 5;"));
}

TEST(AddressNumbers, DistancesAndComparisonsWithinAVariable) {
  const std::string two = "mov.u64 %rd3, v;\nadd.u64 %rd4, %rd3, 64;\nmov.u64 %rd5, w;\n",
                    leave = "@%p1 ret;\nmov.u32 %r9, 0;";
  EXPECT_FALSE(decides(two + "sub.u64 %rd6, %rd4, %rd3;\nshr.u64 %rd7, %rd6, 2;\ncvt.u32.u64 %r9, %rd7;"));
  EXPECT_TRUE(decides(two + "sub.u64 %rd6, %rd5, %rd3;\nshr.u64 %rd7, %rd6, 2;\ncvt.u32.u64 %r9, %rd7;"));
  EXPECT_FALSE(decides(two + "setp.lt.u64 %p1, %rd3, %rd4;\n" + leave));
  EXPECT_TRUE(decides(two + "setp.lt.u64 %p1, %rd3, %rd5;\n" + leave));
  EXPECT_FALSE(decides(two + "setp.eq.u64 %p1, %rd3, %rd5;\n" + leave));
  EXPECT_FALSE(decides(two + "setp.eq.u64 %p1, %rd3, 0;\n" + leave));
}

TEST(AddressNumbers, ANumberMayPassThroughMemory) {
  EXPECT_TRUE(decides(lower_half("v") + "st.shared.u32 [s], %r3;\nld.shared.u32 %r9, [s];"));
  EXPECT_FALSE(depends_on_address(lower_half("v") + "st.global.u32 [%rd1], %r3;")) << "only the value";
}

}  // namespace
}  // namespace lockstep
