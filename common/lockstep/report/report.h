// report: the records of launches, and findings → JSON text, and the file that holds it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "base/options.h"
#include "base/status.h"
#include "report/launch_record.h"

namespace lockstep {

// What a report holds.
struct Reported {
  const LaunchRecords& launches;
  const std::vector<Finding>& findings;
  const std::vector<std::string>& calls;                 // left out if it is empty
  const std::vector<std::string>& failed_calls;          // likewise
  const std::string& stopped_at;                         // likewise
  const std::map<std::string, uint64_t>& library_calls;  // likewise
  const Crossing crossing;
};

// {"launches":[{"kernel","grid","block","counters","ratios","occupancy","lines":[{"file","line","counters","ratios"}],
//               "modelled":{card: {"us","bound","parts":{name: us}}},"work":{name: number}}],
//  "findings":[{"kind","kernel","file","line","block","thread","where"?,"other"?:{"file","line","block","thread",
//               "access"},"message","count","schedule"}],
//  "kernels":{name: launches},
//  "modelled":{card: us, of all launches; a card that cannot run one of them is left out},
//  "modelled_error": a quotient of two such times is right up to this factor,
//  "calls"?: the runtime functions that the program called, as far as LOCKSTEP_FAIL counts them,
//  "failed_calls"?: for calls that failed: why, and the next step,
//  "stopped_at"?: what a kernel was doing when the program was interrupted,
//  "notes"?: of each library whose calls were computed on the host, how many there were,
//  beside each text for a person the same in parts, for a translation: "lines", "note_parts", "failed_call_lines",
//  "stopped_at_lines",
//  "crossing":{"to_host","from_host"}: bytes that passed between host and device, copies, output and parameters too,
//  "counter_kinds":{name: "exact"|"ptx-level"|"modelled"}, "counter_names":{name: in plain words}, "end"}
// schedule: as LOCKSTEP_SCHEDULE takes it, so that a second run finds the same. end: how the program ended.
std::string to_json(const Reported& reported, const Schedule& schedule, std::string_view end);

// A message with marks (base/words.h) → JSON, for a translation: a list of lines; a line is a list of strings, and of
// words {"form", "arguments"}.
std::string message_json(const std::string& marked);

// Writes a file beside `file` and renames it, so that nobody reads half a report.
Outcome write_report(const std::string& file, const std::string& report);

}  // namespace lockstep
