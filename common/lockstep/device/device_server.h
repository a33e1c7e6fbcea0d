// device_server: an EmulatedDevice that serves a program in another process. Requests come in over a socket, replies go
// out. The server trusts no message: it checks each one to its last byte before it acts, and the first message that
// makes no sense ends the conversation, with the reason.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "device/emulated_device.h"
#include "device/other_input.h"
#include "device/vault.h"
#include "device/wire.h"
#include "engine/host.h"

namespace lockstep {

// How a conversation ended.
struct Ending {
  enum Kind { kOrderly, kGone, kViolation } kind = kGone;
  std::string reason{};      // the violation of the protocol, if there was one
  Outcome written{};         // at an orderly end: whether the report was written
  std::string text() const;  // the text for the report
};

// The program, which answers questions over the socket while one of its launches runs. It may lie: its answers change
// only the words of a diagnosis, and how long the device waits for a kernel that never ends.
class RemoteHost : public Host {
 public:
  explicit RemoteHost(Connection& connection) : connection_(connection) {}
  bool holds(uint64_t address) const override { return ask(Message::kAskHolds, address); }
  bool has_other_threads() const override { return ask(Message::kAskThreads, 0); }
  Site call_line(uint64_t call) const override;
  const std::optional<Ending>& ending() const { return ending_; }  // set if the program gave no answer

 private:
  bool ask(Message question, uint64_t value) const;
  // read(in) takes the answer from its message. Without an answer it is not called.
  template <typename Read>
  void ask(Message question, uint64_t value, Read&& read) const;

  Connection& connection_;
  mutable std::mutex mutex_;  // kernels run on several threads
  mutable std::optional<Ending> ending_;
};

// The memory that server and program share: the window for transfers, then the memory that CUDA maps for the host.
class SharedFile {
 public:
  explicit SharedFile(uint64_t shared_bytes);  // throws std::runtime_error
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  int fd() const { return fd_; }
  char* window() const { return window_; }

 private:
  int fd_ = -1;
  char* window_ = nullptr;
};

// Serves the program until it ends or is gone. The device must have been made with these options.
Ending serve(const DeviceOptions& options, Connection& connection, const RemoteHost& host, EmulatedDevice& device,
             const SharedFile& shared);

// Tells the program why there is no device.
void refuse_device(Connection& connection, const std::string& reason);

}  // namespace lockstep
