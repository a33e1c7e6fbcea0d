#include "grader/judge/lab/lab.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "grader/judge/base/reader.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

constexpr int kMostSpeedPoints = 40;   // of 100: correct answers are worth more than speed
constexpr int kLargestBlock = 1024;    // threads; every card of today can launch so many
constexpr size_t kLargestOffset = 31;  // elements: less than the 256 bytes to the next aligned address

// A learner chooses how many blocks and threads a launch has, and can add launches. So the only divisors are the number
// of elements and, for a counter of one block, the block's threads. A launch that does nothing keeps every upper bound,
// and breaks every lower one.
void check_measure(const Rule& rule, const Reader& reader) {
  if (!std::set<std::string>{"", "launch"}.contains(rule.each)) reader.fail(message("has an unknown \"each\""));
  if (!std::set<std::string>{"", "element", "element^2", "thread of a block"}.contains(rule.per))
    reader.fail(message("has an unknown \"per\""));
  if (rule.per == "thread of a block" && rule.each.empty())
    reader.fail(message("has \"per\": \"thread of a block\" without \"each\": \"launch\""));
  if (!rule.each.empty() && !rule.op.starts_with('<'))
    reader.fail(message("has \"each\": \"launch\" and an \"op\" that is not an upper bound"));
}

std::vector<Rule> read_rules(std::vector<Reader> list) {
  std::vector<Rule> rules;
  for (Reader& reader : list) {
    Rule rule;
    rule.name = reader.get<std::string>("name");
    rule.counter = reader.get<std::string>("counter");
    rule.per = reader.get<std::string>("per", "");
    rule.each = reader.get<std::string>("each", "");
    rule.op = reader.get<std::string>("op");
    rule.value = reader.get<double>("value");
    rule.why = reader.get<std::string>("why");
    rule.starter = reader.get_figure("starter");
    rule.reference = reader.get_figure("reference");
    reader.finish();
    if (!std::set<std::string>{"<=", ">=", "==", "<", ">"}.contains(rule.op))
      reader.fail(message("has an unknown \"op\""));
    check_measure(rule, reader);
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::vector<Threshold> read_thresholds(std::vector<Reader> list) {
  std::vector<Threshold> thresholds;
  int sum = 0;
  for (Reader& reader : list) {
    const Threshold threshold{reader.get<double>("speedup"), reader.get<int>("points"), reader.get<std::string>("why")};
    reader.finish();
    const double last = thresholds.empty() ? 0 : thresholds.back().speedup;
    if (!(threshold.speedup > last))
      reader.fail(message("has a \"speedup\" that is not above 0 and the one before it"));
    if (threshold.points < 1) reader.fail(message("has \"points\" below 1"));
    if (threshold.why.empty()) reader.fail(message("has an empty \"why\""));
    if ((sum += threshold.points) > kMostSpeedPoints)
      reader.fail(message("makes the points of all thresholds more than {number}", {{"number", kMostSpeedPoints}}));
    thresholds.push_back(threshold);
  }
  return thresholds;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// What the entries of the lab have, in the contract's order.
std::vector<std::string> all_inputs(const Lab& lab) {
  std::vector<std::string> all;
  for (const std::string& input : lab.contract->inputs) {
    const auto knows = [&](const std::string& name) { return has(lab.contract->find_entry(name)->inputs, input); };
    if (std::ranges::any_of(lab.entries, knows)) all.push_back(input);
  }
  return all;
}

void check_entries(const Lab& lab, const Reader& reader) {
  if (lab.entries.empty()) reader.fail(message("has no entry in \"entries\""));
  for (const std::string& entry : lab.entries) {
    if (lab.contract->find_entry(entry) == nullptr)
      reader.fail(message("names the entry \"{entry}\", which its contract has not", {{"entry", entry}}));
  }
}

void check_names(const Lab& lab, const Reader& reader) {
  for (const std::string& entry : lab.entries) {
    if (lab.contract->find_entry(entry)->takes_block && lab.blocks.empty())
      reader.fail(message("has no \"blocks\", which its entry \"{entry}\" takes", {{"entry", entry}}));
  }
  if (!has(lab.entries, lab.measured)) reader.fail(message("measures none of its entries"));
  for (const std::string& input : lab.inputs) {
    if (!has(lab.contract->inputs, input))
      reader.fail(message("names the input \"{input}\", which its contract has not", {{"input", input}}));
  }
  if (lab.measured_inputs.empty()) reader.fail(message("measures none of its inputs"));
  std::vector<std::string> counted = lab.measured_inputs;
  std::ranges::copy(lab.graded_inputs, std::back_inserter(counted));
  for (const std::string& input : counted) {
    if (!has(lab.inputs, input))
      reader.fail(message("measures the input \"{input}\", which is none of its own", {{"input", input}}));
    for (const std::string& entry : lab.entries) {
      if (!has(lab.contract->find_entry(entry)->inputs, input))
        reader.fail(message("measures the input \"{input}\", which its entry \"{entry}\" has not",
                            {{"input", input}, {"entry", entry}}));
    }
  }
  if (lab.baseline != "cpu" && lab.baseline.find_first_not_of("0123456789") != std::string::npos)
    reader.fail(message("has a \"baseline\" that is neither cpu nor a lab's number"));
  for (const std::string& schedule : lab.schedules) {
    if (!is_schedule(schedule))
      reader.fail(message("has an unknown schedule \"{schedule}\"", {{"schedule", schedule}}));
  }
  if (!lab.schedules.empty() && lab.is_opencl()) reader.fail(message("has \"schedules\", but lockstep runs no OpenCL"));
  if (lab.source.empty() || lab.source.find('/') != std::string::npos)
    reader.fail(message("has a \"source\" that is no file name"));
  for (const int block : lab.blocks) {
    if (block < 1 || block > kLargestBlock)
      reader.fail(message("has a size in \"blocks\" outside 1 … {number}", {{"number", kLargestBlock}}));
  }
  if (lab.offsets.empty()) reader.fail(message("has no offset in \"offsets\""));
  for (const size_t offset : lab.offsets) {
    if (offset > kLargestOffset)
      reader.fail(message("has an offset outside 0 … {number}", {{"number", kLargestOffset}}));
  }
  if (lab.thresholds.empty() == lab.speed_why.empty())
    reader.fail(
        message("needs thresholds in \"speed\", or a \"speed_why\" that says why there are none, and not both"));
  if (lab.sizes.largest < 3) reader.fail(message("has a \"sizes\".\"largest\" below 3"));
  if (lab.sizes.real == 0 || lab.sizes.real > 1u << 30)
    reader.fail(message("has a \"sizes\".\"real\" outside 1 … 2^30"));
}

Lab::Sizes read_sizes(Reader reader) {
  const Lab::Sizes sizes{reader.get<size_t>("real"), reader.get<size_t>("largest", (size_t{1} << 20) + 1)};
  reader.finish();
  return sizes;
}

Lab::Limits read_limits(Reader reader) {
  Lab::Limits limits;
  limits.one_case = reader.get<double>("case_s", limits.one_case);
  limits.real_case = reader.get<double>("real_s", limits.real_case);
  limits.compile = reader.get<double>("compile_s", limits.compile);
  limits.whole = reader.get<double>("whole_s", limits.whole);
  reader.finish();
  return limits;
}

}  // namespace

bool is_schedule(const std::string& name) {
  constexpr std::string_view kDrawn = "random:";
  if (!name.starts_with(kDrawn)) return name == "forward" || name == "reverse";
  const std::string number = name.substr(kDrawn.size());
  return !number.empty() && number.size() < 10 && number.find_first_not_of("0123456789") == std::string::npos;
}

bool Lab::is_timed_on_host() const { return measured_entry().on_host; }

std::vector<std::string> Lab::inputs_of(const EntryInfo& entry) const {
  std::vector<std::string> both;
  std::ranges::copy_if(inputs, std::back_inserter(both),
                       [&](const std::string& input) { return has(entry.inputs, input); });
  return both;
}

Lab load_lab(const fs::path& folder) {
  const fs::path absolute = fs::weakly_canonical(folder);
  Reader reader =
      Reader::of_file(absolute / "lab.json", message("--lab takes a folder such as labs/02_reduce_neighbored."));
  Lab lab;
  lab.name = absolute.filename();
  lab.number = lab.name.substr(0, lab.name.find('_'));
  for (const char* key : {"title", "family"}) reader.get<std::string>(key);  // for the pages
  lab.source = reader.get<std::string>("source");
  const auto contract = reader.get<std::string>("contract");
  lab.contract = find_contract(contract);
  if (lab.contract == nullptr)
    reader.fail(message("names an unknown contract, \"{contract}\"", {{"contract", contract}}));
  lab.entries = reader.get<std::vector<std::string>>("entries");
  check_entries(lab, reader);
  lab.baseline = reader.get<std::string>("baseline");
  lab.measured = reader.get<std::string>("measured", lab.entries.empty() ? "" : lab.entries.back());
  lab.inputs = reader.get<std::vector<std::string>>("inputs", all_inputs(lab));
  if (lab.inputs.empty()) reader.fail(message("has no input in \"inputs\""));
  lab.measured_inputs = reader.get<std::vector<std::string>>(
      "measured_inputs", {has(lab.inputs, "random") ? "random" : lab.inputs.front()});
  lab.graded_inputs = reader.get<std::vector<std::string>>("graded_inputs", {});
  lab.sizes = read_sizes(reader.object("sizes"));
  if (reader.has("limits")) lab.limits = read_limits(reader.object("limits"));
  lab.blocks = reader.get<std::vector<int>>("blocks", {});
  lab.offsets = reader.get<std::vector<size_t>>("offsets", lab.offsets);
  lab.schedules = reader.get<std::vector<std::string>>("schedules", {});
  lab.rules = read_rules(reader.list("rules", later("rule {number}")));
  lab.thresholds = read_thresholds(reader.list("speed", later("speed {number}")));
  lab.speed_why = reader.get<std::string>("speed_why", "");
  reader.get<std::string>("starter_fails");  // for CTest
  reader.skip("arch");                       // for CMake
  reader.skip("nvcc");                       // for CMake and the launcher
  reader.skip("needs");                      // for the map
  reader.skip("predict");                    // for ./lab, which asks the learner
  reader.skip("predict_why");
  reader.finish();
  check_names(lab, reader);
  return lab;
}

Build load_build(const fs::path& file) {
  Reader reader = Reader::of_file(file, message("Build the labs first: cmake --build build"));
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
