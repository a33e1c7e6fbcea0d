// contract "reduction" as the runner calls it.
#include "common/contracts/reduction.h"

#include "common/runner/adapter.h"

#pragma GCC diagnostic ignored "-Waddress"  // weak functions may be null
__attribute__((weak)) decltype(reduce_sum) reduce_sum;
__attribute__((weak)) decltype(reduce_sum_block) reduce_sum_block;

namespace warpladder {
namespace {

void call_reduce_sum(Arguments& a) { a.value = reduce_sum(static_cast<int*>(a.in), static_cast<int>(a.n)); }

void call_reduce_sum_block(Arguments& a) {
  a.value = reduce_sum_block(static_cast<int*>(a.in), static_cast<int>(a.n), a.block);
}

const EntryPoint kEntryPoints[] = {
    {"reduce_sum", reduce_sum != nullptr, call_reduce_sum},
    {"reduce_sum_block", reduce_sum_block != nullptr, call_reduce_sum_block},
};

}  // namespace

std::span<const EntryPoint> entry_points() { return kEntryPoints; }

}  // namespace warpladder
