#include "grader/judge/verdict.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "grader/judge/json.h"
#include "grader/judge/score.h"
#include "grader/judge/speed_text.h"
#include "grader/judge/text.h"
#include "grader/judge/version.h"

namespace warpladder {
namespace {

constexpr int kDigits = 6;
constexpr int kJsonFormat = 2;  // of to_json(): another number once a key changes its meaning or goes

Json ratio(const std::optional<double>& over, const std::optional<double>& under) {
  return over && under && *under > 0 ? Json(*over / *under) : Json(nullptr);
}

Json rule_json(const RuleResult& result) {
  const char* state = !result.measured ? "not measured on this device" : result.holds ? "pass" : "broken";
  return {{"name", result.rule.name},
          {"counter", result.rule.counter},
          {"per", result.rule.per},
          {"kernel", result.rule.kernel},
          {"op", result.rule.op},
          {"limit", result.rule.value},
          {"value", or_null(result.measured)},
          {"input", result.input},
          {"verdict", state},
          {"why", result.rule.why}};
}

Json score_json(const Result& result) {
  const std::optional<Score> score = score_of(result);
  if (!score) return nullptr;
  Json parts = Json::array();
  for (const ScorePart& part : score->parts)
    parts.push_back({{"name", part.name}, {"points", part.points}, {"of", part.of}, {"why", part.why}});
  return {{"points", score->points}, {"of", kMostPoints}, {"parts", std::move(parts)}};
}

Json time_json(const Result& result) {
  const Speed& speed = result.speed;
  return {{"ms", or_null(speed.ms)},
          {"whole_ms", or_null(speed.whole_ms)},
          {"measured", speed.ms.has_value()},
          {"runs", speed.runs},
          {"what", speed.what},
          {"reason", or_null(speed.reason)},
          {"baseline", result.baseline},
          {"baseline_ms", or_null(speed.baseline_ms)},
          {"speedup_over_serial_cpu", ratio(speed.serial_cpu_ms, speed.ms)},
          {"speedup_over_parallel_cpu", ratio(speed.parallel_cpu_ms, speed.ms)}};
}

Json case_json(const CaseResult& one) {
  const char* verdict = one.passed ? "pass" : "fail";
  if (!one.is_hidden())
    return {{"name", one.name}, {"input", one.input}, {"n", one.n}, {"hidden", false}, {"verdict", verdict}};
  return {{"name", one.alias},
          {"hidden", true},
          {"verdict", verdict},
          {"instructor",
           {{"name", one.name}, {"input", one.input}, {"n", one.n}, {"block", one.block}, {"seed", one.seed}}}};
}

Json failure_json(const Result& result) {
  const Failure& failure = *result.failure;
  Json json = {{"steps", failure.steps},
               {"next", failure.next_step},
               {"printed", failure.printed},
               {"case", result.failed_case},
               {"schedule", result.failed_schedule}};
  if (failure.instructor) {
    const Failure::Secret& secret = *failure.instructor;
    json["instructor"] = {
        {"case", secret.case_name}, {"check", secret.check}, {"steps", secret.steps}, {"printed", secret.printed}};
  }
  return json;
}

size_t passed_cases(const Result& result, bool only_hidden = false) {
  return static_cast<size_t>(std::ranges::count_if(
      result.cases, [&](const CaseResult& one) { return one.passed && (one.is_hidden() || !only_hidden); }));
}

std::string indented(const std::string& text, const std::string& by) {
  std::string out;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    out += by + text.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return out;
}

// What the code printed, on at most 40 lines.
std::string printed_text(const std::string& text) {
  constexpr size_t kShown = 20;  // of each end
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::string out = "  it printed\n";
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines.size() > 2 * kShown && i == kShown) {
      i = lines.size() - kShown;
      out += "    … " + std::to_string(lines.size() - 2 * kShown) + " lines left out; --json keeps more …\n";
    }
    out += "    | " + lines[i] + "\n";
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
    const bool is_news = score->points > 0 || part.name == "correct";  // without right answers nothing else counts
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
  if (!result.failed_case.empty()) {
    text += "  again\n    " + command + " --case " + result.failed_case + " --seed " + std::to_string(result.seed);
    if (!result.failed_schedule.empty()) text += " --schedules " + result.failed_schedule;
    text += "\n";
  }
  return text;
}

std::string rule_text(const RuleResult& result) {
  const Rule& rule = result.rule;
  std::string text = "    " + std::string(result.holds ? "  " : "✗ ") + rule.name + ": " + rule.counter;
  if (!rule.per.empty()) text += " per " + rule.per;
  if (!result.measured)
    return text + " " + rule.op + " " + number(rule.value, kDigits) + ": not measured on this device\n";
  text += " = " + number(*result.measured, kDigits) + (result.input.empty() ? "" : " on " + result.input);
  return text + (result.holds ? ", " : ", must be ") + rule.op + " " + number(rule.value, kDigits) + "\n";
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAccepted: return "accepted";
    case Verdict::kWrongAnswer: return "wrong answer";
    case Verdict::kRuleBroken: return "rule broken";
    case Verdict::kTooSlow: return "too slow";
    case Verdict::kInconclusive: return "inconclusive";
    case Verdict::kCompileError: return "compile error";
    case Verdict::kRuntimeError: return "runtime error";
    case Verdict::kTime: return "time";
    case Verdict::kMemory: return "memory";
    case Verdict::kOutputLimit: return "output limit";
    case Verdict::kCheating: return "cheating suspected";
    case Verdict::kJudgeFault: return "judge fault";
  }
  return "judge fault";
}

