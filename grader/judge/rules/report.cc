#include "grader/judge/rules/report.h"

#include "grader/judge/base/fault.h"
#include "grader/judge/base/json.h"

namespace warpladder {
namespace {

Launch parse_launch(const Json& json) {
  Launch launch;
  launch.kernel = json.at("kernel");
  const auto grid = json.at("grid").get<std::vector<double>>();
  const auto block = json.at("block").get<std::vector<double>>();
  launch.blocks = grid.at(0) * grid.at(1) * grid.at(2);
  launch.threads = launch.blocks * block.at(0) * block.at(1) * block.at(2);
  launch.counters = json.at("counters").get<std::map<std::string, double>>();
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
    for (const Json& finding : json.at("findings")) {
      report.findings.push_back(
          {finding.at("kind"), finding.value("message", ""), finding.value("file", ""), finding.value("line", 0)});
    }
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

}  // namespace warpladder
