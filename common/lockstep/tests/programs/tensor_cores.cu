// Tensor cores by wmma: every shape and type of CUDA C++ that lockstep has, matrices by row and by column, in global
// and in shared memory, with padding between the rows. The elements are small integers, so every sum is exact, and the
// CPU's sums must be equal.

// Only for compute_90
#include <mma.h>

#include <type_traits>

#include "expect.h"

namespace wmma = nvcuda::wmma;

// What a fragment holds: tf32 is a kind of float.
template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<wmma::precision::tf32> {
  using type = float;
};

// Elements behind each row or column in memory: 16 bytes or more for each type. CUDA asks for rows of a multiple of 16
// bytes.
constexpr int kPad = 16;

template <class Layout>
constexpr bool kByColumn = std::is_same_v<Layout, wmma::col_major>;

// D = A B + C for one warp, twice: with C, then with the result. kShared: A lies in shared memory.
template <int m, int n, int k, class T, class Sum, class LayoutA, class LayoutB, bool kShared>
__global__ void multiply(const typename Stored<T>::type* a, const typename Stored<T>::type* b, const Sum* c, Sum* d,
                         bool by_column) {
  wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA> a_part;
  wmma::fragment<wmma::matrix_b, m, n, k, T, LayoutB> b_part;
  wmma::fragment<wmma::accumulator, m, n, k, Sum> sum;
  constexpr int kStrideA = (kByColumn<LayoutA> ? m : k) + kPad, kStrideB = (kByColumn<LayoutB> ? k : n) + kPad;
  const int stride = (by_column ? m : n) + kPad;
  const auto order = by_column ? wmma::mem_col_major : wmma::mem_row_major;
  if (kShared) {
    constexpr int kElements = kStrideA * (kByColumn<LayoutA> ? k : m);
    __shared__ __align__(32) typename Stored<T>::type s_a[kElements];
    for (int i = threadIdx.x; i < kElements; i += 32) s_a[i] = a[i];
    // The load reads what other lanes have stored.
    __syncwarp();
    wmma::load_matrix_sync(a_part, s_a, kStrideA);
  } else {
    wmma::load_matrix_sync(a_part, a, kStrideA);
  }
  wmma::load_matrix_sync(b_part, b, kStrideB);
  wmma::load_matrix_sync(sum, c, stride, order);
  wmma::mma_sync(sum, a_part, b_part, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] + static_cast<Sum>(1);
  wmma::mma_sync(sum, a_part, b_part, sum);
  wmma::store_matrix_sync(d, sum, stride, order);
}

// Rows x columns of small integers, and the same in the device's memory.
template <class T>
struct Values {
  int rows, columns;
  std::vector<int> numbers;
  T* d = nullptr;

  Values(int rows_, int columns_, unsigned seed, bool is_unsigned)
      : rows(rows_), columns(columns_), numbers(random_ints(rows_ * columns_, is_unsigned ? 0 : -3, 4, seed)) {
    CUDA_CHECK(cudaMalloc(&d, bytes()));
  }
  ~Values() { CUDA_CHECK(cudaFree(d)); }
  size_t elements() const { return static_cast<size_t>(std::max(rows, columns)) * (std::max(rows, columns) + kPad); }
  size_t bytes() const { return elements() * sizeof(T); }
  size_t place(int row, int column, bool by_column) const {
    return by_column ? column * (rows + kPad) + row : row * (columns + kPad) + column;
  }
  void to_device(bool by_column) const {
    std::vector<T> memory(elements(), T(0.0f));
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        memory[place(row, column, by_column)] = T(static_cast<float>(numbers[row * columns + column]));
    CUDA_CHECK(cudaMemcpy(d, memory.data(), bytes(), cudaMemcpyHostToDevice));
  }
  std::vector<int> from_device(bool by_column) const {
    std::vector<T> memory(elements());
    CUDA_CHECK(cudaMemcpy(memory.data(), d, bytes(), cudaMemcpyDeviceToHost));
    std::vector<int> read;
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        read.push_back(static_cast<int>(static_cast<float>(memory[place(row, column, by_column)])));
    return read;
  }
};

template <int m, int n, int k, class T, class Sum, class LayoutA, class LayoutB, bool kShared>
static void check(const char* what) {
  using Element = typename Stored<T>::type;
  const bool is_unsigned = std::is_same_v<T, unsigned char>;
  const Values<Element> a(m, k, 1, is_unsigned), b(k, n, 2, is_unsigned);
  for (const bool by_column : {false, true}) {
    const Values<Sum> c(m, n, 3, false), d(m, n, 4, false);
    a.to_device(kByColumn<LayoutA>);
    b.to_device(kByColumn<LayoutB>);
    c.to_device(by_column);
    multiply<m, n, k, T, Sum, LayoutA, LayoutB, kShared><<<1, 32>>>(a.d, b.d, c.d, d.d, by_column);
    CUDA_CHECK(cudaGetLastError());
    std::vector<int> want;
    for (int row = 0; row < m; ++row)
      for (int column = 0; column < n; ++column) {
        int sum = c.numbers[row * n + column] + 1;
        for (int i = 0; i < k; ++i) sum += 2 * a.numbers[row * k + i] * b.numbers[i * n + column];
        want.push_back(sum);
      }
    expect_equal(what, d.from_device(by_column), want);
  }
}

template <int m, int n, int k, class T, class Sum>
static void check_layouts(const char* what) {
  using Row = wmma::row_major;
  using Column = wmma::col_major;
  check<m, n, k, T, Sum, Row, Row, false>(what);
  check<m, n, k, T, Sum, Row, Column, true>(what);
  check<m, n, k, T, Sum, Column, Row, true>(what);
  check<m, n, k, T, Sum, Column, Column, false>(what);
}

template <class T, class Sum>
static void check_shapes(const char* what) {
  check_layouts<16, 16, 16, T, Sum>(what);
  check_layouts<32, 8, 16, T, Sum>(what);
  check_layouts<8, 32, 16, T, Sum>(what);
}

int main() {
  check_shapes<half, half>("halves, sums of halves");
  check_shapes<half, float>("halves, sums of floats");
  check_shapes<__nv_bfloat16, float>("bfloats");
  check_shapes<signed char, int>("signed bytes");
  check_shapes<unsigned char, int>("unsigned bytes");
  check_layouts<16, 16, 8, wmma::precision::tf32, float>("tf32");
  check_layouts<8, 8, 4, double, double>("doubles");
  return verdict("tensor_cores");
}
