// runtime_program_test: programs built by nvcc, run on lockstep with LD_LIBRARY_PATH as ./lab does it. Their output
// must equal, line for line, the output of the same program on an NVIDIA H200.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

const std::string kPrograms = PROGRAM_FOLDER, kLibrary = LIBRARY_FOLDER, kRecords = RECORDS_FOLDER;

std::string read_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Finished {
  int exit_code = -1;  // 128 + the signal's number if a signal ended it
  std::string out, err;
};

// A device_server for one program.
class Server {
 public:
  explicit Server(const char* report = "") {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    if ((pid_ = fork()) == 0) {
      close(ends[0]);
      setenv("LOCKSTEP_REPORT", report, 1);
      execl((kLibrary + "/device_server").c_str(), "device_server", std::to_string(ends[1]).c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    end_ = ends[0];
  }
  std::string environment() const { return "LOCKSTEP_DEVICE=fd:" + std::to_string(end_); }
  int wait() {  // its exit code, or -1
    close(end_);
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  int end_ = -1;
};

// Runs PROGRAM ARGUMENTS on lockstep. `environment` stands before it, as in a shell.
Finished run(const std::string& command, const std::string& environment = "") {
  const std::string err_file = (std::filesystem::temp_directory_path() / "runtime_program_XXXXXX").string();
  std::vector<char> name(err_file.begin(), err_file.end());
  name.push_back('\0');
  close(mkstemp(name.data()));
  const std::string line =
      "LD_LIBRARY_PATH=" + kLibrary + " " + environment + " exec " + kPrograms + "/" + command + " 2>" + name.data();
  Finished result;
  std::FILE* pipe = popen(line.c_str(), "r");
  char buffer[4096];
  while (const size_t bytes = std::fread(buffer, 1, sizeof buffer, pipe)) result.out.append(buffer, bytes);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.err = read_file(name.data());
  std::filesystem::remove(name.data());
  return result;
}

// The recording's part for this group: the lines after "[group]", without comments.
std::string recorded(const std::string& file, const std::string& group) {
  std::istringstream lines(read_file(kRecords + "/" + file));
  std::string part, line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line.size() > 2 && line.front() == '[' && line.back() == ']')
      inside = line == "[" + group + "]";
    else if (inside && !line.starts_with("# "))
      part += line + "\n";
  }
  return part;
}

class SameAsOnH200 : public testing::TestWithParam<const char*> {};

TEST_P(SameAsOnH200, Errors) {
  if (CUDA_MAJOR < 13 && std::string(GetParam()) == "launch")
    GTEST_SKIP() << "CUDA 12 has other errors for wrong shapes (lockstep.cuda12), and the card had CUDA 13";
  const std::string expected = recorded("runtime_errors_h200.txt", GetParam());
  ASSERT_FALSE(expected.empty());
  const Finished result = run(std::string("runtime_errors ") + GetParam());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, expected) << result.err;
  Server server;
  EXPECT_EQ(run(std::string("runtime_errors ") + GetParam(), server.environment()).out, expected);
  EXPECT_EQ(server.wait(), 0);
}
INSTANTIATE_TEST_SUITE_P(Runtime, SameAsOnH200,
                         testing::Values("errors", "memory", "pointers", "symbols", "launch", "occupancy", "streams",
                                         "illegal", "assert", "trap", "misaligned", "reset", "threads", "properties"),
                         [](const auto& test) { return std::string(test.param); });

class AnswersAboutGraphs : public testing::TestWithParam<const char*> {};

TEST_P(AnswersAboutGraphs, AreTheCards) {
  if (CUDA_MAJOR < 13 && std::string(GetParam()) == "other_calls")
    GTEST_SKIP() << "CUDA 12 has another error for a grid of no blocks, and the card had CUDA 13";
  const std::string expected = recorded("runtime_graphs_h200.txt", GetParam());
  ASSERT_FALSE(expected.empty());
  const Finished result = run(std::string("runtime_graphs ") + GetParam());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, expected) << result.err;
  Server server;
  EXPECT_EQ(run(std::string("runtime_graphs ") + GetParam(), server.environment()).out, expected);
  EXPECT_EQ(server.wait(), 0);
}
INSTANTIATE_TEST_SUITE_P(Runtime, AnswersAboutGraphs,
                         testing::Values("begin_and_end", "joins", "captured_events", "waits", "memory_calls",
                                         "other_calls", "graphs", "unsafe_calls", "free_of_other_memory", "nodes",
                                         "instantiated", "memory_nodes", "conditions", "objects"),
                         [](const auto& test) { return std::string(test.param); });

