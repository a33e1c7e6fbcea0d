#include "device/vault.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace lockstep {
namespace {

constexpr uint64_t kVersion = 1;
constexpr uint64_t kArrays = 4096;  // where the arrays begin: the input, then the result's input and output

}  // namespace

struct Vault::Header {
  uint64_t version, job, in_bytes, out_bytes, returns_input, has_other;  // the judge writes these
  uint64_t handed_over, busy, to_host, from_host;                        // the device writes these
};

Vault::Vault(int fd) {
  struct stat facts {};
  if (fstat(fd, &facts) == 0) bytes_ = static_cast<uint64_t>(facts.st_size);
  void* memory = bytes_ >= kArrays ? mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  if (memory == MAP_FAILED) throw std::runtime_error(std::string("the judge's vault: ") + std::strerror(errno));
  memory_ = static_cast<std::byte*>(memory);
  if (header().version != kVersion) throw std::runtime_error("the judge's vault is of another version");
}

Vault::~Vault() { munmap(memory_, bytes_); }

Vault::Header& Vault::header() const { return *reinterpret_cast<Header*>(memory_); }

// There is a job whose arrays the judge does not have yet, and they fit.
bool Vault::waits() const {
  const Header& h = header();
  return h.job != h.handed_over && h.in_bytes <= bytes_ && h.out_bytes <= bytes_ &&
         kArrays + 2 * h.in_bytes + h.out_bytes <= bytes_;
}

const std::byte* Vault::input(uint64_t bytes) const {
  return waits() && !header().has_other && bytes == header().in_bytes ? memory_ + kArrays : nullptr;
}

Vault::Result Vault::result() const {
  if (!waits() || header().has_other) return {};
  const Header& h = header();
  std::byte* const in = memory_ + kArrays + h.in_bytes;
  return {h.returns_input ? in : nullptr, in + h.in_bytes, h.in_bytes, h.out_bytes};
}

Vault::Pair Vault::pair() const {
  if (!waits() || !header().has_other) return {};
  const std::byte* const given = memory_ + kArrays;
  return {{given, header().in_bytes}, {given + header().in_bytes, header().in_bytes}};
}

uint64_t Vault::job() const { return header().job; }

void Vault::handed_over() { std::atomic_ref(header().handed_over).store(header().job); }

void Vault::begin_request() { std::atomic_ref(header().busy).store(1); }

void Vault::end_request(const Crossing& crossing) {
  std::atomic_ref(header().to_host).store(crossing.to_host);
  std::atomic_ref(header().from_host).store(crossing.from_host);
  std::atomic_ref(header().busy).store(0);
}

}  // namespace lockstep
