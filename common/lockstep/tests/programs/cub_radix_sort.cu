// Every algorithm of cub::DeviceRadixSort: keys of every number type, of bytes (which take another path through CUB),
// and of a struct that a decomposer splits into members; pairs; both orders; from one array to another and in a
// DoubleBuffer; by some of the bits only.
#include <cub/device/device_radix_sort.cuh>
#include <cuda/std/tuple>

#include "algorithms.h"

// The decomposer that a radix sort needs for a struct: its members, the most significant first.
struct Members {
  __host__ __device__ cuda::std::tuple<long long&, int&> operator()(Item& item) const {
    return {item.total, item.count};
  }
};

// Keys that use all bits of their type, some equal.
template <class T>
T wide_key(int v) {
  if constexpr (std::is_same_v<T, int>) return v * 21'000'011;
  if constexpr (std::is_same_v<T, float>) return static_cast<float>(v) * 0.37f;
  if constexpr (std::is_same_v<T, double>) return v * 1.1e200;
  if constexpr (std::is_same_v<T, long long>) return v * 90'000'000'000'000'007LL;
  if constexpr (std::is_same_v<T, Item>) return {v / 4 * 40'000'000'007LL, v % 4};
  if constexpr (std::is_same_v<T, unsigned char>) return static_cast<unsigned char>(v);
}

// The calls for any key type; for a struct they also take the decomposer.
template <class T, class... Args>
cudaError_t sort_keys(bool descending, Args&&... args) {
  if constexpr (std::is_same_v<T, Item>)
    return descending ? cub::DeviceRadixSort::SortKeysDescending(args..., Members())
                      : cub::DeviceRadixSort::SortKeys(args..., Members());
  else
    return descending ? cub::DeviceRadixSort::SortKeysDescending(args...) : cub::DeviceRadixSort::SortKeys(args...);
}
template <class T, class... Args>
cudaError_t sort_pairs(bool descending, Args&&... args) {
  if constexpr (std::is_same_v<T, Item>)
    return descending ? cub::DeviceRadixSort::SortPairsDescending(args..., Members())
                      : cub::DeviceRadixSort::SortPairs(args..., Members());
  else
    return descending ? cub::DeviceRadixSort::SortPairsDescending(args...) : cub::DeviceRadixSort::SortPairs(args...);
}

template <class T>
std::vector<T> current(cub::DoubleBuffer<T>& buffer, int n) {
  std::vector<T> values(n);
  CUDA_CHECK(cudaMemcpy(values.data(), buffer.Current(), n * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

// Sorts keys, and pairs whose values are the keys' former positions: equal keys keep their order.
template <class T>
void sort_all(int n, bool descending) {
  const auto named = [&](const char* what, const char* how) {
    return "DeviceRadixSort::Sort" + std::string(what) + (descending ? "Descending" : "") + how;
  };
  std::vector<T> keys, values;
  for (const int v : random_ints(n, -99, 99, 21)) keys.push_back(wide_key<T>(v));
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (const int i : order) values.push_back(from_int<T>(i));
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return descending ? keys[b] < keys[a] : keys[a] < keys[b]; });
  std::vector<T> want_keys, want_values;
  for (const int i : order) {
    want_keys.push_back(keys[i]);
    want_values.push_back(values[i]);
  }

  const Array<T> in(keys), out(n), values_in(values), values_out(n);
  run([&](void* s, size_t& bytes) { return sort_keys<T>(descending, s, bytes, in.get(), out.get(), n); });
  check<T>(named("Keys", "").c_str(), n, out.host(), want_keys);
  run([&](void* s, size_t& bytes) {
    return sort_pairs<T>(descending, s, bytes, in.get(), out.get(), values_in.get(), values_out.get(), n);
  });
  check<T>(named("Pairs", "").c_str(), n, out.host(), want_keys);
  check<T>(named("Pairs", "").c_str(), n, values_out.host(), want_values);

  const Array<T> here(keys), there(keys), other(n), other_values(n);
  cub::DoubleBuffer<T> buffer(here.get(), other.get());
  run([&](void* s, size_t& bytes) { return sort_keys<T>(descending, s, bytes, buffer, n); });
  check<T>(named("Keys", " in a DoubleBuffer").c_str(), n, current(buffer, n), want_keys);
  cub::DoubleBuffer<T> key_buffer(there.get(), other.get()), value_buffer(values_in.get(), other_values.get());
  run([&](void* s, size_t& bytes) { return sort_pairs<T>(descending, s, bytes, key_buffer, value_buffer, n); });
  check<T>(named("Pairs", " in DoubleBuffers").c_str(), n, current(key_buffer, n), want_keys);
  check<T>(named("Pairs", " in DoubleBuffers").c_str(), n, current(value_buffer, n), want_values);
}

// Only bits 3 to 15 of the keys count.
template <class T>
void sort_by_some_bits(int n) {
  constexpr int kBegin = 3, kEnd = 16;
  std::vector<T> keys;
  for (const int v : random_ints(n, -99, 99, 22)) keys.push_back(wide_key<T>(v));
  std::vector<T> want = keys;
  const auto digit = [](T key) { return (key >> kBegin) & ((1 << (kEnd - kBegin)) - 1); };
  std::stable_sort(want.begin(), want.end(), [&](T a, T b) { return digit(a) < digit(b); });
  const Array<T> in(keys), out(n);
  run([&](void* s, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(s, bytes, in.get(), out.get(), n, kBegin, kEnd);
  });
  check<T>("DeviceRadixSort::SortKeys by some bits", n, out.host(), want);
}

struct Family {
  template <class T>
  void operator()(int n) const {
    for (const bool descending : {false, true}) sort_all<T>(n, descending);
    if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) sort_by_some_bits<T>(n);
  }
};

int main() {
  for_types_and_sizes(Family());
  for (const int n : kSizes) Family().operator()<unsigned char>(n);
  return list_and_verdict("cub_radix_sort");
}
