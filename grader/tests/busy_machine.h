// busy_machine: eight children that spin, on the one processor that the test may use. For tests of clocks that leave
// out the time in which a process waits for a processor.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/judge/sandbox/child.h"
#include "grader/judge/sandbox/time_used.h"

namespace warpladder {

class BusyMachine : public ::testing::Test {
 protected:
  void SetUp() override {
    if (thread_times({getpid()}).empty()) GTEST_SKIP() << "this kernel does not tell how long a thread waits";
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &one);
    }
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < 8; ++i) spinning_.push_back(spin());
  }
  void TearDown() override {
    for (const pid_t pid : spinning_) kill(pid, SIGKILL), waitpid(pid, nullptr, 0);
    if (!spinning_.empty()) sched_setaffinity(0, sizeof before_, &before_);
  }
  static pid_t spin() {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    for (volatile bool forever = true; forever;) {}
    _exit(0);
  }
  static ChildSpec shell(const std::string& script) {
    ChildSpec spec;
    spec.command = {"/bin/sh", "-c", script};
    spec.folder = "/";
    return spec;
  }

  cpu_set_t before_{};
  std::vector<pid_t> spinning_;
};

}  // namespace warpladder
