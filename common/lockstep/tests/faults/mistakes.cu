// mistakes: what learners often do wrong, as they write it. `says` holds each message to the learner's own names, to
// the cause, and to the next step. HERE and OTHER are the lines, as in the other files.
#include <cuda/atomic>

#include "case.h"

constexpr int kBins = 64, kTile = 32, kPad = 1;

// case: bins_without_atomics
// Thinks: ++ is one step. Two threads read the same old count, and one addition is lost.
// expect: race
// says: two threads update s_bins[5], and nothing orders them
// says: Next: make the update one atomic operation: atomicAdd.
__global__ void count_values(const unsigned char* data, int n, int* bins) {
  __shared__ int s_bins[kBins];
  const int tid = threadIdx.x;
  if (tid < kBins) s_bins[tid] = 0;
  // All bins are zero.
  __syncthreads();
  if (tid < n) s_bins[data[tid]]++;  // HERE, OTHER
  // All values are counted.
  __syncthreads();
  if (tid < kBins) bins[tid] = s_bins[tid];
}
CASE(bins_without_atomics) {
  Device<unsigned char> data(std::vector<unsigned char>(128, 5));
  Device<int> bins = zeros<int>(kBins);
  count_values<<<1, 128>>>(data, 128, bins);
  return finished();
}

// case: global_sum_without_atomics
// Thinks: each thread adds its value to the sum. Their additions overwrite each other.
// expect: race
// says: two threads update sum[0]
// says: Next: make the update one atomic operation: atomicAdd.
__global__ void add_to_sum(const int* __restrict__ in, int n, int* __restrict__ sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *sum += in[i];  // HERE, OTHER
}
CASE(global_sum_without_atomics) {
  Device<int> in(counting(128)), sum = zeros<int>(1);
  add_to_sum<<<2, 64>>>(in, 128, sum);
  return finished();
}

// case: first_barrier_of_a_step_missing
// Thinks: the barrier at the end of the step is enough. A thread reads before its neighbour has stored.
// expect: race
// says: s_sum[
// says: Next: put __syncthreads() after line {HERE}, before line {OTHER}
__global__ void scan_reads_too_early(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_sum[128];
  const int tid = threadIdx.x;
  float sum = tid < n ? in[tid] : 0;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    s_sum[tid] = sum;                               // HERE
    if (tid >= stride) sum += s_sum[tid - stride];  // OTHER
    // The next step overwrites what slow threads still read.
    __syncthreads();
  }
  if (tid < n) out[tid] = sum;
}
CASE(first_barrier_of_a_step_missing) {
  Device<float> in(std::vector<float>(128, 1)), out(128);
  scan_reads_too_early<<<1, 128>>>(in, 128, out);
  return finished();
}

// case: second_barrier_of_a_step_missing
// Thinks: after the additions everybody is done. A fast thread stores the next step's sum.
// expect: race
// says: in one turn of the loop races with the write at line {HERE} in the next turn
// says: Next: put __syncthreads() after line {OTHER}, at the end of the loop's turn
__global__ void scan_stores_too_early(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_sum[128];
  const int tid = threadIdx.x;
  float sum = tid < n ? in[tid] : 0;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    s_sum[tid] = sum;  // HERE
    // The thread to the right reads this sum.
    __syncthreads();
    if (tid >= stride) sum += s_sum[tid - stride];  // OTHER
  }
  if (tid < n) out[tid] = sum;
}
CASE(second_barrier_of_a_step_missing) {
  Device<float> in(std::vector<float>(128, 1)), out(128);
  scan_stores_too_early<<<1, 128>>>(in, 128, out);
  return finished();
}