bool covers(std::string_view expected, std::string_view check) {
  if (!check.starts_with(expected)) return false;
  return check.size() == expected.size() || check[expected.size()] == '.';
}

std::string to_json(const Result& result) {
  Json json = {
      {"judge", {{"format", kJsonFormat}, {"version", judge_version()}}},
      {"sandbox",
       {{"compile", or_null(result.sandbox.compile)},
        {"run", or_null(result.sandbox.run)},
        {"device", or_null(result.sandbox.device)}}},
      {"lab", result.lab},
      {"file", result.file},
      {"device", result.device},
      {"opencl_device", or_null(result.opencl_device)},
      {"seed", result.seed},
      {"verdict", name_of(result.verdict())},
      {"score", score_json(result)},
      {"failed_check", nullptr},
      {"failure", nullptr},
      {"cases", Json::array()},
      {"cases_passed", passed_cases(result)},
      {"cases_planned", result.planned_cases},
      {"hidden_passed", passed_cases(result, true)},
      {"hidden_planned", result.planned_hidden},
      {"rules", Json::array()},
      {"time", time_json(result)},
      {"speed", speed_json(result.speed)},
      {"counters", result.measurements.empty() ? Json::object() : Json(result.measurements.front().counters)},
      {"measurements", Json::array()},
      {"serial_cpu",
       {{"ms", or_null(result.speed.serial_cpu_ms)}, {"what", "a plain loop on one core, measured by the judge"}}},
      {"parallel_cpu", {{"ms", or_null(result.speed.parallel_cpu_ms)}, {"what", result.speed.parallel_cpu_what}}}};
  if (result.failure) {
    json["failed_check"] = result.failure->check;
    json["failure"] = failure_json(result);
  }
  for (const CaseResult& one : result.cases) json["cases"].push_back(case_json(one));
  for (const Measurement& one : result.measurements) {
    json["measurements"].push_back(
        {{"name", one.name}, {"input", one.input}, {"n", one.n}, {"counters", one.counters}});
  }
  for (const RuleResult& rule : result.rules) json["rules"].push_back(rule_json(rule));
  if (result.histogram) {
    json["histogram"] = *result.histogram;
    json["input"] = {{"file", result.input_file}, {"bytes", result.input_bytes}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_text(const Result& result, const std::string& command) {
  const std::string device = result.opencl_device.empty() ? result.device : "OpenCL: " + result.opencl_device;
  std::string text = result.lab + " · " + result.file + " · on " + device + "\n";
  if (result.planned_cases > 0) {
    text += "  cases  " + std::to_string(passed_cases(result)) + " of " + std::to_string(result.planned_cases) +
            " pass (seed " + std::to_string(result.seed) + ")\n";
  }
  if (result.planned_hidden > 0) {
    text += "  hidden " + std::to_string(passed_cases(result, true)) + " of " + std::to_string(result.planned_hidden) +
            " pass, of those among them that only the instructor knows\n";
  }
  if (!result.rules.empty()) {
    text += "  rules\n";
    for (const RuleResult& rule : result.rules) text += rule_text(rule);
  }
  text += speed_text(result.speed, result.baseline);
  if (result.sandbox.is_weaker) text += "  sandbox  weaker than it could be: " + result.sandbox.run + "\n";
  if (!result.printed.empty() && !result.failure) text += printed_text(result.printed);
  text += result.failure ? failure_text(result, command) : "  " + std::string(name_of(result.verdict())) + "\n";
  return text + score_text(result);
}

}  // namespace warpladder
