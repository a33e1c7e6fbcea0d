// api_report_test: what the report says about a program's calls, and the calls that LOCKSTEP_FAIL makes fail.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/runtime/program.h"

namespace lockstep::runtime_test {
namespace {

TEST_F(RuntimeApi, ReportIsWrittenOnReset) {
  const auto folder = std::filesystem::temp_directory_path() / ("lockstep_report." + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const auto file = folder / "report.json";
  set("LOCKSTEP_REPORT", file);
  const Program program = plain_program();
  void* d = nullptr;
  ASSERT_EQ(cudaMalloc(&d, 4), cudaSuccess);
  ASSERT_EQ(store(1, d), cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_NE(text.str().find("\"launches\""), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("store"), std::string::npos) << text.str();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);  // no temporary file is left
  std::filesystem::remove_all(folder);

  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);  // the folder is gone
  EXPECT_NE(testing::internal::GetCapturedStderr().find("LOCKSTEP_REPORT"), std::string::npos);
}

TEST_F(RuntimeApi, AReportWithoutCountersHasTheFindings) {
  const auto file = std::filesystem::temp_directory_path() / ("lockstep_report." + std::to_string(getpid()) + ".json");
  set("LOCKSTEP_REPORT", file);
  set("LOCKSTEP_COUNTERS", "none");
  set("LOCKSTEP_CHECKS", "all");
  const Program program = plain_program();
  void* d = nullptr;
  ASSERT_EQ(cudaMalloc(&d, 4), cudaSuccess);
  ASSERT_EQ(store(1, d), cudaSuccess);  // nobody frees d
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  const auto report = nlohmann::json::parse(std::ifstream(file));
  EXPECT_TRUE(report.at("launches").empty());
  ASSERT_EQ(report.at("findings").size(), 1u);
  EXPECT_EQ(report["findings"][0].at("kind"), "leak");
  std::filesystem::remove(file);
}

TEST_F(RuntimeApi, ACallFailsThatIsMeantTo) {
  set("LOCKSTEP_FAIL", "2");
  void *first = nullptr, *second = nullptr;
  EXPECT_EQ(cudaMalloc(&first, 4), cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMalloc(&second, 4), cudaErrorUnknown);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("call 2, cudaMalloc,"), std::string::npos);
  EXPECT_EQ(second, nullptr);                  // the call was not made
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // only the call itself returns the error
  EXPECT_EQ(cudaMalloc(&second, 4), cudaSuccess);
}

TEST_F(RuntimeApi, ALaunchThatIsMeantToFailTellsTheLastError) {
  set("LOCKSTEP_FAIL", "2");
  const Program program = plain_program();
  unsigned char *d = nullptr, value = 1;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 1), cudaSuccess);
  EXPECT_EQ(store(1, d), cudaErrorUnknown);
  EXPECT_EQ(cudaGetLastError(), cudaErrorUnknown);
  EXPECT_EQ(cudaMemcpy(&value, d, 1, cudaMemcpyDeviceToHost), cudaSuccess);
}

TEST_F(RuntimeApi, CallsFromProfilerStartOnMayBeCountedAlone) {
  set("LOCKSTEP_FAIL", "profiled:4");
  int device = 0;
  const auto get = [&device] { return cudaGetDevice(&device); };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get(), cudaSuccess);
  EXPECT_EQ(cudaProfilerStart(), cudaSuccess);
  EXPECT_EQ(get(), cudaSuccess);
  EXPECT_EQ(cudaProfilerStop(), cudaSuccess);   // does not end the count, and is counted
  EXPECT_EQ(cudaProfilerStart(), cudaSuccess);  // does not restart the count
  EXPECT_EQ(get(), cudaErrorUnknown);
  EXPECT_EQ(get(), cudaSuccess);
}

TEST_F(RuntimeApi, TheProfilersCallsFailByTheirOwnName) {
  set("LOCKSTEP_FAIL", "1");
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaProfilerStart(), cudaErrorUnknown);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("call 1, cudaProfilerStart,"), std::string::npos);
}

