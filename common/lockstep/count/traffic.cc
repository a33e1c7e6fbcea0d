#include "count/traffic.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lockstep {

Footprint& Footprint::operator=(const Footprint& other) {
  pages_ = other.pages_;
  atomics_ = other.atomics_;
  recent_pages_ = {};
  recent_atomics_ = {};
  return *this;
}

void Footprint::add(const Footprint& other) {
  for (const auto& [number, page] : other.pages_) {
    Page& own = pages_[number];
    for (size_t i = 0; i < page.size(); ++i) own[i] |= page[i];
  }
  for (const auto& [server, lanes] : other.atomics_) atomics_[server] += lanes;
}

uint64_t Footprint::count(uint64_t bits) const {
  uint64_t sum = 0, lines = 0;
  for (const auto& [number, page] : pages_)
    for (size_t i = 0; i < page.size(); i += sizeof lines) {
      std::memcpy(&lines, page.data() + i, sizeof lines);
      sum += static_cast<uint64_t>(std::popcount(lines & bits));
    }
  return sum;
}

uint64_t Footprint::busiest_server() const {
  uint64_t most = 0;
  for (const auto& [server, lanes] : atomics_) most = std::max(most, lanes);
  return most;
}

void Traffic::add(const Traffic& other) {
  load_lines += other.load_lines;
  missed_sectors += other.missed_sectors;
  store_lines += other.store_lines;
  store_sectors += other.store_sectors;
  atomic_lanes += other.atomic_lanes;
  atomic_sectors += other.atomic_sectors;
  footprint.add(other.footprint);
}

}  // namespace lockstep
