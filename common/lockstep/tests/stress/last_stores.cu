// last_stores: several threads store different values to one place, and what stays decides where a later access goes.
// The card's schedule decides which value stays, so those counters must not be called exact; beside them, stores that
// look alike but leave the same on each run. The counters are compared with those of a card (ncu_equality).
#include <numeric>

#include "stress.h"

constexpr int kBlock = 128;  // threads
constexpr int kBlocks = 40;
constexpr int kThreads = kBlock * kBlocks;
constexpr int kPlaces = 64;
constexpr int kLength = 8192;  // elements that are read by what stayed

__device__ int number() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Elements that lie far apart for numbers that lie side by side.
__device__ int scattered(int value) { return static_cast<int>((static_cast<unsigned>(value) * 2654435761u) % kLength); }

// ---- the launch behind: its accesses follow what is left ----

template <class T>
__global__ void gathered(const T* left, int places, const int* data, int* out) {
  const int i = number();
  out[i] = data[scattered(static_cast<int>(left[i % places]))];
}

__global__ void repeated(const int* left, const int* data, int* out) {
  const int i = number();
  int sum = 0;
  for (int k = 0; k < left[0] % 61; ++k) sum += data[(i + k * 32) % kLength];
  out[i] = sum;
}

// ---- what stays depends on the schedule ----

__global__ void to_one(int* left) { *left = number(); }

__global__ void by_remainder(int* left) { left[number() % kPlaces] = number(); }

__global__ void by_index(const int* index, int* left) { left[index[number()] % kPlaces] = number(); }

__global__ void each_block_alike(int* left) { left[threadIdx.x] = number(); }

__global__ void blocks_overlap(int* left) { left[blockIdx.x + threadIdx.x] = number(); }

