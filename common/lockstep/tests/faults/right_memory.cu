// right_memory: accesses, pointers and frees that look wrong and are right. lockstep must report no finding.
#include <cstdlib>

#include "case.h"

// case: tail_guarded
// Looks like: threads beyond the end. They do nothing.
// expect: nothing
__global__ void scale(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2.0f;
}
CASE(tail_guarded) {
  Device<float> a(counting<float>(1000));
  scale<<<4, 256>>>(a, 1000);
  return finished() && a.host()[999] == 1998.0f;
}

// case: clamped_neighbours
// Looks like: a read at -1 and at n.
// expect: nothing
__global__ void smooth(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[max(i - 1, 0)] + in[i] + in[min(i + 1, n - 1)];
}
CASE(clamped_neighbours) {
  Device<int> in(counting(100)), out(100);
  smooth<<<1, 128>>>(in, out, 100);
  return finished() && out.host()[0] == 1 && out.host()[99] == 98 + 99 + 99;
}

// case: vectors_with_scalar_tail
// Looks like: a float4 that reaches past the end. The last elements are copied one by one.
// expect: nothing
__global__ void copy_vectors(const float* in, float* out, int n) {
  const int i = threadIdx.x;
  if (4 * i + 3 < n) {
    reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
  } else {
    for (int k = 4 * i; k < n; ++k) out[k] = in[k];
  }
}
CASE(vectors_with_scalar_tail) {
  Device<float> in(counting<float>(101)), out(101);
  copy_vectors<<<1, 32>>>(in, out, 101);
  return finished() && out.host() == counting<float>(101);
}

// case: one_past_the_end_as_a_limit
// Looks like: a pointer past the end. It is compared, not followed.
// expect: nothing
__global__ void sum_range(const int* begin, const int* end, int* sum) {
  int total = 0;
  for (const int* p = begin + threadIdx.x; p < end; p += blockDim.x) total += *p;
  atomicAdd(sum, total);
}
CASE(one_past_the_end_as_a_limit) {
  Device<int> in(counting(100)), sum = zeros<int>(1);
  sum_range<<<1, 32>>>(in, in + 100, sum);
  return finished() && sum.host()[0] == 99 * 50;
}

// case: negative_index_from_the_middle
// Looks like: an index below zero. The pointer stands in the middle of its array.
// expect: nothing
__global__ void around(const int* middle, int* out) {
  const int k = static_cast<int>(threadIdx.x) - 16;
  out[threadIdx.x] = middle[k];
}
CASE(negative_index_from_the_middle) {
  Device<int> in(counting(32)), out(32);
  around<<<1, 32>>>(in + 16, out);
  return finished() && out.host() == counting(32);
}

// case: null_as_an_option
// Looks like: a null pointer. The kernel asks before it uses it.
// expect: nothing
__global__ void copy_and_count(const int* in, int* out, int* count) {
  out[threadIdx.x] = in[threadIdx.x];
  if (count != nullptr) atomicAdd(count, 1);
}
CASE(null_as_an_option) {
  Device<int> in(counting(32)), out(32);
  copy_and_count<<<1, 32>>>(in, out, nullptr);
  return finished() && out.host() == counting(32);
}

// case: pinned_memory
// Looks like: a host pointer. cudaMallocHost made it the card's, too.
// expect: nothing
CASE(pinned_memory) {
  float* a = nullptr;
  cudaMallocHost(&a, 64 * sizeof(float));
  for (int i = 0; i < 64; ++i) a[i] = static_cast<float>(i);
  scale<<<1, 64>>>(a, 64);
  const bool right = finished() && a[63] == 126.0f;
  cudaFreeHost(a);
  return right;
}

// case: managed_memory
// Looks like: memory that only one side wrote. Both sides may.
// expect: nothing
CASE(managed_memory) {
  float* a = nullptr;
  cudaMallocManaged(&a, 64 * sizeof(float));
  for (int i = 0; i < 64; ++i) a[i] = static_cast<float>(i);
  scale<<<1, 64>>>(a, 64);
  const bool right = finished() && a[63] == 126.0f;
  cudaFree(a);
  return right;
}

// case: symbol_address
// Looks like: the host's shadow of a __device__ variable. cudaGetSymbolAddress gave the real address.
// expect: nothing
__device__ int visits;
__global__ void visit(int* counter) { atomicAdd(counter, 1); }
CASE(symbol_address) {
  int* counter = nullptr;
  cudaGetSymbolAddress(reinterpret_cast<void**>(&counter), visits);
  visit<<<2, 32>>>(counter);
  int total = 0;
  const bool right = finished() && cudaMemcpyFromSymbol(&total, visits, sizeof total) == cudaSuccess;
  return right && total == 64;
}

// case: free_of_null
// Looks like: frees of nothing. They are allowed, on the host and in a kernel.
// expect: nothing
__global__ void free_null() { free(nullptr); }
CASE(free_of_null) {
  free_null<<<1, 32>>>();
  return finished() && cudaFree(nullptr) == cudaSuccess && cudaFreeHost(nullptr) == cudaSuccess;
}

// case: freed_then_allocated_again
// Looks like: a dangling pointer. The variable holds new memory, maybe at the old place.
// expect: nothing
CASE(freed_then_allocated_again) {
  bool right = true;
  for (int round = 0; round < 3; ++round) {
    Device<float> a(counting<float>(256));
    scale<<<1, 256>>>(a, 256);
    right = right && finished() && a.host()[255] == 510.0f;
  }
  return right;
}

