#include "grader/judge/trial/plan.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

using Kind = Step::Kind;
using Needs = Step::Needs;

constexpr size_t kLargestFailing = 1025;  // elements: more than one block

bool is_small(const Case& job) { return job.n <= kLargestChecked; }

// Small cases run first. Either list may be empty.
struct Sizes {
  std::vector<Case> small, large;
};

Sizes by_size(const std::vector<Case>& cases) {
  Sizes sizes;
  for (const Case& job : cases) (is_small(job) ? sizes.small : sizes.large).push_back(job);
  return sizes;
}

// For each entry the largest case that is not too large.
std::vector<Case> failing_cases(const Lab& lab, const std::vector<Case>& cases) {
  std::vector<Case> chosen;
  for (const std::string& entry : lab.entries) {
    const Case* largest = nullptr;
    for (const Case& job : cases) {
      if (job.entry->name == entry && job.n <= kLargestFailing && job.n > 0 && (!largest || job.n > largest->n))
        largest = &job;
    }
    if (largest) chosen.push_back(*largest);
  }
  return chosen;
}

uint64_t measured_seed(const JudgeOptions& options, const std::optional<Hidden>& hidden) {
  return hidden ? hidden->measured_seed : options.seed;
}

std::vector<Case> cases_to_measure(const JudgeOptions& options, const Lab& lab, const std::optional<Hidden>& hidden) {
  std::vector<Case> cases = measured_cases(lab, measured_seed(options, hidden));
  if (options.thorough) std::ranges::copy(graded_cases(lab, measured_seed(options, hidden)), std::back_inserter(cases));
  for (Case& job : cases) {
    if (hidden) job.alias = "hidden.measured." + job.input;
  }
  return cases;
}

std::vector<Case> cases_to_draw(const JudgeOptions& options, const Lab& lab, const std::optional<Hidden>& hidden) {
  std::vector<Case> cases = drawn_cases(lab, measured_seed(options, hidden));
  for (size_t i = 0; hidden && i < cases.size(); ++i) cases[i].alias = "hidden.drawn" + std::to_string(i + 1);
  return cases;
}

// The measured cases and, in a grade, drawn ones among which they run.
Step plan_counters(const JudgeOptions& options, const Lab& lab, const std::optional<Hidden>& hidden) {
  Step step{.kind = Kind::kCounters,
            .needs = Needs::kRightAnswers,
            .batches = {{cases_to_measure(options, lab, hidden)}},
            .is_secret = hidden.has_value()};
  if (options.thorough) step.batches.push_back({cases_to_draw(options, lab, hidden)});
  return step;
}

std::vector<Step> plan_on_lockstep(const JudgeOptions& options, const Lab& lab, const std::optional<Hidden>& hidden) {
  const Sizes cases = by_size(plan_cases(lab, options.seed, Extent::kFull));
  std::vector<Step> steps = {{.kind = Kind::kCases, .batches = {{cases.small, Checks::kAll}}}};
  for (const std::string& schedule : lab.schedules)
    steps.push_back({Kind::kCases, Needs::kNoFailure, {{cases.small, Checks::kAll, schedule}}});
  if (!lab.is_opencl()) steps.push_back({Kind::kFailingCalls, Needs::kNoFailure, {{failing_cases(lab, cases.small)}}});
  if (!cases.large.empty()) steps.push_back({Kind::kCases, Needs::kRightAnswers, {{cases.large}}});
  if (hidden) {
    Step step{.kind = Kind::kCases, .needs = Needs::kRightAnswers, .is_secret = true};
    const Sizes secret = by_size(hidden->cases);
    if (!secret.small.empty()) step.batches.push_back({secret.small, Checks::kAll});
    if (!secret.large.empty()) step.batches.push_back({secret.large});
    steps.push_back(std::move(step));
  }
  steps.push_back(plan_counters(options, lab, hidden));
  return steps;
}

