// contract "sort" as the runner calls it: values follow keys in one array, in the input and in the output.
#include "common/contracts/sort.h"

#include "common/runner/adapter.h"

#pragma GCC diagnostic ignored "-Waddress"  // weak functions may be null
__attribute__((weak)) decltype(sort_by_digit) sort_by_digit;
__attribute__((weak)) decltype(sort_keys) sort_keys;
__attribute__((weak)) decltype(sort_pairs) sort_pairs;

namespace warpladder {
namespace {

template <auto sort>
void call(Arguments& a) {
  sort(static_cast<const unsigned*>(a.in), static_cast<int>(a.n), static_cast<unsigned*>(a.out));
}

void call_pairs(Arguments& a) {
  const auto* keys = static_cast<const unsigned*>(a.in);
  auto* keys_out = static_cast<unsigned*>(a.out);
  sort_pairs(keys, keys + a.n, static_cast<int>(a.n), keys_out, keys_out + a.n);
}

const EntryPoint kEntryPoints[] = {{"sort_by_digit", sort_by_digit != nullptr, call<sort_by_digit>},
                                   {"sort_keys", sort_keys != nullptr, call<sort_keys>},
                                   {"sort_pairs", sort_pairs != nullptr, call_pairs}};

}  // namespace

std::span<const EntryPoint> entry_points() { return kEntryPoints; }

}  // namespace warpladder
