// blas_test: lockstep's own cuBLAS on lockstep's runtime, compared with three loops in double and with values worked
// out by hand. The matrices hold small whole numbers, so every sum is exact and must be equal.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "tests/math_libraries/device_array.h"

namespace lockstep::libraries_test {
namespace {

using Float2 = std::complex<float>;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr cublasOperation_t kOperations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

cuComplex* cu(Float2* pointer) { return reinterpret_cast<cuComplex*>(pointer); }

class Blas : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cublasCreate(&handle_), CUBLAS_STATUS_SUCCESS); }
  void TearDown() override { EXPECT_EQ(cublasDestroy(handle_), CUBLAS_STATUS_SUCCESS); }
  cublasHandle_t handle_ = nullptr;
};

struct Shape {
  int m, n, k;
};

// call(op_a, op_b, shape, alpha, a, lda, b, ldb, beta, c, ldc). Between the columns of C nothing may change.
template <typename T, typename Call>
void compare_products(Call call) {
  for (const Shape s : {Shape{3, 5, 4}, Shape{1, 1, 1}, Shape{17, 9, 33}, Shape{520, 3, 2}})
    for (const cublasOperation_t op_a : kOperations)
      for (const cublasOperation_t op_b : kOperations) {
        const int lda = (op_a == CUBLAS_OP_N ? s.m : s.k) + 2, ldb = (op_b == CUBLAS_OP_N ? s.k : s.n) + 1,
                  ldc = s.m + 3;
        const auto a = numbers<T>(size_t(lda * (op_a == CUBLAS_OP_N ? s.k : s.m)), 1);
        const auto b = numbers<T>(size_t(ldb * (op_b == CUBLAS_OP_N ? s.n : s.k)), 2);
        const auto before = numbers<T>(size_t(ldc * s.n), 3);
        const DeviceArray<T> d_a(a), d_b(b), d_c(before);
        const T alpha = 2, beta = -3;
        ASSERT_EQ(call(op_a, op_b, s, &alpha, d_a.data(), lda, d_b.data(), ldb, &beta, d_c.data(), ldc),
                  CUBLAS_STATUS_SUCCESS);
        const std::vector<T> c = d_c.host();
        for (int column = 0; column < s.n; ++column)
          for (int row = 0; row < ldc; ++row) {
            const auto at = size_t(column * ldc + row);
            Wide sum = 0;
            for (int i = 0; row < s.m && i < s.k; ++i)
              sum += element(a, lda, op_a, row, i) * element(b, ldb, op_b, i, column);
            const Wide want = row < s.m ? Wide(alpha) * sum + Wide(beta) * Wide(before[at]) : Wide(before[at]);
            ASSERT_EQ(Wide(c[at]), want) << s.m << "x" << s.n << "x" << s.k << " ops " << op_a << op_b << " row "
                                         << row;
          }
      }
}

TEST_F(Blas, ProductsAreThoseOfThreeLoops) {
  compare_products<float>([&](auto op_a, auto op_b, Shape s, auto... rest) {
    return cublasSgemm(handle_, op_a, op_b, s.m, s.n, s.k, rest...);
  });
  compare_products<double>([&](auto op_a, auto op_b, Shape s, auto... rest) {
    return cublasDgemm_64(handle_, op_a, op_b, s.m, s.n, s.k, rest...);
  });
  compare_products<Float2>([&](auto op_a, auto op_b, Shape s, auto* alpha, auto* a, int lda, auto* b, int ldb,
                               auto* beta, auto* c, int ldc) {
    return cublasGemmEx(handle_, op_a, op_b, s.m, s.n, s.k, alpha, a, CUDA_C_32F, lda, b, CUDA_C_32F, ldb, beta, c,
                        CUDA_C_32F, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  });
}

TEST_F(Blas, WhatAFactorOfZeroLeavesOutIsNotRead) {
  const DeviceArray<float> ones({1, 1, 1, 1}), wrong({kNan, kNan, kNan, kNan}), c({kNan, kNan, kNan, kNan});
  const float one = 1, zero = 0;
  const auto product = [&](const DeviceArray<float>& a, const float* alpha, const float* beta, int k) {
    EXPECT_EQ(
        cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, k, alpha, a.data(), 2, ones.data(), 2, beta, c.data(), 2),
        CUBLAS_STATUS_SUCCESS);
    return c.host();
  };
  EXPECT_EQ(product(ones, &one, &zero, 2), std::vector<float>(4, 2)) << "C held NaN";
  EXPECT_EQ(product(wrong, &zero, &one, 2), std::vector<float>(4, 2)) << "A holds NaN";
  EXPECT_EQ(product(ones, &one, &one, 0), std::vector<float>(4, 2));
  EXPECT_TRUE(std::isnan(product(wrong, &one, &one, 2)[0])) << "else NaN must come through";
}

