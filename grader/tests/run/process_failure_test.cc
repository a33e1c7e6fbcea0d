#include "grader/judge/run/process_failure.h"

#include <gtest/gtest.h>

namespace warpladder {
namespace {

// The runner sends names, and the judge has the words: only these can be translated.
TEST(ProcessFailure, TheRunnersRepliesGetWords) {
  const struct {
    const char *reply, *verdict, *said;
  } kReplies[] = {{R"({"id":0,"status":"memory","about":"null_pointer"})", "memory",
                   "an allocation failed and its null pointer was used"},
                  {R"({"id":3,"status":"memory","about":"bad_alloc"})", "memory",
                   "an allocation on the host failed (std::bad_alloc)"},
                  {R"({"id":3,"status":"fault","about":"entry","text":"scan"})", "judge fault", "no entry point scan"},
                  {R"({"status":"fault","about":"device","text":"cudaFree: cudaErrorNoDevice"})", "judge fault",
                   "the device does not start: cudaFree: cudaErrorNoDevice"},
                  {R"({"id":3,"status":"no_driver","text":"…"})", "judge fault",
                   "no device here has an OpenCL driver; Debian's pocl-opencl-icd serves any CPU"},
                  {R"({"id":3,"status":"no_gpu_driver","text":"…"})", "judge fault",
                   "no GPU here has an OpenCL driver; NVIDIA's libnvidia-opencl.so.1 comes with the card's own"},
                  {R"({"id":3,"status":"exception","text":"{n} is odd"})", "runtime error",
                   "an exception left the function: {n} is odd"}};
  for (const auto& [reply, verdict, said] : kReplies) {
    const Failure failure = refused_failure(reply, "");
    EXPECT_EQ(name_of(failure.verdict), verdict) << reply;
    EXPECT_EQ(failure.steps.at(0).text(), said) << reply;
    EXPECT_TRUE(failure.steps.at(0).is_words()) << reply;
  }
}

TEST(ProcessFailure, WhatTheRunnerNeverSendsIsMadeUp) {
  for (const char* reply : {R"({"id":3,"status":"driver"})", R"({"id":3})", R"({"status":7})",
                            R"({"id":3,"status":"memory"})", R"({"id":3,"status":"memory","about":"device"})",
                            R"({"id":3,"status":"fault","about":"the judge","text":"none"})"})
    EXPECT_EQ(name_of(refused_failure(reply, "").verdict), "cheating suspected") << reply;
}

}  // namespace
}  // namespace warpladder
