#include "check/host_uses.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace lockstep {
namespace {

// What goes over to the program is bounded. Uses beyond that are not watched.
constexpr size_t kMostUses = 4096;

}  // namespace

bool HostUses::allocated(uint64_t address, uint64_t end) {
  if (!memory_.find(address).host_reaches) return true;
  const uint64_t first = (address - memory_.base()) / kPage, count = (end - memory_.base()) / kPage - first;
  if (!pages_.open(first, count)) return false;
  std::fill_n(pages_.data() + first, count, uint8_t{kReached});
  return any_ = true;
}

void HostUses::freed(uint64_t address, uint64_t end) {
  const uint64_t first = (address - memory_.base()) / kPage;
  if (pages_.data()[first]) pages_.close(first, (end - memory_.base()) / kPage - first);
}

void HostUses::note(Mask mask, const uint64_t* bytes) {
  if (!any_) return;
  for (const uint32_t l : each_lane(mask)) {
    uint8_t& page = pages_.data()[bytes[l] / kPage];
    if (page != kReached) continue;
    page |= kNoted;
    noted_.push_back(bytes[l] / kPage);
  }
}

std::vector<HostUse> HostUses::take(const Cells& cells, SegmentId first, const Program& program) {
  std::vector<HostUse> uses;
  const auto add = [&](const Record& record, uint64_t word, HostUse::Kind kind) {
    if (record.segment < first || record.bytes == 0) return false;
    if (kind == HostUse::kWrite && record.access != kUnknownAccess && program.accesses[record.access].reaches_host)
      kind = HostUse::kSignal;
    const auto low = static_cast<uint64_t>(std::countr_zero(uint32_t{record.bytes}));
    const uint64_t begin = memory_.base() + word * 4 + low;
    const uint64_t end = begin + static_cast<uint64_t>(std::countr_one(uint32_t{record.bytes} >> low));
    if (!uses.empty() && uses.back().end == begin && uses.back().kind == kind)
      uses.back().end = end;
    else if (uses.size() < kMostUses)
      uses.push_back({begin, end, kind});
    return true;
  };
  std::ranges::sort(noted_);
  for (const uint64_t page : std::exchange(noted_, {})) {
    if (!(pages_.data()[page] & kNoted)) continue;  // freed meanwhile
    pages_.data()[page] = kReached;
    for (uint64_t word = page * (kPage / 4); word < (page + 1) * (kPage / 4); ++word)
      if (!add(cells.writer[word], word, HostUse::kWrite) && !add(cells.reader[word], word, HostUse::kRead))
        add(cells.other_reader[word], word, HostUse::kRead);
  }
  return uses;
}

}  // namespace lockstep
