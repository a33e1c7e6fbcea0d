// A program that links cuBLAS, as tutorials on matrix products do: a kernel of its own is compared with cublasSgemm.
// Its streams, its pinned and its managed memory are ordered rightly; with the argument `race` they are not.
#include <cublas_v2.h>

#include <cstring>
#include <vector>

#include "common/lockstep/tests/programs/expect.h"

inline void cublas_check(cublasStatus_t status, const char* what, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "line %d: %s: %s\n", line, what, cublasGetStatusString(status));
  std::exit(1);
}
#define CUBLAS_CHECK(call) cublas_check(call, #call, __LINE__)

constexpr int kSize = 70;  // not a multiple of the tile

// Row-major C = A * B.
__global__ void product(const float* __restrict__ a, const float* __restrict__ b, int n, float* __restrict__ c) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + column];
  c[row * n + column] = sum;
}

__global__ void fill(float* out, int n, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
}

// Column-major cuBLAS gives the row-major product if the factors change places.
void compare(cublasHandle_t blas) {
  const size_t count = kSize * kSize;
  std::vector<float> a(count), b(count), own(count), theirs(count);
  const std::vector<int> numbers = random_ints(2 * count, -4, 4, 1);
  for (size_t i = 0; i < count; ++i) a[i] = float(numbers[i]), b[i] = float(numbers[count + i]);
  float *d_a, *d_b, *d_c;
  for (float** array : {&d_a, &d_b, &d_c}) CUDA_CHECK(cudaMalloc(array, count * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_a, a.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_b, b.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  const dim3 block(16, 16), grid((kSize + 15) / 16, (kSize + 15) / 16);
  product<<<grid, block>>>(d_a, d_b, kSize, d_c);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(own.data(), d_c, count * sizeof(float), cudaMemcpyDeviceToHost));
  const float one = 1, zero = 0;
  CUBLAS_CHECK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, &one, d_b, kSize, d_a, kSize, &zero,
                           d_c, kSize));
  CUDA_CHECK(cudaMemcpy(theirs.data(), d_c, count * sizeof(float), cudaMemcpyDeviceToHost));
  expect_equal("product", own, theirs);  // sums of small whole numbers are exact
  for (float* array : {d_a, d_b, d_c}) CUDA_CHECK(cudaFree(array));
}

// The kernel fills x in one stream, and cuBLAS scales it in another one. ordered: an event stands between them.
void scale_behind_a_kernel(cublasHandle_t blas, bool ordered) {
  constexpr int kCount = 1000;
  cudaStream_t first, second;
  cudaEvent_t filled;
  CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreate(&filled));
  float *x, *sum;
  CUDA_CHECK(cudaMallocManaged(&x, kCount * sizeof(float)));
  CUDA_CHECK(cudaMallocHost(&sum, sizeof(float)));
  fill<<<(kCount + 255) / 256, 256, 0, first>>>(x, kCount, 2);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(filled, first));
  if (ordered) CUDA_CHECK(cudaStreamWaitEvent(second, filled));
  const float three = 3;
  CUBLAS_CHECK(cublasSetStream(blas, second));
  CUBLAS_CHECK(cublasSscal(blas, kCount, &three, x, 1));  // RACE
  CUBLAS_CHECK(cublasSasum(blas, kCount, x, 1, sum));
  CUDA_CHECK(cudaDeviceSynchronize());
  expect_equal("sum", *sum, 6.0F * kCount);
  expect_equal("element", x[kCount - 1], 6.0F);
  CUBLAS_CHECK(cublasSetStream(blas, nullptr));
  CUDA_CHECK(cudaFree(x));
  CUDA_CHECK(cudaFreeHost(sum));
  CUDA_CHECK(cudaEventDestroy(filled));
  for (cudaStream_t stream : {first, second}) CUDA_CHECK(cudaStreamDestroy(stream));
}

int main(int argc, char** argv) {
  cublasHandle_t blas;
  CUBLAS_CHECK(cublasCreate(&blas));
  compare(blas);
  scale_behind_a_kernel(blas, argc < 2 || std::strcmp(argv[1], "race") != 0);
  CUBLAS_CHECK(cublasDestroy(blas));
  return verdict("blas");
}
