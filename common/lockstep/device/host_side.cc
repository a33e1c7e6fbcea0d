#include "device/host_side.h"

#include <tuple>
#include <utility>

#include "ptx/module.h"

namespace lockstep {

namespace {

constexpr size_t kMostCalls = 4096;  // that are named: a program may make calls without end
constexpr size_t kMostFailed = 16;   // of failed calls

// The program chose the text. Nothing in it may command a terminal.
std::string plain(std::string_view text, bool one_line) {
  std::string result(text);
  for (char& c : result)
    if ((static_cast<unsigned char>(c) < ' ' && (one_line || c != '\n')) || c == 0x7f) c = '?';
  return result;
}

std::string at_place(std::string_view place) { return place.empty() ? "" : "\n  at " + plain(place, true); }

}  // namespace

size_t HostSide::add(const char* kind, const std::string& kernel, const std::string& message) {
  return findings_.add({.kind = kind, .kernel = kernel, .message = message});
}

void HostSide::tell_place(CallKind call, uint64_t address, std::string_view place) {
  const std::string at = at_place(place);
  if (call == CallKind::kFailedCall && failed_calls_.size() < kMostFailed) failed_calls_.push_back(plain(place, false));
  if (call == CallKind::kFailedLaunch) {
    launch_place_ = at;
    if (failed_launch_) findings_.add_line(*std::exchange(failed_launch_, std::nullopt), at);
  }
  if (call == CallKind::kPlannedFailure && injected_) findings_.add_text(*std::exchange(injected_, std::nullopt), at);
  lost_launches_ += call == CallKind::kLostLaunch;
  // A card frees nothing after a fault. A program that tries has forgotten nothing.
  if (call == CallKind::kLostFree && fault_) allocations_.erase(address);
  if (call == CallKind::kHostRead || call == CallKind::kHostWrite)
    note_access(address, call == CallKind::kHostWrite, at);
  if (call != CallKind::kAllocation) return;
  if (const auto found = allocations_.find(address); found != allocations_.end()) found->second.place = at;
}

void HostSide::allocated(uint64_t address, uint64_t bytes, MemoryKind kind) {
  allocations_[address] = {bytes, kind};
  calls_.allocations += launches_ > 0;
}

bool HostSide::frees(uint64_t address, bool pinned) {
  const auto found = allocations_.find(address);
  if (found != allocations_.end() && (found->second.kind == MemoryKind::kPinned) == pinned) {
    allocations_.erase(found);
    return true;
  }
  if (checks_.memory) note_bad_free(address);
  return false;
}

void HostSide::note_bad_free(uint64_t address) {
  const AddressInfo info = memory_.describe(address);
  std::string what = "no allocation gave this address";
  std::string next = "give cudaFree only what cudaMalloc gave, and cudaFreeHost only what cudaMallocHost gave";
  if (info.kind == AddressKind::kFreed) {
    what = "this memory was freed before";
    next = "free each allocation once; set the pointer to nullptr after it";
  } else if (info.kind == AddressKind::kDevice && info.base != address) {
    what = "it lies " + std::to_string(address - info.base) + " bytes inside an allocation";
    next = "keep the pointer that cudaMalloc gave, and free that one";
  } else if (info.kind == AddressKind::kDevice) {
    what = "another function allocated this memory";
    next = "free pinned memory with cudaFreeHost, and other memory with cudaFree";
  }
  add("invalid_free", "", "free of " + hex(address) + ": " + what + "\n  Next: " + next + ".");
}

// The program ends by it, as with a card.
void HostSide::note_access(uint64_t address, bool writes, const std::string& at) {
  if (!checks_.memory) return;
  const AddressInfo info = memory_.describe(address);
  const uint64_t into = address - info.base;
  std::string where = "device memory that was freed";
  if (info.kind != AddressKind::kFreed)
    where = "device memory, " + (into == 0 ? "at" : std::to_string(into) + " bytes behind") +
            " the start of an allocation of " + std::to_string(info.bytes) + " bytes";
  add("device_pointer", "",
      "the host " + std::string(writes ? "writes" : "reads") + " " + where + at +
          "\n  Only kernels can use this address.\n  Next: " +
          (writes ? "write to host memory, and copy that to the device by cudaMemcpy(…, cudaMemcpyHostToDevice)"
                  : "copy it to the host first, by cudaMemcpy(…, cudaMemcpyDeviceToHost)") +
          ", or let a kernel do it.");
}

void HostSide::launched() {
  ++launches_;
  calls_ = {};
}

// A program reads the error of a launch by <<<>>> only through cudaGetLastError or cudaPeekAtLastError.
void HostSide::launch_failed(const std::string& kernel, const LaunchRequest& request, const std::string& message) {
  if (!checks_.launch) return;
  const std::string shared = request.dynamic_shared_bytes ? ", " + std::to_string(request.dynamic_shared_bytes) : "";
  failed_launch_ = add("bad_launch", kernel,
                       "the launch " + kernel + "<<<" + text(request.grid) + ", " + text(request.block) + shared +
                           ">>> failed: " + message);
  unread_launch_ = kernel;
  launch_place_.clear();
}

// This failure was asked for and is not a mistake. It stands among the findings because it may cause some of them. What
// a wait returns is the error of work before it: a card repeats it at every later call, and so do we.
bool HostSide::call_fails(std::string_view function) {
  if (failure_.number == 0 || (failure_.profiled_only && !profiled_)) return false;
  const std::string what = function.starts_with("__") ? "a kernel's launch" : std::string(function);
  if (counted_calls_.size() < kMostCalls) counted_calls_.push_back(what);
  if (++counted_ != failure_.number) return failure_stays_;
  failure_stays_ = function.ends_with("Synchronize");
  injected_ = add("injected_error", "",
                  "call " + std::to_string(failure_.number) + ", " + what +
                      ", was not made and failed with cudaErrorUnknown, as LOCKSTEP_FAIL asks");
  return true;
}

void HostSide::ends(const std::vector<uint64_t>& heap) {
  if (!unread_launch_.empty())
    add("unchecked_error", unread_launch_,
        "the launch of " + unread_launch_ + " failed, and the program never read the error" + launch_place_ +
            "\n  A launch returns nothing, and cudaDeviceSynchronize() does not tell of it.\n  Next: call "
            "CUDA_CHECK(cudaGetLastError()) after each launch.");
  unread_launch_.clear();
  if (fault_ && lost_launches_) {
    const std::string launches = lost_launches_ == 1 ? "one launch" : std::to_string(lost_launches_) + " launches";
    findings_.add_line(*fault_, "\n  After it, " + launches + " of the program did not run, as on a card.");
    lost_launches_ = 0;
  }
  if (checks_.memory) note_leaks(heap);
}

// One finding for each line and size. Where the line is not known, a reader recognises an allocation by its size. After
// a fault, memory of kernels is not told: a kernel that did not reach its end could not free it.
void HostSide::note_leaks(const std::vector<uint64_t>& heap) {
  std::map<std::tuple<uint64_t, std::string, std::string>, uint64_t> left;  // bytes, by whom, place → allocations
  for (const auto& [address, allocation] : allocations_) ++left[{allocation.bytes, "the host", allocation.place}];
  if (!fault_)
    for (const uint64_t bytes : heap) ++left[{bytes, "a kernel's malloc()", ""}];
  for (const auto& [what, count] : left) {
    const auto& [bytes, whose, place] = what;
    const std::string each = std::to_string(bytes) + " bytes from " + whose;
    add("leak", "",
        (count == 1 ? "an allocation of " + each + " was"
                    : std::to_string(count) + " allocations of " + each + " were") +
            " never freed" + place +
            (fault_ ? "\n  A kernel had failed before. If the program ended because of that, mend the kernel first."
                    : "") +
            "\n  Next: free it after its last use, also where the function returns early.");
  }
}

}  // namespace lockstep
