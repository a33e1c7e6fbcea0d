// race_shared: two threads of a block access one address of shared memory without order: race. HERE and OTHER are the
// two accesses; a schedule decides which one comes first.
#include "case.h"

// case: barrier_after_load_missing
// Thinks: the next line reads what the line before has stored. An early warp reads a word that is not stored yet.
// expect: race
// also: uninitialised_read
__global__ void reverse_block(int* a) {
  __shared__ int s_block[128];
  const int tid = threadIdx.x;
  s_block[tid] = a[tid];                 // OTHER
  const int value = s_block[127 - tid];  // HERE
  a[tid] = value;
}
CASE(barrier_after_load_missing) {
  Device<int> a(counting(128));
  reverse_block<<<1, 128>>>(a);
  return finished();
}

// case: scan_in_place_one_barrier
// Thinks: one barrier a step is enough, since every thread writes only its own element.
// expect: race
__global__ void hillis_steele_in_place(int* a) {
  __shared__ int s_a[128];
  const int tid = threadIdx.x;
  s_a[tid] = a[tid];
  // The first step reads the neighbour's element.
  __syncthreads();
  for (int step = 1; step < 128; step *= 2) {
    if (tid >= step) s_a[tid] += s_a[tid - step];  // HERE, OTHER
    // The next step reads the sums that this step wrote.
    __syncthreads();
  }
  a[tid] = s_a[tid];
}
CASE(scan_in_place_one_barrier) {
  Device<int> a(std::vector<int>(128, 1));
  hillis_steele_in_place<<<1, 128>>>(a);
  return finished() && a.host() == counting(128, 1);
}

// case: barrier_after_the_loop
// Thinks: one barrier, after the last step, is enough. It belongs into the loop.
// expect: race
__global__ void reduce_barrier_outside(int* a) {
  __shared__ int s_a[256];
  const int tid = threadIdx.x;
  s_a[tid] = a[tid];
  // The first step reads the other half.
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (tid < stride) s_a[tid] += s_a[tid + stride];  // HERE, OTHER
  }
  __syncthreads();
  if (tid == 0) a[0] = s_a[0];
}
CASE(barrier_after_the_loop) {
  Device<int> a(counting(256));
  reduce_barrier_outside<<<1, 256>>>(a);
  return finished() && a.host()[0] == 255 * 128;
}

// case: luck_of_the_first_warp
// Thinks: it works. It does when lower warps run first.
// expect: race
// answer: right under forward, wrong under reverse
__global__ void shift_right(int* a) {
  __shared__ int s_a[128];
  const int tid = threadIdx.x;
  s_a[tid] = 0;
  // All words are cleared before the values are stored.
  __syncthreads();
  s_a[tid] = a[tid];                   // OTHER
  if (tid > 0) a[tid] = s_a[tid - 1];  // HERE
}
CASE(luck_of_the_first_warp) {
  Device<int> a(counting(128, 1));
  shift_right<<<1, 128>>>(a);
  std::vector<int> want = counting(128);
  want[0] = 1;
  return finished() && a.host() == want;
}

// case: luck_of_the_last_step
// Thinks: the second warp has finished its half when the first adds the halves up.
// expect: race
// answer: right under reverse, wrong under forward
__global__ void add_halves(const int* in, int* out) {
  __shared__ int s_half[2];
  const int tid = threadIdx.x;
  if (tid < 2) s_half[tid] = 0;
  // Both sums are zero before any thread adds.
  __syncthreads();
  if (tid == 32) s_half[1] = in[1];        // OTHER
  if (tid == 0) *out = in[0] + s_half[1];  // HERE
}
CASE(luck_of_the_last_step) {
  Device<int> in(std::vector<int>{3, 4}), out(1);
  add_halves<<<1, 64>>>(in, out);
  return finished() && out.host()[0] == 7;
}

