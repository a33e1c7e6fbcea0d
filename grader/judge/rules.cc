#include "grader/judge/rules.h"

#include <cmath>

#include "grader/judge/json.h"
#include "grader/judge/text.h"

namespace warpladder {
namespace {

constexpr int kDigits = 10;                // counts are shown whole
constexpr double kFigureTolerance = 1e-6;  // lab.json notes figures with seven digits or so

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

bool holds(double measured, const std::string& op, double value) {
  if (op == "<=") return measured <= value;
  if (op == ">=") return measured >= value;
  if (op == "==") return measured == value;
  if (op == "<") return measured < value;
  return op == ">" && measured > value;
}

// How far a result is from holding; negative if it holds with room.
double excess(const RuleResult& result) {
  const double measured = result.measured.value_or(NAN), value = result.rule.value;
  if (std::isnan(measured)) return INFINITY;
  if (result.rule.op == "==") return std::abs(measured - value);
  return result.rule.op.starts_with('<') ? measured - value : value - measured;
}

// What a launch contributes to one side of the fraction.
double amount(const Launch& launch, const std::string& what, const std::string& rule) {
  if (what == "launch") return 1;
  if (what == "block") return launch.blocks;
  if (what == "thread") return launch.threads;
  const auto counter = launch.counters.find(what);
  if (counter != launch.counters.end()) return counter->second;
  throw JudgeFault("rule \"" + rule + "\" asks for \"" + what +
                   "\", which is no counter of the device. lab.json is wrong.");
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

RuleResult apply_rule(const Rule& rule, const Report& report, size_t n) {
  double counter = 0, per = 0;
  bool launched = rule.counter == "launch";  // none is a number, too
  for (const Launch& launch : report.launches) {
    if (launch.kernel.find(rule.kernel) == std::string::npos) continue;
    launched = true;
    counter += amount(launch, rule.counter, rule.name);
    if (!rule.per.empty() && !rule.per.starts_with("element")) per += amount(launch, rule.per, rule.name);
  }
  const auto elements = static_cast<double>(n);
  if (rule.per.empty()) per = 1;
  if (rule.per == "element") per = elements;
  if (rule.per == "element^2") per = elements * elements;
  // No launch at all, say, or 0 ÷ 0: that is no number, and no comparison holds for it. Else who computes on the host
  // would need no memory traffic, and pass.
  const double measured = launched ? counter / per : NAN;
  return {rule, measured, holds(measured, rule.op, rule.value)};
}

bool is_worse(const RuleResult& one, const RuleResult& other) { return excess(one) > excess(other); }

std::optional<Failure> missing_work(const Contract& contract, size_t n, const Report& report) {
  constexpr double kSectorBytes = 32;
  const auto bytes = [&](std::initializer_list<const char*> accesses, const char* copied) {
    double sum = 0;
    for (const Launch& launch : report.launches) {
      for (const std::string access : accesses)
        sum += kSectorBytes * amount(launch, "l1tex__t_sectors_pipe_lsu_mem_global_op_" + access + ".sum", "work");
      sum += amount(launch, copied, "work");
    }
    return sum;
  };
  const auto failure = [](const char* name, const char* what, double done, size_t wanted, const char* of) {
    return Failure{Verdict::kRuleBroken,
                   std::string("work.") + name,
                   {std::string("the kernels ") + what + " " + number(done, kDigits) +
                    " bytes of global memory, and the " + of + " has " + std::to_string(wanted)},
                   "The work must be done on the device: by kernels, on all of the input.",
                   ""};
  };
  const size_t in = n * contract.element_bytes, out = contract.out_bytes(n);
  const double loaded = bytes({"ld", "atom"}, "async_bytes_loaded");
  if (loaded < static_cast<double>(in)) return failure("loads", "load", loaded, in, "input");
  // Outputs of a fixed size may be left as cudaMemset made them, where the input says nothing of them.
  const double stored = bytes({"st", "atom", "red"}, "async_bytes_stored");
  const bool grows = out > contract.out_bytes(0);
  if (grows && stored < static_cast<double>(out)) return failure("stores", "store", stored, out, "output");
  return std::nullopt;
}

Failure rule_failure(const RuleResult& result) {
  const Rule& rule = result.rule;
  const std::string quantity = rule.counter + (rule.per.empty() ? "" : " per " + rule.per);
  const double measured = result.measured.value_or(0);
  std::string is = " is " + number(measured, kDigits);
  if (std::isnan(measured)) {
    is = std::string(" is no number, since no kernel") + (rule.kernel.empty() ? "" : " named " + rule.kernel) +
         " was launched that does such a thing";
  }
  return {Verdict::kRuleBroken,
          "rule." + rule.name,
          {(result.input.empty() ? "" : "on " + result.input + " input: ") + quantity + is + ", must be " + rule.op +
           " " + number(rule.value, kDigits)},
          rule.why,
          ""};
}

void hold_figures(const Lab& lab, const Result& result, bool of_starter) {
  if (of_starter && result.failure && result.rules.empty()) {  // wrong, and measured no further
    for (const Rule& rule : lab.rules) {
      if (rule.starter)
        throw JudgeFault("rule \"" + rule.name + "\" is not measured, since the starter fails by " +
                         result.failure->check + ", and lab.json notes a \"starter\". Put null there.");
    }
  }
  for (const RuleResult& rule : result.rules) {
    const std::optional<double> noted = of_starter ? rule.rule.starter : rule.rule.reference;
    if (noted && std::abs(*noted - *rule.measured) <= kFigureTolerance * std::abs(*rule.measured)) continue;
    throw JudgeFault("rule \"" + rule.rule.name + "\" measures " + number(*rule.measured, kDigits) +
                     ", and lab.json notes another \"" + (of_starter ? "starter" : "reference") +
                     "\". Correct it there, and what the handout says.");
  }
}

}  // namespace warpladder