// case: transpose_without_barrier
// Thinks: the tile is full when the own element is stored. The other warps still store theirs.
// expect: race
// also: uninitialised_read
// says: s_tile[
// says: ][
// says: Next: put __syncthreads() after line {HERE}, before line {OTHER}
__global__ void transpose_tile(const float* in, float* out) {
  __shared__ float s_tile[kTile][kTile + kPad];
  s_tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * kTile + threadIdx.x];   // HERE
  out[threadIdx.y * kTile + threadIdx.x] = s_tile[threadIdx.x][threadIdx.y];  // OTHER
}
CASE(transpose_without_barrier) {
  Device<float> in(std::vector<float>(kTile * kTile, 1)), out(kTile * kTile);
  transpose_tile<<<1, dim3(kTile, kTile)>>>(in, out);
  return finished();
}

// case: lanes_of_a_warp_without_syncwarp
// Thinks: a warp runs in step. CUDA does not promise it.
// expect: race
// says: Next: put __syncwarp() after line {OTHER}, before line {HERE}
__global__ void reduce_warp(int* data) {
  __shared__ int s_sum[64];
  const int lane = threadIdx.x;
  s_sum[lane] = data[lane];
  s_sum[lane + 32] = 0;
  // All values are stored.
  __syncwarp();
  int sum = s_sum[lane] + s_sum[lane + 16];  // OTHER
  s_sum[lane] = sum;                         // HERE
  // The sums are stored.
  __syncwarp();
  data[lane] = s_sum[lane];
}
CASE(lanes_of_a_warp_without_syncwarp) {
  Device<int> data(counting(32));
  reduce_warp<<<1, 32>>>(data);
  return finished();
}

// case: block_atomics_between_blocks
// Thinks: an atomic is an atomic. This one is atomic among the threads of one block.
// expect: race
// says: atomic only among the threads of one block
// says: Next: use atomicAdd instead of atomicAdd_block
__global__ void count_in_all_blocks(int* counter) {
  atomicAdd_block(counter, 1);  // HERE, OTHER
}
CASE(block_atomics_between_blocks) {
  Device<int> counter = zeros<int>(1);
  count_in_all_blocks<<<4, 32>>>(counter);
  return finished();
}

// case: flag_without_a_fence
// Thinks: the value is written before the flag, so a thread that sees the flag sees the value.
// expect: race
// says: value[0]
// says: __threadfence()
__global__ void hand_over(int* value, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *value = 42;  // HERE
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    *out = *value;  // OTHER
  }
}
CASE(flag_without_a_fence) {
  Device<int> value = zeros<int>(1), flag = zeros<int>(1), out = zeros<int>(1);
  hand_over<<<2, 1>>>(value, flag, out);
  return finished();
}

// case: one_element_too_many
// Thinks: the grid has exactly n threads. It is rounded up.
// expect: out_of_bounds
// says: out[100], just past the end
// says: out has 100 elements
// says: Next: compare the index with the number of elements
__global__ void copy_all(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i % 100];  // HERE
}
CASE(one_element_too_many) {
  Device<float> in = zeros<float>(100), out(100);
  copy_all<<<1, 128>>>(in, out);
  return finished();
}

// case: shared_index_too_large
// Thinks: the right neighbour always exists.
// expect: out_of_bounds
// says: s_row[64], in shared memory
// says: s_row has 64 elements
__global__ void add_neighbour(int* data) {
  __shared__ int s_row[64];
  s_row[threadIdx.x] = data[threadIdx.x];
  // All elements are stored.
  __syncthreads();
  data[threadIdx.x] += s_row[threadIdx.x + 1];  // HERE
}
CASE(shared_index_too_large) {
  Device<int> data(counting(64));
  add_neighbour<<<1, 64>>>(data);
  return finished();
}

// case: local_index_too_large
// Thinks: eight values fit.
// expect: out_of_bounds
// says: local memory
__global__ void sort_few(int* data, int n) {
  int own[8];
  for (int k = 0; k < n; ++k) own[k] = data[k];  // HERE
  data[0] = own[data[1] & 7];
}
CASE(local_index_too_large) {
  Device<int> data(counting(2000));
  sort_few<<<1, 1>>>(data, 2000);
  return finished();
}