// case: volatile_last_warp
// Thinks: `volatile` makes the last warp safe, as it did before Volta. Nothing orders its lanes.
// expect: race
__global__ void reduce_last_warp(int* a) {
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  s_a[tid] = a[tid];
  // The last warp reads the values that the other warp stored.
  __syncthreads();
  volatile int* v = s_a;
  if (tid < 32) {
    for (int stride = 32; stride > 0; stride /= 2) v[tid] += v[tid + stride];  // HERE, OTHER
  }
  if (tid == 0) a[0] = s_a[0];
}
CASE(volatile_last_warp) {
  Device<int> a(counting(64));
  reduce_last_warp<<<1, 64>>>(a);
  return finished();
}

// case: lanes_need_no_sync
// Thinks: a warp runs in lockstep, so its lanes may exchange through shared memory as they like.
// expect: race
__global__ void swap_neighbours(int* a) {
  __shared__ int s_a[32];
  const int lane = threadIdx.x;
  s_a[lane] = a[lane];      // OTHER
  a[lane] = s_a[lane ^ 1];  // HERE
}
CASE(lanes_need_no_sync) {
  Device<int> a(counting(32));
  swap_neighbours<<<1, 32>>>(a);
  return finished();
}

// case: syncwarp_across_warps
// Thinks: __syncwarp is the cheap __syncthreads.
// expect: race
// also: uninitialised_read
__global__ void swap_warps(int* a) {
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  s_a[tid] = a[tid];  // OTHER
  __syncwarp();
  a[tid] = s_a[tid ^ 32];  // HERE
}
CASE(syncwarp_across_warps) {
  Device<int> a(counting(64));
  swap_warps<<<1, 64>>>(a);
  return finished();
}

// case: next_tile_overwrites
// Thinks: the barrier between load and use is enough for a loop. Slow warps still use the tile while fast ones load.
// expect: race
__global__ void add_tiles(const int* in, int* out, int tiles) {
  __shared__ int s_tile[64];
  const int tid = threadIdx.x;
  int sum = 0;
  for (int t = 0; t < tiles; ++t) {
    s_tile[tid] = in[64 * t + tid];  // OTHER
    // The tile is complete.
    __syncthreads();
    sum += s_tile[63 - tid];  // HERE
  }
  out[tid] = sum;
}
CASE(next_tile_overwrites) {
  Device<int> in(counting(256)), out(64);
  add_tiles<<<1, 64>>>(in, out, 4);
  return finished();
}

// case: thread_0_sets_the_stage
// Thinks: thread 0 comes first.
// expect: race
// also: uninitialised_read
__global__ void add_offset(int* a, const int* offsets) {
  __shared__ int s_offset;
  if (threadIdx.x == 0) s_offset = offsets[blockIdx.x];  // OTHER
  a[blockIdx.x * blockDim.x + threadIdx.x] += s_offset;  // HERE
}
CASE(thread_0_sets_the_stage) {
  Device<int> a(counting(128)), offsets(std::vector<int>{10, 20});
  add_offset<<<2, 64>>>(a, offsets);
  return finished();
}

// case: histogram_without_atomics
// Thinks: ++ is one operation.
// expect: race
// says: make the update one atomic operation: atomicAdd
__global__ void histogram_plain(const unsigned char* in, int* bins) {
  __shared__ int s_bins[16];
  const int tid = threadIdx.x;
  if (tid < 16) s_bins[tid] = 0;
  // All bins are zero.
  __syncthreads();
  s_bins[in[tid]]++;  // HERE, OTHER
  // All threads have counted.
  __syncthreads();
  if (tid < 16) bins[tid] = s_bins[tid];
}
CASE(histogram_without_atomics) {
  std::vector<unsigned char> bytes(128);
  for (int i = 0; i < 128; ++i) bytes[i] = static_cast<unsigned char>(i % 16);
  Device<unsigned char> in(bytes);
  Device<int> bins(16);
  histogram_plain<<<1, 128>>>(in, bins);
  return finished();
}

