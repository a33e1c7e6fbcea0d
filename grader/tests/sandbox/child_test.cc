#include "grader/judge/sandbox/child.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace warpladder {
namespace {

using std::chrono::milliseconds;

ChildSpec shell(const std::string& script) {
  ChildSpec spec;
  spec.command = {"/bin/sh", "-c", script};
  spec.folder = "/";
  return spec;
}

Child::Event wait(Child& child, int limit_ms = 20000) { return child.wait(limit_ms / 1000.0); }

// A zombie that another process must collect counts as gone.
bool alive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  return !text.empty() && text.find(") Z") == std::string::npos;
}

TEST(ChildProcess, OutputAndExitCodeArrive) {
  Child child(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(wait(child), Child::Event::kEnded);
  EXPECT_EQ(child.output(), "out\n");
  EXPECT_EQ(child.errors(), "err\n");
  EXPECT_FALSE(child.ended_well());
  EXPECT_EQ(child.how_it_ended(), "ended with exit code 3");
}

TEST(ChildProcess, LinesComeOneByOneAndBeforeTheEnd) {
  ChildSpec spec = shell("echo one >&4; echo two >&4; exit 0");
  spec.lines_fd = 4;
  Child child(spec);
  EXPECT_EQ(child.wait(20), Child::Event::kLine);
  EXPECT_EQ(child.line(), "one");
  EXPECT_EQ(child.wait(20), Child::Event::kLine);
  EXPECT_EQ(child.line(), "two");
  EXPECT_EQ(wait(child), Child::Event::kEnded);
  EXPECT_TRUE(child.ended_well());
}

TEST(ChildProcess, ATimeoutEndsTheWholeGroupWhateverItIgnores) {
  ChildSpec spec = shell("trap '' TERM INT HUP; sleep 1000 & echo $! >&4; sleep 1000");
  spec.lines_fd = 4;
  Child child(spec);
  ASSERT_EQ(child.wait(20), Child::Event::kLine);
  const pid_t grandchild = std::stoi(child.line());
  EXPECT_TRUE(alive(grandchild));
  EXPECT_EQ(wait(child, 100), Child::Event::kTimeout);
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_FALSE(alive(grandchild));
}

TEST(ChildProcess, BackgroundProcessesEndWithTheirParent) {
  ChildSpec spec = shell("sleep 1000 & echo $! >&4");
  spec.lines_fd = 4;
  Child child(spec);
  ASSERT_EQ(child.wait(20), Child::Event::kLine);
  const pid_t grandchild = std::stoi(child.line());
  EXPECT_EQ(wait(child), Child::Event::kEnded);
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_FALSE(alive(grandchild));
}

TEST(ChildProcess, OrphansInSessionsOfTheirOwnAreEnded) {
  adopt_orphans();
  ChildSpec spec = shell("setsid sh -c 'echo $$ >&4; sleep 1000' & sleep 0.3");
  spec.lines_fd = 4;
  pid_t orphan = 0;
  {
    Child child(spec);
    ASSERT_EQ(child.wait(20), Child::Event::kLine);
    orphan = std::stoi(child.line());
    EXPECT_EQ(wait(child), Child::Event::kEnded);
  }
  EXPECT_TRUE(alive(orphan));
  kill_orphans();
  EXPECT_FALSE(alive(orphan));
}

TEST(ChildProcess, EndlessOutputIsCutAndEnded) {
  Child child(shell("yes and on"));
  EXPECT_EQ(wait(child), Child::Event::kOutputLimit);
  EXPECT_LT(child.output().size(), size_t{80} << 10);
  EXPECT_NE(child.output().find("bytes left out"), std::string::npos);
}

TEST(ChildProcess, CpuTimeIsLimited) {
  ChildSpec spec = shell("while :; do :; done");
  spec.limits.cpu_seconds = 1;
  Child child(spec);
  EXPECT_EQ(wait(child), Child::Event::kEnded);
  EXPECT_EQ(child.ending_signal(), SIGXCPU);
}

TEST(ChildProcess, FilesAreLimited) {
  ChildSpec spec = shell("head -c 3000000 /dev/zero > \"$TMPDIR/big\"");
  TemporaryFolder folder;
  spec.environment = {{"TMPDIR", folder.path()}};
  spec.limits.file_bytes = 1 << 20;
  Child child(spec);
  EXPECT_EQ(wait(child), Child::Event::kEnded);
  EXPECT_FALSE(child.ended_well());
  EXPECT_LE(std::filesystem::file_size(folder.path() / "big"), size_t{1} << 20);
}

TEST(ChildProcess, DescriptorsLandWhereTheyShallAndNoOthersLeak) {
  Pipe pipe = make_pipe();
  ChildSpec spec = shell("echo x >&9; ls /proc/self/fd | tr '\\n' ' '");
  spec.descriptors = {{pipe.write.get(), 9}};
  Child child(spec);
  EXPECT_EQ(wait(child), Child::Event::kEnded);
  char text[2] = {};
  EXPECT_EQ(read(pipe.read.get(), text, 2), 2);
  EXPECT_EQ(child.output(), "0 1 2 3 9 ");  // 3 is ls's own
}

// bwrap reads the filter there.
TEST(ChildProcess, AFilterCanBeReadFromItsDescriptor) {
  ChildSpec spec = shell("cat <&9");
  spec.filter = "the filter";
  spec.filter_fd = 9;
  Child child(spec);
  EXPECT_EQ(wait(child), Child::Event::kEnded);
  EXPECT_EQ(child.output(), "the filter");
}

TEST(ChildProcess, AMissingProgramIsExitCode127) {
  ChildSpec spec;
  spec.command = {"/no/such/program"};
  Child child(spec);
  EXPECT_EQ(wait(child), Child::Event::kEnded);
  EXPECT_EQ(child.how_it_ended(), "ended with exit code 127");
}

TEST(CapturedText, KeepsBothEnds) {
  Captured captured(10);
  for (char c = 'a'; c <= 'z'; ++c) captured.add(&c, 1);
  EXPECT_EQ(captured.text(), "abcde\n… 16 bytes left out …\nvwxyz");
  EXPECT_EQ(captured.total(), 26u);
}

TEST(TemporaryFolders, AreGoneAfterwards) {
  std::filesystem::path path;
  {
    TemporaryFolder folder;
    path = folder.path();
    std::ofstream(path / "file") << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

// Allocates behind another chain of calls for each path. The sanitizer keeps every new chain, under a lock.
[[gnu::noinline]] size_t allocate_behind(uint32_t path, int calls) {
  if (calls == 0) return std::make_unique<std::string>(path % 100 + 50, 'x')->size();
  return path & 1 ? 1 + allocate_behind(path >> 1, calls - 1) : 2 + allocate_behind(path >> 1, calls - 1);
}

// At any moment a thread of ours may hold a lock of the allocator, as the worker threads of a parallel algorithm do.
TEST(ChildProcess, StartsWhileOtherThreadsAllocate) {
  std::atomic<bool> ends = false;
  std::atomic<size_t> sum = 0;
  std::vector<std::jthread> threads;
  for (uint32_t first : {1u, 2u, 3u, 4u})
    threads.emplace_back([&, first] {
      for (uint32_t path = first; !ends; path = path * 1664525 + 1013904223) sum += allocate_behind(path, 20);
    });
  bool ended = true;
  for (int i = 0; i < 100 && ended; ++i) {
    Child child(shell("exit 3"));
    ended = wait(child) == Child::Event::kEnded;
  }
  EXPECT_TRUE(ended);
  ends = true;
}

}  // namespace
}  // namespace warpladder
