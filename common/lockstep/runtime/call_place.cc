#include "runtime/call_place.h"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#ifdef LOCKSTEP_HAS_BACKTRACE
#include <backtrace.h>
#endif

#include "base/toolkit_file.h"
#include "base/words.h"
#include "ptx/module.h"

namespace lockstep::runtime {
namespace {

constexpr size_t kDeepest = 32;  // frames; Thrust's allocators need about twenty where nothing is inlined

std::mutex mutex;  // held while debug information is read, and for the numbers

std::map<CallStack, uint64_t>& numbers() {
  static auto* const all = new std::map<CallStack, uint64_t>;  // never destroyed: calls come until the process ends
  return *all;
}

struct Range {
  uintptr_t begin = 0, end = 0;
  bool holds(uintptr_t address) const { return address >= begin && address < end; }
};

// The addresses of this library.
Range own_code() {
  static const Range range = [] {
    Range found;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* out) {
          Range r{~uintptr_t{0}, 0};
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto& part = info->dlpi_phdr[i];
            if (part.p_type != PT_LOAD) continue;
            r.begin = std::min<uintptr_t>(r.begin, info->dlpi_addr + part.p_vaddr);
            r.end = std::max<uintptr_t>(r.end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
          }
          if (!r.holds(reinterpret_cast<uintptr_t>(&own_code))) return 0;
          *static_cast<Range*>(out) = r;
          return 1;
        },
        &found);
    return found;
  }();
  return range;
}

// One function on the stack. Inlined functions come with the function that they are inlined into.
struct Frame {
  std::string_view file, function;
  int line = 0;
};

#ifdef LOCKSTEP_HAS_BACKTRACE
// While it is set, only modules with a user's code are shown to the reader of debug information. It would read all of
// libc's and libstdc++'s, too, which takes a tenth of a second where Debian's libc6-dbg is installed.
thread_local bool shows_users_modules = false;

bool is_of_the_system(std::string_view module) {
  return module.starts_with("/lib/") || module.starts_with("/lib64/") || module.starts_with("/usr/lib/") ||
         module.starts_with("linux-vdso");
}

void ignore_error(void*, const char*, int) {}  // what cannot be read is left out

backtrace_state* debug_information() {
  static backtrace_state* const state = backtrace_create_state(nullptr, 0, ignore_error, nullptr);
  return state;
}

// visit(frame) for each function at the address, innermost first, until it returns true.
template <typename Visit>
bool any_frame(uintptr_t address, Visit visit) {
  const auto each = [](void* data, uintptr_t, const char* file, int line, const char* function) {
    return static_cast<int>((*static_cast<Visit*>(data))({file ? file : "", function ? function : "", line}));
  };
  shows_users_modules = true;
  const bool found =
      debug_information() && backtrace_pcinfo(debug_information(), address, each, ignore_error, &visit) != 0;
  shows_users_modules = false;
  return found;
}

// The name in the program's table of symbols, which has local functions, too.
std::string symbol_of(uintptr_t address) {
  std::string name;
  const auto each = [](void* data, uintptr_t, const char* symbol, uintptr_t, uintptr_t) {
    if (symbol) *static_cast<std::string*>(data) = symbol;
  };
  shows_users_modules = true;
  if (debug_information()) backtrace_syminfo(debug_information(), address, each, ignore_error, &name);
  shows_users_modules = false;
  return name;
}
#else
template <typename Visit>
bool any_frame(uintptr_t, Visit) {
  return false;
}
std::string symbol_of(uintptr_t address) {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(address), &info) && info.dli_sname ? info.dli_sname : "";
}
#endif

// Finds the program's own line while it is shown the frames.
struct Search {
  bool behind_stub = false;
  Site found{};
  std::string function;
  bool operator()(const Frame& frame) {
    if (frame.file.ends_with(".stub.c")) return behind_stub = true, false;
    if (frame.line == 0 || is_toolkit_file(frame.file)) return false;
    // nvcc gives the kernel a function of the host, which calls the stub. Its line is that of the kernel's definition.
    if (std::exchange(behind_stub, false)) return false;
    found.file = frame.file;
    found.line = static_cast<uint32_t>(frame.line);
    function = frame.function;
    return true;
  }
};

