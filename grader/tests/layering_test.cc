// The house's layers, by the #include lines alone: who may know of whom.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpladder {
namespace {

namespace fs = std::filesystem;

struct Include {
  fs::path file;  // from the root
  int line;
  std::string header;
  bool quoted;
};

// The header that an #include line names; false for any other line.
bool parse_include(std::string line, Include& include) {
  std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
  if (!line.starts_with("#include\"") && !line.starts_with("#include<")) return false;
  const size_t start = line.find_first_of("\"<");
  const size_t end = line.find_first_of("\">", start + 1);
  if (end == std::string::npos) return false;
  include.quoted = line[start] == '"';
  include.header = line.substr(start + 1, end - start - 1);
  return true;
}

std::vector<Include> includes_of(const std::string& part) {
  static const std::set<std::string> kKinds = {".h", ".cc", ".cu", ".cuh"};
  std::vector<Include> found;
  if (!fs::exists(fs::path(SOURCE) / part)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SOURCE) / part)) {
    if (!entry.is_regular_file() || !kKinds.contains(entry.path().extension())) continue;
    std::ifstream stream(entry.path());
    std::string text;
    Include include{fs::relative(entry.path(), SOURCE), 0, "", false};
    while (std::getline(stream, text)) {
      ++include.line;
      if (parse_include(text, include)) found.push_back(include);
    }
  }
  return found;
}

std::string place(const Include& include) {
  return include.file.string() + ":" + std::to_string(include.line) + ": includes " + include.header;
}

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
    if (include.file.string().starts_with("grader/tests/hostile/")) continue;  // a learner's, so to speak
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
