// bounds: accesses outside of the allocated memory, not aligned, or through a null pointer: out_of_bounds,
// misaligned, null_pointer.
#include "case.h"

// case: tail_by_one
// Thinks: "up to n" needs <=.
// expect: out_of_bounds
__global__ void scale_up_to_n(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) a[i] = 2.0f;  // HERE
}
CASE(tail_by_one) {
  Device<float> a(1000);
  scale_up_to_n<<<4, 256>>>(a, 1000);
  return finished();
}

// case: tail_unguarded
// Thinks: the grid has as many threads as there are elements. It was rounded up.
// expect: out_of_bounds
__global__ void copy_all(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];  // HERE
}
CASE(tail_unguarded) {
  Device<float> in(counting<float>(1000)), out(1024);
  copy_all<<<(1000 + 255) / 256, 256>>>(in, out);
  return finished();
}

// case: left_neighbour
// Thinks: every element has a neighbour on the left.
// expect: out_of_bounds
__global__ void differences(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int left = in[i - 1];  // HERE
  out[i] = in[i] - left;
}
CASE(left_neighbour) {
  Device<int> in(counting(256)), out(256);
  differences<<<2, 128>>>(in, out, 256);
  return finished();
}

// case: shared_halo
// Thinks: the tile has a right neighbour for its last element too.
// expect: out_of_bounds
__global__ void smooth_tile(const float* in, float* out) {
  __shared__ float s_tile[128];
  const int tid = threadIdx.x;
  s_tile[tid] = in[tid];
  // Another thread loads the neighbour.
  __syncthreads();
  const float right = s_tile[tid + 1];  // HERE
  out[tid] = s_tile[tid] + right;
}
CASE(shared_halo) {
  Device<float> in(counting<float>(128)), out(128);
  smooth_tile<<<1, 128>>>(in, out);
  return finished();
}

// case: int_overflow
// Thinks: an int holds every index, and i < n keeps it inside. row * pitch passes 2^31 and comes back negative.
// expect: out_of_bounds
__global__ void mark_rows(int* a, int pitch, int n) {
  const int row = threadIdx.x;
  const int i = row * pitch;
  if (i < n) a[i] = row;  // HERE
}
CASE(int_overflow) {
  Device<int> a(1 << 10);
  mark_rows<<<1, 32>>>(a, 1 << 27, 1 << 10);
  return finished();
}

// case: swapped_dimensions
// Thinks: x times width plus y is as good as y times width plus x. In a square, it would be.
// expect: out_of_bounds
__global__ void fill_image(int* image, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) image[x * width + y] = x + y;  // HERE
}
CASE(swapped_dimensions) {
  Device<int> image(64 * 32);
  fill_image<<<dim3(4, 2), dim3(16, 16)>>>(image, 64, 32);
  return finished();
}

// case: local_array
// Thinks: the data has only four kinds of elements. It has eight.
// expect: out_of_bounds
__global__ void count_kinds(const int* in, int* out) {
  int bins[4] = {};
  for (int i = 0; i < 16; ++i) bins[in[i]] += 1;  // HERE
  for (int k = 0; k < 4; ++k) out[k] = bins[k];
}
CASE(local_array) {
  std::vector<int> kinds(16);
  for (int i = 0; i < 16; ++i) kinds[i] = i % 8;
  Device<int> in(kinds), out(4);
  count_kinds<<<1, 1>>>(in, out);
  return finished();
}

// case: vector_tail
// Thinks: n / 4, rounded up, vectors hold n elements. The last one reaches past the end.
// expect: out_of_bounds
__global__ void copy_vectors(const float4* in, float4* out, int vectors) {
  const int i = threadIdx.x;
  float4 v = make_float4(0, 0, 0, 0);
  if (i < vectors) v = in[i];  // HERE
  if (i < vectors - 1) out[i] = v;
}
CASE(vector_tail) {
  Device<float> in(counting<float>(101)), out(101);
  copy_vectors<<<1, 32>>>(reinterpret_cast<const float4*>(in.get()), reinterpret_cast<float4*>(out.get()), 26);
  return finished();
}

// case: unrolled_tail
// Thinks: the guard for the first of two elements is good for both.
// expect: out_of_bounds
__global__ void add_pairs_of_blocks(const int* in, int* out, int n) {
  const int i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int first = in[i];
  const int second = in[i + blockDim.x];  // HERE
  atomicAdd(out, first + second);
}
CASE(unrolled_tail) {
  Device<int> in(counting(300)), out = zeros<int>(1);
  add_pairs_of_blocks<<<2, 128>>>(in, out, 300);
  return finished();
}

