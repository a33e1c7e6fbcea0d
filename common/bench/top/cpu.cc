// cpu OUT.csv tiny|quick|whole: the same tasks by the parallel library of a CPU programmer, on all cores. The columns
// are those of bench.cu; the arrays were touched before, so that no page has to be made while the clock runs.
#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <execution>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace {

FILE* csv = nullptr;

template <class Work>
void time(const char* family, const char* type, const char* input, size_t n, double bytes, const std::string& what,
          Work work, const std::function<bool()>& right) {
  constexpr size_t kRounds = 11;
  std::vector<double> ms;
  work();
  for (size_t round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(ms.begin(), ms.end());
  std::fprintf(csv, "%s,%s,%s,%zu,\"%s, %d threads\",host,none,%zu,%.5f,%.5f,%.5f,%.5f,%.5f,%.0f,%s\n", family, type,
               input, n, what.c_str(), omp_get_max_threads(), kRounds, ms.front(), ms[kRounds / 4], ms[kRounds / 2],
               ms[kRounds * 3 / 4], ms.back(), bytes / ms[kRounds / 2] / 1e6, right() ? "yes" : "NO");
}

uint32_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  return static_cast<uint32_t>((x ^ x >> 27) * 0x94d049bb133111ebu >> 31);
}

// Unsigned, so that sums wrap as on the card.
void sums(size_t n) {
  std::vector<uint32_t> in(n), out(n);
  for (size_t i = 0; i < n; ++i) in[i] = mixed(i);
  const uint32_t all = std::accumulate(in.begin(), in.end(), 0u);
  uint32_t sum = 0;
  time(
      "reduce", "i32", "random", n, 4.0 * n, "std::reduce (TBB)",
      [&] { sum = std::reduce(std::execution::par_unseq, in.begin(), in.end(), 0u); }, [&] { return sum == all; });
  time(
      "scan", "i32", "random", n, 8.0 * n, "std::inclusive_scan (TBB)",
      [&] { std::inclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin()); },
      [&] { return out.back() == all; });
}

void applications(size_t n) {
  std::vector<int32_t> in(n), kept(n);
  for (size_t i = 0; i < n; ++i) in[i] = static_cast<int32_t>(mixed(i));
  const auto is_selected = [](int32_t x) { return x > 0; };
  const auto selected = std::count_if(in.begin(), in.end(), is_selected);
  auto end = kept.begin();
  time(
      "select", "i32", "random", n, 4.0 * (n + selected), "std::copy_if (TBB)",
      [&] { end = std::copy_if(std::execution::par_unseq, in.begin(), in.end(), kept.begin(), is_selected); },
      [&] { return end - kept.begin() == selected; });
  std::vector<uint32_t> keys(n);
  time(
      "sort", "u32", "random", n, 8.0 * n, "a copy and std::sort (TBB)",
      [&] {
        std::copy(std::execution::par_unseq, in.begin(), in.end(), keys.begin());
        std::sort(std::execution::par_unseq, keys.begin(), keys.end());
      },
      [&] { return std::is_sorted(keys.begin(), keys.end()); });
}

void histogram(const char* input, size_t n) {
  std::vector<unsigned char> bytes(n);
  for (size_t i = 0; i < n; ++i)
    bytes[i] = std::strcmp(input, "uniform") == 0    ? static_cast<unsigned char>(mixed(i))
               : std::strcmp(input, "constant") == 0 ? 42
                                                     : static_cast<unsigned char>(64 + __builtin_clz(mixed(i) | 1));
  std::array<uint32_t, 256> bins{};
  time(
      "histogram", "u8", input, n, static_cast<double>(n), "OpenMP",
      [&] {
        bins.fill(0);
        uint32_t* const counts = bins.data();
#pragma omp parallel for reduction(+ : counts[:256])
        for (size_t i = 0; i < n; ++i) ++counts[bytes[i]];
      },
      [&] { return std::accumulate(bins.begin(), bins.end(), size_t{0}) == n; });
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return std::fprintf(stderr, "usage: cpu OUT.csv tiny|quick|whole\n"), 2;
  csv = std::fopen(arguments[1], "w");
  if (csv == nullptr) return std::perror(arguments[1]), 1;
  std::fprintf(csv, "family,type,input,n,what,launch,flush,rounds,ms_min,ms_q1,ms,ms_q3,ms_max,gb_s,right\n");
  const bool tiny = std::strcmp(arguments[2], "tiny") == 0, whole = std::strcmp(arguments[2], "whole") == 0;
  const int largest = tiny ? 16 : whole ? 28 : 24;
  for (int log = 16; log <= largest; log += 4) sums(size_t{1} << log), applications(size_t{1} << log);
  for (const char* input : {"uniform", "constant", "skewed"}) histogram(input, tiny ? 1000 : size_t{100} << 20);
  return std::fclose(csv);
}