__global__ void rows_alike(int* left) {
  left[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.y * 7919 + threadIdx.x;
}

__global__ void small(const int* index, unsigned char* left) {
  left[index[number()] % kPlaces] = static_cast<unsigned char>(number() / 32);
}

__global__ void wide(const int* index, int4* left) {
  const int i = number();
  left[index[i] % kPlaces] = make_int4(1, i, 2, 3);
}

__device__ __noinline__ void put(int* place, int value) { *place = value; }
__global__ void called(const int* index, int* left) { put(left + index[number()] % kPlaces, number()); }

// In one block, in shared and in global memory.
__global__ void chosen(const int* index, const int* data, int* out) {
  __shared__ int s_winner[kPlaces];
  if (threadIdx.x < kPlaces) s_winner[threadIdx.x] = 0;
  __syncthreads();
  s_winner[index[threadIdx.x] % kPlaces] = threadIdx.x;
  __syncthreads();
  out[number()] = data[scattered(s_winner[threadIdx.x % kPlaces])];
}

__global__ void chosen_in_global(const int* index, int* winner, const int* data, int* out) {
  winner += blockIdx.x * kPlaces;
  winner[index[threadIdx.x] % kPlaces] = threadIdx.x;
  __syncthreads();
  out[number()] = data[scattered(winner[threadIdx.x % kPlaces])];
}

// Each thread stores to two places. The second one is another thread's first.
__global__ void beside(int* left) {
  left[number()] = number() * 3;
  left[number() + 1] = number() * 5;
}

__global__ void tiles_overlap(int* left) { left[blockIdx.x * (kBlock - 32) + threadIdx.x] = number() * 7; }

// Four warps do the work of each other.
__global__ void short_steps(int* left) {
  for (int i = threadIdx.x; i < kBlock; i += 32) left[blockIdx.x * kBlock + i] = number() * 9;
}

__global__ void own_and_another(const int* index, int* left) {
  left[number()] = number();
  left[index[number()] % kThreads] = number() * 11;
}

// A barrier is missing.
__global__ void read_too_early(int* left) {
  __shared__ int s_tile[kBlock];
  s_tile[threadIdx.x] = number() * 5;
  left[number()] = s_tile[(threadIdx.x * 37 + 64) % kBlock];
}

__global__ void changed_meanwhile(int* left) {
  __shared__ int s_tile[kBlock];
  s_tile[threadIdx.x] = number() * 5;
  __syncthreads();
  for (int turn = 0; turn < 8; ++turn) s_tile[threadIdx.x] += s_tile[(threadIdx.x * 37 + 64) % kBlock] * 3;
  __syncthreads();
  left[number()] = s_tile[threadIdx.x];
}

// Nobody sets the counts to zero.
__global__ void counts_of_others(const int* index, int* left) {
  __shared__ int s_counts[kPlaces];
  atomicAdd(&s_counts[index[number()] % kPlaces], 1);
  __syncthreads();
  if (threadIdx.x < kPlaces) left[blockIdx.x * kPlaces + threadIdx.x] = s_counts[threadIdx.x];
}

// The other thread accesses a byte of the word.
__device__ unsigned char* bytes_of(int* words) { return reinterpret_cast<unsigned char*>(words); }

__global__ void words_and_bytes(int* left) {
  const int place = threadIdx.x % 32;
  if (threadIdx.x < 32)
    left[place] = number() * 3;
  else
    bytes_of(left)[place * 4] = static_cast<unsigned char>(number() * 5);
}

__global__ void byte_too_early(int* left) {
  __shared__ int s_tile[kBlock];
  s_tile[threadIdx.x] = 0;
  __syncthreads();
  s_tile[threadIdx.x] = number() * 5;
  left[number()] = bytes_of(s_tile)[(threadIdx.x * 37 + 64) % kBlock * 4];
}

__global__ void bytes_by_another_pointer(int* words, const unsigned char* bytes, int* left) {
  words[number()] = number() * 5;
  left[number()] = bytes[(number() * 37 + 64) % kThreads * 4];
}

__global__ void bytes_of_the_other_side(int* left) {
  __shared__ int s_tile[kBlock + 1];
  s_tile[threadIdx.x] = 0;
  __syncthreads();
  int found = 0;
  if (threadIdx.x & 1)
    s_tile[threadIdx.x] = number() * 5;
  else
    found = bytes_of(s_tile)[(threadIdx.x + 1) * 4];
  left[number()] = found;
}

// An atomic beside a store, or beside another atomic.
__global__ void adds_and_sets(const int* index, int* left) {
  atomicAdd(&left[index[number()] % kPlaces], 1);
  if (threadIdx.x % 32 == 5) left[index[number() / 2] % kPlaces] = number();
}

__global__ void adds_and_raises(const int* index, int* left) {
  atomicAdd(&left[index[number()] % kPlaces], 3);
  atomicMax(&left[index[number() / 2] % kPlaces], number());
}

// ---- the same on each run ----

__global__ void sets_then_adds(const int* index, int* left) {
  left += blockIdx.x * kPlaces;
  for (int turn = 0; turn < 3; ++turn) {
    if (threadIdx.x < kPlaces) left[kPlaces - 1 - threadIdx.x] = turn;
    __syncthreads();
    atomicAdd(&left[index[threadIdx.x] % kPlaces], 1);
    __syncthreads();
  }
}

struct Fields {
  int a, b;
  int2 c;
};
__global__ void fields(Fields* left) {
  left[number()].a = number() * 3;
  left[number()].c = make_int2(number(), number() * 7);
  left[number()].b = number() * 5;
}

__global__ void strides(int* left, int n) {
  for (int i = number(); i < n; i += gridDim.x * blockDim.x) left[i] = i * 13;
}

// Blocks of 32 x 4 threads store tiles of 32 x 32.
__global__ void tiles(int* left, int columns) {
  const int column = blockIdx.x * 32 + threadIdx.x;
  for (int row = threadIdx.y; row < 32; row += 4) left[(blockIdx.y * 32 + row) * columns + column] = row * 17 + column;
}

// The halves of the block work on each other's words, one behind the other.
__global__ void largest(const int* data, int* left) {
  __shared__ int s_largest[kBlock];
  s_largest[threadIdx.x] = data[number()];
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half && s_largest[threadIdx.x] < s_largest[threadIdx.x + half])
      s_largest[threadIdx.x] = s_largest[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) left[blockIdx.x] = s_largest[0];
}

__global__ void marked(const int* index, int* left) { left[index[number()] % kPlaces] = 5; }

__global__ void permuted(int* left) { left[number() * 77 % kThreads] = number(); }

