// The layers of the house, by the #include lines alone: which part may include which.
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grader/tests/includes.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

using testing::Include;
using testing::includes_of;
using testing::place;

bool is_cuda(const std::string& header) {
  return header.starts_with("cuda") || header.starts_with("cooperative_groups");
}

TEST(Layering, LabsSeeOnlyWhatALearnerMay) {
  const std::set<std::string> allowed = {"common/check.h",
                                         "common/contracts/saxpy.h",
                                         "common/contracts/scan.h",
                                         "common/contracts/reduction.h",
                                         "common/contracts/histogram.h",
                                         "common/opencl.h"};
  for (const char* part : {"labs", "solutions"}) {
    for (const Include& include : includes_of(part)) {
      if (include.quoted) { EXPECT_TRUE(allowed.contains(include.header)) << place(include); }
      EXPECT_FALSE(include.header.starts_with("lockstep") || include.header.starts_with("grader")) << place(include);
    }
  }
}

TEST(Layering, TheGraderKnowsNothingOfLockstepOrCuda) {
  for (const Include& include : includes_of("grader")) {
    if (include.file.string().starts_with("grader/tests/hostile/")) continue;  // these files stand for a learner's
    EXPECT_EQ(include.header.find("lockstep/"), std::string::npos) << place(include);
    EXPECT_FALSE(is_cuda(include.header)) << place(include);
    if (include.quoted) {
      EXPECT_TRUE(include.header.starts_with("grader/") || include.header == "common/runner/protocol.h")
          << place(include);
    }
  }
}

TEST(Layering, TheRunnerKnowsNothingOfJudgeAndLockstep) {
  for (const char* part : {"common/runner", "common/contracts"}) {
    for (const Include& include : includes_of(part)) {
      if (!include.quoted) continue;
      EXPECT_TRUE(include.header.starts_with("common/runner/") || include.header.starts_with("common/contracts/"))
          << place(include);
    }
  }
}

TEST(Layering, OnlyTheRuntimeApiOfLockstepKnowsCuda) {
  for (const Include& include : includes_of("common/lockstep")) {
    const std::string file = include.file.string();
    if (file.find("/tests/") != std::string::npos || file.find("/bench/") != std::string::npos) continue;
    if (include.file.filename().string().starts_with("runtime")) continue;
    EXPECT_FALSE(is_cuda(include.header)) << place(include);
  }
}

// Where a file of lockstep stands in the pipeline. Headers know only earlier stages; within the engine a .cc may also
// call the stage that holds it, as a warp does that arrives at its block's barrier. Other files (helpers of one stage)
// are free.
TEST(Layering, LockstepsStagesKnowOnlyEarlierOnes) {
  const std::map<std::string, int> stage = {{"lexer", 1}, {"parser", 2}, {"program", 3}, {"warp", 4},
                                            {"block", 5}, {"grid", 6},   {"device", 7},  {"runtime_api", 8}};
  const auto is_engine = [](int number) { return number >= 4 && number <= 6; };
  for (const Include& include : includes_of("common/lockstep")) {
    if (!include.quoted || include.file.parent_path() != "common/lockstep") continue;
    const auto from = stage.find(include.file.stem().string());
    const auto to = stage.find(fs::path(include.header).stem().string());
    if (from == stage.end() || to == stage.end()) continue;
    if (include.file.extension() == ".cc" && is_engine(from->second) && is_engine(to->second)) continue;
    EXPECT_LE(to->second, from->second) << place(include);
  }
  // The engine sees no text.
  for (const Include& include : includes_of("common/lockstep")) {
    const std::string from = include.file.stem().string(), to = fs::path(include.header).stem().string();
    const bool engine = from == "warp" || from == "block" || from == "grid";
    if (engine && include.quoted) { EXPECT_FALSE(to == "lexer" || to == "parser") << place(include); }
  }
}

}  // namespace
}  // namespace warpladder
