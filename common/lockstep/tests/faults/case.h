// case: the parts that every program here needs: its cases by name, and device memory that frees itself. argv[1]
// chooses a case. Exit code: 0 if the case says that its answer is right, 1 if not, 2 if there is no such case.
#pragma once

#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

struct Case {
  const char* name;
  bool (*run)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

inline bool add_case(const char* name, bool (*run)()) {
  cases().push_back({name, run});
  return true;
}

#define CASE(name)                                               \
  static bool name##_case();                                     \
  static const bool name##_added = add_case(#name, name##_case); \
  static bool name##_case()

// Reads every error, as a careful program does: the launch's error and the kernel's error.
inline bool finished() {
  const cudaError_t launch = cudaGetLastError();
  const cudaError_t kernel = cudaDeviceSynchronize();
  if (launch != cudaSuccess) std::printf("launch: %s\n", cudaGetErrorString(launch));
  if (kernel != cudaSuccess) std::printf("kernel: %s\n", cudaGetErrorString(kernel));
  return launch == cudaSuccess && kernel == cudaSuccess;
}

// n elements of device memory.
template <class T>
class Device {
 public:
  explicit Device(size_t n) : n_(n) { cudaMalloc(&data_, n * sizeof(T)); }  // not written, as cudaMalloc leaves them
  explicit Device(const std::vector<T>& values) : Device(values.size()) {
    cudaMemcpy(data_, values.data(), n_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { cudaFree(data_); }

  T* get() const { return data_; }
  operator T*() const { return data_; }
  std::vector<T> host() const {
    std::vector<T> values(n_);
    cudaMemcpy(values.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t n_;
};

template <class T>
Device<T> zeros(size_t n) {
  return Device<T>(std::vector<T>(n));
}

// the n numbers first, first + 1, …
template <class T = int>
std::vector<T> counting(size_t n, int first = 0) {
  std::vector<T> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = static_cast<T>(first + static_cast<int>(i));
  return values;
}

template <class T>
T sum_of(const std::vector<T>& values) {
  T sum{};
  for (const T& v : values) sum += v;
  return sum;
}

int main(int argc, char** argv) {
  for (const Case& c : cases()) {
    if (argc != 2 || std::strcmp(argv[1], c.name) != 0) continue;
    const bool right = c.run();
    // A leak is memory that is left when the context is destroyed; compute-sanitizer needs this call to see it.
    cudaDeviceReset();
    return right ? 0 : 1;
  }
  std::fprintf(stderr, "usage: %s CASE, one of\n", argv[0]);
  for (const Case& c : cases()) std::fprintf(stderr, "  %s\n", c.name);
  return 2;
}
