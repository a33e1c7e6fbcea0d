#include "grader/judge/trial/options.h"

#include <cstdlib>
#include <iostream>
#include <random>

#include <getopt.h>
#include <unistd.h>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage = R"(usage: judge --lab FOLDER (--file F.cu | --binary B) [options]
  --build FILE      the lab's build.json; found beside this program if left out
  --device D        lockstep (default) or gpu
  --case NAME       only this case; with --seed S exactly as it ran before
  --seed S          of the inputs; a fresh one if left out
  --schedules LIST  lockstep only: a few cases under each of forward, reverse, random:N, separated by commas; or, with
                    --case or --input, that run under the first of them
  --input FILE      histogram and words only: count this file's bytes or words
  --trace FILE      lockstep only: write there what warps did in one --case; or, with --input, in the entry --case
                    on this file's bytes, whatever the contract
  --block N         with --input, for an entry that takes a block's size: one of the lab's; the first if left out
  --report FILE     lockstep only: write its report of the measured case there, and nothing else; or, with --input,
                    of that run under all checks, whatever the answer is
  --thorough        as a grade: every run under lockstep's checks, that of real size too, and more sizes. On a card,
                    runs on lockstep are added
  --only PART       correct: no clock; speed: nothing else, on a card
  --hidden FILE     the instructor's secret: more cases come from it, of which the text tells no size and no input
  --hold FIGURES    the rules must measure what lab.json notes: starter or reference
  --expect CHECK    succeed if exactly this check fails ("pass": if none does)
  --json FILE       write the verdict there as well
  --events FD       write to this open descriptor what happens, while it happens: a line of JSON each
  --refusal FILE    where a wrong command is told in parts, for a translation, and not on standard error
  --command TEXT    how the person called us, for "again"
  --columns N       of the terminal, if it is narrower than 76 characters
)";

[[noreturn]] void wrong_usage(const Message& what) { throw WrongCommand(together({what, std::string(kUsage)}, "\n")); }

uint64_t parse_number(const char* option, const std::string& text) {
  char* end = nullptr;
  const uint64_t number = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0')
    wrong_usage(message("{option} takes a number, not \"{text}\"", {{"option", std::string(option)}, {"text", text}}));
  return number;
}

// True if the value is the second of the two words that the option takes.
bool is_second(const std::string& option, const std::string& value, const char* first, const char* second) {
  if (value != first && value != second)
    wrong_usage(message(
        "{option} is {first} or {second}, not \"{value}\"",
        {{"option", option}, {"first", std::string(first)}, {"second", std::string(second)}, {"value", value}}));
  return value == second;
}

// The absolute path of a file that the person named. It must exist and be readable.
fs::path existing(const fs::path& file, const char* option) {
  const std::string name = std::string(option).append(" ").append(file.string());
  if (!fs::exists(file)) throw WrongCommand(message("{file}: no such file. Check the path.", {{"file", name}}));
  if (!fs::is_regular_file(file))
    throw WrongCommand(message("{file}: is no file. Name a file, not a folder.", {{"file", name}}));
  if (access(file.c_str(), R_OK) != 0)
    throw WrongCommand(message("{file}: cannot be read. Check its permissions.", {{"file", name}}));
  return fs::absolute(file);
}

struct Option {
  const char* name;
  void (*take)(const std::string& value, CommandLine& line);
  int has_value = required_argument;
};

constexpr Option kOptions[] = {
    {"lab", [](auto& value, auto& line) { line.judge.lab = value; }},
    {"file", [](auto& value, auto& line) { line.judge.file = value; }},
    {"binary", [](auto& value, auto& line) { line.judge.binary = value; }},
    {"build", [](auto& value, auto& line) { line.judge.build = value; }},
    {"device", [](auto& value, auto& line) { line.judge.on_gpu = is_second("--device", value, "lockstep", "gpu"); }},
    {"case", [](auto& value, auto& line) { line.judge.selection.only_case = value; }},
    {"seed", [](auto& value, auto& line) { line.judge.seed = parse_number("--seed", value); }},
    {"schedules", [](auto& value, auto& line) { line.judge.selection.schedules = split(value, ','); }},
    {"input", [](auto& value, auto& line) { line.judge.selection.input = value; }},
    {"block",
     [](auto& value, auto& line) { line.judge.selection.block = static_cast<int>(parse_number("--block", value)); }},
    {"trace", [](auto& value, auto& line) { line.judge.trace = fs::absolute(value); }},
    {"report", [](auto& value, auto& line) { line.judge.report = value; }},
    {"thorough", [](auto&, auto& line) { line.judge.thorough = true; }, no_argument},
    {"only",
     [](auto& value, auto& line) {
       line.judge.only =
           is_second("--only", value, "correct", "speed") ? JudgeOptions::Part::kSpeed : JudgeOptions::Part::kCorrect;
     }},
    {"hidden", [](auto& value, auto& line) { line.judge.hidden = existing(value, "--hidden"); }},
    {"hold",
     [](auto& value, auto& line) {
       line.judge.hold = is_second("--hold", value, "starter", "reference") ? Figures::kReference : Figures::kStarter;
     }},
    {"expect", [](auto& value, auto& line) { line.expect = value; }},
    {"events", [](auto& value, auto& line) { line.judge.events = static_cast<int>(parse_number("--events", value)); }},
    {"json", [](auto& value, auto& line) { line.json = value; }},
    {"refusal", [](auto&, auto&) {}},  // for main()
    {"command", [](auto& value, auto& line) { line.command = value; }},
    {"columns", [](auto& value, auto& line) { line.columns = parse_number("--columns", value); }},
};

