// contract "scan" as the runner calls it.
#include "common/contracts/scan.h"

#include "common/runner/adapter.h"

#pragma GCC diagnostic ignored "-Waddress"  // weak functions may be null
__attribute__((weak)) decltype(scan_inclusive_cpu) scan_inclusive_cpu;
__attribute__((weak)) decltype(scan_exclusive_cpu) scan_exclusive_cpu;
__attribute__((weak)) decltype(scan_inclusive) scan_inclusive;
__attribute__((weak)) decltype(scan_exclusive) scan_exclusive;
__attribute__((weak)) decltype(scan_inclusive_int) scan_inclusive_int;
__attribute__((weak)) decltype(scan_inclusive_long) scan_inclusive_long;
__attribute__((weak)) decltype(scan_exclusive_opencl) scan_exclusive_opencl;

namespace warpladder {
namespace {

template <auto scan, class T = float>
void call(Arguments& a) {
  scan(static_cast<const T*>(a.in), static_cast<int>(a.n), static_cast<T*>(a.out));
}

const EntryPoint kEntryPoints[] = {
    {"scan_inclusive_cpu", scan_inclusive_cpu != nullptr, call<scan_inclusive_cpu>},
    {"scan_exclusive_cpu", scan_exclusive_cpu != nullptr, call<scan_exclusive_cpu>},
    {"scan_inclusive", scan_inclusive != nullptr, call<scan_inclusive>},
    {"scan_exclusive", scan_exclusive != nullptr, call<scan_exclusive>},
    {"scan_inclusive_int", scan_inclusive_int != nullptr, call<scan_inclusive_int, int>},
    {"scan_inclusive_long", scan_inclusive_long != nullptr, call<scan_inclusive_long, long long>},
    {"scan_exclusive_opencl", scan_exclusive_opencl != nullptr, call<scan_exclusive_opencl>},
};

}  // namespace

std::span<const EntryPoint> entry_points() { return kEntryPoints; }

}  // namespace warpladder
