// contract "histogram" as the runner calls it.
#include "common/contracts/histogram.h"

#include "common/runner/adapter.h"

#pragma GCC diagnostic ignored "-Waddress"  // weak functions may be null
__attribute__((weak)) decltype(histogram) histogram;
__attribute__((weak)) decltype(histogram_block) histogram_block;

namespace warpladder {
namespace {

void call_histogram(Arguments& a) {
  histogram(static_cast<const unsigned char*>(a.in), a.n, static_cast<unsigned int*>(a.out));
}

void call_histogram_block(Arguments& a) {
  histogram_block(static_cast<const unsigned char*>(a.in), a.n, static_cast<unsigned int*>(a.out), a.block);
}

const EntryPoint kEntryPoints[] = {
    {"histogram", histogram != nullptr, call_histogram},
    {"histogram_block", histogram_block != nullptr, call_histogram_block},
};

}  // namespace

std::span<const EntryPoint> entry_points() { return kEntryPoints; }

}  // namespace warpladder