class SameDataAsOnH200 : public testing::TestWithParam<const char*> {};

TEST_P(SameDataAsOnH200, Data) {
  const std::string expected = recorded("runtime_data_h200.txt", GetParam());
  ASSERT_FALSE(expected.empty());
  for (const char* program : {"runtime_data ", "runtime_data_per_thread "}) {
    const Finished result = run(std::string(program) + GetParam());
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out, expected) << program;
    EXPECT_EQ(result.err, "") << program;
  }
  Server server;
  const Finished outside = run(std::string("runtime_data ") + GetParam(), server.environment());
  EXPECT_EQ(outside.out, expected);
  EXPECT_EQ(outside.err, "");
  EXPECT_EQ(server.wait(), 0);
}
INSTANTIATE_TEST_SUITE_P(Runtime, SameDataAsOnH200,
                         testing::Values("copies", "variables", "arguments", "streams", "output", "threads"),
                         [](const auto& test) { return std::string(test.param); });

TEST(RuntimeProgram, WithoutAnImageFailsAsOnH200AndNamesTheFlag) {
  const Finished result = run("runtime_machine_code");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, read_file(kRecords + "/runtime_no_image_h200.txt"));
  EXPECT_EQ(result.err.rfind("lockstep: ", 0), 0u) << result.err;
  EXPECT_NE(result.err.find("-gencode arch=compute_75,code=compute_75"), std::string::npos) << result.err;
}

TEST(RuntimeProgram, WithCompressedOrNewerPtxRuns) {
  for (const char* const program : {PACKED}) {
    const Finished result = run(program);
    EXPECT_EQ(result.exit_code, 0) << program;
    EXPECT_EQ(result.out.find("cudaError"), std::string::npos) << program << ": " << result.out;
    EXPECT_EQ(result.err, "") << program;
  }
}

// A program with a static runtime never loads ours, and looks for the driver. ./lab emulate detects this before it runs
// a program.
TEST(RuntimeProgram, WithStaticRuntimeDoesNotComeHere) {
  if (!std::filesystem::exists(kPrograms + "/runtime_static")) GTEST_SKIP() << "the toolkit has no static runtime";
  const Finished result = run("runtime_static", "CUDA_VISIBLE_DEVICES=");
  EXPECT_NE(result.err.find("build it with nvcc -cudart shared"), std::string::npos) << result.err;
  EXPECT_EQ(result.out.find("lockstep"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("cudaErrorNoDevice"), std::string::npos) << result.out;
}

TEST(RuntimeProgram, SeparatelyCompiledFilesAreLinked) {
  if (!std::filesystem::exists(kPrograms + "/runtime_separate")) GTEST_SKIP() << "the toolkit has no device linker";
  const Finished result = run("runtime_separate");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 10) << result.out;
  EXPECT_EQ(result.out.find("WRONG"), std::string::npos) << result.out << result.err;
}

