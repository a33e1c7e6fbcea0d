// contract "saxpy" as the runner calls it: y follows x in one array.
#include "common/contracts/saxpy.h"

#include <bit>

#include "common/runner/adapter.h"

#pragma GCC diagnostic ignored "-Waddress"  // a weak function may be null
__attribute__((weak)) decltype(saxpy) saxpy;

namespace warpladder {
namespace {

// The value is the bits of the float that the function returns.
void call_saxpy(Arguments& a) {
  const auto* x = static_cast<const float*>(a.in);
  const float ms = saxpy(x, x + a.n, static_cast<int>(a.n), kSaxpyA, static_cast<float*>(a.out));
  a.value = std::bit_cast<int32_t>(ms);
}

const EntryPoint kEntryPoints[] = {{"saxpy", saxpy != nullptr, call_saxpy}};

}  // namespace

std::span<const EntryPoint> entry_points() { return kEntryPoints; }

}  // namespace warpladder
