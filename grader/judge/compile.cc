#include "grader/judge/compile.h"

#include <csignal>

#include "grader/judge/child.h"

namespace warpladder {
namespace {

constexpr double kSeconds = 120;
constexpr uint64_t kCpuSeconds = 60, kDataLimit = uint64_t{8} << 30, kLargestFile = uint64_t{256} << 20;

std::string replaced(std::string word, const std::string& key, const std::string& value) {
  const size_t at = word.find(key);
  return at == std::string::npos ? word : word.replace(at, key.size(), value);
}

std::optional<Failure> run_tool(const std::vector<std::string>& command, const TemporaryFolder& folder,
                                const char* what) {
  ChildSpec spec;
  spec.command = command;
  spec.folder = folder.path();
  spec.environment = {{"TMPDIR", folder.path()}};
  spec.limits.cpu_seconds = kCpuSeconds;
  spec.limits.data_bytes = kDataLimit;
  spec.limits.file_bytes = kLargestFile;
  Child tool(spec);
  std::string line;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(static_cast<int>(kSeconds));
  const Child::Event event = tool.wait(deadline, line);
  if (event == Child::Event::kEnded && tool.ended_well()) return std::nullopt;
  Failure failure{Verdict::kCompileError,
                  "compile",
                  {},
                  "Start with the first error; later ones often follow from it.",
                  tool.errors() + tool.output()};
  if (event == Child::Event::kTimeout || tool.ending_signal() == SIGXCPU) {
    failure.steps.push_back(std::string(what) + " took too long and was ended");
  } else if (event == Child::Event::kOutputLimit) {
    failure.steps.push_back(std::string(what) + " printed more than 16 MiB of errors");
  } else {
    failure.steps.push_back(std::string(what) + " " + tool.how_it_ended());
  }
  if (tool.ending_signal() == 0 && tool.how_it_ended().ends_with(" 127")) {
    throw JudgeFault(command.front() + " cannot be started. Build the labs again: cmake --build build\n" +
                     tool.errors());
  }
  return failure;
}

}  // namespace

std::optional<Failure> compile(const Build& build, const std::filesystem::path& source,
                               const std::filesystem::path& binary, const TemporaryFolder& folder) {
  const std::string object = folder.path() / "submission.o";
  std::vector<std::string> compiler, linker;
  for (const std::string& word : build.compile)
    compiler.push_back(replaced(replaced(word, "{source}", source), "{object}", object));
  for (const std::string& word : build.link)
    linker.push_back(replaced(replaced(word, "{binary}", binary), "{object}", object));
  if (auto failure = run_tool(compiler, folder, "the compiler")) return failure;
  return run_tool(linker, folder, "the linker");
}

}  // namespace warpladder
