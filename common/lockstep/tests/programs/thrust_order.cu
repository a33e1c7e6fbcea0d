// Thrust's algorithms that move elements: sorts, merges, sets, searches, selections, on every element type.
#define THRUST_FORCE_32_BIT_OFFSET_TYPE  // otherwise every kernel is compiled a second time for more than 2^31 elements

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/gather.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/scatter.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include "algorithms.h"
#include "to_host.h"

template <class T>
void sorts(int n) {
  const std::vector<T> host = random_values<T>(n, 29);
  std::vector<int> places(n);
  std::iota(places.begin(), places.end(), 0);
  thrust::device_vector<T> keys(host), more_keys(host);
  thrust::device_vector<int> d_places(places);

  thrust::sort(keys.begin(), keys.end());
  std::vector<T> sorted = host;
  std::sort(sorted.begin(), sorted.end());
  check<T>("thrust::sort", n, to_host(keys), sorted);
  // Equal keys keep their order: the values are the former positions of the keys.
  thrust::stable_sort_by_key(more_keys.begin(), more_keys.end(), d_places.begin());
  std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return host[a] < host[b]; });
  check<T>("thrust::stable_sort_by_key", n, to_host(more_keys), sorted);
  check<T>("thrust::stable_sort_by_key", n, to_host(d_places), places);
}

// Algorithms on two sorted sequences, the second about half as long.
template <class T>
void sorted_sequences(int n) {
  const int half = n / 2;
  std::vector<T> a = random_values<T>(n, 30, 0, 3 * n), b = random_values<T>(half, 31, 0, 3 * n);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const thrust::device_vector<T> d_a(a), d_b(b);
  thrust::device_vector<T> out(n + half);
  thrust::device_vector<int> places(half);
  const auto check_out = [&](const char* name, auto end, const std::vector<T>& want) {
    std::vector<T> got = to_host(out);
    got.resize(end - out.begin());
    check<T>(name, n, got, want);
  };

  std::vector<T> merged, common, either, rest;
  std::vector<int> lower, upper;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
  check_out("thrust::merge", thrust::merge(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), out.begin()), merged);
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  check_out("thrust::set_intersection",
            thrust::set_intersection(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), out.begin()), common);
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(either));
  check_out("thrust::set_union", thrust::set_union(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), out.begin()),
            either);
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  check_out("thrust::set_difference",
            thrust::set_difference(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), out.begin()), rest);

  for (const T& v : b) {
    lower.push_back(static_cast<int>(std::lower_bound(a.begin(), a.end(), v) - a.begin()));
    upper.push_back(static_cast<int>(std::upper_bound(a.begin(), a.end(), v) - a.begin()));
  }
  thrust::lower_bound(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), places.begin());
  check<T>("thrust::lower_bound", n, to_host(places), lower);
  thrust::upper_bound(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), places.begin());
  check<T>("thrust::upper_bound", n, to_host(places), upper);
}

template <class T>
void selections(int n) {
  const std::vector<T> host = random_values<T>(n, 32), runs = random_runs<T>(n, 33);
  const thrust::device_vector<T> in(host);
  std::vector<T> positive, others, parted, unlike = runs;
  for (const T& v : host) (IsPositive<T>()(v) ? positive : others).push_back(v);
  parted = positive;
  parted.insert(parted.end(), others.begin(), others.end());
  unlike.erase(std::unique(unlike.begin(), unlike.end()), unlike.end());

  thrust::device_vector<T> copied(n), removed(host), split(host), distinct(runs);
  copied.erase(thrust::copy_if(in.begin(), in.end(), copied.begin(), IsPositive<T>()), copied.end());
  check<T>("thrust::copy_if", n, to_host(copied), positive);
  removed.erase(thrust::remove_if(removed.begin(), removed.end(), IsPositive<T>()), removed.end());
  check<T>("thrust::remove_if", n, to_host(removed), others);
  distinct.erase(thrust::unique(distinct.begin(), distinct.end()), distinct.end());
  check<T>("thrust::unique", n, to_host(distinct), unlike);
  const auto middle = thrust::stable_partition(split.begin(), split.end(), IsPositive<T>());
  check<T>("thrust::stable_partition", n, to_host(split), parted);
  check<T>("thrust::stable_partition", n, static_cast<size_t>(middle - split.begin()), positive.size());
  // Without "stable" the order on each side is free, so each side is sorted before the comparison.
  split.assign(host.begin(), host.end());
  thrust::partition(split.begin(), split.end(), IsPositive<T>());
  std::vector<T> got = to_host(split);
  for (std::vector<T>* v : {&got, &parted}) {
    std::sort(v->begin(), v->begin() + positive.size());
    std::sort(v->begin() + positive.size(), v->end());
  }
  check<T>("thrust::partition", n, got, parted);
}

template <class T>
void moves(int n) {
  const std::vector<T> host = random_values<T>(n, 34);
  std::vector<int> map(n);
  std::iota(map.begin(), map.end(), 0);
  std::shuffle(map.begin(), map.end(), std::mt19937(35));
  std::vector<T> gathered(n), scattered(n);
  for (int i = 0; i < n; ++i) {
    gathered[i] = host[map[i]];
    scattered[map[i]] = host[i];
  }
  const thrust::device_vector<T> in(host);
  const thrust::device_vector<int> d_map(map);
  thrust::device_vector<T> out(n);
  thrust::gather(d_map.begin(), d_map.end(), in.begin(), out.begin());
  check<T>("thrust::gather", n, to_host(out), gathered);
  thrust::scatter(in.begin(), in.end(), d_map.begin(), out.begin());
  check<T>("thrust::scatter", n, to_host(out), scattered);
}

struct Family {
  template <class T>
  void operator()(int n) const {
    sorts<T>(n);
    sorted_sequences<T>(n);
    selections<T>(n);
    moves<T>(n);
  }
};

int main() {
  for_types_and_sizes(Family());
  return list_and_verdict("thrust_order");
}
