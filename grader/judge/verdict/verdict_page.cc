// verdict_page: Result → a page for a person.
#include "grader/judge/verdict/verdict.h"

#include <algorithm>
#include <filesystem>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

constexpr int kDigits = 6;
constexpr size_t kLineBytes = 400;  // the most that is shown of a line that the code printed

Message shortened(const std::string& line) {
  if (line.size() <= kLineBytes) return line;
  return message("{line} … {count} bytes left out",
                 {{"line", line.substr(0, kLineBytes)}, {"count", line.size() - kLineBytes}});
}

// The code's own output, on at most 40 lines.
void add_printed(const std::string& text, const Message& more, Page& page) {
  constexpr size_t kShown = 20;  // at each end
  const std::vector<std::string> lines = split(text, '\n');
  page.push_back({Part::Kind::kPrinted, "  ", message("it printed")});
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines.size() > 2 * kShown && i == kShown) {
      i = lines.size() - kShown;
      page.push_back(
          {Part::Kind::kPrinted, "    ",
           message("… {count} lines left out; --json keeps more …", {{"count", lines.size() - 2 * kShown}})});
    }
    page.push_back({Part::Kind::kPrinted, "    | ", shortened(lines[i])});
  }
  if (!more.empty()) page.push_back({Part::Kind::kPrinted, "    | ", more});
}

// "score 80 of 100: correct 60/60, rules 0/20 (broken: barriers), speed 20/20 (1.8 ×, modelled for NVIDIA H200)"
void add_score(const Result& result, Page& page) {
  const std::optional<Score> score = score_of(result);
  if (!score) return;
  std::vector<Message> parts;
  for (const ScorePart& part : score->parts) {
    // Without right answers nothing else counts, and the failure has just been told: only hidden cases are news.
    // So are points that are lost although every case passes.
    const bool all_pass = result.planned_cases > 0 && result.public_cases().passed == result.planned_cases;
    const bool is_news = score->points > 0 || (part.name == "correct" && (result.planned_hidden > 0 || all_pass));
    const Message::Arguments points = {
        {"part", message(part.name)}, {"points", part.points}, {"of", part.of}, {"why", part.why}};
    parts.push_back(is_news && (part.name == "speed" || part.points < part.of)
                        ? message("{part} {points}/{of} ({why})", points)
                        : message("{part} {points}/{of}", points));
  }
  page.push_back({Part::Kind::kFolded, "  ",
                  message("score {points} of {of}: {parts}",
                          {{"points", score->points}, {"of", kMostPoints}, {"parts", together(parts, ", ")}})});
}

// Without the folder of the learner's file, which says nothing new.
std::string without_folder(std::string text, const Result& result) {
  const std::string folder = std::filesystem::path(result.setting.file).parent_path().string() + "/";
  for (size_t at = 0; folder.size() > 1 && (at = text.find(folder, at)) != std::string::npos;)
    text.erase(at, folder.size());
  return text;
}

// A failure has at most kOnPage lines on the usual page, beside what the code itself printed.
void add_failure(const Result& result, const std::string& command, Page& page) {
  const Failure& failure = *result.failure;
  const auto own = [&](const Message& text) {
    return text.changed([&](const std::string& part) { return without_folder(part, result); });
  };
  const std::string verdict(name_of(failure.verdict));
  page.push_back({Part::Kind::kLine, "", {}});
  page.push_back({Part::Kind::kLine, "  ",
                  message("{verdict} · {check}", {{"verdict", message(verdict)}, {"check", failure.check}})});
  for (const Message& step : failure.steps) page.push_back({Part::Kind::kStep, "    ", own(step)});
  if (!failure.printed.empty()) add_printed(without_folder(failure.printed, result), failure.more_printed, page);
  if (!result.warnings.empty() && !leaves_answers_right(failure))  // the first one may explain a wrong answer
    page.push_back({Part::Kind::kFolded, "  ", message("warns of {warning}", {{"warning", result.warnings.front()}}),
                    std::string("nvcc")});
  if (!failure.next_step.empty()) page.push_back({Part::Kind::kFolded, "  ", own(failure.next_step), message("next")});
  if (const std::string again = again_text(result, command); !again.empty())
    page.push_back({Part::Kind::kLine, "  ", again, message("again")});
  add_score(result, page);
}

