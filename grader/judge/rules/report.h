// report: lockstep's report, a JSON text → its launches, counters and findings as plain values, and the failure that
// the findings mean.
#pragma once

#include <map>

#include "grader/judge/base/failure.h"

namespace warpladder {

struct Finding {
  std::string kind;
  std::vector<Message> lines = {};  // of what lockstep says
};

struct Launch {
  double blocks = 0, threads = 0;
  std::map<std::string, double> counters;  // without what printf() accesses
  // Counters that are not certain in this launch, since ptxas may have changed the code: what the PTX alone counts.
  std::map<std::string, double> doubted{};
  std::map<std::string, std::map<std::string, double>> lines{};  // FILE:LINE → its counters
  std::map<std::string, double> modelled_us{};                   // for each card on which the launch fits
};

struct Report {
  std::vector<Launch> launches;
  std::optional<double> modelled_error{};              // a factor: a speedup by modelled times is right up to it
  std::map<std::string, std::string> counter_names{};  // in plain words
  std::map<std::string, double> of_call{};             // counters of the whole call, which belong to no launch
  std::vector<Finding> findings{};
  std::vector<std::string> calls{};  // of CUDA's functions, where one was made to fail
  // What lockstep says of each: its lines. The program sent the text: it decides nothing.
  std::vector<std::vector<Message>> failed_calls{};
  std::vector<Message> stopped_at{};  // where a kernel was when its program was ended, with its loop; empty: nowhere
  bool is_whole = true;               // the program announced its end; else findings may be missing
};

Report parse_report(const std::string& text);  // throws JudgeFault

// Lines that are the same in every language.
std::vector<Message> verbatim_lines(const std::string& text);

std::map<std::string, double> total_counters(const Report& report);

// What lockstep says: the mistake, and behind "Next:" what to do.
struct Told {
  std::vector<Message> lines;
  Message next_step;  // "": it says none
};
Told told_in(const std::vector<Message>& lines);

Failure finding_failure(const Finding& finding);
// lockstep let the function's call of this number fail. went_on: what the code did then, as a sentence. report:
// lockstep's, or "".
Failure unchecked_failure(const std::string& entry, int call, const std::string& report, const Message& went_on);

// A card reports this error itself, for example an illegal address or an impossible launch.
bool is_reported_by_cards(const Finding& finding);

// The finding from which the others may follow. Findings that cards report themselves are left out. is_right: the
// answers are right, as far as is known.
std::optional<Failure> cause_of(const Report& report, bool is_right);

// The failure of a call, made clear by what lockstep says about it: a finding that cards report as well, or the last
// call that failed; if no answer came in time, where the kernel was. lockstep's words leave `printed`, and so does what
// a step repeats.
void explain(const Report& report, Failure& failure);

}  // namespace warpladder
