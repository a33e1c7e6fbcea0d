// Every algorithm of cub::DeviceHistogram on every number type and on bytes, in one row and in rows with a gap between
// them, with few bins (counted in shared memory) and with many. A struct cannot be a sample; four interleaved channels,
// three of them counted, are closest to it.
#include <cub/device/device_histogram.cuh>

#include "algorithms.h"

constexpr int kChannels = 4, kCounted = 3;
constexpr int kRowGap = 8;  // elements between the end of a row and the start of the next

// Samples in rows of `per_row`; the rows begin `stride` elements apart.
struct Shape {
  int per_row, rows, stride;
};

// The bins of every `step`-th sample, beginning with sample `first`: bin b holds levels[b] ≤ v < levels[b + 1].
template <class T>
std::vector<int> counted(const std::vector<T>& samples, Shape shape, int first, int step,
                         const std::vector<T>& levels) {
  std::vector<int> bins(levels.size() - 1);
  for (int row = 0; row < shape.rows; ++row) {
    for (int i = first; i < shape.per_row; i += step) {
      const auto above = std::upper_bound(levels.begin(), levels.end(), samples[row * shape.stride + i]);
      if (above != levels.begin() && above != levels.end()) ++bins[above - levels.begin() - 1];
    }
  }
  return bins;
}

// `bins` of width 2 from `low` on: the width divides without rounding, so a float's bin is never in doubt.
template <class T>
std::vector<T> even_levels(int bins, int low) {
  std::vector<T> levels;
  for (int b = 0; b <= bins; ++b) levels.push_back(static_cast<T>(low + 2 * b));
  return levels;
}

template <class T>
std::vector<T> uneven_levels(int bins, int low) {
  std::vector<T> levels{static_cast<T>(low)};
  for (int b = 0; b < bins; ++b) levels.push_back(static_cast<T>(levels.back() + 1 + b % 3));
  return levels;
}

template <class T>
void one_channel(const std::vector<T>& host, Shape shape, int bins) {
  const Array<T> in(host);
  const Array<int> histogram(bins);
  const int n = shape.per_row, rows = shape.rows;
  const size_t row_bytes = shape.stride * sizeof(T);
  const int low = 3, levels_count = bins + 1;
  const std::vector<T> even = even_levels<T>(bins, low), uneven = uneven_levels<T>(bins, low);
  const Array<T> d_levels(uneven);

  run([&](void* s, size_t& bytes) {
    if (rows == 1)
      return cub::DeviceHistogram::HistogramEven(s, bytes, in.get(), histogram.get(), levels_count, even.front(),
                                                 even.back(), n);
    return cub::DeviceHistogram::HistogramEven(s, bytes, in.get(), histogram.get(), levels_count, even.front(),
                                               even.back(), n, rows, row_bytes);
  });
  check<T>(rows == 1 ? "DeviceHistogram::HistogramEven" : "DeviceHistogram::HistogramEven of rows", host.size(),
           histogram.host(), counted(host, shape, 0, 1, even));

  run([&](void* s, size_t& bytes) {
    if (rows == 1)
      return cub::DeviceHistogram::HistogramRange(s, bytes, in.get(), histogram.get(), levels_count, d_levels.get(), n);
    return cub::DeviceHistogram::HistogramRange(s, bytes, in.get(), histogram.get(), levels_count, d_levels.get(), n,
                                                rows, row_bytes);
  });
  check<T>(rows == 1 ? "DeviceHistogram::HistogramRange" : "DeviceHistogram::HistogramRange of rows", host.size(),
           histogram.host(), counted(host, shape, 0, 1, uneven));
}

template <class Value>
using PerChannel = cuda::std::array<Value, kCounted>;

