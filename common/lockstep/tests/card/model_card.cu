// model_card [launch]: measures the single costs of the cost model (report/cost_model.h) on a card, each by a kernel
// that does nothing else. Prints lines of what,x,value,unit; medians of 7 runs. With `launch` it only launches empty
// kernels; model_on_card.py times them under Nsight Compute as it times the labs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "common/check.h"

constexpr int kRuns = 7;
constexpr int kLine = 128;  // bytes

template <class Run>
double median(Run run) {
  std::vector<double> values;
  for (int i = 0; i < kRuns; ++i) values.push_back(run());
  std::nth_element(values.begin(), values.begin() + kRuns / 2, values.end());
  return values[kRuns / 2];
}

// Milliseconds that the work of launch() takes in the stream, measured by events.
template <class Launch>
double milliseconds(Launch launch) {
  cudaEvent_t start = nullptr, stop = nullptr;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaEventRecord(start));
  launch();
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(stop));
  CUDA_CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  return ms;
}

void print(const char* what, double x, double value, const char* unit) {
  std::printf("%s,%.0f,%.4f,%s\n", what, x, value, unit);
  std::fflush(stdout);
}

template <class T>
struct Array {
  explicit Array(size_t count) { CUDA_CHECK(cudaMalloc(&data, count * sizeof(T))); }
  ~Array() { cudaFree(data); }
  T* data = nullptr;
};

__global__ void empty() {}

// ---- latencies: one thread follows a chain of lines ----

// Line i holds the number of the next line: one cycle through all lines (a full-period generator) defeats prefetchers.
__global__ void tie(uint32_t* words, uint32_t lines) {
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x)
    words[size_t{i} * (kLine / 4)] = (i * 1664525u + 1013904223u) % lines;
}

template <bool kThroughL1>
__global__ void chase(const uint32_t* words, uint32_t from, int steps, long long* cycles, uint32_t* end) {
  uint32_t line = from;
  const long long begin = clock64();
  for (int i = 0; i < steps; ++i) {
    const uint32_t* at = words + size_t{line} * (kLine / 4);
    line = kThroughL1 ? __ldca(at) : __ldcg(at);
  }
  *cycles = clock64() - begin;
  *end = line;
}

__global__ void chase_shared(int steps, long long* cycles, uint32_t* end) {
  __shared__ uint32_t s_next[1024];
  for (uint32_t i = 0; i < 1024; ++i) s_next[i] = (i * 5 + 1) % 1024;
  uint32_t at = 0;
  const long long begin = clock64();
  for (int i = 0; i < steps; ++i) at = s_next[at];
  *cycles = clock64() - begin;
  *end = at;
}

void latencies() {
  Array<long long> cycles(1);
  Array<uint32_t> end(1);
  const auto each = [&](int steps) {
    long long total = 0;
    CUDA_CHECK(cudaMemcpy(&total, cycles.data, sizeof total, cudaMemcpyDeviceToHost));
    return static_cast<double>(total) / steps;
  };
  constexpr int kSteps = 20000;
  for (int kib = 16; kib <= 4 << 20; kib *= 4) {
    const uint32_t lines = static_cast<uint32_t>(kib) * (1024 / kLine);
    Array<uint32_t> words(size_t{lines} * (kLine / 4));
    tie<<<1024, 256>>>(words.data, lines);
    CUDA_CHECK(cudaGetLastError());
    const auto run = [&](auto kernel) {
      kernel<<<1, 1>>>(words.data, 0, kSteps, cycles.data, end.data);  // now the caches are full
      return median([&] {
        kernel<<<1, 1>>>(words.data, 0, kSteps, cycles.data, end.data);
        CUDA_CHECK(cudaGetLastError());
        return each(kSteps);
      });
    };
    if (kib <= 64) print("latency_through_l1_by_kib", kib, run(chase<true>), "cycles");
    print("latency_past_l1_by_kib", kib, run(chase<false>), "cycles");
    // Lines that were not touched since they were linked, far more than L2 holds. Each run begins at another line.
    if (kib > 512 << 10) {
      uint32_t from = 0;
      const double ms = median([&] {
        from += 7919 * kSteps;
        chase<false><<<1, 1>>>(words.data, from % lines, kSteps, cycles.data, end.data);
        CUDA_CHECK(cudaGetLastError());
        return each(kSteps);
      });
      print("latency_of_memory_by_kib", kib, ms, "cycles");
    }
  }
  const double shared = median([&] {
    chase_shared<<<1, 1>>>(kSteps, cycles.data, end.data);
    CUDA_CHECK(cudaGetLastError());
    return each(kSteps);
  });
  print("latency_shared", 0, shared, "cycles");
}

