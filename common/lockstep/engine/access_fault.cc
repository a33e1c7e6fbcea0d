// access_fault: an access that goes wrong → a fault with its kind, its address, and the next step.
#include <string>
#include <string_view>

#include "base/words.h"
#include "engine/access.h"
#include "engine/block.h"
#include "engine/fault.h"
#include "engine/launch_state.h"
#include "engine/warp.h"

namespace lockstep {
namespace {

uint32_t bytes_of(const MemoryAccess& access) { return access.bytes * access.count; }

const std::string kNext = "\nNext: ";

constexpr uint64_t kNullPage = 64 << 10;  // a lower address is a null pointer plus an index

// The access's verb is a part of each form, as languages differ in how they make one word of both.
std::string access_at(const MemoryAccess& access, uint64_t address) {
  const std::string_view made = verb(access);
  const Facts facts = {{"address", hex(address)}};
  if (made == "read") return words("read at address {address}", facts);
  return made == "write" ? words("write at address {address}", facts) : words("atomic at address {address}", facts);
}

std::string misaligned_text(const MemoryAccess& access, const Facts& facts) {
  const std::string_view made = verb(access);
  if (made == "read") return words("misaligned read of {bytes} bytes at address {address}", facts);
  return made == "write" ? words("misaligned write of {bytes} bytes at address {address}", facts)
                         : words("misaligned atomic of {bytes} bytes at address {address}", facts);
}

std::string outside_text(const MemoryAccess& access, const Facts& facts) {
  const std::string_view made = verb(access);
  if (made == "read") return words("out-of-bounds read of {size}", facts);
  return made == "write" ? words("out-of-bounds write of {size}", facts)
                         : words("out-of-bounds atomic of {size}", facts);
}

const char* kind_of_fault(const Memory& memory, uint64_t address) {
  if (address < kNullPage) return "null_pointer";
  if (memory.is_host(address)) return "host_pointer";
  return memory.describe(address).kind == AddressKind::kFreed ? "use_after_free" : "out_of_bounds";
}

// "s_row has 64 elements."
std::string extent_text(const NamedArray& array, uint64_t bytes) {
  if (!array.shape) return words("{array} has {size}.", {{"array", array.name}, {"size", byte_count(bytes)}});
  uint64_t elements = bytes / array.shape->element_bytes;
  std::string inner;
  for (const uint64_t n : array.shape->inner) inner += " x " + std::to_string(n), elements /= n;
  const Facts facts = {{"array", array.name}, {"count", std::to_string(elements) + inner}};
  return elements == 1 && inner.empty() ? words("{array} has {count} element.", facts)
                                        : words("{array} has {count} elements.", facts);
}

// "The kernel's parameter data": the pointer that led there; "A pointer" if several could have.
std::string pointer_text(const SourceNames& names, uint64_t address) {
  const std::string parameter = names.pointer_to(address);
  return parameter.empty() ? words("A pointer") : words("The kernel's parameter {name}", {{"name", parameter}});
}

// The element's bytes do not divide the array's: then their number was taken for bytes.
std::string next_for_array(uint64_t bytes, const MemoryAccess& access, bool is_later_block) {
  if (bytes % access.bytes != 0)
    return kNext +
           words("multiply the number of elements by sizeof where the array is allocated: cudaMalloc counts bytes.");
  return kNext +
         (is_later_block
              ? words("compare the index with the number of elements before the access: if (i < n). Count it from "
                      "the start of the array, not of the block's part.")
              : words("compare the index with the number of elements before the access: if (i < n)."));
}

void describe_outside(const SourceNames& names, const MemoryAccess& access, uint64_t address, bool is_later_block,
                      Fault& fault) {
  const Memory& memory = names.memory;
  const Range range = memory.nearest(address);
  const NamedArray array = names.global_array(range.begin);
  fault.element = array.element(static_cast<int64_t>(address - range.begin), access.bytes);
  if (memory.describe(address).kind == AddressKind::kDevice) {  // it begins inside
    fault.what += words(" at {element}", {{"element", fault.element}});
    fault.detail = words("It ends {distance} behind the array.",
                         {{"distance", byte_count(address + bytes_of(access) - range.end)}}) +
                   " ";
  } else {
    const bool past = address >= range.end;
    const uint64_t away = past ? address - range.end : range.begin - address;
    const Facts facts = {{"element", fault.element}, {"distance", byte_count(away)}};
    if (away == 0)
      fault.what += past ? words(" at {element}, just past the end", facts)
                         : words(" at {element}, just before the start", facts);
    else
      fault.what += past ? words(" at {element}, {distance} past the end", facts)
                         : words(" at {element}, {distance} before the start", facts);
  }
  const uint64_t bytes = range.end - range.begin;
  fault.detail += extent_text(array, bytes) + next_for_array(bytes, access, is_later_block);
}

void describe_global(const Warp& warp, const MemoryAccess& access, uint64_t address, Fault& fault) {
  const SourceNames& names = warp.launch().names;
  const Memory& memory = names.memory;
  const std::string at = access_at(access, address);
  if (address < kNullPage) {
    fault.what = words("null pointer: {access}", {{"access", at}});
    fault.detail = words("{pointer} is null.", {{"pointer", pointer_text(names, address)}}) + kNext +
                   words("check that the host allocates it before the launch.");
  } else if (memory.is_host(address)) {
    fault.what = words("host pointer: {access}", {{"access", at}});
    fault.detail = words("{pointer} points to the host's memory. A kernel reaches only the device's memory.",
                         {{"pointer", pointer_text(names, address)}}) +
                   kNext + words("pass a pointer from cudaMalloc, and copy the data there with cudaMemcpy.");
  } else if (memory.is_foreign(address)) {
    fault.what += words(" at address {address}", {{"address", hex(address)}});
    fault.detail = words("No device memory is near.") + kNext +
                   words(
                       "look for an index that is far too large. An int that overflows is one: compute the index as "
                       "size_t.");
  } else if (const AddressInfo info = memory.describe(address); info.kind == AddressKind::kFreed) {
    const std::string parameter = names.pointer_to(info.base);
    const Facts facts = {{"name", parameter}, {"size", byte_count(info.bytes)}};
    fault.what = words("use after free: {access}", {{"access", at}});
    fault.detail = (parameter.empty() ? words("The memory there, {size}, was freed.", facts)
                                      : words("The memory of {name}, {size}, was freed.", facts)) +
                   kNext + words("free it after its last use.");
  } else if (memory.nearest(address).end) {
    const Dim3 block = warp.block().coordinates();
    describe_outside(names, access, address, block.x + block.y + block.z > 0, fault);
  } else {
    fault.what += words(" at address {address}", {{"address", hex(address)}});
    fault.detail =
        words("No device memory is allocated.") + kNext + words("allocate it with cudaMalloc before the launch.");
  }
}

void describe_shared(const Launch& launch, const MemoryAccess& access, uint64_t offset, Fault& fault) {
  const SourceNames& names = launch.names;
  fault.element = names.shared_name(offset, access.bytes);
  const SharedArray* const array = names.shared_at(offset);
  if (!array) {
    fault.what +=
        words(" in shared memory at offset {offset}", {{"offset", std::to_string(static_cast<int64_t>(offset))}});
    fault.detail = words("The block has {size} of shared memory.", {{"size", byte_count(launch.shape.shared_bytes)}}) +
                   kNext + words("compare the index with the array's length before the access.");
    return;
  }
  const bool dynamic = array->bytes == 0;
  fault.what += words(" at {element}, in shared memory", {{"element", fault.element}});
  fault.detail = extent_text(names.shared_array(*array), dynamic ? launch.shape.dynamic_shared_bytes : array->bytes) +
                 kNext +
                 (dynamic ? words("compare the index with the bytes that the launch gives: <<<grid, block, bytes>>>.")
                          : words("compare the index with the array's length before the access."));
}

void describe_local(const Warp& warp, uint64_t offset, Fault& fault) {
  fault.what += words(" in a thread's local memory, at byte {offset}",
                      {{"offset", std::to_string(static_cast<int64_t>(offset))}});
  fault.detail = words("The thread's arrays have {size}.", {{"size", byte_count(warp.local_bytes())}}) + kNext +
                 words("compare the index with the length of the array that the function declares.");
}

}  // namespace

void fail_misaligned(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address) {
  const uint64_t array = warp.launch().memory.find(address).begin;  // 0: not in global memory
  if (failed_before(warp, {"misaligned", access.pc, array})) return;
  const std::string bytes = std::to_string(bytes_of(access));
  Fault fault{Status::kMisalignedAddress,
              "misaligned",
              lane,
              access.pc,
              misaligned_text(access, {{"bytes", bytes}, {"address", hex(address)}}),
              words("Its address must be a multiple of {bytes}.", {{"bytes", bytes}}) + "\n"};
  const NamedArray named = array ? warp.launch().names.global_array(array) : NamedArray{};
  const uint64_t element = named.shape ? named.shape->element_bytes : 0;
  if (element && (address - array) % element == 0) {
    fault.element = named.element(static_cast<int64_t>(address - array), access.bytes);
    fault.what += ", " + fault.element;
  }
  const uint64_t behind = array % bytes_of(access);  // 0: only the index is to blame
  if (behind)
    fault.detail +=
        words("The array begins {distance} behind such a multiple.", {{"distance", byte_count(behind)}}) + "\n";
  fault.detail += "Next: ";
  if (behind && element && behind % element == 0)
    fault.detail += words(
        "begin at the first element whose address is a multiple of {bytes}, and access those before it "
        "one by one.",
        {{"bytes", bytes}});
  else if (element && element < bytes_of(access))
    fault.detail += words("begin at an index that is a multiple of {count}, or access the elements one by one.",
                          {{"count", std::to_string(bytes_of(access) / element)}});
  else
    fault.detail += words("look at the casts of this pointer.");
  fail_access(warp, access, fault, array);
}

void fail_outside(Warp& warp, const MemoryAccess& access, Space space, uint32_t lane, uint64_t address) {
  const bool own = space == Space::kShared || space == Space::kLocal;
  const char* kind = own ? "out_of_bounds" : kind_of_fault(warp.launch().memory, address);
  const uint64_t array = own ? 0 : warp.launch().memory.nearest(address).begin;
  if (failed_before(warp, {kind, access.pc, array})) return;
  Fault fault{Status::kIllegalAddress,
              kind,
              lane,
              access.pc,
              outside_text(access, {{"size", byte_count(bytes_of(access))}}),
              ""};
  if (space == Space::kShared)
    describe_shared(warp.launch(), access, address - kSharedBase, fault);
  else if (space == Space::kLocal)
    describe_local(warp, address, fault);
  else
    describe_global(warp, access, address, fault);
  fail_access(warp, access, fault, array);
}

}  // namespace lockstep