std::vector<Step> plan_on_card(const JudgeOptions& options, const Lab& lab, const std::optional<Hidden>& hidden) {
  std::vector<Step> steps;
  if (options.only != JudgeOptions::Part::kSpeed) {
    steps.push_back({.kind = Kind::kCases, .batches = {{plan_cases(lab, options.seed, Extent::kWithReal)}}});
    if (hidden) {
      steps.push_back(
          {.kind = Kind::kCases, .needs = Needs::kRightAnswers, .batches = {{hidden->cases}}, .is_secret = true});
    }
    if (options.thorough && !lab.is_opencl()) {
      steps.push_back(plan_counters(options, lab, hidden));
      steps.back().kind = Kind::kOnLockstep;
    }
  }
  steps.push_back({.kind = Kind::kRulesUnmeasured, .needs = Needs::kRightAnswers});
  if (options.only != JudgeOptions::Part::kCorrect)
    steps.push_back({.kind = Kind::kClock, .needs = Needs::kRightAnswers, .is_secret = hidden.has_value()});
  return steps;
}

// The case of --case, with the block that it had when all cases ran. A plan for schedules numbers its blocks in another
// way, and on lockstep the cases of real size are the measured ones.
Case named_case(const JudgeOptions& options, const Lab& lab) {
  std::vector<Case> cases;
  const auto add = [&](const std::vector<Case>& more) { std::ranges::copy(more, std::back_inserter(cases)); };
  if (!options.selection.schedules.empty()) add(plan_cases(lab, options.seed, Extent::kShort));
  if (!options.on_gpu) add(measured_cases(lab, options.seed));
  add(drawn_cases(lab, options.seed));
  add(plan_cases(lab, options.seed, Extent::kWithReal));
  if (options.on_gpu) add(measured_cases(lab, options.seed));
  const std::string& name = options.selection.only_case;
  const auto found = std::ranges::find(cases, name, &Case::name);
  if (found != cases.end()) return *found;
  if (auto other = case_of_any_size(lab, name, options.seed)) return std::move(*other);
  const auto names = cases | std::views::transform(&Case::name);
  throw WrongCommand(
      message("lab {lab} has no case \"{name}\". Did you mean {nearest}?\n  A case is ENTRY.SIZE.INPUT.\n  ENTRY is "
              "{entries}.\n"
              "  SIZE is 0, fresh1, fresh2, real, or a number up to {largest}.\n  INPUT is {inputs}, and for size 0 it "
              "is empty.",
              {{"lab", lab.number},
               {"name", name},
               {"nearest", nearest(name, {names.begin(), names.end()})},
               {"entries", either(lab.entries)},
               {"largest", lab.sizes.largest},
               {"inputs", either(lab.inputs)}}));
}

// One case runs under one schedule.
std::string first_schedule(const Selection& selection) {
  return selection.schedules.empty() ? "" : selection.schedules.front();
}

// Finds the case by its alias, which becomes its name. Nothing is hidden from the owner of the secret file.
Case named_hidden_case(const JudgeOptions& options, const Lab& lab, const std::optional<Hidden>& hidden) {
  std::vector<Case> cases = hidden->cases;
  std::ranges::copy(cases_to_measure(options, lab, hidden), std::back_inserter(cases));
  std::ranges::copy(cases_to_draw(options, lab, hidden), std::back_inserter(cases));
  const auto found = std::ranges::find(cases, options.selection.only_case, &Case::alias);
  if (found == cases.end())
    throw WrongCommand(
        message("lab {lab} has no hidden case \"{name}\". The last one is {last}.",
                {{"lab", lab.number}, {"name", options.selection.only_case}, {"last", hidden->cases.back().alias}}));
  found->name = found->alias;
  return *found;
}

