// runtime_data: the effects of runtime calls on data: copies, symbols, managed variables, kernel arguments, streams.
// Prints the results; runtime_data_h200.txt is the output on an NVIDIA H200. Argument: the group of calls to make.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

namespace {

void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", call, cudaGetErrorName(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

void print(const char* what, const int* values, int n) {
  std::printf("%s:", what);
  for (int i = 0; i < n; ++i) std::printf(" %d", values[i]);
  std::printf("\n");
}

void copies() {
  constexpr int kWidth = 5, kHeight = 3, kDepth = 2;
  std::vector<int> in(kWidth * kHeight * kDepth), out(in.size(), -1);
  std::iota(in.begin(), in.end(), 0);
  int* d = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&d, &pitch, kWidth * sizeof(int), kHeight));
  CHECK(cudaMemset2D(d, pitch, 0xff, kWidth * sizeof(int), kHeight));
  CHECK(cudaMemcpy2D(d, pitch, in.data(), 20, 12, 2, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2D(out.data(), 20, d, pitch, 20, 3, cudaMemcpyDeviceToHost));
  print("3 by 2 of 5 by 3", out.data(), 15);

  cudaPitchedPtr box{};
  const cudaExtent whole = make_cudaExtent(kWidth * sizeof(int), kHeight, kDepth);
  CHECK(cudaMalloc3D(&box, whole));
  CHECK(cudaMemset3D(box, 0, whole));
  cudaMemcpy3DParms part{};
  part.srcPtr = make_cudaPitchedPtr(in.data(), 20, kWidth, kHeight);
  part.srcPos = make_cudaPos(4, 1, 0);
  part.dstPtr = box;
  part.dstPos = make_cudaPos(8, 0, 0);
  part.extent = make_cudaExtent(8, 2, 2);
  part.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&part));
  cudaMemcpy3DParms back{};
  back.srcPtr = box;
  back.dstPtr = make_cudaPitchedPtr(out.data(), 20, kWidth, kHeight);
  back.extent = whole;
  back.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&back));
  print("2 by 2 by 2 of 5 by 3 by 2", out.data(), 30);

  int *a = nullptr, *b = nullptr;
  CHECK(cudaMalloc(&a, 64));
  CHECK(cudaMalloc(&b, 64));
  CHECK(cudaMemset(a, 1, 64));
  CHECK(cudaMemcpy(a + 4, in.data() + 7, 16, cudaMemcpyDefault));
  CHECK(cudaMemcpy(b, a, 64, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemsetAsync(b, 0, 8, 0));
  CHECK(cudaMemcpyAsync(out.data(), b, 64, cudaMemcpyDefault, 0));
  CHECK(cudaDeviceSynchronize());
  print("copied on", out.data(), 16);
}

__device__ int g_counter = 40;
__constant__ int c_factor = 3;
__device__ __managed__ int m_value = 5;
__device__ __managed__ int m_values[3] = {7, 8, 9};
__device__ static int s_hidden = 11;

__global__ void use_variables(int* out) {
  g_counter += 2;
  out[0] = g_counter;
  out[1] = c_factor;
  out[2] = m_value++;
  out[3] = s_hidden;
  m_values[1] *= 2;
}

void variables() {
  m_value += 1;  // first of all: the variable must exist
  int* d = nullptr;
  int out[4] = {};
  CHECK(cudaMalloc(&d, sizeof out));
  use_variables<<<1, 1>>>(d);
  CHECK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  print("in the kernel", out, 4);
  std::printf("managed: %d, %d %d %d\n", m_value, m_values[0], m_values[1], m_values[2]);
  const int factor = 100, counter = -1;
  CHECK(cudaMemcpyToSymbol(c_factor, &factor, sizeof factor));
  CHECK(cudaMemcpyToSymbolAsync(g_counter, &counter, sizeof counter, 0, cudaMemcpyHostToDevice, 0));
  use_variables<<<1, 1>>>(d);
  CHECK(cudaMemcpyFromSymbol(out, g_counter, sizeof(int)));
  CHECK(cudaMemcpy(out + 1, d + 1, 4, cudaMemcpyDeviceToHost));
  print("set by the host", out, 2);
  void* address = nullptr;
  CHECK(cudaGetSymbolAddress(&address, g_counter));
  CHECK(cudaMemset(address, 0, 4));
  use_variables<<<1, 1>>>(d);
  CHECK(cudaMemcpy(out, d, 4, cudaMemcpyDeviceToHost));
  std::printf("through its address: %d\n", out[0]);
  size_t bytes = 0;
  CHECK(cudaGetSymbolSize(&bytes, m_values));
  std::printf("m_values has %zu bytes\n", bytes);
}

struct Mixed {
  char c;
  double d;
  short s[3];
};
struct Empty {};

__global__ void arguments(char c, Mixed m, Empty, float f, long long ll, bool b, double* out) {
  out[0] = c;
  out[1] = m.c;
  out[2] = m.d;
  out[3] = m.s[0] + 10 * m.s[1] + 100 * m.s[2];
  out[4] = f;
  out[5] = static_cast<double>(ll);
  out[6] = b;
}
template <typename T, int kTimes>
__global__ void times(T* value) {
  *value *= kTimes;
}

int launched_while_evaluating(int* d) {
  times<int, 3><<<1, 1>>>(d);
  return 1;
}

