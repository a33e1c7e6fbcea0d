// Every algorithm of cub::DeviceReduce on every element type.
#include <cub/device/device_reduce.cuh>

#include "algorithms.h"

// The first index of the smallest or greatest value.
template <class T>
struct Extremum {
  T value;
  long long place;
};
template <class T, class Before>
Extremum<T> first_extremum(const std::vector<T>& values, T of_nothing, Before before) {
  const auto it = std::min_element(values.begin(), values.end(), before);
  return {it == values.end() ? of_nothing : *it, it - values.begin()};
}

template <class T>
void extrema(int n) {
  using Limits = cuda::std::numeric_limits<T>;
  const std::vector<T> host = random_values<T>(n, 1);
  const Array<T> in(host), value(1);
  const Array<long long> place(1);
  const Extremum<T> smallest = first_extremum(host, Limits::max(), std::less<T>());
  const Extremum<T> greatest = first_extremum(host, Limits::lowest(), std::greater<T>());

  run([&](void* s, size_t& bytes) { return cub::DeviceReduce::Min(s, bytes, in.get(), value.get(), n); });
  check<T>("DeviceReduce::Min", n, value.host()[0], smallest.value);
  run([&](void* s, size_t& bytes) { return cub::DeviceReduce::Max(s, bytes, in.get(), value.get(), n); });
  check<T>("DeviceReduce::Max", n, value.host()[0], greatest.value);
  if (n == 0) return;  // CUB 3.0 promises a result for no elements, but launches nothing that would write it.
  run([&](void* s, size_t& bytes) {
    return cub::DeviceReduce::ArgMin(s, bytes, in.get(), value.get(), place.get(), n);
  });
  check<T>("DeviceReduce::ArgMin", n, value.host()[0], smallest.value);
  check<T>("DeviceReduce::ArgMin", n, place.host()[0], smallest.place);
  run([&](void* s, size_t& bytes) {
    return cub::DeviceReduce::ArgMax(s, bytes, in.get(), value.get(), place.get(), n);
  });
  check<T>("DeviceReduce::ArgMax", n, value.host()[0], greatest.value);
  check<T>("DeviceReduce::ArgMax", n, place.host()[0], greatest.place);
}

template <class T>
struct Twice {
  __host__ __device__ T operator()(const T& v) const { return v + v; }
};

template <class T>
void sums(int n) {
  const std::vector<T> host = random_values<T>(n, 2);
  const Array<T> in(host), out(1);
  const T zero = from_int<T>(0), init = from_int<T>(5);
  const T sum = std::accumulate(host.begin(), host.end(), zero);

  run([&](void* s, size_t& bytes) { return cub::DeviceReduce::Sum(s, bytes, in.get(), out.get(), n); });
  check<T>("DeviceReduce::Sum", n, out.host()[0], sum);
  run([&](void* s, size_t& bytes) {
    return cub::DeviceReduce::Reduce(s, bytes, in.get(), out.get(), n, cuda::std::plus<>(), init);
  });
  check<T>("DeviceReduce::Reduce", n, out.host()[0], init + sum);
  run([&](void* s, size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(s, bytes, in.get(), out.get(), n, cuda::std::plus<>(), Twice<T>(), init);
  });
  check<T>("DeviceReduce::TransformReduce", n, out.host()[0], init + sum + sum);
}

template <class T>
void by_key(int n) {
  const std::vector<T> keys = random_runs<T>(n, 3), values = random_values<T>(n, 4);
  std::vector<T> want_keys, want_sums;
  for (int i = 0; i < n; ++i) {
    const bool same = i > 0 && keys[i] == keys[i - 1];
    if (!same) want_keys.push_back(keys[i]);
    if (same)
      want_sums.back() = want_sums.back() + values[i];
    else
      want_sums.push_back(values[i]);
  }
  const Array<T> d_keys(keys), d_values(values), out_keys(n), out_sums(n);
  const Array<int> runs(std::vector<int>{0});
  run([&](void* s, size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(s, bytes, d_keys.get(), out_keys.get(), d_values.get(), out_sums.get(),
                                          runs.get(), cuda::std::plus<>(), n);
  });
  const int count = runs.host()[0];
  check<T>("DeviceReduce::ReduceByKey", n, out_keys.host(count), want_keys);
  check<T>("DeviceReduce::ReduceByKey", n, out_sums.host(count), want_sums);
}

struct Family {
  template <class T>
  void operator()(int n) const {
    extrema<T>(n);
    sums<T>(n);
    by_key<T>(n);
  }
};

int main() {
  for_types_and_sizes(Family());
  return list_and_verdict("cub_reduce");
}
