// names: the names in messages. Each kernel reads an element that nothing has written, or one that is not there. `says`
// is the name that the message must have: the learner's own where the source leaves no doubt, else PTX's.
#include "case.h"

// case: one_name_in_two_namespaces
// Thinks: the first definition is meant.
// expect: uninitialised_read
// says: read of source[0]
namespace left {
__global__ void copy(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }
}  // namespace left
namespace right {
__global__ void copy(const int* source, int* target) {
  target[threadIdx.x] = source[threadIdx.x];  // HERE
}
}  // namespace right

CASE(one_name_in_two_namespaces) {
  Device<int> a(32), b(32);
  right::copy<<<1, 32>>>(a, b);
  return finished();
}

// case: array_of_a_template
// Thinks: a row has 32 elements. It has one more.
// expect: uninitialised_read
// also: race
// says: read of s_rows[1][0]
constexpr int kRows = 2, kPad = 1;

template <class T, int kColumns, unsigned kBlock = 32>
__global__ void __launch_bounds__(kBlock)
    rows_of(const T* __restrict__ in, T* /* the result */ out, int n = 3 * (1 + 1)) {
  __shared__ T s_rows[kRows][kColumns + kPad], s_other[kRows];
  s_other[threadIdx.x % kRows] = in[threadIdx.x % 1];
  if (threadIdx.x == 0) s_rows[1][1] = in[0];
  out[threadIdx.x] = s_rows[1][threadIdx.x % 2] + s_other[0] * n;  // HERE
}

CASE(array_of_a_template) {
  Device<double> in = zeros<double>(32), out(32);
  rows_of<double, 32><<<1, 1>>>(in, out, 1);
  return finished();
}

// case: array_of_structs
// Thinks: both children are loaded.
// expect: uninitialised_read
// says: read of s_nodes[0][1]
struct Node {
  int left, right;
};

__global__ void walk(const Node* tree, int* sums) {
  __shared__ Node s_nodes[4][2];
  s_nodes[threadIdx.x][0] = tree[threadIdx.x];
  sums[threadIdx.x] = s_nodes[threadIdx.x][1].right;  // HERE
}

CASE(array_of_structs) {
  Device<Node> tree(std::vector<Node>(4));
  Device<int> sums(4);
  walk<<<1, 4>>>(tree, sums);
  return finished();
}

// case: array_of_the_launch
// Thinks: shared memory is zero.
// expect: uninitialised_read
// says: read of s_values[2]
using Floats = float*;

__global__ void scale(Floats values, float factor) {
  extern __shared__ __align__(16) float s_values[];
  values[threadIdx.x] = s_values[threadIdx.x + 2] * factor;  // HERE
}

CASE(array_of_the_launch) {
  Device<float> values(32);
  scale<<<1, 32, 256>>>(values, 2);
  return finished();
}

// case: pointer_of_a_typedef
// Thinks: the grid fits.
// expect: out_of_bounds
// says: at many[32], just past the end
// says: many has 32 elements
__global__ void set_all(Floats many) { many[threadIdx.x] = 1; }  // HERE
CASE(pointer_of_a_typedef) {
  Device<float> values(32);
  set_all<<<1, 64>>>(values);
  return finished();
}

// case: array_of_a_function
// Thinks: the second row is set.
// expect: uninitialised_read
// says: read of s_parts[1][0]
__device__ int sum_of_warp(int value) {
  __shared__ int s_parts[2][4];
  if (threadIdx.x == 0) s_parts[0][0] = value;
  return s_parts[1][threadIdx.x % 4];  // HERE
}
__global__ void add_warps(int* out) { out[threadIdx.x] = sum_of_warp(1); }

CASE(array_of_a_function) {
  Device<int> out(32);
  add_warps<<<1, 1>>>(out);
  return finished();
}

// case: kernel_of_a_macro
// Thinks: cudaMalloc sets zeros.
// expect: uninitialised_read
// says: read of parameter 1[0]
#define KERNEL(name, what) \
  __global__ void name(int* what) { what[threadIdx.x] += 1; }
KERNEL(of_a_macro, hidden)  // HERE

CASE(kernel_of_a_macro) {
  Device<int> a(32);
  of_a_macro<<<1, 1>>>(a);
  return finished();
}

// case: names_under_an_else
// Thinks: the second name is meant. Which one is compiled is not known here.
// expect: uninitialised_read
// says: read of parameter 1[0]
#if __CUDACC_VER_MAJOR__ > 1
__global__ void under_if(int* first) { first[threadIdx.x] += 1; }  // HERE
#else
__global__ void under_if(int* second) { second[threadIdx.x] += 1; }
#endif
CASE(names_under_an_else) {
  Device<int> a(32);
  under_if<<<1, 1>>>(a);
  return finished();
}

// case: one_array_under_two_names
// Thinks: it has two names. The message cannot know which one the line means.
// expect: uninitialised_read
// says: read of parameter 1[0]
__global__ void both(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x] + 1;  // HERE
}

CASE(one_array_under_two_names) {
  Device<int> a(32);
  both<<<1, 1>>>(a, a);
  return finished();
}

// case: row_of_a_table
// Thinks: rows count from 1.
// expect: out_of_bounds
// says: at table[3][1], 4 bytes past the end
// says: table has 3 x 4 elements
__device__ float table[3][4];

__global__ void look_up(int row, float* out) {
  out[0] = table[row][1];  // HERE
}

CASE(row_of_a_table) {
  Device<float> out(1);
  look_up<<<1, 1>>>(3, out);
  return finished();
}

// case: variable_without_an_index
// Thinks: it is set.
// expect: uninitialised_read
// says: read of s_one, which
extern "C" __global__ void plain_name(int* data, int n) {
  __shared__ int s_one;
  if (threadIdx.x > n) s_one = n;
  data[threadIdx.x] = s_one;  // HERE
}

CASE(variable_without_an_index) {
  Device<int> data(32);
  plain_name<<<1, 1>>>(data, 64);
  return finished();
}
