// options: the judge's arguments → everything that they ask of it, as plain values. Options that do not go together are
// refused.
#pragma once

#include <optional>

#include "grader/judge/base/text.h"
#include "grader/judge/rules/rules.h"

namespace warpladder {

// A part of the cases, where not all are wanted.
struct Selection {
  std::string only_case;               // "": all
  std::vector<std::string> schedules;  // not empty: a few cases under each, and nothing else
  std::filesystem::path input;         // not empty: the bytes of this file for the entry in only_case, and nothing else
  int block = 0;                       // with input, for an entry that takes one; 0: the lab's first

  bool is_everything() const { return only_case.empty() && schedules.empty() && input.empty(); }
};

struct JudgeOptions {
  enum class Part { kAll, kCorrect, kSpeed };

  std::filesystem::path lab, build;
  std::filesystem::path file;    // the source to compile, or
  std::filesystem::path binary;  // a program that is compiled already
  bool on_gpu = false;
  uint64_t seed = 0;
  Selection selection;
  bool thorough = false;          // as a grade: every run under lockstep's checks, and more sizes
  Part only = Part::kAll;         // without the clock, or nothing but the clock
  std::filesystem::path trace;    // lockstep only; not empty: it writes its LOCKSTEP_TRACE of one case there
  std::filesystem::path report;   // lockstep only; not empty: its report of the measured case (or of `input`) alone
  std::filesystem::path hidden;   // not empty: the instructor's secret file, from which more cases come
  int events = -1;                // a descriptor that gets a line for each event; -1: none
  Figures hold = Figures::kNone;  // the rules must measure the figures that lab.json notes for this code

  bool is_whole() const { return selection.is_everything() && report.empty() && only == Part::kAll; }
};

struct CommandLine {
  JudgeOptions judge;
  std::string expect;   // the check that must fail; "": nothing is expected
  std::string command;  // how the person called the judge
  size_t columns = kUsualPage;
  std::filesystem::path json;
};

// Prints the usage and ends for --help. Throws WrongCommand.
CommandLine parse_command_line(int argc, char** argv);

// The file of --refusal, also where the rest of the command is wrong.
std::optional<std::filesystem::path> place_of_refusal(int argc, char** argv);

}  // namespace warpladder