// Whether the code is that of a library beside this one: lockstep's own cuBLAS or cuRAND.
bool is_beside(uintptr_t address) {
  const auto file_of = [](const void* code) -> std::string_view {
    Dl_info info;
    return dladdr(code, &info) && info.dli_fname ? info.dli_fname : "";
  };
  const std::string_view file = file_of(reinterpret_cast<void*>(address));
  const std::string_view own = file_of(reinterpret_cast<const void*>(&own_code));
  const size_t folder = own.rfind('/') + 1;
  return folder && file.starts_with(own.substr(0, folder)) &&
         (file.substr(folder).starts_with("libcublas.") || file.substr(folder).starts_with("libcurand."));
}

Search search(const CallStack& stack) {
  Search own;
  for (const uintptr_t address : stack)
    if (!is_beside(address) && any_frame(address, [&](const Frame& frame) { return own(frame); })) break;
  return own;
}

}  // namespace

CallStack call_stack() {
  CallStack stack;
  stack.reserve(kDeepest);
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* out) {
        auto& found = *static_cast<CallStack*>(out);
        int before = 0;
        const uintptr_t address = _Unwind_GetIPInfo(context, &before);
        // A return address is that of the next instruction, which may belong to another line.
        if (address && !own_code().holds(address)) found.push_back(address - (before ? 0 : 1));
        return found.size() < kDeepest ? _URC_NO_REASON : _URC_NORMAL_STOP;
      },
      &stack);
  return stack;
}

std::string place_of(const CallStack& stack) {
  const std::lock_guard lock(mutex);
  if (const Search own = search(stack); own.found.line != 0) {
    const std::string place = own.found.file + ":" + std::to_string(own.found.line);
    if (own.function.empty()) return place;
    return words("{place} in {function}", {{"place", place}, {"function", demangled(own.function)}});
  }
  for (const uintptr_t address : stack) {
    if (is_beside(address)) continue;
    const std::string name = symbol_of(address);
    const auto has = [&](const char* part) { return name.find(part) != name.npos; };
    const bool is_runtime =
        has("cudaMalloc") || has("cudaLaunchKernel") || has("__cuda") || name.starts_with("libcudart_static");
    if (!name.empty() && !is_runtime)
      return words("{function} (compile with -Xcompiler -g1 to see the line)", {{"function", demangled(name)}});
  }
  return "";
}

uint64_t call_number(const CallStack& stack) {
  const std::lock_guard lock(mutex);
  return stack.empty() ? 0 : numbers().emplace(stack, numbers().size() + 1).first->second;
}

Site call_line(uint64_t number) {
  const std::lock_guard lock(mutex);
  for (const auto& [stack, known] : numbers())
    if (known == number) return search(stack).found;
  return {};
}

}  // namespace lockstep::runtime

#ifdef LOCKSTEP_HAS_BACKTRACE
// The linker puts the first name in the place of dl_iterate_phdr, and calls the C library's by the second (--wrap).
extern "C" {
using EachModule = int(dl_phdr_info*, size_t, void*);
int __real_dl_iterate_phdr(EachModule* each, void* data);
int __wrap_dl_iterate_phdr(EachModule* each, void* data) {
  struct Seen {
    EachModule* each;
    void* data;
  } seen{each, data};
  if (!lockstep::runtime::shows_users_modules) return __real_dl_iterate_phdr(each, data);
  return __real_dl_iterate_phdr(
      [](dl_phdr_info* module, size_t size, void* out) {
        const auto& [shown_to, with] = *static_cast<Seen*>(out);
        return lockstep::runtime::is_of_the_system(module->dlpi_name) ? 0 : shown_to(module, size, with);
      },
      &seen);
}
}
#endif
