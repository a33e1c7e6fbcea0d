#include "grader/judge/run/vault.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace warpladder {
namespace {

size_t vault_bytes(const ResultLayout& largest) { return kVaultArrays + largest.in_bytes + largest.total(); }

}  // namespace

Vault::Vault(const ResultLayout& largest) : memory_("vault", vault_bytes(largest), SharedMemory::Others::kMayWrite) {
  header().version = kVaultVersion;
}

Crossing Vault::crossed() const {
  return {std::atomic_ref(header().to_host).load(), std::atomic_ref(header().from_host).load()};
}

void Vault::give(View input, View other) {
  before_ = crossed();  // first: what the program fetches of this input is counted for this job
  given_ = input.size();
  std::ranges::copy(input, memory_.data() + kVaultArrays);
  header().has_other = !other.empty();
  if (has_other()) std::ranges::copy(other, memory_.data() + kVaultArrays + given_);
}

// `job` is the last: with it the device may hand out the input.
void Vault::open(const Job& job) {
  // Arrays of the host come back by another way, with guard bands for which there is no room here.
  if (!job.one_case.entry->on_host)
    std::memset(memory_.data() + kVaultArrays + given_, kPoisonByte, job.layout.total());
  header().in_bytes = given_;
  header().out_bytes = job.layout.out_bytes;
  header().returns_input = job.one_case.entry->const_input;
  std::atomic_ref(header().job).store(job.id);
}

std::optional<Crossing> Vault::count(double seconds, Stopwatch watch) const {
  while (std::atomic_ref(header().busy).load() != 0) {
    if (watch.used() > seconds) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const Crossing now = crossed();
  return Crossing{now.to_host - before_.to_host, now.from_host - before_.from_host};
}

bool Vault::has_arrays(const Job& job) const { return std::atomic_ref(header().handed_over).load() == job.id; }

}  // namespace warpladder
