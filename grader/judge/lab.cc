#include "grader/judge/lab.h"

#include <algorithm>
#include <fstream>
#include <set>

#include "grader/judge/reader.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

constexpr int kMostSpeedPoints = 40;  // of 100: being correct is worth more than being fast
constexpr int kLargestBlock = 1024;   // threads; what every card of today can launch

Json read_json(const fs::path& file, const char* next_step) {
  std::ifstream stream(file);
  if (!stream) throw JudgeFault(file.string() + ": cannot be read. " + next_step);
  try {
    return Json::parse(stream);
  } catch (const Json::exception& error) { throw JudgeFault(file.string() + ": is no JSON: " + error.what()); }
}

std::optional<double> read_figure(const Json& figure, const Reader& reader) {
  if (figure.is_null()) return std::nullopt;
  if (!figure.is_number()) reader.fail("has a \"starter\" or \"reference\" that is neither a number nor null");
  return figure.get<double>();
}

std::vector<Rule> read_rules(const Json& list, const std::string& file) {
  std::vector<Rule> rules;
  for (const Json& item : list) {
    Reader reader(item, file + ": rule " + std::to_string(rules.size() + 1));
    Rule rule;
    rule.name = reader.get<std::string>("name");
    rule.counter = reader.get<std::string>("counter");
    rule.per = reader.get<std::string>("per", "");
    rule.kernel = reader.get<std::string>("kernel", "");
    rule.op = reader.get<std::string>("op");
    rule.value = reader.get<double>("value");
    rule.why = reader.get<std::string>("why");
    rule.starter = read_figure(reader.require("starter"), reader);
    rule.reference = read_figure(reader.require("reference"), reader);
    reader.finish();
    if (!std::set<std::string>{"<=", ">=", "==", "<", ">"}.contains(rule.op)) reader.fail("has an unknown \"op\"");
    rules.push_back(std::move(rule));
  }
  return rules;
}

void read_thresholds(const Json& list, const std::string& file, Lab& lab) {
  int sum = 0;
  double last = 0;
  for (const Json& item : list) {
    Reader reader(item, file + ": speed " + std::to_string(lab.thresholds.size() + 1));
    const Threshold threshold{reader.get<double>("speedup"), reader.get<int>("points"), reader.get<std::string>("why")};
    reader.finish();
    if (!(threshold.speedup > last)) reader.fail("has a \"speedup\" that is not above 0 and the one before it");
    if (threshold.points < 1) reader.fail("has \"points\" below 1");
    if (threshold.why.empty()) reader.fail("has an empty \"why\"");
    if ((sum += threshold.points) > kMostSpeedPoints)
      reader.fail("makes the points of all thresholds more than " + std::to_string(kMostSpeedPoints));
    last = threshold.speedup;
    lab.thresholds.push_back(threshold);
  }
}

void check_names(const Lab& lab, const Reader& reader) {
  if (lab.entries.empty()) reader.fail("has no entry in \"entries\"");
  for (const std::string& entry : lab.entries) {
    const EntryInfo* info = lab.contract->find_entry(entry);
    if (info == nullptr) reader.fail("names the entry \"" + entry + "\", which its contract has not");
    if (info->takes_block && lab.blocks.empty())
      reader.fail("has no \"blocks\", which its entry \"" + entry + "\" takes");
  }
  if (std::ranges::find(lab.entries, lab.measured) == lab.entries.end()) reader.fail("measures none of its entries");
  for (const std::string& input : lab.inputs) {
    if (std::ranges::find(lab.contract->inputs, input) == lab.contract->inputs.end()) {
      reader.fail("names the input \"" + input + "\", which its contract has not");
    }
  }
  if (lab.measured_inputs.empty()) reader.fail("measures none of its inputs");
  for (const std::string& input : lab.measured_inputs) {
    if (std::ranges::find(lab.inputs, input) == lab.inputs.end())
      reader.fail("measures the input \"" + input + "\", which is none of its own");
  }
  if (lab.baseline != "cpu" && lab.baseline.find_first_not_of("0123456789") != std::string::npos)
    reader.fail("has a \"baseline\" that is neither cpu nor a lab's number");
  if (lab.source.empty() || lab.source.find('/') != std::string::npos)
    reader.fail("has a \"source\" that is no file name");
  for (const int block : lab.blocks) {
    if (block < 1 || block > kLargestBlock)
      reader.fail("has a size in \"blocks\" outside 1 … " + std::to_string(kLargestBlock));
  }
  if (lab.thresholds.empty() == lab.speed_why.empty())
    reader.fail("needs thresholds in \"speed\", or a \"speed_why\" that says why there are none, and not both");
  if (lab.largest_size < 3) reader.fail("has a \"sizes\".\"largest\" below 3");
  if (lab.real_size == 0 || lab.real_size > 1u << 30) reader.fail("has a \"sizes\".\"real\" outside 1 … 2^30");
}

