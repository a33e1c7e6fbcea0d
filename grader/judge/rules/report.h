// report: lockstep's report, a JSON text → its launches, counters and findings as plain values, and the failure that
// the findings mean.
#pragma once

#include <map>

#include "grader/judge/base/failure.h"

namespace warpladder {

struct Finding {
  std::string kind, message;
};

struct Launch {
  double blocks = 0, threads = 0;
  std::map<std::string, double> counters;
  // Counters that are not certain in this launch, since ptxas may have changed the code: what the PTX alone counts.
  std::map<std::string, double> doubted{};
  std::map<std::string, double> modelled_us{};  // for each card on which the launch fits
};

struct Report {
  std::vector<Launch> launches;
  std::optional<double> modelled_error{};  // a factor: a speedup by modelled times is right up to it
  std::vector<Finding> findings{};
  std::vector<std::string> calls{};  // of CUDA's functions, where one was made to fail
  bool is_whole = true;              // the program announced its end; else findings may be missing
};

Report parse_report(const std::string& text);  // throws JudgeFault

std::map<std::string, double> total_counters(const Report& report);

Failure finding_failure(const Finding& finding);
// lockstep let the function's call of this number fail. went_on: what the code did then, as a sentence. report:
// lockstep's, or "".
Failure unchecked_failure(const std::string& entry, int call, const std::string& report, const std::string& went_on);

// A card reports this error itself, for example an illegal address or an impossible launch.
bool is_reported_by_cards(const Finding& finding);

// The finding from which the others may follow. Findings that cards report themselves are left out. is_right: the
// answers are right, as far as is known.
std::optional<Failure> cause_of(const Report& report, bool is_right);

// lockstep writes on stderr that memory was not freed. That is not the code's own text, and it says nothing new if an
// error ended the program. So it is taken out of `printed`.
void drop_leaks(const Report& report, std::string& printed);

}  // namespace warpladder
