#include "grader/judge/compile/compile.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>

#include "grader/judge/compile/capability.h"
#include "grader/judge/compile/errors.h"
#include "grader/judge/sandbox/child.h"
#include "grader/judge/sandbox/sandbox.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kCompilerData = uint64_t{8} << 30, kCompilerFile = uint64_t{256} << 20;
constexpr uint64_t kCompilerOpenFiles = 256;
constexpr size_t kMostFiles = 256;  // beside the source, which it may include
constexpr size_t kHead = 4096;      // bytes of a file in which it may ask for a compute capability

std::string replaced(std::string word, const std::string& key, const std::string& value) {
  const size_t at = word.find(key);
  return at == std::string::npos ? word : word.replace(at, key.size(), value);
}

// The files beside the source, which it may include. Folders are left out, as a source in the root of a course would
// see the whole course. Links are left out, as a link can point anywhere.
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
  files.push_back(source);  // also if its name has another ending
  return files;
}

// nvcc passes names to a shell. A source whose path means something else to a shell is copied to a plain path.
fs::path plain(const fs::path& source, std::vector<fs::path>& files, const TemporaryFolder& folder) {
  static const std::string kPlain = "/._-+=:,@%ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  if (source.string().find_first_not_of(kPlain) == std::string::npos) return source;
  const fs::path copies = folder.path() / "source";
  fs::create_directory(copies);
  for (const fs::path& file : files) {
    if (file != source) fs::copy_file(file, copies / file.filename(), fs::copy_options::overwrite_existing);
  }
  const fs::path copy = copies / ("submission" + source.extension().string());
  fs::copy_file(source, copy, fs::copy_options::overwrite_existing);
  files.clear();
  return copy;
}

// A linker's errors name the judge's temporary folder, which tells a learner nothing: it is taken out.
std::string without_folder(std::string text, const TemporaryFolder& folder) {
  const std::string own = folder.path().string() + "/";
  for (const std::string& path : {own + "source/", own}) {
    for (size_t at = 0; (at = text.find(path, at)) != std::string::npos;) text.erase(at, path.size());
  }
  return text;
}

struct Bench {
  double seconds;  // the limit for each tool
  const TemporaryFolder& folder;
  Walls walls;
};

Failure tool_failure(const Message& how, const Child& tool, const TemporaryFolder& folder) {
  FirstErrors errors = first_errors(without_folder(tool.errors() + tool.output(), folder));
  const ErrorAdvice advice = advice_on_errors(errors.text);
  Failure failure = make_failure(Verdict::kCompileError, "compile", how, advice.text, errors.text);
  failure.more_printed = std::move(errors.rest);
  failure.advice = advice.name;
  if (failure.printed.find("No such file or directory") != std::string::npos)
    failure.next_step =
        together({failure.next_step,
                  message("A lab's file may include CUDA's headers, C++'s, common/*.h, and what lies beside it.")},
                 "\n");
  return failure;
}

ChildSpec tool_spec(const std::vector<std::string>& command, const Bench& bench) {
  if (command.front().starts_with('/') && !fs::exists(command.front()))
    throw JudgeFault(message("{program} cannot be started. Build the labs again: cmake --build build",
                             {{"program", command.front()}}));
  ChildSpec spec;
  spec.command = command;
  spec.folder = bench.folder.path();
  spec.environment = {{"TMPDIR", bench.folder.path()}};
  spec.limits = {static_cast<uint64_t>(std::ceil(bench.seconds / 2)), kCompilerData, kCompilerFile, kCompilerOpenFiles};
  return spec;
}

Bench bench_of(const Build& build, const Lab& lab, const TemporaryFolder& folder) {
  Bench bench{lab.limits.compile, folder, {}};
  bench.walls.permissions = {.processes = true, .shared_memory = true};
  bench.walls.devices = false;
  bench.walls.variables = {"NVCC_", "LOCKSTEP_PTXAS", "LOCKSTEP_NVDISASM"};
  bench.walls.readable = build.compiler_sees;
  bench.walls.writable = {folder.path()};
  return bench;
}

// Where a tool's words go if it ends well. Null: nobody wants them.
struct Words {
  std::string *output = nullptr, *errors = nullptr;
};

// `what` names the tool for people.
std::optional<Failure> run_tool(const std::vector<std::string>& command, const char* what, const Bench& bench,
                                const Words& words = {}) {
  ChildSpec spec = tool_spec(command, bench);
  if (words.output != nullptr) spec.limits.output_kept = spec.limits.output_allowed;
  Sandbox::here().enclose(spec, bench.walls);
  Child tool(spec);
  const Child::Event event = tool.wait(bench.seconds);
  if (event == Child::Event::kEnded && tool.ended_well()) {
    if (words.output != nullptr) *words.output = tool.output();
    if (words.errors != nullptr) *words.errors = tool.errors();
    return std::nullopt;
  }
  if (!Sandbox::here().stands(bench.walls))
    throw JudgeFault(
        message("no process can be started in the sandbox any more:\n{errors}", {{"errors", tool.errors()}}));
  Message how = tool.how_it_ended();
  if (event == Child::Event::kTimeout || tool.ending_signal() == SIGXCPU) {
    how = message("took too long and was ended");
  } else if (event == Child::Event::kOutputLimit) {
    how = message("printed more than 16 MiB of errors");
  }
  return tool_failure(message("{tool} {ended}", {{"tool", message(what)}, {"ended", how}}), tool, bench.folder);
}

