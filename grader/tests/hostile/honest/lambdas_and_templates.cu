// verdict: accepted
// lab: 99
// Everything is a template or a lambda: recursion over types, folds, a functor handed to the kernel.
#include <tuple>
#include <utility>

#include "sum.h"

struct Identity {
  __device__ unsigned operator()(unsigned x) const { return x; }
};

template <class F, class G>
struct Then {
  F first;
  G second;
  __device__ unsigned operator()(unsigned x) const { return second(first(x)); }
};

template <int steps>
constexpr auto many_identities() {
  if constexpr (steps == 0) {
    return Identity{};
  } else {
    return Then<Identity, decltype(many_identities<steps - 1>())>{};
  }
}

template <class F, int... k>
__device__ unsigned add_all(const unsigned* data, int first, int n, F f, std::integer_sequence<int, k...>) {
  return (0u + ... + (first + k < n ? f(data[first + k]) : 0u));
}

template <class F>
__global__ void add(const unsigned* data, int n, F f, unsigned* sum) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (first < n) atomicAdd(sum, add_all(data, first, n, f, std::make_integer_sequence<int, 4>()));
}

int reduce_sum(int* data, int n) {
  const auto launch = [=]<class... T>(std::tuple<T...> settings, auto function, unsigned* sum) {
    const auto [block] = settings;
    add<<<blocks_for(n, block * 4), block>>>(bits(data), n, function, sum);
    CUDA_CHECK(cudaGetLastError());
  };
  if (n == 0) return 0;
  const Cell sum;
  launch(std::tuple(64), many_identities<40>(), sum.place);
  return sum.value();
}
