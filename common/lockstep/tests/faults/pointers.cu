// pointers: memory that is already freed, that belongs to the host, that is freed wrongly or never: use_after_free,
// host_pointer, invalid_free, leak.
#include <cstdlib>

#include "case.h"

// case: freed_before_launch
// Thinks: the kernel keeps its arguments alive.
// expect: use_after_free
__global__ void double_each(int* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 2 * i;  // HERE
}
CASE(freed_before_launch) {
  int* a = nullptr;
  cudaMalloc(&a, 256 * sizeof(int));
  cudaFree(a);
  double_each<<<2, 128>>>(a, 256);
  return finished();
}

// case: freed_under_another_name
// Thinks: after the swap, `scratch` is no longer needed. It is the result now.
// expect: use_after_free
__global__ void step(const float* in, float* out) {
  const float value = in[threadIdx.x];  // HERE
  out[threadIdx.x] = value + 1;
}
CASE(freed_under_another_name) {
  Device<float> a(counting<float>(64));
  float* scratch = nullptr;
  cudaMalloc(&scratch, 64 * sizeof(float));
  step<<<1, 64>>>(a, scratch);
  float* result = scratch;
  cudaFree(scratch);
  step<<<1, 64>>>(result, a);
  return finished();
}

// case: heap_read_after_free
// Thinks: what was freed a line ago is still there.
// expect: use_after_free
__global__ void sum_of_scratch(int* out) {
  int* scratch = static_cast<int*>(malloc(4 * sizeof(int)));
  for (int k = 0; k < 4; ++k) scratch[k] = k + static_cast<int>(threadIdx.x);
  free(scratch);
  out[threadIdx.x] = scratch[threadIdx.x % 4];  // HERE
}
CASE(heap_read_after_free) {
  Device<int> out(1);
  sum_of_scratch<<<1, 1>>>(out);
  return finished();
}

// case: freed_by_the_first_thread
// Thinks: thread 0 allocated it, so thread 0 may free it when it is done. The others are not.
// expect: use_after_free
__global__ void shared_scratch(int* out) {
  __shared__ int* s_scratch;
  const int tid = threadIdx.x;
  if (tid == 0) s_scratch = static_cast<int*>(malloc(64 * sizeof(int)));
  // All threads need the pointer.
  __syncthreads();
  s_scratch[tid] = tid;
  // No thread frees memory that another thread still writes.
  __syncthreads();
  if (tid == 0) free(s_scratch);
  __syncthreads();
  out[tid] = s_scratch[tid];  // HERE
}
CASE(freed_by_the_first_thread) {
  Device<int> out(64);
  shared_scratch<<<1, 64>>>(out);
  return finished();
}

// case: freed_row_of_a_table
// Thinks: freeing a row takes it out of the table.
// expect: use_after_free
__global__ void sum_rows(int* const* rows, int* out) {
  int* row = rows[blockIdx.x];
  const int value = row[threadIdx.x];  // HERE
  atomicAdd(out, value);
}
CASE(freed_row_of_a_table) {
  std::vector<int*> rows(3);
  for (int*& row : rows) {
    cudaMalloc(&row, 32 * sizeof(int));
    cudaMemset(row, 0, 32 * sizeof(int));
  }
  Device<int*> table(rows);
  Device<int> out = zeros<int>(1);
  cudaFree(rows[1]);
  sum_rows<<<3, 32>>>(table, out);
  const bool right = finished();
  cudaFree(rows[0]);
  cudaFree(rows[2]);
  return right;
}

// case: freed_in_stream_order
// Thinks: cudaFreeAsync waits until the memory is not needed. It waits only for earlier launches.
// expect: use_after_free
__global__ void write_pair(int* a) {
  a[threadIdx.x] = 1;  // HERE
}
CASE(freed_in_stream_order) {
  int* a = nullptr;
  cudaMallocAsync(&a, 2 * sizeof(int), nullptr);
  cudaFreeAsync(a, nullptr);
  write_pair<<<1, 2>>>(a);
  return finished();
}

// case: owner_gone
// Thinks: the function returns the memory. It returns an address; its owner frees the memory at the closing brace.
// expect: use_after_free
__global__ void read_table(const int* table, int* out) {
  out[threadIdx.x] = table[threadIdx.x];  // HERE
}
static const int* make_table() {
  Device<int> table(counting(32));
  return table.get();
}
CASE(owner_gone) {
  Device<int> out(32);
  read_table<<<1, 32>>>(make_table(), out);
  return finished();
}

