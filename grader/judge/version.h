// version: which judge this is, as git describes the tree that it was built from: for a grade to name.
#pragma once

namespace warpladder {

const char* judge_version();  // "1.2-3-gabc1234-dirty"; "unknown" where it was built outside of git

}  // namespace warpladder
