#include "grader/judge/sandbox/time_used.h"

#include <csignal>
#include <ctime>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "grader/judge/sandbox/child.h"
#include "grader/tests/busy_machine.h"

namespace warpladder {
namespace {

// One thread with these times; seconds of the wall clock have passed.
double used_by_one(double wall, double ran, double waited) {
  TimeUsed time({{7, {1, 1}}}, 2);
  time.add(wall, {{7, {1 + ran, 1 + waited}}});
  return time.seconds();
}

TEST(TimeUsedByAThread, IsAllOfTheWallClockOnAQuietMachine) {
  EXPECT_DOUBLE_EQ(used_by_one(10, 10, 0), 10);
  EXPECT_DOUBLE_EQ(used_by_one(10, 0, 0), 10);
  EXPECT_DOUBLE_EQ(used_by_one(10, 3, 0), 10);
}

TEST(TimeUsedByAThread, LeavesOutTheTimeInWhichItWasReady) {
  EXPECT_DOUBLE_EQ(used_by_one(10, 2, 8), 2);
  EXPECT_DOUBLE_EQ(used_by_one(10, 2, 5), 5);  // it slept for 3
}

TEST(TimeUsedByThreads, ThatTakeTurnsIsTheirSum) {
  TimeUsed time({{7, {}}, {8, {}}}, 2);
  time.add(10, {{7, {1, 4}}, {8, {2, 3}}});
  EXPECT_DOUBLE_EQ(time.seconds(), 3);
}

TEST(TimeUsedByThreads, ThatRunAtOnceIsThatOfTheLongest) {
  TimeUsed time({{7, {}}, {8, {}}}, 2);
  time.add(10, {{7, {4, 6}}, {8, {4, 6}}});  // on a quiet machine with two processors: 4 seconds
  EXPECT_DOUBLE_EQ(time.seconds(), 4);
}

// 64 threads that are always ready hinder each other, and not the machine.
TEST(TimeUsedByThreads, IsNeverLessThanTheyNeedOnEveryProcessor) {
  ThreadTimes none, now;
  for (pid_t thread = 1; thread <= 64; ++thread) none[thread] = {}, now[thread] = {10 / 32.0, 10 - 10 / 32.0};
  TimeUsed time(none, 2);
  time.add(10, now);
  EXPECT_DOUBLE_EQ(time.seconds(), 10);
}

TEST(TimeUsedByThreads, CountsThoseThatBegin) {
  TimeUsed time({}, 2);
  time.add(1, {{7, {0.25, 0.75}}});
  EXPECT_DOUBLE_EQ(time.seconds(), 0.25);
  time.add(1, {});  // it has ended, and nobody runs
  EXPECT_DOUBLE_EQ(time.seconds(), 1.25);
}

// The machine stood still for nine seconds of the ten.
TEST(TimeUsedByAThread, HoldsNoMoreSleepThanWasSeen) {
  TimeUsed time({{7, {}}}, 2, 0.1);
  time.add(10, {{7, {0.5, 0.25}}});
  EXPECT_DOUBLE_EQ(time.seconds(), 0.6);
  time.add(0.05, {{7, {0.5, 0.25}}});
  EXPECT_DOUBLE_EQ(time.seconds(), 0.65);
}

// We do not look for half a second, as if we had been stopped together with it.
TEST(TimeOfAProcess, LeavesOutWhatNobodySaw) {
  ChildSpec spec = shell("sleep 1000");
  Child child(spec);
  Stopwatch in_turn = child.watch();
  Stopwatch rare({getpid()}, Stopwatch::Looks::kRare);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(in_turn.used(), 0.3);
  EXPECT_GT(rare.stop(), 0.3);
}

// The kernel counts a wait at its end.
TEST(TimeUsedByAThread, TakesOffAWaitThatIsCountedLate) {
  TimeUsed time({{7, {}}}, 2);
  time.add(0.5, {{7, {}}});  // it waits
  time.add(0.5, {{7, {0.1, 0.9}}});
  EXPECT_NEAR(time.seconds(), 0.1, 1e-9);
}

TEST(TimeUsedByThreads, ManyWaitsDoNotMakeUpForALongSleep) {
  TimeUsed time({}, 2);
  time.add(9, {});  // all sleep
  ThreadTimes now;
  for (pid_t thread = 1; thread <= 64; ++thread) now[thread] = {0.01, 0.9};
  time.add(1, now);
  EXPECT_GT(time.seconds(), 8);
}

TEST(TimeOfACall, LeavesOutTheWaitsOfItsTwoThreads) {
  EXPECT_DOUBLE_EQ(time_of_call(10, 0, 3), 10);
  EXPECT_DOUBLE_EQ(time_of_call(10, 8, 2), 2);
  EXPECT_DOUBLE_EQ(time_of_call(10, 5, 2), 5);  // it slept for 3
}

// The first thread lets another one of the process run on its processor, and waits.
TEST(TimeOfACall, IsNotShortenedByAWaitOnPurpose) {
  EXPECT_DOUBLE_EQ(time_of_call(10, 9, 10), 10);
  EXPECT_DOUBLE_EQ(time_of_call(10, 12, 40), 10);
}

TEST(ThreadTimesOfProcesses, HoldTheWholeTree) {
  ChildSpec spec;
  spec.command = {"/bin/sh", "-c", "sh -c 'sh -c \"echo here >&4; sleep 1000\"; :'; :"};
  spec.folder = "/";
  spec.lines_fd = 4;
  Child child(spec);
  ASSERT_EQ(child.wait(20), Child::Event::kLine);
  const ThreadTimes ours = thread_times({getpid()});
  EXPECT_GE(ours.size(), 4u);  // we and three shells; the sleep may not have begun
  EXPECT_TRUE(thread_times({0x7ffffff0}).empty());
}

// The loop needs more of the wall clock than the limit, and less than half of it on a processor.
TEST_F(BusyMachine, AProcessThatWorksGetsItsWholeTime) {
  ChildSpec spec = shell("i=0; while test $i -lt 100000; do i=$((i + 1)); done; exit 3");
  double alone = 0;
  {
    for (const pid_t pid : spinning_) kill(pid, SIGSTOP);
    Child child(spec);
    ASSERT_EQ(child.wait(60), Child::Event::kEnded);
    alone = child.used();
    for (const pid_t pid : spinning_) kill(pid, SIGCONT);
  }
  Stopwatch watch({getpid()});
  Child child(spec);
  EXPECT_EQ(child.wait(3 * alone + 0.3), Child::Event::kEnded);
  EXPECT_EQ(child.how_it_ended(), "ended with exit code 3");
  EXPECT_GT(watch.wall(), 3 * alone + 0.3);
  EXPECT_LT(child.used(), watch.wall() / 2);
}

TEST_F(BusyMachine, AProcessThatSleepsDoesNot) {
  Child child(shell("sleep 1000"));
  const Stopwatch watch({getpid()});
  EXPECT_EQ(child.wait(0.5), Child::Event::kTimeout);
  EXPECT_NEAR(child.used(), 0.5, 0.3);
  EXPECT_LT(watch.wall(), 20);
}

TEST_F(BusyMachine, AProcessThatSpinsIsEnded) {
  Child child(shell("while :; do :; done"));
  const clock_t before = clock();
  EXPECT_EQ(child.wait(0.5), Child::Event::kTimeout);
  EXPECT_NEAR(child.used(), 0.5, 0.3);
  EXPECT_LT(static_cast<double>(clock() - before) / CLOCKS_PER_SEC, 0.5);  // watching it costs little
}

// The loop begins when the clock runs. On a busy machine it might have ended before.
TEST_F(BusyMachine, ACallTakesAsLongAsOnAQuietOne) {
  const Pipe go = make_pipe();
  ChildSpec spec = shell(
      "echo ready >&4; read go <&5; i=0; while test $i -lt 100000; do i=$((i + 1)); done; echo done >&4; sleep 1000");
  spec.lines_fd = 4;
  spec.descriptors = {{go.read.get(), 5}};
  Child child(spec);
  ASSERT_EQ(child.wait(60), Child::Event::kLine);
  const Stopwatch watch({getpid()});
  const CallClock clock = child.call_clock();
  ASSERT_EQ(write(go.write.get(), "\n", 1), 1);
  ASSERT_EQ(child.wait(60), Child::Event::kLine);
  const double call = clock.milliseconds() / 1000, wall = watch.wall();
  EXPECT_LT(call, wall / 2);
  EXPECT_GT(call, wall / 100);
}

// While it sleeps, the other process waits for a processor: this time is nobody's.
TEST_F(BusyMachine, APartnersWaitIsTakenOffToo) {
  Child partner(shell("while :; do :; done"));
  Child child(shell("sleep 2; exit 3"));
  child.works_with(partner);
  EXPECT_EQ(child.wait(60), Child::Event::kEnded);
  EXPECT_LT(child.used(), 1);
}

}  // namespace
}  // namespace warpladder
