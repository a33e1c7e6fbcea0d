// random: the stand-in for cuRAND. NVIDIA's own library makes the numbers, with its generators for the host, which need
// no card; NVIDIA documents that those of the device give the same sequence (normal distributions differ in their last
// bits). Numbers for the device are made in memory
// of the host, and copied in the order of the generator's stream.
#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#pragma GCC visibility push(default)
#include <curand.h>
#pragma GCC visibility pop

#include "libraries/door.h"

// What a program has for a generator.
struct curandGenerator_st {
  curandGenerator_t theirs = nullptr;
  bool on_device = false;
  curandRngType_t type = CURAND_RNG_PSEUDO_DEFAULT;
  cudaStream_t stream = nullptr;
};

namespace lockstep::libraries {
namespace {

std::string folder_of(const std::string& file) { return std::filesystem::path(file).parent_path(); }

// Folders where NVIDIA's library may be, in the order of the loader. This library has the same name.
std::vector<std::string> folders() {
  std::vector<std::string> found;
  Dl_serinfo size;
  void* const program = dlopen(nullptr, RTLD_LAZY);
  if (program && dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0) {
    std::vector<char> room(size.dls_size);
    auto* const all = reinterpret_cast<Dl_serinfo*>(room.data());
    if (dlinfo(program, RTLD_DI_SERINFOSIZE, all) == 0 && dlinfo(program, RTLD_DI_SERINFO, all) == 0)
      for (unsigned i = 0; i < all->dls_cnt; ++i) found.emplace_back(all->dls_serpath[i].dls_name);
  }
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const home = std::getenv(variable))
      for (const char* const part : {"/lib64", "/lib"}) found.push_back(std::string(home) + part);
  for (const char* const known : {LOCKSTEP_CURAND_FOLDER, "/usr/local/cuda/lib64"}) found.emplace_back(known);
  return found;
}

void* open_theirs() {
  Dl_info own;
  if (dladdr(reinterpret_cast<void*>(&folder_of), &own) == 0) return nullptr;
  std::error_code ignored;
  for (const std::string& folder : folders()) {
    const std::string file = folder + "/" LOCKSTEP_CURAND;
    if (folder.empty() || !std::filesystem::exists(file, ignored) ||
        std::filesystem::equivalent(file, own.dli_fname, ignored))
      continue;
    // Deep binding: its calls of its own functions must not come here.
    if (void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)) return library;
  }
  return nullptr;
}

// NVIDIA's function of this name; null, and told: its library is not here.
template <typename Function>
Function* theirs(const char* name) {
  static void* const library = open_theirs();
  if (library == nullptr) refuse("cuRAND", name, later("no libcurand of NVIDIA's behind it"));
  return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}
#define LOCKSTEP_THEIRS(name) theirs<decltype(name)>(#name)

std::mutex mutex;
std::set<curandGenerator_t>& generators() {
  static auto* const all = new std::set<curandGenerator_t>;  // never destroyed: calls come until the process ends
  return *all;
}
bool is_generator(curandGenerator_t generator) {
  const std::lock_guard lock(mutex);
  return generators().contains(generator);
}

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool on_device) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  auto* const make = LOCKSTEP_THEIRS(curandCreateGeneratorHost);
  curandGenerator_t made = nullptr;
  if (make == nullptr) return CURAND_STATUS_INITIALIZATION_FAILED;
  if (const curandStatus_t status = make(&made, type); status != CURAND_STATUS_SUCCESS) return status;
  const std::lock_guard lock(mutex);
  *generator = *generators().insert(new curandGenerator_st{made, on_device, type}).first;
  return CURAND_STATUS_SUCCESS;
}

