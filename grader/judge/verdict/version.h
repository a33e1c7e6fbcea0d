// version: git's description of the tree from which this judge was built. A grade names it.
#pragma once

namespace warpladder {

const char* judge_version();  // "1.2-3-gabc1234-dirty"; "unknown" where it was built outside of git

}  // namespace warpladder
