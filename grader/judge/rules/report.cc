#include "grader/judge/rules/report.h"

#include <algorithm>
#include <set>

#include "grader/judge/base/json.h"
#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

// The counters of a launch, or of a line, without what its calls of printf() access.
std::map<std::string, double> without_printf(const Json& counted) {
  auto counters = counted.at("counters").get<std::map<std::string, double>>();
  const Json of_printf = counted.value("printf_counters", Json::object());
  for (const auto& [name, value] : of_printf.items()) counters[name] -= value.get<double>();
  return counters;
}

Launch parse_launch(const Json& json) {
  Launch launch;
  const auto grid = json.at("grid").get<std::vector<double>>();
  const auto block = json.at("block").get<std::vector<double>>();
  launch.blocks = grid.at(0) * grid.at(1) * grid.at(2);
  launch.threads = launch.blocks * block.at(0) * block.at(1) * block.at(2);
  // A rule is about the algorithm, and a printf() that somebody left in is no part of it; nor can it stand for work.
  launch.counters = without_printf(json);
  const Json by_ptx = json.value("ptx_counters", Json::object());
  const Json kinds = json.value("counter_kinds", Json::object());
  for (const auto& [name, kind] : kinds.items())
    if (by_ptx.contains(name)) launch.doubted[name] = by_ptx.at(name).get<double>();
  const Json lines = json.value("lines", Json::array());
  for (const Json& line : lines) {
    const std::string place = line.value("file", "") + ":" + std::to_string(line.value("line", 0));
    for (const auto& [name, value] : without_printf(line)) launch.lines[place][name] += value;
  }
  const Json modelled = json.value("modelled", Json::object());
  for (const auto& [card, time] : modelled.items()) launch.modelled_us[card] = time.at("us").get<double>();
  return launch;
}

// The line without its first characters, which are in a string at its front.
Message without_front(Message line, size_t count) {
  Message& front = line.arguments.empty() ? line : line.arguments.front().second;
  if (!front.is_words()) front.form.erase(0, count);
  return line;
}

// A text of lockstep's report: strings, and words with their arguments, one after the other.
Message read_message(const Json& pieces) {
  std::vector<Message> parts;
  for (const Json& piece : pieces) {
    if (piece.is_string()) {
      parts.emplace_back(piece.get<std::string>());
      continue;
    }
    Message::Arguments arguments;
    for (const auto& [key, value] : piece.at("arguments").items()) arguments.emplace_back(key, read_message(value));
    parts.push_back(message(piece.at("form").get<std::string>(), std::move(arguments)));
  }
  return parts.size() == 1 ? parts.front() : together(parts, "");
}

std::vector<Message> read_lines(const Json& all) {
  std::vector<Message> lines;
  for (const Json& line : all) lines.push_back(read_message(line));
  return lines;
}

// The lines in parts; of a report that has none, the text as it is.
std::vector<Message> read_lines(const Json& holder, const char* parts, const char* text) {
  return holder.contains(parts) ? read_lines(holder[parts]) : verbatim_lines(holder.value(text, ""));
}

}  // namespace

std::vector<Message> verbatim_lines(const std::string& text) {
  std::vector<Message> lines;
  for (const std::string& line : split(text, '\n')) lines.emplace_back(line);
  return lines;
}

Report parse_report(const std::string& text) {
  Report report;
  try {
    const Json json = Json::parse(text);
    report.is_whole = json.value("end", "orderly") == "orderly";
    for (const Json& launch : json.at("launches")) report.launches.push_back(parse_launch(launch));
    if (json.contains("modelled_error")) report.modelled_error = json["modelled_error"].get<double>();
    report.counter_names = json.value("counter_names", report.counter_names);
    report.calls = json.value("calls", report.calls);
    for (const Json& call : json.value("failed_call_lines", Json::array()))
      report.failed_calls.push_back(read_lines(call));
    report.stopped_at = read_lines(json, "stopped_at_lines", "stopped_at");
    for (const Json& finding : json.at("findings"))
      report.findings.push_back({finding.at("kind"), read_lines(finding, "lines", "message")});
  } catch (const std::exception& error) {
    throw JudgeFault(message("the device's report cannot be read: {reason}", {{"reason", std::string(error.what())}}));
  }
  return report;
}

std::map<std::string, double> total_counters(const Report& report) {
  std::map<std::string, double> sums;
  for (const Launch& launch : report.launches) {
    for (const auto& [name, value] : launch.counters) sums[name] += value;
  }
  return sums;
}

Told told_in(const std::vector<Message>& lines) {
  constexpr std::string_view kNext = "Next: ";
  Told told;
  for (const Message& line : lines) {
    const std::string text = line.text();
    const size_t begin = std::min(text.find_first_not_of(' '), text.size());
    if (text.substr(begin).starts_with(kNext)) {
      told.next_step = without_front(line, begin + kNext.size());
      told.next_step.is_sentence = true;
    } else if (!told.next_step.empty()) {
      told.next_step = together({told.next_step, without_front(line, begin)}, " ");
    } else {
      told.lines.push_back(line);
    }
  }
  return told;
}

