// api_registration: the calls that nvcc adds to a program, made before main(). They name its fat binaries, and the host
// addresses that stand for its kernels and variables. Nothing is loaded here, and nothing can fail: as with the real
// runtime, errors come when a kernel or variable is first used.
#include <cstdlib>

#include "base/words.h"
#include "runtime/api.h"

using namespace lockstep;
using namespace lockstep::runtime;

LOCKSTEP_API void** __cudaRegisterFatBinary(void* wrapper) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  auto& binary = runtime.program.binaries.emplace_back(std::make_unique<Binary>());
  binary->containers = fatbin_containers(wrapper);
  return reinterpret_cast<void**>(binary.get());
}

LOCKSTEP_API void __cudaRegisterFatBinaryEnd(void**) {}

// Called at exit, or when a library with kernels is closed: afterwards other objects may get its addresses. Modules
// stay loaded, since the report names their sources.
LOCKSTEP_API void __cudaUnregisterFatBinary(void** handle) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  runtime.forget(reinterpret_cast<Binary*>(handle));
}

LOCKSTEP_API void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* name, int, uint3*,
                                         uint3*, dim3*, dim3*, int*) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  auto kernel = std::make_shared<Kernel>();
  kernel->binary = reinterpret_cast<Binary*>(handle);
  kernel->name = name;
  auto& known = runtime.program.kernels[host_function];
  if (known) runtime.program.kernels.erase(known.get());
  known = runtime.program.kernels[kernel.get()] = kernel;
}

namespace {

void register_variable(void** handle, const void* host_address, const char* name, size_t bytes, void** managed) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  auto* binary = reinterpret_cast<Binary*>(handle);
  auto& symbol = binary->symbols.emplace_back(new Symbol{binary, name, bytes, managed});
  runtime.program.symbols[host_address] = symbol.get();
}

}  // namespace

LOCKSTEP_API void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* name, int, size_t bytes, int,
                                    int) {
  register_variable(handle, host_variable, name, bytes, nullptr);
}

LOCKSTEP_API void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* name, int,
                                           size_t bytes, int, int) {
  register_variable(handle, host_pointer, name, bytes, host_pointer);
}

// Called before the host first reads a managed variable's pointer.
LOCKSTEP_API char __cudaInitModule(void** handle) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  auto* binary = reinterpret_cast<Binary*>(handle);
  if (enter(runtime, Needs::kDevice) == cudaSuccess) {
    const cudaError_t error = leave(runtime.code(runtime.load(*binary)));
    if (error != cudaSuccess) runtime.tell_failed(later("loading the program's kernels"), error);
    return 1;
  }
  for (const auto& symbol : binary->symbols)  // no device: plain memory, so that the host does not crash
    if (symbol->managed_pointer && !*symbol->managed_pointer) *symbol->managed_pointer = std::calloc(1, symbol->bytes);
  return 1;
}