// case: one_bit_each
// Thinks: every thread sets a bit of its own. A store writes the whole word.
// expect: race
__global__ void mark_even(const int* in, unsigned* out) {
  __shared__ unsigned s_bits[2];
  const int tid = threadIdx.x;
  if (tid < 2) s_bits[tid] = 0;
  // No bit is set before all are cleared.
  __syncthreads();
  if (in[tid] % 2 == 0) s_bits[tid / 32] |= 1u << tid % 32;  // HERE, OTHER
  // Both words are complete.
  __syncthreads();
  if (tid < 2) out[tid] = s_bits[tid];
}
CASE(one_bit_each) {
  Device<int> in(counting(64));
  Device<unsigned> out(2);
  mark_even<<<1, 64>>>(in, out);
  return finished();
}

// case: half_word_through_the_word
// Thinks: the lower and the upper half are two places. This thread reads both to change one.
// expect: race
__global__ void set_upper_half(const int* in, int* out) {
  __shared__ int s_words[32];
  const int tid = threadIdx.x, lane = tid % 32;
  if (tid < 32) s_words[lane] = 0;
  // The words are clear.
  __syncthreads();
  if (tid < 32) reinterpret_cast<short*>(s_words)[2 * lane] = static_cast<short>(in[lane]);  // OTHER
  if (tid >= 32) s_words[lane] += in[lane] << 16;                                            // HERE
  // Both halves are stored.
  __syncthreads();
  if (tid < 32) out[lane] = s_words[lane];
}
CASE(half_word_through_the_word) {
  Device<int> in(counting(32)), out(32);
  set_upper_half<<<1, 64>>>(in, out);
  return finished();
}

// case: last_writer_wins
// Thinks: any of the positions is right, so the threads need not agree.
// expect: race
// says: let one thread write it
__global__ void find_any(const int* in, int* position) {
  __shared__ int s_position;
  const int tid = threadIdx.x;
  if (tid == 0) s_position = -1;
  // No thread stores a result before the search begins.
  __syncthreads();
  if (in[tid] % 10 == 7) s_position = tid;  // HERE, OTHER
  // The search is over.
  __syncthreads();
  if (tid == 0) *position = s_position;
}
CASE(last_writer_wins) {
  Device<int> in(counting(128)), position(1);
  find_any<<<1, 128>>>(in, position);
  return finished();
}

// case: barrier_before_the_store
// Thinks: there is a barrier, so it is safe. It stands one line too high.
// expect: race
__global__ void count_even(const int* in, int* out) {
  __shared__ int s_counts[4];
  const int tid = threadIdx.x, warp = tid / 32;
  if (tid < 4) s_counts[tid] = 0;
  const int count = __popc(__ballot_sync(0xffffffff, in[tid] % 2 == 0));
  __syncthreads();
  if (tid % 32 == 0) s_counts[warp] = count;                                   // OTHER
  if (tid == 0) *out = s_counts[0] + s_counts[1] + s_counts[2] + s_counts[3];  // HERE
}
CASE(barrier_before_the_store) {
  Device<int> in(counting(128)), out(1);
  count_even<<<1, 128>>>(in, out);
  return finished();
}

// case: named_barrier_without_the_reader
// Thinks: the producers' barrier says that their data is ready. Only they wait at it.
// expect: race
__global__ void producers_only(const int* in, int* out) {
  __shared__ int s_data[64];
  const int tid = threadIdx.x;
  if (tid < 64) s_data[tid] = 0;
  // The buffer is clear.
  __syncthreads();
  if (tid < 64) {
    s_data[tid] = in[tid];  // OTHER
    asm volatile("bar.sync 1, 64;" ::: "memory");
  } else {
    out[tid - 64] = s_data[95 - tid];  // HERE
  }
}
CASE(named_barrier_without_the_reader) {
  Device<int> in(counting(64)), out(32);
  producers_only<<<1, 96>>>(in, out);
  return finished();
}

