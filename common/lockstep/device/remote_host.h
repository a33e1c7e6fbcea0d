// remote_host: the program in another process, as the device asks it while one of its launches runs; and how the
// conversation with it ended.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "device/device.h"
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

}  // namespace lockstep
