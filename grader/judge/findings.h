// findings: what lockstep's checks found → the failure that they stand for.
#pragma once

#include <optional>
#include <string>

#include "grader/judge/rules.h"

namespace warpladder {

Failure finding_failure(const Finding& finding);
// A call of CUDA's, the one of this number in the function, was made to fail, and the code went on.
Failure unchecked_failure(const std::string& entry, int call, const std::string& report);

// A card would not go on without a word: it reports an illegal address, a launch that is not possible.
bool is_reported_by_cards(const Finding& finding);

// Of all that was found, what the rest may follow from, if the cards do not report it themselves. is_right: the answers
// are, as far as is known.
std::optional<Failure> cause_of(const Report& report, bool is_right);

// Takes out of what was printed what lockstep says on stderr of memory that was not freed: no word of the code's, and
// no news where an error ended it.
void drop_leaks(const Report& report, std::string& printed);

}  // namespace warpladder
