// plan: the options, the lab and the hidden cases → the steps of a judgement, decided before anything runs.
//
// On lockstep: the small cases under all its checks, again under each of the lab's own schedules; the same with failing
// CUDA calls; the larger cases; the hidden cases; the cases of real size, whose counters the rules read. On a card: all
// cases, the hidden cases, the clock.
//
// A thorough plan runs every case on lockstep under all checks, the measured one as well: code cannot be right where it
// is checked and fast where it is measured, as this is the same run. It adds cases of drawn sizes, and shuffles those
// of one process. On a card it adds the measured and the drawn cases on lockstep, as nothing checks them on the card.
#pragma once

#include "grader/judge/cases/hidden.h"
#include "grader/judge/trial/options.h"

namespace warpladder {

enum class Checks { kNone, kAll };  // the checks of lockstep

// Cases for one process, one after the other.
struct Batch {
  std::vector<Case> cases;
  Checks checks = Checks::kNone;
  std::string schedule = "";                 // lockstep's schedule; "": its own choice
  bool keeps_output = false;                 // the verdict shows what the code printed
  std::optional<uint64_t> shuffled_by = {};  // the seed of the order in which they run; nothing: as they stand
};

struct Step {
  enum class Kind {
    kCases,            // runs the cases and checks their answers
    kFailingCalls,     // lets the CUDA calls of each case fail, one after the other
    kOwnFile,          // runs the one case on a file of the learner's
    kReport,           // runs the one case and writes lockstep's report
    kCounters,         // runs each case in a process of its own; the rules look at the counters of the first batch
    kOnLockstep,       // on a card: runs each case on lockstep, in a process of its own
    kRulesUnmeasured,  // a card counts nothing: no rule is measured
    kClock,            // times the measured case on a card
  };
  // A step is left out if the steps before it went worse than this.
  enum class Needs { kNothing, kNoFailure, kRightAnswers };

  Kind kind;
  Needs needs = Needs::kNothing;
  std::vector<Batch> batches = {};
  std::filesystem::path file = {};    // the learner's own file
  std::filesystem::path report = {};  // the place for lockstep's report
  bool is_secret = false;             // a failure may tell a hidden case, so a student does not see all of it
};

struct Plan {
  std::vector<Step> steps;
  uint64_t measured_seed = 0;
  Figures hold = Figures::kNone;  // compared with lab.json after the last step
};

// Throws WrongCommand where an option names a case that does not exist.
Plan make_plan(const JudgeOptions& options, const Lab& lab, const std::optional<Hidden>& hidden);

}  // namespace warpladder