TEST(RuntimeProgram, WhatNoFileDefinesIsRefusedByName) {
  if (!std::filesystem::exists(kPrograms + "/runtime_separate")) GTEST_SKIP() << "the toolkit has no device linker";
  const Finished result = run("runtime_separate_missing");
  EXPECT_EQ(result.out, "complete: cudaSuccess\nincomplete: cudaErrorUnsupportedPtxVersion\n");
  EXPECT_NE(result.err.find("'nobody_wrote(int)' is not defined"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("runtime_separate_missing.cu:7"), std::string::npos) << result.err;
}

TEST(RuntimeProgram, ReportIsWrittenAtExit) {
  const auto folder = std::filesystem::temp_directory_path() / ("runtime_program_report." + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const auto file = folder / "report.json";
  const Finished result = run("runtime_data copies", "LOCKSTEP_REPORT=" + file.string());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(read_file(file).find("\"launches\""), std::string::npos);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);  // no temporary file is left
  std::filesystem::remove(file);
  const Finished faulty = run("runtime_errors illegal", "LOCKSTEP_REPORT=" + file.string());
  EXPECT_EQ(faulty.exit_code, 0);
  EXPECT_NE(read_file(file).find("null_pointer"), std::string::npos) << read_file(file);
  const Finished nowhere = run("runtime_data copies", "LOCKSTEP_REPORT=/nonexistent/report.json");
  EXPECT_EQ(nowhere.exit_code, 0);
  EXPECT_NE(nowhere.err.find("LOCKSTEP_REPORT"), std::string::npos) << nowhere.err;
  std::filesystem::remove_all(folder);
}

// The line of this source that ends in this comment, as "file.cu:12".
std::string line_of(const std::string& file, const std::string& comment) {
  std::ifstream source(SOURCE_FOLDER + ("/" + file));
  std::string line;
  for (int number = 1; std::getline(source, line); ++number)
    if (line.ends_with(comment)) return file + ":" + std::to_string(number);
  return "no such line";
}
std::string place_of(const std::string& comment) { return line_of("runtime_places.cu", comment) + " in "; }

TEST(RuntimeProgram, LaunchesFromKernelsNameTheirLines) {
  if (!std::filesystem::exists(kPrograms + "/runtime_children")) GTEST_SKIP() << "the toolkit has no device linker";
  const auto file = std::filesystem::temp_directory_path() / ("children" + std::to_string(getpid()));
  const std::string launch = line_of("runtime_children.cu", "// HERE launch");
  const Finished right = run("runtime_children", "LOCKSTEP_CHECKS=all LOCKSTEP_TRACE=" + file.string());
  EXPECT_EQ(right.out + right.err, "cudaSuccess\n");
  std::istringstream trace(read_file(file));
  std::vector<json> headers;
  for (std::string line; std::getline(trace, line);)
    if (json record = json::parse(line); record.contains("kernel")) headers.push_back(record);
  ASSERT_EQ(headers.size(), 2u);
  EXPECT_FALSE(headers[0].contains("launched_by"));
  EXPECT_EQ(headers[1]["launched_by"]["kernel"], "launch_store");
  const Finished outside = run("runtime_children outside", "LOCKSTEP_REPORT=" + file.string());
  EXPECT_EQ(outside.out, "cudaErrorIllegalAddress\n");
  const json report = json::parse(read_file(file));
  ASSERT_EQ(report["launches"].size(), 2u);
  const json by = report["launches"][1]["launched_by"];
  EXPECT_EQ(std::filesystem::path(by["file"].get<std::string>()).filename().string() + ":" + by["line"].dump(), launch);
  for (const std::string& text : {outside.err, report["findings"][0]["message"].get<std::string>()}) {
    EXPECT_NE(text.find(line_of("runtime_children.cu", "// HERE store")), std::string::npos) << text;
    EXPECT_NE(text.find("launched by kernel launch_store"), std::string::npos) << text;
    EXPECT_NE(text.find(launch), std::string::npos) << text;
  }
  std::filesystem::remove(file);
}

TEST(RuntimeProgram, AWrongLaunchFromAKernelIsFound) {
  if (!std::filesystem::exists(kPrograms + "/runtime_children")) GTEST_SKIP() << "the toolkit has no device linker";
  const Finished result = run("runtime_children shape", "LOCKSTEP_CHECKS=launch");
  EXPECT_EQ(result.out, "cudaSuccess\n");
  for (const std::string& told :
       {std::string("in kernel launch_too_many at "), std::string("the block has 2000 threads"),
        line_of("runtime_children.cu", "// HERE wrong shape")})
    EXPECT_NE(result.err.find(told), std::string::npos) << result.err;
  EXPECT_EQ(run("runtime_children shape").err, "") << "nobody asked for checks";
}

TEST(RuntimeProgram, AFunctionThatKernelsCannotCallIsRefusedByName) {
  if (!std::filesystem::exists(kPrograms + "/runtime_children")) GTEST_SKIP() << "the toolkit has no device linker";
  const Finished result = run("runtime_children function");
  EXPECT_EQ(result.out, "cudaErrorUnsupportedPtxVersion\n");
  for (const std::string& told :
       {std::string("cudaDeviceGetLimit() in a kernel is not supported"),
        line_of("runtime_children.cu", "// HERE limit"), line_of("runtime_children.cu", "// HERE launch of limit")})
    EXPECT_NE(result.err.find(told), std::string::npos) << result.err;
}

// Without debug information the function alone is known.
TEST(RuntimeProgram, MistakesOfTheHostAreToldWithTheLineOfTheCall) {
  const auto expect = [](const std::string& text, const std::string& lines, const std::string& function) {
    const std::string leak = HAS_BACKTRACE && lines == "g1" ? place_of("// HERE leak") : "at " + function;
    const std::string launch = HAS_BACKTRACE && lines == "g1" ? place_of("// HERE launch") : "at " + function;
    const size_t first = text.find("the program never read the error"), second = text.find("were never freed");
    ASSERT_NE(first, std::string::npos) << text;
    EXPECT_LT(text.find(launch, first), text.find("Next:", first)) << text;
    const size_t freed = second == std::string::npos ? text.find("was never freed") : second;
    ASSERT_NE(freed, std::string::npos) << text;
    EXPECT_LT(text.find(leak, freed), text.find("Next:", freed)) << text;
  };
  expect(run("runtime_places", "LOCKSTEP_CHECKS=all").err, "g1", "use(int)");
  expect(run("runtime_no_places", "LOCKSTEP_CHECKS=all").err, "", "use(int)");
  setenv("LOCKSTEP_CHECKS", "all", 1);  // of the server
  const std::string report = std::filesystem::temp_directory_path() / ("places" + std::to_string(getpid()));
  Server server(report.c_str());
  unsetenv("LOCKSTEP_CHECKS");
  run("runtime_places", server.environment());
  EXPECT_EQ(server.wait(), 0);
  std::string messages;
  const auto written = nlohmann::json::parse(read_file(report));
  for (const auto& finding : written["findings"]) messages += finding["message"].get<std::string>() + "\n";
  expect(messages, "g1", "use(int)");
  std::filesystem::remove(report);
}

// As with a card, the program ends. Its device has been told where.
TEST(RuntimeProgram, AHostThatReadsDeviceMemoryIsToldItsLine) {
  setenv("LOCKSTEP_CHECKS", "all", 1);  // of the server
  const std::string report = std::filesystem::temp_directory_path() / ("reads" + std::to_string(getpid()));
  Server server(report.c_str());
  unsetenv("LOCKSTEP_CHECKS");
  EXPECT_NE(run("runtime_places read", server.environment()).exit_code, 0);
  EXPECT_EQ(server.wait(), 0);
  const std::string text = read_file(report);
  const std::string what = "the host reads device memory, 4 bytes behind the start of an allocation of 8 bytes";
  ASSERT_NE(text.find(what), std::string::npos) << text;
  const std::string place = HAS_BACKTRACE ? place_of("// HERE read") : "at host_reads";
  EXPECT_NE(text.find(place, text.find(what)), std::string::npos) << text;
  std::filesystem::remove(report);
}

TEST(RuntimeProgram, AServerWithoutAPlaceForItsReportSaysSoByItsExitCode) {
  const char* nowhere = "/nonexistent/report.json";
  Server served(nowhere);
  const Finished orderly = run("runtime_data copies", served.environment());
  EXPECT_NE(orderly.err.find("LOCKSTEP_REPORT"), std::string::npos) << orderly.err;
  EXPECT_EQ(served.wait(), 4);
  Server left(nowhere);  // its program never starts
  EXPECT_EQ(left.wait(), 4);
  EXPECT_EQ(Server().wait(), 0);  // no report is asked for
}

TEST(RuntimeProgram, MalformedEnvironmentIsToldOnceAndFailsTheCalls) {
  const Finished result = run("runtime_errors pointers", "LOCKSTEP_SCHEDULE=sideways");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.find("cudaMalloc(&d, 4096): cudaErrorInitializationError"), 0u) << result.out;
  EXPECT_EQ(result.err.find("LOCKSTEP_SCHEDULE"), result.err.rfind("LOCKSTEP_SCHEDULE")) << result.err;
  EXPECT_EQ(result.err.rfind("lockstep: ", 0), 0u) << result.err;
}

