// words: the most frequent words of a text, from the host's memory to twenty lines. All of it is here, and it is right:
// a table of words, hashes, a reduction that keeps the best twenty. But nothing overlaps: the whole text is copied,
// then counted. A lane looks at each byte, and each word is an atomic in global memory. Do the TODOs in order; the file
// is right after each of them.
//   copy the text → count_words → best_slots → best_slots → describe → copy back
#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "common/check.h"
#include "common/contracts/words.h"

namespace {

using Byte = unsigned char;
constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffff;

// ---- A text on the device.
//
// Zeros stand before it and behind it. A zero is not a letter. So each word ends at a byte that is not a letter, and a
// search backwards ends, too: the borders of the text need no code.
constexpr int kZeros = 512;     // before it: more than the 264 bytes that a warp may read before a word
constexpr int kLaneBytes = 32;  // that a lane examines at a time: a bit for each in an unsigned
constexpr int kWarpBytes = kWarp * kLaneBytes;

using Eight = unsigned long long;  // bytes; the first one is the lowest
constexpr Eight kHigh = 0x8080808080808080, kOnes = kHigh >> 7;

// The highest bit of each byte that is a letter. No sum of two bytes is above 255, so that none reaches its neighbour.
__device__ Eight letters_of(Eight bytes) {
  const Eight small = (bytes | kOnes * 0x20) & ~kHigh;
  const Eight from_a = small + kOnes * (0x80 - 'a'), behind_z = small + kOnes * (0x80 - 'z' - 1);
  return ((from_a & ~behind_z) | bytes) & kHigh;
}

// The last letters of what stands before an end, at most eight, as small letters; zeros in place of everything before.
struct Letters {
  Eight bytes;
  int count;
};
__device__ Letters letters_before(const Byte* text, size_t end) {
  // Eight bytes at any address are parts of two aligned words.
  const auto* words = reinterpret_cast<const Eight*>(text) + (end - 8) / 8;
  const int shift = (end - 8) % 8 * 8;
  const Eight bytes = shift == 0 ? words[0] : words[0] >> shift | words[1] << (64 - shift);
  const int count = __clzll(~letters_of(bytes) & kHigh) / 8;  // 64 / 8 where all are letters
  const Eight small = bytes | (~bytes & kHigh) >> 2;          // 0x20 makes a capital letter of ASCII a small one
  return {count == 0 ? 0 : small >> (64 - 8 * count) << (64 - 8 * count), count};
}

// ---- A team reads a word, from its last letters to its first.
//
// One lane is enough for most words. A long word would keep the 31 other lanes waiting, so all 32 lanes read it.
template <int kLanes>
struct Team {
  __device__ static int rank() { return threadIdx.x % kLanes; }
  // How many members, from rank 0 on, say yes without a gap.
  __device__ static int leading(bool yes) {
    if constexpr (kLanes == 1) return yes;
    const unsigned no = ~__ballot_sync(kAllLanes, yes);
    return no == 0 ? kLanes : __ffs(no) - 1;
  }
  template <class T>
  __device__ static T of(T x, int member) {
    if constexpr (kLanes == 1) return x;
    return __shfl_sync(kAllLanes, x, member);
  }
  __device__ static Eight sum(Eight x) {
    for (int stride = kLanes / 2; stride > 0; stride /= 2) x += __shfl_xor_sync(kAllLanes, x, stride);
    return x;
  }
};

// A word by its end: the byte behind its last letter. The order of the ends is the order of the words.
struct Word {
  size_t end;
  unsigned length;
  Eight hash;
};

// The k-th eight letters, counted from the end, are multiplied by kBase^k. So the hash is a sum, which lanes can share.
constexpr Eight kBase = 0x9e3779b97f4a7c15;

__host__ __device__ constexpr Eight power(Eight base, int exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

// Stops behind `most` letters.
template <int kLanes>
__device__ Word read_word(const Byte* text, size_t end, unsigned most = ~0u) {
  using Members = Team<kLanes>;
  Word word{end, 0, 0};
  Eight factor = 1;
  for (int i = 0; i < Members::rank(); ++i) factor *= kBase;
  int full;
  do {
    const Letters mine = letters_before(text, end - word.length - 8 * Members::rank());
    full = Members::leading(mine.count == 8);
    if (Members::rank() <= full) word.hash += mine.bytes * factor;
    factor *= power(kBase, kLanes);
    word.length += 8 * full + (full < kLanes ? Members::of(mine.count, full) : 0);
  } while (full == kLanes && word.length <= most);
  word.hash = Members::sum(word.hash);
  return word;
}

// Is the word that ends at `other` the same? Its letters decide, not its hash.
template <int kLanes>
__device__ bool same_word(const Byte* text, const Word& word, size_t other) {
  // `<=`: the eight bytes behind the last letters tell whether the other word is longer.
  for (unsigned i = 0; i <= word.length; i += 8 * kLanes) {
    const unsigned mine = i + 8 * Team<kLanes>::rank();
    const bool same =
        mine > word.length || letters_before(text, word.end - mine).bytes == letters_before(text, other - mine).bytes;
    if (Team<kLanes>::leading(same) != kLanes) return false;
  }
  return true;
}

// ---- A table of words, in global memory, or in a block's shared memory as a cache of frequent words.
//
// A slot is free (0), or holds a tag from the hash (24 bits) above the end of the word's first occurrence (40 bits, a
// terabyte). Both travel in one access: a thread that sees the tag knows where the letters are.
using Entry = unsigned long long;
constexpr int kEndBits = 40;
__device__ size_t end_of(Entry entry) { return entry & ((Entry{1} << kEndBits) - 1); }

struct Table {
  Entry* entries;
  unsigned* counts;
  size_t slots;   // a power of two
  size_t probes;  // that a word may take before the table counts as full
};

// A multiplication moves bits only upwards, so the upper ones go down before each.
__device__ Eight mixed(Eight hash) {
  for (int i = 0; i < 2; ++i) hash = (hash ^ hash >> 32) * kBase;
  return hash ^ hash >> 32;
}

// Adds `times` to the word's counter. False if the table is full. All members of a team call it together.
template <int kLanes>
__device__ bool count(const Table& table, const Byte* text, const Word& word, unsigned times) {
  const Eight hash = mixed(word.hash);
  const Entry tag = hash >> kEndBits, mine = tag << kEndBits | word.end;
  for (size_t probe = 0; probe < table.probes; ++probe) {
    const size_t slot = (hash + probe) & (table.slots - 1);
    Entry found = 0;
    if (Team<kLanes>::rank() == 0) {
      found = __nv_atomic_load_n(&table.entries[slot], __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
      // The load spares most of these. Another thread may take the slot after it, so that only the swap decides.
      if (found == 0) found = atomicCAS(&table.entries[slot], Entry{0}, mine);
    }
    found = Team<kLanes>::of(found, 0);
    if (found != 0 && (found >> kEndBits != tag || !same_word<kLanes>(text, word, end_of(found)))) continue;
    if (Team<kLanes>::rank() == 0) {
      atomicAdd(&table.counts[slot], times);
      if (mine < found) atomicMin(&table.entries[slot], mine);  // the tags are equal, so the smaller end stays
    }
    return true;
  }
  return false;
}

// ---- The kernel of a chunk.

// A bit for each of the 32 bytes of a lane.
[[maybe_unused]] __device__ unsigned letter_bits(const Byte* bytes) {
  unsigned bits = 0;
#pragma unroll
  for (int v = 0; v < kLaneBytes / 16; ++v) {
    const ulonglong2 two = reinterpret_cast<const ulonglong2*>(bytes)[v];
    // The product moves the highest bits of eight bytes side by side, into the highest byte.
    bits |= static_cast<unsigned>((letters_of(two.x) >> 7) * 0x0102040810204080 >> 56) << (16 * v);
    bits |= static_cast<unsigned>((letters_of(two.y) >> 7) * 0x0102040810204080 >> 56) << (16 * v + 8);
  }
  return bits;
}

// TODO 1 (about 15 lines, and 5 in count_words): compaction. find_ends(text, first, s_ends) writes the places in the
// warp's kWarpBytes at which words end to s_ends, without gaps, and returns their number. A lane has 32 bytes: their
// bits come from letter_bits, and the bit before them from the lane to the left. A scan of the numbers of ends (lab 18)
// says where each lane writes.

constexpr int kNear = 32;     // letters of the longest word that one lane reads
constexpr int kBlock = 1024;  // threads: one large block on a multiprocessor has one cache, which fills once
constexpr int kWarps = kBlock / kWarp;
[[maybe_unused]] constexpr int kCached = 1024, kCacheProbes = 2;
constexpr size_t kBlockBytes = 64 << 10;  // of the text, for a block at least: with less, the cache does not pay

// Counts the words that end in [from, to). from is a multiple of kWarpBytes.
__global__ void __launch_bounds__(kBlock)
    count_words(const Byte* __restrict__ text, size_t from, size_t to, Table table, int* full) {
  // TODO 2 (about 12 lines): a cache of frequent words in shared memory: a Table of kCached slots that a word may use
  // after at most kCacheProbes probes. Clear it first. A word that the cache has no slot for goes to the table. At the
  // end the block adds what the cache holds to the table: read_word gives the hash of each entry again.
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  bool fits = true;
  for (size_t first = from + (size_t{blockIdx.x} * kWarps + warp) * kWarpBytes; first < to;
       first += size_t{gridDim.x} * kWarps * kWarpBytes) {
    // TODO 1: let each lane have one of the ends that find_ends has found, in place of one byte.
    for (int i = 0; i < kWarpBytes; i += kWarp) {
      const size_t end = first + i + lane;
      const bool mine = letters_before(text, end).count != 0 && letters_before(text, end + 1).count == 0;
      Word word{};
      if (mine) word = read_word<1>(text, end, kNear);
      if (mine && word.length <= kNear) fits &= count<1>(table, text, word, 1);
      // Long words, one after the other, each by the whole warp.
      for (unsigned todo = __ballot_sync(kAllLanes, word.length > kNear); todo != 0; todo &= todo - 1) {
        const size_t end_of_long = __shfl_sync(kAllLanes, end, __ffs(todo) - 1);
        fits &= count<kWarp>(table, text, read_word<kWarp>(text, end_of_long), 1);
      }
    }
  }
  if (!fits) *full = 1;
}

// ---- The best words: a reduction that keeps twenty slots in place of one sum.

struct Slot {
  Entry entry;
  unsigned count;
};

// By count downwards; of equal counts the first occurrence is better. A free slot has count 0.
__device__ bool better(const Slot& a, const Slot& b) {
  return a.count != b.count ? a.count > b.count : end_of(a.entry) < end_of(b.entry);
}

constexpr int kBestBlock = 256;                 // threads
constexpr int kFresh = kBestBlock - kTopWords;  // slots that a block looks at in a round

// Each block leaves the best of its share of the slots in `best`, in order.
__global__ void __launch_bounds__(kBestBlock) best_slots(Table in, Table best) {
  __shared__ Slot s_slots[kBestBlock];
  const int tid = threadIdx.x;
  Slot mine{}, worst{};  // threads 0 … 19 hold the best so far; the last of these is the worst
  for (size_t first = size_t{blockIdx.x} * kFresh; first < in.slots; first += size_t{gridDim.x} * kFresh) {
    const size_t i = first + tid - kTopWords;
    if (tid >= kTopWords) mine = i < in.slots ? Slot{in.entries[i], in.counts[i]} : Slot{};
    // Most rounds have nothing better. The barrier also makes sure that all threads have read s_slots.
    if (!__syncthreads_or(tid >= kTopWords && better(mine, worst))) continue;
    s_slots[tid] = mine;
    // Every thread compares its slot with all others.
    __syncthreads();
    int rank = 0;
    for (int other = 0; other < kBestBlock; ++other) rank += better(s_slots[other], mine);
    // All have compared.
    __syncthreads();
    if (mine.count != 0 && rank < kTopWords) s_slots[rank] = mine;
    // The best are there.
    __syncthreads();
    worst = s_slots[kTopWords - 1];
    if (tid < kTopWords) mine = s_slots[tid];
  }
  if (tid >= kTopWords) return;
  best.entries[blockIdx.x * kTopWords + tid] = mine.entry;
  best.counts[blockIdx.x * kTopWords + tid] = mine.count;
}

// A warp for each of the best words finds where it begins.
__global__ void describe(const Byte* __restrict__ text, Table best, WordCount* __restrict__ top) {
  const int i = threadIdx.x / kWarp;
  if (best.counts[i] == 0) return;  // the text has fewer words; top keeps its zeros
  const Word word = read_word<kWarp>(text, end_of(best.entries[i]));
  if (threadIdx.x % kWarp == 0) top[i] = {word.end - word.length, word.length, best.counts[i]};
}

// ---- The host.

// Memory of the device. Or of the host, at a place that does not change ("pinned"): the device copies from there while
// the host does something else.
enum class Place { kDevice, kPinned };
template <class T, Place kPlace = Place::kDevice>
class Memory {
 public:
  explicit Memory(size_t n) {
    if constexpr (kPlace == Place::kDevice)
      CUDA_CHECK(cudaMalloc(&data_, n * sizeof(T)));
    else
      CUDA_CHECK(cudaMallocHost(&data_, n * sizeof(T)));
  }
  ~Memory() { CUDA_CHECK(kPlace == Place::kDevice ? cudaFree(data_) : cudaFreeHost(data_)); }
  Memory(const Memory&) = delete;
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

// The chunks of the text, on their way to the device. Threads of the host fill slots of pinned memory. One core alone
// copies slower than the bus to the device.
class Chunks {
 public:
  Chunks(const char* text, size_t bytes)
      : text_(text), bytes_(bytes), slots_(kSlots * size()), parts_left_(number()), is_sent_(number()) {
    for (std::atomic<size_t>& left : parts_left_) left = kParts;
    for (size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this] { fill(); });
  }
  // A short text has eight chunks, so that seven eighths of it can be on their way while kernels work.
  size_t size() const { return std::min(kLargest, round_up(bytes_ / 8 + 1, kWarpBytes)); }
  size_t number() const { return (bytes_ - 1) / size() + 1; }
  size_t begin(size_t chunk) const { return chunk * size(); }
  size_t end(size_t chunk) const { return std::min(bytes_, begin(chunk) + size()); }
  char* slot(size_t chunk) const { return slots_.get() + chunk % kSlots * size(); }

  void wait_until_filled(size_t chunk) const {
    for (size_t left; (left = parts_left_[chunk]) != 0;) parts_left_[chunk].wait(left);
  }
  // The device has the chunk. Its slot may be filled again.
  void is_sent(size_t chunk) {
    is_sent_[chunk] = true;
    is_sent_[chunk].notify_all();
  }

 private:
  static constexpr size_t kLargest = size_t{8} << 20, kSlots = 3;
  static constexpr size_t kThreads = 12, kParts = 32;  // parts of a chunk: a thread takes one after the other
  void fill() {
    for (size_t task; (task = next_task_++) < number() * kParts;) {
      const size_t chunk = task / kParts, part = task % kParts, bytes = end(chunk) - begin(chunk);
      const size_t from = bytes * part / kParts, to = bytes * (part + 1) / kParts;
      if (chunk >= kSlots) is_sent_[chunk - kSlots].wait(false);
      std::memcpy(slot(chunk) + from, text_ + begin(chunk) + from, to - from);
      if (--parts_left_[chunk] == 0) parts_left_[chunk].notify_all();
    }
  }
  const char* text_;
  size_t bytes_;
  Memory<char, Place::kPinned> slots_;
  std::vector<std::atomic<size_t>> parts_left_;
  std::vector<std::atomic<bool>> is_sent_;
  std::atomic<size_t> next_task_ = 0;
  std::vector<std::jthread> threads_;  // the last member: they end before the others do
};

// What comes back to the host.
struct Result {
  WordCount top[kTopWords];
  int full;  // 1: the table was too small, so the counts are wrong
};

// What is put into `later` from now on waits for what is in `earlier` now.
[[maybe_unused]] void follow(cudaStream_t later, cudaStream_t earlier) {
  cudaEvent_t event = nullptr;
  CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventRecord(event, earlier));
  CUDA_CHECK(cudaStreamWaitEvent(later, event));
  CUDA_CHECK(cudaEventDestroy(event));
}

class Pipeline {
 public:
  Pipeline(const char* text, size_t bytes)
      : bytes_(bytes), d_text_(kZeros + padded()), best_entries_(kBest), best_counts_(kBest), chunks_(text, bytes) {
    CUDA_CHECK(cudaStreamCreateWithFlags(&count_, cudaStreamNonBlocking));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, 0));
  }
  ~Pipeline() { CUDA_CHECK(cudaStreamDestroy(count_)); }

