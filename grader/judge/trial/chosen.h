// chosen: a name on the command line → the one case that it means, or the learner's file. Throws JudgeFault where there
// is no such case or file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/judge/base/bytes.h"
#include "grader/judge/cases/cases.h"
#include "grader/judge/trial/options.h"

namespace warpladder {

// The case of --case, with the block that it had when all cases ran. A plan for schedules numbers its blocks in another
// way, and on lockstep the cases of real size are the measured ones.
Case named_case(const JudgeOptions& options, const Lab& lab);

// Finds the case by its alias, which becomes its name. Nothing is hidden from the owner of the secret file.
Case named_hidden_case(const std::string& name, const Lab& lab, std::vector<std::vector<Case>> lists);

Case file_case(const JudgeOptions& options,
               const Lab& lab);  // of --input, --case and --block; its size is not known yet
Bytes read_input_file(const std::filesystem::path& file);

}  // namespace warpladder
