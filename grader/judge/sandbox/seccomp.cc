#include "grader/judge/sandbox/seccomp.h"

#include <cerrno>
#include <memory>
#include <stdexcept>

#include "grader/judge/sandbox/file.h"

#ifdef WARPLADDER_SECCOMP
#include <asm/sockios.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

namespace warpladder {

#ifndef WARPLADDER_SECCOMP

std::string filter_for(const Permissions&) { return ""; }

#else

namespace {

// Refused to every program, the compiler too.
constexpr const char* kRefused[] = {
    // the memory and the descriptors of other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
    // the kernel's keyrings, which no namespace separates
    "keyctl", "add_key", "request_key",
    // large parts of the kernel that no lab needs and in which security holes are found
    "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
    // another view of the file system
    "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick",
    "mount_setattr", "name_to_handle_at", "open_by_handle_at", "fanotify_init", "quotactl", "acct", "swapon", "swapoff",
    // new namespaces, in which a process has more rights; an execution domain without random addresses
    "unshare", "setns", "personality",
    // the machine as a whole
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "syslog", "settimeofday",
    "clock_settime", "adjtimex", "clock_adjtime", "sethostname", "setdomainname", "iopl", "ioperm", "modify_ldt"};

// No filter lies at address 0. A kernel that takes filters looks there; another one does not come so far.
bool takes_filters() { return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr) == -1 && errno == EFAULT; }

struct Release {
  void operator()(void* context) const { seccomp_release(context); }
};
using Filter = std::unique_ptr<void, Release>;

void require(int code, const char* what) {
  if (code != 0) throw std::runtime_error(std::string("seccomp: ") + what + " cannot be refused");
}

// A call that this architecture does not have needs no refusal.
template <class... Conditions>
void refuse(const Filter& filter, const char* call, int error, Conditions... conditions) {
  const int number = seccomp_syscall_resolve_name(call);
  if (number == __NR_SCMP_ERROR) return;
  const scmp_arg_cmp list[] = {conditions..., scmp_arg_cmp{}};
  require(seccomp_rule_add_array(filter.get(), SCMP_ACT_ERRNO(static_cast<uint32_t>(error)), number,
                                 sizeof...(conditions), list),
          call);
}

// The kernel reads only the low 32 bits of a 32-bit argument, so the filter compares only those.
scmp_arg_cmp is_number(unsigned argument, uint64_t number) {
  return {argument, SCMP_CMP_MASKED_EQ, 0xFFFFFFFF, number};
}
scmp_arg_cmp has_none_of(unsigned argument, uint64_t bits) { return {argument, SCMP_CMP_MASKED_EQ, bits, 0}; }
scmp_arg_cmp has_all_of(unsigned argument, uint64_t bits) { return {argument, SCMP_CMP_MASKED_EQ, bits, bits}; }

void refuse_processes(const Filter& filter) {
  for (const char* call : {"fork", "vfork"}) refuse(filter, call, EPERM);
  refuse(filter, "clone", EPERM, has_none_of(0, CLONE_THREAD));
}

// Neither a limit on data nor one on files counts these. The judge's own memory is mapped by its descriptor.
void refuse_shared_memory(const Filter& filter) {
  for (const char* call : {"memfd_create", "memfd_secret", "shmget"}) refuse(filter, call, EPERM);
  refuse(filter, "mmap", ENOMEM, has_all_of(3, MAP_SHARED | MAP_ANONYMOUS));
}

// A process that can signal others could end the judge.
void refuse_signals(const Filter& filter) {
  for (const char* call : {"tkill", "pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo"})
    refuse(filter, call, EPERM);
  for (const char* call : {"kill", "tgkill"}) refuse(filter, call, EPERM, scmp_arg_cmp{0, SCMP_CMP_NE, kOwnProcess, 0});
  // The kernel signals the owner of a descriptor. These calls could name any process as owner, and any signal.
  for (const int command : {F_SETOWN, F_SETOWN_EX, F_SETSIG}) refuse(filter, "fcntl", EPERM, is_number(1, command));
  for (const int request : {FIOSETOWN, SIOCSPGRP}) refuse(filter, "ioctl", EPERM, is_number(1, request));
}

}  // namespace

std::string filter_for(const Permissions& permissions) {
  if (!takes_filters()) return "";
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW));
  if (!filter) throw std::runtime_error("seccomp: no memory for a filter");
  for (const char* call : kRefused) refuse(filter, call, EPERM);
  // The flags of clone3 lie in memory, where a filter cannot look. If it fails, the C library calls clone, whose flags
  // are visible.
  refuse(filter, "clone3", ENOSYS);
  for (const uint64_t space :
       {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP})
    refuse(filter, "clone", EPERM, has_all_of(0, space));
  refuse(filter, "ioctl", EPERM, is_number(1, TIOCSTI));  // types at a terminal
  if (permissions.local_sockets) {
    refuse(filter, "socket", EPERM, scmp_arg_cmp{0, SCMP_CMP_NE, AF_UNIX, 0});
  } else {
    refuse(filter, "socket", EPERM);
  }
  if (!permissions.processes) refuse_processes(filter);
  if (!permissions.shared_memory) refuse_shared_memory(filter);
  if (!permissions.signals) refuse_signals(filter);

  const Fd file(memfd_create("seccomp", MFD_CLOEXEC));
  require(seccomp_export_bpf(filter.get(), file.get()), "anything");
  return read_file("/proc/self/fd/" + std::to_string(file.get()));
}

#endif

}  // namespace warpladder
