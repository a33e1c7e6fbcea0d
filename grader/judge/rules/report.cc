#include "grader/judge/rules/report.h"

#include <algorithm>
#include <set>

#include "grader/judge/base/json.h"
#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

Launch parse_launch(const Json& json) {
  Launch launch;
  const auto grid = json.at("grid").get<std::vector<double>>();
  const auto block = json.at("block").get<std::vector<double>>();
  launch.blocks = grid.at(0) * grid.at(1) * grid.at(2);
  launch.threads = launch.blocks * block.at(0) * block.at(1) * block.at(2);
  launch.counters = json.at("counters").get<std::map<std::string, double>>();
  const Json by_ptx = json.value("ptx_counters", Json::object());
  const Json kinds = json.value("counter_kinds", Json::object());
  for (const auto& [name, kind] : kinds.items())
    if (by_ptx.contains(name)) launch.doubted[name] = by_ptx.at(name).get<double>();
  const Json modelled = json.value("modelled", Json::object());
  for (const auto& [card, time] : modelled.items()) launch.modelled_us[card] = time.at("us").get<double>();
  return launch;
}

}  // namespace

Report parse_report(const std::string& text) {
  Report report;
  try {
    const Json json = Json::parse(text);
    report.is_whole = json.value("end", "orderly") == "orderly";
    for (const Json& launch : json.at("launches")) report.launches.push_back(parse_launch(launch));
    if (json.contains("modelled_error")) report.modelled_error = json["modelled_error"].get<double>();
    if (json.contains("calls")) report.calls = json["calls"].get<std::vector<std::string>>();
    for (const Json& finding : json.at("findings"))
      report.findings.push_back({finding.at("kind"), finding.value("message", "")});
  } catch (const std::exception& error) {
    throw JudgeFault(std::string("the device's report cannot be read: ") + error.what());
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

Failure finding_failure(const Finding& finding) {
  return make_failure(Verdict::kRuleBroken, "finding." + finding.kind, finding.message, "");
}

Failure unchecked_failure(const std::string& entry, int call, const std::string& report, const std::string& went_on) {
  std::string what = "call " + std::to_string(call);  // the only thing known if the process crashed
  if (!report.empty()) {
    for (const Finding& finding : parse_report(report).findings) {
      if (finding.kind == "injected_error") what = finding.message;
    }
  }
  return {Verdict::kRuleBroken,
          "finding.unchecked_error",
          {entry + ": lockstep made one CUDA call fail, to see whether the code checks it", what, went_on},
          "Put CUDA_CHECK(…) around each call of CUDA's, and CUDA_CHECK(cudaGetLastError()); behind each launch.",
          ""};
}

bool is_reported_by_cards(const Finding& finding) {
  static const std::set<std::string> kReported = {"out_of_bounds",  "misaligned",   "null_pointer", "host_pointer",
                                                  "use_after_free", "invalid_free", "bad_launch"};
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
  return finding_failure(*cause);
}

void drop_leaks(const Report& report, std::string& printed) {
  for (const Finding& finding : report.findings) {
    if (finding.kind != "leak") continue;
    std::string told;  // in lockstep's form
    for (const std::string& line : split(finding.message, '\n')) told += "lockstep: " + line + "\n";
    const size_t start = printed.find(told);
    if (!told.empty() && start != std::string::npos) printed.erase(start, told.size());
  }
}

}  // namespace warpladder