template <class T>
void channels(const std::vector<T>& host, Shape shape, int bins) {
  const Array<T> in(host);
  const Array<int> red(bins), green(bins + 1), blue(bins + 2);
  const PerChannel<int*> histograms{red.get(), green.get(), blue.get()};
  const PerChannel<int> level_counts{bins + 1, bins + 2, bins + 3};
  const int pixels = shape.per_row / kChannels, rows = shape.rows;
  const size_t row_bytes = shape.stride * sizeof(T);
  const auto check_channels = [&](const char* name, const PerChannel<std::vector<T>>& levels) {
    const Array<int>* got[] = {&red, &green, &blue};
    for (int c = 0; c < kCounted; ++c)
      check<T>(name, host.size(), got[c]->host(), counted(host, shape, c, kChannels, levels[c]));
  };

  const PerChannel<std::vector<T>> even{even_levels<T>(bins, 0), even_levels<T>(bins + 1, 5),
                                        even_levels<T>(bins + 2, 2)};
  const PerChannel<T> lower{even[0].front(), even[1].front(), even[2].front()};
  const PerChannel<T> upper{even[0].back(), even[1].back(), even[2].back()};
  run([&](void* s, size_t& bytes) {
    if (rows == 1)
      return cub::DeviceHistogram::MultiHistogramEven<kChannels, kCounted>(s, bytes, in.get(), histograms, level_counts,
                                                                           lower, upper, pixels);
    return cub::DeviceHistogram::MultiHistogramEven<kChannels, kCounted>(s, bytes, in.get(), histograms, level_counts,
                                                                         lower, upper, pixels, rows, row_bytes);
  });
  check_channels(rows == 1 ? "DeviceHistogram::MultiHistogramEven" : "DeviceHistogram::MultiHistogramEven of rows",
                 even);

  const PerChannel<std::vector<T>> uneven{uneven_levels<T>(bins, 0), uneven_levels<T>(bins + 1, 5),
                                          uneven_levels<T>(bins + 2, 2)};
  const Array<T> red_levels(uneven[0]), green_levels(uneven[1]), blue_levels(uneven[2]);
  const PerChannel<const T*> levels{red_levels.get(), green_levels.get(), blue_levels.get()};
  run([&](void* s, size_t& bytes) {
    if (rows == 1)
      return cub::DeviceHistogram::MultiHistogramRange<kChannels, kCounted>(s, bytes, in.get(), histograms,
                                                                            level_counts, levels, pixels);
    return cub::DeviceHistogram::MultiHistogramRange<kChannels, kCounted>(s, bytes, in.get(), histograms, level_counts,
                                                                          levels, pixels, rows, row_bytes);
  });
  check_channels(rows == 1 ? "DeviceHistogram::MultiHistogramRange" : "DeviceHistogram::MultiHistogramRange of rows",
                 uneven);
}

struct Family {
  template <class T>
  void operator()(int n) const {
    const int greatest = sizeof(T) == 1 ? 250 : 700;
    const int few = 40, many = sizeof(T) == 1 ? 120 : 300;
    one_channel(random_values<T>(n, 9, 0, greatest), {n, 1, n}, few);
    one_channel(random_values<T>(n, 10, 0, greatest), {n, 1, n}, many);
    channels(random_values<T>(n / kChannels * kChannels, 11, 0, greatest), {n / kChannels * kChannels, 1, 0}, few);
    channels(random_values<T>(n / kChannels * kChannels, 12, 0, greatest), {n / kChannels * kChannels, 1, 0}, many);

    const int rows = 3, per_row = n / rows / kChannels * kChannels, stride = per_row + kRowGap;
    if (per_row == 0) return;
    one_channel(random_values<T>(rows * stride, 13, 0, greatest), {per_row, rows, stride}, few);
    channels(random_values<T>(rows * stride, 14, 0, greatest), {per_row, rows, stride}, few);
  }
};

int main() {
  for_numbers_and_sizes(Family());
  for (const int n : kSizes) Family().operator()<unsigned char>(n);
  return list_and_verdict("cub_histogram");
}
