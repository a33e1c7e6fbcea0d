// right_initialised: memory that seems unwritten when it is read, but is written. lockstep must find nothing.
#include "case.h"

__global__ void copy_ints(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// case: cleared_by_memset
// Looks like: a count from nowhere. cudaMemset wrote it.
// expect: nothing
__global__ void count_all(int* count) { atomicAdd(count, 1); }
CASE(cleared_by_memset) {
  Device<int> count(1);
  cudaMemset(count, 0, sizeof(int));
  count_all<<<2, 64>>>(count);
  return finished() && count.host()[0] == 128;
}

// case: copied_from_device
// Looks like: a buffer that no kernel wrote. cudaMemcpy copied it from another one.
// expect: nothing
CASE(copied_from_device) {
  Device<int> a(counting(64)), b(64), c(64);
  cudaMemcpy(b, a, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
  copy_ints<<<1, 64>>>(b, c, 64);
  return finished() && c.host() == counting(64);
}

// case: copied_in_two_halves
// Looks like: half a copy. The other half comes in another call.
// expect: nothing
CASE(copied_in_two_halves) {
  const std::vector<int> values = counting(64);
  Device<int> a(64), b(64);
  cudaMemcpy(a, values.data(), 32 * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(a + 32, values.data() + 32, 32 * sizeof(int), cudaMemcpyHostToDevice);
  copy_ints<<<1, 64>>>(a, b, 64);
  return finished() && b.host() == counting(64);
}

// case: written_by_the_kernel_before
// Looks like: fresh memory. An earlier launch wrote it.
// expect: nothing
CASE(written_by_the_kernel_before) {
  Device<int> a(counting(64)), b(64), c(64);
  copy_ints<<<1, 64>>>(a, b, 64);
  copy_ints<<<1, 64>>>(b, c, 64);
  return finished() && c.host() == counting(64);
}

// case: globals_start_at_zero
// Looks like: __device__ variables without a value. C++ says that they are zero.
// expect: nothing
__device__ int d_counts[32];
__device__ int d_first = 5;
__constant__ int c_factor = 3;
__global__ void use_globals(int* out) { out[threadIdx.x] = c_factor * (d_counts[threadIdx.x] + d_first); }
CASE(globals_start_at_zero) {
  Device<int> out(32);
  use_globals<<<1, 32>>>(out);
  return finished() && out.host() == std::vector<int>(32, 15);
}

// case: struct_with_padding
// Looks like: unwritten bytes that are copied. They are padding: no member has them, and no thread uses them.
// expect: nothing
struct Sample {
  char kind;
  double value;
};
__global__ void make_samples(Sample* samples) {
  samples[threadIdx.x].kind = 'a';
  samples[threadIdx.x].value = threadIdx.x;
}
__global__ void copy_samples(const Sample* in, Sample* out) { out[threadIdx.x] = in[31 - threadIdx.x]; }
CASE(struct_with_padding) {
  Device<Sample> a(32), b(32);
  make_samples<<<1, 32>>>(a);
  copy_samples<<<1, 32>>>(a, b);
  return finished() && b.host()[0].value == 31.0;
}

// case: union_of_two
// Looks like: half of a union is unwritten. The program reads the half that was written.
// expect: nothing
union Number {
  int whole;
  double fraction;
};
__global__ void make_numbers(Number* numbers) { numbers[threadIdx.x].whole = threadIdx.x; }
__global__ void read_numbers(const Number* numbers, int* out) { out[threadIdx.x] = numbers[threadIdx.x].whole; }
CASE(union_of_two) {
  Device<Number> numbers(32);
  Device<int> out(32);
  make_numbers<<<1, 32>>>(numbers);
  read_numbers<<<1, 32>>>(numbers, out);
  return finished() && out.host() == counting(32);
}

// case: tail_filled_with_zero
// Looks like: a tile that the data does not fill. The other words are set to zero, which does not change the sum.
// expect: nothing
__global__ void tile_sum(const int* in, int n, int* sum) {
  __shared__ int s_tile[128];
  const int tid = threadIdx.x;
  s_tile[tid] = tid < n ? in[tid] : 0;
  // The tile is complete.
  __syncthreads();
  if (tid < 64) atomicAdd(sum, s_tile[tid] + s_tile[tid + 64]);
}
CASE(tail_filled_with_zero) {
  Device<int> in(counting(100)), sum = zeros<int>(1);
  tile_sum<<<1, 128>>>(in, 100, sum);
  return finished() && sum.host()[0] == 99 * 50;
}

// case: padding_skipped
// Looks like: a tile with unwritten words. No thread reads the word after every 32.
// expect: nothing
__global__ void transpose_tile(const int* in, int* out) {
  __shared__ int s_tile[32][33];
  for (int row = threadIdx.y; row < 32; row += 8) s_tile[row][threadIdx.x] = in[32 * row + threadIdx.x];
  // Threads read columns of the tile; other threads wrote its rows.
  __syncthreads();
  for (int row = threadIdx.y; row < 32; row += 8) out[32 * row + threadIdx.x] = s_tile[threadIdx.x][row];
}
CASE(padding_skipped) {
  Device<int> in(counting(1024)), out(1024);
  transpose_tile<<<1, dim3(32, 8)>>>(in, out);
  return finished() && out.host()[1] == 32 && out.host()[1023] == 1023;
}

// case: halo_by_few
// Looks like: a halo that is not loaded. The first and the last thread load one more element.
// expect: nothing
__global__ void blur(const int* in, int* out, int n) {
  __shared__ int s_tile[64 + 2];
  const int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
  s_tile[tid + 1] = in[i];
  if (tid == 0) s_tile[0] = i > 0 ? in[i - 1] : 0;
  if (tid == 63) s_tile[65] = i + 1 < n ? in[i + 1] : 0;
  // Other threads loaded the neighbours.
  __syncthreads();
  out[i] = s_tile[tid] + s_tile[tid + 1] + s_tile[tid + 2];
}
CASE(halo_by_few) {
  Device<int> in(counting(128)), out(128);
  blur<<<2, 64>>>(in, out, 128);
  return finished() && out.host()[64] == 192;
}

// case: bytes_make_an_int
// Looks like: an int of which only bytes were written. All four were, by four threads.
// expect: nothing
__global__ void store_bytes(unsigned char* bytes) { bytes[threadIdx.x] = static_cast<unsigned char>(threadIdx.x); }
CASE(bytes_make_an_int) {
  Device<int> a(32), b(32);
  store_bytes<<<1, 128>>>(reinterpret_cast<unsigned char*>(a.get()));
  copy_ints<<<1, 32>>>(a, b, 32);
  return finished() && b.host()[0] == 0x03020100;
}

// case: written_through_pinned
// Looks like: memory that the card never wrote. The host wrote it, where the card can read it.
// expect: nothing
CASE(written_through_pinned) {
  int* pinned = nullptr;
  cudaHostAlloc(&pinned, 64 * sizeof(int), cudaHostAllocMapped);
  for (int i = 0; i < 64; ++i) pinned[i] = i;
  Device<int> out(64);
  copy_ints<<<1, 64>>>(pinned, out, 64);
  const bool right = finished() && out.host() == counting(64);
  cudaFreeHost(pinned);
  return right;
}

// case: written_as_managed
// Looks like: memory from cudaMallocManaged that no kernel wrote. The host did.
// expect: nothing
CASE(written_as_managed) {
  int* managed = nullptr;
  cudaMallocManaged(&managed, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) managed[i] = i;
  Device<int> out(64);
  copy_ints<<<1, 64>>>(managed, out, 64);
  const bool right = finished() && out.host() == counting(64);
  cudaFree(managed);
  return right;
}

// case: heap_written_first
// Looks like: malloc's memory, read. Every element was written before.
// expect: nothing
__global__ void count_in_scratch(const int* in, int n, int* out) {
  int* counts = static_cast<int*>(malloc(8 * sizeof(int)));
  memset(counts, 0, 8 * sizeof(int));
  for (int i = 0; i < n; ++i) counts[in[i] % 8] += 1;
  for (int k = 0; k < 8; ++k) out[k] = counts[k];
  free(counts);
}
CASE(heap_written_first) {
  Device<int> in(counting(16)), out(8);
  count_in_scratch<<<1, 1>>>(in, 16, out);
  return finished() && out.host() == std::vector<int>(8, 2);
}

// case: rows_by_memset_2d
// Looks like: a matrix whose last columns are unwritten. No thread reads them.
// expect: nothing
__global__ void sum_columns(const char* base, size_t pitch, int rows, int* out) {
  int sum = 0;
  for (int row = 0; row < rows; ++row) sum += reinterpret_cast<const int*>(base + row * pitch)[threadIdx.x];
  out[threadIdx.x] = sum;
}
CASE(rows_by_memset_2d) {
  char* base = nullptr;
  size_t pitch = 0;
  cudaMallocPitch(&base, &pitch, 20 * sizeof(int), 4);
  cudaMemset2D(base, pitch, 0, 20 * sizeof(int), 4);
  Device<int> out(20);
  sum_columns<<<1, 20>>>(base, pitch, 4, out);
  const bool right = finished() && out.host() == std::vector<int>(20);
  cudaFree(base);
  return right;
}

// case: lock_set_by_exchange
// Looks like: an atomic on memory that nothing has written. Nobody uses the old value, so the exchange is a store.
// expect: nothing
__global__ void set_by_exchange(int* flag, int* out) {
  atomicExch(flag, 5);
  *out = *flag;
}
CASE(lock_set_by_exchange) {
  Device<int> flag(1), out(1);
  set_by_exchange<<<1, 1>>>(flag, out);
  return finished() && out.host()[0] == 5;
}
