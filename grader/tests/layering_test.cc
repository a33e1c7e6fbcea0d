// The layers of the house, by the #include lines alone: which part may know labs, CUDA, the runner. The order of the
// rooms within lockstep and the judge is common/pictures/includes.py's: the test pages.law.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpladder {
namespace {

namespace fs = std::filesystem;

struct Include {
  fs::path file;  // from the root of the repository
  int line;
  std::string header;  // as it is written
  bool quoted;         // else in angle brackets
};

// The header that an #include line names. False for any other line.
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

// Of all files of C++ and CUDA below a folder.
std::vector<Include> includes_of(const fs::path& folder) {
  static const std::set<std::string> kKinds = {".h", ".cc", ".cu", ".cuh"};
  std::vector<Include> found;
  for (const auto& entry : fs::recursive_directory_iterator(SOURCE / folder)) {
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
                                         "common/contracts/select.h",
                                         "common/contracts/sort.h",
                                         "common/contracts/words.h",
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

// The libraries use CUDA's public interface as the user's program does, and nothing of the other rooms.
TEST(Layering, OnlyTheRuntimeOfLockstepKnowsCuda) {
  for (const Include& include : includes_of("common/lockstep")) {
    const std::string folder = *std::next(include.file.begin(), 2);  // common/lockstep/folder/…
    if (folder == "tests" || folder == "bench" || folder == "runtime" || folder == "libraries") continue;
    EXPECT_FALSE(is_cuda(include.header)) << place(include);
  }
}

// All rooms share the namespace lockstep. Two types of one name there would share inline functions, and the linker says
// nothing. Types in unnamed namespaces are apart.
TEST(Layering, NoTwoTypesOfLockstepHaveOneName) {
  static const std::regex kType("(struct|class) (\\w+)( : .*| final.*)? ?\\{.*");
  std::map<std::string, fs::path> seen;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SOURCE) / "common/lockstep")) {
    const fs::path file = fs::relative(entry.path(), fs::path(SOURCE) / "common/lockstep");
    if (*file.begin() == "tests" || *file.begin() == "bench") continue;
    if (file.extension() != ".h" && file.extension() != ".cc") continue;
    std::ifstream stream(entry.path());
    std::string line;
    std::smatch match;
    for (bool unnamed = false; std::getline(stream, line);) {
      if (line == "namespace {") unnamed = true;
      if (line == "}  // namespace") unnamed = false;
      if (unnamed || !std::regex_match(line, match, kType)) continue;
      const auto [first, is_new] = seen.emplace(match[2], file);
      EXPECT_TRUE(is_new) << match[2] << " stands in " << first->second << " and in " << file;
    }
  }
  EXPECT_GT(seen.size(), 50u);  // else the pattern no longer fits the code
}

}  // namespace
}  // namespace warpladder
