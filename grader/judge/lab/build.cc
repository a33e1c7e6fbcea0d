#include "grader/judge/lab/build.h"

#include "grader/judge/base/reader.h"

namespace warpladder {

namespace fs = std::filesystem;

Build load_build(const fs::path& file) {
  Reader reader = Reader::of_file(file, "Build the labs first: cmake --build build");
  const auto paths = [&](const char* key) {
    const auto words = reader.get<std::vector<std::string>>(key, {});
    return std::vector<fs::path>(words.begin(), words.end());
  };
  return {reader.get<std::vector<std::string>>("compile"),
          reader.get<std::vector<std::string>>("link"),
          paths("compiler_sees"),
          paths("program_sees"),
          reader.get<std::string>("lockstep"),
          reader.get<std::string>("baseline")};
}

}  // namespace warpladder