// What does not compile may need a card with more than the lab asks for. The compiler itself says so: it tries again.
// No list of names could be complete.
void name_capability(const Command& compiler, const Bench& bench, Failure& failure) {
  if (failure.steps.front().text().find("ended with exit code") == std::string::npos) return;  // it took too long
  const auto compiles = [&](int capability) {
    return !run_tool(raised(compiler, capability), later("the compiler"), bench);
  };
  const std::vector<int> above = capabilities_above(compiler);
  if (above.empty() || !compiles(above.back())) return;
  const int enough = *std::ranges::find_if(above, [&](int c) { return c == above.back() || compiles(c); });
  failure.next_step = message(
      "This lab compiles for compute capability {lab}; for {file} the file compiles. To ask for it, begin the "
      "file with this line:\n// compute capability {file}",
      {{"lab", capability_text(capability_of(compiler))}, {"file", capability_text(enough)}});
}

// Hides all of the object's names but the contract's functions. Inline functions and templates come in groups, and a
// linker takes the first group of a name that it meets, the runner's or the learner's: they become plain parts first.
std::optional<Failure> close_object(const fs::path& object, const Lab& lab, const Bench& bench) {
  std::string text;
  const std::vector<std::string> list = {"nm", "--format=posix", "--defined-only", "--extern-only", object};
  if (auto failure = run_tool(list, later("nm, which lists what the file defines,"), bench, {.output = &text}))
    return failure;
  const std::vector<Symbol> symbols = parse_symbols(text);
  if (auto failure = check_symbols(symbols, lab)) return failure;

  const std::string grouped = bench.folder.path() / "grouped.o";
  fs::rename(object, grouped);
  std::vector<std::string> weaken = {"objcopy", object}, keep = {"objcopy", object, "--keep-global-symbol=nothing"};
  for (const Symbol& symbol : symbols) {
    if (symbol.kind == 'u') weaken.push_back("--weaken-symbol=" + symbol.name);  // or objcopy would leave it visible
  }
  for (const std::string& name : symbols_to_keep(symbols, lab)) keep.push_back("--keep-global-symbol=" + name);
  std::vector<std::vector<std::string>> steps = {{"ld", "-r", "-d", "--force-group-allocation", grouped, "-o", object}};
  if (weaken.size() > 2) steps.push_back(weaken);
  steps.push_back(keep);
  for (const auto& step : steps) {
    if (auto failure = run_tool(step, later("the linker"), bench)) return failure;
  }
  return std::nullopt;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::optional<Failure> compile(const Build& build, const Lab& lab, const fs::path& source, const fs::path& binary,
                               const TemporaryFolder& folder, std::vector<Message>* warnings) {
  const std::string object = folder.path() / "submission.o";
  std::vector<fs::path> files = beside(source);
  const fs::path from = plain(source, files, folder);
  std::vector<std::string> compiler, linker;
  for (const std::string& word : build.compile)
    compiler.push_back(replaced(replaced(word, "{source}", from), "{object}", object));
  for (const std::string& word : build.link)
    linker.push_back(replaced(replaced(word, "{binary}", binary), "{object}", object));
  const std::string text = text_of(from);
  if (auto failure = choose_capability(text.substr(0, kHead), compiler)) return failure;
  const Bench bench = bench_of(build, lab, folder);
  Bench for_source = bench;  // the compiler alone sees the learner's files
  std::ranges::copy(files, std::back_inserter(for_source.walls.readable));
  std::string said;
  if (auto failure = run_tool(compiler, later("the compiler"), for_source, {.errors = &said})) {
    name_capability(compiler, for_source, *failure);
    failure->printed = with_own_lines(failure->printed, without_folder(from, folder), text);
    return failure;
  }
  if (warnings != nullptr) *warnings = telling_warnings(said, from);
  if (auto failure = close_object(object, lab, bench)) return failure;
  return run_tool(linker, later("the linker"), bench);
}

Asking::Asking(const Build& build, const Lab& lab, const fs::path& binary, const TemporaryFolder& folder)
    : answers_(folder.path() / "sass"), seconds_(lab.limits.compile) {
  const fs::path program = build.lockstep / "ask_ptxas";
  if (lab.is_opencl() || !fs::exists(program)) return;
  fs::create_directory(answers_);
  Bench bench = bench_of(build, lab, folder);
  bench.walls.readable.push_back(binary);
  ChildSpec spec = tool_spec({program, binary, answers_}, bench);
  Sandbox::here().enclose(spec, bench.walls);
  child_.emplace(spec);
}

void Asking::wait() {
  if (child_) child_->wait(seconds_);
  child_.reset();
}

// The message about the compiler itself comes from the judge; the message about a part of it comes from nvcc or gcc.
bool compiler_was_killed(const Failure& failure) {
  const auto says = [&](const char* text) { return failure.printed.find(text) != std::string::npos; };
  return failure.steps.front().text().ends_with("Killed") || says("died due to signal 9") ||
         says("Killed signal terminated program");
}

}  // namespace warpladder