// ---- latency under load: as lab 16 reads, one byte for each lane, one load after the other ----

__global__ void read_bytes(const uint8_t* data, size_t bytes, uint32_t* out) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
  size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  uint32_t sum = 0;
  while (i < bytes) {
    const uint32_t byte = __ldcg(data + i);
    sum += byte;
    i += stride + (byte >> 7);  // 0, but known only when the byte has arrived
  }
  if (sum == 0xffffffff) *out = sum;
}

// ---- barriers ----

__global__ void barriers(int count, long long* cycles) {
  __syncthreads();
  const long long begin = clock64();
  for (int i = 0; i < count; ++i) __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = clock64() - begin;
}

// ---- atomics ----

// Each thread adds to random words: word w of K is at w * stride words.
__global__ void add_at_random(uint32_t* words, uint32_t count, uint32_t stride, int each) {
  uint32_t x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345;
  for (int i = 0; i < each; ++i) {
    x = x * 1664525u + 1013904223u;
    atomicAdd(words + size_t{(x >> 8) % count} * stride, 1u);
  }
}

// Neighbouring lanes use neighbouring words: a request is one line.
__global__ void add_in_rows(uint32_t* words, uint32_t count, int each) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < each; ++i) atomicAdd(words + (thread + i * 32 * 1031) % count, 1u);
}

void atomics(int multiprocessors) {
  constexpr int kEach = 64;
  const int blocks = multiprocessors * 8;
  const double total = double{kEach} * blocks * 256;
  const size_t largest = size_t{1} << 24;
  Array<uint32_t> words(largest);
  CUDA_CHECK(cudaMemset(words.data, 0, largest * 4));
  const auto ns = [&](auto launch) { return median([&] { return milliseconds(launch); }) * 1e6 / total; };
  for (uint32_t k = 1; k <= largest; k *= 2) {
    print("atomics_at_random_by_words", k, ns([&] { add_at_random<<<blocks, 256>>>(words.data, k, 1, kEach); }),
          "ns each");
    if (k >= 32)
      print("atomics_in_rows_by_words", k, ns([&] { add_in_rows<<<blocks, 256>>>(words.data, k, kEach); }), "ns each");
  }
  for (uint32_t bytes = 4; bytes <= 1 << 20; bytes *= 2)  // eight words, at this distance
    print("atomics_at_8_words_by_distance", bytes,
          ns([&] { add_at_random<<<blocks, 256>>>(words.data, 8, bytes / 4, kEach); }), "ns each");
}

// ---- bandwidths ----

