#include "common/runner/buffer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "common/runner/lockstep.h"
#include "common/runner/protocol.h"

namespace warpladder {
namespace {

using AllocateAt = cudaError_t(void** memory, size_t bytes, size_t offset);

}  // namespace

void require(cudaError_t error, const char* call) {
  if (error != cudaSuccess) throw CudaFailure{error, call};
}

// A card can only place an array inside a larger allocation. With lockstep the allocation itself begins there, so that
// it sees an access just before the array.
Buffer::Buffer(size_t bytes, size_t guard, bool on_host, size_t offset)
    : bytes_(bytes), guard_(guard), on_host_(on_host) {
  const size_t all = bytes + 2 * guard;
  void* memory = nullptr;
  if (on_host) {
    memory = std::malloc(std::max<size_t>(offset + all, 1));
    if (memory == nullptr) throw std::bad_alloc();
  } else if (const auto allocate = find_in_runtime<AllocateAt>("lockstep_allocate"); allocate && offset > 0) {
    require(allocate(&memory, all, offset), "lockstep_allocate");
    offset = 0;
  } else {
    require(cudaMalloc(&memory, offset + all), "cudaMalloc");
  }
  memory_ = static_cast<unsigned char*>(memory);
  base_ = memory_ + offset;
  if (guard == 0) return;
  std::vector<unsigned char> band(guard);
  for (size_t i = 0; i < guard; ++i) band[i] = guard_byte(i);
  copy(base_, band.data(), guard, cudaMemcpyHostToDevice);
  copy(base_ + guard + bytes, band.data(), guard, cudaMemcpyHostToDevice);
}

Buffer::~Buffer() {
  if (on_host_) {
    std::free(memory_);
  } else {
    cudaFree(memory_);  // an error here was reported where it arose
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