  // Most texts have far fewer different words than a slot for each 32 bytes. If a text has more, it is on the device
  // already, and is counted again with more slots. With a slot for each byte every text fits, if a word may take any.
  const Result& run() {
    size_t slots = 256;
    while (slots < bytes_ / 32) slots *= 2;
    for (bool is_there = false;; is_there = true, slots *= 8) {
      const Memory<Entry> entries(slots);
      const Memory<unsigned> counts(slots);
      launch({entries.get(), counts.get(), slots, slots < bytes_ ? size_t{128} : slots}, is_there);
      if (result_.get()->full == 0) return *result_.get();
    }
  }

 private:
  static constexpr int kBestBlocks = 264, kBest = (kBestBlocks + 1) * kTopWords;
  size_t padded() const { return round_up(bytes_ + 1, kWarpBytes); }
  Byte* text() const { return d_text_.get() + kZeros; }

  // TODO 4 (about 8 lines): capture the work as a graph, and launch it. If a part of the work of another stream belongs
  // to it, that stream must follow this one before, and this one must follow that stream behind it.
  void launch(const Table& table, bool is_there) {
    clear(table);
    if (!is_there) upload();
    count(0, bytes_ + 1, table);
    find_best(table);
    CUDA_CHECK(cudaStreamSynchronize(count_));
  }

