// toolkit_file: whether a source file is the toolkit's, or the C++ library's. What stands there is not a program's own
// line. It is for messages only, so a part of the path is enough.
#pragma once

#include <algorithm>
#include <string_view>

namespace lockstep {

inline bool is_toolkit_file(std::string_view file) {
  constexpr std::string_view kParts[] = {"/cccl/",          "/crt/",       "/cuda_runtime", "/include/c++/",
                                         "/common/check.h", "../sysdeps/", "../csu/"};
  return file.empty() ||
         std::ranges::any_of(kParts, [&](std::string_view part) { return file.find(part) != file.npos; });
}

}  // namespace lockstep