// case: mask_without_the_writers
// Thinks: the lower half synchronises, for only it reads. The upper half, which wrote, is not asked.
// expect: race
__global__ void lower_half_reads(const int* in, int* out) {
  __shared__ int s_a[32];
  const int lane = threadIdx.x;
  s_a[lane] = in[lane];  // OTHER
  if (lane < 16) {
    __syncwarp(0x0000ffff);
    out[lane] = s_a[lane + 16];  // HERE
  }
}
CASE(mask_without_the_writers) {
  Device<int> in(counting(32)), out(16);
  lower_half_reads<<<1, 32>>>(in, out);
  return finished();
}

// case: written_to_the_same_buffer
// Thinks: two buffers make the second barrier superfluous. They do, if one reads the one and writes the other.
// expect: race
__global__ void scan_two_buffers(int* a) {
  __shared__ int s_a[2][128];
  const int tid = threadIdx.x;
  int from = 0;
  s_a[0][tid] = s_a[1][tid] = a[tid];
  // The first step reads the neighbour's element.
  __syncthreads();
  for (int step = 1; step < 128; step *= 2) {
    const int left = tid >= step ? s_a[from][tid - step] : 0;  // HERE
    s_a[from][tid] += left;                                    // OTHER
    // The next step reads the sums that this step wrote.
    __syncthreads();
    from = 1 - from;
  }
  a[tid] = s_a[from][tid];
}
CASE(written_to_the_same_buffer) {
  Device<int> a(std::vector<int>(128, 1));
  scan_two_buffers<<<1, 128>>>(a);
  return finished();
}

// case: block_count_called_twice
// Thinks: a function that has its own barriers can be called anywhere. The second call stores what slow warps of the
// first still read.
// expect: race
__device__ int block_count(bool yes, int* s_counts) {
  const int count = __popc(__ballot_sync(0xffffffff, yes));
  if (threadIdx.x % 32 == 0) s_counts[threadIdx.x / 32] = count;  // OTHER
  // Both warps have stored their counts.
  __syncthreads();
  return s_counts[0] + s_counts[1];  // HERE
}
__global__ void two_counts(const int* in, int* out) {
  __shared__ int s_counts[2];
  const int tid = threadIdx.x;
  const int even = block_count(in[tid] % 2 == 0, s_counts);
  const int large = block_count(in[tid] > 40, s_counts);
  out[2 * tid] = even;
  out[2 * tid + 1] = large;
}
CASE(block_count_called_twice) {
  Device<int> in(counting(64)), out(128);
  two_counts<<<1, 64>>>(in, out);
  return finished();
}

// case: volatile_flag_between_warps
// Thinks: volatile keeps the data before the flag. It says nothing of the order in which others see them.
// expect: race
__global__ void hand_over(const int* in, int* out) {
  __shared__ int s_data[32];
  __shared__ volatile int s_ready;
  const int tid = threadIdx.x, lane = tid % 32;
  if (tid < 32) s_data[lane] = 0;
  if (tid == 0) s_ready = 0;
  // The flag is 0 before any thread reads it.
  __syncthreads();
  if (tid < 32) {
    s_data[lane] = in[lane];  // OTHER
    __syncwarp();
    if (lane == 0) s_ready = 1;
  } else {
    while (s_ready == 0) {}
    out[lane] = s_data[lane];  // HERE
  }
}
CASE(volatile_flag_between_warps) {
  Device<int> in(counting(32)), out(32);
  hand_over<<<1, 64>>>(in, out);
  return finished();
}

// case: counter_read_plainly
// Thinks: the counter is atomic, so reading it is, too.
// expect: race
__global__ void keep_first_ten(const int* in, int* out) {
  __shared__ int s_count;
  const int tid = threadIdx.x;
  if (tid == 0) s_count = 0;
  // The counter is zero before any thread uses it.
  __syncthreads();
  if (in[tid] % 2 == 0) atomicAdd(&s_count, 1);  // OTHER
  out[tid] = s_count < 10;                       // HERE
}
CASE(counter_read_plainly) {
  Device<int> in(counting(64)), out(64);
  keep_first_ten<<<1, 64>>>(in, out);
  return finished();
}