// ---- host_pointer ----

// case: vector_data
// Thinks: a kernel can use any pointer.
// expect: host_pointer
__global__ void add_one(int* a, int n) {
  const int i = threadIdx.x;
  if (i < n) a[i] = i + 1;  // HERE
}
CASE(vector_data) {
  std::vector<int> a(64);
  add_one<<<1, 64>>>(a.data(), 64);
  return finished();
}

// case: malloc_on_host
// Thinks: the card can read what malloc gave.
// expect: host_pointer
__global__ void sum_first(const float* in, float* out) {
  const float first = in[0];  // HERE
  out[0] = first;
}
CASE(malloc_on_host) {
  float* in = static_cast<float*>(std::malloc(sizeof(float)));
  in[0] = 1.0f;
  Device<float> out(1);
  sum_first<<<1, 1>>>(in, out);
  const bool right = finished();
  std::free(in);
  return right;
}

// case: address_of_a_local
// Thinks: the kernel can put its result straight into the host's variable.
// expect: host_pointer
__global__ void count_positive(const int* in, int* count) {
  if (in[threadIdx.x] > 0) atomicAdd(count, 1);  // HERE
}
CASE(address_of_a_local) {
  Device<int> in(counting(32));
  int count = 0;
  count_positive<<<1, 32>>>(in, &count);
  return finished() && count == 31;
}

// case: host_member
// Thinks: copying the struct to the card copies what its members point to.
// expect: host_pointer
struct Image {
  int width;
  const unsigned char* pixels;
};
__global__ void brightness(const Image* image, int* out) {
  out[threadIdx.x] = image->pixels[threadIdx.x];  // HERE
}
CASE(host_member) {
  const std::vector<unsigned char> pixels(32, 7);
  Device<Image> image(std::vector<Image>{{32, pixels.data()}});
  Device<int> out(32);
  brightness<<<1, 32>>>(image, out);
  return finished();
}

// case: host_rows
// Thinks: a vector of vectors is a matrix on the card, too, once the row pointers are copied.
// expect: host_pointer
__global__ void transpose_rows(float* const* rows, float* out) {
  float* const row = rows[threadIdx.y];
  out[threadIdx.x * blockDim.y + threadIdx.y] = row[threadIdx.x];  // HERE
}
CASE(host_rows) {
  std::vector<std::vector<float>> matrix(4, std::vector<float>(8, 1.0f));
  std::vector<float*> rows;
  for (auto& row : matrix) rows.push_back(row.data());
  Device<float*> table(rows);
  Device<float> out(32);
  transpose_rows<<<1, dim3(8, 4)>>>(table, out);
  return finished();
}

// case: address_of_device_variable
// Thinks: & gives the host the address of a __device__ variable. It gives that of its shadow; cudaGetSymbolAddress
// gives the right one.
// expect: host_pointer
__device__ int visits;
__global__ void visit(int* counter) {
  atomicAdd(counter, 1);  // HERE
}
CASE(address_of_device_variable) {
  visit<<<1, 32>>>(&visits);
  return finished();
}

// ---- invalid_free ----

// case: freed_twice
// Thinks: freeing once more does no harm.
// expect: invalid_free
CASE(freed_twice) {
  int* a = nullptr;
  cudaMalloc(&a, 64);
  const cudaError_t first = cudaFree(a);
  const cudaError_t second = cudaFree(a);
  return first == cudaSuccess && second == cudaSuccess;
}

// case: freed_in_the_middle
// Thinks: the pointer that walked along the array still frees it.
// expect: invalid_free
CASE(freed_in_the_middle) {
  Device<float> owner(64);
  float* walking = owner + 16;
  return cudaFree(walking) == cudaSuccess;
}

// case: freed_host_memory
// Thinks: cudaFree frees whatever a CUDA program allocated.
// expect: invalid_free
CASE(freed_host_memory) {
  void* a = std::malloc(64);
  const bool right = cudaFree(a) == cudaSuccess;
  std::free(a);
  return right;
}

// case: freed_pinned_as_device
// Thinks: what cudaMallocHost gave, cudaFree takes back. cudaFreeHost does.
// expect: invalid_free
CASE(freed_pinned_as_device) {
  void* a = nullptr;
  cudaMallocHost(&a, 64);
  const bool right = cudaFree(a) == cudaSuccess;
  cudaFreeHost(a);
  return right;
}