// Calls NVIDIA's function for the generator behind the program's.
template <typename Function, typename... Arguments>
curandStatus_t pass(Function* function, curandGenerator_t generator, Arguments... arguments) {
  if (!is_generator(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  return function ? function(generator->theirs, arguments...) : CURAND_STATUS_INITIALIZATION_FAILED;
}

template <typename Function, typename T, typename... Arguments>
curandStatus_t generate(const char* name, Function* function, curandGenerator_t generator, T* out, size_t count,
                        Arguments... arguments) {
  if (!is_generator(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  if (!generator->on_device || count == 0) return pass(function, generator, out, count, arguments...);
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(generator->stream, &capture) != cudaSuccess) return CURAND_STATUS_PREEXISTING_FAILURE;
  if (capture != cudaStreamCaptureStatusNone) {
    refuse("cuRAND", name, later("a stream that is captured"));
    return CURAND_STATUS_LAUNCH_FAILURE;
  }
  try {
    std::vector<T> numbers(count);
    const curandStatus_t status = pass(function, generator, numbers.data(), count, arguments...);
    if (status != CURAND_STATUS_SUCCESS) return status;
    note_computed("cuRAND");
    const cudaError_t copied =
        cudaMemcpyAsync(out, numbers.data(), count * sizeof(T), cudaMemcpyHostToDevice, generator->stream);
    return copied == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
  } catch (const std::bad_alloc&) { return CURAND_STATUS_ALLOCATION_FAILED; }
}

}  // namespace
}  // namespace lockstep::libraries

using namespace lockstep::libraries;

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, true);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, false);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  const curandStatus_t status = pass(LOCKSTEP_THEIRS(curandDestroyGenerator), generator);
  const std::lock_guard lock(mutex);
  if (generators().erase(generator)) delete generator;
  return status;
}
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (!is_generator(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
// A dynamic order is another one on each card, so any order will do; generators of the host do not have it.
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  if (is_generator(generator) && generator->on_device && generator->type != CURAND_RNG_PSEUDO_MT19937 &&
      order == CURAND_ORDERING_PSEUDO_DYNAMIC)
    order = CURAND_ORDERING_PSEUDO_DEFAULT;
  return pass(LOCKSTEP_THEIRS(curandSetGeneratorOrdering), generator, order);
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  return pass(LOCKSTEP_THEIRS(curandSetPseudoRandomGeneratorSeed), generator, seed);
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  return pass(LOCKSTEP_THEIRS(curandSetGeneratorOffset), generator, offset);
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned dimensions) {
  return pass(LOCKSTEP_THEIRS(curandSetQuasiRandomGeneratorDimensions), generator, dimensions);
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return pass(LOCKSTEP_THEIRS(curandGenerateSeeds), generator);
}

#define LOCKSTEP_GENERATE(name, T)                                         \
  curandStatus_t name(curandGenerator_t generator, T* out, size_t count) { \
    return generate(#name, LOCKSTEP_THEIRS(name), generator, out, count);  \
  }
LOCKSTEP_GENERATE(curandGenerate, unsigned)
LOCKSTEP_GENERATE(curandGenerateLongLong, unsigned long long)
LOCKSTEP_GENERATE(curandGenerateUniform, float)
LOCKSTEP_GENERATE(curandGenerateUniformDouble, double)
#define LOCKSTEP_GENERATE_NORMAL(name, T)                                                       \
  curandStatus_t name(curandGenerator_t generator, T* out, size_t count, T mean, T deviation) { \
    return generate(#name, LOCKSTEP_THEIRS(name), generator, out, count, mean, deviation);      \
  }
LOCKSTEP_GENERATE_NORMAL(curandGenerateNormal, float)
LOCKSTEP_GENERATE_NORMAL(curandGenerateNormalDouble, double)
LOCKSTEP_GENERATE_NORMAL(curandGenerateLogNormal, float)
LOCKSTEP_GENERATE_NORMAL(curandGenerateLogNormalDouble, double)
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* out, size_t count, double mean) {
  return generate("curandGeneratePoisson", LOCKSTEP_THEIRS(curandGeneratePoisson), generator, out, count, mean);
}

// Facts and tables, which are the host's.
#define LOCKSTEP_PASS(name, parameters, ...)                                       \
  curandStatus_t name parameters {                                                 \
    auto* const function = LOCKSTEP_THEIRS(name);                                  \
    return function ? function(__VA_ARGS__) : CURAND_STATUS_INITIALIZATION_FAILED; \
  }
LOCKSTEP_PASS(curandGetVersion, (int* version), version)
LOCKSTEP_PASS(curandGetProperty, (libraryPropertyType type, int* value), type, value)
LOCKSTEP_PASS(curandGetDirectionVectors32, (curandDirectionVectors32_t * vectors[], curandDirectionVectorSet_t set),
              vectors, set)
LOCKSTEP_PASS(curandGetDirectionVectors64, (curandDirectionVectors64_t * vectors[], curandDirectionVectorSet_t set),
              vectors, set)
LOCKSTEP_PASS(curandGetScrambleConstants32, (unsigned** constants), constants)
LOCKSTEP_PASS(curandGetScrambleConstants64, (unsigned long long** constants), constants)
