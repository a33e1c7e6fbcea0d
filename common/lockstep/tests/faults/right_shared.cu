// right_shared: threads of a block that share memory and are ordered, though it does not look so. Nothing is to be
// found.
#include "case.h"

// case: barrier_after_load
// Looks like: reads of what others wrote. A barrier lies between.
// expect: nothing
__global__ void reverse_block(int* a) {
  __shared__ int s_block[128];
  const int tid = threadIdx.x;
  s_block[tid] = a[tid];
  // Each thread takes what another one stored.
  __syncthreads();
  a[tid] = s_block[127 - tid];
}
CASE(barrier_after_load) {
  Device<int> a(counting(128));
  reverse_block<<<1, 128>>>(a);
  return finished() && a.host()[0] == 127 && a.host()[127] == 0;
}

// case: double_buffer_one_barrier
// Looks like: one barrier too few. Each step reads one buffer and writes the other.
// expect: nothing
__global__ void scan_two_buffers(int* a) {
  __shared__ int s_a[2][128];
  const int tid = threadIdx.x;
  int from = 0;
  s_a[from][tid] = a[tid];
  for (int step = 1; step < 128; step *= 2) {
    // What the last step wrote is read now; what it read is overwritten now.
    __syncthreads();
    const int left = tid >= step ? s_a[from][tid - step] : 0;
    s_a[1 - from][tid] = s_a[from][tid] + left;
    from = 1 - from;
  }
  a[tid] = s_a[from][tid];
}
CASE(double_buffer_one_barrier) {
  Device<int> a(std::vector<int>(128, 1));
  scan_two_buffers<<<1, 128>>>(a);
  return finished() && a.host() == counting(128, 1);
}

// case: in_place_two_barriers
// Looks like: a scan in place. A barrier stands between reading and writing, and one between steps.
// expect: nothing
__global__ void scan_in_place(int* a) {
  __shared__ int s_a[128];
  const int tid = threadIdx.x;
  s_a[tid] = a[tid];
  for (int step = 1; step < 128; step *= 2) {
    // The element on the left is what the last step made of it.
    __syncthreads();
    const int left = tid >= step ? s_a[tid - step] : 0;
    // Nobody reads the old value any more.
    __syncthreads();
    s_a[tid] += left;
  }
  a[tid] = s_a[tid];
}
CASE(in_place_two_barriers) {
  Device<int> a(std::vector<int>(128, 1));
  scan_in_place<<<1, 128>>>(a);
  return finished() && a.host() == counting(128, 1);
}

// case: tree_without_overlap
// Looks like: a reduction in place with one barrier a step. Who writes reads only what nobody writes in that step.
// expect: nothing
__global__ void reduce_block(int* a) {
  __shared__ int s_a[256];
  const int tid = threadIdx.x;
  s_a[tid] = a[tid];
  for (int stride = 128; stride > 0; stride /= 2) {
    // The upper half is complete.
    __syncthreads();
    if (tid < stride) s_a[tid] += s_a[tid + stride];
  }
  if (tid == 0) a[0] = s_a[0];
}
CASE(tree_without_overlap) {
  Device<int> a(counting(256));
  reduce_block<<<1, 256>>>(a);
  return finished() && a.host()[0] == 255 * 128;
}

// case: adjacent_bytes
// Looks like: four threads write one word. Each writes a byte of its own, which the memory model keeps apart.
// expect: nothing
__global__ void bytes_of_words(const int* in, int* out) {
  __shared__ unsigned char s_bytes[128];
  const int tid = threadIdx.x;
  s_bytes[tid] = static_cast<unsigned char>(in[tid] & 1);
  // Words are read whole.
  __syncthreads();
  if (tid < 32) out[tid] = reinterpret_cast<const int*>(s_bytes)[tid];
}
CASE(adjacent_bytes) {
  Device<int> in(counting(128)), out(32);
  bytes_of_words<<<1, 128>>>(in, out);
  return finished() && out.host()[0] == 0x01000100;
}

// case: adjacent_halves
// Looks like: two warps write one word. They write its two halves.
// expect: nothing
__global__ void halves_of_words(int* out) {
  __shared__ unsigned short s_halves[64];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  s_halves[2 * lane + warp] = static_cast<unsigned short>(tid);
  // Words are read whole.
  __syncthreads();
  if (tid < 32) out[tid] = reinterpret_cast<const int*>(s_halves)[tid];
}
CASE(adjacent_halves) {
  Device<int> out(32);
  halves_of_words<<<1, 64>>>(out);
  return finished() && out.host()[1] == (33 << 16 | 1);
}