TEST_F(Blas, FactorsAndResultsMayBeOnTheDevice) {
  ASSERT_EQ(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE), CUBLAS_STATUS_SUCCESS);
  const DeviceArray<float> factors({3, 0.5F}), x({1, 2, 4}), y({10, 20, 30}), result({0});
  EXPECT_EQ(cublasSaxpy(handle_, 3, factors.data(), x.data(), 1, y.data(), 1), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(y.host(), (std::vector<float>{13, 26, 42}));
  EXPECT_EQ(cublasSdot(handle_, 3, x.data(), 1, y.data(), 1, result.data()), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(result.host()[0], 13 + 52 + 168);
  const DeviceArray<float> c({100});
  EXPECT_EQ(cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 3, factors.data(), x.data(), 1, x.data(), 3,
                        factors.at(1), c.data(), 1),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(c.host()[0], 3 * 21 + 50);
  const DeviceArray<int> index({-1});
  EXPECT_EQ(cublasIsamax(handle_, 3, x.data(), 1, index.data()), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(index.host()[0], 3);
}

// With a negative step, element 0 stands at the end.
TEST_F(Blas, StepsMayBeWideNegativeAndZero) {
  const DeviceArray<float> x({1, 9, 2, 9, 3}), y({10, 20, 30});
  float result = 0;
  const auto dot = [&](int incx, int incy) {
    EXPECT_EQ(cublasSdot(handle_, 3, x.data(), incx, y.data(), incy, &result), CUBLAS_STATUS_SUCCESS);
    return result;
  };
  EXPECT_EQ(dot(2, 1), 10 + 40 + 90);
  EXPECT_EQ(dot(-2, 1), 30 + 40 + 30);
  EXPECT_EQ(dot(-2, -1), 10 + 40 + 90);
  EXPECT_EQ(dot(0, 1), 60);
  const DeviceArray<float> z({0, 7, 0, 7, 0});
  EXPECT_EQ(cublasScopy(handle_, 3, y.data(), 1, z.data(), -2), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(z.host(), (std::vector<float>{30, 7, 20, 7, 10}));
  EXPECT_EQ(cublasSswap(handle_, 2, z.data(), 2, y.data(), -1), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(z.host(), (std::vector<float>{20, 7, 10, 7, 10}));
  EXPECT_EQ(y.host(), (std::vector<float>{20, 30, 30}));
  const float three = 3;
  const DeviceArray<float> one({10, 20});
  EXPECT_EQ(cublasSaxpy(handle_, 3, &three, y.data(), 1, one.data(), 0), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(one.host(), (std::vector<float>{10 + 3 * 80, 20})) << "as on an H200";
  for (const int step : {0, -1}) {  // functions of one vector do nothing then
    EXPECT_EQ(cublasSscal(handle_, 3, &three, y.data(), step), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasSasum(handle_, 3, y.data(), step, &result), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(result, 0);
    int index = 7;
    EXPECT_EQ(cublasIsamin(handle_, 3, y.data(), step, &index), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(index, 0);
  }
  EXPECT_EQ(y.host(), (std::vector<float>{20, 30, 30}));
}

TEST_F(Blas, VectorsByHand) {
  const DeviceArray<Float2> x({{3, -4}, {-6, 1}, {0, 7}});
  float size = 0;
  EXPECT_EQ(cublasScnrm2(handle_, 3, cu(x.data()), 1, &size), CUBLAS_STATUS_SUCCESS);
  EXPECT_FLOAT_EQ(size, std::sqrt(25.0F + 37 + 49));
  EXPECT_EQ(cublasScasum(handle_, 3, cu(x.data()), 1, &size), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(size, 7 + 7 + 7);
  int index = 0;
  EXPECT_EQ(cublasIcamax(handle_, 3, cu(x.data()), 1, &index), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(index, 1) << "the first of equal ones";
  Float2 product;
  EXPECT_EQ(cublasCdotc(handle_, 2, cu(x.data()), 1, cu(x.at(1)), 1, cu(&product)), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(product, Float2(3, 4) * Float2(-6, 1) + Float2(-6, -1) * Float2(0, 7));
  EXPECT_EQ(cublasCdotu(handle_, 2, cu(x.data()), 1, cu(x.at(1)), 1, cu(&product)), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(product, Float2(3, -4) * Float2(-6, 1) + Float2(-6, 1) * Float2(0, 7));

  const DeviceArray<double> large({3e200, 4e200}), small({3e-200, 4e-200});
  double norm = 0;
  for (const auto& [values, want] : {std::pair(large.data(), 5e200), {small.data(), 5e-200}}) {
    EXPECT_EQ(cublasDnrm2(handle_, 2, values, 1, &norm), CUBLAS_STATUS_SUCCESS);
    EXPECT_DOUBLE_EQ(norm, want);
  }
  const DeviceArray<double> a({1, 2}), b({3, 4});
  const double c = 0, s = 1;
  EXPECT_EQ(cublasDrot(handle_, 2, a.data(), 1, b.data(), 1, &c, &s), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(a.host(), (std::vector<double>{3, 4}));
  EXPECT_EQ(b.host(), (std::vector<double>{-1, -2}));
}

// Added one after the other, these floats would be off by 20; added in pairs, they have at most 28 roundings of 2^-24.
TEST_F(Blas, LongSumsKeepTheirBits) {
  const DeviceArray<float> x(std::vector<float>(65536, 0.9997F));
  float result = 0;
  EXPECT_EQ(cublasSdot(handle_, 65536, x.data(), 1, x.data(), 1, &result), CUBLAS_STATUS_SUCCESS);
  EXPECT_NEAR(result, 65536 * double(0.9997F) * double(0.9997F), 65497 * 28 * 0x1p-24);
}

TEST_F(Blas, NarrowTypesAreRoundedAtTheEnd) {
  std::vector<__half> ones(32, __float2half(0)), factors(32, __float2half(0));
  for (int i = 0; i < 16; ++i) ones[size_t(i)] = __float2half(1), factors[size_t(i)] = __float2half(128);
  ones[16] = factors[16] = __float2half(1);
  const DeviceArray<__half> a(ones), b(factors), c({__float2half(0)});
  const DeviceArray<float> wide({0});
  const float one = 1, zero = 0;
  const __half half_one = __float2half(1), half_zero = __float2half(0);
  EXPECT_EQ(cublasGemmEx(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 32, &one, a.data(), CUDA_R_16F, 1, b.data(),
                         CUDA_R_16F, 32, &zero, wide.data(), CUDA_R_32F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(wide.host()[0], 2049);
  EXPECT_EQ(cublasHgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 32, &half_one, a.data(), 1, b.data(), 32, &half_zero,
                        c.data(), 1),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(__half2float(c.host()[0]), 2048) << "a half has 11 bits";

  const DeviceArray<int8_t> bytes({-128, 127, 3, 4}), others({127, -2, 5, 6});
  const DeviceArray<int32_t> sums({5});
  const int32_t two = 2, minus = -1;
  EXPECT_EQ(cublasGemmEx(handle_, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 4, &two, bytes.data(), CUDA_R_8I, 4, others.data(),
                         CUDA_R_8I, 4, &minus, sums.data(), CUDA_R_32I, 1, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(sums.host()[0], 2 * (-128 * 127 - 254 + 15 + 24) - 5);

  const DeviceArray<__nv_bfloat16> x({__float2bfloat16(3), __float2bfloat16(0.5F)});
  const DeviceArray<__nv_bfloat16> dot({__float2bfloat16(0)});
  ASSERT_EQ(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(
      cublasDotEx(handle_, 2, x.data(), CUDA_R_16BF, 1, x.data(), CUDA_R_16BF, 1, dot.data(), CUDA_R_16BF, CUDA_R_32F),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(__bfloat162float(dot.host()[0]), 9.25F);
}

TEST_F(Blas, BatchesByPointersAndByStrides) {
  const DeviceArray<float> a({1, 2, 3}), b({10, 20, 30}), c({0, 0, 0}), d({0, 0, 0});
  const DeviceArray<float*> left({a.at(2), a.at(0)}), right({b.at(0), b.at(1)}), out({c.at(0), c.at(2)});
  const float one = 1, zero = 0;
  EXPECT_EQ(cublasSgemmBatched(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, left.data(), 1, right.data(), 1, &zero,
                               out.data(), 1, 2),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(c.host(), (std::vector<float>{30, 0, 20}));
  EXPECT_EQ(cublasSgemmStridedBatched(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a.data(), 1, 1, b.at(1), 1, 0,
                                      &zero, d.data(), 1, 1, 3),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(d.host(), (std::vector<float>{20, 40, 60}));
}

TEST_F(Blas, MatricesWithVectors) {
  const DeviceArray<double> a({1, 2, 3, kNan, 4, 5, 6, kNan});  // 3 x 2, leading dimension 4
  const DeviceArray<double> x({1, 10}), y({1, 0, 1, 0, 1}), z({100, 200});
  const double two = 2, one = 1, zero = 0;
  EXPECT_EQ(cublasDgemv(handle_, CUBLAS_OP_N, 3, 2, &two, a.data(), 4, x.data(), -1, &one, y.data(), 2),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(y.host(), (std::vector<double>{2 * 14 + 1, 0, 2 * 25 + 1, 0, 2 * 36 + 1}));
  EXPECT_EQ(cublasDgemv(handle_, CUBLAS_OP_T, 3, 2, &one, a.data(), 4, a.data(), 1, &zero, z.data(), 1),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(z.host(), (std::vector<double>{14, 32}));
  const DeviceArray<double> g({0, 0, 7, 0, 0, 7});  // 2 x 2, leading dimension 3
  EXPECT_EQ(cublasDger(handle_, 2, 2, &two, x.data(), 1, z.data(), 1, g.data(), 3), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(g.host(), (std::vector<double>{28, 280, 7, 64, 640, 7}));
  const DeviceArray<double> turned({0, 0, 0, 0, 0, 0});  // the 3 x 2 matrix, transposed
  EXPECT_EQ(cublasDgeam(handle_, CUBLAS_OP_T, CUBLAS_OP_N, 2, 3, &one, a.data(), 4, &zero, turned.data(), 2,
                        turned.data(), 2),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(turned.host(), (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

// X is known, B is made of it: then the solver must find X. The other triangle and, of a unit triangle, the diagonal
// hold NaN.
TEST_F(Blas, TrianglesAreSolved) {
  const int m = 4, n = 3;
  for (const cublasSideMode_t side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
    for (const cublasFillMode_t fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
      for (const cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T})
        for (const cublasDiagType_t diagonal : {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT}) {
          const int size = side == CUBLAS_SIDE_LEFT ? m : n;
          std::vector<double> full = numbers<double>(size_t(size * size), 4), a(full.size(), kNan);
          for (int row = 0; row < size; ++row)
            for (int column = 0; column < size; ++column) {
              double& value = full[size_t(column * size + row)];
              const bool used = fill == CUBLAS_FILL_MODE_LOWER ? row > column : row < column;
              value = row == column ? (diagonal == CUBLAS_DIAG_UNIT ? 1 : 2) : used ? value : 0;
              if (used || (row == column && diagonal == CUBLAS_DIAG_NON_UNIT)) a[size_t(column * size + row)] = value;
            }
          const std::vector<double> x = numbers<double>(m * n, 5);
          std::vector<double> b(m * n);
          for (int row = 0; row < m; ++row)
            for (int column = 0; column < n; ++column)
              for (int i = 0; i < size; ++i)
                b[size_t(column * m + row)] +=
                    side == CUBLAS_SIDE_LEFT ? (element(full, size, op, row, i) * x[size_t(column * m + i)]).real()
                                             : (element(full, size, op, i, column) * x[size_t(i * m + row)]).real();
          const DeviceArray<double> d_a(a), d_b(b);
          const double two = 2;
          ASSERT_EQ(cublasDtrsm(handle_, side, fill, op, diagonal, m, n, &two, d_a.data(), size, d_b.data(), m),
                    CUBLAS_STATUS_SUCCESS);
          std::vector<double> want = x;
          for (double& value : want) value *= 2;
          EXPECT_EQ(d_b.host(), want) << side << fill << op << diagonal;
        }
}

TEST_F(Blas, CopiesOfVectorsAndMatrices) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const DeviceArray<float> d(std::vector<float>(6));
  EXPECT_EQ(cublasSetVector(3, 4, values.data(), 2, d.data(), 1), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(d.host(), (std::vector<float>{1, 3, 5, 0, 0, 0}));
  EXPECT_EQ(cublasSetMatrix(2, 2, 4, values.data(), 3, d.data(), 2), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(d.host(), (std::vector<float>{1, 2, 4, 5, 0, 0}));
  std::vector<float> back(6);
  EXPECT_EQ(cublasGetMatrixAsync(1, 2, 4, d.at(1), 2, back.data(), 3, nullptr), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(back, (std::vector<float>{2, 0, 0, 5, 0, 0}));
  EXPECT_EQ(cublasGetVector(3, 4, d.data(), 1, back.data(), 0), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(Blas, WhatAHandleKeeps) {
  cudaStream_t stream = nullptr, kept = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cublasSetStream(handle_, stream), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasGetStream(handle_, &kept), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(kept, stream);
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  EXPECT_EQ(cublasSetMathMode(handle_, CUBLAS_TF32_TENSOR_OP_MATH), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasGetMathMode(handle_, &math), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(math, CUBLAS_TF32_TENSOR_OP_MATH);
  EXPECT_EQ(cublasSetPointerMode(handle_, cublasPointerMode_t(7)), CUBLAS_STATUS_INVALID_VALUE);
  int version = 0;
  EXPECT_EQ(cublasGetVersion(handle_, &version), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(version, CUBLAS_VERSION);
  EXPECT_STREQ(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE), "CUBLAS_STATUS_INVALID_VALUE");
  EXPECT_STREQ(cublasGetStatusString(cublasStatus_t(99)), "unrecognized status");
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(Blas, WrongCallsGetCublasStatuses) {
  const DeviceArray<float> d(std::vector<float>(16));
  const float one = 1;
  const auto gemm = [&](cublasHandle_t handle, int m, int lda, int ldb, int ldc, const float* alpha) {
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, 2, 3, alpha, d.data(), lda, d.data(), ldb, &one, d.data(),
                       ldc);
  };
  EXPECT_EQ(gemm(handle_, 2, 2, 3, 2, &one), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(gemm(nullptr, 2, 2, 3, 2, &one), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(gemm(handle_, -1, 2, 3, 2, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(handle_, 2, 1, 3, 2, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(handle_, 2, 2, 2, 2, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(handle_, 2, 2, 3, 1, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(handle_, 2, 2, 3, 2, nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSgemv(handle_, CUBLAS_OP_N, 1, 1, &one, d.data(), 1, d.data(), 0, &one, d.data(), 1),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasGemmEx(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, d.data(), CUDA_R_32F, 1, d.data(),
                         CUDA_R_32F, 1, &one, d.data(), CUDA_R_64F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cublasSscal(handle_, 1, &one, const_cast<float*>(&one), 1), CUBLAS_STATUS_EXECUTION_FAILED)
      << "memory of the host";
  cublasHandle_t gone = nullptr;
  ASSERT_EQ(cublasCreate(&gone), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasDestroy(gone), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasDestroy(gone), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(gemm(gone, 2, 2, 3, 2, &one), CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_F(Blas, WhatIsNotThereIsRefusedByName) {
  const DeviceArray<float> d({1});
  const float one = 1;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cublasSsymv(handle_, CUBLAS_FILL_MODE_LOWER, 1, &one, d.data(), 1, d.data(), 1, &one, d.data(), 1),
            CUBLAS_STATUS_NOT_SUPPORTED);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cublasSetStream(handle_, stream), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cublasSscal(handle_, 1, &one, d.data(), 1), CUBLAS_STATUS_NOT_SUPPORTED);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("lockstep: cublasSsymv is not in lockstep's own cuBLAS."), told.npos) << told;
  EXPECT_NE(told.find("cublasSscal with a stream that is captured is not in"), told.npos) << told;
}

}  // namespace
}  // namespace lockstep::libraries_test
