// Shell scripts behind the walls try to get out. Tests of a wall that this machine does not have are skipped, and say
// so.
#include "grader/judge/sandbox/sandbox.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <asm/sockios.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/tests/testing.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

bool filters() { return Sandbox::here().text().find("seccomp") != std::string::npos; }

#define NEEDS(what) \
  if (!(what)) GTEST_SKIP() << "NOT TESTED: here the sandbox is only " << Sandbox::here().text()

struct Outcome {
  std::string output, errors;
  int code, signal;
};

Outcome behind(const Walls& walls, const std::string& script, Limits limits = {}) {
  ChildSpec spec;
  spec.command = {"/bin/bash", "-c", script};
  spec.limits = limits;
  Sandbox::here().enclose(spec, walls);
  Child child(spec);
  EXPECT_EQ(child.wait(20), Child::Event::kEnded);
  return {child.output(), child.errors(), child.ended_well() ? 0 : 1, child.ending_signal()};
}

Walls with_processes() {
  Walls walls;
  walls.permissions.processes = true;
  return walls;
}

// True if a process with this environment variable still runs.
bool runs_with(const std::string& variable) {
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    if (read_file(entry.path() / "environ").find(variable) != std::string::npos) return true;
  }
  return false;
}

TEST(Sandbox, SaysWhatItIs) {
  std::cout << "sandbox here: " << Sandbox::here().text() << "\n";
  EXPECT_TRUE(Sandbox::here().stands({}));
  EXPECT_NE(Sandbox::here().text().find("limits"), std::string::npos);
}

TEST(Sandbox, ShowsWhatItIsToldAndNothingElse) {
  NEEDS(Sandbox::here().hides_files());
  const TemporaryFolder folder;
  testing::write_file(folder.path() / "seen/file", "text");
  testing::write_file(folder.path() / "hidden/file", "secret");
  Walls walls = with_processes();
  walls.readable = {folder.path() / "seen", "/no/such/path"};
  const Outcome outcome = behind(
      walls, "cat " + (folder.path() / "seen/file").string() + "; cat " + (folder.path() / "hidden/file").string() +
                 "; echo x > " + (folder.path() / "seen/new").string() +
                 "; cat /etc/passwd; ls /root /home " SOURCE "; touch /new /usr/new; ls /proc | grep -c '^[0-9]'");
  EXPECT_EQ(outcome.output.substr(0, 4), "text");
  EXPECT_EQ(outcome.output.find("secret"), std::string::npos);
  EXPECT_EQ(outcome.output.find("root"), std::string::npos);
  EXPECT_LT(std::stoi(outcome.output.substr(4)), 8) << "sees processes of others";
  EXPECT_FALSE(fs::exists(folder.path() / "seen/new"));
}

TEST(Sandbox, WritesOnlyWhereItMay) {
  const TemporaryFolder folder;
  Walls walls;
  walls.writable = {folder.path()};
  EXPECT_EQ(behind(walls, "echo x > " + (folder.path() / "file").string()).code, 0);
  EXPECT_EQ(read_file(folder.path() / "file"), "x\n");
}

TEST(Sandbox, MemoryThatLooksLikeFilesIsLimited) {
  NEEDS(Sandbox::here().hides_files());
  for (const std::string place : {"/tmp/fill", "/dev/shm/fill"}) {
    EXPECT_NE(behind({}, "exec head -c 99999999 /dev/zero > " + place).code, 0) << place;
    EXPECT_FALSE(fs::exists(place));
  }
  for (const std::string place : {"/fill", "/dev/fill", "/usr/fill"})
    EXPECT_NE(behind({}, "echo x > " + place).code, 0) << place;
}

TEST(Sandbox, DevicesAreSeenOnlyWithPermission) {
  NEEDS(Sandbox::here().hides_files());
  const std::string script = "exec 3</dev/null && echo null; exec 3</dev/zero && echo zero";
  EXPECT_EQ(behind({}, script).output, "null\nzero\n");
  Walls walls;
  walls.devices = false;
  EXPECT_EQ(behind(walls, script).output, "null\n");
}

TEST(Sandbox, TheEnvironmentIsEmptyButForWhatIsNamed) {
  const testing::Environment secret("SECRET_OF_OURS", "x"), known("WARPLADDER_KNOWN", "y");
  Walls walls;
  walls.variables = {"WARPLADDER_"};
  const std::string output = behind(walls, "exec env").output;
  EXPECT_EQ(output.find("SECRET"), std::string::npos);
  EXPECT_EQ(output.find("HOME="), std::string::npos);
  EXPECT_NE(output.find("WARPLADDER_KNOWN=y"), std::string::npos);
}

