// chosen: what a command line names in place of all cases: one of them, or a file of the learner's. Throws JudgeFault
// where there is no such thing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/judge/bytes.h"
#include "grader/judge/cases.h"
#include "grader/judge/judge.h"

namespace warpladder {

// The one of --case, with the block that it had when all cases ran: a schedule's plan gives out blocks in turns of its
// own, and on lockstep a case of real size is one that is measured.
Case named_case(const JudgeOptions& options, const Lab& lab);

// By its alias, which becomes its name: for who has the file nothing of it is hidden.
Case named_hidden_case(const std::string& name, const Lab& lab, std::vector<std::vector<Case>> lists);

Case file_case(const JudgeOptions& options, const Lab& lab);  // of --input, --case and --block; its size is not known
Bytes read_input_file(const std::filesystem::path& file);

}  // namespace warpladder
