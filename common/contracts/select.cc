// contract "select" as the runner calls it: the count lies before out, in a place of its own.
#include "common/contracts/select.h"

#include "common/runner/adapter.h"

#pragma GCC diagnostic ignored "-Waddress"  // a weak function may be null
__attribute__((weak)) decltype(select_positive) select_positive;

namespace warpladder {
namespace {

constexpr int kCountPlace = 64;  // ints, so that out is aligned as an array of its own

void call_select(Arguments& a) {
  auto* count = static_cast<int*>(a.out);
  select_positive(static_cast<const int*>(a.in), static_cast<int>(a.n), count + kCountPlace, count);
}

const EntryPoint kEntryPoints[] = {{"select_positive", select_positive != nullptr, call_select}};

}  // namespace

std::span<const EntryPoint> entry_points() { return kEntryPoints; }

}  // namespace warpladder
