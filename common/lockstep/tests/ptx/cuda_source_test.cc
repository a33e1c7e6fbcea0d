// cuda_source_test: the names and shapes that a source gives, and what it leaves out because it is not sure.
#include "ptx/cuda_source.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using Names = std::vector<std::string>;

const DeclaredFunction* find(const CudaSource& source, const std::string& name) {
  for (const DeclaredFunction& f : source.functions)
    if (f.name == name) return &f;
  return nullptr;
}

Names parameters(const std::string& text, const std::string& name = "k") {
  const auto source = read_cuda_source(text);
  const DeclaredFunction* const f = find(*source, name);
  return f && f->is_kernel ? f->parameters : Names{"no kernel " + name};
}

// The indices of the element at this offset of the first shared array, which has so many bytes.
std::string index(const std::string& text, uint64_t bytes, int64_t offset, const Names& arguments = {}) {
  const auto source = read_cuda_source(text);
  for (const DeclaredFunction& f : source->functions)
    for (const DeclaredArray& a : f.shared) {
      const auto shape = shape_of(*source, a, bytes, &f, arguments);
      return shape ? a.name + shape->index(offset) : "no shape";
    }
  return "no array";
}

std::string kernel(const std::string& body) { return "__global__ void k(int n) {\n" + body + "\n}\n"; }

TEST(CudaSource, ParametersHaveTheirNames) {
  EXPECT_EQ(parameters("__global__ void k(const float* __restrict__ in, int n, float* out) {}"),
            (Names{"in", "n", "out"}));
  EXPECT_EQ(
      parameters("template <class T, int kBlock = 256>\n__global__ void __launch_bounds__(kBlock, 2) k(T *in, unsigned "
                 "int n = f(3, 4)) { if (n) {} }"),
      (Names{"in", "n"}));
  EXPECT_EQ(
      parameters("namespace a { namespace { __launch_bounds__(64) static __global__ void k(std::pair<int, int*> p, int "
                 "a[4]) {} } }"),
      (Names{"p", "a"}));
  EXPECT_EQ(parameters("extern \"C\" { __global__ void k() {} }"), Names{});
  EXPECT_EQ(parameters("__global__ void k(int*, const float* __restrict__, unsigned, MyType) {}"),
            (Names{"", "", "", ""}));
}

TEST(CudaSource, CommentsAndStringsAreNoCode) {
  EXPECT_EQ(parameters("// __global__ void k(int* wrong) {}\n/* __global__ void k(int* bad) { */\nconst char* s = "
                       "\"__global__ void k(int* no) {\"; const char* r = R\"(} void k(int* raw) {)\"; char c = '{';\n"
                       "__global__ void k(int* /* old */ right /* { */) { /* } */ int a = 1'000; }"),
            Names{"right"});
}

TEST(CudaSource, DeclarationsWithoutABodyAreLeftOut) {
  EXPECT_EQ(parameters("__global__ void k(int* early);\n__global__ void k(int* late) {}"), Names{"late"});
  EXPECT_EQ(parameters("#define KERNEL(name) __global__ void name(int* macro) {}\nKERNEL(k)\n"), Names{"no kernel k"});
}

TEST(CudaSource, WhatAMacroMayHideHasNoName) {
  EXPECT_EQ(parameters("#define data other\n__global__ void k(int* data, int n) {}"), (Names{"", "n"}));
  EXPECT_EQ(parameters("#define ARGS int* a, int b\n__global__ void k(ARGS) {}"), Names{""});
  EXPECT_EQ(parameters("#define P(x) int* x\n__global__ void k(P(x), int... more) {}"), (Names{"", ""}));
  EXPECT_EQ(parameters("#define IN const float*\n__global__ void k(IN a) {}"), Names{"a"});
}

TEST(CudaSource, WhatAnElseMayReplaceIsDoubtful) {
  EXPECT_EQ(parameters("#ifdef A\n__global__ void k(int* one) {}\n#else\n__global__ void k(int* two) {}\n#endif"),
            Names{"no kernel k"});
  EXPECT_EQ(parameters("#ifndef A\n#define A\n__global__ void k(int* one) {}\n#endif"), Names{"one"});
  EXPECT_EQ(
      index("__global__ void k() {\n#if A\n__shared__ int s_a[2][3];\n#else\n__shared__ int s_a[3][2];\n#endif\n}", 24,
            12),
      "no array");
}

TEST(CudaSource, LinesOfADefinition) {
  const auto source =
      read_cuda_source("\n\n__global__ void a(int* x)\n{\n}\nnamespace n {\n__global__ void a(int* y) {\n}\n}\n");
  ASSERT_EQ(source->functions.size(), 2u);
  EXPECT_EQ(source->functions[0].first_line, 3u);
  EXPECT_EQ(source->functions[0].last_line, 5u);
  EXPECT_EQ(source->functions[1].first_line, 7u);
}

