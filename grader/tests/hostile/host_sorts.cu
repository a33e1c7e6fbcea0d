// verdict: rule broken · work
// lab: 25
// The host sorts copies of the keys, and copies them back.
#include <algorithm>
#include <numeric>
#include <vector>

#include "common/check.h"
#include "common/contracts/sort.h"

static std::vector<unsigned> on_the_host(const unsigned* from, int n) {
  std::vector<unsigned> to(n);
  if (n > 0) CUDA_CHECK(cudaMemcpy(to.data(), from, n * sizeof *from, cudaMemcpyDeviceToHost));
  return to;
}

static void to_the_device(unsigned* to, const std::vector<unsigned>& from) {
  if (from.empty()) return;
  CUDA_CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof from[0], cudaMemcpyHostToDevice));
}

void sort_by_digit(const unsigned* in, int n, unsigned* out) {
  std::vector<unsigned> keys = on_the_host(in, n);
  std::stable_sort(keys.begin(), keys.end(), [](unsigned a, unsigned b) { return a % 256 < b % 256; });
  to_the_device(out, keys);
}

void sort_keys(const unsigned* in, int n, unsigned* out) {
  std::vector<unsigned> keys = on_the_host(in, n);
  std::sort(keys.begin(), keys.end());
  to_the_device(out, keys);
}

void sort_pairs(const unsigned* keys, const unsigned* values, int n, unsigned* keys_out, unsigned* values_out) {
  const std::vector<unsigned> key = on_the_host(keys, n), value = on_the_host(values, n);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key[a] < key[b]; });
  std::vector<unsigned> sorted_keys, sorted_values;
  for (const int i : order) sorted_keys.push_back(key[i]), sorted_values.push_back(value[i]);
  to_the_device(keys_out, sorted_keys);
  to_the_device(values_out, sorted_values);
}
