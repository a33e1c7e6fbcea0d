// vault: the judge's end of the file that it shares with lockstep's device, and with nobody else (VaultHeader in
// common/runner/protocol.h). The input of a case goes to the device through it, and the arrays come back through it.
// The device counts the bytes that pass between it and the program meanwhile.
#pragma once

#include "common/runner/protocol.h"
#include "grader/judge/run/answer.h"
#include "grader/judge/sandbox/file.h"
#include "grader/judge/sandbox/time_used.h"

namespace warpladder {

class Vault {
 public:
  explicit Vault(const ResultLayout& largest);

  int fd() const { return memory_.fd(); }
  // The input of the next job. From now on the device counts for that job. other: the input that kernels see in its
  // place, if the program has the arrays; else empty.
  void give(View input, View other = {});
  void open(const Job& job);  // before the job is sent
  // The bytes that have crossed since give(), once no request of the program is being carried out. Nothing: one still
  // is when the watch shows so many seconds.
  std::optional<Crossing> count(double seconds, Stopwatch watch) const;
  bool has_arrays(const Job& job) const;  // the device has put the job's arrays here
  View input() const { return {memory_.data() + kVaultArrays, given_}; }
  bool has_other() const { return header().has_other != 0; }
  View other() const { return {memory_.data() + kVaultArrays + given_, given_}; }
  View result(const Job& job) const { return {memory_.data() + kVaultArrays + given_, job.layout.total()}; }

 private:
  VaultHeader& header() const { return *reinterpret_cast<VaultHeader*>(memory_.data()); }
  Crossing crossed() const;

  SharedMemory memory_;
  size_t given_ = 0;  // bytes of the input
  Crossing before_;
};

}  // namespace warpladder
