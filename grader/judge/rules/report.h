// report: lockstep's report, a JSON text → its launches, counters and findings as plain values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpladder {

struct Finding {
  std::string kind, message, file;
  int line = 0;
};

struct Launch {
  std::string kernel;
  double blocks = 0, threads = 0;
  std::map<std::string, double> counters;
  std::map<std::string, double> modelled_us{};  // for each card on which the launch fits
};

struct Report {
  std::vector<Launch> launches;
  std::optional<double> modelled_error{};  // a factor: a speedup by modelled times is right up to it
  std::vector<Finding> findings{};
  bool is_whole = true;  // the program announced its end; else findings may be missing
};

Report parse_report(const std::string& text);  // throws JudgeFault

std::map<std::string, double> total_counters(const Report& report);

}  // namespace warpladder
