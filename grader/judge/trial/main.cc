// The judge's program. Exit code: 0 accepted or inconclusive (or the expected failure), 1 the submission fails, 2 the
// judge's own trouble or a wrong command.
#include <algorithm>
#include <fstream>
#include <iostream>

#include "grader/judge/base/failure.h"
#include "grader/judge/base/text.h"
#include "grader/judge/sandbox/child.h"
#include "grader/judge/trial/judge.h"
#include "grader/judge/trial/options.h"
#include "grader/judge/verdict/verdict.h"

namespace warpladder {
namespace {

int exit_code(const Result& result, const std::string& expect) {
  if (result.verdict() == Verdict::kJudgeFault) return 2;
  if (expect.empty() || expect == "pass") return result.failure ? 1 : 0;
  const std::string check = result.failure ? result.failure->check : "pass";
  if (covers(expect, check)) {
    std::cout << "as expected: " << check << "\n";
    return 0;
  }
  std::cout << "expected to fail by " << expect << ", but: " << check << "\n";
  return 1;
}

int run(int argc, char** argv) {
  const CommandLine line = parse_command_line(argc, argv);
  set_page_width(std::clamp(line.columns, kNarrowestPage, kUsualPage));
  const Result result = judge(line.judge);
  // The build asks for reports. A verdict would be noise there.
  if (line.judge.report.empty() || result.failure) std::cout << to_text(result, line.command) << std::flush;
  if (!line.json.empty()) {
    std::ofstream file(line.json);
    file << to_json(result, line.command);
    if (!file.flush())
      throw JudgeFault(
          message("{file}: cannot be written. Choose another place for --json.", {{"file", line.json.string()}}));
  }
  return exit_code(result, line.expect);
}

}  // namespace
}  // namespace warpladder

int main(int argc, char** argv) {
  using namespace warpladder;
  catch_interruptions();
  adopt_orphans();
  int code = 2;
  try {
    code = run(argc, argv);
  } catch (const Interrupted&) { std::cerr << "judge: interrupted\n"; } catch (const WrongCommand& wrong) {
    const Page page = {{Part::Kind::kFolded, "", wrong.said()}};
    const auto place = place_of_refusal(argc, argv);
    if (!place || !(std::ofstream(*place) << to_json(page)).flush()) std::cerr << to_text(page);
  } catch (const std::exception& error) { std::cerr << "judge: " << visible(error.what()) << "\n"; }
  kill_orphans();
  return code;
}