// case: heap_across_kernels
// Looks like: a leak of the heap. A later kernel frees what the first one allocated.
// expect: nothing
__device__ int* d_list;
__global__ void allocate_list() {
  d_list = static_cast<int*>(malloc(32 * sizeof(int)));
  for (int k = 0; k < 32; ++k) d_list[k] = k;
}
__global__ void use_list(int* out) { out[threadIdx.x] = d_list[threadIdx.x]; }
__global__ void free_list() { free(d_list); }
CASE(heap_across_kernels) {
  Device<int> out(32);
  allocate_list<<<1, 1>>>();
  use_list<<<1, 32>>>(out);
  free_list<<<1, 1>>>();
  return finished() && out.host() == counting(32);
}

// case: scratch_of_every_thread
// Looks like: many allocations in a kernel. Each is freed by the thread that made it.
// expect: nothing
__global__ void sum_of_squares(int* out, int n) {
  int* squares = static_cast<int*>(malloc(n * sizeof(int)));
  for (int k = 0; k < n; ++k) squares[k] = k * k;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += squares[(k * 7) % n];
  free(squares);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
CASE(scratch_of_every_thread) {
  Device<int> out(64);
  sum_of_squares<<<2, 32>>>(out, 5);
  return finished() && out.host() == std::vector<int>(64, 30);
}

// case: stream_ordered_memory
// Looks like: memory freed while the kernel may still run. The free waits for its turn in the stream.
// expect: nothing
CASE(stream_ordered_memory) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float* a = nullptr;
  cudaMallocAsync(&a, 64 * sizeof(float), stream);
  cudaMemsetAsync(a, 0, 64 * sizeof(float), stream);
  scale<<<1, 64, 0, stream>>>(a, 64);
  float last = 1;
  cudaMemcpyAsync(&last, a + 63, sizeof last, cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(a, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  return finished() && last == 0.0f;
}

// case: pitched_rows
// Looks like: rows that do not begin where the last one ended. cudaMallocPitch aligned them.
// expect: nothing
__global__ void fill_rows(char* base, size_t pitch, int width) {
  int* row = reinterpret_cast<int*>(base + blockIdx.x * pitch);
  if (threadIdx.x < width) row[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
}
CASE(pitched_rows) {
  char* base = nullptr;
  size_t pitch = 0;
  cudaMallocPitch(&base, &pitch, 33 * sizeof(int), 5);
  fill_rows<<<5, 64>>>(base, pitch, 33);
  std::vector<int> rows(5 * 33);
  cudaMemcpy2D(rows.data(), 33 * sizeof(int), base, pitch, 33 * sizeof(int), 5, cudaMemcpyDeviceToHost);
  const bool right = finished() && rows[4 * 33 + 32] == 432;
  cudaFree(base);
  return right;
}

// case: wide_after_narrow
// Looks like: doubles after an odd number of floats. The offset is rounded up.
// expect: nothing
__global__ void carve_aligned(const float* in, double* out, int n) {
  extern __shared__ __align__(16) unsigned char s_all[];
  float* s_floats = reinterpret_cast<float*>(s_all);
  double* s_doubles = reinterpret_cast<double*>(s_all + (n * sizeof(float) + 7) / 8 * 8);
  const int tid = threadIdx.x;
  if (tid < n) s_floats[tid] = in[tid];
  if (tid < n) s_doubles[tid] = in[tid] + 0.5;
  // The sum is over all elements of both arrays.
  __syncthreads();
  if (tid == 0) {
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += s_floats[k] + s_doubles[k];
    *out = sum;
  }
}
CASE(wide_after_narrow) {
  Device<float> in(counting<float>(33));
  Device<double> out(1);
  carve_aligned<<<1, 64, 34 * sizeof(float) + 33 * sizeof(double)>>>(in, out, 33);
  return finished() && out.host()[0] == 2 * 528 + 16.5;
}

// case: recursion
// Looks like: a stack without end. It is as deep as the tree.
// expect: nothing
__device__ int tree_sum(const int* in, int begin, int end) {
  if (end - begin == 1) return in[begin];
  const int middle = (begin + end) / 2;
  return tree_sum(in, begin, middle) + tree_sum(in, middle, end);
}
__global__ void sum_recursively(const int* in, int* out) { out[threadIdx.x] = tree_sum(in, 0, threadIdx.x + 1); }
CASE(recursion) {
  Device<int> in(counting(32)), out(32);
  sum_recursively<<<1, 32>>>(in, out);
  return finished() && out.host()[31] == 31 * 16;
}

// case: dynamic_index_into_locals
// Looks like: an index that could be anything. It is taken modulo the length.
// expect: nothing
__global__ void count_residues(const int* in, int n, int* out) {
  int counts[5] = {};
  for (int i = threadIdx.x; i < n; i += blockDim.x) counts[in[i] % 5] += 1;
  for (int k = 0; k < 5; ++k) atomicAdd(&out[k], counts[k]);
}
CASE(dynamic_index_into_locals) {
  Device<int> in(counting(100)), out = zeros<int>(5);
  count_residues<<<1, 32>>>(in, 100, out);
  return finished() && out.host() == std::vector<int>(5, 20);
}

// case: two_hundred_kilobytes
// Looks like: more shared memory than a block may have. The kernel was asked first.
// expect: nothing
__global__ void last_word(int* out, int words) {
  extern __shared__ int s_words[];
  if (threadIdx.x == 0) s_words[words - 1] = 7;
  // Thread 1 reads this value.
  __syncthreads();
  if (threadIdx.x == 1) *out = s_words[words - 1];
}
CASE(two_hundred_kilobytes) {
  const int bytes = 200 << 10;
  cudaFuncSetAttribute(last_word, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  Device<int> out(1);
  last_word<<<1, 32, bytes>>>(out, bytes / 4);
  return finished() && out.host()[0] == 7;
}
