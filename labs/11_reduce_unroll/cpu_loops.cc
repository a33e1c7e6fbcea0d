// cpu_loops: the sum of 2^24 ints on one core of the CPU, by loops that are not unrolled, unrolled by the compiler, and
// unrolled by hand. Prints how many times as fast as the plain loop each is, and exits with 1 if their sums differ.
//
// Usage: cpu_loops [--check]      --check: short arrays, and no times
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <numeric>
#include <vector>

namespace {

// Keeps a sum in a register and additions in the order written: the compiler may not take several elements at once and
// may not rearrange additions. Without this it may do both with integers. Costs no instruction.
inline unsigned in_order(unsigned sum) {
  asm("" : "+r"(sum));
  return sum;
}

[[gnu::noinline]] unsigned plain(const unsigned* data, size_t n) {
  unsigned sum = 0;
#pragma GCC unroll 1
  for (size_t i = 0; i < n; ++i) sum = in_order(sum + data[i]);
  return sum;
}

[[gnu::noinline]] unsigned by_compiler(const unsigned* data, size_t n) {
  unsigned sum = 0;
#pragma GCC unroll 8
  for (size_t i = 0; i < n; ++i) sum = in_order(sum + data[i]);
  return sum;
}

// By hand, an eighth of the jumps. Every addition still waits for the one before it.
[[gnu::noinline]] unsigned by_hand_one_sum(const unsigned* data, size_t n) {
  unsigned sum = 0;
  size_t i = 0;
#pragma GCC unroll 1
  for (; i + 8 <= n; i += 8) {
    sum = in_order(sum + data[i]);
    sum = in_order(sum + data[i + 1]);
    sum = in_order(sum + data[i + 2]);
    sum = in_order(sum + data[i + 3]);
    sum = in_order(sum + data[i + 4]);
    sum = in_order(sum + data[i + 5]);
    sum = in_order(sum + data[i + 6]);
    sum = in_order(sum + data[i + 7]);
  }
  for (; i < n; ++i) sum = in_order(sum + data[i]);  // n need not be a multiple of 8
  return sum;
}

// By hand, and eight sums that do not wait for each other.
[[gnu::noinline]] unsigned by_hand_eight_sums(const unsigned* data, size_t n) {
  unsigned a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
  size_t i = 0;
#pragma GCC unroll 1
  for (; i + 8 <= n; i += 8) {
    a = in_order(a + data[i]);
    b = in_order(b + data[i + 1]);
    c = in_order(c + data[i + 2]);
    d = in_order(d + data[i + 3]);
    e = in_order(e + data[i + 4]);
    f = in_order(f + data[i + 5]);
    g = in_order(g + data[i + 6]);
    h = in_order(h + data[i + 7]);
  }
  for (; i < n; ++i) a = in_order(a + data[i]);
  return a + b + c + d + e + f + g + h;
}

// The plain loop as -O3 compiles it if we let it: with vectors.
[[gnu::noinline]] unsigned vectors(const unsigned* data, size_t n) {
  unsigned sum = 0;
#pragma GCC unroll 1
  for (size_t i = 0; i < n; ++i) sum += data[i];
  return sum;
}

[[gnu::noinline]] unsigned vectors_by_compiler(const unsigned* data, size_t n) {
  unsigned sum = 0;
#pragma GCC unroll 8
  for (size_t i = 0; i < n; ++i) sum += data[i];
  return sum;
}

struct Loop {
  const char* name;
  unsigned (*sum)(const unsigned* data, size_t n);
};
constexpr Loop kLoops[] = {
    {"plain loop, one element at a time", plain},          {"  unrolled by 8 by the compiler", by_compiler},
    {"  unrolled by 8 by hand, one sum", by_hand_one_sum}, {"  unrolled by 8 by hand, eight sums", by_hand_eight_sums},
    {"plain loop, vectors by the compiler", vectors},      {"  unrolled by 8 by the compiler", vectors_by_compiler}};
constexpr size_t kCount = std::size(kLoops);

// All loops over all of data; false if one gives another sum.
bool sums_agree(const std::vector<unsigned>& data, size_t n) {
  const unsigned expected = std::accumulate(data.begin(), data.begin() + n, 0u);
  bool agree = true;
  for (const Loop& loop : kLoops) {
    const unsigned sum = loop.sum(data.data(), n);
    if (sum == expected) continue;
    std::fprintf(stderr, "%s, %zu elements: %u, must be %u\n", loop.name, n, sum, expected);
    agree = false;
  }
  return agree;
}

// ms of processor time for `passes` passes over n elements; other programs disturb it less than wall time.
double time_of(const Loop& loop, const unsigned* data, size_t n, size_t passes) {
  volatile unsigned sink = 0;
  const std::clock_t start = std::clock();
  for (size_t pass = 0; pass < passes; ++pass) sink = loop.sum(data, n);
  const std::clock_t ticks = std::clock() - start;
  static_cast<void>(sink);
  return 1e3 * static_cast<double>(ticks) / CLOCKS_PER_SEC;
}

// The lower quartile, the median and the upper quartile of the measurements.
struct Spread {
  double low, median, high;
};

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t last = values.size() - 1;
  return {values[last / 4], values[last / 2], values[last * 3 / 4]};
}

// Each round runs every loop once, so that a disturbance of the machine hits all loops; ratios are within a round.
void measure(const std::vector<unsigned>& data, size_t n, size_t passes, int rounds) {
  std::vector<double> ms[kCount], speedup[kCount];
  for (int round = 0; round < rounds; ++round) {
    double time[kCount];
    for (size_t k = 0; k < kCount; ++k) time[k] = time_of(kLoops[k], data.data(), n, passes);
    for (size_t k = 0; k < kCount; ++k) {
      ms[k].push_back(time[k]);
      speedup[k].push_back(time[0] / time[k]);
    }
  }
  std::printf("\n%zu ints, passes: %zu. Medians of %d rounds; in brackets, the middle half of them\n", n, passes,
              rounds);
  for (size_t k = 0; k < kCount; ++k) {
    const Spread ratio = spread_of(speedup[k]);
    std::printf("  %-38s %7.2f ms   %5.2f times as fast (%.2f to %.2f)\n", kLoops[k].name, spread_of(ms[k]).median,
                ratio.median, ratio.low, ratio.high);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 2 && std::strcmp(argv[1], "--check") == 0;
  if (argc > 1 && !check) {
    std::fprintf(stderr, "usage: %s [--check]\n", argv[0]);
    return 2;
  }
  const size_t n = check ? 1003 : size_t{1} << 24;
  std::vector<unsigned> data(n);
  for (size_t i = 0; i < n; ++i) data[i] = static_cast<unsigned>(i) * 2654435761u;

  bool agree = true;
  for (const size_t length : {size_t{0}, size_t{1}, size_t{7}, size_t{8}, size_t{9}, n}) {
    agree &= sums_agree(data, length);
  }
  if (!agree) return 1;
  std::printf("All sums agree. Compiler: %s\n", __VERSION__);
  if (check) return 0;

  constexpr int kRounds = 51;
  constexpr size_t kInCache = 4096;  // 16 KiB, half of a small L1 cache
  measure(data, n, 1, kRounds);
  measure(data, kInCache, n / kInCache, kRounds);
  return 0;
}
