// The judge against a runner that hangs, prints, allocates, exits early and forges.
#include "grader/judge/run/submission.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>

#include "common/runner/protocol.h"
#include "grader/judge/contract/inputs.h"
#include "grader/judge/run/answer.h"
#include "grader/tests/testing.h"

namespace warpladder {
namespace {

class FakeRunner : public ::testing::Test {
 protected:
  void SetUp() override { catch_interruptions(); }

  // One case of 100 elements against the fake runner with this fault; empty: it passed.
  std::optional<Failure> judge(const std::string& fault, bool guards = false, const char* contract = "scan",
                               const char* entry = "scan_inclusive", double seconds = 1) {
    const testing::Environment environment("WARPLADDER_FAKE_FAULT", fault);
    const Lab lab = testing::lab_of(contract, entry);
    SubmissionSpec spec;
    spec.binary = FAKE_RUNNER;
    spec.device.is_lockstep = !guards;
    spec.device.lockstep = FAKE_LOCKSTEP;
    spec.lab = lab;
    spec.largest_n = 100;
    spec.cpu_seconds = cpu_seconds_;
    Submission submission(spec);
    if (auto failure = submission.start()) return failure;
    const Case job{std::string(entry) + ".100.random", lab.contract->find_entry(entry), "random", 100, 1};
    const Bytes input = lab.measured_entry().code.make("random", 100, 1);
    submission.give(job, input);
    using Clock = Submission::Clock;
    if (auto failure = submission.run(job, seconds, timed_ ? Clock::kOurs : Clock::kNone)) return failure;
    EXPECT_EQ(submission.answered().timing.events_ms, 1.5);
    crossing_ = submission.answered().crossing;
    return submission.stop();
  }
  std::string check(const std::string& fault, bool guards = false) {
    const auto failure = judge(fault, guards);
    return failure ? std::string(name_of(failure->verdict)) + "/" + failure->check : "pass";
  }
  double cpu_seconds_ = 100;
  bool timed_ = false;
  std::optional<Crossing> crossing_;  // of the last call that passed
};

TEST_F(FakeRunner, HonestWorkPasses) {
  EXPECT_FALSE(judge(""));
  EXPECT_FALSE(judge("", true));
  EXPECT_FALSE(judge("", true, "reduction", "reduce_sum"));
  EXPECT_FALSE(judge("", true, "histogram", "histogram"));
}

TEST_F(FakeRunner, WrongAnswers) {
  EXPECT_EQ(check("wrong_tail"), "wrong answer/case.scan_inclusive.100.random");
  EXPECT_EQ(check("nan"), "wrong answer/case.scan_inclusive.100.random");
  EXPECT_EQ(check("lazy"), "wrong answer/case.scan_inclusive.100.random");
  EXPECT_EQ(judge("lazy", false, "reduction", "reduce_sum")->check, "case.reduce_sum.100.random");
  EXPECT_EQ(judge("lazy", false, "histogram", "histogram")->check, "case.histogram.100.random");
  const auto failure = judge("wrong_tail");
  EXPECT_NE(failure->steps.at(0).text().find("out[40]: got "), std::string::npos);
}

TEST_F(FakeRunner, ArraysAroundAndBeforeAreWatched) {
  EXPECT_EQ(check("guard", true), "runtime error/guard");
  EXPECT_EQ(check("const"), "wrong answer/const");
  EXPECT_EQ(check("writes_input", true), "pass");  // the kernel refused, and the answer is right
}

TEST_F(FakeRunner, SealedArraysComeFromTheDevice) {
  EXPECT_EQ(check("keeps_the_arrays"), "cheating suspected/protocol");
  EXPECT_EQ(check("still_runs"), "time/time");
  EXPECT_FALSE(judge(""));
  ASSERT_TRUE(crossing_);
  EXPECT_EQ(crossing_->to_host, 4u);
  EXPECT_EQ(crossing_->from_host, 24u);
  EXPECT_FALSE(judge("", true));  // on a card
  EXPECT_FALSE(crossing_);
}

TEST_F(FakeRunner, TimeLimits) {
  EXPECT_EQ(check("hang"), "time/time");
  EXPECT_EQ(check("hang_stubborn"), "time/time");
  cpu_seconds_ = 1;
  EXPECT_EQ(judge("spin", false, "scan", "scan_inclusive", 20)->check, "time");
}

TEST_F(FakeRunner, OutputLimit) {
  const auto failure = judge("print", false, "scan", "scan_inclusive", 20);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->check, "output");
  EXPECT_NE(failure->printed.find("and on and on"), std::string::npos);
  EXPECT_LT(failure->printed.size(), size_t{150} << 10);
}

TEST_F(FakeRunner, MemoryLimits) {
  EXPECT_EQ(check("40_gb"), "memory/memory");
  EXPECT_EQ(check("device_memory"), "memory/memory") << judge("device_memory")->steps.at(0);
}

TEST_F(FakeRunner, CrashesAndEarlyExits) {
  EXPECT_EQ(check("crash"), "runtime error/runtime");
  EXPECT_EQ(check("exit_0"), "runtime error/runtime");
  EXPECT_EQ(check("exit_3"), "runtime error/runtime");
  EXPECT_EQ(check("static_exit"), "runtime error/runtime");
  EXPECT_EQ(check("stop_exit_4"), "runtime error/runtime");
  EXPECT_NE(judge("exit_0")->steps.at(0).text().find("exit code 0"), std::string::npos);
}

TEST_F(FakeRunner, AnIllegalAddressShowsTheDiagnosis) {
  const auto failure = judge("illegal_address");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->check, "guard");
  EXPECT_NE(failure->printed.find("lockstep: kernel k wrote"), std::string::npos);
}

