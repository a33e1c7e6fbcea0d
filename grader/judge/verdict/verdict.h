// verdict: all that the judge found out about one submission, as plain values; its score (score.cc); the same as a page
// for a person (verdict_page.cc) and as JSON (verdict_json.cc).
#pragma once

#include "grader/judge/base/failure.h"
#include "grader/judge/lab/lab.h"
#include "grader/judge/rules/rules.h"
#include "grader/judge/speed/speed.h"
#include "grader/judge/verdict/page.h"

namespace warpladder {

struct CaseResult {
  std::string name, input;
  size_t n = 0;
  bool passed = false;
  std::string alias = "";  // of a hidden case: hidden.3, the only thing that a student reads of it; "": a public case
  uint64_t seed = 0;       // the seed of its input
  int block = 0;           // 0: its entry takes none
  size_t place = 0;        // in the plan

  bool is_hidden() const { return !alias.empty(); }
};

struct Measurement {
  std::string name, input;  // of the case
  size_t n = 0;
  std::map<std::string, double> counters;  // of all launches
  std::optional<Crossing> crossing = {};   // between host and device
  Crossing allowed = {};
};

// The sandbox that the submission ran in. It is recorded, since machines differ in what they allow.
struct SandboxUsed {
  Message compile, run;    // "bubblewrap, seccomp, limits"; compile is "" for a binary
  bool is_weaker = false;  // than on a machine that allows everything
  std::string device;      // "separate process", "in process" or "card"
};

// Points of the score's parts. They add up to 100.
struct Worth {
  int correct = 0, rules = 0, speed = 0;
};

// Known before anything runs.
struct Setting {
  std::string lab, file, device;
  std::string baseline;
  uint64_t seed = 0;
  bool is_thorough = false;  // every run on lockstep was under all checks
  bool is_whole = false;     // everything that a grade needs was asked for; else there is no score
  Worth worth;
  SandboxUsed sandbox;
};

// A file of the learner's, as the input of one case.
struct OwnFile {
  std::string name;
  size_t bytes = 0;
  std::optional<std::vector<uint64_t>> histogram = {};                      // as the code counted
  std::optional<std::vector<uint64_t>> wanted = {};                         // the right one, if that one is wrong
  std::optional<std::vector<std::pair<std::string, uint64_t>>> words = {};  // the most frequent ones; null if wrong
};

struct Tally {  // of cases that ran
  size_t passed = 0, failed = 0;
};

struct Result {
  Setting setting;
  std::string opencl_device;                 // the device that the code chose; "": it uses none
  std::vector<Message> warnings;             // of the compiler, which may explain a failure
  std::optional<Failure> failure;            // the one that is reported; empty: accepted
  std::string failed_case, failed_schedule;  // where it arose; "": not in a case
  std::vector<CaseResult> cases;
  std::string card;                              // on which cases ran, from the runtime; "": on none
  bool failed_on_lockstep = false;               // in a run that was added because a card checks nothing
  size_t planned_cases = 0, planned_hidden = 0;  // hidden cases are among the planned ones
  bool leaves_out = false;                       // after a failure, larger cases; they are not among the planned ones
  std::vector<RuleResult> rules;
  std::vector<Measurement> measurements;
  Speed speed;
  std::optional<OwnFile> own_file;
  std::string printed;  // output of a single case that passed; a failure holds its own text

  Verdict verdict() const;
  Tally tally(bool hidden) const;
  Tally public_cases() const { return tally(false); }
  Tally hidden_cases() const { return tally(true); }
  bool is_right() const;  // no case has failed so far, and every failure so far leaves the answers right
};

inline constexpr int kMostPoints = 100;

// Speed is worth the points of the lab's thresholds, the rules are worth 20, and correct answers the rest.
Worth worth_of(const Lab& lab);

struct ScorePart {
  std::string name;  // correct, rules, speed
  int points = 0, of = 0;
  Message why;
};

struct Score {
  int points = 0;
  std::vector<ScorePart> parts;  // without parts that are worth 0 points
};

// Nothing: there is no score, as the judge is at fault or only a part of a grade was asked for.
std::optional<Score> score_of(const Result& result);

// What a person reads. command: how the judge was called. The command that repeats a failed case begins with it.
Page page_of(const Result& result, const std::string& command);
std::string to_text(const Result& result, const std::string& command);

// The command that shows the failure once more; "": there is none, or it has no case of its own.
std::string again_text(const Result& result, const std::string& command);

// The part of the page about the speed, a table. baseline: as lab.json names it, "cpu" or a lab's number.
Page speed_page(const Speed& speed, const std::string& baseline);

// As verdict.schema.json describes it. command: as for page_of.
std::string to_json(const Result& result, const std::string& command = "");
std::string to_json(const Page& page);

// git's description of the tree from which this judge was built, such as "1.2-3-gabc1234-dirty". A grade names it.
// "unknown": it was built outside of git. CMake writes the function.
const char* judge_version();

}  // namespace warpladder