__global__ void read_again(const uint4* data, size_t vectors, int times, uint32_t* out) {
  uint32_t sum = 0;
  for (int t = 0; t < times; ++t) {
#pragma unroll 8
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors; i += size_t{gridDim.x} * blockDim.x) {
      const uint4 v = __ldcg(data + i);
      sum += v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  if (sum == 0xffffffff) *out = sum;
}

void bandwidths(int multiprocessors) {
  const size_t bytes = size_t{2} << 30;
  Array<uint8_t> data(bytes);
  Array<uint32_t> out(1);
  CUDA_CHECK(cudaMemset(data.data, 0, bytes));
  const uint4* vectors = reinterpret_cast<const uint4*>(data.data);
  const auto gb_s = [&](int blocks, size_t size, int times) {
    const double ms = median(
        [&] { return milliseconds([&] { read_again<<<blocks, 1024>>>(vectors, size / 16, times, out.data); }); });
    return static_cast<double>(size) * times / ms / 1e6;
  };
  for (size_t mib = 2; mib <= 32; mib *= 2)
    print("read_of_l2_by_mib", static_cast<double>(mib), gb_s(2 * multiprocessors, mib << 20, 200), "GB/s");
  print("read_of_l2_by_one_multiprocessor", 2, gb_s(1, 2 << 20, 50), "GB/s");
  print("read_of_memory_by_mib", 2048, gb_s(2 * multiprocessors, bytes, 1), "GB/s");
  const size_t loaded = size_t{512} << 20;
  for (int warps = 4; warps <= 64; warps *= 2) {  // of a multiprocessor
    const int blocks = multiprocessors * std::max(1, warps / 8), threads = 32 * std::min(8, warps);
    const double ms =
        median([&] { return milliseconds([&] { read_bytes<<<blocks, threads>>>(data.data, loaded, out.data); }); });
    const double steps = static_cast<double>(loaded) / blocks / threads;
    print("dependent_reads_of_memory_by_warps", warps, ms * 1e6 / steps, "ns a step");
  }
}

// ---- the clock, while all multiprocessors work ----

__global__ void spin(long long until, long long* cycles, long long* ns) {
  long long begin = 0, end = 0;
  const long long first = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  while (clock64() - first < until) {}
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
  if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = clock64() - first, *ns = end - begin;
}

void measure_clock(int multiprocessors) {
  Array<long long> cycles(1), ns(1);
  const double ghz = median([&] {
    spin<<<multiprocessors, 256>>>(20'000'000, cycles.data, ns.data);
    CUDA_CHECK(cudaGetLastError());
    long long c = 0, t = 0;
    CUDA_CHECK(cudaMemcpy(&c, cycles.data, sizeof c, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&t, ns.data, sizeof t, cudaMemcpyDeviceToHost));
    return static_cast<double>(c) / static_cast<double>(t);
  });
  print("clock", 0, ghz, "GHz");
}

void measure_barriers(int multiprocessors) {
  Array<long long> cycles(1);
  constexpr int kCount = 1000;
  for (int blocks = 1; blocks <= 2; ++blocks) {
    for (int threads = 32; threads <= 1024; threads *= 2) {
      const double each = median([&] {
        barriers<<<multiprocessors * blocks, threads>>>(kCount, cycles.data);
        CUDA_CHECK(cudaGetLastError());
        long long total = 0;
        CUDA_CHECK(cudaMemcpy(&total, cycles.data, sizeof total, cudaMemcpyDeviceToHost));
        return static_cast<double>(total) / kCount;
      });
      print(blocks == 1 ? "barrier_by_threads" : "barrier_of_two_blocks_by_threads", threads, each, "cycles");
    }
  }
}

int main(int count, char** arguments) {
  int multiprocessors = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  if (count == 2 && std::string(arguments[1]) == "launch") {
    for (int i = 0; i < kRuns; ++i) {  // in the order of LAUNCHES in model_on_card.py
      empty<<<1, 32>>>();
      empty<<<multiprocessors, 1024>>>();
      empty<<<4096, 1024>>>();
      empty<<<16384, 1024>>>();
      empty<<<16384, 256>>>();
    }
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    return 0;
  }
  if (count != 1) return std::fprintf(stderr, "usage: model_card [launch]\n"), 2;
  measure_clock(multiprocessors);
  latencies();
  measure_barriers(multiprocessors);
  atomics(multiprocessors);
  bandwidths(multiprocessors);
}
