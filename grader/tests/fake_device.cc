// A device_server without a device: it tells the fake runner the judge's settings, passes the vault on to it, and
// writes the report that the fake runner sends. WARPLADDER_FAKE_DEVICE names a fault.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <sys/socket.h>
#include <unistd.h>

// False: it could not be sent.
bool send_line(int socket, std::string line, int descriptor) {
  iovec data{line.data(), line.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  return sendmsg(socket, &message, MSG_NOSIGNAL) >= 0;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int fd = std::atoi(argv[1]);
  const auto variable = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text != nullptr ? text : "");
  };
  const std::string fault = variable("WARPLADDER_FAKE_DEVICE");
  std::string wishes = variable("LOCKSTEP_CHECKS") + " " + variable("LOCKSTEP_FAIL");
  // The runner sees no files, so it learns here whether it is the first one.
  const std::string mark = variable("WARPLADDER_FAKE_MARK");
  if (!mark.empty() && !std::ifstream(mark)) wishes += " first";
  if (!mark.empty())
    std::ofstream(mark, std::ios::app) << variable("LOCKSTEP_FAIL") << "\n";  // a line for each process
  wishes += "\n";
  if (!send_line(fd, wishes, std::atoi(argv[2]))) return 2;
  std::string report;
  char piece[4096];
  for (ssize_t count; (count = read(fd, piece, sizeof piece)) > 0;) report.append(piece, static_cast<size_t>(count));
  if (fault == "crash") std::raise(SIGSEGV);
  if (fault == "hang") pause();
  if (fault == "no_report") return std::fputs("device_server: the report cannot be written\n", stderr), 4;
  if (report.starts_with("crash")) return std::fputs(report.c_str(), stderr), 4;
  if (fault == "violation") return std::fputs("protocol violation: a message of kind 99\n", stderr), 3;
  if (!report.empty()) std::ofstream(variable("LOCKSTEP_REPORT")) << report;
}
