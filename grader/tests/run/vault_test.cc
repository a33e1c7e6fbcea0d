// The judge's wait for a device that still works on a request.
#include "grader/judge/run/vault.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "grader/tests/busy_machine.h"

namespace warpladder {
namespace {

constexpr double kLimit = 0.5;  // seconds

// The device's end of the judge's vault. Requests of the program are being carried out until `busy` is set to 0.
class DevicesEnd {
 public:
  explicit DevicesEnd(const Vault& vault)
      : header_(static_cast<VaultHeader*>(
            mmap(nullptr, sizeof(VaultHeader), PROT_READ | PROT_WRITE, MAP_SHARED, vault.fd(), 0))) {
    header_->busy = 1;
  }
  ~DevicesEnd() { munmap(header_, sizeof(VaultHeader)); }
  DevicesEnd(const DevicesEnd&) = delete;
  DevicesEnd& operator=(const DevicesEnd&) = delete;
  void finish() { std::atomic_ref(header_->busy).store(0); }

 private:
  VaultHeader* const header_;
};

class VaultOnABusyMachine : public BusyMachine {};

// The device waits for a processor longer than the limit is, and does little itself.
TEST_F(VaultOnABusyMachine, ADeviceThatWaitsForAProcessorIsWaitedFor) {
  const Vault vault({});
  DevicesEnd device(vault);
  const Child child(shell("while :; do :; done"));
  std::jthread end([&device, watch = child.watch()] {
    while (watch.wall() < 2 * kLimit) std::this_thread::sleep_for(Stopwatch::kBetweenLooks);
    device.finish();
  });
  EXPECT_TRUE(vault.count(kLimit, child.watch()));
}

TEST_F(VaultOnABusyMachine, ADeviceThatNeverFinishesIsNot) {
  const Vault vault({});
  const DevicesEnd device(vault);
  const Child child(shell("sleep 1000"));
  EXPECT_FALSE(vault.count(kLimit, child.watch()));
}

}  // namespace
}  // namespace warpladder