__global__ void bytes_of_words(unsigned char* left) {
  const int i = number();
  left[i % 128 * kBlocks + i / 128] = static_cast<unsigned char>(i * 7);
}

// The second warp stores behind the first one.
__global__ void in_turn(int* left) {
  if (threadIdx.x < 32) left[threadIdx.x % 8] = threadIdx.x * 3;
  __syncthreads();
  if (threadIdx.x >= 96) left[threadIdx.x % 8] = threadIdx.x * 5;
}

// Of the lanes of one store to one place, the lowest stays; with 8 or 16 bytes, the lowest of the last half or quarter
// of the warp that has one.
template <class T, bool kShared>
__global__ void lanes_of_one_store(T* left, unsigned lanes) {
  __shared__ T s_left[kBlock / 8];
  const int i = number();
  T value{};
  value.x = i;
  T* const places = kShared ? s_left : left + blockIdx.x * (kBlock / 8);
  T* const place = places + threadIdx.x / 32 * 4 + threadIdx.x % 4;
  if (kShared && threadIdx.x < kBlock / 8) s_left[threadIdx.x] = T{};
  __syncthreads();
  if (lanes >> threadIdx.x % 32 & 1) *place = value;
  __syncthreads();
  if (kShared && threadIdx.x < kBlock / 8) left[blockIdx.x * (kBlock / 8) + threadIdx.x] = s_left[threadIdx.x];
}

__global__ void turned(int* left) {
  __shared__ int s_tile[kBlock];
  s_tile[threadIdx.x * 9 % kBlock] = number();
  __syncthreads();
  left[number()] = s_tile[threadIdx.x];
}

__global__ void warp_sums(const int* data, int* left) {
  __shared__ int s_sum[kBlock / 32];
  int sum = data[number()] % 100;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) s_sum[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) left[blockIdx.x] = s_sum[0] + s_sum[1] + s_sum[2] + s_sum[3];
}

template <class T>
void use(const T* left, int places) {
  static const int* const data = device_array<int>(kLength, 1000);
  static int* const out = zeros<int>(kThreads);
  gathered<<<kBlocks, kBlock>>>(left, places, data, out);
  finish();
}

template <class T, bool kShared>
void check_lanes(unsigned lanes) {
  constexpr int kWords = sizeof(T) / sizeof(int);
  constexpr int kPart = 32 / kWords;  // lanes
  T* const left = zeros<T>(kThreads / 8);
  lanes_of_one_store<T, kShared><<<kBlocks, kBlock>>>(left, lanes);
  std::vector<int> wanted(kThreads / 8 * kWords);
  for (int i = 0; i < kThreads / 8; ++i) {
    int stays = -1;
    for (int lane = i % 4; lane < 32; lane += 4)
      if ((lanes >> lane & 1) && (stays < 0 || lane / kPart > stays / kPart)) stays = lane;
    wanted[i * kWords] = stays < 0 ? 0 : i / 4 * 32 + stays;
  }
  expect("lanes_of_one_store", reinterpret_cast<const int*>(left), wanted);
}

template <class T>
void check_lanes() {
  for (const unsigned lanes : {~0u, 0x5afcbf43u, 0x0007f0f4u}) {
    check_lanes<T, false>(lanes);
    check_lanes<T, true>(lanes);
  }
}

