// Every algorithm of cub::DeviceSegmentedReduce on every element type; some segments are empty, some longer than a
// tile.
#include <cub/device/device_segmented_reduce.cuh>

#include "algorithms.h"

// Cuts n elements into segments: lengths 0, 1, a few, and many, in a fixed pattern.
static std::vector<int> segment_offsets(int n) {
  std::vector<int> offsets{0};
  const int lengths[] = {3, 0, 1, 250, 33, 6000, 64};
  for (int segment = 0; offsets.back() < n; ++segment)
    offsets.push_back(std::min(n, offsets.back() + lengths[segment % std::size(lengths)]));
  return offsets;
}

struct Family {
  template <class T>
  void operator()(int n) const {
    using Limits = cuda::std::numeric_limits<T>;
    using Place = cub::KeyValuePair<int, T>;
    const std::vector<T> host = random_values<T>(n, 20);
    const std::vector<int> offsets = segment_offsets(n);
    const int segments = static_cast<int>(offsets.size()) - 1;
    const Array<T> in(host), out(segments);
    const Array<Place> places(segments);
    const Array<int> d_offsets(offsets);
    const int *begins = d_offsets.get(), *ends = begins + 1;

    // The CPU's result for each segment: its sum, and its smallest and greatest value with their indices.
    const T init = from_int<T>(0);
    std::vector<T> sums, least, most;
    std::vector<int> least_at, most_at;
    for (int segment = 0; segment < segments; ++segment) {
      const auto first = host.begin() + offsets[segment], last = host.begin() + offsets[segment + 1];
      const auto min = std::min_element(first, last), max = std::max_element(first, last);
      sums.push_back(std::accumulate(first, last, init));
      least.push_back(first == last ? Limits::max() : *min);
      most.push_back(first == last ? Limits::lowest() : *max);
      least_at.push_back(first == last ? 1 : static_cast<int>(min - first));
      most_at.push_back(first == last ? 1 : static_cast<int>(max - first));
    }
    const auto check_places = [&](const char* name, const std::vector<T>& values, const std::vector<int>& at) {
      std::vector<T> got_values;
      std::vector<int> got_at;
      for (const Place& place : places.host()) {
        got_values.push_back(place.value);
        got_at.push_back(place.key);
      }
      check<T>(name, n, got_values, values);
      check<T>(name, n, got_at, at);
    };

    run([&](void* s, size_t& bytes) {
      return cub::DeviceSegmentedReduce::Sum(s, bytes, in.get(), out.get(), segments, begins, ends);
    });
    check<T>("DeviceSegmentedReduce::Sum", n, out.host(), sums);
    run([&](void* s, size_t& bytes) {
      return cub::DeviceSegmentedReduce::Reduce(s, bytes, in.get(), out.get(), segments, begins, ends,
                                                cuda::std::plus<>(), init);
    });
    check<T>("DeviceSegmentedReduce::Reduce", n, out.host(), sums);
    run([&](void* s, size_t& bytes) {
      return cub::DeviceSegmentedReduce::Min(s, bytes, in.get(), out.get(), segments, begins, ends);
    });
    check<T>("DeviceSegmentedReduce::Min", n, out.host(), least);
    run([&](void* s, size_t& bytes) {
      return cub::DeviceSegmentedReduce::Max(s, bytes, in.get(), out.get(), segments, begins, ends);
    });
    check<T>("DeviceSegmentedReduce::Max", n, out.host(), most);
    run([&](void* s, size_t& bytes) {
      return cub::DeviceSegmentedReduce::ArgMin(s, bytes, in.get(), places.get(), segments, begins, ends);
    });
    check_places("DeviceSegmentedReduce::ArgMin", least, least_at);
    run([&](void* s, size_t& bytes) {
      return cub::DeviceSegmentedReduce::ArgMax(s, bytes, in.get(), places.get(), segments, begins, ends);
    });
    check_places("DeviceSegmentedReduce::ArgMax", most, most_at);
  }
};

int main() {
  for_types_and_sizes(Family());
  return list_and_verdict("cub_segmented_reduce");
}
