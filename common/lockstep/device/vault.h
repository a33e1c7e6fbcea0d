// vault: a file that the judge shares with a device_server, and with nobody else. The judge puts the input of a job
// there. The device takes it from there, so the submission's process never holds an input that it could work on, except
// what it fetches through the device, which counts that. After the call the device puts the arrays there, as the call
// left them. The layout is common/runner/protocol.h's (VaultHeader there): lockstep includes nothing of the grader's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "report/launch_record.h"

namespace lockstep {

class Vault {
 public:
  explicit Vault(int fd);  // throws std::runtime_error
  ~Vault();
  Vault(const Vault&) = delete;
  Vault& operator=(const Vault&) = delete;

  // Null unless the judge waits for a job with an input of so many bytes.
  const std::byte* input(uint64_t bytes) const;
  // Two inputs, where the program has arrays of its own (other_input.h). Empty: the judge waits for no such job.
  struct Pair {
    std::span<const std::byte> given, other;
  };
  Pair pair() const;
  uint64_t job() const;

  // Where the two arrays go. Null unless the judge waits for them. in: null if it does not want the input back.
  struct Result {
    std::byte* in = nullptr;
    std::byte* out = nullptr;
    uint64_t in_bytes = 0, out_bytes = 0;
  };
  Result result() const;
  void handed_over();  // of this job, whose arrays are accepted once

  // The judge reads the bytes that have crossed only while no request is being carried out.
  void begin_request();
  void end_request(const Crossing& crossing);

 private:
  struct Header;
  Header& header() const;
  bool waits() const;

  std::byte* memory_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace lockstep
