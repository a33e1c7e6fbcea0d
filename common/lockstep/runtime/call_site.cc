#include "runtime/call_site.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <map>
#include <mutex>
#include <string_view>

#ifdef LOCKSTEP_HAS_BACKTRACE
#include <backtrace.h>
#endif

namespace lockstep::runtime {
namespace {

constexpr int kMostFrames = 24;

std::mutex mutex;
std::map<Frames, uint64_t>& numbers() {
  static auto* const all = new std::map<Frames, uint64_t>;  // never destroyed: calls come until the process ends
  return *all;
}

#ifdef LOCKSTEP_HAS_BACKTRACE

// The walk from the innermost frame outwards.
struct Search {
  Site found{};
  bool skip_kernel = false;  // the last frame was nvcc's stub: the next one is the kernel itself, not its launch
};

bool is_foreign(std::string_view file) {
  for (const char* part : {"/lockstep/runtime/", "/cub/", "/thrust/", "/cuda/std/", "/cuda/__", "/crt/", "/c++/"})
    if (file.find(part) != std::string_view::npos) return true;
  return file.starts_with("/usr/include/") || file.ends_with("cuda_runtime.h");
}

// Called for each function that was inlined at an address, the innermost first. Not 0 ends the walk.
int look_at_frame(void* data, uintptr_t, const char* file, int line, const char*) {
  auto& search = *static_cast<Search*>(data);
  if (!file || line <= 0) return 0;
  const std::string_view name = file;
  if (name.ends_with(".stub.c")) return search.skip_kernel = true, 0;
  if (is_foreign(name)) return 0;
  if (search.skip_kernel) return search.skip_kernel = false, 0;
  search.found.file = file;
  search.found.line = static_cast<uint32_t>(line);
  return 1;
}

void ignore_error(void*, const char*, int) {}

// The C and C++ libraries may have debug information, too.
bool is_in_system_library(void* address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname) return false;
  const std::string_view name = info.dli_fname;
  for (const char* part : {"/libc.so", "/libm.so", "/libstdc++", "/libgcc_s", "/ld-linux"})
    if (name.find(part) != std::string_view::npos) return true;
  return false;
}

Site look_up(const Frames& frames) {
  static backtrace_state* const state = backtrace_create_state(nullptr, 1, ignore_error, nullptr);
  Search search;
  for (void* frame : frames)
    if (state && !search.found.line &&
        !is_in_system_library(frame))  // the byte before a return address belongs to the call
      backtrace_pcinfo(state, reinterpret_cast<uintptr_t>(frame) - 1, look_at_frame, ignore_error, &search);
  return search.found;
}

#else

Site look_up(const Frames&) { return {}; }

#endif

}  // namespace

Frames present_frames() {
  Frames frames(kMostFrames);
  frames.resize(static_cast<size_t>(backtrace(frames.data(), kMostFrames)));
  return frames;
}

uint64_t call_number(const Frames& frames) {
  const std::lock_guard lock(mutex);
  return frames.empty() ? 0 : numbers().emplace(frames, numbers().size() + 1).first->second;
}

Site call_line(uint64_t number) {
  const std::lock_guard lock(mutex);
  for (const auto& [frames, known] : numbers())
    if (known == number) return look_up(frames);
  return {};
}

}  // namespace lockstep::runtime
