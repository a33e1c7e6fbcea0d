// words: how blocks tell each other a sum through global memory, without fences and without clearing anything.
//
// A word has 64 bits: a tag above, 32 bits of the value below. Both halves travel in one access, so whoever sees the
// tag has the value. A value of 8 bytes takes two words, each with the tag. The tag holds the number of the call, the
// epoch: words of earlier calls, or of a larger call, never match. The epoch lies in the workspace, so that a CUDA
// graph, whose arguments are fixed, can be launched again. It has 31 bits: a word could be taken for a new one after
// 2^31 calls that all left it alone.
#pragma once

#include <cstdint>
#include <cstring>

namespace top {

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffff;

// What a call leaves for the next one. Zeros at first; every call leaves it ready for the next call.
struct Head {
  unsigned epoch;    // of the last finished call
  unsigned tickets;  // drawn in this call
  unsigned done;     // blocks that have finished
  unsigned unused;
  unsigned long long packed;  // the sum of a reduction above, the number of blocks that added to it below
  unsigned long long unused_too;
  unsigned long long words[];  // one or two for each tile or block
};

// 2 * epoch says "the sum of one tile", and 2 * epoch + 1 "the sum of everything up to here".
enum Kind : unsigned { kOwnSum = 0, kPrefix = 1 };
__device__ inline unsigned tag_of(unsigned epoch, Kind kind) { return 2 * epoch + kind; }

// The number of this call. Only threads that need it ask: all threads of a card at one address would take longer than
// a small reduction. Relaxed, as the words below are: a block reads it before it writes its word, and it changes after
// all words have been seen; no fence says so.
__device__ inline unsigned this_epoch(const Head* head) {
  unsigned epoch;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(epoch) : "l"(&head->epoch) : "memory");
  return epoch + 1;
}
__device__ inline void end_epoch(Head* head, unsigned epoch) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(&head->epoch), "r"(epoch) : "memory");
}

// Relaxed accesses, since nothing else is passed on with the word; at the scope of the card, past L1.
__device__ inline unsigned long long peek(const unsigned long long* word) {
  unsigned long long value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
// Two neighbouring words in one access of 16 bytes. Each of them is whole; the pair need not be of one moment.
__device__ inline void peek_pair(const unsigned long long* words, unsigned long long& first,
                                 unsigned long long& second) {
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(words) : "memory");
}
__device__ inline void poke(unsigned long long* word, unsigned tag, unsigned half) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(static_cast<unsigned long long>(tag) << 32 | half)
               : "memory");
}

// A tagged value of type T: one word for 4 bytes, two for 8.
template <class T>
struct Tagged {
  static constexpr int kWords = sizeof(T) / 4;
  static_assert(kWords == 1 || kWords == 2);
  unsigned long long word[kWords];

  __device__ static Tagged read(const unsigned long long* words, unsigned i) {
    Tagged x;
#pragma unroll
    for (int k = 0; k < kWords; ++k) x.word[k] = peek(words + size_t{i} * kWords + k);
    return x;
  }
  __device__ static void write(unsigned long long* words, unsigned i, unsigned tag, T value) {
    unsigned half[kWords];
    memcpy(half, &value, sizeof value);
#pragma unroll
    for (int k = 0; k < kWords; ++k) poke(words + size_t{i} * kWords + k, tag, half[k]);
  }
  // Of both words: between two loads the sum of a tile may have become a prefix.
  __device__ bool has(unsigned tag) const {
    bool all = true;
#pragma unroll
    for (int k = 0; k < kWords; ++k) all &= static_cast<unsigned>(word[k] >> 32) == tag;
    return all;
  }
  __device__ T value() const {
    unsigned half[kWords];
#pragma unroll
    for (int k = 0; k < kWords; ++k) half[k] = static_cast<unsigned>(word[k]);
    T x;
    memcpy(&x, half, sizeof x);
    return x;
  }
};

// 16 bytes, the widest load of a thread.
template <class T>
struct alignas(16) Vector {
  static constexpr int kEach = 16 / sizeof(T);
  T at[kEach];
};

// Reads a vector that nobody writes during the kernel. Volatile: several of these stay together and in front of what
// uses them, so that all are in flight at once.
__device__ inline int4 read_now(const int4* from) {
  int4 v;
  asm volatile("ld.global.nc.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
  return v;
}

// Volatile as well: next to a store of single elements in another branch, the compiler merged the two and made four
// stores out of one.
__device__ inline void write_now(int4* to, const int4& v) {
  asm volatile("st.global.v4.s32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

// Sums wrap for integers: unsigned arithmetic, because the overflow of an int is undefined.
template <class T>
struct Wrapping {
  using Type = T;
};
template <>
struct Wrapping<int> {
  using Type = unsigned;
};
template <>
struct Wrapping<long long> {
  using Type = unsigned long long;
};

// The sum of x over this lane and all lanes to its left. All lanes call it.
template <class T>
__device__ T warp_scan(T x) {
  const int lane = threadIdx.x % kWarp;
#pragma unroll
  for (int stride = 1; stride < kWarp; stride *= 2) {
    const T left = __shfl_up_sync(kAllLanes, x, stride);
    if (lane >= stride) x += left;
  }
  return x;
}

// The sum over all lanes, in lane 0, always added in the same order.
template <class T>
__device__ T warp_sum(T x) {
#pragma unroll
  for (int offset = kWarp / 2; offset > 0; offset /= 2) x += __shfl_down_sync(kAllLanes, x, offset);
  return x;
}

#if __CUDA_ARCH__ >= 800
// One instruction since compute capability 8.0.
template <>
__device__ inline unsigned warp_sum<unsigned>(unsigned x) {
  return __reduce_add_sync(kAllLanes, x);
}
#endif

}  // namespace top