  void clear(const Table& table) {
    CUDA_CHECK(cudaMemsetAsync(d_text_.get(), 0, kZeros, count_));
    CUDA_CHECK(cudaMemsetAsync(text() + bytes_, 0, padded() - bytes_, count_));
    CUDA_CHECK(cudaMemsetAsync(table.entries, 0, table.slots * sizeof(Entry), count_));
    CUDA_CHECK(cudaMemsetAsync(table.counts, 0, table.slots * sizeof(unsigned), count_));
    CUDA_CHECK(cudaMemsetAsync(d_result_.get(), 0, sizeof(Result), count_));
  }

  // TODO 3 (about 25 lines): let filling, copying and counting overlap. For each chunk there are three steps, each in a
  // stream of its own: a host function that waits until the chunk is filled (cudaLaunchHostFunc), the copy, and count()
  // of the words that end in the chunk. The host function for a chunk also says that the chunk two before it is sent.
  // So it follows that copy, and must not wait for the next one. follow() orders two streams.
  void upload() {
    for (size_t chunk = 0; chunk < chunks_.number(); ++chunk) {
      const size_t begin = chunks_.begin(chunk), end = chunks_.end(chunk);
      chunks_.wait_until_filled(chunk);
      CUDA_CHECK(cudaMemcpy(text() + begin, chunks_.slot(chunk), end - begin, cudaMemcpyHostToDevice));
      chunks_.is_sent(chunk);
    }
  }

