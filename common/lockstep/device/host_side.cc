#include "device/host_side.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/words.h"
#include "ptx/module.h"

namespace lockstep {

namespace {

constexpr size_t kMostCalls = 4096;  // that are named: a program may make calls without end
constexpr size_t kMostFailed = 16;   // of failed calls
constexpr size_t kMostLibraries = 16;

// The program chose the text.
std::string line_at(std::string_view place) {
  std::string text = harmless(place);
  std::ranges::replace(text, '\n', '?');
  return place.empty() ? "" : "\n  " + words("at {place}", {{"place", text}});
}

}  // namespace

size_t HostSide::add(const char* kind, const std::string& kernel, const std::string& message) {
  return findings_.add({.kind = kind, .kernel = kernel, .message = message});
}

void HostSide::tell_place(CallKind call, uint64_t address, std::string_view place) {
  const std::string at = line_at(place);
  if (call == CallKind::kFailedCall && failed_calls_.size() < kMostFailed) failed_calls_.push_back(harmless(place));
  if (call == CallKind::kFailedLaunch) {
    launch_place_ = at;
    if (failed_launch_) findings_.add_line(*std::exchange(failed_launch_, std::nullopt), at);
  }
  if (call == CallKind::kPlannedFailure && injected_) findings_.add_text(*std::exchange(injected_, std::nullopt), at);
  lost_launches_ += call == CallKind::kLostLaunch;
  // A card frees nothing after a fault. A program that tries has forgotten nothing.
  if (call == CallKind::kLostFree && fault_) allocations_.erase(address);
  if (call == CallKind::kLibraryCall) {
    const std::string library = harmless(place);
    if (library_calls_.size() < kMostLibraries || library_calls_.contains(library)) ++library_calls_[library];
  }
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
  std::string what = words("no allocation gave this address");
  std::string next = words("give cudaFree only what cudaMalloc gave, and cudaFreeHost only what cudaMallocHost gave.");
  if (info.kind == AddressKind::kFreed) {
    what = words("this memory was freed before");
    next = words("free each allocation once; set the pointer to nullptr after it.");
  } else if (info.kind == AddressKind::kDevice && info.base != address) {
    what = words("it lies {distance} inside an allocation", {{"distance", byte_count(address - info.base)}});
    next = words("keep the pointer that cudaMalloc gave, and free that one.");
  } else if (info.kind == AddressKind::kDevice) {
    what = words("another function allocated this memory");
    next = words("free pinned memory with cudaFreeHost, and other memory with cudaFree.");
  }
  add("invalid_free", "",
      with_next(words("free of {address}: {what}", {{"address", hex(address)}, {"what", what}}), next));
}

// The program ends by it, as with a card.
void HostSide::note_access(uint64_t address, bool writes, const std::string& at) {
  if (!checks_.memory) return;
  const AddressInfo info = memory_.describe(address);
  const uint64_t into = address - info.base;
  const Facts facts = {{"distance", byte_count(into)}, {"size", byte_count(info.bytes)}};
  std::string where = words("device memory that was freed");
  if (info.kind != AddressKind::kFreed)
    where = into == 0 ? words("device memory, at the start of an allocation of {size}", facts)
                      : words("device memory, {distance} behind the start of an allocation of {size}", facts);
  add("device_pointer", "",
      with_next((writes ? words("the host writes {where}", {{"where", where}})
                        : words("the host reads {where}", {{"where", where}})) +
                    at + "\n  " + words("Only kernels can use this address."),
                writes
                    ? words("write to host memory, and copy that to the device by cudaMemcpy(…, "
                            "cudaMemcpyHostToDevice), or let a kernel do it.")
                    : words("copy it to the host first, by cudaMemcpy(…, cudaMemcpyDeviceToHost), or let a kernel do "
                            "it.")));
}

void HostSide::launched() {
  ++launches_;
  calls_ = {};
}

// A program reads the error of a launch by <<<>>> only through cudaGetLastError or cudaPeekAtLastError.
void HostSide::launch_failed(const std::string& kernel, const LaunchRequest& request, const std::string& message) {
  if (!checks_.launch) return;
  const std::string shared = request.dynamic_shared_bytes ? ", " + std::to_string(request.dynamic_shared_bytes) : "";
  failed_launch_ =
      add("bad_launch", kernel,
          words("the launch {launch} failed: ",
                {{"launch", kernel + "<<<" + text(request.grid) + ", " + text(request.block) + shared + ">>>"}}) +
              message);
  unread_launch_ = kernel;
  launch_place_.clear();
}

// This failure was asked for and is not a mistake. It stands among the findings because it may cause some of them. What
// a wait returns is the error of work before it: a card repeats it at every later call, and so do we.
bool HostSide::call_fails(std::string_view function) {
  if (failure_.number == 0 || (failure_.profiled_only && !profiled_)) return false;
  const std::string what = function.starts_with("__") ? words("a kernel's launch") : std::string(function);
  if (counted_calls_.size() < kMostCalls) counted_calls_.push_back(plain(what));
  if (++counted_ != failure_.number) return failure_stays_;
  failure_stays_ = function.ends_with("Synchronize");
  injected_ =
      add("injected_error", "",
          words("call {number}, {function}, was not made and failed with cudaErrorUnknown, as LOCKSTEP_FAIL asks",
                {{"number", std::to_string(failure_.number)}, {"function", what}}));
  return true;
}

void HostSide::ends(const std::vector<uint64_t>& heap) {
  if (!unread_launch_.empty())
    add("unchecked_error", unread_launch_,
        with_next(
            words("the launch of {kernel} failed, and the program never read the error", {{"kernel", unread_launch_}}) +
                launch_place_ + "\n  " +
                words("A launch returns nothing, and cudaDeviceSynchronize() does not tell of it."),
            words("call CUDA_CHECK(cudaGetLastError()) after each launch.")));
  unread_launch_.clear();
  if (fault_ && lost_launches_) {
    findings_.add_line(
        *fault_, "\n  " + (lost_launches_ == 1 ? words("After it, one launch of the program did not run, as on a card.")
                                               : words("After it, {count} launches of the program did not run, as on a "
                                                       "card.",
                                                       {{"count", std::to_string(lost_launches_)}})));
    lost_launches_ = 0;
  }
  if (checks_.memory) note_leaks(heap);
}

// One finding for each line and size. Where the line is not known, a reader recognises an allocation by its size. After
// a fault, memory of kernels is not told: a kernel that did not reach its end could not free it.
void HostSide::note_leaks(const std::vector<uint64_t>& heap) {
  std::map<std::tuple<uint64_t, std::string, std::string>, uint64_t> left;  // bytes, by whom, place → allocations
  for (const auto& [address, allocation] : allocations_)
    ++left[{allocation.bytes, words("the host"), allocation.place}];
  if (!fault_)
    for (const uint64_t bytes : heap) ++left[{bytes, words("a kernel's malloc()"), ""}];
  for (const auto& [what, count] : left) {
    const auto& [bytes, whose, place] = what;
    const Facts facts = {{"count", std::to_string(count)}, {"size", byte_count(bytes)}, {"origin", whose}};
    std::string text = (count == 1 ? words("an allocation of {size} from {origin} was never freed", facts)
                                   : words("{count} allocations of {size} from {origin} were never freed", facts)) +
                       place;
    if (fault_)
      text +=
          "\n  " + words("A kernel had failed before. If the program ended because of that, mend the kernel first.");
    add("leak", "", with_next(text, words("free it after its last use, also where the function returns early.")));
  }
}

}  // namespace lockstep