TEST(CudaSource, ShapesOfSharedArrays) {
  EXPECT_EQ(index(kernel("__shared__ float s_a[64];"), 256, 132), "s_a[33]");
  EXPECT_EQ(index(kernel("__shared__ float s_a[2][32 + 1];"), 264, 132), "s_a[1][0]");
  EXPECT_EQ(index(kernel("__shared__ float s_a[2][32 + 1];"), 264, -4), "s_a[-1][32]");
  EXPECT_EQ(index(kernel("__shared__ double s_a[2][3][4];"), 192, 8 * 23), "s_a[1][2][3]");
  EXPECT_EQ(index(kernel("__shared__ int s_total;"), 4, 0), "s_total");
  EXPECT_EQ(index(kernel("__shared__ int s_total;"), 4, 4), "s_total[1]");
  EXPECT_EQ(index(kernel("__shared__ __align__(16) unsigned char s_a[16];"), 16, 5), "s_a[5]");
  EXPECT_EQ(index(kernel("extern __shared__ double s_a[];"), 0, 16), "s_a[2]");
  EXPECT_EQ(index(kernel("__shared__ float4 s_a[4];"), 64, 20), "s_a[1]");
}

TEST(CudaSource, ExtentsMayBeNamed) {
  EXPECT_EQ(index("constexpr int kTile = 1 << 5, kPad = 1;\n" + kernel("__shared__ int s_a[kTile][kTile + kPad];"),
                  4224, 132),
            "s_a[1][0]");
  EXPECT_EQ(index("#define TILE (16 * 2)\n" + kernel("__shared__ int s_a[TILE][TILE];"), 4096, 128), "s_a[1][0]");
  EXPECT_EQ(
      index("template <int kW, typename T>\n" + kernel("__shared__ T s_a[4][kW];"), 4 * 8 * 8, 64, {"8", "double"}),
      "s_a[1][0]");
  EXPECT_EQ(index("template <unsigned kW>\n" + kernel("__shared__ int s_a[kRows][kW];"), 4 * 8 * 4, 32, {"8u"}),
            "s_a[1][0]")
      << "the first extent follows from the bytes";
  EXPECT_EQ(index("struct P { int a, b; };\n" + kernel("__shared__ P s_a[4][2];"), 64, 24), "s_a[1][1]");
}

TEST(CudaSource, AShapeMustAgreeWithTheBytes) {
  EXPECT_EQ(index(kernel("__shared__ float s_a[2][32];"), 264, 132), "no shape");
  EXPECT_EQ(index(kernel("__shared__ float s_a[4][kUnknown];"), 256, 132), "no shape");
  EXPECT_EQ(index("constexpr int kW = 4;\nvoid f() { constexpr int kW = 8; }\n" + kernel("__shared__ int s_a[kR][kW];"),
                  128, 32),
            "no shape")
      << "two constants of one name";
  EXPECT_EQ(index("#if A\nconstexpr int kW = 4;\n#else\nconstexpr int kW = 8;\n#endif\n" +
                      kernel("__shared__ int s_a[kR][kW];"),
                  128, 32),
            "no shape");
  EXPECT_EQ(index("constexpr int a = b, b = a;\n" + kernel("__shared__ int s_a[2][a];"), 128, 32), "no shape");
}

TEST(CudaSource, NamesOfFunctions) {
  const auto name = [](const char* text) {
    const FunctionName f = function_name(text);
    std::string all = f.base;
    for (const std::string& a : f.arguments) all += "|" + a;
    return all;
  };
  EXPECT_EQ(name("void ns::reduce<256u, float>(float*, int)"), "reduce|256u|float");
  EXPECT_EQ(name("(anonymous namespace)::scan(float const*)"), "scan");
  EXPECT_EQ(name("plain"), "plain");
  EXPECT_EQ(name("A<int>::run(B<3>)"), "run");
  EXPECT_EQ(parameter_types("void k<P<int, 2> >(float const*, P<int, 2>, unsigned int)"),
            (Names{"float const*", "P<int, 2>", "unsigned int"}));
  EXPECT_EQ(parameter_types("k()"), Names{});
  EXPECT_EQ(element_bytes("float const*"), 4u);
  EXPECT_EQ(element_bytes("unsigned char*"), 1u);
  EXPECT_EQ(element_bytes("double**"), 8u);
  EXPECT_EQ(element_bytes("Particle*"), 0u);
}

TEST(CudaSource, BrokenTextIsNoSource) {
  for (const char* text : {"", "(", "{", "}", "__global__ void k(int* a", "__global__ void k(int* a) {", "template <",
                           "#define", "__shared__ int a[", "\"", "R\"(", "/*", "constexpr int = ;", "k) {}", "[](]){}"})
    EXPECT_TRUE(read_cuda_source(text)->functions.empty()) << text;
}

}  // namespace
}  // namespace lockstep