TEST_F(RuntimeApi, TheNumberOfACallThatIsNoneIsRefused) {
  set("LOCKSTEP_FAIL", "profiled:0");
  void* d = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMalloc(&d, 4), cudaErrorInitializationError);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("LOCKSTEP_FAIL=profiled:0"), std::string::npos);
}

// The host's calls between two launches, from the second launch's counters: {synchronisations, allocations}.
using HostCounts = std::pair<uint64_t, uint64_t>;

TEST_F(RuntimeApi, ReportTellsWhatTheHostDidBetweenLaunches) {
  const std::filesystem::path file = report_file();
  set("LOCKSTEP_REPORT", file);
  const Program program = plain_program();
  char pageable[4];
  void *d = nullptr, *d2 = nullptr, *pinned = nullptr;
  cudaEvent_t event = nullptr;
  float ms = 0;
  ASSERT_EQ(cudaMalloc(&d, 4), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 4), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<HostCounts> expected;
  const auto launch_after = [&](uint64_t synchronisations, uint64_t allocations) {
    ASSERT_EQ(store(1, d), cudaSuccess);
    expected.emplace_back(synchronisations, allocations);
  };
  launch_after(0, 0);  // before the first launch nothing is counted
  launch_after(0, 0);

  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  launch_after(3, 0);

  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, event, event), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  launch_after(0, 0);  // a query is not a wait

  EXPECT_EQ(cudaMalloc(&d2, 4), cudaSuccess);
  EXPECT_EQ(cudaFree(d2), cudaSuccess);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  launch_after(1, 1);

  EXPECT_EQ(cudaMallocAsync(&d2, 4, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(d2, nullptr), cudaSuccess);
  launch_after(0, 1);  // is ordered in the stream and does not wait

  EXPECT_EQ(cudaMemcpy(pageable, d, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(d, pageable, 4, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(pinned, d, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(pageable, d, 4, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  launch_after(4, 0);

  EXPECT_EQ(cudaMemcpy(d, d, 4, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(d, pageable, 4, cudaMemcpyHostToDevice, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemset(d, 0, 4), cudaSuccess);
  launch_after(0, 0);

  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_NE(store(1, d, 5000), cudaSuccess);  // a launch that fails does not count
  launch_after(1, 0);

  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);  // writes the report
  const nlohmann::json report = nlohmann::json::parse(std::ifstream(file));
  std::filesystem::remove(file);
  std::vector<HostCounts> counted;
  for (const nlohmann::json& launch : report["launches"])
    counted.emplace_back(launch["counters"]["host_synchronisations"], launch["counters"]["host_allocations"]);
  EXPECT_EQ(counted, expected);
}

TEST_F(RuntimeApi, AFailedLaunchThatNobodyLooksAtIsFound) {
  const std::filesystem::path file = report_file();
  setenv("LOCKSTEP_CHECKS", "all", 1);
  set("LOCKSTEP_REPORT", file);
  const Program program = plain_program();
  testing::internal::CaptureStderr();
  const auto found = [&](bool looks) {
    EXPECT_EQ(store(1, nullptr, 5000), kWrongShape);
    if (looks) cudaPeekAtLastError();
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    return nlohmann::json::parse(std::ifstream(file)).at("findings").dump();
  };
  EXPECT_EQ(found(true).find("unchecked_error"), std::string::npos);
  EXPECT_NE(found(false).find("unchecked_error"), std::string::npos);
  testing::internal::GetCapturedStderr();
}

// The child of fork() makes the first call, so it has the runtime.
TEST_F(RuntimeApi, TheReportSaysThatAProgramEndedInOrder) {
  const std::filesystem::path file = report_file();
  std::filesystem::remove(file);
  set("LOCKSTEP_REPORT", file);
  const auto program = [] {
    void* d = nullptr;
    std::exit(cudaMalloc(&d, 4) == cudaSuccess ? 0 : 1);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "");
  const nlohmann::json report = nlohmann::json::parse(std::ifstream(file));
  std::filesystem::remove(file);
  EXPECT_EQ(report.at("end"), "orderly");
}

}  // namespace
}  // namespace lockstep::runtime_test
