// failure: why a submission does not pass: the kind of verdict, the check that failed, and what to do next. JudgeFault:
// the judge cannot judge, because its own files, its machine or its command are wrong.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/judge/base/message.h"
#include "grader/judge/base/mismatch.h"

namespace warpladder {

enum class Verdict {
  kAccepted,
  kWrongAnswer,
  kRuleBroken,
  kTooSlow,
  kInconclusive,
  kCompileError,
  kRuntimeError,
  kTime,
  kMemory,
  kOutputLimit,
  kCheating,
  kJudgeFault,
};

std::string_view name_of(Verdict verdict);  // "wrong answer"; the texts stand in the order of the enum

struct Failure {
  // The part that only the instructor may read: it would tell a hidden case's size or input.
  struct Secret {
    std::string case_name, check;
    std::vector<Message> steps;
    std::string printed;
  };

  Verdict verdict;
  std::string check;           // a name of docs/labs.md: case.reduce_sum.33.ones
  std::vector<Message> steps;  // the actions and the observations
  Message next_step;
  std::string printed;  // by the compiler or the learner's code
  std::optional<Secret> instructor = {};
  std::optional<Mismatch> mismatch = {};  // of a wrong answer; the steps say the same in words
  std::string advice = "";                // the name of the next step; "": it has none
  Message more_printed = {};              // a line of ours behind what was printed
};

Failure make_failure(Verdict verdict, const std::string& check, const Message& step, const Message& next_step,
                     const std::string& printed = "");
Failure compile_failure(const Message& step, const Message& next_step);  // its check is "compile"
Failure runtime_failure(const Message& step, const Message& next_step);  // its check is "runtime"

// A broken rule, a leak, or a CUDA call whose error is ignored costs points, but the answers can still be right. After
// any other failure they do not count as right.
bool leaves_answers_right(const Failure& failure);

// What ends the judge. The message says what to do.
class Trouble : public std::runtime_error {
 public:
  explicit Trouble(Message said) : std::runtime_error(said.text()), said_(std::move(said)) {}
  const Message& said() const { return said_; }

 private:
  Message said_;
};

// It never costs a learner points.
class JudgeFault : public Trouble {
 public:
  using Trouble::Trouble;
};

// The person who called the judge made a mistake in the command. Nothing was judged.
class WrongCommand : public Trouble {
 public:
  using Trouble::Trouble;
};

// True if `check` is `expected` or lies below it: case.reduce_sum.33 is below case.reduce_sum.
bool covers(std::string_view expected, std::string_view check);

}  // namespace warpladder
