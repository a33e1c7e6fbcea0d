// speed_text: Speed → a table for a person.
#include "grader/judge/verdict/verdict.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

using Row = std::vector<std::string>;

std::string rounded(double value) {
  char text[40];
  std::snprintf(text, sizeof text, value >= 1000 ? "%.0f" : "%.3g", value);
  return text;
}

std::string table(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line = "   ";
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - width_of(row[i]), ' ');
      line += i == 0 ? " " + row[i] + gap : "   " + gap + row[i];  // the figures of a column end below each other
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string name_of_baseline(const std::string& baseline) {
  return baseline == "cpu" ? "serial CPU" : "lab " + baseline;
}

std::string interval_text(const std::optional<Interval>& interval) {
  return interval ? " (" + rounded(interval->low) + " to " + rounded(interval->high) + ")" : "";
}

// A row with one measured time. GB/s, and its share of a copy's, say how well this time uses the card's memory.
Row measured_row(const Speed& speed, const std::string& name, double ms, bool on_card, const std::string& speedup) {
  Row row = {name, rounded(ms), "", "", speedup};
  if (!speed.measured.gb_per_s) return row;
  const double gb_per_s = *speed.measured.gb_per_s * *speed.measured.ms / ms;
  row[2] = rounded(gb_per_s);
  if (on_card && speed.measured.copy_gb_per_s) row[3] = rounded(100 * gb_per_s / *speed.measured.copy_gb_per_s) + " %";
  return row;
}

std::string measured_text(const Speed& speed, const std::string& baseline) {
  const auto over = [&](double ms) { return rounded(ms / *speed.measured.ms) + " ×"; };
  std::vector<Row> rows = {{"", "ms", "GB/s", "of a copy", "speedup over it"},
                           measured_row(speed, "this code", *speed.measured.ms, true, "")};
  if (speed.measured.baseline_ms && speed.speedup)
    rows.push_back(measured_row(speed, name_of_baseline(baseline), *speed.measured.baseline_ms, baseline != "cpu",
                                rounded(*speed.speedup) + " ×" + interval_text(speed.interval)));
  if (speed.cpu.serial_ms && baseline != "cpu")
    rows.push_back(measured_row(speed, "serial CPU", *speed.cpu.serial_ms, false, over(*speed.cpu.serial_ms)));
  if (speed.cpu.parallel_ms)
    rows.push_back(measured_row(speed, "parallel CPU", *speed.cpu.parallel_ms, false, over(*speed.cpu.parallel_ms)));
  if (speed.measured.copy_gb_per_s)
    rows.push_back({"a copy on the card", "", rounded(*speed.measured.copy_gb_per_s), "100 %"});
  return "  speed measured on " + speed.card + "\n" + table(rows) + wrapped(speed.what, "    ");
}

std::string modelled_text(const Speed& speed, const std::string& baseline) {
  std::vector<Row> rows = {{"ms"}, {"this code"}, {name_of_baseline(baseline)}, {"speedup over it"}};
  for (const ModelledTime& time : speed.modelled) {
    rows[0].push_back(time.card);
    rows[1].push_back(rounded(time.ms));
    rows[2].push_back(time.baseline_ms ? rounded(*time.baseline_ms) : "");
    rows[3].push_back(time.baseline_ms ? rounded(*time.baseline_ms / time.ms) + " ×" : "");
  }
  if (!speed.speedup) rows.resize(2);
  std::string text = "  speed modelled, not measured\n" + table(rows);
  if (speed.speedup)
    text += wrapped(
        rounded(*speed.speedup) + " ×" + interval_text(speed.interval) + " on " + speed.card + ": " + speed.what,
        "    ");
  return text;
}

std::string cpu_text(const Speed& speed) {
  std::vector<Row> rows = {{"serial CPU", rounded(*speed.cpu.serial_ms) + " ms"}};
  if (speed.cpu.parallel_ms) rows.push_back({"parallel CPU", rounded(*speed.cpu.parallel_ms) + " ms"});
  return wrapped("measured on this machine's processor: a plain loop on one core" +
                     (speed.cpu.parallel_ms ? "; " + speed.cpu.parallel_what : ""),
                 "  ") +
         table(rows);
}

// "10 points for 3 × over one core of the host: not measured here"; a dash before it would be a minus
std::string threshold_text(const ThresholdResult& result, const std::string& baseline) {
  // In the order of SpeedVerdict.
  static constexpr const char* kMarks[] = {"", "✓ ", "✗ ", "? "};
  static constexpr const char* kTexts[] = {"not measured here", "reached", "missed", "undecided"};
  const auto verdict = static_cast<size_t>(result.verdict);
  const std::string text = kMarks[verdict] + std::to_string(result.threshold.points) + " points for " +
                           rounded(result.threshold.speedup) + " × over " +
                           (baseline == "cpu" ? "one core of the host" : "lab " + baseline) + ": " + kTexts[verdict];
  const bool is_decided = result.verdict != SpeedVerdict::kNotGraded;
  return wrapped(text, "    ") + (is_decided ? wrapped(result.threshold.why, "      ") : "");
}

}  // namespace

std::string speed_text(const Speed& speed, const std::string& baseline) {
  if (!speed.cpu.serial_ms && !speed.measured.ms) return "";
  std::string text;
  if (speed.kind == "measured") {
    text = measured_text(speed, baseline);
  } else {
    if (!speed.modelled.empty()) text = modelled_text(speed, baseline);
    text += cpu_text(speed);
  }
  for (const ThresholdResult& result : speed.thresholds) text += threshold_text(result, baseline);
  if (!speed.reason.empty()) text += wrapped(speed.reason, "    ");
  if (!speed.advice.empty()) text += wrapped(speed.advice, "    ");
  return text;
}

}  // namespace warpladder