// case: members_of_one_struct
// Looks like: two warps write one element. They write different members of it.
// expect: nothing
struct Range {
  int low, high;
};
__global__ void fill_ranges(int* out) {
  __shared__ Range s_ranges[32];
  const int tid = threadIdx.x, lane = tid % 32;
  if (tid < 32) s_ranges[lane].low = lane;
  if (tid >= 32) s_ranges[lane].high = lane + 10;
  // Both members are there.
  __syncthreads();
  out[tid] = s_ranges[lane].high - s_ranges[lane].low;
}
CASE(members_of_one_struct) {
  Device<int> out(64);
  fill_ranges<<<1, 64>>>(out);
  return finished() && out.host() == std::vector<int>(64, 10);
}

// case: reused_between_phases
// Looks like: the second phase overwrites what the first still reads. A barrier ends the first.
// expect: nothing
__device__ int count_all(bool yes, int* s_counts) {
  const int count = __popc(__ballot_sync(0xffffffff, yes));
  // The last call's counts have been read by all.
  __syncthreads();
  if (threadIdx.x % 32 == 0) s_counts[threadIdx.x / 32] = count;
  // Both warps' counts are there.
  __syncthreads();
  return s_counts[0] + s_counts[1];
}
__global__ void two_counts(const int* in, int* out) {
  __shared__ int s_counts[2];
  const int tid = threadIdx.x;
  const int even = count_all(in[tid] % 2 == 0, s_counts);
  const int large = count_all(in[tid] > 40, s_counts);
  out[tid] = even - large;
}
CASE(reused_between_phases) {
  Device<int> in(counting(64)), out(64);
  two_counts<<<1, 64>>>(in, out);
  return finished() && out.host() == std::vector<int>(64, 32 - 23);
}

// case: carved_dynamic_shared
// Looks like: two arrays in one. Their ranges do not meet.
// expect: nothing
__global__ void carve(const int* in, int* out, int n) {
  extern __shared__ int s_all[];
  int* s_values = s_all;
  int* s_sums = s_all + n;
  const int tid = threadIdx.x;
  s_values[tid] = in[tid];
  s_sums[tid] = 0;
  // Values are read by others.
  __syncthreads();
  s_sums[tid] += s_values[n - 1 - tid];
  out[tid] = s_sums[tid];
}
CASE(carved_dynamic_shared) {
  Device<int> in(counting(64)), out(64);
  carve<<<1, 64, 2 * 64 * sizeof(int)>>>(in, out, 64);
  return finished() && out.host()[0] == 63;
}

// case: named_barriers_of_halves
// Looks like: a barrier that only half of the block reaches. It has a number and a count of its own.
// expect: nothing
__global__ void reverse_halves(int* a) {
  __shared__ int s_a[128];
  const int tid = threadIdx.x, half = tid / 64;
  s_a[tid] = a[tid];
  if (half == 0) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 2, 64;" ::: "memory");
  }
  a[tid] = s_a[64 * half + 63 - tid % 64];
}
CASE(named_barriers_of_halves) {
  Device<int> a(counting(128));
  reverse_halves<<<1, 128>>>(a);
  return finished() && a.host()[0] == 63 && a.host()[64] == 127;
}

// case: producer_arrives_consumer_waits
// Looks like: a writer that does not wait. It arrives, and the reader waits for it.
// expect: nothing
__global__ void one_way(const int* in, int* out) {
  __shared__ int s_data[32];
  const int tid = threadIdx.x;
  if (tid < 32) {
    s_data[tid] = in[tid];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[tid - 32] = s_data[63 - tid];
  }
}
CASE(producer_arrives_consumer_waits) {
  Device<int> in(counting(32)), out(32);
  one_way<<<1, 64>>>(in, out);
  return finished() && out.host()[0] == 31;
}