TEST(Sandbox, NoProcessMayBeStartedWithoutPermission) {
  NEEDS(filters());
  EXPECT_EQ(behind(with_processes(), "(echo child)").output, "child\n");
  const Outcome outcome = behind({}, "(echo child); echo parent");
  EXPECT_EQ(outcome.output.find("child"), std::string::npos);
}

TEST(Sandbox, NamespacesAndTracingAreRefused) {
  NEEDS(filters());
  EXPECT_NE(behind({}, "exec unshare --user true").code, 0);
  EXPECT_NE(behind({}, "exec setarch --addr-no-randomize true").code, 0);  // personality
}

TEST(Sandbox, NobodyAnswersOnTheNetwork) {
  NEEDS(filters() || Sandbox::here().hides_files());
  const Fd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  ASSERT_EQ(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  const std::string connect = "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(ntohs(address.sin_port)) + " && echo in";
  EXPECT_EQ(behind(with_processes(), connect).output, "");
}

TEST(Sandbox, AProcessesEndIsSeenFromOutside) {
  EXPECT_EQ(behind({}, "kill -SEGV $$").signal, SIGSEGV);
  EXPECT_EQ(behind({}, "exit 3").signal, 0);
  EXPECT_EQ(behind({}, "exit 3").code, 1);
  Limits limits;
  limits.cpu_seconds = 1;
  EXPECT_EQ(behind({}, "while :; do :; done", limits).signal, SIGXCPU);
}

TEST(Sandbox, NobodyElseIsSignalled) {
  NEEDS(filters());
  EXPECT_EQ(behind({}, "kill -TERM $PPID; kill -KILL $PPID; echo alive").output, "alive\n");
}

// The filter alone, without any other wall.
class Filter : public ::testing::Test {
 protected:
  void SetUp() override {
    if (filter_for({}).empty()) GTEST_SKIP() << "NOT TESTED: this judge has no libseccomp";
  }
  // Runs this in a process behind the filter, and expects it to return 0.
  template <typename Act>
  static void behind_filter(const Permissions& permissions, Act act) {
    const std::string text = filter_for(permissions);
    std::vector<sock_filter> program(text.size() / sizeof(sock_filter));
    std::memcpy(program.data(), text.data(), text.size());
    behind(program, act);
  }
  template <typename Act>
  static void behind(std::vector<sock_filter>& program, Act act) {
    const pid_t child = fork();
    if (child == 0) {
      const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
      if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        _exit(100);
      _exit(act());
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << "see the test for what this number stands for";
  }
  static bool refused(int64_t result) { return result == -1 && errno == EPERM; }
};

// Where other processes are visible: the kernel would signal them for us.
TEST_F(Filter, NobodyElseBecomesADescriptorsOwner) {
  const Pipe pipe = make_pipe();
  behind_filter({.signals = false}, [&] {
    const int fd = pipe.read.get(), parent = getppid();
    f_owner_ex owner{F_OWNER_PID, parent};
    if (!refused(fcntl(fd, F_SETOWN, parent))) return 1;
    if (!refused(fcntl(fd, F_SETOWN_EX, &owner))) return 2;
    if (!refused(fcntl(fd, F_SETSIG, SIGKILL))) return 3;
    if (!refused(ioctl(fd, FIOSETOWN, &parent))) return 4;
    if (!refused(kill(parent, 0))) return 5;
    if (!refused(syscall(SYS_rt_sigqueueinfo, parent, 0, nullptr))) return 6;
    return fcntl(fd, F_GETFD) < 0 ? 7 : 0;  // harmless calls work
  });
}

// One call of each group. The arguments make no sense: if the filter lets a call through, the kernel does nothing.
TEST_F(Filter, TheKernelsRarerPartsAreRefusedToEveryone) {
  const std::vector<int64_t> calls = {SYS_ptrace,   SYS_process_vm_readv,  SYS_keyctl, SYS_bpf,
                                      SYS_mount,    SYS_pivot_root,        SYS_chroot, SYS_move_mount,
                                      SYS_unshare,  SYS_perf_event_open,   SYS_setns,  SYS_io_uring_setup,
                                      SYS_syslog,   SYS_open_by_handle_at, SYS_reboot, SYS_personality,
                                      SYS_swapoff,  SYS_kexec_load,        SYS_acct,   SYS_init_module,
                                      SYS_adjtimex, SYS_clock_settime};
  for (const int64_t call : calls) {
    SCOPED_TRACE(call);
    behind_filter({true, true, true, true}, [&] { return refused(syscall(call, -1, -1, -1, -1, -1, -1)) ? 0 : 1; });
  }
  behind_filter({true, true, true, true}, [] {
    char letter = 'x';
    if (!refused(ioctl(0, TIOCSTI, &letter))) return 1;  // would type at the terminal
    if (!refused(syscall(SYS_clone, CLONE_NEWUSER | CLONE_THREAD, 0, 0, 0, 0))) return 2;
    return syscall(SYS_clone3, nullptr, 0) == -1 && errno == ENOSYS ? 0 : 3;
  });
}

// qemu is such a kernel, when it runs programs of another processor. Without this the judge would start no process.
TEST_F(Filter, IsEmptyWhereTheKernelTakesNone) {
  ASSERT_FALSE(filter_for({}).empty());
  constexpr uint32_t kNumber = offsetof(seccomp_data, nr), kFirst = offsetof(seccomp_data, args);
  std::vector<sock_filter> none = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
                                   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kFirst),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  behind(none, [] { return filter_for({}).empty() ? 0 : 1; });
}

TEST_F(Filter, WithoutPermissionNoProcessStarts) {
  const auto starts = [](pid_t made) {
    if (made == 0) _exit(0);  // in the new process
    return made > 0;
  };
  const auto by_fork = [&] { return starts(static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))); };
  behind_filter({.processes = true}, [&] { return by_fork() ? 0 : 1; });
  behind_filter({}, [&] {
    if (by_fork() || errno != EPERM) return 1;
#ifdef SYS_fork  // newer architectures have only clone
    if (starts(static_cast<pid_t>(syscall(SYS_fork))) || errno != EPERM) return 2;
    const pid_t made = vfork();
    if (made == 0) _exit(0);
    if (!refused(made)) return 3;
#endif
    return 0;
  });
}

