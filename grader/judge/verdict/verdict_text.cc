// verdict_text: Result → text for a person.
#include "grader/judge/verdict/verdict.h"

#include <algorithm>
#include <filesystem>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

constexpr int kDigits = 6;
constexpr size_t kBeside = 9;       // characters before a text with a word at its side
constexpr size_t kLineBytes = 400;  // the most that is shown of a line that the code printed

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
    // Without right answers nothing else counts, and the failure has just been told: only hidden cases are news.
    // So are points that are lost although every case passes.
    const bool all_pass = result.planned_cases > 0 && result.public_cases().passed == result.planned_cases;
    const bool is_news = score->points > 0 || (part.name == "correct" && (result.planned_hidden > 0 || all_pass));
    if (is_news && (part.name == "speed" || part.points < part.of)) text += " (" + part.why + ")";
    separator = ", ";
  }
  return wrapped(text, "");
}

// Without the folder of the learner's file, which says nothing new.
std::string without_folder(std::string text, const Result& result) {
  const std::string folder = std::filesystem::path(result.setting.file).parent_path().string() + "/";
  for (size_t at = 0; folder.size() > 1 && (at = text.find(folder, at)) != std::string::npos;)
    text.erase(at, folder.size());
  return text;
}

// "  next   Look at …": a word at the side, the text behind it and below.
std::string beside(const std::string& word, const std::string& text) {
  const std::string rows = wrapped(text, std::string(kBeside, ' '));
  return "  " + word + rows.substr(2 + word.size());
}

// At most so many lines, so that the next step is still on the screen.
std::string cut(const std::string& text, size_t most) {
  const std::vector<std::string> lines = split(text, '\n');
  if (lines.size() <= most) return text;
  std::string out;
  for (size_t i = 0; i + 1 < most; ++i) out += lines[i] + "\n";
  return out + "    … " + std::to_string(lines.size() - most + 1) + " lines left out; --json keeps them\n";
}

// The compiler's first warning, where the answers are wrong.
std::string warning_text(const Result& result) {
  if (result.warnings.empty() || leaves_answers_right(*result.failure)) return "";
  return beside("nvcc", "warns of " + result.warnings.front());
}

// A failure has at most kOnPage lines on the usual page, beside what the code itself printed.
std::string failure_text(const Result& result, const std::string& command) {
  constexpr size_t kOnPage = 15, kFewest = 5;  // kFewest: of the steps
  const size_t most = kOnPage * kUsualPage / page_width();
  const Failure& failure = *result.failure;
  std::string steps, end;
  for (const std::string& step : failure.steps) steps += wrapped(without_folder(step, result), "    ");
  end += warning_text(result);
  if (!failure.next_step.empty()) end += beside("next", capitalised(without_folder(failure.next_step, result)));
  if (const std::string again = again_text(result, command); !again.empty()) end += "  again  " + again + "\n";
  const std::string score = score_text(result);
  const auto taken = static_cast<size_t>(1 + std::ranges::count(end + score, '\n'));
  return "\n  " + std::string(name_of(failure.verdict)) + " · " + failure.check + "\n" +
         cut(steps, std::max(kFewest, most - std::min(most, taken))) +
         (failure.printed.empty() ? "" : printed_text(without_folder(failure.printed, result))) + end + score;
}

// A reason's first sentence: less of it would say something else.
std::string first_sentence(const std::string& why) { return why.substr(0, why.find(". ")); }

std::string rule_text(const RuleResult& result) {
  std::string text = std::string(!result.measured ? "–" : result.holds ? "✓" : "✗") + " " + result.rule.name;
  if (result.measured)
    text += ": " + number(*result.measured, kDigits) + (result.input.empty() ? "" : " on " + result.input);
  text += std::string(result.measured && !result.holds ? ", must be " : ", ") + bound_of(result.rule) + ": " +
          quantity_of(result) + (result.measured ? "" : "; not measured on this device");
  // The failure has the whole reason of a broken rule.
  return wrapped(text, "    ") + (result.holds ? wrapped(first_sentence(result.rule.why), "      ") : "");
}

// "  between host and device: 4 bytes to the host (at most 4259840), 32 bytes to the device (at most …)"
std::string crossing_text(const Measurement& measured) {
  const auto way = [](const char* where, size_t bytes, size_t most) {
    return std::to_string(bytes) + " bytes to the " + where + " (at most " + std::to_string(most) + ")";
  };
  return wrapped("between host and device: " + way("host", measured.crossing->to_host, measured.allowed.to_host) +
                     ", " + way("device", measured.crossing->from_host, measured.allowed.from_host),
                 "  ");
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
  std::string text = result.setting.lab + " · " + std::filesystem::path(result.setting.file).filename().string() +
                     " · on " + device + "\n";
  if (result.planned_cases > 0) {
    const bool leaves_out = result.leaves_out && result.public_cases().failed > 0;
    text += "  cases  " + std::to_string(result.public_cases().passed + result.hidden_cases().passed) + " of " +
            std::to_string(result.planned_cases) + " pass (seed " + std::to_string(result.setting.seed) + ")" +
            (leaves_out ? "; larger ones follow" : "") + "\n";
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
    text += wrapped("sandbox  weaker than it could be: " + result.setting.sandbox.run, "  ");
  if (!result.printed.empty() && !result.failure) text += printed_text(result.printed);
  if (result.failure) return visible(text + failure_text(result, command));
  return visible(text + "  " + std::string(name_of(result.verdict())) + "\n" + score_text(result));
}

}  // namespace warpladder
