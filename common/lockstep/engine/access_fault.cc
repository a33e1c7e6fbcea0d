// access_fault: an access that goes wrong → a fault with its kind, its address, and the next step.
#include <string>
#include <string_view>

#include "engine/access.h"
#include "engine/fault.h"
#include "engine/launch_state.h"
#include "engine/warp.h"

namespace lockstep {
namespace {

// "misaligned read of 4 bytes"
std::string text(const char* error, const MemoryAccess& access) {
  const uint32_t bytes = access.bytes * access.count;
  return error + std::string(" ") + verb(access) + " of " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

constexpr uint64_t kNullPage = 64 << 10;  // a lower address is a null pointer plus an index

const char* kind_of_fault(const Memory& memory, uint64_t address) {
  if (address < kNullPage) return "null_pointer";
  if (memory.is_host(address)) return "host_pointer";
  return memory.describe(address).kind == AddressKind::kFreed ? "use_after_free" : "out_of_bounds";
}

void describe_global(const Warp& warp, const MemoryAccess& access, uint64_t address, Fault& fault) {
  const Memory& memory = warp.launch().memory;
  fault.what += " at address " + hex(address);
  if (address < kNullPage) {
    fault.detail = "Next: a null pointer reached the kernel; check what the host passes.";
  } else if (memory.is_host(address)) {
    fault.detail =
        "it is the host's memory\nNext: give the kernel an address that cudaMalloc gave, and copy the data there.";
  } else if (memory.is_foreign(address)) {
    fault.detail =
        "no device memory is anywhere near\nNext: look for an index that is far out of range (an int that overflowed: "
        "compute it as size_t), or a pointer that was never set.";
  } else if (memory.describe(address).kind == AddressKind::kFreed) {
    fault.detail = memory.nearest(address, 1) + "\nNext: free the memory only when no kernel uses it any more.";
  } else {
    fault.detail = memory.nearest(address, access.bytes * access.count) +
                   "\nNext: compare the index with the number of elements before the access (if (i < n) …).";
  }
  if (std::string_view(fault.kind) == "out_of_bounds" && memory.nearest(address).end)
    fault.element = warp.launch().names.global_name(address, access.bytes);
}

void describe_shared(const Launch& launch, const MemoryAccess& access, uint64_t offset, Fault& fault) {
  fault.what += " in shared memory at offset " + std::to_string(static_cast<int64_t>(offset));
  fault.detail = "the block has " + std::to_string(launch.shape.shared_bytes) + " bytes of shared memory";
  for (const SharedArray& array : launch.program.shared_arrays)
    fault.detail += "\n  " + array.name + ": offset " + std::to_string(array.offset - kSharedBase) + ", " +
                    (array.bytes ? std::to_string(array.bytes) + " bytes"
                                 : "dynamic, " + std::to_string(launch.shape.dynamic_shared_bytes) + " bytes");
  fault.detail +=
      "\nNext: compare the index with the array's length; for a dynamic array, with the size given at the launch "
      "(<<<grid, block, bytes>>>).";
  fault.element = launch.names.shared_name(offset, access.bytes);
}

void describe_local(const Warp& warp, uint64_t offset, Fault& fault) {
  fault.what += " in a thread's local memory, offset " + std::to_string(static_cast<int64_t>(offset));
  fault.detail = "the thread has " + std::to_string(warp.local_bytes()) +
                 " bytes of local memory\nNext: compare the index with the length of the array that the function "
                 "declares.";
}

}  // namespace

void fail_misaligned(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address) {
  const uint64_t array = warp.launch().memory.find(address).begin;  // 0: not in global memory
  if (failed_before(warp, {"misaligned", access.pc, array})) return;
  fail_access(
      warp, access,
      {Status::kMisalignedAddress, "misaligned", lane, access.pc,
       text("misaligned", access) + " at address " + hex(address),
       "Next: an access of n bytes needs an address that is a multiple of n; look at the casts of this pointer."},
      array);
}

void fail_outside(Warp& warp, const MemoryAccess& access, Space space, uint32_t lane, uint64_t address) {
  const bool own = space == Space::kShared || space == Space::kLocal;
  const char* kind = own ? "out_of_bounds" : kind_of_fault(warp.launch().memory, address);
  const uint64_t array = own ? 0 : warp.launch().memory.nearest(address).begin;
  if (failed_before(warp, {kind, access.pc, array})) return;
  Fault fault{Status::kIllegalAddress, kind, lane, access.pc, text("out-of-bounds", access), ""};
  if (space == Space::kShared)
    describe_shared(warp.launch(), access, address - kSharedBase, fault);
  else if (space == Space::kLocal)
    describe_local(warp, address, fault);
  else
    describe_global(warp, access, address, fault);
  fail_access(warp, access, fault, array);
}

}  // namespace lockstep
