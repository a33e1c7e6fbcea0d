// command_line: the judge's arguments → JudgeOptions. Options that do not go together are refused.
#pragma once

#include <filesystem>
#include <string>

#include "grader/judge/trial/options.h"

namespace warpladder {

struct CommandLine {
  JudgeOptions judge;
  std::string expect;   // the check that must fail; "": nothing is expected
  std::string command;  // how the person called the judge
  std::filesystem::path json;
};

// Prints the usage and ends for --help. Throws JudgeFault for a wrong command.
CommandLine parse_command_line(int argc, char** argv);

}  // namespace warpladder