void add_rule(const RuleResult& result, Page& page) {
  const char* mark = !result.measured ? "–" : result.holds ? "✓" : "✗";
  const Message::Arguments facts = {{"mark", std::string(mark)},
                                    {"rule", result.rule.name},
                                    {"value", number(result.measured.value_or(0), kDigits)},
                                    {"input", result.input},
                                    {"bound", bound_of(result.rule)},
                                    {"quantity", quantity_of(result)}};
  const char* form = !result.measured ? later("{mark} {rule}, {bound}: {quantity}; not measured on this device")
                     : result.input.empty()
                         ? (result.holds ? later("{mark} {rule}: {value}, {bound}: {quantity}")
                                         : later("{mark} {rule}: {value}, must be {bound}: {quantity}"))
                         : (result.holds ? later("{mark} {rule}: {value} on {input}, {bound}: {quantity}")
                                         : later("{mark} {rule}: {value} on {input}, must be {bound}: {quantity}"));
  page.push_back({Part::Kind::kFolded, "    ", message(form, facts)});
  // The failure has the whole reason of a broken rule.
  if (result.holds) page.push_back({Part::Kind::kFirst, "      ", message(result.rule.why)});
}

// "  between host and device: 4 bytes to the host (at most 4259840), 32 bytes to the device (at most …)"
Message crossing_text(const Measurement& measured) {
  return message(
      "between host and device: {to_host} bytes to the host (at most {most_to_host}), {from_host} bytes to the "
      "device (at most {most_from_host})",
      {{"to_host", measured.crossing->to_host},
       {"most_to_host", measured.allowed.to_host},
       {"from_host", measured.crossing->from_host},
       {"most_from_host", measured.allowed.from_host}});
}

}  // namespace

// Only the instructor can repeat a hidden case, and nothing repeats a fault of the judge. But a finding belongs to a
// whole process, so the public cases may show a hidden one, too.
std::string again_text(const Result& result, const std::string& command) {
  if (!result.failure || result.verdict() == Verdict::kJudgeFault) return "";
  const Setting& setting = result.setting;
  const bool is_hidden = result.failure->instructor && result.failed_case.empty();
  const bool is_found = setting.is_thorough && result.failure->check.starts_with("finding.");
  if (is_hidden && !is_found) return "";
  std::string text = command;
  if (result.failed_on_lockstep) text += " --device lockstep";
  if (setting.is_thorough) text += " --thorough";
  if (!result.failed_case.empty()) text += " --case " + result.failed_case;
  text += " --seed " + std::to_string(setting.seed);
  return result.failed_schedule.empty() ? text : text + " --schedules " + result.failed_schedule;
}

Page page_of(const Result& result, const std::string& command) {
  Page page;
  const Message device =
      result.opencl_device.empty() ? Message(result.setting.device) : Message("OpenCL: " + result.opencl_device);
  const std::string file = std::filesystem::path(result.setting.file).filename().string();
  page.push_back(
      {Part::Kind::kLine, "",
       message("{lab} · {file} · on {device}", {{"lab", result.setting.lab}, {"file", file}, {"device", device}})});
  if (result.planned_cases > 0) {
    const bool leaves_out = result.leaves_out && result.public_cases().failed > 0;
    const Message::Arguments counts = {{"passed", result.public_cases().passed + result.hidden_cases().passed},
                                       {"planned", result.planned_cases},
                                       {"seed", result.setting.seed}};
    page.push_back({Part::Kind::kLine, "  ",
                    leaves_out ? message("{passed} of {planned} pass (seed {seed}); larger ones follow", counts)
                               : message("{passed} of {planned} pass (seed {seed})", counts),
                    message("cases")});
  }
  if (result.planned_hidden > 0)
    page.push_back({Part::Kind::kLine, "  ",
                    message("{passed} of {planned} pass (only the instructor knows these cases)",
                            {{"passed", result.hidden_cases().passed}, {"planned", result.planned_hidden}}),
                    message("hidden")});
  if (!result.measurements.empty() && result.measurements.front().crossing)
    page.push_back({Part::Kind::kFolded, "  ", crossing_text(result.measurements.front())});
  if (!result.rules.empty()) page.push_back({Part::Kind::kLine, "  ", message("rules")});
  for (const RuleResult& rule : result.rules) add_rule(rule, page);
  std::ranges::move(speed_page(result.speed, result.setting.baseline), std::back_inserter(page));
  if (result.setting.sandbox.is_weaker)
    page.push_back({Part::Kind::kFolded, "  ",
                    message("sandbox  weaker than it could be: {walls}", {{"walls", result.setting.sandbox.run}})});
  if (!result.printed.empty() && !result.failure) add_printed(result.printed, {}, page);
  if (result.failure) {
    add_failure(result, command, page);
  } else {
    page.push_back({Part::Kind::kLine, "  ", message(name_of(result.verdict()))});
    add_score(result, page);
  }
  return page;
}

std::string to_text(const Result& result, const std::string& command) { return to_text(page_of(result, command)); }

}  // namespace warpladder