TEST_F(FakeRunner, ForgedRepliesDoNotPass) {
  for (const char* fault : {"forged", "wrong_status", "wrong_type", "answers_twice", "answers_unasked"})
    EXPECT_EQ(check(fault), "cheating suspected/protocol") << fault;
  // That may be an accident.
  EXPECT_EQ(check("garbage"), "runtime error/runtime");
  EXPECT_EQ(check("endless_line"), "runtime error/runtime");
}

// The judge's clock stops when it gets words of the output. A process that announces the end too early does not have
// them.
TEST_F(FakeRunner, ATimedCallShowsWhatItHasWhenItEnds) {
  timed_ = true;
  for (const auto& [contract, entry] :
       {std::pair{"scan", "scan_inclusive"}, {"reduction", "reduce_sum"}, {"histogram", "histogram"}}) {
    EXPECT_FALSE(judge("", true, contract, entry)) << contract;
    for (const char* fault : {"called_early", "never_called"}) {
      const auto failure = judge(fault, true, contract, entry);
      ASSERT_TRUE(failure) << fault << ", " << contract;
      EXPECT_EQ(failure->check, "protocol");
      EXPECT_NE(failure->steps.at(0).text().find("said to have ended"), std::string::npos) << failure->steps.at(0);
    }
  }
}

TEST_F(FakeRunner, OpenClsErrorsAreTheLearners) {
  EXPECT_EQ(check("opencl"), "runtime error/runtime");
  EXPECT_EQ(judge("opencl")->steps.at(0), "clSomething failed");
  EXPECT_EQ(check("kernels"), "compile error/compile");
}

TEST_F(FakeRunner, AMissingFunctionIsACompileError) {
  const auto failure = judge("no_entry");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->check, "compile");
  EXPECT_NE(failure->steps.at(0).text().find("void scan_inclusive(const float* in, int n, float* out)"),
            std::string::npos);
}

TEST_F(FakeRunner, NothingIsLeftBehind) {
  TemporaryFolder folder;
  const testing::Environment temporary("TMPDIR", folder.path());
  judge("leaves_files");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  adopt_orphans();
  TemporaryFolder other;
  const testing::Environment pid_file("WARPLADDER_FAKE_PID_FILE", other.path() / "pid");
  judge("daemon");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  kill_orphans();
  const std::string pid = read_file(other.path() / "pid");
  if (!pid.empty()) {  // else it ended before it could write its number
    EXPECT_NE(kill(std::stoi(pid), 0), 0);
  }
}

TEST(ProgramsOnLockstep, SeeTheNameOfTheCardThatTheyAreGradedOn) {
  const TemporaryFolder folder;
  SubmissionSpec spec;
  spec.lab = testing::lab_of("scan", "scan_inclusive");
  spec.card = "NVIDIA Example";
  const auto has_name = [&] {
    return std::ranges::count(program_of(spec, folder.path()).environment,
                              std::pair<std::string, std::string>{"LOCKSTEP_NAME", spec.card});
  };
  EXPECT_EQ(has_name(), 1);
  spec.device.is_lockstep = false;
  EXPECT_EQ(has_name(), 0);
}

TEST(Guards, TheTouchedElementIsNamed) {
  const ResultLayout layout{40, 40, 16};
  Bytes result(layout.total());
  for (const size_t band : {layout.in_guarded(), layout.in_data() + 40, layout.out_guarded(), layout.out_data() + 40}) {
    for (size_t i = 0; i < 16; ++i) result[band + i] = static_cast<std::byte>(guard_byte(i));
  }
  EXPECT_FALSE(broken_guard(result, layout, 4, 4));
  result[layout.out_data() + 44] ^= std::byte{1};
  EXPECT_EQ(broken_guard(result, layout, 4, 4), "element 11 of the output was written, which has 10");
  result[layout.in_data() - 1] ^= std::byte{1};
  EXPECT_EQ(broken_guard(result, layout, 4, 4), "1 bytes before the first element of the input were overwritten");
}

TEST(Guards, EveryByteOfEveryBandIsRead) {
  const ResultLayout layout{40, 24, 64};
  Bytes result(layout.total());
  std::vector<size_t> bands;
  for (const size_t start : {layout.in_guarded(), layout.in_data() + 40, layout.out_guarded(), layout.out_data() + 24})
    for (size_t i = 0; i < 64; ++i) {
      result[start + i] = static_cast<std::byte>(guard_byte(i));
      bands.push_back(start + i);
    }
  ASSERT_FALSE(broken_guard(result, layout, 4, 4));
  for (const size_t at : bands) {
    result[at] ^= std::byte{0x80};
    EXPECT_TRUE(broken_guard(result, layout, 4, 4)) << "byte " << at;
    result[at] ^= std::byte{0x80};
  }
}

}  // namespace
}  // namespace warpladder