Failure finding_failure(const Finding& finding) {
  Told told = told_in(finding.lines);
  Failure failure{Verdict::kRuleBroken, "finding." + finding.kind, std::move(told.lines), std::move(told.next_step),
                  ""};
  failure.advice = failure.check;
  return failure;
}

Failure unchecked_failure(const std::string& entry, int call, const std::string& report, const Message& went_on) {
  Message what = message("call {number}", {{"number", call}});  // the only thing known if the process crashed
  if (!report.empty()) {
    for (const Finding& finding : parse_report(report).findings) {
      if (finding.kind == "injected_error") what = together(finding.lines, "\n");
    }
  }
  return {Verdict::kRuleBroken,
          "finding.unchecked_error",
          {message("{entry}: lockstep made one CUDA call fail, to see whether the code checks it", {{"entry", entry}}),
           what, went_on},
          message("Put CUDA_CHECK(…) around each call of CUDA's, and CUDA_CHECK(cudaGetLastError()); behind each "
                  "launch."),
          "",
          {},
          {},
          "finding.unchecked_error"};
}

bool is_reported_by_cards(const Finding& finding) {
  static const std::set<std::string> kReported = {"out_of_bounds",  "misaligned",     "null_pointer", "host_pointer",
                                                  "device_pointer", "use_after_free", "invalid_free", "bad_launch"};
  return kReported.contains(finding.kind);
}

std::optional<Failure> cause_of(const Report& report, bool is_right) {
  // If a program ended at an error, memory that it had not freed yet is not a leak. A leak makes no answer wrong.
  const auto is_cause = [&](const Finding& finding) {
    return !is_reported_by_cards(finding) && (is_right || finding.kind != "leak");
  };
  // A finding that makes answers wrong comes first, if there is one.
  auto cause = std::ranges::find_if(report.findings, [&](const Finding& finding) {
    return is_cause(finding) && !leaves_answers_right(finding_failure(finding));
  });
  if (cause == report.findings.end()) cause = std::ranges::find_if(report.findings, is_cause);
  if (cause == report.findings.end()) return std::nullopt;
  // Threads that miss a barrier cause races, and the race may be found first.
  if (cause->kind == "race") {
    const auto missed = std::ranges::find(report.findings, "barrier_divergence", &Finding::kind);
    if (missed != report.findings.end()) cause = missed;
  }
  Failure failure = finding_failure(*cause);
  const auto places = std::ranges::count(report.findings, cause->kind, &Finding::kind);
  if (places > 1)
    failure.steps.push_back(places == 2 ? message("and 1 more place")
                                        : message("and {count} more places", {{"count", places - 1}}));
  return failure;
}

namespace {

constexpr std::string_view kLockstep = "lockstep: ";

void drop_repeated(Failure& failure) {
  std::string kept;
  for (const std::string& line : split(failure.printed, '\n')) {
    const size_t begin = line.find_first_not_of(' ');
    const std::string text = begin == std::string::npos ? "" : line.substr(begin);
    const bool is_told = !text.empty() && std::ranges::any_of(failure.steps, [&](const Message& step) {
      return step.text().find(text) != std::string::npos;
    });
    if (!is_told && !line.starts_with(kLockstep)) kept += line + "\n";
  }
  failure.printed = kept;
}

}  // namespace

void explain(const Report& report, Failure& failure) {
  const auto reported = std::ranges::find_if(report.findings, is_reported_by_cards);
  const bool is_found = reported != report.findings.end();
  const bool is_call = failure.check == "guard" || failure.check == "runtime" || failure.check == "memory";
  // A launch that failed, and whose error the code did not look at, is the cause of a wrong answer, if lockstep told of
  // it before.
  const bool is_unseen = failure.check.starts_with("case.") && failure.printed.find(kLockstep) != std::string::npos;
  const auto tell = [&](const Told& told, const std::string& advice) {
    // Behind the case, and before the call that told of it.
    failure.steps.insert(failure.steps.begin() + (failure.steps.empty() ? 0 : 1), told.lines.begin(), told.lines.end());
    if (!told.next_step.empty()) failure.next_step = told.next_step;
    failure.advice = advice;
  };
  if (is_found && (is_call || is_unseen))
    tell(told_in(reported->lines), "finding." + reported->kind);
  else if (!report.failed_calls.empty() && is_call)
    tell(told_in(report.failed_calls.back()), "call");
  else if (!report.stopped_at.empty() && failure.verdict == Verdict::kTime)
    tell(told_in(report.stopped_at), "endless");
  drop_repeated(failure);
}

}  // namespace warpladder
