// traffic: the requests that accesses to global memory send to the caches, for the cost model. Observes; changes
// nothing.
//
// The model of the caches is simple. A block has an L1 cache of its own, which is empty when the block begins. It has
// 1,024 lines of 128 bytes in four sectors, and the address of a line decides where the cache keeps it. Stores pass
// through L1 and do not change it. Atomics, volatile loads and ordered loads bypass it. L2 holds everything that the
// launch has touched: each sector comes from memory once, and each written sector goes back once. Neither depends on
// the order in which blocks run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "program/instruction.h"

namespace lockstep {

// Which sectors of 32 bytes a launch has touched, and how its atomics are spread.
class Footprint {
 public:
  Footprint() = default;
  Footprint(const Footprint& other) : pages_(other.pages_), atomics_(other.atomics_) {}
  Footprint& operator=(const Footprint& other);

  // Bit s: the line's sector s.
  void touch(uint64_t line, uint32_t read, uint32_t written) {
    recent_pages_.find(pages_, line / kLinesOfPage)[line % kLinesOfPage] |= static_cast<uint8_t>(read | written << 4);
  }
  void add_atomics(uint64_t line, uint32_t lanes) { recent_atomics_.find(atomics_, line / kLinesOfServer) += lanes; }

  void add(const Footprint& other);
  uint64_t sectors_read() const { return count(0x0f0f'0f0f'0f0f'0f0f); }
  uint64_t sectors_written() const { return count(0xf0f0'f0f0'f0f0'f0f0); }
  uint64_t busiest_server() const;  // lanes of atomics in the 512 bytes that most of them went to

 private:
  static constexpr uint64_t kLinesOfServer = 4, kLinesOfPage = 8192;
  using Page = std::array<uint8_t, kLinesOfPage>;
  // The entry of a map that was used last, by its number: an access is seldom far from the one before.
  template <class Value>
  class Recent {
   public:
    Value& find(std::map<uint64_t, Value>& all, uint64_t number) {
      auto& [known, value] = entries_[number % entries_.size()];
      if (known != number || !value) known = number, value = &all[number];
      return *value;
    }

   private:
    std::array<std::pair<uint64_t, Value*>, 16> entries_{};
  };

  uint64_t count(uint64_t bits) const;  // the set bits of `bits` in all pages, eight lines at a time

  std::map<uint64_t, Page> pages_;  // by line / kLinesOfPage
  std::map<uint64_t, uint64_t> atomics_;
  Recent<Page> recent_pages_;
  Recent<uint64_t> recent_atomics_;
};

struct Traffic {
  uint64_t load_lines = 0;      // lines that loads looked up in L1
  uint64_t missed_sectors = 0;  // sectors that L1 did not have
  uint64_t store_lines = 0, store_sectors = 0;
  uint64_t atomic_lanes = 0, atomic_sectors = 0;
  Footprint footprint;
  void add(const Traffic& other);
};

// The L1 cache of one block.
class L1Cache {
 public:
  void clear() { lines_.fill(0); }
  // Loads these sectors of the line. Returns the sectors that the cache did not have.
  uint32_t load(uint64_t line, uint32_t sectors) {
    uint64_t& held = lines_[line % lines_.size()];
    if (held >> 4 != line) held = line << 4;
    const uint32_t missing = sectors & ~static_cast<uint32_t>(held);
    held |= sectors;
    return missing;
  }

 private:
  std::array<uint64_t, 1024> lines_{};  // line number << 4 | sectors
};

}  // namespace lockstep