TEST_F(Filter, WithoutPermissionThereIsNoSharedMemoryAndNoSocket) {
  const auto mapped = [] { return mmap(nullptr, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED; };
  behind_filter({}, [&] {
    if (!refused(memfd_create("more", 0))) return 1;
    if (!refused(syscall(SYS_shmget, 0, 4096, 0))) return 2;
    if (mapped() || errno != ENOMEM) return 3;
    return refused(socket(AF_UNIX, SOCK_STREAM, 0)) ? 0 : 4;
  });
  behind_filter({.shared_memory = true, .local_sockets = true}, [&] {
    if (memfd_create("more", 0) < 0) return 1;
    if (!mapped()) return 2;
    if (socket(AF_UNIX, SOCK_STREAM, 0) < 0) return 3;
    return refused(socket(AF_INET, SOCK_STREAM, 0)) ? 0 : 4;  // the network stays closed
  });
}

TEST(Sandbox, DaemonsEndWithTheirParent) {
  NEEDS(Sandbox::here().hides_files());
  const testing::Environment mark("WARPLADDER_TRIAL", "daemons-" + std::to_string(getpid()));
  const std::string variable = "WARPLADDER_TRIAL=daemons-" + std::to_string(getpid());
  Walls walls = with_processes();
  walls.variables = {"WARPLADDER_TRIAL"};
  EXPECT_EQ(behind(walls, "trap '' TERM HUP; setsid sleep 1000 & (setsid sleep 1000 &) & exit 0").code, 0);
  bool left = true;
  for (int wait = 0; left && wait < 100; ++wait) {  // the kernel needs some time to end them
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    unsetenv("WARPLADDER_TRIAL");
    left = runs_with(variable);
  }
  EXPECT_FALSE(left);
}

TEST(Sandbox, DescriptorsComeThrough) {
  Pipe pipe = make_pipe();
  ChildSpec spec;
  spec.command = {"/bin/sh", "-c", "echo x >&7"};
  spec.descriptors = {{pipe.write.get(), 7}};
  Sandbox::here().enclose(spec, {});
  Child child(spec);
  EXPECT_EQ(child.wait(20), Child::Event::kEnded);
  char text[2] = {};
  EXPECT_EQ(read(pipe.read.get(), text, 2), 2);
}

}  // namespace
}  // namespace warpladder
