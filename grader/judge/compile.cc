#include "grader/judge/compile.h"

#include <algorithm>
#include <csignal>

#include "grader/judge/child.h"
#include "grader/judge/sandbox.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

constexpr double kSeconds = 120;
constexpr uint64_t kCpuSeconds = 60, kDataLimit = uint64_t{8} << 30, kLargestFile = uint64_t{256} << 20;
constexpr uint64_t kOpenFiles = 256;
constexpr size_t kMostFiles = 256;  // beside the source that it may include

std::string replaced(std::string word, const std::string& key, const std::string& value) {
  const size_t at = word.find(key);
  return at == std::string::npos ? word : word.replace(at, key.size(), value);
}

// What a source may include of its own: the files beside it. No folder, or a source in a course's root would see all of
// the course; no link, or a link could name anything.
std::vector<fs::path> beside(const fs::path& source) {
  std::vector<fs::path> files;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(source.parent_path(), unreadable)) {
    const std::string kind = entry.path().extension();
    const bool is_code = kind == ".h" || kind == ".hpp" || kind == ".cuh" || kind == ".inc" || kind == ".cu";
    if (is_code && entry.symlink_status().type() == fs::file_type::regular && files.size() < kMostFiles)
      files.push_back(entry.path());
  }
  std::erase(files, source);
  files.push_back(source);  // whatever it is called
  return files;
}

std::optional<Failure> run_tool(const std::vector<std::string>& command, const TemporaryFolder& folder,
                                const Walls& walls, const char* what) {
  if (command.front().starts_with('/') && !fs::exists(command.front()))
    throw JudgeFault(command.front() + " cannot be started. Build the labs again: cmake --build build");
  ChildSpec spec;
  spec.command = command;
  spec.folder = folder.path();
  spec.environment = {{"TMPDIR", folder.path()}};
  spec.limits.cpu_seconds = kCpuSeconds;
  spec.limits.data_bytes = kDataLimit;
  spec.limits.file_bytes = kLargestFile;
  spec.limits.open_files = kOpenFiles;
  Sandbox::here().enclose(spec, walls);
  Child tool(spec);
  std::string line;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(static_cast<int>(kSeconds));
  const Child::Event event = tool.wait(deadline, line);
  if (event == Child::Event::kEnded && tool.ended_well()) return std::nullopt;
  if (!Sandbox::here().stands(walls))
    throw JudgeFault("no process can be started in the sandbox any more:\n" + tool.errors());
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
  if (failure.printed.find("No such file or directory") != std::string::npos)
    failure.next_step += "\nA lab's file may include CUDA's headers, C++'s, common/*.h, and what lies beside it.";
  return failure;
}

}  // namespace

std::optional<Failure> compile(const Build& build, const fs::path& source, const fs::path& binary,
                               const TemporaryFolder& folder) {
  const std::string object = folder.path() / "submission.o";
  std::vector<std::string> compiler, linker;
  for (const std::string& word : build.compile)
    compiler.push_back(replaced(replaced(word, "{source}", source), "{object}", object));
  for (const std::string& word : build.link)
    linker.push_back(replaced(replaced(word, "{binary}", binary), "{object}", object));
  Walls walls;
  walls.permissions = {.processes = true, .shared_memory = true};
  walls.variables = {"NVCC_"};
  walls.readable = build.compiler_sees;
  walls.writable = {folder.path()};
  Walls for_source = walls;
  std::ranges::copy(beside(source), std::back_inserter(for_source.readable));
  if (auto failure = run_tool(compiler, folder, for_source, "the compiler")) return failure;
  return run_tool(linker, folder, walls, "the linker");
}

}  // namespace warpladder
