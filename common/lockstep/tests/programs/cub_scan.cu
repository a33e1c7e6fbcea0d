// Every algorithm of cub::DeviceScan on every element type; the operator of the general scans does not commute.
#include <cub/device/device_scan.cuh>

#include "algorithms.h"

// The CPU's result: a scan that starts again wherever the key changes. Without keys there is one segment. Only an
// inclusive scan may have no `init`: an exclusive scan needs it as its first value.
template <class T, class Op>
std::vector<T> scanned(const std::vector<T>& values, const std::vector<T>* keys, const T* init, bool inclusive, Op op) {
  std::vector<T> out(values.size());
  T sum{};
  for (size_t i = 0; i < values.size(); ++i) {
    const bool starts = i == 0 || (keys && (*keys)[i] != (*keys)[i - 1]);
    const bool has_sum = !starts || init;
    if (starts && init) sum = *init;
    if (!inclusive) out[i] = sum;
    sum = has_sum ? op(sum, values[i]) : values[i];
    if (inclusive) out[i] = sum;
  }
  return out;
}

template <class T>
void sums(int n) {
  const std::vector<T> host = random_values<T>(n, 5);
  const T zero = from_int<T>(0);
  const std::vector<T> inclusive = scanned(host, (std::vector<T>*)nullptr, &zero, true, std::plus<T>());
  const std::vector<T> exclusive = scanned(host, (std::vector<T>*)nullptr, &zero, false, std::plus<T>());
  const Array<T> in(host), out(n), here(host), there(host);

  run([&](void* s, size_t& bytes) { return cub::DeviceScan::InclusiveSum(s, bytes, in.get(), out.get(), n); });
  check<T>("DeviceScan::InclusiveSum", n, out.host(), inclusive);
  run([&](void* s, size_t& bytes) { return cub::DeviceScan::InclusiveSum(s, bytes, here.get(), n); });
  check<T>("DeviceScan::InclusiveSum in place", n, here.host(), inclusive);
  run([&](void* s, size_t& bytes) { return cub::DeviceScan::ExclusiveSum(s, bytes, in.get(), out.get(), n); });
  check<T>("DeviceScan::ExclusiveSum", n, out.host(), exclusive);
  run([&](void* s, size_t& bytes) { return cub::DeviceScan::ExclusiveSum(s, bytes, there.get(), n); });
  check<T>("DeviceScan::ExclusiveSum in place", n, there.host(), exclusive);
}

template <class T>
void scans(int n) {
  const std::vector<T> host = random_values<T>(n, 6, -1, 1);
  const T init = from_int<T>(9);
  const LastNonZero<T> op;
  const std::vector<T>* no_keys = nullptr;
  const std::vector<T> exclusive = scanned(host, no_keys, &init, false, op);
  const Array<T> in(host), out(n), here(host), there(host), d_init(std::vector<T>{init});

  run([&](void* s, size_t& bytes) { return cub::DeviceScan::InclusiveScan(s, bytes, in.get(), out.get(), op, n); });
  check<T>("DeviceScan::InclusiveScan", n, out.host(), scanned(host, no_keys, (T*)nullptr, true, op));
  run([&](void* s, size_t& bytes) {
    return cub::DeviceScan::InclusiveScanInit(s, bytes, in.get(), out.get(), op, init, n);
  });
  check<T>("DeviceScan::InclusiveScanInit", n, out.host(), scanned(host, no_keys, &init, true, op));
  run([&](void* s, size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan(s, bytes, in.get(), out.get(), op, init, n);
  });
  check<T>("DeviceScan::ExclusiveScan", n, out.host(), exclusive);
  run([&](void* s, size_t& bytes) { return cub::DeviceScan::ExclusiveScan(s, bytes, here.get(), op, init, n); });
  check<T>("DeviceScan::ExclusiveScan in place", n, here.host(), exclusive);
  const cub::FutureValue<T> future(d_init.get());
  run([&](void* s, size_t& bytes) { return cub::DeviceScan::ExclusiveScan(s, bytes, there.get(), op, future, n); });
  check<T>("DeviceScan::ExclusiveScan from a FutureValue", n, there.host(), exclusive);
}

template <class T>
void by_key(int n) {
  const std::vector<T> keys = random_runs<T>(n, 7), values = random_values<T>(n, 8, -2, 2);
  const Array<T> d_keys(keys), in(values), out(n);
  const T zero = from_int<T>(0), init = from_int<T>(9);
  const LastNonZero<T> op;

  run([&](void* s, size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(s, bytes, d_keys.get(), in.get(), out.get(), n);
  });
  check<T>("DeviceScan::InclusiveSumByKey", n, out.host(), scanned(values, &keys, &zero, true, std::plus<T>()));
  run([&](void* s, size_t& bytes) {
    return cub::DeviceScan::ExclusiveSumByKey(s, bytes, d_keys.get(), in.get(), out.get(), n);
  });
  check<T>("DeviceScan::ExclusiveSumByKey", n, out.host(), scanned(values, &keys, &zero, false, std::plus<T>()));
  run([&](void* s, size_t& bytes) {
    return cub::DeviceScan::InclusiveScanByKey(s, bytes, d_keys.get(), in.get(), out.get(), op, n);
  });
  check<T>("DeviceScan::InclusiveScanByKey", n, out.host(), scanned(values, &keys, (T*)nullptr, true, op));
  run([&](void* s, size_t& bytes) {
    return cub::DeviceScan::ExclusiveScanByKey(s, bytes, d_keys.get(), in.get(), out.get(), op, init, n);
  });
  check<T>("DeviceScan::ExclusiveScanByKey", n, out.host(), scanned(values, &keys, &init, false, op));
}

struct Family {
  template <class T>
  void operator()(int n) const {
    sums<T>(n);
    scans<T>(n);
    by_key<T>(n);
  }
};

int main() {
  for_types_and_sizes(Family());
  return list_and_verdict("cub_scan");
}
