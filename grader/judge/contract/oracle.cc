#include "grader/judge/contract/oracle.h"

namespace warpladder {

bool is_inclusive(std::string_view entry) { return entry.starts_with("scan_inclusive"); }

std::vector<double> saxpy_oracle(std::span<const float> in, float a) {
  std::vector<double> out(in.size() / 2);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<double>(a) * static_cast<double>(in[i]) + static_cast<double>(in[out.size() + i]);
  return out;
}

std::vector<double> scan_oracle(std::span<const float> in, bool inclusive) {
  std::vector<double> out(in.size());
  double sum = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const double before = sum;
    sum += static_cast<double>(in[i]);
    out[i] = inclusive ? sum : before;
  }
  return out;
}

int32_t sum_oracle(std::span<const int32_t> in) {
  uint32_t sum = 0;
  for (const int32_t value : in) sum += static_cast<uint32_t>(value);
  return static_cast<int32_t>(sum);
}

std::array<uint64_t, kBins> histogram_oracle(View in) {
  std::array<uint64_t, kBins> counts{};
  for (const std::byte value : in) ++counts[static_cast<unsigned char>(value)];
  return counts;
}

}  // namespace warpladder
