// verdict_text: Result → text for a person.
#include "grader/judge/verdict/verdict.h"

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

constexpr int kDigits = 6;
constexpr size_t kLineBytes = 400;  // the most that is shown of a line that the code printed

std::string indented(const std::string& text, const std::string& by) {
  std::string out;
  for (const std::string& line : split(text, '\n')) out += by + line + "\n";
  return out;
}

std::string shortened(const std::string& line) {
  if (line.size() <= kLineBytes) return line;
  return line.substr(0, kLineBytes) + " … " + std::to_string(line.size() - kLineBytes) + " bytes left out";
}

// The code's own output, on at most 40 lines.
std::string printed_text(const std::string& text) {
  constexpr size_t kShown = 20;  // at each end
  const std::vector<std::string> lines = split(text, '\n');
  std::string out = "  it printed\n";
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines.size() > 2 * kShown && i == kShown) {
      i = lines.size() - kShown;
      out += "    … " + std::to_string(lines.size() - 2 * kShown) + " lines left out; --json keeps more …\n";
    }
    out += "    | " + shortened(lines[i]) + "\n";
  }
  return out;
}

// "score 80 of 100: correct 60/60, rules 0/20 (broken: barriers), speed 20/20 (1.8 ×, modelled for NVIDIA H200)"
std::string score_text(const Result& result) {
  const std::optional<Score> score = score_of(result);
  if (!score) return "";
  std::string text = "  score " + std::to_string(score->points) + " of " + std::to_string(kMostPoints);
  const char* separator = ": ";
  for (const ScorePart& part : score->parts) {
    text += separator + part.name + " " + std::to_string(part.points) + "/" + std::to_string(part.of);
    // Without right answers nothing else counts.
    const bool is_news = score->points > 0 || part.name == "correct";
    if (is_news && (part.name == "speed" || part.points < part.of)) text += " (" + part.why + ")";
    separator = ", ";
  }
  return text + "\n";
}

std::string failure_text(const Result& result, const std::string& command) {
  const Failure& failure = *result.failure;
  std::string text = "\n  " + std::string(name_of(failure.verdict)) + " · " + failure.check + "\n";
  for (const std::string& step : failure.steps) text += indented(step, "    ");
  if (!failure.printed.empty()) text += printed_text(failure.printed);
  if (!failure.next_step.empty()) text += "  next\n" + indented(failure.next_step, "    ");
  const std::string again = again_text(result, command);
  return again.empty() ? text : text + "  again\n    " + again + "\n";
}

std::string rule_text(const RuleResult& result) {
  const Rule& rule = result.rule;
  std::string text = "    " + std::string(result.holds ? "  " : "✗ ") + rule.name + ": " + quantity_of(rule);
  if (!result.measured)
    return text + " " + rule.op + " " + number(rule.value, kDigits) + ": not measured on this device\n";
  text += " = " + number(*result.measured, kDigits) + (result.input.empty() ? "" : " on " + result.input);
  return text + (result.holds ? ", " : ", must be ") + rule.op + " " + number(rule.value, kDigits) + "\n";
}

// "  crossed 4 bytes to the host (at most 4259840), 32 bytes to the device (at most …)"
std::string crossing_text(const Measurement& measured) {
  const auto way = [](const char* where, size_t bytes, size_t most) {
    return std::to_string(bytes) + " bytes to the " + where + " (at most " + std::to_string(most) + ")";
  };
  return "  crossed " + way("host", measured.crossing->to_host, measured.allowed.to_host) + ", " +
         way("device", measured.crossing->from_host, measured.allowed.from_host) + "\n";
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

std::string to_text(const Result& result, const std::string& command) {
  const std::string device = result.opencl_device.empty() ? result.setting.device : "OpenCL: " + result.opencl_device;
  std::string text = result.setting.lab + " · " + result.setting.file + " · on " + device + "\n";
  if (result.planned_cases > 0) {
    text += "  cases  " + std::to_string(result.public_cases().passed + result.hidden_cases().passed) + " of " +
            std::to_string(result.planned_cases) + " pass (seed " + std::to_string(result.setting.seed) + ")\n";
  }
  if (result.planned_hidden > 0) {
    text += "  hidden " + std::to_string(result.hidden_cases().passed) + " of " +
            std::to_string(result.planned_hidden) + " pass (only the instructor knows these cases)\n";
  }
  if (!result.measurements.empty() && result.measurements.front().crossing)
    text += crossing_text(result.measurements.front());
  if (!result.rules.empty()) {
    text += "  rules\n";
    for (const RuleResult& rule : result.rules) text += rule_text(rule);
  }
  text += speed_text(result.speed, result.setting.baseline);
  if (result.setting.sandbox.is_weaker)
    text += "  sandbox  weaker than it could be: " + result.setting.sandbox.run + "\n";
  if (!result.printed.empty() && !result.failure) text += printed_text(result.printed);
  text += result.failure ? failure_text(result, command) : "  " + std::string(name_of(result.verdict())) + "\n";
  return visible(text + score_text(result));
}

}  // namespace warpladder
