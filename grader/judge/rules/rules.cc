#include "grader/judge/rules/rules.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

constexpr int kCountDigits = 10;  // enough to show a count in full
// Of the measured input. A host that has seen a sixteenth of the data can have done a sixteenth of the work.
constexpr double kMostToHost = 1.0 / 16, kMostFromHost = 1.0 / 4;
constexpr double kFigureTolerance = 1e-6;  // lab.json notes figures with about seven digits

bool holds(double measured, const std::string& op, double value) {
  if (op == "<=") return measured <= value;
  if (op == ">=") return measured >= value;
  if (op == "==") return measured == value;
  if (op == "<") return measured < value;
  return op == ">" && measured > value;
}

// The distance of a result from holding. It is negative if the rule holds with room to spare.
double excess(const RuleResult& result) {
  const double measured = result.measured.value_or(NAN), value = result.rule.value;
  if (std::isnan(measured)) return INFINITY;
  if (result.rule.op == "==") return std::abs(measured - value);
  return result.rule.op.starts_with('<') ? measured - value : value - measured;
}

double amount(const Launch& launch, const std::string& what, const std::string& rule) {
  const auto counter = launch.counters.find(what);
  if (counter != launch.counters.end()) return counter->second;
  throw JudgeFault(message("rule \"{rule}\" asks for \"{what}\", which is no counter of the device. lab.json is wrong.",
                           {{"rule", rule}, {"what", what}}));
}

// What counts for the rule. If lockstep is not certain what ptxas made of the code, the worse of its two counts does.
double counted(const Launch& launch, const Rule& rule) {
  const double count = amount(launch, rule.counter, rule.name);
  const auto doubted = launch.doubted.find(rule.counter);
  if (doubted == launch.doubted.end()) return count;
  const auto result = [&](double measured) { return RuleResult{rule, measured}; };
  return is_worse(result(doubted->second), result(count)) ? doubted->second : count;
}

// The line of the code with most of the counter, over all launches.
std::optional<RuleResult::Line> line_of(const Rule& rule, const Report& report) {
  std::map<std::string, double> lines;
  double all = 0;
  for (const Launch& launch : report.launches) {
    for (const auto& [place, counters] : launch.lines) {
      const auto count = counters.find(rule.counter);
      if (count == counters.end()) continue;
      lines[place] += count->second;
      all += count->second;
    }
  }
  const auto most = std::ranges::max_element(lines, {}, [](const auto& line) { return line.second; });
  if (most == lines.end() || all <= 0) return std::nullopt;
  return RuleResult::Line{most->first, most->second / all};
}

Message line_text(const RuleResult::Line& line) {
  const long percent = std::lround(100 * line.share);
  if (percent == 100) return message("Begin at {place}: all of them are counted there.", {{"place", line.place}});
  return message("Begin at {place}: {percent} % of them are counted there.",
                 {{"place", line.place}, {"percent", percent}});
}

// For counters that belong to no single line. Empty: the reason of the rule says where.
Message where_to_look(const std::string& counter) {
  static const std::map<std::string, const char*> kPlaces = {
      {"block_waits",
       later("Look for a __syncthreads() that no other warp needs, or one in a loop with too many turns.")},
      {"thread_waits",
       later("Let a thread do more between two __syncthreads(), or take out one that no other warp needs.")},
      {"host_synchronisations", later("Look between the kernels for cudaDeviceSynchronize(), cudaMemcpy() or "
                                      "cudaFree(): each makes the host wait.")},
      {"host_allocations", later("Look between the kernels for an allocation, and make it before the first kernel.")},
      {"launches", later("Look for a second <<<...>>>, or for one in a loop.")},
      {"bytes_to_host", later("Look for a copy to the host that brings more than the result.")}};
  const auto place = kPlaces.find(counter);
  return place == kPlaces.end() ? Message() : message(place->second);
}

}  // namespace

RuleResult apply_rule(const Rule& rule, const Report& report, size_t n) {
  double sum = 0, most = 0;
  const auto of_call = report.of_call.find(rule.counter);
  if (of_call != report.of_call.end()) sum = most = of_call->second;
  for (const Launch& launch : report.launches) {
    if (of_call != report.of_call.end()) break;
    const double count = counted(launch, rule);
    sum += count;
    most = std::max(most, rule.per == "thread of a block" ? count * launch.blocks / launch.threads : count);
  }
  const auto elements = static_cast<double>(n);
  const double per = rule.per == "element" ? elements : rule.per == "element^2" ? elements * elements : 1;
  // Without any launch the result is NaN, and no comparison holds for it. Else code that computes on the host would
  // have no memory traffic, and pass.
  const double measured = report.launches.empty() ? NAN : (rule.each.empty() ? sum : most) / per;
  const auto words = report.counter_names.find(rule.counter);
  return {.rule = rule,
          .measured = measured,
          .holds = holds(measured, rule.op, rule.value),
          .words = words == report.counter_names.end() ? "" : words->second,
          .line = line_of(rule, report)};
}

bool is_worse(const RuleResult& one, const RuleResult& other) { return excess(one) > excess(other); }

std::optional<Failure> missing_work(const EntryInfo& entry, size_t n, const Report& report) {
  const auto bytes = [&](const char* counter) {
    double sum = 0;
    for (const Launch& launch : report.launches) sum += amount(launch, counter, "work");
    return sum;
  };
  const auto failure = [](const char* name, const char* form, double done, size_t wanted) {
    return make_failure(Verdict::kRuleBroken, std::string("work.") + name,
                        message(form, {{"bytes", number(done, kCountDigits)}, {"wanted", wanted}}),
                        message("The work must be done on the device: by kernels, on all of the input."));
  };
  const size_t in = n * entry.element_bytes, out = entry.out_bytes(n);
  const double loaded = bytes("global_bytes_loaded");
  if (loaded < static_cast<double>(in))
    return failure("loads", later("the kernels load {bytes} bytes of global memory, and the input has {wanted}"),
                   loaded, in);
  // An output of a fixed size may keep the zeros of cudaMemset where the input has nothing to add.
  const double stored = bytes("global_bytes_stored");
  const bool grows = out > entry.out_bytes(0);
  if (grows && entry.fills_output && stored < static_cast<double>(out))
    return failure("stores", later("the kernels store {bytes} bytes of global memory, and the output has {wanted}"),
                   stored, out);
  return std::nullopt;
}

