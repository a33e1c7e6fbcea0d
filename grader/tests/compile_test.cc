// Compilers and linkers that fail, hang and print are shell scripts here.
#include "grader/judge/compile.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(compile_with("exit 0", "echo 'multiple definition of main' >&2; exit 1")->check, "compile");
}

TEST(Compile, EndlessErrorsAreCut) {
  const auto failure = compile_with("yes error");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->check, "compile");
  EXPECT_LT(failure->printed.size(), size_t{150} << 10);
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
