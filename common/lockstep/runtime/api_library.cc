// api_library: kernels and variables that a program loads while it runs, from PTX or a fat binary (cudaLibrary…). A
// library is loaded at once, so that its errors come with the call that loads it. A cudaLibrary_t points to its Binary.
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>

#include "base/words.h"
#include "runtime/api.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace {

Binary* find_library(Runtime& runtime, cudaLibrary_t library) {
  for (const auto& binary : runtime.program.binaries)
    if (binary.get() == reinterpret_cast<Binary*>(library)) return binary.get();
  return nullptr;
}

// A text of PTX begins with a directive or a comment. All else begins with a byte that neither has.
bool is_text(const char* code) { return std::strchr("./ \t\r\n", *code) != nullptr; }

// code: a fat binary, its wrapper, machine code, or a text of PTX that ends with a zero. The library keeps nothing of
// it.
cudaError_t load(Runtime& runtime, const void* code, cudaLibrary_t* library) {
  auto binary = std::make_unique<Binary>();
  if (const char* const text = static_cast<const char*>(code); is_text(text)) {
    binary->text = text;
  } else {
    auto containers = fatbin_containers(code);
    if (containers.empty()) containers = {fatbin_container_at(code)};
    if (containers.front().empty())
      return runtime.refuse(later("machine code (a cubin) is"),
                            later("load PTX, or a fat binary with PTX: nvcc -ptx, nvcc -fatbin."));
    PtxChoice choice = choose_ptx(read_fatbin(containers.front()), runtime.device->limits().compute.number());
    if (choice.error != FatbinError::kNone)
      return runtime.code({static_cast<Status>(cudaErrorNoKernelImageForDevice), choice.message});
    binary->text = std::move(choice.ptx);
  }
  if (const cudaError_t error = runtime.code(runtime.load(*binary)); error != cudaSuccess) return error;
  *library = reinterpret_cast<cudaLibrary_t>(binary.get());
  runtime.program.binaries.push_back(std::move(binary));
  return cudaSuccess;
}

// The kernel of this name, the same one each time.
Kernel* kernel_of(Runtime& runtime, Binary& binary, const std::string& name) {
  for (const auto& [_, kernel] : runtime.program.kernels)
    if (kernel->binary == &binary && kernel->name == name) return kernel.get();
  const auto kernel = std::make_shared<Kernel>();
  kernel->binary = &binary;
  kernel->name = name;
  if (!runtime.device->find_function(binary.module, name, &kernel->info).ok()) return nullptr;
  return (runtime.program.kernels[kernel.get()] = kernel).get();
}

// Runs body(runtime, binary) for a library that is loaded.
template <typename Body>
cudaError_t with_library(cudaLibrary_t library, bool valid, Body&& body, const char* name = __builtin_FUNCTION()) {
  return call(Needs::kDevice, name, [&](Runtime& runtime) -> cudaError_t {
    if (!valid) return cudaErrorInvalidValue;
    Binary* const binary = find_library(runtime, library);
    return binary ? body(runtime, *binary) : cudaErrorInvalidResourceHandle;
  });
}

std::vector<std::string> kernels_in(const std::string& ptx) {
  static const std::regex entry(R"(\.entry\s+([\w$]+))");
  std::vector<std::string> names;
  for (std::sregex_iterator at(ptx.begin(), ptx.end(), entry), end; at != end; ++at) names.push_back((*at)[1]);
  return names;
}

}  // namespace

// The options are ptxas', which lockstep does not use.
LOCKSTEP_API cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                             cudaLibraryOption*, void**, unsigned) {
  return call(Needs::kDevice,
              [&](Runtime& runtime) { return library && code ? load(runtime, code, library) : cudaErrorInvalidValue; });
}

LOCKSTEP_API cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* name, cudaJitOption*, void**,
                                                 unsigned, cudaLibraryOption*, void**, unsigned) {
  return call(Needs::kDevice, [&](Runtime& runtime) -> cudaError_t {
    if (!library || !name) return cudaErrorInvalidValue;
    std::ifstream file(name, std::ios::binary);
    if (!file) return cudaErrorFileNotFound;
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    return load(runtime, bytes.c_str(), library);
  });
}

LOCKSTEP_API cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return with_library(library, true, [](Runtime& runtime, Binary& binary) {
    runtime.forget(&binary);
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return with_library(library, kernel && name, [&](Runtime& runtime, Binary& binary) {
    Kernel* const found = kernel_of(runtime, binary, name);
    if (!found) return cudaErrorSymbolNotFound;
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library, const char* name) {
  return with_library(library, (address || bytes) && name, [&](Runtime& runtime, Binary& binary) {
    GlobalInfo info;
    if (!runtime.device->find_global(binary.module, name, &info).ok()) return cudaErrorSymbolNotFound;
    if (address) *address = reinterpret_cast<void*>(info.address);
    if (bytes) *bytes = info.bytes;
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return with_library(library, count != nullptr, [&](Runtime&, Binary& binary) {
    *count = static_cast<unsigned>(kernels_in(binary.text).size());
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t library) {
  return with_library(library, kernels && count > 0, [&](Runtime& runtime, Binary& binary) {
    const std::vector<std::string> names = kernels_in(binary.text);
    for (unsigned i = 0; i < count && i < names.size(); ++i)
      kernels[i] = reinterpret_cast<cudaKernel_t>(kernel_of(runtime, binary, names[i]));
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                                         int device) {
  if (device != 0) return call(Needs::kDevice, [](Runtime&) { return cudaErrorInvalidDevice; });
  return cudaFuncSetAttribute(kernel, attribute, value);
}
