// findings: the findings of lockstep's checks → the failure that they mean.
#pragma once

#include <optional>
#include <string>

#include "grader/judge/base/failure.h"
#include "grader/judge/rules/report.h"

namespace warpladder {

Failure finding_failure(const Finding& finding);
// lockstep let the function's call of this number fail, and the code went on.
Failure unchecked_failure(const std::string& entry, int call, const std::string& report);

// A card reports this error itself, for example an illegal address or an impossible launch.
bool is_reported_by_cards(const Finding& finding);

// The finding from which the others may follow. Findings that cards report themselves are left out. is_right: the
// answers are right, as far as is known.
std::optional<Failure> cause_of(const Report& report, bool is_right);

// lockstep writes on stderr that memory was not freed. That is not the code's own text, and it says nothing new if an
// error ended the program. So it is taken out of `printed`.
void drop_leaks(const Report& report, std::string& printed);

}  // namespace warpladder
