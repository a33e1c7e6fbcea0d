// contract "reduction" as the runner calls it.
#include "common/contracts/reduction.h"

#include <bit>

#include "common/runner/adapter.h"

#pragma GCC diagnostic ignored "-Waddress"  // weak functions may be null
__attribute__((weak)) decltype(reduce_sum) reduce_sum;
__attribute__((weak)) decltype(reduce_sum_block) reduce_sum_block;
__attribute__((weak)) decltype(reduce_sum_float) reduce_sum_float;
__attribute__((weak)) decltype(reduce_sum_long) reduce_sum_long;

namespace warpladder {
namespace {

void call_reduce_sum(Arguments& a) { a.value = reduce_sum(static_cast<int*>(a.in), static_cast<int>(a.n)); }

void call_reduce_sum_block(Arguments& a) {
  a.value = reduce_sum_block(static_cast<int*>(a.in), static_cast<int>(a.n), a.block);
}

// The judge gets the bits of a float.
void call_reduce_sum_float(Arguments& a) {
  a.value = std::bit_cast<int32_t>(reduce_sum_float(static_cast<const float*>(a.in), static_cast<int>(a.n)));
}

void call_reduce_sum_long(Arguments& a) {
  a.value = reduce_sum_long(static_cast<const long long*>(a.in), static_cast<int>(a.n));
}

const EntryPoint kEntryPoints[] = {
    {"reduce_sum", reduce_sum != nullptr, call_reduce_sum},
    {"reduce_sum_block", reduce_sum_block != nullptr, call_reduce_sum_block},
    {"reduce_sum_float", reduce_sum_float != nullptr, call_reduce_sum_float},
    {"reduce_sum_long", reduce_sum_long != nullptr, call_reduce_sum_long},
};

}  // namespace

std::span<const EntryPoint> entry_points() { return kEntryPoints; }

}  // namespace warpladder
