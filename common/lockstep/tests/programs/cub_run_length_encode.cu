// Both algorithms of cub::DeviceRunLengthEncode on every element type.
#include <cub/device/device_run_length_encode.cuh>

#include "algorithms.h"

struct Family {
  template <class T>
  void operator()(int n) const {
    const std::vector<T> host = random_runs<T>(n, 19);
    std::vector<T> values;
    std::vector<int> starts, lengths;
    for (int i = 0; i < n; ++i) {
      if (i > 0 && host[i] == host[i - 1]) {
        ++lengths.back();
        continue;
      }
      values.push_back(host[i]);
      starts.push_back(i);
      lengths.push_back(1);
    }
    const Array<T> in(host), out_values(n);
    const Array<int> out_starts(n), out_lengths(n), count(std::vector<int>{0});

    run([&](void* s, size_t& bytes) {
      return cub::DeviceRunLengthEncode::Encode(s, bytes, in.get(), out_values.get(), out_lengths.get(), count.get(),
                                                n);
    });
    check<T>("DeviceRunLengthEncode::Encode", n, out_values.host(count.host()[0]), values);
    check<T>("DeviceRunLengthEncode::Encode", n, out_lengths.host(count.host()[0]), lengths);

    std::vector<int> long_starts, long_lengths;
    for (size_t r = 0; r < lengths.size(); ++r) {
      if (lengths[r] == 1) continue;
      long_starts.push_back(starts[r]);
      long_lengths.push_back(lengths[r]);
    }
    run([&](void* s, size_t& bytes) {
      return cub::DeviceRunLengthEncode::NonTrivialRuns(s, bytes, in.get(), out_starts.get(), out_lengths.get(),
                                                        count.get(), n);
    });
    check<T>("DeviceRunLengthEncode::NonTrivialRuns", n, out_starts.host(count.host()[0]), long_starts);
    check<T>("DeviceRunLengthEncode::NonTrivialRuns", n, out_lengths.host(count.host()[0]), long_lengths);
  }
};

int main() {
  for_types_and_sizes(Family());
  return list_and_verdict("cub_run_length_encode");
}
