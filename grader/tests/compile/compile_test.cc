// Here shell scripts are the compilers and linkers that fail, hang and print.
#include "grader/judge/compile/compile.h"

#include <gtest/gtest.h>

#include "grader/judge/base/failure.h"
#include "grader/judge/compile/capability.h"
#include "grader/judge/sandbox/sandbox.h"
#include "grader/tests/testing.h"

namespace warpladder {
namespace {

std::optional<Failure> compile_with(const std::string& compiler, const std::string& linker = "exit 0") {
  TemporaryFolder folder;
  Build build;
  build.compile = {"/bin/sh", "-c", compiler + "\nc++ -x c++ -c /dev/null -o $2", "cc", "{source}", "{object}"};
  build.link = {"/bin/sh", "-c", linker, "ld", "{object}", "{binary}"};
  return compile(build, testing::lab_of("reduction", "reduce_sum"), "/source.cu", folder.path() / "binary", folder);
}

TEST(Compile, PlaceholdersAreFilledIn) {
  EXPECT_FALSE(compile_with("test $1 = /source.cu || exit 1", "test -e $1 && : > $2"));
}

TEST(Compile, ErrorsAreTheLearnersAndAreShown) {
  const auto failure = compile_with("echo 'a.cu(3): error: expected a ;' >&2; exit 2");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->verdict, Verdict::kCompileError);
  EXPECT_NE(failure->printed.find("expected a ;"), std::string::npos);
  EXPECT_EQ(compile_with(":", "echo 'multiple definition of main' >&2; exit 1")->check, "compile");
}

TEST(Compile, WhereTheJudgeHasItsFilesIsNotShown) {
  const auto failure = compile_with(":", "echo \"$1: in function f; twice $1; $PWD/source/a.cu(3)\" >&2; exit 1");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->printed, "submission.o: in function f; twice submission.o; a.cu(3)\n");
}

TEST(Compile, EndlessErrorsAreCut) {
  const auto failure = compile_with("yes error");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->check, "compile");
  EXPECT_LT(failure->printed.size(), size_t{150} << 10);
}

// The host's compiler compiles it, and a program beside it calls it.
std::optional<Failure> linked(const std::string& source) {
  TemporaryFolder folder;
  testing::write_file(folder.path() / "a.cu", source);
  Build build;
  build.compile = {"c++", "-x", "c++", "-O1", "-c", "{source}", "-o", "{object}"};
  build.link = {"/bin/sh", "-c",
                "echo 'int reduce_sum(int*, int); int main() { return reduce_sum(nullptr, 4) != 42; }' > main.cc &&"
                "c++ $0 main.cc -o $1 && $1 && test $(nm -D --defined-only $1 | grep -c visible) = 0",
                "{object}", "{binary}"};
  return compile(build, testing::lab_of("reduction", "reduce_sum"), folder.path() / "a.cu", folder.path() / "binary",
                 folder);
}

TEST(Compile, OnlyTheContractsFunctionsAreSeenAndTheRestStillWorks) {
  const auto failure = linked(R"(
#include <stdexcept>
#include <string>
int count = 40, index_of = 0;
int index(int i) { return i; }
extern "C" int visible_helper(int i) { return i; }
inline int next() { static int visible = 0; return ++visible; }
struct Base { virtual ~Base() = default; virtual int one() { return 0; } };
struct Derived : Base { int one() override { return visible_helper(1); } };
thread_local std::string name("abc");
int reduce_sum(int*, int n) {
  Base* base = new Derived;
  int sum = count + index(0) + next() + base->one();
  delete base;
  try { throw std::runtime_error(name); } catch (const std::exception& error) { sum += error.what() != name; }
  return sum;
})");
  EXPECT_FALSE(failure) << failure->steps.at(0) << failure->printed;
}

TEST(Compile, WhoDefinesWhatIsNotTheirsIsRefusedByName) {
  const auto failure = linked("extern \"C\" long time(long*) { return 0; }");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->verdict, Verdict::kCheating);
  EXPECT_EQ(failure->check, "symbols");
  EXPECT_NE(failure->steps.at(0).text().find("defines time, which is the system's"), std::string::npos);
  const auto check = [](const char* name, char kind, const char* source = "a.cu") {
    Lab lab = testing::lab_of("reduction", "reduce_sum");
    lab.source = source;
    const auto refused = check_symbols({{name, kind}}, lab);
    return refused ? refused->check : "";
  };
  for (const char* name : {"cudaMalloc", "cuInit", "__cudaLaunchKernel", "write", "_exit", "dlsym", "clock_gettime",
                           "cos", "malloc", "write@GLIBC_2.2.5", "warpladder_cuda_failed", "_ZN10warpladder7requireEv"})
    EXPECT_EQ(check(name, 'T'), "symbols") << name;
  EXPECT_EQ(check("write", 'W'), "symbols");
  EXPECT_EQ(check("write", 'i'), "symbols");
  for (const char* name : {"read_tile", "cube", "cudaish", "_Z5writei", "current", "_Z10reduce_sumPii"})
    EXPECT_EQ(check(name, 'T'), "") << name;
  EXPECT_EQ(check("index", 'B'), "");  // a variable in C++
  EXPECT_EQ(check("main", 'T'), "compile");
  EXPECT_EQ(check("warpladder_opencl_describe", 'W', "a.cc"), "");
  EXPECT_EQ(check("warpladder_opencl_describe", 'W'), "symbols");
  EXPECT_EQ(check("clCreateBuffer", 'T', "a.cc"), "symbols");
}

