// algorithms: what the CUB and Thrust programs share: the element types, data of each, device memory, and the list of
// what was compared with the CPU, which every program prints.
// All values are small integers, those of the floats too. A sum of up to 2^17 of them stays below 2^24, hence no order
// of additions rounds, and every comparison is exact.
#pragma once

#include <algorithm>
#include <cuda/std/limits>
#include <numeric>
#include <string>
#include <type_traits>

#include "expect.h"

// The struct among the element types: 16 bytes, the last four of them padding.
struct Item {
  long long total;
  int count;
};
__host__ __device__ inline Item operator+(Item a, Item b) { return {a.total + b.total, a.count + b.count}; }
__host__ __device__ inline Item operator-(Item a, Item b) { return {a.total - b.total, a.count - b.count}; }
__host__ __device__ inline bool operator==(Item a, Item b) { return a.total == b.total && a.count == b.count; }
__host__ __device__ inline bool operator!=(Item a, Item b) { return !(a == b); }
__host__ __device__ inline bool operator<(Item a, Item b) {
  return a.total < b.total || (a.total == b.total && a.count < b.count);
}
__host__ __device__ inline bool operator>(Item a, Item b) { return b < a; }

// Min and Max start from the type's limits.
template <>
class cuda::std::numeric_limits<Item> {
 public:
  static constexpr bool is_specialized = true;
  __host__ __device__ static constexpr Item max() { return {1LL << 40, 1 << 20}; }
  __host__ __device__ static constexpr Item lowest() { return {-(1LL << 40), -(1 << 20)}; }
};

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, unsigned char>) return "uint8";
  if constexpr (std::is_same_v<T, int>) return "int";
  if constexpr (std::is_same_v<T, float>) return "float";
  if constexpr (std::is_same_v<T, double>) return "double";
  if constexpr (std::is_same_v<T, long long>) return "int64";
  if constexpr (std::is_same_v<T, Item>) return "struct";
}

template <class T>
__host__ __device__ T from_int(int v) {
  if constexpr (std::is_same_v<T, Item>)
    return {v, v % 7};
  else
    return static_cast<T>(v);
}

template <class T>
std::vector<T> from_ints(const std::vector<int>& ints) {
  std::vector<T> values;
  for (const int v : ints) values.push_back(from_int<T>(v));
  return values;
}

template <class T>
std::vector<T> random_values(size_t n, unsigned seed, int low = -99, int high = 99) {
  return from_ints<T>(random_ints(n, low, high, seed));
}

// Runs of equal values, three long on average, some of them much longer than a tile's row.
template <class T>
std::vector<T> random_runs(size_t n, unsigned seed) {
  const std::vector<int> dice = random_ints(n, 0, 299, seed);
  std::vector<int> values(n);
  size_t same_until = 0;
  for (size_t i = 1; i < n; ++i) {
    if (dice[i] == 0) same_until = i + 200;
    values[i] = i < same_until || dice[i] > 100 ? values[i - 1] : dice[i] % 5;
  }
  return from_ints<T>(values);
}

// Associative but not commutative, so a scan that swaps two partial results is found out. Exact for every type.
template <class T>
struct LastNonZero {
  __host__ __device__ T operator()(const T& a, const T& b) const { return b == from_int<T>(0) ? a : b; }
};

template <class T>
struct IsPositive {
  __host__ __device__ bool operator()(const T& v) const { return from_int<T>(0) < v; }
};

// Owns device memory.
template <class T>
class Array {
 public:
  explicit Array(size_t n) : n_(n) { CUDA_CHECK(cudaMalloc(&data_, n * sizeof(T))); }
  explicit Array(const std::vector<T>& host) : Array(host.size()) {
    CUDA_CHECK(cudaMemcpy(data_, host.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* get() const { return data_; }
  // The first `n` elements; all of them where the program was told more.
  std::vector<T> host(size_t n) const {
    std::vector<T> values(std::min(n, n_));
    CUDA_CHECK(cudaMemcpy(values.data(), data_, values.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  std::vector<T> host() const { return host(n_); }

 private:
  T* data_ = nullptr;
  size_t n_;
};

// CUB's two calls: asks how much scratch memory the algorithm wants, then runs it.
template <class Algorithm>
void run(Algorithm algorithm) {
  size_t bytes = 0;
  CUDA_CHECK(algorithm(nullptr, bytes));
  const Array<char> scratch(bytes);
  CUDA_CHECK(algorithm(scratch.get(), bytes));
  CUDA_CHECK(cudaDeviceSynchronize());
}

struct Checked {
  std::string algorithm, types;
  int comparisons = 0;
};
inline std::vector<Checked> all_checked;

inline void note_checked(const std::string& algorithm, const std::string& type) {
  const auto is_it = [&](const Checked& c) { return c.algorithm == algorithm; };
  auto entry = std::find_if(all_checked.begin(), all_checked.end(), is_it);
  if (entry == all_checked.end()) entry = all_checked.insert(entry, {algorithm, "", 0});
  if ((entry->types + " ").find(" " + type + " ") == std::string::npos) entry->types += " " + type;
  ++entry->comparisons;
}

// Compares what an algorithm made of `n` elements of type Element with what the CPU made of them.
template <class Element, class Result>
void check(const char* algorithm, size_t n, const std::vector<Result>& got, const std::vector<Result>& want) {
  note_checked(algorithm, type_name<Element>());
  if (got == want) return;
  ++failures;
  const size_t shorter = std::min(got.size(), want.size());
  const size_t at = std::mismatch(got.begin(), got.begin() + shorter, want.begin()).first - got.begin();
  std::printf("%s of %zu %s: wrong at [%zu]; %zu results, want %zu\n", algorithm, n, type_name<Element>(), at,
              got.size(), want.size());
}

template <class Element, class Result>
void check(const char* algorithm, size_t n, const Result& got, const Result& want) {
  check<Element>(algorithm, n, std::vector<Result>{got}, std::vector<Result>{want});
}

// Nothing, one, part of a warp's row, part of a tile, several tiles and a bit.
inline const int kSizes[] = {0, 1, 97, 3001, 50'021};

// Runs `family.template operator()<T>(n)` for the sizes, with int alone or, if ALL_TYPES is defined, with every element
// type. nvcc takes minutes for all types, so a binary of its own has them (programs.cmake).
template <class Family>
void for_numbers_and_sizes(Family family) {
  for (const int n : kSizes) {
    family.template operator()<int>(n);
#ifdef ALL_TYPES
    family.template operator()<float>(n);
    family.template operator()<double>(n);
    family.template operator()<long long>(n);
#endif
  }
}

template <class Family>
void for_types_and_sizes(Family family) {
  for_numbers_and_sizes(family);
#ifdef ALL_TYPES
  for (const int n : kSizes) family.template operator()<Item>(n);
#endif
}

inline int list_and_verdict(const char* program) {
  for (const Checked& c : all_checked)
    std::printf("%s:%s (%d comparisons)\n", c.algorithm.c_str(), c.types.c_str(), c.comparisons);
  return verdict(program);
}
