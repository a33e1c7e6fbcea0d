// device_server FD [VAULT]: serves one program until it ends or is gone. The program's LOCKSTEP_DEVICE names the other
// end of the socket FD. The device's options and the report's file come from this process's environment, which the
// program cannot change. VAULT: the descriptor of the judge's file (vault.h). Exit code: 0 served; 2 wrong usage or no
// device; 3 the program broke the protocol; 4 the report could not be written. With 0 and 3 the report is written, if
// one is wanted; its "end" says how the program ended.
#include <poll.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>

#include "base/interruption.h"
#include "base/words.h"
#include "device/device_server.h"
#include "engine/memory.h"
#include "report/report.h"

namespace {

using namespace lockstep;

// The number of a descriptor; -1: it is none.
int descriptor(const char* text) {
  char* end = nullptr;
  const long fd = std::strtol(text, &end, 10);
  return fd < 3 || fd > 1 << 20 || *end != '\0' ? -1 : static_cast<int>(fd);
}

// If the program ends during a launch, the launch ends, too. Without the thread it runs to its end.
void watch_program(int fd) {
  try {
    std::thread([fd] {
      pollfd program{fd, 0, 0};
      while (poll(&program, 1, -1) < 0 && errno == EINTR) {}
      if (program.revents & (POLLHUP | POLLERR)) g_interrupted = true;
    }).detach();
  } catch (const std::system_error&) {}
}

int serve(Connection& connection, int vault) {
  const RemoteHost host(connection);
  DeviceOptions options;
  std::optional<SharedFile> shared;
  std::unique_ptr<EmulatedDevice> device;
  try {
    options = DeviceOptions::from_environment();
    shared.emplace(shared_bytes(options.memory_bytes));
    options.shared = {shared->fd(), kTransferBytes, vault};
    options.host = &host;
    device = EmulatedDevice::create(options);
  } catch (const std::exception& error) {  // a malformed variable, or no memory to reserve
    std::fprintf(stderr, "device_server: %s\n", plain(error.what()).c_str());
    refuse_device(connection, error.what());
    return 2;
  }
  const Ending ending = lockstep::serve(options, connection, host, *device, *shared);
  Outcome written = ending.written;
  if (ending.kind != Ending::kOrderly && !options.report_file.empty())
    written = write_report(options.report_file, device->report_json(ending.text()));
  if (!written.ok()) {
    std::fprintf(stderr, "device_server: %s\n", plain(written.message).c_str());
    return 4;
  }
  if (ending.kind == Ending::kViolation) std::fprintf(stderr, "%s\n", ending.text().c_str());
  return ending.kind == Ending::kViolation ? 3 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int fd = argc == 2 || argc == 3 ? descriptor(argv[1]) : -1;
  const int vault = argc == 3 ? descriptor(argv[2]) : -1;
  if (fd < 0 || (argc == 3 && vault < 0)) {
    std::fprintf(stderr, "usage: device_server FD [VAULT]\n");
    return 2;
  }
#ifndef WARPLADDER_SANITIZED  // the sanitizer's search for leaks would be refused
  prctl(PR_SET_DUMPABLE, 0);  // other processes of the same user cannot read this one through /proc
#endif
  Connection connection(fd, kMostRequest);
  watch_program(fd);
  return serve(connection, vault);
}