// case: warp_specialised_ring
// Looks like: a buffer that is overwritten while it is read. "Full" and "empty" barriers take turns.
// expect: nothing
__global__ void pass_tiles(const int* in, int* out, int tiles) {
  __shared__ int s_tile[32];
  const int tid = threadIdx.x, lane = tid % 32;
  if (tid < 32) {
    for (int t = 0; t < tiles; ++t) {
      if (t > 0) asm volatile("bar.sync 2, 64;" ::: "memory");  // empty
      s_tile[lane] = in[32 * t + lane];
      asm volatile("bar.arrive 1, 64;" ::: "memory");  // full
    }
  } else {
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      sum += s_tile[31 - lane];
      if (t + 1 < tiles) asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
    out[lane] = sum;
  }
}
CASE(warp_specialised_ring) {
  Device<int> in(counting(128)), out(32);
  pass_tiles<<<1, 64>>>(in, out, 4);
  return finished() && out.host()[31] == 0 + 32 + 64 + 96;
}

// case: own_element_in_place
// Looks like: an array that is read and written without a barrier. Each thread keeps to its own element.
// expect: nothing
__global__ void own_element(int* a) {
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  s_a[tid] = a[tid];
  for (int k = 0; k < 3; ++k) s_a[tid] = 2 * s_a[tid] + (s_a[tid] & 1);
  a[tid] = s_a[tid];
}
CASE(own_element_in_place) {
  Device<int> a(std::vector<int>(64, 1));
  own_element<<<1, 64>>>(a);
  return finished() && a.host() == std::vector<int>(64, 15);
}

// case: atomic_histogram
// Looks like: many threads add to one bin. The additions are atomic, the reads come after a barrier.
// expect: nothing
__global__ void histogram(const unsigned char* in, int n, int* bins) {
  __shared__ int s_bins[16];
  const int tid = threadIdx.x;
  for (int b = tid; b < 16; b += blockDim.x) s_bins[b] = 0;
  // All bins are zero.
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s_bins[in[i] % 16], 1);
  // All counts are in.
  __syncthreads();
  for (int b = tid; b < 16; b += blockDim.x) atomicAdd(&bins[b], s_bins[b]);
}
CASE(atomic_histogram) {
  Device<unsigned char> in(counting<unsigned char>(1024));
  Device<int> bins = zeros<int>(16);
  histogram<<<2, 96>>>(in, 1024, bins);
  return finished() && bins.host() == std::vector<int>(16, 64);
}

// case: exit_after_the_last_barrier
// Looks like: threads that leave while others go on. No barrier follows.
// expect: nothing
__global__ void leave_early(const int* in, int* out, int n) {
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  s_a[tid] = tid < n ? in[tid] : 0;
  // Thread 0 reads all of them.
  __syncthreads();
  if (tid != 0) return;
  int sum = 0;
  for (int k = 0; k < 64; ++k) sum += s_a[k];
  *out = sum;
}
CASE(exit_after_the_last_barrier) {
  Device<int> in(counting(50)), out(1);
  leave_early<<<1, 64>>>(in, out, 50);
  return finished() && out.host()[0] == 49 * 25;
}

// case: exit_without_a_barrier
// Looks like: an early return. The kernel has no barrier at all.
// expect: nothing
__global__ void plain_copy(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[i];
}
CASE(exit_without_a_barrier) {
  Device<int> in(counting(100)), out(100);
  plain_copy<<<2, 64>>>(in, out, 100);
  return finished() && out.host() == counting(100);
}

// case: whole_blocks_leave
// Looks like: a return before a barrier. All threads of the block return, or none.
// expect: nothing
__global__ void some_blocks(const int* in, int* out, int blocks) {
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  if (blockIdx.x >= blocks) return;
  s_a[tid] = in[tid];
  // Each thread takes another's element.
  __syncthreads();
  out[64 * blockIdx.x + tid] = s_a[63 - tid];
}
CASE(whole_blocks_leave) {
  Device<int> in(counting(64)), out(128);
  some_blocks<<<4, 64>>>(in, out, 2);
  return finished() && out.host()[64] == 63;
}

// case: barrier_in_a_uniform_loop
// Looks like: a barrier in a loop and in a branch. The condition is the same for the whole block.
// expect: nothing
__global__ void rotate_n(int* a, int rounds) {
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  for (int k = 0; k < rounds + static_cast<int>(blockIdx.x); ++k) {
    s_a[tid] = a[64 * blockIdx.x + tid];
    if (rounds > 1) {
      // The neighbour has stored its element.
      __syncthreads();
      a[64 * blockIdx.x + tid] = s_a[(tid + 1) % 64];
      // All have read before the next round stores.
      __syncthreads();
    }
  }
}
CASE(barrier_in_a_uniform_loop) {
  std::vector<int> values = counting(128);
  Device<int> a(values);
  rotate_n<<<2, 64>>>(a, 2);
  return finished() && a.host()[0] == 2 && a.host()[64] == 67;
}

