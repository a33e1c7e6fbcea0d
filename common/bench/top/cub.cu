// cub: CUB behind plain functions. Compiled once for each CUB that is to be measured, into a library of its own, so
// that two versions can be timed in one process. Each function without a workspace only says how large it has to be.
#include <cstdint>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int top_cub_version() { return CUB_VERSION; }

#define DEFINE(NAME, T)                                                                                               \
  EXPORT int top_reduce_##NAME(void* work, size_t* bytes, const void* in, void* out, int64_t n, cudaStream_t s) {     \
    return cub::DeviceReduce::Sum(work, *bytes, static_cast<const T*>(in), static_cast<T*>(out), static_cast<int>(n), \
                                  s);                                                                                 \
  }                                                                                                                   \
  EXPORT int top_scan_##NAME(void* work, size_t* bytes, const void* in, void* out, int64_t n, cudaStream_t s) {       \
    return cub::DeviceScan::InclusiveSum(work, *bytes, static_cast<const T*>(in), static_cast<T*>(out),               \
                                         static_cast<int>(n), s);                                                     \
  }
DEFINE(i32, int)
DEFINE(f32, float)
DEFINE(i64, long long)

EXPORT int top_histogram_u8(void* work, size_t* bytes, const void* in, void* out, int64_t n, cudaStream_t s) {
  return cub::DeviceHistogram::HistogramEven(work, *bytes, static_cast<const unsigned char*>(in),
                                             static_cast<unsigned*>(out), 257, 0, 256, static_cast<int>(n), s);
}

struct IsPositive {
  __host__ __device__ bool operator()(int x) const { return x > 0; }
};
// The count goes behind the n places of out.
EXPORT int top_select_i32(void* work, size_t* bytes, const void* in, void* out, int64_t n, cudaStream_t s) {
  auto* to = static_cast<int*>(out);
  return cub::DeviceSelect::If(work, *bytes, static_cast<const int*>(in), to, to + n, static_cast<int>(n), IsPositive{},
                               s);
}

EXPORT int top_sort_u32(void* work, size_t* bytes, const void* in, void* out, int64_t n, cudaStream_t s) {
  return cub::DeviceRadixSort::SortKeys(work, *bytes, static_cast<const unsigned*>(in), static_cast<unsigned*>(out),
                                        static_cast<int>(n), 0, 32, s);
}
// Values follow keys, in both arrays.
EXPORT int top_sort_pairs_u32(void* work, size_t* bytes, const void* in, void* out, int64_t n, cudaStream_t s) {
  const auto* keys = static_cast<const unsigned*>(in);
  auto* to = static_cast<unsigned*>(out);
  return cub::DeviceRadixSort::SortPairs(work, *bytes, keys, to, keys + n, to + n, static_cast<int>(n), 0, 32, s);
}

// The reduction by atomics, which CUB chooses if the caller lets it off a fixed order. Its public form allocates its
// workspace in the call; this is the form behind it, which gets one like all the others here.
#if CUB_VERSION >= 300500
template <class T>
int reduce_atomic(void* work, size_t& bytes, const void* in, void* out, int64_t n, cudaStream_t s) {
  using Plus = ::cuda::std::plus<>;
  using Offset = cub::detail::choose_offset_t<int>;
  using Policy = cub::detail::reduce::policy_selector_from_types<
      T, Offset, Plus, ::cuda::execution::determinism::__determinism_t::__not_guaranteed>;
  return cub::detail::reduce::dispatch<T, false>(work, bytes, static_cast<const T*>(in), static_cast<T*>(out),
                                                 static_cast<Offset>(n), Plus{}, T{}, s, ::cuda::std::identity{},
                                                 Policy{});
}
EXPORT int top_reduce_atomic_i32(void* work, size_t* bytes, const void* in, void* out, int64_t n, cudaStream_t s) {
  return reduce_atomic<int>(work, *bytes, in, out, n, s);
}
EXPORT int top_reduce_atomic_f32(void* work, size_t* bytes, const void* in, void* out, int64_t n, cudaStream_t s) {
  return reduce_atomic<float>(work, *bytes, in, out, n, s);
}
#endif
