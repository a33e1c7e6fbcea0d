// call_place_test: the stack of a call, its number, and places that are long. Here the runtime is a part of the test
// program, so all code of the test counts as the library's own. runtime_program_test looks at the lines of whole
// programs.
#include "runtime/call_place.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "runtime/api.h"
#include "tests/runtime/program.h"

namespace lockstep::runtime {
namespace {

using runtime_test::kWrongShape, runtime_test::plain_program, runtime_test::Program, runtime_test::RuntimeApi;
using runtime_test::store;

void* object_of(uintptr_t address) {
  Dl_info info{};
  return dladdr(reinterpret_cast<void*>(address), &info) ? info.dli_fbase : nullptr;
}

TEST(CallPlace, TheLibrarysOwnCodeIsLeftOut) {
  const CallStack stack = call_stack();
  ASSERT_FALSE(stack.empty());  // the C library calls main()
  for (const uintptr_t address : stack)
    EXPECT_NE(object_of(address), object_of(reinterpret_cast<uintptr_t>(&call_stack)));
}

TEST(CallPlace, EqualStacksHaveOneNumber) {
  const CallStack one{0x1000, 0x2000}, other{0x1000, 0x2001};
  EXPECT_EQ(call_number({}), 0u);
  EXPECT_NE(call_number(one), 0u);
  EXPECT_EQ(call_number(one), call_number(one));
  EXPECT_NE(call_number(one), call_number(other));
  EXPECT_EQ(call_line(0).line, 0u);
  EXPECT_EQ(call_line(call_number(one)).line, 0u);  // there is no code at these addresses
}

// A program's own #line may give any path. A device in its own process takes the first 4,096 bytes, which end within a
// character here.
std::string long_path() {
  std::string path = "//";
  for (int i = 0; i < 2000; ++i) path += "€";
  return path;
}

TEST_F(RuntimeApi, AVeryLongPathBreaksNothing) {
  setenv("LOCKSTEP_CHECKS", "all", 1);
  set("LOCKSTEP_REPORT", report_file());
  const Program program = plain_program();
  testing::internal::CaptureStderr();
  void* d = nullptr;
  ASSERT_EQ(cudaMalloc(&d, 4), cudaSuccess);
  set_call_lines([](uint64_t) {
    Site site;
    site.file = long_path();
    site.line = 7;
    return site;
  });
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(store(1, d), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(d, 2, 1, stream), cudaSuccess);  // races with the launch
  ASSERT_EQ(store(1, d, 5000), kWrongShape);                 // nobody reads this error
  Runtime::instance().device->tell_place(CallKind::kFailedLaunch, 0, long_path());
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&d, 4), cudaSuccess) << "the device is still there";
  testing::internal::GetCapturedStderr();

  std::set<std::string> kinds;
  const nlohmann::json report = nlohmann::json::parse(std::ifstream(report_file()));
  for (const auto& finding : report.at("findings"))
    if (finding.dump().find(long_path().substr(0, 2 + 3 * 1300)) != std::string::npos) kinds.insert(finding.at("kind"));
  EXPECT_EQ(kinds, (std::set<std::string>{"host_race", "unchecked_error"}));
}

}  // namespace
}  // namespace lockstep::runtime
