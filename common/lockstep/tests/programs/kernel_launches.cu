// Kernels that launch kernels: a tree of grids, streams and events of the device, tail launches in a circle, memory of
// the device. Nothing here depends on whether a child runs beside its parent.

// Flags: -rdc=true -lcudadevrt
// Also for compute_90
#include "device_ints.h"

__device__ int d_order[64];
__device__ int d_steps;

// Each node adds 1 and launches two nodes: 2^depth - 1 grids in all.
__global__ void grow(int depth, int* grids) {
  atomicAdd(grids, 1);
  if (depth == 1) return;
  grow<<<1, 1>>>(depth - 1, grids);
  grow<<<1, 1, 0, cudaStreamFireAndForget>>>(depth - 1, grids);
}

// Every thread of every block launches. The child reads what its parent wrote before the launch, and parameters of
// different sizes.
__global__ void add(int* out, const int* in, char small, double factor, int3 at) {
  out[threadIdx.x] = static_cast<int>(in[threadIdx.x] * factor) + small + at.z;
}
__global__ void scatter(int* out, int* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; ++k) in[4 * i + k] = i;
  add<<<1, 4>>>(out + 4 * i, in + 4 * i, 3, 2.0, make_int3(0, 0, i));
}

__global__ void note(int what) { d_order[d_steps++] = what; }

// The children of one stream run one after the other, each with its own children. The event orders the second stream.
// The tail stream comes last.
__global__ void note_and_launch(int what) {
  d_order[d_steps++] = what;
  note<<<1, 1>>>(what + 1);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(what + 2);
}
__global__ void streams(int* errors) {
  cudaStream_t one, other;
  cudaEvent_t event;
  *errors = cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  *errors |= cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  *errors |= cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(90);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(91);
  note_and_launch<<<1, 1, 0, one>>>(10);
  note<<<1, 1, 0, one>>>(20);
  *errors |= cudaEventRecord(event, one);
  *errors |= cudaStreamWaitEvent(other, event, 0);
  note<<<1, 1, 0, other>>>(30);
  *errors |= cudaEventDestroy(event);
  *errors |= cudaStreamDestroy(one);
  *errors |= cudaStreamDestroy(other);
}

// A loop of the device: each grid launches the next in the tail stream, more often than grids may nest.
__global__ void repeat(int* rounds, int most) {
  if (++*rounds < most) repeat<<<1, 1, 0, cudaStreamTailLaunch>>>(rounds, most);
}

__global__ void fill_then_sum(int* copy, int* sum) {
  for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(sum, copy[i]);
}
__global__ void free_on_device(int* memory) { cudaFree(memory); }
__global__ void memory(int* copy, const int* in, int* sum, int* errors) {
  int* temporary = nullptr;
  *errors = cudaMalloc(&temporary, 64 * sizeof(int));
  *errors |= cudaMemsetAsync(temporary, 0, 64 * sizeof(int), nullptr);
  *errors |= cudaMemcpyAsync(temporary, in, 32 * sizeof(int), cudaMemcpyDeviceToDevice, nullptr);
  *errors |= cudaMemcpyAsync(copy, temporary, 64 * sizeof(int), cudaMemcpyDeviceToDevice, nullptr);
  fill_then_sum<<<1, 32>>>(copy, sum);
  free_on_device<<<1, 1, 0, cudaStreamTailLaunch>>>(temporary);
}

static void trees_and_parameters() {
  const DeviceInts grids(1), in(1024), out(1024);
  grow<<<1, 1>>>(7, grids.d);
  expect_equal("grids of a tree", grids.read(1)[0], 127);
  scatter<<<4, 64>>>(out.d, in.d);
  std::vector<int> want(1024);
  for (int i = 0; i < 1024; ++i) want[i] = 2 * (i / 4) + 3 + i / 4;
  expect_equal("children of every thread", out.read(1024), want);
}

static void order() {
  const DeviceInts errors(1), rounds(1);
  streams<<<1, 1>>>(errors.d);
  expect_equal("errors of streams", errors.read(1)[0], 0);
  int steps = 0;
  std::vector<int> got(64);
  CUDA_CHECK(cudaMemcpyFromSymbol(&steps, d_steps, sizeof steps));
  CUDA_CHECK(cudaMemcpyFromSymbol(got.data(), d_order, 64 * sizeof(int)));
  got.resize(steps);
  expect_equal("order of streams", got, {10, 11, 12, 20, 30, 90, 91});
  repeat<<<1, 1>>>(rounds.d, 40);
  expect_equal("rounds of tail launches", rounds.read(1)[0], 40);
}

static void memory_of_the_device() {
  const DeviceInts copy(64), in(32), sum(1), errors(1);
  std::vector<int> values(32, 5), want(64);
  CUDA_CHECK(cudaMemcpy(in.d, values.data(), 32 * sizeof(int), cudaMemcpyHostToDevice));
  memory<<<1, 1>>>(copy.d, in.d, sum.d, errors.d);
  std::fill_n(want.begin(), 32, 5);
  expect_equal("errors of memory", errors.read(1)[0], 0);
  expect_equal("copied on the device", copy.read(64), want);
  expect_equal("summed by a child", sum.read(1)[0], 160);
}

int main() {
  trees_and_parameters();
  order();
  memory_of_the_device();
  return verdict("kernel_launches");
}
