// Every algorithm of cub::DeviceSelect on every element type, to another array and in place.
#include <cub/device/device_select.cuh>

#include "algorithms.h"

template <class T>
void flagged_and_if(int n) {
  const std::vector<T> host = random_values<T>(n, 15);
  const std::vector<int> flags = random_ints(n, -1, 1, 16);
  std::vector<T> positive, flagged, flagged_positive;
  for (int i = 0; i < n; ++i) {
    if (IsPositive<T>()(host[i])) positive.push_back(host[i]);
    if (flags[i]) flagged.push_back(host[i]);
    if (flags[i] > 0) flagged_positive.push_back(host[i]);
  }
  const Array<T> in(host), out(n);
  const Array<int> d_flags(flags), count(std::vector<int>{0});
  // Runs an algorithm from `in` to `out`, and its form in place on a fresh copy.
  const auto try_both = [&](const char* name, const std::vector<T>& want, auto to_other, auto in_place) {
    run(to_other);
    check<T>(name, n, out.host(count.host()[0]), want);
    const Array<T> here(host);
    run([&](void* s, size_t& bytes) { return in_place(s, bytes, here.get()); });
    check<T>((name + std::string(" in place")).c_str(), n, here.host(count.host()[0]), want);
  };

  try_both(
      "DeviceSelect::Flagged", flagged,
      [&](void* s, size_t& bytes) {
        return cub::DeviceSelect::Flagged(s, bytes, in.get(), d_flags.get(), out.get(), count.get(), n);
      },
      [&](void* s, size_t& bytes, T* data) {
        return cub::DeviceSelect::Flagged(s, bytes, data, d_flags.get(), count.get(), n);
      });
  try_both(
      "DeviceSelect::If", positive,
      [&](void* s, size_t& bytes) {
        return cub::DeviceSelect::If(s, bytes, in.get(), out.get(), count.get(), n, IsPositive<T>());
      },
      [&](void* s, size_t& bytes, T* data) {
        return cub::DeviceSelect::If(s, bytes, data, count.get(), n, IsPositive<T>());
      });
  try_both(
      "DeviceSelect::FlaggedIf", flagged_positive,
      [&](void* s, size_t& bytes) {
        return cub::DeviceSelect::FlaggedIf(s, bytes, in.get(), d_flags.get(), out.get(), count.get(), n,
                                            IsPositive<int>());
      },
      [&](void* s, size_t& bytes, T* data) {
        return cub::DeviceSelect::FlaggedIf(s, bytes, data, d_flags.get(), count.get(), n, IsPositive<int>());
      });
}

template <class T>
void unique(int n) {
  const std::vector<T> keys = random_runs<T>(n, 17), values = random_values<T>(n, 18);
  std::vector<T> want_keys, want_values;
  for (int i = 0; i < n; ++i) {
    if (i > 0 && keys[i] == keys[i - 1]) continue;
    want_keys.push_back(keys[i]);
    want_values.push_back(values[i]);
  }
  const Array<T> d_keys(keys), d_values(values), out_keys(n), out_values(n), out(n);
  const Array<int> count(std::vector<int>{0});

  run([&](void* s, size_t& bytes) {
    return cub::DeviceSelect::Unique(s, bytes, d_keys.get(), out.get(), count.get(), n);
  });
  check<T>("DeviceSelect::Unique", n, out.host(count.host()[0]), want_keys);
  run([&](void* s, size_t& bytes) {
    return cub::DeviceSelect::UniqueByKey(s, bytes, d_keys.get(), d_values.get(), out_keys.get(), out_values.get(),
                                          count.get(), n);
  });
  check<T>("DeviceSelect::UniqueByKey", n, out_keys.host(count.host()[0]), want_keys);
  check<T>("DeviceSelect::UniqueByKey", n, out_values.host(count.host()[0]), want_values);
}

struct Family {
  template <class T>
  void operator()(int n) const {
    flagged_and_if<T>(n);
    unique<T>(n);
  }
};

int main() {
  for_types_and_sizes(Family());
  return list_and_verdict("cub_select");
}
