// baseline: the work of a contract done on the host, serial and on every core.
#include "grader/judge/contract/contract.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

#ifdef WARPLADDER_TBB  // without TBB these algorithms are serial, so they are not a parallel baseline
#include <execution>
#endif

#include "grader/judge/contract/oracle.h"

namespace warpladder {
namespace {

// In a saxpy no element depends on another. The asm tells the optimiser that all of `out` is read.
uint64_t first_of(const std::vector<float>& out) {
  asm volatile("" : : "r"(out.data()) : "memory");
  return out.empty() ? 0 : std::bit_cast<uint32_t>(out.front());
}

uint64_t serial_saxpy(std::string_view, View in) { return first_of(saxpy_oracle<float>(as<float>(in), kSaxpyA)); }

uint64_t last_of(const std::vector<float>& out) { return out.empty() ? 0 : std::bit_cast<uint32_t>(out.back()); }

uint64_t serial_scan(std::string_view entry, View in_bytes) {
  const auto in = as<float>(in_bytes);
  std::vector<float> out(in.size());
  float sum = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const float before = sum;
    sum += in[i];
    out[i] = is_inclusive(entry) ? sum : before;
  }
  return last_of(out);
}

uint64_t serial_reduction(std::string_view, View in) {
  uint32_t sum = 0;
  for (const uint32_t value : as<uint32_t>(in)) sum += value;
  return sum;
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

uint64_t parallel_scan(std::string_view entry, View in_bytes) {
  const auto in = as<float>(in_bytes);
  std::vector<float> out(in.size());
  if (is_inclusive(entry)) {
    std::inclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin());
  } else {
    std::exclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin(), 0.0f);
  }
  return last_of(out);
}

uint64_t parallel_reduction(std::string_view, View in_bytes) {
  const auto in = as<uint32_t>(in_bytes);
  return std::reduce(std::execution::par_unseq, in.begin(), in.end(), 0u);
}
#else
constexpr decltype(Baseline::parallel) parallel_saxpy = nullptr, parallel_scan = nullptr, parallel_reduction = nullptr;
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

const Baseline kSaxpyBaseline{serial_saxpy, parallel_saxpy, "std::transform, par_unseq (TBB)"};
const Baseline kScanBaseline{serial_scan, parallel_scan, "std::inclusive_scan or exclusive_scan, par_unseq (TBB)"};
const Baseline kReductionBaseline{serial_reduction, parallel_reduction, "std::reduce, par_unseq (TBB)"};
const Baseline kHistogramBaseline{serial_histogram, parallel_histogram, "OpenMP, an array of counters for each thread"};

}  // namespace warpladder