CommandLine take_options(int argc, char** argv) {
  constexpr int kFirst = 256;  // beyond any letter, which getopt uses for errors
  std::vector<option> options;
  for (const Option& one : kOptions)
    options.push_back({one.name, one.has_value, nullptr, kFirst + static_cast<int>(options.size())});
  options.push_back({});
  CommandLine line;
  line.judge.seed = std::random_device()();
  for (int found; (found = getopt_long(argc, argv, "", options.data(), nullptr)) != -1;) {
    if (found < kFirst) wrong_usage({});
    kOptions[found - kFirst].take(optarg != nullptr ? optarg : "", line);
  }
  if (optind < argc) wrong_usage(message("what is \"{word}\"?", {{"word", std::string(argv[optind])}}));
  return line;
}

// Refuses options that do not go together.
void check_options(const JudgeOptions& judge) {
  if (judge.lab.empty()) wrong_usage(message("--lab is missing"));
  if (judge.file.empty() == judge.binary.empty()) wrong_usage(message("give one of --file and --binary"));
  for (const std::string& name : judge.selection.schedules) {
    if (!is_schedule(name))
      throw WrongCommand(
          message("--schedules knows no \"{name}\". Did you mean {nearest}?\n  A list is separated by commas: "
                  "forward,reverse,random:1. Behind random: stands any number.",
                  {{"name", name}, {"nearest", nearest(name, {"forward", "reverse", "random:1"})}}));
  }
  if (judge.on_gpu && (!judge.selection.schedules.empty() || !judge.trace.empty()))
    wrong_usage(message("--schedules and --trace work on lockstep only"));
  if (judge.on_gpu && !judge.report.empty()) wrong_usage(message("--report works on lockstep only"));
  if (!judge.on_gpu && judge.only == JudgeOptions::Part::kSpeed)
    wrong_usage(message("--only speed works on a card only"));
  const Selection& selection = judge.selection;
  const bool is_part = !selection.schedules.empty() || !selection.input.empty();
  if (judge.thorough && is_part)
    wrong_usage(
        message("--thorough goes with a whole grade, one --case or a --report: not beside --schedules or --input"));
  if (judge.hold != Figures::kNone && (is_part || judge.thorough || !judge.selection.only_case.empty()))
    wrong_usage(message(
        "--hold needs the measured inputs, all of them and no other: not beside --thorough, --case, --schedules "
        "or --input"));
  if (!judge.hidden.empty() && (is_part || judge.hold != Figures::kNone))
    wrong_usage(message("--hidden goes with a whole grade or one --case: not beside --schedules, --input or --hold"));
  if (judge.selection.block != 0 && judge.selection.input.empty())
    wrong_usage(message("--block goes with --input; a --case has its own"));
  if (!judge.trace.empty() && judge.selection.only_case.empty()) wrong_usage(message("--trace is of one --case"));
}

}  // namespace

std::optional<fs::path> place_of_refusal(int argc, char** argv) {
  for (int i = 0; i + 1 < argc; ++i)
    if (std::string_view(argv[i]) == "--refusal") return argv[i + 1];
  return std::nullopt;
}

CommandLine parse_command_line(int argc, char** argv) {
  for (int i = 0; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--help") {
      std::cout << kUsage;
      std::exit(0);
    }
  }
  CommandLine line = take_options(argc, argv);
  JudgeOptions& judge = line.judge;
  check_options(judge);
  if (!judge.file.empty()) judge.file = existing(judge.file, "--file");
  if (!judge.binary.empty()) judge.binary = existing(judge.binary, "--binary");
  judge.lab = fs::weakly_canonical(judge.lab);
  if (judge.build.empty()) {
    const fs::path program = fs::read_symlink("/proc/self/exe");
    judge.build = program.parent_path().parent_path() / "labs" / judge.lab.filename() / "build.json";
  }
  if (line.command.empty()) {
    line.command = std::string(argv[0]) + " --lab " + judge.lab.string() +
                   (judge.file.empty() ? " --binary " + judge.binary.string() : " --file " + judge.file.string());
    if (judge.on_gpu) line.command += " --device gpu";
    if (!judge.hidden.empty()) line.command += " --hidden " + judge.hidden.string();
  }
  return line;
}

}  // namespace warpladder