// case: host_array_to_kernel
// Thinks: a vector's data is memory like any other.
// expect: host_pointer
// says: The kernel's parameter data points to the host's memory
__global__ void add_one(int* data) {
  data[threadIdx.x] += 1;  // HERE
}
CASE(host_array_to_kernel) {
  std::vector<int> data(32);
  add_one<<<1, 32>>>(data.data());
  return finished();
}

// case: used_after_free
// Thinks: the memory is still there.
// expect: use_after_free
// says: The memory of data, 128 bytes, was freed
CASE(used_after_free) {
  int* data = nullptr;
  cudaMalloc(&data, 32 * sizeof(int));
  cudaFree(data);
  add_one<<<1, 32>>>(data);
  return finished();
}

// case: forgotten_free
// Thinks: the program ends anyway.
// expect: leak
// says: mistakes.cu:{THERE}
CASE(forgotten_free) {
  int* scratch = nullptr;
  cudaMalloc(&scratch, 1024);  // THERE
  return finished();
}

// case: block_too_large
// Thinks: one block of n threads.
// expect: bad_launch
// says: the block has 2048 threads; a block may have at most 1024
CASE(block_too_large) {
  Device<int> data(2048);
  add_one<<<1, 2048>>>(data);
  return finished();
}

// case: barrier_under_a_condition
// Thinks: only threads with work need the barrier.
// expect: barrier_divergence
// says: two different calls of __syncthreads()
__global__ void half_of_them(int* data) {
  const int tid = threadIdx.x;
  if (tid < 32) {
    data[tid] += 1;
    __syncthreads();  // HERE
    data[tid] += data[31 - tid] * 0;
  } else {
    data[tid] += 2;
    __syncthreads();  // OTHER
    data[tid] += 3;
  }
}
CASE(barrier_under_a_condition) {
  Device<int> data(counting(64));
  half_of_them<<<1, 64>>>(data);
  return finished();
}

// case: shuffle_from_an_absent_lane
// Thinks: every lane has a neighbour sixteen lanes above. The upper lanes have left.
// expect: mask_mismatch
// says: __shfl_down_sync() from a lane that takes no part
__global__ void half_reduces(int* data) {
  const int lane = threadIdx.x;
  if (lane >= 16) return;
  int value = data[lane];
  value += __shfl_down_sync(0xffffffff, value, 16);  // HERE
  data[lane] = value;
}
CASE(shuffle_from_an_absent_lane) {
  Device<int> data(counting(32));
  half_reduces<<<1, 32>>>(data);
  return finished();
}

// case: half_a_warp_waits
// Thinks: any two barriers meet.
// expect: deadlock
// says: lanes 0–15 of warp 0 wait in __syncwarp() at
__global__ void two_barriers(int* data) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    data[lane] += 1;
    __syncwarp();  // HERE
    data[lane] += 2;
  } else {
    data[lane] += 3;
    __syncthreads();  // OTHER
    data[lane] += 4;
  }
}
CASE(half_a_warp_waits) {
  Device<int> data(counting(32));
  two_barriers<<<1, 32>>>(data);
  return finished();
}

// case: loop_that_never_ends
// Thinks: stride becomes 0 in the end. Shifting it left first makes it 0, and 0 stays below n.
// expect: deadlock
// says: an endless loop
// says: in the loop of lines {HERE}–{THERE}
__global__ void endless(volatile int* data, int n) {
  int stride = 1;
  while (stride < n) {  // HERE
    stride *= 2;
    if (stride >= n) stride = 0;  // THERE
  }
  data[0] = stride;
}
CASE(loop_that_never_ends) {
  Device<int> data = zeros<int>(1);
  endless<<<1, 1>>>(data, 8);
  return finished();
}

