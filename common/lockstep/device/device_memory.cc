#include "device/device_memory.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/words.h"

namespace lockstep {
namespace {

std::byte* pointer(uint64_t address) { return reinterpret_cast<std::byte*>(address); }

Outcome no_memory(const Memory& memory, uint64_t bytes) {
  const uint64_t left = memory.capacity() - memory.used();
  if (bytes <= left)
    return {Status::kOutOfMemory,
            with_next(words("the system has no {size} more for this process", {{"size", byte_count(bytes)}}),
                      words("allocate less, or raise the process's limit of memory."))};
  return {
      Status::kOutOfMemory,
      with_next(
          words("the device has {left} left of {whole}, and {size} were asked for",
                {{"left", byte_count(left)}, {"whole", byte_count(memory.capacity())}, {"size", byte_count(bytes)}}),
          words("check how the size is computed. It is in bytes. The emulated card gets more memory with "
                "LOCKSTEP_MEMORY=16G."))};
}

}  // namespace

Outcome DeviceMemory::allocate(uint64_t bytes, uint64_t* address, MemoryKind kind, uint64_t offset) {
  const bool shared = kind != MemoryKind::kDevice;
  *address = bytes ? allocate_watched(memory_, observers_, bytes, {.host_reaches = shared, .offset = offset}) : 0;
  if (*address && shared) wrote({*address, bytes, bytes});
  return bytes == 0 || *address ? Outcome{} : no_memory(memory_, bytes);
}

Outcome DeviceMemory::reserve(uint64_t bytes, uint64_t* address) {
  *address = memory_.reserve(bytes);
  return bytes == 0 || *address ? Outcome{} : no_memory(memory_, bytes);
}

Outcome DeviceMemory::allocate_reserved(uint64_t address) {
  const uint64_t bytes = memory_.reserved_at(address);
  if (bytes == 0 || memory_.find(address).end) return {Status::kInvalidValue, ""};
  return allocate_watched(memory_, observers_, bytes, {.reserved = address}) ? Outcome{} : no_memory(memory_, bytes);
}

uint64_t DeviceMemory::allocate_variable(uint64_t bytes, bool managed) {
  const uint64_t address =
      allocate_watched(memory_, observers_, std::max<uint64_t>(bytes, 1), {.by_host = false, .host_reaches = managed});
  if (!address) return 0;
  std::memset(pointer(address), 0, bytes);  // by no work of the program: loading a module races with no stream
  wrote({address, bytes, bytes});
  return address;
}

uint64_t DeviceMemory::allocate_apart(uint64_t bytes) {
  const uint64_t address = memory_.allocate_apart(bytes);
  for (Observer* observer : observers_)
    if (!observer->allocated(address, bytes)) throw std::bad_alloc();
  wrote({address, bytes, bytes});
  return address;
}

void DeviceMemory::release(uint64_t address) {
  const AddressInfo freed = memory_.describe(address);
  memory_.free(address);
  for (Observer* observer : observers_) observer->freed(freed.base, freed.bytes);
}

// The whole region, with the gaps between its rows, lies in one allocation.
bool DeviceMemory::holds(const Region& region) const {
  uint64_t bytes = 0;
  if (region.width == 0 || region.rows == 0) return true;
  return region.reach(&bytes) && memory_.find(region.address).contains(region.address, bytes);
}

void DeviceMemory::wrote(const Region& region) {
  for (Observer* observer : observers_)
    for (uint64_t row = 0; row < region.rows; ++row)
      observer->host_wrote(region.address + row * region.pitch, region.width);
}

Outcome DeviceMemory::use(const Region& region, bool writes) const {
  if (!holds(region)) return {Status::kInvalidValue, ""};
  if (checker_) checker_->use({region.address, region.pitch, region.width, region.rows}, writes);
  return {};
}

Outcome DeviceMemory::place(const Region& to, const void* from, uint64_t from_pitch) {
  if (!holds(to)) return {Status::kInvalidValue, ""};
  for (uint64_t row = 0; to.width && row < to.rows; ++row)
    std::memcpy(pointer(to.address + row * to.pitch), static_cast<const std::byte*>(from) + row * from_pitch, to.width);
  wrote(to);
  return {};
}

Outcome DeviceMemory::take(void* to, uint64_t to_pitch, const Region& from) const {
  if (!holds(from)) return {Status::kInvalidValue, ""};
  for (uint64_t row = 0; from.width && row < from.rows; ++row)
    std::memcpy(static_cast<std::byte*>(to) + row * to_pitch, pointer(from.address + row * from.pitch), from.width);
  return {};
}

Outcome DeviceMemory::copy_in(const Region& to, const void* from, uint64_t from_pitch) {
  if (Outcome bad = use(to, true); !bad.ok()) return bad;
  return place(to, from, from_pitch);
}

Outcome DeviceMemory::copy_out(void* to, uint64_t to_pitch, const Region& from) const {
  if (Outcome bad = use(from, false); !bad.ok()) return bad;
  return take(to, to_pitch, from);
}

Outcome DeviceMemory::copy_within(const Region& to, uint64_t from, uint64_t from_pitch) {
  const Region source{from, from_pitch, to.width, to.rows};
  if (!holds(to) || !holds(source)) return {Status::kInvalidValue, ""};
  use(source, false);
  use(to, true);
  std::vector<std::byte> seen(memory_.shows_other_words() ? to.width : 0);
  for (uint64_t row = 0; to.width && row < to.rows; ++row) {
    const uint64_t begin = to.address + row * to.pitch;
    if (!seen.empty()) memory_.read(seen.data(), from + row * from_pitch, to.width);
    memory_.before_store(begin, to.width);
    std::memmove(pointer(begin), seen.empty() ? pointer(from + row * from_pitch) : seen.data(), to.width);
  }
  wrote(to);
  return {};
}

Outcome DeviceMemory::fill(const Region& to, uint8_t value) {
  if (Outcome bad = use(to, true); !bad.ok()) return bad;
  for (uint64_t row = 0; to.width && row < to.rows; ++row) {
    memory_.before_store(to.address + row * to.pitch, to.width);
    std::memset(pointer(to.address + row * to.pitch), value, to.width);
  }
  wrote(to);
  return {};
}

}  // namespace lockstep
