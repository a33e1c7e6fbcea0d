// shadow: an array beside the device's memory, zero until written, of which only touched pages cost anything.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace lockstep {

template <class T>
class Shadow {
 public:
  // Throws std::runtime_error if this process may not have so many addresses.
  explicit Shadow(uint64_t count) : bytes_(count * sizeof(T)) {
    void* place = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED)
      throw std::runtime_error(
          "this process may not reserve the addresses that the checks need\n  Next: lift the limit (ulimit -v "
          "unlimited), emulate a card with less memory (LOCKSTEP_MEMORY=1G), or leave out the checks of races");
    data_ = static_cast<T*>(place);
  }
  ~Shadow() { munmap(data_, bytes_); }
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  T* data() const { return data_; }
  // Many of these will be written: larger pages are had sooner than as many small ones.
  void expect(uint64_t first, uint64_t count) {
    constexpr uint64_t kLarge = 2 << 20;
    const uint64_t begin = first * sizeof(T) / kLarge * kLarge;
    if (count * sizeof(T) >= 2 * kLarge)
      madvise(reinterpret_cast<std::byte*>(data_) + begin, (first + count) * sizeof(T) - begin, MADV_HUGEPAGE);
  }
  // Zero again, and the whole pages among them given back.
  void forget(uint64_t first, uint64_t count) {
    constexpr uint64_t kPage = 4096;
    auto* begin = reinterpret_cast<std::byte*>(data_ + first);
    auto* end = reinterpret_cast<std::byte*>(data_ + first + count);
    auto* page = reinterpret_cast<std::byte*>((reinterpret_cast<uint64_t>(begin) + kPage - 1) / kPage * kPage);
    auto* last = reinterpret_cast<std::byte*>(reinterpret_cast<uint64_t>(end) / kPage * kPage);
    if (page >= last) return void(std::memset(begin, 0, static_cast<size_t>(end - begin)));
    std::memset(begin, 0, static_cast<size_t>(page - begin));
    madvise(page, static_cast<size_t>(last - page), MADV_DONTNEED);
    std::memset(last, 0, static_cast<size_t>(end - last));
  }

 private:
  uint64_t bytes_;
  T* data_ = nullptr;
};

}  // namespace lockstep
