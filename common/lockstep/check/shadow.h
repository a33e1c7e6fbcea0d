// shadow: an array beside the device's memory, zero until written. All of it may be read. Only the parts that belong to
// an allocation may be written, so the rest counts against no limit; and only pages that were written use memory.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "base/words.h"

namespace lockstep {

template <class T>
class Shadow {
 public:
  // Throws std::runtime_error if this process may not reserve so many addresses.
  explicit Shadow(uint64_t count) : bytes_(count * sizeof(T)) {
    void* memory = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      throw std::runtime_error(
          with_next(words("this process may not reserve the addresses that the checks need"),
                    words("lift the limit (ulimit -v unlimited), emulate a card with less memory (LOCKSTEP_MEMORY=1G), "
                          "or leave out the checks of races")));
    data_ = static_cast<T*>(memory);
  }
  ~Shadow() { munmap(data_, bytes_); }
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  T* data() const { return data_; }
  // These elements may be written from now on. False: the system gives no more memory.
  bool open(uint64_t first, uint64_t count) {
    const uint64_t begin = first * sizeof(T) / kPage * kPage, end = (first + count) * sizeof(T);
    if (mprotect(at(begin), end - begin, PROT_READ | PROT_WRITE) != 0) return false;
    // Many will be written: one large page is faster than many small ones.
    const uint64_t large = begin / kLargePage * kLargePage;
    if (count * sizeof(T) >= 2 * kLargePage) madvise(at(large), end - large, MADV_HUGEPAGE);
    return true;
  }
  // Sets them to zero; they may not be written any longer. Whole pages go back to the system.
  void close(uint64_t first, uint64_t count) {
    const uint64_t begin = first * sizeof(T), end = (first + count) * sizeof(T);
    const uint64_t page = (begin + kPage - 1) / kPage * kPage, last = end / kPage * kPage;
    if (page >= last) return void(std::memset(at(begin), 0, end - begin));
    std::memset(at(begin), 0, page - begin);
    madvise(at(page), last - page, MADV_DONTNEED);
    mprotect(at(page), last - page, PROT_READ);
    std::memset(at(last), 0, end - last);
  }
  // Sets everything to zero.
  void reset() { madvise(data_, bytes_, MADV_DONTNEED); }

 private:
  static constexpr uint64_t kPage = 4096, kLargePage = 2 << 20;

  std::byte* at(uint64_t byte) const { return reinterpret_cast<std::byte*>(data_) + byte; }

  uint64_t bytes_;
  T* data_ = nullptr;
};

// Which bytes of memory have been written: one bit a byte. Bytes are numbered from the start of the memory.
class Written {
 public:
  explicit Written(uint64_t* bits) : bits_(bits) {}

  void set(uint64_t first, uint64_t count) {
    const uint64_t end = first + count;
    while (first < end) {
      if (first % 64 == 0 && end - first >= 64) {
        const uint64_t words = (end - first) / 64;
        std::memset(bits_ + first / 64, 0xff, words * sizeof *bits_);
        first += 64 * words;
      } else {
        const uint64_t here = std::min<uint64_t>(64 - first % 64, end - first);
        bits_[first / 64] |= ones(here) << first % 64;
        first += here;
      }
    }
  }
  bool any(uint64_t first, uint64_t count) const {
    for (uint64_t byte = first; byte < first + count; ++byte)
      if (all(byte, 1)) return true;
    return false;
  }
  bool all(uint64_t first, uint64_t count) const {
    const uint64_t end = first + count;
    while (first < end) {
      const uint64_t here = std::min<uint64_t>(64 - first % 64, end - first);
      const uint64_t wanted = ones(here) << first % 64;
      if ((bits_[first / 64] & wanted) != wanted) return false;
      first += here;
    }
    return true;
  }

 private:
  static uint64_t ones(uint64_t n) { return n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }
  uint64_t* bits_;
};

}  // namespace lockstep
