// hidden: an instructor's secret file → what a lab is judged by and no student can know: cases, and the seed of the
// inputs on which rules and clock look. The same file gives the same ones for every submission, today and next year;
// without it nobody can tell them. docs/grading.md explains it to instructors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/judge/cases.h"
#include "grader/judge/lab.h"
#include "grader/judge/verdict.h"

namespace warpladder {

struct Hidden {
  std::vector<Case> cases;  // with their aliases
  uint64_t measured_seed = 0;
};

// labs: the folder of all labs, for the names in a file that lists cases. Throws JudgeFault where the file cannot be
// read, is too short to be a secret, or asks for what the lab does not have.
Hidden load_hidden(const std::filesystem::path& file, const Lab& lab, const std::filesystem::path& labs);

// The same from the file's text. `place` names it in errors.
Hidden hidden_from(const std::string& secret, const Lab& lab, const std::filesystem::path& labs,
                   const std::string& place);

// What a student may know of a failure on a hidden case: which one, and of what kind. Sizes, values, and whatever the
// code printed or ended with would give the case away.
Failure hide(Failure failure, const std::string& case_name, const std::string& alias);

}  // namespace warpladder
