#include "grader/judge/compile/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpladder {
namespace {

// As nvcc prints it: once for the device's pass, once for the host's.
TEST(CompileErrors, AreToldOnce) {
  const std::string error = "a.cu(3): error: identifier \"idx\" is undefined\n      out[idx] = 0;\n          ^\n";
  const std::string warning = "a.cu(2): warning #177-D: variable \"n\" was declared but never referenced\n  int n;\n\n";
  EXPECT_EQ(
      first_errors(warning + error + "\n1 error detected in the compilation of \"a.cu\".\n" + warning + error + "\n")
          .text,
      error);
}

TEST(CompileErrors, TheFirstThreeAreShown) {
  std::string text;
  for (int i = 0; i < 9; ++i) text += "a.cc:" + std::to_string(i) + ":1: error: no\n   | x\n";
  EXPECT_EQ(first_errors(text).text,
            "a.cc:0:1: error: no\n   | x\na.cc:1:1: error: no\n   | x\na.cc:2:1: error: no\n   | x\n");
  EXPECT_EQ(first_errors(text).rest, "and 6 more errors");
  std::string notes = "a.cc:1:1: error: no\n";
  for (int i = 0; i < 40; ++i) notes += "  in an instantiation\n";
  EXPECT_EQ(std::ranges::count(first_errors(notes).text, '\n'), 6);
}

TEST(CompileErrors, TheLineIsQuotedAsItStandsInTheFile) {
  const std::string source = "int a;\n  CUDA_CHECK(cudaFree(x));\n    KERNEL void k();\n";
  const std::string head = "/dir/a.cu(2): error: identifier \"x\" is undefined\n";
  const auto quoted = [&](const std::string& printed) { return with_own_lines(printed, "/dir/a.cu", source); };
  EXPECT_EQ(quoted(head + "  check((cudaFree(x)), \"cudaFree(x)\");\n                  ^\n\n"),
            head + "  CUDA_CHECK(cudaFree(x));\n                      ^\n\n");
  EXPECT_EQ(quoted("/dir/a.cu(3): error: no\n  __attribute__((global)) void k();\n  ^\n"),
            "/dir/a.cu(3): error: no\n  KERNEL void k();\n")
      << "the marked word is not in the file: no mark";
  for (const std::string other :
       {"/dir/a.cu(2): error: no\n      CUDA_CHECK(cudaFree(x));\n      ^\n", "/dir/b.h(2): error: no\n  x\n  ^\n",
        "/dir/a.cu(99): error: no\n  x\n  ^\n", "/dir/a.cu(2): error: no\n", "a.cc:2:1: error: no\n   | x\n   | ^\n"})
    EXPECT_EQ(quoted(other), other);
}

TEST(CompileErrors, WarningsOfUnusedNamesAreLeftOut) {
  const std::string missing = "a.cu(3): warning #940-D: missing return statement at end of \"f\"\n  }\n  ^\n\n";
  const std::string unused = "a.cu(2): warning #177-D: variable \"n\" was declared but never referenced\n  int n;\n\n";
  const std::string set = "a.cu(2): warning #550-D: variable \"n\" was set but never used\n";
  EXPECT_EQ(texts(telling_warnings(unused + missing + set + "b.h(1): warning #1-D: x\n" + missing, "a.cu")),
            std::vector<std::string>{"line 3: missing return statement at end of \"f\""});
  EXPECT_TRUE(telling_warnings("a.cu(3): error: no: warning #1\n", "a.cu").empty());
}

TEST(CompileErrors, TheNextStepFollowsFromTheError) {
  const auto name = [](const std::string& errors) { return advice_on_errors(errors).name; };
  const std::string semicolon = "a.cu(57): error: expected a \";\"\n";
  EXPECT_EQ(name(semicolon), "semicolon");
  EXPECT_EQ(name(semicolon + "At end of source: error: expected a \"}\"\n"), "unclosed") << "it is the cause";
  EXPECT_EQ(name("a.cu(3): error: identifier \"idx\" is undefined\n"), "undefined");
  EXPECT_EQ(name("a.cu(3): error: calling a constexpr __host__ function(\"min\") from a __global__ function(\"k\") is "
                 "not allowed.\n"),
            "host_function");
  EXPECT_EQ(name("a.cu(3): error: calling a __device__ function(\"f()\") from a __host__ function(\"g\") is not "
                 "allowed\n"),
            "device_function");
  EXPECT_EQ(name("x.o: undefined reference to `f()'\n"), "not_defined");
  EXPECT_EQ(advice_on_errors("a.cu(3): error: no\n").text, "Begin at the line that the error names.");
  EXPECT_EQ(advice_on_errors("a.cu(3): error: no\na.cu(4): error: no\n").text,
            "Start with the first error; later ones often follow from it.");
}

TEST(CompileErrors, AnotherTextStaysAsItIs) {
  EXPECT_EQ(first_errors("Killed\n").text, "Killed\n");
  EXPECT_EQ(first_errors("").text, "");
  EXPECT_EQ(first_errors("x.o: undefined reference to `f()'\ncollect2: error: ld returned 1 exit status\n").text,
            "x.o: undefined reference to `f()'\ncollect2: error: ld returned 1 exit status\n");
}

}  // namespace
}  // namespace warpladder
