// access_fault: an access that goes wrong → a fault with its kind, its address, and the next step.
#include <string>
#include <string_view>

#include "engine/access.h"
#include "engine/fault.h"
#include "engine/launch_state.h"
#include "engine/warp.h"

namespace lockstep {
namespace {

std::string bytes_text(uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }
uint32_t bytes_of(const MemoryAccess& access) { return access.bytes * access.count; }

constexpr uint64_t kNullPage = 64 << 10;  // a lower address is a null pointer plus an index

const char* kind_of_fault(const Memory& memory, uint64_t address) {
  if (address < kNullPage) return "null_pointer";
  if (memory.is_host(address)) return "host_pointer";
  return memory.describe(address).kind == AddressKind::kFreed ? "use_after_free" : "out_of_bounds";
}

// "s_row has 64 elements."
std::string extent_text(const NamedArray& array, uint64_t bytes) {
  if (!array.shape) return array.name + " has " + bytes_text(bytes) + ".";
  uint64_t elements = bytes / array.shape->element_bytes;
  std::string inner;
  for (const uint64_t n : array.shape->inner) inner += " x " + std::to_string(n), elements /= n;
  return array.name + " has " + std::to_string(elements) + inner +
         (elements == 1 && inner.empty() ? " element." : " elements.");
}

// "The kernel's parameter data": the pointer that led there; "A pointer" if several could have.
std::string pointer_text(const SourceNames& names, uint64_t address) {
  const std::string parameter = names.pointer_to(address);
  return parameter.empty() ? "A pointer" : "The kernel's parameter " + parameter;
}

// The element's bytes do not divide the array's: then their number was taken for bytes.
const char* next_for_array(uint64_t bytes, const MemoryAccess& access, bool is_later_block) {
  if (bytes % access.bytes != 0)
    return "\nNext: multiply the number of elements by sizeof where the array is allocated: cudaMalloc counts bytes.";
  return is_later_block
             ? "\nNext: compare the index with the number of elements before the access: if (i < n). Count it "
               "from the start of the array, not of the block's part."
             : "\nNext: compare the index with the number of elements before the access: if (i < n).";
}

void describe_outside(const SourceNames& names, const MemoryAccess& access, uint64_t address, bool is_later_block,
                      Fault& fault) {
  const Memory& memory = names.memory;
  const Range range = memory.nearest(address);
  const NamedArray array = names.global_array(range.begin);
  fault.element = array.element(static_cast<int64_t>(address - range.begin), access.bytes);
  if (memory.describe(address).kind == AddressKind::kDevice) {  // it begins inside
    fault.what += " at " + fault.element;
    fault.detail = "It ends " + bytes_text(address + bytes_of(access) - range.end) + " behind the array. ";
  } else {
    const bool past = address >= range.end;
    const uint64_t away = past ? address - range.end : range.begin - address;
    fault.what += " at " + fault.element + ", " + (away ? bytes_text(away) : "just") +
                  (past ? " past the end" : " before the start");
  }
  const uint64_t bytes = range.end - range.begin;
  fault.detail += extent_text(array, bytes) + next_for_array(bytes, access, is_later_block);
}

void describe_global(const Warp& warp, const MemoryAccess& access, uint64_t address, Fault& fault) {
  const SourceNames& names = warp.launch().names;
  const Memory& memory = names.memory;
  const std::string at = verb(access) + std::string(" at address ") + hex(address);
  if (address < kNullPage) {
    fault.what = "null pointer: " + at;
    fault.detail =
        pointer_text(names, address) + " is null.\nNext: check that the host allocates it before the launch.";
  } else if (memory.is_host(address)) {
    fault.what = "host pointer: " + at;
    fault.detail = pointer_text(names, address) +
                   " points to the host's memory. A kernel reaches only the device's memory.\nNext: pass a pointer "
                   "from cudaMalloc, and copy the data there with cudaMemcpy.";
  } else if (memory.is_foreign(address)) {
    fault.what += " at address " + hex(address);
    fault.detail =
        "No device memory is near.\nNext: look for an index that is far too large. An int that overflows is one: "
        "compute the index as size_t.";
  } else if (const AddressInfo info = memory.describe(address); info.kind == AddressKind::kFreed) {
    const std::string parameter = names.pointer_to(info.base);
    fault.what = "use after free: " + at;
    fault.detail = (parameter.empty() ? "The memory there" : "The memory of " + parameter) + ", " +
                   bytes_text(info.bytes) + ", was freed.\nNext: free it after its last use.";
  } else if (memory.nearest(address).end) {
    const Dim3 block = warp.block().coordinates();
    describe_outside(names, access, address, block.x + block.y + block.z > 0, fault);
  } else {
    fault.what += " at address " + hex(address);
    fault.detail = "No device memory is allocated.\nNext: allocate it with cudaMalloc before the launch.";
  }
}

void describe_shared(const Launch& launch, const MemoryAccess& access, uint64_t offset, Fault& fault) {
  const SourceNames& names = launch.names;
  fault.element = names.shared_name(offset, access.bytes);
  const SharedArray* const array = names.shared_at(offset);
  if (!array) {
    fault.what += " in shared memory at offset " + std::to_string(static_cast<int64_t>(offset));
    fault.detail = "The block has " + bytes_text(launch.shape.shared_bytes) +
                   " of shared memory.\nNext: compare the index with the array's length before the access.";
    return;
  }
  const bool dynamic = array->bytes == 0;
  fault.what += " at " + fault.element + ", in shared memory";
  fault.detail = extent_text(names.shared_array(*array), dynamic ? launch.shape.dynamic_shared_bytes : array->bytes) +
                 (dynamic ? "\nNext: compare the index with the bytes that the launch gives: <<<grid, block, bytes>>>."
                          : "\nNext: compare the index with the array's length before the access.");
}

void describe_local(const Warp& warp, uint64_t offset, Fault& fault) {
  fault.what += " in a thread's local memory, at byte " + std::to_string(static_cast<int64_t>(offset));
  fault.detail = "The thread's arrays have " + bytes_text(warp.local_bytes()) +
                 ".\nNext: compare the index with the length of the array that the function declares.";
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
              "misaligned " + std::string(verb(access)) + " of " + bytes + " bytes at address " + hex(address),
              "Its address must be a multiple of " + bytes + ".\n"};
  const NamedArray named = array ? warp.launch().names.global_array(array) : NamedArray{};
  const uint64_t element = named.shape ? named.shape->element_bytes : 0;
  if (element && (address - array) % element == 0) {
    fault.element = named.element(static_cast<int64_t>(address - array), access.bytes);
    fault.what += ", " + fault.element;
  }
  const uint64_t behind = array % bytes_of(access);  // 0: only the index is to blame
  if (behind) fault.detail += "The array begins " + bytes_text(behind) + " behind such a multiple.\n";
  if (behind && element && behind % element == 0)
    fault.detail += "Next: begin at the first element whose address is a multiple of " + bytes +
                    ", and access those before it one by one.";
  else if (element && element < bytes_of(access))
    fault.detail += "Next: begin at an index that is a multiple of " + std::to_string(bytes_of(access) / element) +
                    ", or access the elements one by one.";
  else
    fault.detail += "Next: look at the casts of this pointer.";
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
              "out-of-bounds " + std::string(verb(access)) + " of " + bytes_text(bytes_of(access)),
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
