#include "common/runner/buffer.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "common/runner/protocol.h"

namespace warpladder {

void require(cudaError_t error, const char* call) {
  if (error != cudaSuccess) throw CudaFailure{error, call};
}

Buffer::Buffer(size_t bytes, size_t guard, bool on_host) : bytes_(bytes), guard_(guard), on_host_(on_host) {
  const size_t all = bytes + 2 * guard;
  if (on_host) {
    base_ = static_cast<unsigned char*>(std::malloc(all > 0 ? all : 1));
    if (base_ == nullptr) throw std::bad_alloc();
  } else {
    void* memory = nullptr;
    require(cudaMalloc(&memory, all), "cudaMalloc");
    base_ = static_cast<unsigned char*>(memory);
  }
  if (guard == 0) return;
  std::vector<unsigned char> band(guard);
  for (size_t i = 0; i < guard; ++i) band[i] = guard_byte(i);
  copy(base_, band.data(), guard, cudaMemcpyHostToDevice);
  copy(base_ + guard + bytes, band.data(), guard, cudaMemcpyHostToDevice);
}

Buffer::~Buffer() {
  if (on_host_) {
    std::free(base_);
  } else {
    cudaFree(base_);  // an error here was reported where it arose
  }
}

void Buffer::fill(const void* source) { copy(data(), source, bytes_, cudaMemcpyHostToDevice); }

void Buffer::poison() {
  if (bytes_ == 0) return;
  if (on_host_) {
    std::memset(data(), kPoisonByte, bytes_);
  } else {
    require(cudaMemset(data(), kPoisonByte, bytes_), "cudaMemset");
  }
}

void Buffer::copy_out(unsigned char* target, bool with_data) const {
  if (with_data) {
    copy(target, base_, bytes_ + 2 * guard_, cudaMemcpyDeviceToHost);
  } else {
    copy(target, base_, guard_, cudaMemcpyDeviceToHost);
    copy(target + guard_ + bytes_, base_ + guard_ + bytes_, guard_, cudaMemcpyDeviceToHost);
  }
}

uint32_t Buffer::word(size_t at) const {
  uint32_t word = 0;
  copy(&word, base_ + guard_ + at, sizeof word, cudaMemcpyDeviceToHost);
  return word;
}

void Buffer::copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) const {
  if (bytes == 0) return;
  if (on_host_) {
    std::memcpy(to, from, bytes);
  } else {
    require(cudaMemcpy(to, from, bytes, kind), "cudaMemcpy");
  }
}

}  // namespace warpladder