int main() {
  const int* const index = device_array<int>(kThreads, 10007);
  const int* const data = device_array<int>(kLength, 1000);
  int* const out = zeros<int>(kThreads);
  int* left = zeros<int>(1);
  to_one<<<kBlocks, kBlock>>>(left);
  repeated<<<kBlocks, kBlock>>>(left, data, out);
  const auto follow = [&](auto kernel, int places) {
    left = zeros<int>(kThreads + kBlock);
    kernel(left);
    use(left, places);
    return left;
  };
  follow([&](int* to) { by_remainder<<<kBlocks, kBlock>>>(to); }, kPlaces);
  follow([&](int* to) { by_index<<<kBlocks, kBlock>>>(index, to); }, kPlaces);
  follow([&](int* to) { each_block_alike<<<kBlocks, kBlock>>>(to); }, kBlock);
  follow([&](int* to) { blocks_overlap<<<kBlocks, kBlock>>>(to); }, kBlock);
  follow([&](int* to) { rows_alike<<<kBlocks, dim3(32, 4)>>>(to); }, 32 * kBlocks);
  follow([&](int* to) { called<<<kBlocks, kBlock>>>(index, to); }, kPlaces);
  auto* const bytes = zeros<unsigned char>(kThreads);
  small<<<kBlocks, kBlock>>>(index, bytes);
  use(bytes, kPlaces);
  int4* const vectors = zeros<int4>(kPlaces);
  wide<<<kBlocks, kBlock>>>(index, vectors);
  use(reinterpret_cast<const int*>(vectors), 4 * kPlaces);
  follow([&](int* to) { beside<<<kBlocks, kBlock>>>(to); }, kThreads);
  follow([&](int* to) { tiles_overlap<<<kBlocks, kBlock>>>(to); }, kThreads - 32 * kBlocks);
  follow([&](int* to) { short_steps<<<kBlocks, kBlock>>>(to); }, kThreads);
  follow([&](int* to) { own_and_another<<<kBlocks, kBlock>>>(index, to); }, kThreads);
  follow([&](int* to) { read_too_early<<<kBlocks, kBlock>>>(to); }, kThreads);
  follow([&](int* to) { changed_meanwhile<<<kBlocks, kBlock>>>(to); }, kThreads);
  follow([&](int* to) { counts_of_others<<<kBlocks, kBlock>>>(index, to); }, kBlocks * kPlaces);
  follow([&](int* to) { words_and_bytes<<<1, kBlock>>>(to); }, 32);
  follow([&](int* to) { byte_too_early<<<kBlocks, kBlock>>>(to); }, kThreads);
  int* const words = zeros<int>(kThreads);
  follow(
      [&](int* to) {
        bytes_by_another_pointer<<<kBlocks, kBlock>>>(words, reinterpret_cast<unsigned char*>(words), to);
      },
      kThreads);
  follow([&](int* to) { bytes_of_the_other_side<<<kBlocks, kBlock>>>(to); }, kThreads);
  follow([&](int* to) { adds_and_sets<<<kBlocks, kBlock>>>(index, to); }, kPlaces);
  follow([&](int* to) { adds_and_raises<<<kBlocks, kBlock>>>(index, to); }, kPlaces);
  chosen<<<kBlocks, kBlock>>>(index, data, out);
  chosen_in_global<<<kBlocks, kBlock>>>(index, zeros<int>(kBlocks * kPlaces), data, out);
  finish();

  follow([&](int* to) { marked<<<kBlocks, kBlock>>>(index, to); }, kPlaces);
  follow([&](int* to) { sets_then_adds<<<kBlocks, kBlock>>>(index, to); }, kBlocks * kPlaces);
  follow([&](int* to) { permuted<<<kBlocks, kBlock>>>(to); }, kThreads);
  auto* const structures = zeros<Fields>(kThreads);
  fields<<<kBlocks, kBlock>>>(structures);
  use(reinterpret_cast<const int*>(structures), 4 * kThreads);
  follow([&](int* to) { strides<<<kBlocks / 4, kBlock>>>(to, kThreads); }, kThreads);
  follow([&](int* to) { tiles<<<dim3(2, 2), dim3(32, 4)>>>(to, 64); }, 64 * 64);
  follow([&](int* to) { largest<<<kBlocks, kBlock>>>(data, to); }, kBlocks);
  auto* const own = zeros<unsigned char>(kThreads);
  bytes_of_words<<<kBlocks, kBlock>>>(own);
  use(own, kThreads);
  std::vector<int> wanted(8);
  for (int i = 0; i < 8; ++i) wanted[i] = (96 + i) * 5;
  expect("in_turn", follow([&](int* to) { in_turn<<<1, kBlock>>>(to); }, 8), wanted);
  check_lanes<int1>();
  check_lanes<int2>();
  check_lanes<int4>();
  follow([&](int* to) { turned<<<kBlocks, kBlock>>>(to); }, kThreads);
  follow([&](int* to) { warp_sums<<<kBlocks, kBlock>>>(data, to); }, kBlocks);
}
