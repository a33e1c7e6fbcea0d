#include "grader/judge/contract.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <vector>

#include "grader/judge/makers.h"
#include "grader/judge/oracle.h"
#include "grader/judge/random.h"
#include "grader/judge/text.h"
#include "grader/judge/tolerance.h"

namespace warpladder {
namespace {

constexpr int kDigits = 9;  // tell any two floats apart
constexpr uint32_t kPoisonWord = 0xFFFFFFFFu;
constexpr const char* kNeverWritten = "nothing (never written)";

// saxpy: the input is x and then y, so that an element is a pair

constexpr EntryInfo kSaxpyEntries[] = {
    {"saxpy", "float saxpy(const float* x, const float* y, int n, float a, float* out)", true},
};

Bytes make_saxpy(std::string_view kind, size_t n, uint64_t seed) {
  std::vector<float> in = make_floats(kind, n, seed);
  const std::vector<float> y = make_floats(kind, n, seed_of(seed, "y"));
  in.insert(in.end(), y.begin(), y.end());
  return to_bytes(in);
}

bool is_float(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

std::optional<Mismatch> check_saxpy(std::string_view, View in_bytes, const Answer& answer) {
  const auto in = as<float>(in_bytes);
  const std::vector<double> want = saxpy_oracle(in, kSaxpyA);
  std::optional<Mismatch> first;
  for (size_t i = 0; i < want.size(); ++i) {
    const double product = static_cast<double>(kSaxpyA) * static_cast<double>(in[i]);
    const double magnitude = std::fabs(product) + std::fabs(static_cast<double>(in[want.size() + i]));
    const bool exact = is_float(product) && is_float(want[i]);
    const auto got = element<float>(answer.out, i);
    if (within(got, want[i], exact ? 0 : rounding_bound(2, magnitude))) continue;
    if (first) {
      ++first->wrong;
      continue;
    }
    first =
        Mismatch{"out[" + std::to_string(i) + "]",
                 std::bit_cast<uint32_t>(got) == kPoisonWord ? kNeverWritten : number(got, kDigits),
                 number(want[i], kDigits),
                 exact ? "0: on this input both operations are exact"
                       : number(rounding_bound(2, magnitude), kDigits) +
                             ": a product and a sum, each rounded to 2^-24 of at most " + number(magnitude, kDigits),
                 1,
                 want.size()};
  }
  // How long it took decides nothing; but a kernel takes some time, which is a number.
  const auto ms = std::bit_cast<float>(static_cast<int32_t>(answer.value));
  const bool is_time = std::isfinite(ms) && (want.empty() ? ms == 0 : ms > 0);
  if (!first && !is_time)
    first =
        Mismatch{"the returned milliseconds", number(ms, kDigits), want.empty() ? "0" : "a number above 0", "", 1, 1};
  return first;
}

// scan

constexpr EntryInfo kScanEntries[] = {
    {"scan_inclusive_cpu", "void scan_inclusive_cpu(const float* in, int n, float* out)", true},
    {"scan_exclusive_cpu", "void scan_exclusive_cpu(const float* in, int n, float* out)", true},
    {"scan_inclusive", "void scan_inclusive(const float* in, int n, float* out)", false},
    {"scan_exclusive", "void scan_exclusive(const float* in, int n, float* out)", false},
    {"scan_exclusive_opencl", "void scan_exclusive_opencl(const float* in, int n, float* out)", true},
};

bool is_inclusive(std::string_view entry) { return entry.starts_with("scan_inclusive"); }

std::optional<Mismatch> check_scan(std::string_view entry, View in_bytes, const Answer& answer) {
  const auto in = as<float>(in_bytes);
  const std::vector<double> want = scan_oracle(in, is_inclusive(entry));
  const bool exact = sums_exactly(in);
  std::optional<Mismatch> first;
  double magnitude = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    magnitude += std::fabs(static_cast<double>(in[i]));
    const double tolerance = exact ? 0 : rounding_bound(i, magnitude);
    const float got = element<float>(answer.out, i);
    if (within(got, want[i], tolerance)) continue;
    if (first) {
      ++first->wrong;
      continue;
    }
    const bool poison = std::bit_cast<uint32_t>(got) == kPoisonWord;
    first = Mismatch{"out[" + std::to_string(i) + "]",
                     poison ? kNeverWritten : number(got, kDigits),
                     number(want[i], kDigits),
                     exact ? "0: on this input float addition is exact in every order"
                           : number(tolerance, kDigits) + ": at most " + std::to_string(i) +
                                 " additions, each rounded to 2^-24 of " + number(magnitude, kDigits),
                     1,
                     want.size()};
  }
  return first;
}

// reduction

constexpr EntryInfo kReductionEntries[] = {
    {"reduce_sum", "int reduce_sum(int* data, int n)", false},
    {"reduce_sum_block", "int reduce_sum_block(int* data, int n, int block)", false, true},
};

std::optional<Mismatch> check_reduction(std::string_view, View in, const Answer& answer) {
  const int32_t want = sum_oracle(as<int32_t>(in));
  if (answer.value == want) return std::nullopt;
  return Mismatch{"the returned sum", std::to_string(answer.value), std::to_string(want), "", 1, 1};
}

// histogram

constexpr size_t kBins = 256;
constexpr EntryInfo kHistogramEntries[] = {
    {"histogram", "void histogram(const unsigned char* data, size_t bytes, unsigned int* bins)", false},
    {"histogram_block", "void histogram_block(const unsigned char* data, size_t bytes, unsigned int* bins, int block)",
     false, true},
};

std::optional<Mismatch> check_histogram(std::string_view, View in, const Answer& answer) {
  const std::array<uint64_t, kBins> want = histogram_oracle(in);
  std::optional<Mismatch> first;
  for (size_t bin = 0; bin < kBins; ++bin) {
    const auto got = element<uint32_t>(answer.out, bin);
    if (got == want[bin]) continue;
    if (first) {
      ++first->wrong;
      continue;
    }
    first = Mismatch{"bins[" + std::to_string(bin) + "]",
                     got == kPoisonWord ? kNeverWritten : std::to_string(got),
                     std::to_string(want[bin]),
                     "",
                     1,
                     kBins};
  }
  return first;
}

const Contract kContracts[] = {
    {"saxpy", "pairs of floats", 2 * sizeof(float), true, kSaxpyEntries, kFloatKinds,
     [](size_t n) { return n * sizeof(float); }, make_saxpy, check_saxpy, kSaxpyBaseline},
    {"scan", "floats", sizeof(float), true, kScanEntries, kFloatKinds, [](size_t n) { return n * sizeof(float); },
     [](std::string_view kind, size_t n, uint64_t seed) { return to_bytes(make_floats(kind, n, seed)); }, check_scan,
     kScanBaseline},
    {"reduction", "ints", sizeof(int32_t), false, kReductionEntries, kIntKinds, [](size_t) { return size_t{0}; },
     [](std::string_view kind, size_t n, uint64_t seed) { return to_bytes(make_ints(kind, n, seed)); }, check_reduction,
     kReductionBaseline},
    {"histogram", "bytes", 1, true, kHistogramEntries, kByteKinds, [](size_t) { return kBins * sizeof(uint32_t); },
     make_raw_bytes, check_histogram, kHistogramBaseline},
};

}  // namespace

const EntryInfo* Contract::find_entry(std::string_view entry) const {
  for (const EntryInfo& candidate : entries) {
    if (candidate.name == entry) return &candidate;
  }
  return nullptr;
}

const Contract* find_contract(std::string_view name) {
  for (const Contract& contract : kContracts) {
    if (contract.name == name) return &contract;
  }
  return nullptr;
}

}  // namespace warpladder
