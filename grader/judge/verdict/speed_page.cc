// speed_page: Speed → a table for a person.
#include "grader/judge/verdict/verdict.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

using Row = std::vector<Message>;

std::string rounded(double value) {
  char text[40];
  std::snprintf(text, sizeof text, value >= 1000 ? "%.0f" : "%.3g", value);
  return text;
}

Message times(double value) { return message("{times} ×", {{"times", rounded(value)}}); }

Message name_of_baseline(const std::string& baseline) {
  return baseline == "cpu" ? message("serial CPU") : message("lab {lab}", {{"lab", baseline}});
}

// The speedup, with its interval if there is one.
Message speedup_text(double speedup, const std::optional<Interval>& interval) {
  if (!interval) return times(speedup);
  return message("{times} × ({low} to {high})",
                 {{"times", rounded(speedup)}, {"low", rounded(interval->low)}, {"high", rounded(interval->high)}});
}

// A row with one measured time. GB/s, and its share of a copy's, say how well this time uses the card's memory.
Row measured_row(const Speed& speed, const Message& name, double ms, bool on_card, const Message& speedup) {
  Row row = {name, rounded(ms), {}, {}, speedup};
  if (!speed.measured.gb_per_s) return row;
  const double gb_per_s = *speed.measured.gb_per_s * *speed.measured.ms / ms;
  row[2] = rounded(gb_per_s);
  if (on_card && speed.measured.copy_gb_per_s) row[3] = rounded(100 * gb_per_s / *speed.measured.copy_gb_per_s) + " %";
  return row;
}

void add_measured(const Speed& speed, const std::string& baseline, Page& page) {
  const auto over = [&](double ms) { return times(ms / *speed.measured.ms); };
  std::vector<Row> rows = {
      {{}, std::string("ms"), std::string("GB/s"), message("of a copy"), message("speedup over it")},
      measured_row(speed, message("this code"), *speed.measured.ms, true, {})};
  if (speed.measured.baseline_ms && speed.speedup)
    rows.push_back(measured_row(speed, name_of_baseline(baseline), *speed.measured.baseline_ms, baseline != "cpu",
                                speedup_text(*speed.speedup, speed.interval)));
  if (speed.cpu.serial_ms && baseline != "cpu")
    rows.push_back(measured_row(speed, message("serial CPU"), *speed.cpu.serial_ms, false, over(*speed.cpu.serial_ms)));
  if (speed.cpu.parallel_ms)
    rows.push_back(
        measured_row(speed, message("parallel CPU"), *speed.cpu.parallel_ms, false, over(*speed.cpu.parallel_ms)));
  if (speed.measured.copy_gb_per_s)
    rows.push_back({message("a copy on the card"), {}, rounded(*speed.measured.copy_gb_per_s), std::string("100 %")});
  page.push_back({Part::Kind::kLine, "  ", message("speed measured on {card}", {{"card", speed.card}})});
  page.push_back({.kind = Part::Kind::kTable, .indent = "", .rows = std::move(rows)});
  page.push_back({Part::Kind::kFolded, "    ", speed.what});
}

void add_modelled(const Speed& speed, const std::string& baseline, Page& page) {
  std::vector<Row> rows = {
      {std::string("ms")}, {message("this code")}, {name_of_baseline(baseline)}, {message("speedup over it")}};
  for (const ModelledTime& time : speed.modelled) {
    rows[0].emplace_back(time.card);
    rows[1].emplace_back(rounded(time.ms));
    rows[2].push_back(time.baseline_ms ? Message(rounded(*time.baseline_ms)) : Message());
    rows[3].push_back(time.baseline_ms ? times(*time.baseline_ms / time.ms) : Message());
  }
  if (!speed.speedup) rows.resize(2);
  page.push_back({Part::Kind::kLine, "  ", message("speed modelled, not measured")});
  page.push_back({.kind = Part::Kind::kTable, .indent = "", .rows = std::move(rows)});
  if (speed.speedup)
    page.push_back({Part::Kind::kFolded, "    ",
                    message("{speedup} on {card}: {how}", {{"speedup", speedup_text(*speed.speedup, speed.interval)},
                                                           {"card", speed.card},
                                                           {"how", speed.what}})});
}

void add_cpu(const Speed& speed, Page& page) {
  const auto ms = [](double value) { return rounded(value) + " ms"; };
  std::vector<Row> rows = {{message("serial CPU"), ms(*speed.cpu.serial_ms)}};
  if (speed.cpu.parallel_ms) rows.push_back({message("parallel CPU"), ms(*speed.cpu.parallel_ms)});
  Message how = message("measured on this machine's processor: a plain loop on one core");
  if (speed.cpu.parallel_ms) how = together({how, speed.cpu.parallel_what}, "; ");
  page.push_back({Part::Kind::kFolded, "  ", how});
  page.push_back({.kind = Part::Kind::kTable, .indent = "", .rows = std::move(rows)});
}

// "10 points for 3 × over one core of the host: not measured here"; a dash before it would be a minus
void add_threshold(const ThresholdResult& result, const std::string& baseline, Page& page) {
  // In the order of SpeedVerdict.
  static constexpr const char* kMarks[] = {"", "✓ ", "✗ ", "? "};
  static constexpr const char* kTexts[] = {later("not measured here"), later("reached"), later("missed"),
                                           later("undecided")};
  const auto verdict = static_cast<size_t>(result.verdict);
  page.push_back(
      {Part::Kind::kFolded, "    ",
       message("{mark}{points} points for {times} × over {baseline}: {result}",
               {{"mark", std::string(kMarks[verdict])},
                {"points", result.threshold.points},
                {"times", rounded(result.threshold.speedup)},
                {"baseline", baseline == "cpu" ? message("one core of the host") : name_of_baseline(baseline)},
                {"result", message(kTexts[verdict])}})});
  if (result.verdict != SpeedVerdict::kNotGraded)
    page.push_back({Part::Kind::kFolded, "      ", message(result.threshold.why)});
}

}  // namespace

Page speed_page(const Speed& speed, const std::string& baseline) {
  Page page;
  if (!speed.cpu.serial_ms && !speed.measured.ms) return page;
  if (speed.kind == "measured") {
    add_measured(speed, baseline, page);
  } else {
    if (!speed.modelled.empty()) add_modelled(speed, baseline, page);
    add_cpu(speed, page);
  }
  for (const ThresholdResult& result : speed.thresholds) add_threshold(result, baseline, page);
  for (const Message& text : {speed.reason, speed.advice})
    if (!text.empty()) page.push_back({Part::Kind::kFolded, "    ", text});
  return page;
}

}  // namespace warpladder
