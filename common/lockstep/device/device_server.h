// device_server: an EmulatedDevice that serves a program in another process. Requests come in over a socket, replies go
// out. The server trusts no message: it checks each one to its last byte before it acts, and the first message that
// makes no sense ends the conversation, with the reason.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "device/emulated_device.h"
#include "device/wire.h"
#include "engine/host.h"

namespace lockstep {

// How a conversation ended.
struct Ending {
  enum Kind { kOrderly, kGone, kViolation } kind = kGone;
  std::string reason;        // of a violation
  std::string text() const;  // as the report has it
};

// The program, which answers questions over the socket while one of its launches runs. It may lie: its answers change
// only the words of a diagnosis, and how long the device waits for a kernel that never ends.
class RemoteHost : public Host {
 public:
  explicit RemoteHost(Connection& connection) : connection_(connection) {}
  bool holds(uint64_t address) const override { return ask(Message::kAskHolds, address); }
  bool has_other_threads() const override { return ask(Message::kAskThreads, 0); }
  const std::optional<Ending>& ending() const { return ending_; }  // set if the program gave no answer

 private:
  bool ask(Message question, uint64_t value) const;

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

class DeviceServer {
 public:
  DeviceServer(const DeviceOptions& options, Connection& connection, const RemoteHost& host, EmulatedDevice& device,
               const SharedFile& shared)
      : options_(options), connection_(connection), host_(host), device_(device), shared_(shared) {}

  Ending serve();                                      // until the program ends or is gone
  const Outcome& written() const { return written_; }  // whether the report was written at an orderly end

 private:
  void handle(Message kind, Reader& in);
  Outcome answer(Message kind, Reader& in, Writer& out);
  void greet(Reader& in);
  void reply(const Outcome& outcome, const Writer& out);
  Region take_region(Reader& in) const;
  Region take_transfer(Reader& in) const;
  // One handler for each request.
  Outcome allocate(Reader& in, Writer& out);
  Outcome free(Reader& in);
  Outcome copy_in(Reader& in);
  Outcome copy_out(Reader& in);
  Outcome copy_within(Reader& in);
  Outcome fill(Reader& in);
  Outcome find_address(Reader& in, Writer& out);
  Outcome memory_info(Reader& in, Writer& out);
  Outcome take_ptx(Reader& in);
  Outcome load_module(Reader& in, Writer& out);
  Outcome unload_module(Reader& in);
  Outcome find_function(Reader& in, Writer& out);
  Outcome find_global(Reader& in, Writer& out);
  Outcome blocks_per_sm(Reader& in, Writer& out);
  Outcome set_max_dynamic_shared(Reader& in);
  Outcome launch(Reader& in);
  Outcome call_fails(Reader& in, Writer& out);
  Outcome end(Reader& in);

  const DeviceOptions& options_;
  Connection& connection_;
  const RemoteHost& host_;
  EmulatedDevice& device_;
  const SharedFile& shared_;
  bool greeted_ = false, ended_ = false;
  Outcome written_;
  Message before_ = Message::kHello;  // the request before this one
  std::string ptx_;                   // of the module that is being sent
};

// Tells the program why there is no device.
void refuse_device(Connection& connection, const std::string& reason);

}  // namespace lockstep