void read_sizes(const Json& json, const std::string& place, Lab& lab) {
  Reader sizes(json, place + ": \"sizes\"");
  lab.real_size = sizes.get<size_t>("real");
  lab.largest_size = sizes.get<size_t>("largest", (size_t{1} << 20) + 1);
  sizes.finish();
}

void read_limits(const Json& json, const std::string& place, Lab& lab) {
  if (json.is_null()) return;
  Reader limits(json, place + ": \"limits\"");
  lab.case_seconds = limits.get<double>("case_s", lab.case_seconds);
  lab.real_seconds = limits.get<double>("real_s", lab.real_seconds);
  lab.compile_seconds = limits.get<double>("compile_s", lab.compile_seconds);
  limits.finish();
}

}  // namespace

Lab load_lab(const fs::path& folder) {
  const fs::path absolute = fs::weakly_canonical(folder);
  const std::string file = (absolute / "lab.json").string();
  const Json json = read_json(file, "--lab takes a folder such as labs/02_reduce_neighbored.");
  Reader reader(json, file);
  Lab lab;
  lab.name = absolute.filename();
  lab.number = lab.name.substr(0, lab.name.find('_'));
  lab.title = reader.get<std::string>("title");
  reader.get<std::string>("family");
  lab.source = reader.get<std::string>("source");
  const auto contract = reader.get<std::string>("contract");
  lab.contract = find_contract(contract);
  if (lab.contract == nullptr) reader.fail("names an unknown contract, \"" + contract + "\"");
  lab.entries = reader.get<std::vector<std::string>>("entries");
  lab.baseline = reader.get<std::string>("baseline");
  lab.measured = reader.get<std::string>("measured", lab.entries.empty() ? "" : lab.entries.back());
  lab.inputs = reader.get<std::vector<std::string>>(
      "inputs", std::vector<std::string>(lab.contract->inputs.begin(), lab.contract->inputs.end()));
  if (lab.inputs.empty()) reader.fail("has no input in \"inputs\"");
  lab.measured_inputs = reader.get<std::vector<std::string>>("measured_inputs", {lab.inputs.front()});
  read_sizes(reader.child("sizes"), file, lab);
  read_limits(reader.child("limits"), file, lab);
  lab.blocks = reader.get<std::vector<int>>("blocks", {});
  lab.rules = read_rules(reader.child("rules"), file);
  read_thresholds(reader.child("speed"), file, lab);
  lab.speed_why = reader.get<std::string>("speed_why", "");
  reader.get<std::string>("starter_fails");  // CTest's affair
  reader.child("arch");                      // CMake's
  reader.child("needs");                     // the map's
  reader.finish();
  check_names(lab, reader);
  return lab;
}

Build load_build(const fs::path& file) {
  const Json json = read_json(file, "Build the labs first: cmake --build build");
  Reader reader(json, file.string());
  const auto paths = [&](const char* key) {
    const auto words = reader.get<std::vector<std::string>>(key, {});
    return std::vector<fs::path>(words.begin(), words.end());
  };
  return {reader.get<std::vector<std::string>>("compile"),
          reader.get<std::vector<std::string>>("link"),
          paths("compiler_sees"),
          paths("program_sees"),
          reader.get<std::string>("lockstep"),
          reader.get<std::string>("baseline")};
}

}  // namespace warpladder