// case: dynamic_shared_in_elements
// Thinks: the third launch argument counts elements. It counts bytes.
// expect: out_of_bounds
__global__ void reverse_block(int* a) {
  extern __shared__ int s_block[];
  const int tid = threadIdx.x;
  s_block[tid] = a[tid];  // HERE
  // Each thread reads a value that another thread stored.
  __syncthreads();
  if (tid >= 48) a[tid] = s_block[63 - tid];
}
CASE(dynamic_shared_in_elements) {
  Device<int> a(counting(64));
  reverse_block<<<1, 64, 64>>>(a);
  return finished();
}

// case: bin_of_any_byte
// Thinks: 128 bins are enough for text. One byte is above.
// expect: out_of_bounds
__global__ void histogram_of_text(const unsigned char* text, int n, int* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[text[i]], 1);  // HERE
}
CASE(bin_of_any_byte) {
  std::vector<unsigned char> text(256, 'a');
  text[77] = 0xe4;
  Device<unsigned char> in(text);
  Device<int> bins = zeros<int>(128);
  histogram_of_text<<<2, 128>>>(in, 256, bins);
  return finished();
}

// case: heap_by_one
// Thinks: malloc(n) gives n ints, in a kernel as on the host.
// expect: out_of_bounds
__global__ void last_of_scratch(int* out, int n) {
  int* scratch = static_cast<int*>(malloc(n));
  for (int k = 0; k < n; ++k) scratch[k] = k;  // HERE
  out[0] = scratch[0];
  free(scratch);
}
CASE(heap_by_one) {
  Device<int> out(1);
  last_of_scratch<<<1, 1>>>(out, 16);
  return finished();
}

// case: one_block_sum_too_few
// Thinks: n / 256 blocks. The grid rounds up, the array of sums does not.
// expect: out_of_bounds
__global__ void block_counts(int* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int count = __syncthreads_count(i < n);
  if (threadIdx.x == 0) sums[blockIdx.x] = count;  // HERE
}
CASE(one_block_sum_too_few) {
  const int n = 1000;
  Device<int> sums(n / 256);
  block_counts<<<(n + 255) / 256, 256>>>(sums, n);
  return finished();
}

// case: tid_for_i
// Thinks: tid < n guards every access. The global index is another number.
// expect: out_of_bounds
__global__ void negate(float* a, int n) {
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  if (tid >= n) return;
  a[i] = -1.0f;  // HERE
}
CASE(tid_for_i) {
  Device<float> a(300);
  negate<<<3, 128>>>(a, 300);
  return finished();
}

// ---- misaligned ----

// case: vector_from_second
// Thinks: any four neighbours can be read as a float4.
// expect: misaligned
__global__ void sum_of_four(const float* in, float* out) {
  const float4 v = *reinterpret_cast<const float4*>(in + 1);  // HERE
  out[0] = v.x + v.y + v.z + v.w;
}
CASE(vector_from_second) {
  Device<float> in(counting<float>(8)), out(1);
  sum_of_four<<<1, 1>>>(in, out);
  return finished();
}

// case: int_from_bytes
// Thinks: four bytes of a packet are an int, wherever they lie.
// expect: misaligned
__global__ void read_field(const unsigned char* packet, int* out) {
  out[0] = *reinterpret_cast<const int*>(packet + 3);  // HERE
}
CASE(int_from_bytes) {
  Device<unsigned char> packet(counting<unsigned char>(16));
  Device<int> out(1);
  read_field<<<1, 1>>>(packet, out);
  return finished();
}

// case: doubles_behind_floats
// Thinks: the second array begins where the first ends. 33 floats end at a multiple of 4, not of 8.
// expect: misaligned
__global__ void carve(const float* in, double* out, int n) {
  extern __shared__ float s_floats[];
  double* s_doubles = reinterpret_cast<double*>(s_floats + n);
  const int tid = threadIdx.x;
  if (tid < n) s_floats[tid] = in[tid];
  if (tid < n) s_doubles[tid] = in[tid];  // HERE
  out[tid] = 0;
}
CASE(doubles_behind_floats) {
  Device<float> in(counting<float>(33));
  Device<double> out(64);
  carve<<<1, 64, 33 * sizeof(float) + 34 * sizeof(double)>>>(in, out, 33);
  return finished();
}

// case: pairs_in_odd_rows
// Thinks: an even column can be read as int2. Rows of 5 ints put every second row at an odd place.
// expect: misaligned
__global__ void row_pairs(const int* in, int* out, int pitch) {
  const int row = threadIdx.x;
  const int2 pair = *reinterpret_cast<const int2*>(in + row * pitch);  // HERE
  out[row] = pair.x + pair.y;
}
CASE(pairs_in_odd_rows) {
  Device<int> in(counting(40)), out(8);
  row_pairs<<<1, 8>>>(in, out, 5);
  return finished();
}

