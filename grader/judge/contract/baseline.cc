// baseline: the work of a contract done on the host, serial and on every core.
#include "grader/judge/contract/contract.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <type_traits>
#include <vector>

#ifdef WARPLADDER_TBB  // without TBB these algorithms are serial, so they are not a parallel baseline
#include <execution>
#endif

#include "grader/judge/contract/oracle.h"

namespace warpladder {
namespace {

// Sums of integers wrap, which only unsigned ones may.
template <class T>
struct WrapsOf {
  using type = std::make_unsigned_t<T>;
};
template <>
struct WrapsOf<float> {
  using type = float;
};
template <class T>
using Wraps = typename WrapsOf<T>::type;

template <class T>
uint64_t bits_of(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

// In a saxpy no element depends on another. The asm tells the optimiser that all of `out` is read.
uint64_t first_of(const std::vector<float>& out) {
  asm volatile("" : : "r"(out.data()) : "memory");
  return out.empty() ? 0 : bits_of(out.front());
}

uint64_t serial_saxpy(std::string_view, View in) { return first_of(saxpy_oracle<float>(as<float>(in), kSaxpyA)); }

template <class T>
uint64_t last_of(const std::vector<T>& out) {
  return out.empty() ? 0 : bits_of(out.back());
}

template <class T>
uint64_t serial_scan(std::string_view entry, View in_bytes) {
  const auto in = as<T>(in_bytes);
  std::vector<T> out(in.size());
  T sum = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const T before = sum;
    sum += in[i];
    out[i] = is_inclusive(entry) ? sum : before;
  }
  return last_of(out);
}

template <class T>
uint64_t serial_reduction(std::string_view, View in) {
  T sum = 0;
  for (const T value : as<T>(in)) sum += value;
  return bits_of(sum);
}

uint64_t serial_histogram(std::string_view, View in) { return histogram_oracle(in)[0]; }

#ifdef WARPLADDER_TBB
uint64_t parallel_saxpy(std::string_view, View in_bytes) {
  const auto in = as<float>(in_bytes);
  const auto y = in.begin() + static_cast<std::ptrdiff_t>(in.size() / 2);
  std::vector<float> out(in.size() / 2);
  std::transform(std::execution::par_unseq, in.begin(), y, y, out.begin(),
                 [](float x_i, float y_i) { return kSaxpyA * x_i + y_i; });
  return first_of(out);
}

template <class T>
uint64_t parallel_scan(std::string_view entry, View in_bytes) {
  const auto in = as<T>(in_bytes);
  std::vector<T> out(in.size());
  if (is_inclusive(entry)) {
    std::inclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin());
  } else {
    std::exclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin(), T{0});
  }
  return last_of(out);
}

template <class T>
uint64_t parallel_reduction(std::string_view, View in_bytes) {
  const auto in = as<T>(in_bytes);
  return bits_of(std::reduce(std::execution::par_unseq, in.begin(), in.end(), T{0}));
}
#else
constexpr decltype(Baseline::parallel) parallel_saxpy = nullptr;
template <class T>
constexpr decltype(Baseline::parallel) parallel_scan = nullptr;
template <class T>
constexpr decltype(Baseline::parallel) parallel_reduction = nullptr;
#endif

#ifdef _OPENMP
// Each thread has a private copy of the counters; OpenMP adds them up at the end.
uint64_t parallel_histogram(std::string_view, View in) {
  Counts merged{};
  uint32_t* counts = merged.data();
  const auto bytes = as<unsigned char>(in);
#pragma omp parallel for reduction(+ : counts[:256])
  for (size_t i = 0; i < bytes.size(); ++i) ++counts[bytes[i]];
  return merged[0];
}
#else
constexpr decltype(Baseline::parallel) parallel_histogram = nullptr;
#endif

}  // namespace

const Baseline kSaxpyBaseline{serial_saxpy, parallel_saxpy, later("std::transform, par_unseq (TBB)")};
const Baseline kHistogramBaseline{serial_histogram, parallel_histogram,
                                  later("OpenMP, an array of counters for each thread")};

template <class T>
const Baseline& scan_baseline() {
  static const Baseline kBaseline{serial_scan<Wraps<T>>, parallel_scan<Wraps<T>>,
                                  later("std::inclusive_scan or exclusive_scan, par_unseq (TBB)")};
  return kBaseline;
}
template const Baseline& scan_baseline<float>();
template const Baseline& scan_baseline<int32_t>();
template const Baseline& scan_baseline<int64_t>();

template <class T>
const Baseline& reduction_baseline() {
  static const Baseline kBaseline{serial_reduction<Wraps<T>>, parallel_reduction<Wraps<T>>,
                                  later("std::reduce, par_unseq (TBB)")};
  return kBaseline;
}
template const Baseline& reduction_baseline<float>();
template const Baseline& reduction_baseline<int32_t>();
template const Baseline& reduction_baseline<int64_t>();

}  // namespace warpladder
