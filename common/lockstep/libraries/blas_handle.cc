// blas_handle: handles of cuBLAS and what a program sets in them, names of statuses, and copies of vectors and matrices
// between host and device.
#include <mutex>
#include <set>

#include "libraries/blas.h"

namespace lockstep::libraries {
namespace {

std::mutex mutex;
std::set<cublasHandle_t>& handles() {
  static auto* const all = new std::set<cublasHandle_t>;  // never destroyed: calls come until the process ends
  return *all;
}

template <typename Value>
cublasStatus_t get(cublasHandle_t handle, Value cublasContext::*member, Value* value) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *value = handle->*member;
  return CUBLAS_STATUS_SUCCESS;
}
template <typename Value>
cublasStatus_t set(cublasHandle_t handle, Value cublasContext::*member, Value value, bool fine = true) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!fine) return CUBLAS_STATUS_INVALID_VALUE;
  handle->*member = value;
  return CUBLAS_STATUS_SUCCESS;
}

// height rows of `bytes`, whose starts are to_pitch and from_pitch elements apart.
cublasStatus_t copy(int64_t height, int64_t bytes, int64_t element, const void* from, int64_t from_pitch, void* to,
                    int64_t to_pitch, cudaMemcpyKind kind, const cudaStream_t* stream) {
  if (height < 0 || bytes < 0 || element <= 0 || from_pitch <= 0 || to_pitch <= 0 || bytes > from_pitch * element ||
      bytes > to_pitch * element)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (height == 0 || bytes == 0) return CUBLAS_STATUS_SUCCESS;
  const auto wide = [&](int64_t pitch) { return static_cast<size_t>(pitch * element); };
  const auto width = static_cast<size_t>(bytes), rows = static_cast<size_t>(height);
  const cudaError_t error =
      stream ? cudaMemcpy2DAsync(to, wide(to_pitch), from, wide(from_pitch), width, rows, kind, *stream)
             : cudaMemcpy2D(to, wide(to_pitch), from, wide(from_pitch), width, rows, kind);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

struct StatusName {
  cublasStatus_t status;
  const char *name, *words;
};
#define LOCKSTEP_STATUS(status, words) \
  { CUBLAS_STATUS_##status, "CUBLAS_STATUS_" #status, words }
constexpr StatusName kStatusNames[] = {
    LOCKSTEP_STATUS(SUCCESS, "success"),
    LOCKSTEP_STATUS(NOT_INITIALIZED, "the library was not initialized"),
    LOCKSTEP_STATUS(ALLOC_FAILED, "the resource allocation failed"),
    LOCKSTEP_STATUS(INVALID_VALUE, "an unsupported value or parameter was passed to the function"),
    LOCKSTEP_STATUS(ARCH_MISMATCH, "the function requires an architectural feature absent from the device"),
    LOCKSTEP_STATUS(MAPPING_ERROR, "an access to GPU memory space failed"),
    LOCKSTEP_STATUS(EXECUTION_FAILED, "the function failed to launch on the GPU"),
    LOCKSTEP_STATUS(INTERNAL_ERROR, "an internal operation failed"),
    LOCKSTEP_STATUS(NOT_SUPPORTED, "the requested functionality is not supported"),
    LOCKSTEP_STATUS(LICENSE_ERROR, "the license check failed"),
};
constexpr StatusName kUnknown = {CUBLAS_STATUS_SUCCESS, "unrecognized status", "unrecognized status"};

const StatusName& named(cublasStatus_t status) {
  for (const StatusName& known : kStatusNames)
    if (known.status == status) return known;
  return kUnknown;
}

}  // namespace

bool is_handle(cublasHandle_t handle) {
  const std::lock_guard lock(mutex);
  return handles().contains(handle);
}

void refuse_with(const char* what) {
  refuse("cuBLAS", t_function, what);
  throw Stop{CUBLAS_STATUS_NOT_SUPPORTED};
}

void refuse_capture(cublasHandle_t handle) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  require(cudaStreamIsCapturing(handle->stream, &status) == cudaSuccess, CUBLAS_STATUS_EXECUTION_FAILED);
  if (status != cudaStreamCaptureStatusNone) refuse_with(later("a stream that is captured"));
}

}  // namespace lockstep::libraries

using namespace lockstep::libraries;

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const std::lock_guard lock(mutex);
  *handle = *handles().insert(new cublasContext).first;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  const std::lock_guard lock(mutex);
  if (handles().erase(handle) == 0) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr || type < MAJOR_VERSION || type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
  constexpr int kParts[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
  *value = kParts[type];
  return CUBLAS_STATUS_SUCCESS;
}
size_t cublasGetCudartVersion() { return CUDART_VERSION; }
const char* cublasGetStatusName(cublasStatus_t status) { return named(status).name; }
const char* cublasGetStatusString(cublasStatus_t status) { return named(status).words; }

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return set(handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  return get(handle, &cublasContext::stream, stream);
}
// The host needs no workspace.
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void*, size_t) {
  return is_handle(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  const bool fine = mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE;
  return set(handle, &cublasContext::pointers, mode, fine);
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return get(handle, &cublasContext::pointers, mode);
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return set(handle, &cublasContext::atomics, mode);
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return get(handle, &cublasContext::atomics, mode);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return set(handle, &cublasContext::math, mode);
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return get(handle, &cublasContext::math, mode);
}
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count) {
  return set(handle, &cublasContext::multiprocessors, count, count >= 0);
}
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* count) {
  return get(handle, &cublasContext::multiprocessors, count);
}

// Copies. A vector is a matrix of one row; these are plain copies, and not counted as computed.
#define LOCKSTEP_COPIES(Kind, direction, width, Int)                                                                 \
  cublasStatus_t cublas##Kind##Vector##width(Int n, Int element, const void* from, Int from_step, void* to,          \
                                             Int to_step) {                                                          \
    return copy(n, element, element, from, from_step, to, to_step, direction, nullptr);                              \
  }                                                                                                                  \
  cublasStatus_t cublas##Kind##VectorAsync##width(Int n, Int element, const void* from, Int from_step, void* to,     \
                                                  Int to_step, cudaStream_t stream) {                                \
    return copy(n, element, element, from, from_step, to, to_step, direction, &stream);                              \
  }                                                                                                                  \
  cublasStatus_t cublas##Kind##Matrix##width(Int rows, Int columns, Int element, const void* from, Int from_leading, \
                                             void* to, Int to_leading) {                                             \
    return copy(columns, int64_t{rows} * element, element, from, from_leading, to, to_leading, direction, nullptr);  \
  }                                                                                                                  \
  cublasStatus_t cublas##Kind##MatrixAsync##width(Int rows, Int columns, Int element, const void* from,              \
                                                  Int from_leading, void* to, Int to_leading, cudaStream_t stream) { \
    return copy(columns, int64_t{rows} * element, element, from, from_leading, to, to_leading, direction, &stream);  \
  }
LOCKSTEP_WIDTHS(LOCKSTEP_COPIES, Set, cudaMemcpyHostToDevice)
LOCKSTEP_WIDTHS(LOCKSTEP_COPIES, Get, cudaMemcpyDeviceToHost)
