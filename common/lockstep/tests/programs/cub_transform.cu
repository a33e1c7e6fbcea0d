// cub::DeviceTransform, which loads its inputs by bulk copies on newer cards: one, two and three inputs, aligned and
// not aligned.
// Also for compute_90
#include <cub/device/device_transform.cuh>

#include "algorithms.h"

template <class T>
struct Add {
  __host__ __device__ T operator()(const T& a) const { return a + a; }
  __host__ __device__ T operator()(const T& a, const T& b) const { return a + b; }
  __host__ __device__ T operator()(const T& a, const T& b, const T& c) const { return a + b + c; }
};

struct Family {
  template <class T>
  void operator()(int n) const {
    // Inputs of one length that begin at the first, second or fourth element: a bulk copy moves units of 16 bytes.
    constexpr int kSkipB = 1, kSkipC = 3;
    const std::vector<T> a = random_values<T>(n, 36), b = random_values<T>(n + kSkipB, 37),
                         c = random_values<T>(n + kSkipC, 38);
    const Array<T> d_a(a), d_b(b), d_c(c), out(n);
    const T *in_a = d_a.get(), *in_b = d_b.get() + kSkipB, *in_c = d_c.get() + kSkipC;
    std::vector<T> one(n), two(n), three(n);
    for (int i = 0; i < n; ++i) {
      one[i] = c[i + kSkipC] + c[i + kSkipC];
      two[i] = a[i] + b[i + kSkipB];
      three[i] = two[i] + c[i + kSkipC];
    }
    const Add<T> add;
    CUDA_CHECK(cub::DeviceTransform::Transform(in_c, out.get(), n, add));
    check<T>("DeviceTransform::Transform", n, out.host(), one);
    CUDA_CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(in_a, in_b), out.get(), n, add));
    check<T>("DeviceTransform::Transform of two", n, out.host(), two);
    CUDA_CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(in_a, in_b, in_c), out.get(), n, add));
    check<T>("DeviceTransform::Transform of three", n, out.host(), three);
  }
};

int main() {
  for_types_and_sizes(Family());
  return list_and_verdict("cub_transform");
}
