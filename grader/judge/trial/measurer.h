// measurer: runs the cases of real size, for the figures: counters and modelled times on lockstep, times on a card.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "grader/judge/run/submission_spec.h"
#include "grader/judge/speed/timing.h"
#include "grader/judge/trial/ledger.h"

namespace warpladder {

// Runs the case and writes lockstep's report of it into the file.
void write_report(const SubmissionSpec& spec, const Case& job, const std::filesystem::path& file, Ledger& ledger);

// below: the file with the report of the rung below; "": the baseline is the serial CPU.
void measure_on_lockstep(const SubmissionSpec& spec, const std::vector<Case>& cases, const std::filesystem::path& below,
                         Ledger& ledger);

void measure_on_card(SubmissionSpec spec, const Below& below, uint64_t seed, Ledger& ledger);

}  // namespace warpladder