// The case of --input, --case and --block; its size is not known yet.
Case file_case(const JudgeOptions& options, const Lab& lab) {
  const bool counts_a_file = lab.contract->name == "histogram" || lab.contract->name == "words";
  if (!counts_a_file && options.trace.empty())
    throw WrongCommand(
        message("lab {lab} takes no --input: only labs that count bytes or words take a file.", {{"lab", lab.number}}));
  const std::string entry = options.selection.only_case.empty() ? lab.measured : options.selection.only_case;
  if (std::ranges::find(lab.entries, entry) == lab.entries.end())
    throw WrongCommand(message("lab {lab} has no entry \"{entry}\", which --case names beside --input.",
                               {{"lab", lab.number}, {"entry", entry}}));
  if (options.selection.block != 0 && std::ranges::find(lab.blocks, options.selection.block) == lab.blocks.end())
    throw WrongCommand(message("lab {lab} has no blocks of {block}, as --block asks.",
                               {{"lab", lab.number}, {"block", options.selection.block}}));
  Case job = measured_case(lab, options.seed);
  job.name = entry + ".file";
  job.entry = lab.contract->find_entry(entry);
  job.input = "file";
  job.block = !job.entry->takes_block ? 0 : options.selection.block != 0 ? options.selection.block : lab.blocks.front();
  return job;
}

std::vector<Step> plan_one_case(const JudgeOptions& options, const Lab& lab, const std::optional<Hidden>& hidden) {
  const Case job = hidden ? named_hidden_case(options, lab, hidden) : named_case(options, lab);
  const Batch batch{.cases = {job},
                    .checks = is_small(job) ? Checks::kAll : Checks::kNone,
                    .schedule = first_schedule(options.selection),
                    .keeps_output = true};
  std::vector<Step> steps = {{.kind = Kind::kCases, .batches = {batch}}};
  if (options.on_gpu && options.thorough && !lab.is_opencl()) {
    steps.push_back({.kind = Kind::kOnLockstep, .needs = Needs::kRightAnswers, .batches = {{{job}}}});
  }
  return steps;
}

std::vector<Step> plan_schedules(const JudgeOptions& options, const Lab& lab) {
  std::vector<Step> steps;
  for (const std::string& schedule : options.selection.schedules) {
    const Batch batch{plan_cases(lab, options.seed, Extent::kShort), Checks::kAll, schedule};
    steps.push_back({.kind = Kind::kCases, .needs = Needs::kNoFailure, .batches = {batch}});
  }
  return steps;
}

// Sets the checks, the order, and each case's place.
void finish(Plan& plan, const JudgeOptions& options) {
  size_t place = 0;
  for (Step& step : plan.steps) {
    for (Batch& batch : step.batches) {
      for (Case& job : batch.cases) job.place = ++place;
      if (!options.thorough || step.kind == Kind::kFailingCalls) continue;
      batch.checks = Checks::kAll;
      batch.shuffled_by = plan.measured_seed + place;
    }
  }
}

}  // namespace

Plan make_plan(const JudgeOptions& options, const Lab& lab, const std::optional<Hidden>& hidden) {
  Plan plan{{}, measured_seed(options, hidden)};
  const Selection& selection = options.selection;
  if (!selection.input.empty()) {
    plan.steps = {{.kind = Kind::kOwnFile,
                   .batches = {{.cases = {file_case(options, lab)}, .schedule = first_schedule(selection)}},
                   .file = selection.input,
                   .report = options.report}};
  } else if (!selection.only_case.empty()) {
    plan.steps = plan_one_case(options, lab, hidden);
  } else if (!selection.schedules.empty()) {
    plan.steps = plan_schedules(options, lab);
  } else if (!options.report.empty()) {
    plan.steps = {{.kind = Kind::kReport, .batches = {{{measured_case(lab, options.seed)}}}, .report = options.report}};
  } else if (options.on_gpu) {
    plan.steps = plan_on_card(options, lab, hidden);
  } else {
    plan.steps = plan_on_lockstep(options, lab, hidden);
    plan.hold = options.hold;
  }
  finish(plan, options);
  return plan;
}

}  // namespace warpladder