void kernel_arguments() {
  double* out = nullptr;
  CHECK(cudaMallocManaged(&out, 7 * sizeof(double)));
  arguments<<<1, 1>>>('A', Mixed{'B', 2.5, {1, 2, 3}}, Empty{}, -0.5f, 1ll << 40, true, out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 7; ++i) std::printf("%g ", out[i]);
  int* d = nullptr;
  CHECK(cudaMallocManaged(&d, sizeof(int)));
  *d = 7;
  times<int, 5><<<launched_while_evaluating(d), 1>>>(d);
  CHECK(cudaDeviceSynchronize());
  std::printf("\n7 * 3 * 5 = %d\n", *d);
}

__global__ void fill(int* p, int n, int value) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) p[i] = value;
}
__global__ void add_to(const int* from, int* to, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) to[i] += from[i];
}
__global__ void reverse_in_shared(int* p) {
  extern __shared__ int s_values[];
  s_values[threadIdx.x] = p[threadIdx.x];
  __syncthreads();  // all values are written before any is read
  p[threadIdx.x] = s_values[blockDim.x - 1 - threadIdx.x];
}
__global__ void sum_of_blocks(int* sums) {
  if (threadIdx.x == 0) sums[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    for (unsigned i = 1; i < gridDim.x; ++i) sums[0] += sums[i];
}

void streams() {
  cudaStream_t one, two;
  cudaEvent_t filled;
  CHECK(cudaStreamCreate(&one));
  CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  int *a = nullptr, *b = nullptr, *pinned = nullptr;
  CHECK(cudaMallocAsync(&a, 400, one));
  CHECK(cudaMallocAsync(&b, 400, two));
  CHECK(cudaMallocHost(&pinned, 400));
  fill<<<4, 32, 0, one>>>(a, 100, 1);
  CHECK(cudaEventRecord(filled, one));
  fill<<<4, 32, 0, two>>>(b, 100, 2);
  CHECK(cudaStreamWaitEvent(two, filled, 0));
  add_to<<<4, 32, 0, two>>>(a, b, 100);
  CHECK(cudaMemcpyAsync(pinned, b, 400, cudaMemcpyDeviceToHost, two));
  static int seen = 0;
  CHECK(cudaLaunchHostFunc(
      two, [](void* data) { seen = static_cast<int*>(data)[99]; }, pinned));
  CHECK(cudaStreamSynchronize(two));
  std::printf("1 + 2 = %d, seen by the host function: %d\n", pinned[0], seen);
  CHECK(cudaFreeAsync(a, one));
  CHECK(cudaFreeAsync(b, two));

  std::iota(pinned, pinned + 8, 0);
  reverse_in_shared<<<1, 8, 8 * sizeof(int)>>>(pinned);  // pinned memory, as the kernel sees it
  CHECK(cudaDeviceSynchronize());
  print("reversed", pinned, 8);

  int* sums = nullptr;
  CHECK(cudaMallocManaged(&sums, 10 * sizeof(int)));
  void* parameters[] = {&sums};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(sum_of_blocks), 10, 32, parameters, 0, 0));
  CHECK(cudaDeviceSynchronize());
  std::printf("1 + … + 10 = %d\n", sums[0]);
  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long threshold = ~0ull;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(cudaMallocFromPoolAsync(&a, 1000, pool, one));
  CHECK(cudaFreeAsync(a, one));
  CHECK(cudaStreamDestroy(one));
  CHECK(cudaStreamDestroy(two));
  CHECK(cudaEventDestroy(filled));
}

__global__ void say(int round) { printf("round %d, thread %d\n", round, static_cast<int>(threadIdx.x)); }

// The output of kernels appears when the host waits, so before the output that the host prints after that.
void output() {
  std::printf("start\n");
  say<<<1, 2>>>(1);
  CHECK(cudaDeviceSynchronize());
  std::printf("after one\n");
  say<<<1, 1>>>(2);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaDeviceSynchronize());
  std::printf("after two\n");
  say<<<1, 1>>>(3);
  CHECK(cudaDeviceReset());
  std::printf("end\n");
}

// Four host threads in parallel, each with its own memory.
void threads() {
  std::vector<int> results(4);
  std::vector<std::thread> workers;
  for (int w = 0; w < 4; ++w)
    workers.emplace_back([w, &results] {
      int *a = nullptr, *b = nullptr;
      std::vector<int> host(1000);
      for (int round = 0; round < 20; ++round) {
        CHECK(cudaMalloc(&a, 4000));
        CHECK(cudaMalloc(&b, 4000));
        fill<<<8, 128>>>(a, 1000, w);
        fill<<<8, 128>>>(b, 1000, round);
        add_to<<<8, 128>>>(a, b, 1000);
        CHECK(cudaMemcpy(host.data(), b, 4000, cudaMemcpyDeviceToHost));
        results[w] += std::accumulate(host.begin(), host.end(), 0);
        CHECK(cudaFree(a));
        CHECK(cudaFree(b));
      }
    });
  for (auto& worker : workers) worker.join();
  print("sums", results.data(), 4);
}

}  // namespace

int main(int argc, char** argv) {
  const char* group = argc > 1 ? argv[1] : "";
  if (!std::strcmp(group, "copies")) copies();
  if (!std::strcmp(group, "variables")) variables();
  if (!std::strcmp(group, "arguments")) kernel_arguments();
  if (!std::strcmp(group, "streams")) streams();
  if (!std::strcmp(group, "output")) output();
  if (!std::strcmp(group, "threads")) threads();
  return 0;
}
