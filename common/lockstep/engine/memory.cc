#include "engine/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/align.h"
#include "base/words.h"

namespace lockstep {
namespace {

// There are more addresses than memory. New addresses are used before freed ones, so that a late access to freed memory
// is recognised.
constexpr uint64_t kReserveFactor = 4;
// The host has nothing so near, if the system gives so many addresses: a wrong index of 32 bits, times 8 bytes, does
// not reach the host's memory.
constexpr uint64_t kAround = uint64_t{32} << 30;
// Where the device's memory begins, if that is free: far from where systems put a program, its libraries, its stack and
// a sanitizer's shadows. So each run has the same addresses, and threads that wait take the same turns. If the device
// has a process of its own, these addresses are free in the program's process, too.
constexpr uint64_t kBegin = 0x2000'0000'0000;
constexpr uint64_t kMargins = 64 << 20;  // for what lies between shared allocations
constexpr size_t kMostFreed = 1 << 16;   // freed allocations that are remembered before their addresses are used again

Range find_in(const std::map<uint64_t, Range>& allocations, uint64_t address) {
  const auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return {};
  const Range& range = std::prev(after)->second;
  return address < range.end ? range : Range{};
}

// The addresses that an allocation takes: whole pages. So each allocation has its own protection, and freed pages go
// back to the system.
uint64_t span_of(uint64_t bytes) { return align_up(bytes + kAlignment, static_cast<uint64_t>(sysconf(_SC_PAGESIZE))); }

}  // namespace

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

uint64_t shared_bytes(uint64_t memory_bytes) { return align_up(memory_bytes + kMargins, 2 << 20); }

Memory::Memory(const DeviceOptions& options)
    : host_(options.host ? *options.host : Host::local()), capacity_(options.memory_bytes) {
  const bool apart = options.shared.file >= 0;
  const uint64_t own = align_up(capacity_ * kReserveFactor, 2 << 20), shared = apart ? shared_bytes(capacity_) : 0;
  reserved_ = own + shared;
  const auto reserve = [&](uint64_t bytes) {
    return mmap(reinterpret_cast<void*>(kBegin), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  };
  around_ = kAround;
  void* reserved = reserve(reserved_ + 2 * around_);
  if (reserved == MAP_FAILED) around_ = 0, reserved = reserve(reserved_);  // under valgrind, say
  if (reserved == MAP_FAILED)
    throw std::runtime_error(
        with_next(words("this process may not reserve {size} MiB of addresses for the device's memory",
                        {{"size", std::to_string(reserved_ >> 20)}}),
                  words("lift the limit (ulimit -v unlimited), or emulate a card with less (LOCKSTEP_MEMORY=1G)")));
  base_ = reinterpret_cast<uint64_t>(reserved) + around_;
  own_ = {base_, base_, base_ + own};
  if (!apart) return;
  const uint64_t begin = own_.fresh_end;
  shared_ = {begin, begin, begin + shared};
  if (mmap(reinterpret_cast<void*>(begin), shared, PROT_NONE, MAP_SHARED | MAP_FIXED, options.shared.file,
           static_cast<off_t>(options.shared.offset)) == MAP_FAILED)
    throw std::runtime_error(
        words("the memory that host and device share cannot be had: {reason}", {{"reason", std::strerror(errno)}}));
}

Memory::~Memory() { munmap(reinterpret_cast<void*>(base_ - around_), reserved_ + 2 * around_); }

uint64_t Memory::take(Arena& arena, uint64_t span, uint64_t alignment) {
  const uint64_t gap = align_up(arena.fresh, alignment) - arena.fresh;
  const bool room = arena.fresh_end - arena.fresh >= gap + span;
  const uint64_t hole = !room || freed_.size() >= kMostFreed ? arena.holes.take(span) : 0;
  if (!room && !hole) return 0;
  const uint64_t begin = hole ? hole : arena.fresh + gap;
  const bool allowed = mprotect(reinterpret_cast<void*>(begin), span, PROT_READ | PROT_WRITE) == 0;
  if (allowed && !hole) {
    if (gap) arena.holes.add(arena.fresh, gap);
    arena.fresh = begin + span;
  }
  if (!allowed && hole) arena.holes.add(hole, span);
  return allowed ? begin : 0;
}

uint64_t Memory::allocate(uint64_t bytes, MemoryUse use) {
  if (bytes == 0 || bytes > capacity_ - used_) return 0;
  const uint64_t span = span_of(use.offset + bytes);
  const bool is_shared = use.host_reaches && shared_.begin;
  // A program may look at the bits of an address, and then they should be those that a card gives. The shared part has
  // no room for gaps.
  const uint64_t alignment = bytes > kLargestInCardBlock && !is_shared ? kCardBlock : 1;
  const uint64_t pages =
      use.reserved ? take_reserved(use.reserved, bytes) : take(is_shared ? shared_ : own_, span, alignment);
  if (pages == 0) return 0;
  if (span >= (4 << 20)) madvise(reinterpret_cast<void*>(pages), span, MADV_HUGEPAGE);
  freed_.erase(freed_.lower_bound(pages), freed_.lower_bound(pages + span));
  const uint64_t begin = pages + use.offset;
  const uint64_t on_card = use.by_host ? card_.allocate(use.offset + bytes) + use.offset : begin;
  live_[begin] = {begin, begin + bytes, on_card, use.host_reaches};
  used_ += bytes;
  reached_ += use.host_reaches;
  return begin;
}

uint64_t Memory::take_reserved(uint64_t address, uint64_t bytes) {
  if (reserved_at(address) != bytes || live_.contains(address)) return 0;
  const bool allowed = mprotect(reinterpret_cast<void*>(address), span_of(bytes), PROT_READ | PROT_WRITE) == 0;
  return allowed ? address : 0;
}

uint64_t Memory::reserve(uint64_t bytes) {
  if (bytes == 0 || bytes > capacity_) return 0;
  const uint64_t span = span_of(bytes), begin = take(own_, span, 1);
  if (begin == 0) return 0;
  mprotect(reinterpret_cast<void*>(begin), span, PROT_NONE);
  freed_.erase(freed_.lower_bound(begin), freed_.lower_bound(begin + span));
  freed_[begin] = {begin, begin + bytes, begin};
  reserved_at_[begin] = bytes;
  return begin;
}

uint64_t Memory::reserved_at(uint64_t address) const {
  const auto found = reserved_at_.find(address);
  return found == reserved_at_.end() ? 0 : found->second;
}

void Memory::unreserve(uint64_t address) {
  const uint64_t bytes = reserved_at(address);
  if (reserved_at_.erase(address) && !live_.contains(address)) own_.holes.add(address, span_of(bytes));
}

uint64_t Memory::allocate_apart(uint64_t bytes) {
  const uint64_t span = span_of(bytes);
  const uint64_t begin = own_.fresh_end - span;
  if (mprotect(reinterpret_cast<void*>(begin), span, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  own_.fresh_end = begin;
  apart_[begin] = {begin, begin + bytes, begin};
  return begin;
}

bool Memory::free(uint64_t address) {
  const auto found = live_.find(address);
  if (found == live_.end()) return false;
  const Range range = found->second;
  const uint64_t offset = address % kAlignment, pages = address - offset;  // pages begin at multiples of kAlignment
  const uint64_t bytes = range.end - range.begin, span = span_of(offset + bytes);
  void* memory = reinterpret_cast<void*>(pages);
  const bool shared = shared_.begin && address >= shared_.begin;
  if (shared) {
    madvise(memory, span, MADV_REMOVE);
    mprotect(memory, span, PROT_NONE);
  } else {  // a new mapping drops the pages and the rights to them in one step
    mmap(memory, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
  live_.erase(found);
  reached_ -= range.host_reaches;
  card_.free(range.on_card - offset);
  freed_[address] = range;
  used_ -= bytes;
  if (!reserved_at_.contains(address)) (shared ? shared_ : own_).holes.add(pages, span);
  return true;
}

bool Memory::is_foreign(uint64_t address) const {
  constexpr uint64_t kFar = 1 << 30;  // bytes
  return address + kFar < base_ || address > base_ + reserved_ + kFar;
}

bool Memory::is_host(uint64_t address) const {
  return (address < base_ - around_ || address >= base_ + reserved_ + around_) && host_.holds(address);
}

Range Memory::find(uint64_t address) const {
  const Range live = find_in(live_, address);
  return live.end ? live : find_in(apart_, address);
}

AddressInfo Memory::describe(uint64_t address) const {
  if (const Range r = find_in(live_, address); r.end) return {AddressKind::kDevice, r.begin, r.end - r.begin};
  if (const Range r = find_in(freed_, address); r.end) return {AddressKind::kFreed, r.begin, r.end - r.begin};
  return {};
}

void Memory::read_other(std::byte* to, uint64_t address, uint64_t bytes) {
  for (OtherWords& words : other_words_)
    if (words.range().contains(address, bytes)) return words.read(to, address, bytes);
  std::memcpy(to, reinterpret_cast<const void*>(address), bytes);
}

void Memory::before_store(uint64_t address, uint64_t bytes) {
  for (OtherWords& words : other_words_)
    if (words.range().contains(address, bytes)) words.stores(address, bytes);
}

std::vector<Range> Memory::reached_by_host() const {
  std::vector<Range> found;
  for (const auto& [begin, range] : live_)
    if (range.host_reaches) found.push_back(range);
  return found;
}

std::string Memory::nearest(uint64_t address, uint64_t bytes_wanted) const {
  const AddressInfo info = describe(address);
  const Facts of_info = {{"address", hex(address)}, {"size", byte_count(info.bytes)}, {"base", hex(info.base)}};
  if (info.kind == AddressKind::kFreed)
    return words("{address} is inside memory that was freed: {size} at {base}", of_info);
  if (info.kind == AddressKind::kDevice) {
    Facts facts = of_info;
    facts.emplace_back("begin", byte_count(address - info.base));
    facts.emplace_back("end", byte_count(address + bytes_wanted - info.base - info.bytes));
    return words("it begins {begin} into an allocation of {size} at {base} and ends {end} behind it", facts);
  }
  const Range range = nearest(address);
  if (range.end == 0) return words("{address} is not device memory: nothing is allocated", of_info);
  const bool past = address >= range.end;
  const Facts facts = {{"address", hex(address)},
                       {"distance", byte_count(past ? address - range.end : range.begin - address)},
                       {"size", byte_count(range.end - range.begin)},
                       {"base", hex(range.begin)}};
  return past ? words("{address} is {distance} past the end of the nearest allocation, {size} at {base}", facts)
              : words("{address} is {distance} before the start of the nearest allocation, {size} at {base}", facts);
}

Range Memory::nearest(uint64_t address) const {
  const auto after = live_.upper_bound(address);
  Range below, above;
  if (after != live_.begin()) below = std::prev(after)->second;
  if (after != live_.end()) above = after->second;
  if (below.end == 0 || address < below.end) return below.end ? below : above;
  return above.end == 0 || address - below.end <= above.begin - address ? below : above;
}

}  // namespace lockstep
