// Thrust as its users write it: reduce, transform_reduce, inclusive_scan, sort of ints, floats and pairs, against
// the C++ library's answers on the CPU.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <algorithm>
#include <numeric>

#include "expect.h"

template <class T>
std::vector<T> to_host(const thrust::device_vector<T>& device) {
  std::vector<T> host(device.size());
  thrust::copy(device.begin(), device.end(), host.begin());
  return host;
}

static void reduce(size_t n) {
  const std::vector<int> host = random_ints(n, -1000, 1000, 1);
  const thrust::device_vector<int> device(host.begin(), host.end());
  expect_equal("reduce", thrust::reduce(device.begin(), device.end()), std::accumulate(host.begin(), host.end(), 0));
  expect_equal("reduce with maximum", thrust::reduce(device.begin(), device.end(), -5000, thrust::maximum<int>()),
               std::accumulate(host.begin(), host.end(), -5000, [](int a, int b) { return std::max(a, b); }));
  thrust::device_vector<int> sums(n);
  thrust::inclusive_scan(device.begin(), device.end(), sums.begin());
  std::vector<int> want(n);
  std::inclusive_scan(host.begin(), host.end(), want.begin());
  expect_equal("inclusive_scan", to_host(sums), want);
}

static void sort_ints_and_floats(size_t n) {
  std::vector<int> ints = random_ints(n, -1'000'000'000, 1'000'000'000, 2);
  thrust::device_vector<int> d_ints(ints.begin(), ints.end());
  thrust::sort(d_ints.begin(), d_ints.end());
  std::sort(ints.begin(), ints.end());
  expect_equal("sort of ints", to_host(d_ints), ints);

  std::vector<float> floats(n);
  const std::vector<int> raw = random_ints(n, -1'000'000, 1'000'000, 3);
  for (size_t i = 0; i < n; ++i) floats[i] = raw[i] * 0.37f;
  thrust::device_vector<float> d_floats(floats.begin(), floats.end());
  thrust::sort(d_floats.begin(), d_floats.end());
  std::sort(floats.begin(), floats.end());
  expect_equal("sort of floats", to_host(d_floats), floats);
}

// Equal keys keep their order: the values are the places where the keys stood.
static void stable_sort_by_key(size_t n) {
  const std::vector<int> keys = random_ints(n, 0, 50, 4);
  std::vector<int> places(n);
  std::iota(places.begin(), places.end(), 0);
  thrust::device_vector<int> d_keys(keys.begin(), keys.end()), d_places(places.begin(), places.end());
  thrust::stable_sort_by_key(d_keys.begin(), d_keys.end(), d_places.begin());
  std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  expect_equal("stable_sort_by_key", to_host(d_places), places);
}

int main() {
  // Fewer than a warp, one tile and a bit, several tiles.
  for (const size_t n : {7, 3000, 40000}) reduce(n);
  for (const size_t n : {5, 20000}) sort_ints_and_floats(n);
  for (const size_t n : {33, 9000}) stable_sort_by_key(n);
  return verdict("thrust_algorithms");
}