TEST(Compile, TheSourceSeesWhatLiesBesideItAndNoMore) {
  const TemporaryFolder other;
  testing::write_file(other.path() / "solution.h", "int answer = 42;");
  const auto failure = linked("#include \"" + (other.path() / "solution.h").string() + "\"\n");
  if (!Sandbox::here().hides_files()) GTEST_SKIP() << "NOT TESTED: here the sandbox is only " << Sandbox::here().text();
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->printed.find("No such file"), std::string::npos);
  EXPECT_NE(failure->next_step.text().find("what lies beside it"), std::string::npos);
}

const Command kForCards = {"nvcc",
                           "-gencode",
                           "arch=compute_75,code=compute_75",
                           "-gencode",
                           "arch=compute_80,code=sm_80",
                           "-gencode",
                           "arch=compute_90,code=sm_90"};

TEST(Capability, AFileAsksForItBeforeItsFirstLineOfCode) {
  for (const char* head : {"// compute capability 8.6\nint x;", "// Ada\n\n  //compute capability: 8.6\r\n#include <a>",
                           "\xEF\xBB\xBF// compute capability 8.6"}) {
    Command command = kForCards;
    EXPECT_FALSE(choose_capability(head, command)) << head;
    EXPECT_EQ(command, (Command{"nvcc", "-gencode", "arch=compute_86,code=compute_86", "-gencode",
                                "arch=compute_90,code=sm_90"}))
        << head;
  }
  for (const char* head : {"", "int x;\n// compute capability 8.6", "// for compute capability 8.6",
                           "// compute capability matters here"}) {
    Command command = kForCards;
    EXPECT_FALSE(choose_capability(head, command)) << head;
    EXPECT_EQ(command, kForCards) << head;
  }
}

TEST(Capability, WhatCannotBeHasAReason) {
  const auto refusal = [](const char* head, const Command& from) {
    Command command = from;
    const auto failure = choose_capability(head, command);
    return failure ? failure->steps.at(0).text() : "accepted";
  };
  EXPECT_EQ(refusal("// compute capability 12.0", kForCards),
            "the file asks for compute capability 12.0, which lockstep does not emulate or no card has");
  EXPECT_NE(refusal("// compute capability 8.3", kForCards), "accepted");
  for (const char* form :
       {"// compute capability 8", "// compute capability 8.61", "// compute capability 8.6 or more"})
    EXPECT_EQ(refusal(form, kForCards),
              "the file's first comment asks for a compute capability in a form that is not known");
  EXPECT_EQ(refusal("// compute capability 7.5", raised(kForCards, 80)),
            "the file asks for compute capability 7.5, but the lab needs 8.0");
  EXPECT_EQ(refusal("// compute capability 8.0", {"c++"}), "accepted");  // OpenCL
}

// Here the compiler needs 8.0.
TEST(Capability, TheMessageNamesTheOneThatIsEnough) {
  TemporaryFolder folder;
  testing::write_file(folder.path() / "a.cu", "int x;");
  Build build;
  build.compile = {"/bin/sh", "-c",       "case $1 in *_75) echo undefined >&2; exit 1;; esac",
                   "sh",      "-gencode", "arch=compute_75,code=compute_75"};
  const auto told = [&](const std::string& script) {
    build.compile[2] = script;
    return compile(build, testing::lab_of("reduction", "reduce_sum"), folder.path() / "a.cu", folder.path() / "binary",
                   folder)
        ->next_step;
  };
  EXPECT_NE(told("case $2 in *_75) exit 1;; esac").text().find("// compute capability 8.0"), std::string::npos);
  EXPECT_NE(told("case $2 in *_75|*_80) exit 1;; esac").text().find("// compute capability 8.6"), std::string::npos);
  EXPECT_EQ(told("exit 1").text().find("capability"), std::string::npos);
}

TEST(Compile, AMissingCompilerIsOurTrouble) {
  TemporaryFolder folder;
  Build build;
  build.compile = {"/no/such/nvcc", "{source}"};
  build.link = {"true"};
  EXPECT_THROW(
      compile(build, testing::lab_of("reduction", "reduce_sum"), "/source.cu", folder.path() / "binary", folder),
      JudgeFault);
}

}  // namespace
}  // namespace warpladder