// case: sum_not_set_to_zero
// Thinks: shared memory begins at zero.
// expect: uninitialised_read
// says: s_total, which nothing has written
__global__ void total_of_block(const int* in, int* out) {
  __shared__ int s_total;
  const int tid = threadIdx.x;
  atomicAdd(&s_total, in[tid]);  // HERE
  // All values are added.
  __syncthreads();
  if (tid == 0) *out = s_total;
}
CASE(sum_not_set_to_zero) {
  Device<int> in(counting(64)), out(1);
  total_of_block<<<1, 64>>>(in, out);
  return finished();
}

// case: vector_load_of_odd_elements
// Thinks: a float4 begins anywhere.
// expect: misaligned
// says: 16 bytes
// says: data[1]
// says: Next: begin at an index that is a multiple of 4
__global__ void load_four(const float* data, float4* out) {
  out[threadIdx.x] = *reinterpret_cast<const float4*>(data + 1 + 4 * threadIdx.x);  // HERE
}
CASE(vector_load_of_odd_elements) {
  Device<float> data = zeros<float>(256);
  Device<float4> out(32);
  load_four<<<1, 32>>>(data, out);
  return finished();
}

// The next cases have no finding: a program may try a call and handle its error. The report says why the call failed.

// case: wrong_direction
// Thinks: the order of the words in the kind is that of the arguments. It is "from … to".
// expect: nothing
// fails: cudaMemcpy failed with cudaErrorInvalidValue: kind is cudaMemcpyDeviceToHost, but src does not point
// fails: Next: use cudaMemcpyHostToDevice
CASE(wrong_direction) {
  std::vector<int> host(32);
  Device<int> data(32);
  return cudaMemcpy(data, host.data(), 32 * sizeof(int), cudaMemcpyDeviceToHost) == cudaErrorInvalidValue;
}

// case: copy_of_twice_the_bytes
// Thinks: count is what both arrays have. The device's array is smaller.
// expect: nothing
// fails: count asks for 256 bytes, but src has only 128 bytes up to the end of its allocation.
CASE(copy_of_twice_the_bytes) {
  std::vector<int> host(64);
  Device<int> data = zeros<int>(32);
  return cudaMemcpy(host.data(), data, 64 * sizeof(int), cudaMemcpyDeviceToHost) == cudaErrorInvalidValue;
}

// case: copy_to_null
// Thinks: the copy allocates.
// expect: nothing
// fails: dst is null.
CASE(copy_to_null) {
  const int host[4] = {};
  return cudaMemcpy(nullptr, host, sizeof host, cudaMemcpyHostToDevice) == cudaErrorInvalidValue;
}

// case: result_copied_after_free
// Thinks: the memory keeps its content.
// expect: nothing
// fails: src points to memory that was freed.
CASE(result_copied_after_free) {
  int* data = nullptr;
  int host[4];
  cudaMalloc(&data, sizeof host);
  cudaFree(data);
  return cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue;
}

// case: memset_of_a_vector
// Thinks: cudaMemset sets any memory.
// expect: nothing
// fails: cudaMemset failed with cudaErrorInvalidValue: devPtr does not point to the device's memory
// fails: For the host's memory use memset.
CASE(memset_of_a_vector) {
  std::vector<int> host(4);
  return cudaMemset(host.data(), 0, 16) == cudaErrorInvalidValue;
}

// case: symbol_too_small
// Thinks: the table has 32 entries, as the array has.
// expect: nothing
// fails: count and offset reach byte 128, but symbol has 64 bytes.
__constant__ int c_table[16];
CASE(symbol_too_small) {
  const int host[32] = {};
  return cudaMemcpyToSymbol(c_table, host, sizeof host) == cudaErrorInvalidValue;
}

// case: stream_that_was_destroyed
// Thinks: the handle stays good.
// expect: nothing
// fails: it was destroyed, or never created.
CASE(stream_that_was_destroyed) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamDestroy(stream);
  return cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle;
}