TEST(RuntimeLibrary, ExportsAllThatTheToolkitsExports) {
  void* library = dlopen((kLibrary + "/" RUNTIME_NAME).c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  std::istringstream names(read_file(EXPORT_LIST));
  std::string name;
  int count = 0;
  for (; std::getline(names, name); ++count) EXPECT_NE(dlvsym(library, name.c_str(), RUNTIME_NAME), nullptr) << name;
  EXPECT_GT(count, 300);
  EXPECT_EQ(dlsym(library, "_ZN8lockstep6Device6createERKNS_13DeviceOptionsE"), nullptr) << "internals are visible";
}

// ---- what ptxas makes of a program ----

using nlohmann::json;

// The launches of runtime_rewritten. The answers of ptxas are in a folder of the test.
class Rewritten : public testing::Test {
 protected:
  ~Rewritten() override { std::filesystem::remove_all(folder_); }

  // Runs it with these variables.
  std::map<std::string, json> launches(const std::string& environment) {
    const Finished result = run("runtime_rewritten", answers() + environment + " LOCKSTEP_REPORT=" + report());
    EXPECT_EQ(result.out, "64 4000 12000\n") << result.err;
    return read_report();
  }
  std::map<std::string, json> read_report() {
    std::map<std::string, json> found;
    const json whole = json::parse(read_file(report()));
    for (const json& launch : whole["launches"]) found[launch["kernel"]] = launch;
    return found;
  }
  std::string answers() const { return "LOCKSTEP_SASS=" + folder_ + "/answers "; }
  std::string report() const {
    std::filesystem::create_directories(folder_);
    return folder_ + "/report.json";
  }
  std::string folder_ = std::filesystem::temp_directory_path() / ("rewritten." + std::to_string(getpid()));
};

struct Counts {
  uint64_t product, filter, sum;
  bool operator==(const Counts&) const = default;
};

// The wavefronts of the product's shared loads and of the filter's shared atomics, and the sectors of the sum's
// reductions, from this object of a launch.
Counts counts(std::map<std::string, json>& launches, const char* object) {
  const std::string shared = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_";
  const auto count = [&](const char* kernel, const std::string& name) {
    return launches[kernel].value(object, json::object()).value(name, uint64_t{0});
  };
  return {count("product", shared + "ld.sum"), count("filter", shared + "atom.sum"),
          count("sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum")};
}

const Counts kOnCard{12'288, 125, 125}, kByPtx{16'384, 4'000, 4'000};

TEST_F(Rewritten, IsCountedAsOnTheCard) {
  if (CUDA_MAJOR < 13) GTEST_SKIP() << "what ptxas 13 makes of these kernels was counted on the card";
  if (!HAS_NVDISASM) GTEST_SKIP() << "this build has no nvdisasm";
  auto found = launches("");
  EXPECT_EQ(counts(found, "counters"), kOnCard);
  EXPECT_EQ(counts(found, "ptx_counters"), kByPtx);
  EXPECT_FALSE(found["product"].contains("counter_kinds")) << found["product"]["counter_kinds"];
  EXPECT_FALSE(found["sum"].contains("counter_kinds")) << found["sum"]["counter_kinds"];
  // Where the filter writes depends on the order of the blocks, and nothing else does.
  for (const auto& [name, kind] : found["filter"]["counter_kinds"].items())
    EXPECT_TRUE(name == "global_bytes_stored" || name.find("global_op_st.") != name.npos) << name;
}

TEST_F(Rewritten, IsDoubtfulWithoutTheTools) {
  auto found = launches("LOCKSTEP_PTXAS= ");
  EXPECT_EQ(counts(found, "counters"), kByPtx);
  for (const auto& [kernel, name] :
       std::map<std::string, std::string>{{"product", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
                                          {"filter", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"},
                                          {"sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"}}) {
    EXPECT_EQ(found[kernel]["counter_kinds"].value(name, ""), "ptx-level") << kernel;
  }
}

// As the judge does it: one process asks, and another has the device, without the tools. The module of runtime_large is
// one that a device would ask about kernel by kernel.
class Judged : public Rewritten, public testing::WithParamInterface<const char*> {};

TEST_P(Judged, TheDevicesServerFindsTheAnswers) {
  if (!HAS_NVDISASM) GTEST_SKIP() << "this build has no nvdisasm";
  const std::string folder = folder_ + "/answers", file = report();
  setenv("LOCKSTEP_SASS", folder.c_str(), 1);
  setenv("LOCKSTEP_PTXAS", "", 1);
  const auto served = [&] {
    Server server(file.c_str());
    EXPECT_EQ(run(GetParam(), server.environment()).out, "64 4000 12000\n");
    EXPECT_EQ(server.wait(), 0);
    auto found = read_report();
    return counts(found, "counters");
  };
  EXPECT_EQ(served(), kByPtx) << "nobody has asked";
  unsetenv("LOCKSTEP_PTXAS");
  EXPECT_EQ(std::system((kLibrary + "/ask_ptxas " + kPrograms + "/" + GetParam() + " " + folder).c_str()), 0);
  setenv("LOCKSTEP_PTXAS", "", 1);
  EXPECT_EQ(served(), kOnCard);
  for (const char* name : {"LOCKSTEP_SASS", "LOCKSTEP_PTXAS"}) unsetenv(name);
}
INSTANTIATE_TEST_SUITE_P(Runtime, Judged, testing::Values("runtime_rewritten", "runtime_large"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
