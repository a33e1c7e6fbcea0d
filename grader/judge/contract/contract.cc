#include "grader/judge/contract/contract.h"

#include <vector>

#include "grader/judge/base/random.h"
#include "grader/judge/contract/inputs.h"
#include "grader/judge/contract/oracle.h"

namespace warpladder {
namespace {

constexpr EntryInfo kSaxpyEntries[] = {
    {"saxpy", "float saxpy(const float* x, const float* y, int n, float a, float* out)", true},
};

constexpr EntryInfo kScanEntries[] = {
    {"scan_inclusive_cpu", "void scan_inclusive_cpu(const float* in, int n, float* out)", true},
    {"scan_exclusive_cpu", "void scan_exclusive_cpu(const float* in, int n, float* out)", true},
    {"scan_inclusive", "void scan_inclusive(const float* in, int n, float* out)", false},
    {"scan_exclusive", "void scan_exclusive(const float* in, int n, float* out)", false},
    {"scan_exclusive_opencl", "void scan_exclusive_opencl(const float* in, int n, float* out)", true},
};

constexpr EntryInfo kReductionEntries[] = {
    {"reduce_sum", "int reduce_sum(int* data, int n)", false},
    {"reduce_sum_block", "int reduce_sum_block(int* data, int n, int block)", false, true},
};

constexpr EntryInfo kHistogramEntries[] = {
    {"histogram", "void histogram(const unsigned char* data, size_t bytes, unsigned int* bins)", false},
    {"histogram_block", "void histogram_block(const unsigned char* data, size_t bytes, unsigned int* bins, int block)",
     false, true},
};

// x and then y, so that an element is a pair.
Bytes make_saxpy(std::string_view kind, size_t n, uint64_t seed) {
  std::vector<float> in = make_floats(kind, n, seed);
  const std::vector<float> y = make_floats(kind, n, seed_of(seed, "y"));
  in.insert(in.end(), y.begin(), y.end());
  return to_bytes(in);
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
