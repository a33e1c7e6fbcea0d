// buffer: an array between two guard bands, on the device or on the host, that begins at any address. Where the device
// itself sees every access outside an allocation, the judge asks for guard bands of 0 bytes; the array then fills its
// allocation exactly.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace warpladder {

// A CUDA call of the runner failed. The learner's code is not at fault, unless an earlier error of its own persists.
struct CudaFailure {
  cudaError_t error;
  const char* call;
};

class Buffer {
 public:
  // The data begins `offset` bytes behind a multiple of 16 bytes on the host, of 256 on the device. The guard bands are
  // filled, the data is not.
  Buffer(size_t bytes, size_t guard, bool on_host, size_t offset = 0);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return base_ + guard_; }
  void fill(const void* source);  // host memory of the buffer's size
  void poison();
  // To host memory: the guard bands and, if with_data, the data between them, at the same distances as here.
  void copy_out(unsigned char* target, bool with_data) const;
  uint32_t word(size_t at) const;  // at: bytes from the start of the data

 private:
  void copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) const;

  unsigned char* memory_ = nullptr;  // of the allocation
  unsigned char* base_ = nullptr;    // where the first guard band begins
  size_t bytes_, guard_;
  bool on_host_;
};

void require(cudaError_t error, const char* call);  // throws CudaFailure

}  // namespace warpladder