  void count(size_t from, size_t to, const Table& table) {
    const size_t blocks = (to - from - 1) / kBlockBytes + 1, most = multiprocessors_;
    count_words<<<std::min(blocks, most), kBlock, 0, count_>>>(text(), from, to, table, &d_result_.get()->full);
    CUDA_CHECK(cudaGetLastError());
  }

  void find_best(const Table& table) {
    const Table some{best_entries_.get(), best_counts_.get(), kBestBlocks * kTopWords, 0};
    const Table best{some.entries + some.slots, some.counts + some.slots, kTopWords, 0};
    best_slots<<<kBestBlocks, kBestBlock, 0, count_>>>(table, some);
    best_slots<<<1, kBestBlock, 0, count_>>>(some, best);
    describe<<<1, kTopWords * kWarp, 0, count_>>>(text(), best, d_result_.get()->top);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(result_.get(), d_result_.get(), sizeof(Result), cudaMemcpyDeviceToHost, count_));
  }

  size_t bytes_;
  Memory<Byte> d_text_;
  Memory<Result> d_result_{1};
  Memory<Result, Place::kPinned> result_{1};
  Memory<Entry> best_entries_;
  Memory<unsigned> best_counts_;
  Chunks chunks_;
  cudaStream_t count_ = nullptr;
  int multiprocessors_ = 0;
};

}  // namespace

int top_words(const char* text, size_t bytes, WordCount* top) {
  if (bytes == 0) return 0;
  Pipeline pipeline(text, bytes);
  const Result& result = pipeline.run();
  int words = 0;
  for (; words < kTopWords && result.top[words].count != 0; ++words) top[words] = result.top[words];
  return words;
}
