// includes: the #include lines of the repository, and the order of rooms that they must keep.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpladder::testing {

struct Include {
  std::filesystem::path file;  // begins with the folder that was searched
  int line;
  std::string header;  // as it is written
  bool quoted;         // else in angle brackets
};

// All files of C++ and CUDA below a folder. The folder's path is from the root of the repository, or absolute.
std::vector<std::filesystem::path> sources_of(const std::filesystem::path& folder);
std::vector<Include> includes_of(const std::filesystem::path& folder);

std::string place(const Include& include);  // "grader/judge/a.cc:3: includes b.h"

// Rooms are the folders directly below one folder. `order` names them, and a file may include files of its own room and
// of rooms before it. In the texts that come back, each line is a violation: a file in no room, a room without files,
// an arrow backward, a circle of files. prefix: what a header's path begins with in an #include line, for example
// "grader/judge/".
std::vector<std::string> violations(const std::filesystem::path& folder, const std::string& prefix,
                                    const std::vector<std::string_view>& order);

}  // namespace warpladder::testing
