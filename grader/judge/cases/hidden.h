// hidden: an instructor's secret file → the cases that no student can know, and the seed of the measured inputs. The
// same file gives the same cases for every submission, today and next year. Nobody can compute them without the file.
// docs/grading.md explains it to instructors.
#pragma once

#include "grader/judge/base/failure.h"
#include "grader/judge/cases/cases.h"
#include "grader/judge/lab/lab.h"

namespace warpladder {

struct Hidden {
  std::vector<Case> cases;  // with their aliases
  uint64_t measured_seed = 0;
};

// labs: the folder of all labs, to check the names in a file that lists cases. Throws JudgeFault where the file cannot
// be read, is too short to be a secret, or names something that the lab does not have.
Hidden load_hidden(const std::filesystem::path& file, const Lab& lab, const std::filesystem::path& labs);

// The same for the text of the file. `place` names the file in errors.
Hidden hidden_from(const std::string& secret, const Lab& lab, const std::filesystem::path& labs,
                   const std::string& place);

// The failure on a hidden case as a student may see it: the number of the case and the kind of failure. Sizes, values
// and the code's output would tell the case itself.
Failure hide(Failure failure, const std::string& case_name, const std::string& alias);

}  // namespace warpladder
