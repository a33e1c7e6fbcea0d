// contract "select" as the runner calls it: the count lies behind out, with some place between them.
#include "common/contracts/select.h"

#include "common/runner/adapter.h"

#pragma GCC diagnostic ignored "-Waddress"  // a weak function may be null
__attribute__((weak)) decltype(select_positive) select_positive;

namespace warpladder {
namespace {

constexpr size_t kBetween = 63;  // ints

void call_select(Arguments& a) {
  auto* out = static_cast<int*>(a.out);
  select_positive(static_cast<const int*>(a.in), static_cast<int>(a.n), out, out + a.n + kBetween);
}

const EntryPoint kEntryPoints[] = {{"select_positive", select_positive != nullptr, call_select}};

}  // namespace

std::span<const EntryPoint> entry_points() { return kEntryPoints; }

}  // namespace warpladder