Message quantity_of(const RuleResult& result) {
  const Rule& rule = result.rule;
  const bool has_words = !result.words.empty() && result.words != rule.counter;
  Message what = has_words ? message(result.words) : Message(rule.counter);
  if (!rule.per.empty()) what = message("{what}, per {per}", {{"what", what}, {"per", message(rule.per)}});
  if (!rule.each.empty()) what = message("{what}, in the worst {each}", {{"what", what}, {"each", message(rule.each)}});
  return has_words ? message("{what} ({counter})", {{"what", what}, {"counter", rule.counter}}) : what;
}

Message bound_of(const Rule& rule) {
  static const std::map<std::string, const char*> kForms = {{"<=", later("at most {bound}")},
                                                            {">=", later("at least {bound}")},
                                                            {"==", later("exactly {bound}")},
                                                            {"<", later("below {bound}")},
                                                            {">", later("above {bound}")}};
  return message(kForms.at(rule.op), {{"bound", number(rule.value, kCountDigits)}});
}

Crossing allowed_crossing(const Lab& lab, const EntryInfo& entry, size_t n) {
  const auto measured = static_cast<double>(lab.sizes.real * entry.element_bytes);
  const auto bytes = [&](const Share& share, double most) {
    const double fixed = std::min(share.fixed, most * measured);
    return static_cast<size_t>(fixed + share.per_element * static_cast<double>(n));
  };
  return {bytes(entry.to_host, kMostToHost), bytes(entry.from_host, kMostFromHost)};
}

std::optional<Failure> host_work(const Lab& lab, const Case& job, const Crossing& crossing) {
  const Crossing allowed = allowed_crossing(lab, *job.entry, job.n);
  const auto failure = [&](const char* name, const char* form, size_t bytes, size_t most, const char* next,
                           const Share& share) {
    return make_failure(Verdict::kRuleBroken, std::string("work.") + name,
                        message(form, {{"bytes", bytes}, {"most", most}}),
                        message(next, {{"why", message(share.why)}}));
  };
  if (crossing.to_host > allowed.to_host)
    return failure("to_host",
                   later("{bytes} bytes came from the device to the host during the call; at most {most} are allowed"),
                   crossing.to_host, allowed.to_host,
                   later("The work must be done on the device. The reason for this bound: {why}. What kernels print "
                         "counts, too: take printf out again."),
                   job.entry->to_host);
  if (crossing.from_host > allowed.from_host)
    return failure("from_host",
                   later("{bytes} bytes went from the host to the device during the call; at most {most} are allowed"),
                   crossing.from_host, allowed.from_host,
                   later("The work must be done on the device. The reason for this bound: {why}."),
                   job.entry->from_host);
  return std::nullopt;
}

Failure rule_failure(const RuleResult& result) {
  const double measured = result.measured.value_or(0);
  const Message is = std::isnan(measured) ? message("not a number, since no kernel was launched")
                                          : Message(number(measured, kCountDigits));
  Message step = message("{value}, must be {bound}: {quantity}",
                         {{"value", is}, {"bound", bound_of(result.rule)}, {"quantity", quantity_of(result)}});
  if (!result.input.empty())
    step = message("on {input} input: {what}", {{"input", result.input}, {"what", std::move(step)}});
  Failure failure =
      make_failure(Verdict::kRuleBroken, "rule." + result.rule.name, step,
                   message("Write the kernel as the handout describes it. This rule counts what that kernel does."));
  failure.steps.push_back(message("why: {why}", {{"why", message(result.rule.why)}}));
  // Where there is too much, the line with most of it is the place to begin. Too little has no line.
  const bool is_too_much = result.rule.op.starts_with('<') || (result.rule.op == "==" && measured > result.rule.value);
  failure.advice = "rule." + result.rule.name;
  const Message next = result.line ? line_text(*result.line) : where_to_look(result.rule.counter);
  if (is_too_much && !next.empty()) failure.next_step = next;
  return failure;
}

void hold_figures(const Lab& lab, Figures figures, const std::vector<RuleResult>& results,
                  const std::optional<Failure>& failure) {
  const bool is_starter = figures == Figures::kStarter;
  if (is_starter && failure && results.empty()) {  // it is wrong, and so it was not measured
    for (const Rule& rule : lab.rules) {
      if (rule.starter)
        throw JudgeFault(
            message("rule \"{rule}\" is not measured, since the starter fails by {check}, and lab.json notes "
                    "a \"starter\". Put null there.",
                    {{"rule", rule.name}, {"check", failure->check}}));
    }
  }
  for (const RuleResult& result : results) {
    const std::optional<double> noted = is_starter ? result.rule.starter : result.rule.reference;
    if (noted && std::abs(*noted - *result.measured) <= kFigureTolerance * std::abs(*result.measured)) continue;
    throw JudgeFault(
        message("rule \"{rule}\" measures {value}, and lab.json notes another \"{key}\". Correct it there, "
                "and what the handout says.",
                {{"rule", result.rule.name},
                 {"value", number(*result.measured, kCountDigits)},
                 {"key", std::string(is_starter ? "starter" : "reference")}}));
  }
}

}  // namespace warpladder
