// access_fault: an access that goes wrong → a fault with its kind, its address, and the next step.
#include <string>
#include <string_view>

#include "engine/access.h"
#include "engine/fault.h"
#include "engine/launch.h"
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

}  // namespace

void fail_misaligned(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address) {
  if (failed_before(warp, "misaligned", access.pc)) return;
  fail_access(
      warp, access,
      {Status::kMisalignedAddress, "misaligned", lane, access.pc,
       text("misaligned", access) + " at address " + hex(address),
       "Next: an access of n bytes needs an address that is a multiple of n; look at the casts of this pointer."});
}

void fail_global(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address) {
  const Memory& memory = warp.launch().memory;
  const char* kind = kind_of_fault(memory, address);
  if (failed_before(warp, kind, access.pc)) return;
  std::string detail = memory.nearest(address, access.bytes * access.count) +
                       "\nNext: compare the index with the number of elements before the access (if (i < n) …).";
  if (address < kNullPage) {
    detail = "Next: a null pointer reached the kernel; check what the host passes.";
  } else if (memory.is_host(address)) {
    detail = "it is the host's memory\nNext: give the kernel an address that cudaMalloc gave, and copy the data there.";
  } else if (memory.is_foreign(address)) {
    detail =
        "no device memory is anywhere near\nNext: look for an index that is far out of range (an int that overflowed: "
        "compute it as size_t), or a pointer that was never set.";
  } else if (memory.describe(address).kind == AddressKind::kFreed) {
    detail = memory.nearest(address, 1) + "\nNext: free the memory only when no kernel uses it any more.";
  }
  const bool named = std::string_view(kind) == "out_of_bounds" && memory.nearest(address).end;
  fail_access(
      warp, access,
      {Status::kIllegalAddress, kind, lane, access.pc, text("out-of-bounds", access) + " at address " + hex(address),
       detail, named ? warp.launch().names.name_of_global(address, access.bytes) : ""});
}

void fail_shared(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address) {
  const Launch& launch = warp.launch();
  if (failed_before(warp, "out_of_bounds", access.pc)) return;
  const uint64_t offset = address - kSharedBase;
  std::string detail = "the block has " + std::to_string(launch.shape.shared_bytes) + " bytes of shared memory";
  for (const auto& [name, extent] : launch.program.shared_arrays)
    detail += "\n  " + name + ": offset " + std::to_string(extent.first - kSharedBase) + ", " +
              (extent.second ? std::to_string(extent.second) + " bytes"
                             : "dynamic, " + std::to_string(launch.shape.dynamic_shared_bytes) + " bytes");
  detail +=
      "\nNext: compare the index with the array's length; for a dynamic array, with the size given at the launch "
      "(<<<grid, block, bytes>>>).";
  fail_access(
      warp, access,
      {Status::kIllegalAddress, "out_of_bounds", lane, access.pc,
       text("out-of-bounds", access) + " in shared memory at offset " + std::to_string(static_cast<int64_t>(offset)),
       detail, launch.names.name_of_shared(offset, access.bytes)});
}

void fail_local(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t offset) {
  if (failed_before(warp, "out_of_bounds", access.pc)) return;
  fail_access(warp, access,
              {Status::kIllegalAddress, "out_of_bounds", lane, access.pc,
               text("out-of-bounds", access) + " in a thread's local memory, offset " +
                   std::to_string(static_cast<int64_t>(offset)),
               "the thread has " + std::to_string(warp.local_bytes()) +
                   " bytes of local memory\nNext: compare the index with the length of the array that the function "
                   "declares."});
}

}  // namespace lockstep
