// build: build.json → how CMake built the lab, and the parts of the machine that its programs need.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpladder {

struct Build {
  std::vector<std::string> compile, link;                          // they hold {source}, {object} and {binary}
  std::vector<std::filesystem::path> compiler_sees, program_sees;  // parts of the machine that they see beside /usr
  std::filesystem::path lockstep;                                  // folder of its libcudart.so.13
  std::filesystem::path baseline;  // binary of the rung that the speedup is over; empty: the serial CPU
};

Build load_build(const std::filesystem::path& file);

}  // namespace warpladder
