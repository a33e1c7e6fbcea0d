// streams: what the programs about unfinished work need beside case.h: streams that do not block, events, memory that
// the host reaches, and two kernels.
#pragma once

#include "case.h"

class Stream {
 public:
  explicit Stream(unsigned flags = cudaStreamNonBlocking) { cudaStreamCreateWithFlags(&stream_, flags); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { cudaEventCreateWithFlags(&event_, cudaEventDisableTiming); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// n elements that host and device reach. They free themselves, which waits for the device.
template <class T, bool is_managed>
class Reached {
 public:
  explicit Reached(size_t n) : n_(n) {
    is_managed ? cudaMallocManaged(&data_, n * sizeof(T)) : cudaMallocHost(&data_, n * sizeof(T));
  }
  Reached(const Reached&) = delete;
  Reached& operator=(const Reached&) = delete;
  ~Reached() { is_managed ? cudaFree(data_) : cudaFreeHost(data_); }
  operator T*() const { return data_; }
  T* begin() const { return data_; }
  T* end() const { return data_ + n_; }

 private:
  T* data_ = nullptr;
  size_t n_;
};
template <class T>
using Pinned = Reached<T, false>;
template <class T>
using Managed = Reached<T, true>;

// out[i] = first + i
static __global__ void count_up(int* out, int n, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = first + i;
}

static __global__ void add_one(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}