// case: freed_device_as_pinned
// Thinks: cudaFreeHost is "free, called from the host".
// expect: invalid_free
CASE(freed_device_as_pinned) {
  Device<int> a(64);
  return cudaFreeHost(a) == cudaSuccess;
}

// case: freed_twice_in_kernel
// Thinks: every thread that has the pointer frees it.
// expect: invalid_free
__global__ void free_twice() {
  int* scratch = static_cast<int*>(malloc(64));
  int* same = scratch;
  free(scratch);
  free(same);  // HERE
}
CASE(freed_twice_in_kernel) {
  free_twice<<<1, 1>>>();
  return finished();
}

// case: freed_by_the_kernel
// Thinks: free() in a kernel takes back what cudaMalloc gave.
// expect: invalid_free
__global__ void consume(int* a) {
  a[threadIdx.x] = 0;
  if (threadIdx.x == 0) free(a);  // HERE
}
CASE(freed_by_the_kernel) {
  Device<int> a(32);
  consume<<<1, 32>>>(a);
  return finished();
}

// ---- leak: the finding must name the size in `says` ----

// case: never_freed
// Thinks: the card's memory goes away with the variable that points to it.
// expect: leak
// says: 4096
CASE(never_freed) {
  int* a = nullptr;
  cudaMalloc(&a, 1024 * sizeof(int));
  double_each<<<4, 256>>>(a, 1024);
  return finished();
}

// case: early_return
// Thinks: with nothing to do, there is nothing to clean up.
// expect: leak
// says: 1536
static bool scan_or_return(int n) {
  int* sums = nullptr;
  cudaMalloc(&sums, 384 * sizeof(int));
  if (n == 0) return true;
  double_each<<<1, 128>>>(sums, n);
  cudaFree(sums);
  return finished();
}
CASE(early_return) { return scan_or_return(0); }

// case: pointer_overwritten
// Thinks: allocating again makes the array larger.
// expect: leak
// says: 640
CASE(pointer_overwritten) {
  int* a = nullptr;
  cudaMalloc(&a, 160 * sizeof(int));
  cudaMalloc(&a, 320 * sizeof(int));
  double_each<<<2, 160>>>(a, 320);
  const bool right = finished();
  cudaFree(a);
  return right;
}

// case: one_level_freed
// Thinks: freeing the last level's sums is enough. The other two stay.
// expect: leak
// says: 2048
// expect: leak
// says: 1024
CASE(one_level_freed) {
  int* sums = nullptr;
  for (int n = 512; n >= 128; n /= 2) {
    cudaMalloc(&sums, n * sizeof(int));
    double_each<<<2, 256>>>(sums, n);
  }
  const bool right = finished();
  cudaFree(sums);
  return right;
}

// case: managed_never_freed
// Thinks: managed means that somebody else looks after it.
// expect: leak
// says: 512
CASE(managed_never_freed) {
  int* a = nullptr;
  cudaMallocManaged(&a, 512);
  double_each<<<1, 128>>>(a, 128);
  return finished() && a[1] == 2;
}

// case: heap_never_freed
// Thinks: a kernel's malloc ends with the kernel.
// expect: leak
// says: 800
__global__ void allocate_only(int* out) {
  int* scratch = static_cast<int*>(malloc(800));
  scratch[0] = 5;
  out[0] = scratch[0];
}
CASE(heap_never_freed) {
  Device<int> out(1);
  allocate_only<<<1, 1>>>(out);
  return finished() && out.host()[0] == 5;
}

// case: leak_behind_a_fault
// Thinks: after a fault nothing matters. The array that is never freed is forgotten all the same.
// expect: out_of_bounds
// says: After it, 2 launches of the program did not run
// expect: leak
// says: 4096
__global__ void write_far(int* a) {
  a[1 << 20] = 1;  // HERE
}
CASE(leak_behind_a_fault) {
  int* forgotten = nullptr;
  int* a = nullptr;
  cudaMalloc(&forgotten, 4096);
  cudaMalloc(&a, 64);
  write_far<<<1, 1>>>(a);
  double_each<<<1, 16>>>(forgotten, 16);
  const bool right = finished();
  double_each<<<1, 16>>>(a, 16);
  cudaGetLastError();
  cudaFree(a);
  return right;
}
