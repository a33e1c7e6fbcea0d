// driver: what a program finds when it looks for NVIDIA's driver while lockstep is there. Each function says once why
// it cannot work, and returns an error as on a machine without a card. Three kinds of code come here: NVIDIA's
// libraries, which have a runtime of their own in them; programs with the static runtime; programs that use the
// driver's functions themselves. Includes no CUDA header: the functions have no parameters, which C's calling
// convention allows.
#include <dlfcn.h>
#include <errno.h>

#include <array>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "base/words.h"
#include "runtime/call_place.h"
#include "runtime/refusals.h"
#include "runtime/teller.h"

namespace lockstep::driver {
namespace {

constexpr int kNoDevice = 100, kSuccess = 0;  // of CUresult
constexpr int kVersion = 13000;

struct Library {
  std::string_view file, name;
};
constexpr std::array kLibraries = {
    Library{"libcublasLt", "cuBLASLt"}, Library{"libcublas", "cuBLAS"},     Library{"libcufft", "cuFFT"},
    Library{"libcurand", "cuRAND"},     Library{"libcusparse", "cuSPARSE"}, Library{"libcusolver", "cuSOLVER"},
    Library{"libcudnn", "cuDNN"},       Library{"libnccl", "NCCL"},         Library{"libcutensor", "cuTENSOR"},
    Library{"libnvjpeg", "nvJPEG"},     Library{"libnpp", "NPP"},           Library{"libnvshmem", "NVSHMEM"},
};

// The library that the address belongs to; an empty name: it is none of NVIDIA's.
std::string library_at(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string_view path = info.dli_fname;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const auto& [begin, name] : kLibraries)
    if (file.starts_with(begin)) return std::string(name) + " (" + std::string(file) + ")";
  return "";
}

struct Reason {
  std::string why, next;
};

Reason reason(const std::string& library, const char* function) {
  if (!library.empty())
    return {words("{library} looks for a card. lockstep cannot run its kernels: the library has machine code for GPUs, "
                  "and lockstep runs PTX.",
                  {{"library", library}}),
            words("replace its calls by kernels of your own, or run the program on a GPU.")};
  if (dlsym(RTLD_DEFAULT, "__cudaRegisterFatBinary") == nullptr)
    return {words("the program looks for NVIDIA's driver ({function}), and does not use the shared libcudart, in whose "
                  "place lockstep stands.",
                  {{"function", function}}),
            words("build it with nvcc -cudart shared; the driver's own functions (cu…) are not emulated.")};
  return {
      words("the program calls {function}. The driver's functions (cu…) are not emulated.", {{"function", function}}),
      words("use the runtime's functions (cuda…), or run the program on a GPU.")};
}

// nvcc starts this program for -arch=native. Without a card, nvcc says so itself, and takes its usual architecture.
bool is_query_of_nvcc() { return program_invocation_short_name == std::string_view("__nvcc_device_query"); }

// Once for each library, and once for the program.
void tell(const std::string& library, const char* function) {
  static std::mutex mutex;
  static auto* const told = new std::set<std::string>;  // never destroyed: calls come until the process ends
  const std::lock_guard lock(mutex);
  runtime::note_refusal();
  if (!told->insert(library).second) return;
  auto [why, next] = reason(library, function);
  if (const std::string place = runtime::place_of(runtime::call_stack()); !place.empty())
    why += "\n  " + words("at {place}", {{"place", place}});
  runtime::tell_person(with_next(why, next));
}

// The driver's function of this name; null: there is none.
void* find(const char* name) {
  static void* const self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return self ? dlsym(self, name) : nullptr;
}

}  // namespace

int refuse(const char* function, const void* caller) {
  if (!is_query_of_nvcc()) tell(library_at(caller), function);
  return kNoDevice;
}

}  // namespace lockstep::driver

// The runtime in a program or a library asks for these before it asks for a card.
extern "C" __attribute__((visibility("default"))) int cuDriverGetVersion(int* version) {
  *version = lockstep::driver::kVersion;
  return lockstep::driver::kSuccess;
}
extern "C" __attribute__((visibility("default"))) int cuGetProcAddress_v2(const char* name, void** function, int,
                                                                          unsigned long long, int* status) {
  *function = lockstep::driver::find(name);
  if (status != nullptr) *status = *function ? 0 : 1;  // found, or not found
  return lockstep::driver::kSuccess;
}
extern "C" __attribute__((visibility("default"))) int cuGetProcAddress(const char* name, void** function, int,
                                                                       unsigned long long) {
  *function = lockstep::driver::find(name);
  return lockstep::driver::kSuccess;
}