// case: until_nobody_changes
// Looks like: a loop that each thread could leave at another time. __syncthreads_or makes them agree.
// expect: nothing
__global__ void spread_maximum(int* a) {
  __shared__ int s_a[64];
  const int tid = threadIdx.x;
  s_a[tid] = a[tid];
  bool changed = true;
  // The barrier in the vote: everyone has stored.
  while (__syncthreads_or(changed)) {
    const int largest = max(s_a[tid], s_a[(tid + 1) % 64]);
    changed = largest != s_a[tid];
    // Nobody reads the old value any more.
    __syncthreads();
    s_a[tid] = largest;
  }
  a[tid] = s_a[tid];
}
CASE(until_nobody_changes) {
  Device<int> a(counting(64));
  spread_maximum<<<1, 64>>>(a);
  return finished() && a.host() == std::vector<int>(64, 63);
}

// case: flag_with_fences
// Looks like: data passed from warp to warp without a barrier. Fences stand on both sides of an atomic flag.
// expect: nothing
__global__ void hand_over(const int* in, int* out) {
  __shared__ int s_data[32];
  __shared__ int s_ready;
  const int tid = threadIdx.x, lane = tid % 32;
  if (tid == 0) s_ready = 0;
  // The flag is down before anyone looks.
  __syncthreads();
  if (tid < 32) {
    s_data[lane] = in[lane];
    __threadfence_block();
    atomicAdd(&s_ready, 1);
  } else {
    while (atomicAdd(&s_ready, 0) < 32) {}
    __threadfence_block();
    out[lane] = s_data[31 - lane];
  }
}
CASE(flag_with_fences) {
  Device<int> in(counting(32)), out(32);
  hand_over<<<1, 64>>>(in, out);
  return finished() && out.host()[0] == 31;
}

// case: volatile_flag_with_fences
// Looks like: volatile in place of synchronisation. It only carries the flag; the fences order the data.
// expect: nothing
__global__ void hand_over_volatile(const int* in, int* out) {
  __shared__ int s_data[32];
  __shared__ volatile int s_ready;
  const int tid = threadIdx.x, lane = tid % 32;
  if (tid == 0) s_ready = 0;
  // The flag is down before anyone looks.
  __syncthreads();
  if (tid < 32) {
    s_data[lane] = in[lane];
    // Lane 0 speaks for the warp.
    __syncwarp();
    __threadfence_block();
    if (lane == 0) s_ready = 1;
  } else {
    while (s_ready == 0) {}
    __threadfence_block();
    out[lane] = s_data[31 - lane];
  }
}
CASE(volatile_flag_with_fences) {
  Device<int> in(counting(32)), out(32);
  hand_over_volatile<<<1, 64>>>(in, out);
  return finished() && out.host()[0] == 31;
}

// case: slices_of_warps
// Looks like: shared memory without __syncthreads. Each warp has its own slice, and synchronises itself.
// expect: nothing
__global__ void reverse_in_warps(int* a) {
  __shared__ int s_a[4][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  s_a[warp][lane] = a[threadIdx.x];
  // Another lane stored what this one takes.
  __syncwarp();
  a[threadIdx.x] = s_a[warp][31 - lane];
}
CASE(slices_of_warps) {
  Device<int> a(counting(128));
  reverse_in_warps<<<1, 128>>>(a);
  return finished() && a.host()[32] == 63;
}

// case: any_thread_may_find
// Looks like: many threads set one flag. They set it atomically.
// expect: nothing
__global__ void find_seven(const int* in, int* found) {
  __shared__ int s_found;
  const int tid = threadIdx.x;
  if (tid == 0) s_found = 0;
  // Nobody finds before the search begins.
  __syncthreads();
  if (in[tid] % 10 == 7) atomicExch(&s_found, 1);
  // The search is over.
  __syncthreads();
  if (tid == 0) *found = s_found;
}
CASE(any_thread_may_find) {
  Device<int> in(counting(128)), found(1);
  find_seven<<<1, 128>>>(in, found);
  return finished() && found.host()[0] == 1;
}
