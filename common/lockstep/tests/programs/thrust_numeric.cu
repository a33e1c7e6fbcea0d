// Thrust's algorithms that compute: reductions, transformations, scans, extrema, on every element type.
#define THRUST_FORCE_32_BIT_OFFSET_TYPE  // otherwise every kernel is compiled a second time for more than 2^31 elements

#include <thrust/adjacent_difference.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include "algorithms.h"
#include "to_host.h"

template <class T>
struct PlusThree {
  __host__ __device__ T operator()(const T& v) const { return v + from_int<T>(3); }
};

// Replaces the product, which a struct does not have: counts the positions where two sequences are equal.
template <class T>
struct Agree {
  __host__ __device__ T operator()(const T& a, const T& b) const { return from_int<T>(a == b); }
};

template <class T>
void reductions(int n) {
  const std::vector<T> host = random_values<T>(n, 23, -9, 9), other = random_values<T>(n, 24, -9, 9);
  const thrust::device_vector<T> in(host), second(other);
  const T init = from_int<T>(4), zero = from_int<T>(0);
  const thrust::plus<T> plus;

  check<T>("thrust::reduce", n, T(thrust::reduce(in.begin(), in.end(), init)),
           std::accumulate(host.begin(), host.end(), init));
  check<T>("thrust::reduce with maximum", n, T(thrust::reduce(in.begin(), in.end(), init, thrust::maximum<T>())),
           std::accumulate(host.begin(), host.end(), init, [](const T& a, const T& b) { return a < b ? b : a; }));
  check<T>("thrust::transform_reduce", n, T(thrust::transform_reduce(in.begin(), in.end(), PlusThree<T>(), init, plus)),
           std::transform_reduce(host.begin(), host.end(), init, std::plus<T>(), PlusThree<T>()));
  check<T>("thrust::inner_product", n,
           T(thrust::inner_product(in.begin(), in.end(), second.begin(), zero, plus, Agree<T>())),
           std::inner_product(host.begin(), host.end(), other.begin(), zero, std::plus<T>(), Agree<T>()));
  check<T>("thrust::count_if", n, static_cast<int>(thrust::count_if(in.begin(), in.end(), IsPositive<T>())),
           static_cast<int>(std::count_if(host.begin(), host.end(), IsPositive<T>())));
  const auto place = [&](auto it) { return static_cast<int>(it - in.begin()); };
  check<T>("thrust::min_element", n, place(thrust::min_element(in.begin(), in.end())),
           static_cast<int>(std::min_element(host.begin(), host.end()) - host.begin()));
  check<T>("thrust::max_element", n, place(thrust::max_element(in.begin(), in.end())),
           static_cast<int>(std::max_element(host.begin(), host.end()) - host.begin()));
}

template <class T>
void sequences(int n) {
  const std::vector<T> host = random_values<T>(n, 25), other = random_values<T>(n, 26);
  const thrust::device_vector<T> in(host), second(other);
  thrust::device_vector<T> out(n);
  std::vector<T> want(n);
  const T init = from_int<T>(4);

  thrust::transform(in.begin(), in.end(), out.begin(), PlusThree<T>());
  std::transform(host.begin(), host.end(), want.begin(), PlusThree<T>());
  check<T>("thrust::transform", n, to_host(out), want);
  thrust::transform(in.begin(), in.end(), second.begin(), out.begin(), thrust::minus<T>());
  std::transform(host.begin(), host.end(), other.begin(), want.begin(), std::minus<T>());
  check<T>("thrust::transform of two", n, to_host(out), want);
  thrust::inclusive_scan(in.begin(), in.end(), out.begin());
  std::inclusive_scan(host.begin(), host.end(), want.begin());
  check<T>("thrust::inclusive_scan", n, to_host(out), want);
  thrust::exclusive_scan(in.begin(), in.end(), out.begin(), init, LastNonZero<T>());
  std::exclusive_scan(host.begin(), host.end(), want.begin(), init, LastNonZero<T>());
  check<T>("thrust::exclusive_scan", n, to_host(out), want);
  thrust::adjacent_difference(in.begin(), in.end(), out.begin());
  std::adjacent_difference(host.begin(), host.end(), want.begin());
  check<T>("thrust::adjacent_difference", n, to_host(out), want);
}

template <class T>
void by_key(int n) {
  const std::vector<T> keys = random_runs<T>(n, 27), values = random_values<T>(n, 28);
  std::vector<T> run_keys, run_sums;
  for (int i = 0; i < n; ++i) {
    const bool same = i > 0 && keys[i] == keys[i - 1];
    if (!same) run_keys.push_back(keys[i]);
    if (same)
      run_sums.back() = run_sums.back() + values[i];
    else
      run_sums.push_back(values[i]);
  }
  const thrust::device_vector<T> d_keys(keys), d_values(values);
  thrust::device_vector<T> out_keys(n), out(n);
  const auto ends =
      thrust::reduce_by_key(d_keys.begin(), d_keys.end(), d_values.begin(), out_keys.begin(), out.begin());
  out_keys.erase(ends.first, out_keys.end());
  out.erase(ends.second, out.end());
  check<T>("thrust::reduce_by_key", n, to_host(out_keys), run_keys);
  check<T>("thrust::reduce_by_key", n, to_host(out), run_sums);
}

struct Family {
  template <class T>
  void operator()(int n) const {
    reductions<T>(n);
    sequences<T>(n);
    by_key<T>(n);
  }
};

int main() {
  for_types_and_sizes(Family());
  return list_and_verdict("thrust_numeric");
}