// case: wide_counter_behind_int
// Thinks: the 64-bit counter fits after the int that counts the records.
// expect: misaligned
__global__ void count_bytes(int* header) {
  atomicAdd(reinterpret_cast<unsigned long long*>(header + 1), 5ull);  // HERE
}
CASE(wide_counter_behind_int) {
  Device<int> header = zeros<int>(4);
  count_bytes<<<1, 32>>>(header);
  return finished();
}

// case: shared_halves_at_odd_byte
// Thinks: a 16-bit store may go to any byte of shared memory.
// expect: misaligned
__global__ void pack_halves(const unsigned short* in, unsigned char* out) {
  __shared__ unsigned char s_bytes[80];
  const int tid = threadIdx.x;
  if (tid == 0) s_bytes[79] = 1;
  // All threads copy the mark at the end.
  __syncthreads();
  *reinterpret_cast<unsigned short*>(s_bytes + 1 + 2 * tid) = in[tid];  // HERE
  out[tid] = s_bytes[79];
}
CASE(shared_halves_at_odd_byte) {
  Device<unsigned short> in(counting<unsigned short>(32));
  Device<unsigned char> out(32);
  pack_halves<<<1, 32>>>(in, out);
  return finished();
}

// ---- null_pointer ----

// case: never_allocated
// Thinks: declaring the pointer is enough.
// expect: null_pointer
__global__ void fill_with_index(int* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i;  // HERE
}
CASE(never_allocated) {
  int* a = nullptr;
  fill_with_index<<<1, 64>>>(a, 64);
  return finished();
}

// case: member_never_set
// Thinks: passing the struct passes its arrays. One was never set.
// expect: null_pointer
struct Vectors {
  const float* x = nullptr;
  const float* y = nullptr;
  float* sum = nullptr;
};
__global__ void add_vectors(Vectors v, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const float x = v.x[i];
  const float y = v.y[i];  // HERE
  v.sum[i] = x + y;
}
CASE(member_never_set) {
  Device<float> x(counting<float>(32)), sum(32);
  Vectors v;
  v.x = x;
  v.sum = sum;
  add_vectors<<<1, 32>>>(v, 32);
  return finished();
}

// case: past_the_last_node
// Thinks: a list of n nodes has n steps. It has n - 1.
// expect: null_pointer
struct Node {
  Node* next;
  int value;
};
__global__ void nth_value(const Node* node, int steps, int* out) {
  for (int k = 0; k < steps; ++k) node = node->next;
  out[0] = node->value;  // HERE
}
CASE(past_the_last_node) {
  Device<Node> nodes(2);
  const std::vector<Node> values{{nodes.get() + 1, 1}, {nullptr, 2}};
  cudaMemcpy(nodes, values.data(), 2 * sizeof(Node), cudaMemcpyHostToDevice);
  Device<int> out(1);
  nth_value<<<1, 1>>>(nodes, 2, out);
  return finished();
}

// case: failed_allocation
// Thinks: cudaMalloc always succeeds. This one asks for a petabyte.
// expect: null_pointer
__global__ void set_first(int* a) {
  a[threadIdx.x] = 1;  // HERE
}
CASE(failed_allocation) {
  int* a = nullptr;
  cudaMalloc(&a, size_t{1} << 50);
  set_first<<<1, 1>>>(a);
  return finished();
}

// case: failed_malloc_in_kernel
// Thinks: malloc in a kernel always succeeds. Its heap is small, and this asks for a terabyte.
// expect: null_pointer
__global__ void allocate_and_use(int* out, size_t bytes) {
  int* scratch = static_cast<int*>(malloc(bytes));
  scratch[threadIdx.x] = 1;  // HERE
  out[threadIdx.x] = threadIdx.x;
  free(scratch);
}
CASE(failed_malloc_in_kernel) {
  Device<int> out(1);
  allocate_and_use<<<1, 1>>>(out, size_t{1} << 40);
  return finished();
}

// case: null_bins
// Thinks: the histogram's bins are optional, and the kernel looks after that.
// expect: null_pointer
__global__ void count_into(const int* in, int* bins) {
  atomicAdd(&bins[in[threadIdx.x]], 1);  // HERE
}
CASE(null_bins) {
  Device<int> in(counting(64));
  count_into<<<1, 64>>>(in, nullptr);
  return finished();
}
