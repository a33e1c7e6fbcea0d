// scan_stream: the inclusive scan in one launch at nearly the speed of copying, for Hopper and later.
//
// Look-back leaves the memory idle: a tile may go only after all tiles before it have arrived, and a block that waits
// asks for nothing. Measured on an H200: 15 us from a tile's request to its end, 6 of them for the prefix to come. To
// move 4.2 TB/s with tiles that live for T, T * 2.1 TB/s of input must be in the house. So: more room, and a shorter
// wait.
//
// Room. One warp, one tile, one stage of shared memory: 18 stages of 12.5 KiB fill a multiprocessor. The copy engine
// fills a stage and empties it (cp.async.bulk); the warps meet no barrier of the block.
//
// Wait. One more warp, the follower, reads the list of all tiles' sums as it grows and keeps the running total. So
// every multiprocessor knows every prefix one trip through L2 after the last sum was written, and no prefix is ever
// published. The tiles are added in a fixed order, so that floats have the same bits in every run.
//
// Why it makes progress: tiles are drawn from a counter, so that all earlier tiles belong to warps that are running.
// A warp writes its tile's sum before it waits for anything.
#pragma once

#include "words.cuh"

namespace top {

// 25 rows of 512 bytes. A lane scans 25 neighbouring vectors by itself. 25 is odd: lanes that are 25 vectors apart read
// different banks.
constexpr int kStageRows = 25;
constexpr int kStages = 18;
constexpr int kLoads = 6;     // of a block under way at once; without a limit, all stages are filled at the same time,
                              // wait at the same time, and are emptied at the same time. A divisor of kStages.
constexpr int kFollowed = 4;  // tiles for each lane of the follower
constexpr int kWindow = kFollowed * kWarp;
constexpr int kStreamThreads = (kStages + 1) * kWarp;
constexpr unsigned kNoTile = 0xffffffff, kFinished = 0xfffffffe;

template <class T>
constexpr size_t kStageElements = size_t{kStageRows} * 512 / sizeof(T);
constexpr int kStreamShared = kStages * kStageRows * 512;

__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// An mbarrier for one arrival, and the bytes that a bulk copy brings.
__device__ inline void barrier_init(unsigned long long* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
  // The copy engine must see it too.
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void barrier_arrive(unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ inline void barrier_wait(unsigned long long* barrier, unsigned parity) {
  unsigned passed;
  do
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(passed)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
  while (!passed);
}
__device__ inline void bulk_load(void* stage, const void* from, unsigned bytes, unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(stage)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}
__device__ inline void bulk_store(void* to, const void* stage, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(stage)),
               "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// How the follower and the block's other warps talk. Warp j wants the sum of all tiles before tile wanted[j]. The
// follower writes it to before[j] and arrives at answers[j]; one phase of that barrier is one answer. wanted, over and
// finished are read and written by atomics only.
template <class T>
struct Board {
  unsigned long long answers[kStages];
  unsigned wanted[kStages];
  T before[kStages];
  T scanned[kWindow];
  unsigned first;     // of the block's first kLoads tiles
  unsigned over;      // not zero: there are no more tiles to draw
  unsigned finished;  // warps
};

__device__ inline unsigned look_at(unsigned* word) { return atomicOr(word, 0); }

// One window: the sums of 128 tiles, four for each lane. Answers the warps whose tile lies in the part without gaps,
// and returns whether that is all of it. carry: the sum of all windows before; only whole windows are added to it, so
// that the order of additions does not depend on time. wanted: of the warp that this lane answers, kNoTile afterwards.
template <class T>
__device__ bool answer(const Tagged<T> (&word)[kFollowed], unsigned base, unsigned epoch, unsigned& wanted, T& carry,
                       Board<T>& board) {
  const unsigned lane = threadIdx.x % kWarp;
  T upto[kFollowed + 1];
  upto[0] = T{};
  unsigned ready = 0;
#pragma unroll
  for (int k = 0; k < kFollowed; ++k) {
    if (ready == k && word[k].has(tag_of(epoch, kOwnSum))) ++ready;
    upto[k + 1] = upto[k] + (ready > k ? word[k].value() : T{});
  }
  const unsigned gaps = __ballot_sync(kAllLanes, ready < kFollowed);
  const unsigned stop = gaps ? __ffs(gaps) - 1 : kWarp - 1;  // the first lane with a gap, or the last lane
  const unsigned run = stop * kFollowed + __shfl_sync(kAllLanes, ready, stop);

  const T scan = warp_scan(upto[kFollowed]);
  T left = __shfl_up_sync(kAllLanes, scan, 1);
  if (lane == 0) left = T{};
  // The answers of the last window have been read.
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kFollowed; ++k) board.scanned[lane * kFollowed + k] = carry + left + upto[k];
  // A lane may need what another lane wrote.
  __syncwarp();
  if (wanted - base < run) {  // unsigned: a tile before the window, or no tile, gives a large number
    board.before[lane] = board.scanned[wanted - base];
    barrier_arrive(&board.answers[lane]);  // releases the answer
    wanted = kNoTile;
  }
  const T all = __shfl_sync(kAllLanes, scan, kWarp - 1);
  if (run < kWindow) return false;
  carry += all;
  return true;
}

// Four neighbouring tiles. i is a multiple of four, so that the words are aligned.
template <class T>
__device__ void read_four(const unsigned long long* words, unsigned i, Tagged<T> (&to)[kFollowed]) {
  constexpr int kWords = Tagged<T>::kWords;
  unsigned long long word[kFollowed * kWords];
#pragma unroll
  for (int k = 0; k < kFollowed * kWords; k += 2) peek_pair(words + size_t{i} * kWords + k, word[k], word[k + 1]);
#pragma unroll
  for (int k = 0; k < kFollowed; ++k)
#pragma unroll
    for (int half = 0; half < kWords; ++half) to[k].word[half] = word[k * kWords + half];
}

// The follower. It looks at two windows at once, so that it does not stop at the border between them.
template <class T>
__device__ void follow(const unsigned long long* words, unsigned epoch, Board<T>& board) {
  const unsigned lane = threadIdx.x % kWarp;
  T carry{};
  unsigned base = 0;
  unsigned last = kNoTile;  // that the lane's warp wanted; it is answered once, because the barrier counts the answers
  while (true) {
    Tagged<T> near[kFollowed], far[kFollowed];
    read_four(words, base + lane * kFollowed, near);
    read_four(words, base + kWindow + lane * kFollowed, far);
    unsigned wanted = lane < kStages ? look_at(&board.wanted[lane]) : +kFinished;
    if (__all_sync(kAllLanes, wanted == kFinished)) return;
    // The warp read its last answer before it wrote its next wish, and fenced between them. So that answer may be
    // overwritten behind this fence.
    __threadfence_block();
    if (wanted == last) wanted = kNoTile;
    const unsigned wish = wanted;
    if (answer(near, base, epoch, wanted, carry, board)) {
      base += kWindow;
      if (answer(far, base, epoch, wanted, carry, board)) base += kWindow;
    }
    if (wanted != wish) last = wish;
  }
}

// One warp with its stage.
template <class T>
struct Worker {
  using V = Vector<T>;
  static constexpr size_t kTile = kStageElements<T>;
  const T* in;
  T* out;
  size_t n;
  unsigned tiles, epoch;
  Head* head;
  Board<T>& board;
  unsigned long long* barriers;  // one for each stage
  T* stage;
  unsigned warp, lane;

  __device__ bool whole(unsigned tile) const { return (tile + 1) * kTile <= n; }

  // Draws a tile and asks for it. Loads of a block go out in the order of the ring of warps: this one waits until the
  // load of the warp kLoads places before it has arrived.
  __device__ unsigned begin(unsigned round) {
    const bool wraps = warp < kLoads;
    if (!wraps || round > 0)
      barrier_wait(&barriers[wraps ? warp + kStages - kLoads : warp - kLoads], (wraps ? round - 1 : round) & 1);
    unsigned tile = 0;
    if (lane == 0) {
      // One address serves 200 draws in a microsecond, so thousands of warps do not draw at the start, nor at the end.
      tile = round == 0 && wraps ? board.first + warp : look_at(&board.over) ? tiles : atomicAdd(&head->tickets, 1);
      if (tile >= tiles) atomicExch(&board.over, 1);
      // All lanes have read the last answer; only then may the follower write the next one.
      __threadfence_block();
      atomicExch(&board.wanted[warp], tile < tiles ? tile : +kFinished);
      // The copy engine has read what this warp stored last; now the stage may be filled again.
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      if (tile < tiles && whole(tile))
        bulk_load(stage, in + tile * kTile, sizeof(T) * kTile, &barriers[warp]);
      else
        barrier_arrive(&barriers[warp]);  // nothing to bring, but the next warp of the ring waits for this
    }
    return __shfl_sync(kAllLanes, tile, 0);
  }

  // The sum of the lane's own vectors.
  __device__ T sum_own() const {
    const V* mine = reinterpret_cast<const V*>(stage) + lane * kStageRows;
    T sum{};
#pragma unroll
    for (int r = 0; r < kStageRows; ++r) {
      const V v = mine[r];
#pragma unroll
      for (int e = 0; e < V::kEach; ++e) sum += v.at[e];
    }
    return sum;
  }

  __device__ void scan_own(T before) {
    V* mine = reinterpret_cast<V*>(stage) + lane * kStageRows;
#pragma unroll
    for (int r = 0; r < kStageRows; ++r) {
      V v = mine[r];
#pragma unroll
      for (int e = 0; e < V::kEach; ++e) v.at[e] = before += v.at[e];
      mine[r] = v;
    }
  }

  // The last tile may not be full: the warp brings it itself, with zeros behind it, and takes it away itself.
  __device__ void fill(unsigned tile) {
    for (size_t i = lane; i < kTile; i += kWarp) stage[i] = tile * kTile + i < n ? in[tile * kTile + i] : T{};
    // Lanes read what other lanes brought.
    __syncwarp();
  }
  __device__ void store(unsigned tile) {
    if (whole(tile)) {
      // The copy engine must see what the lanes wrote with ordinary stores.
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncwarp();
      if (lane == 0) bulk_store(out + tile * kTile, stage, sizeof(T) * kTile);
    } else {
      // Lanes store what other lanes scanned.
      __syncwarp();
      for (size_t i = lane; tile * kTile + i < n; i += kWarp) out[tile * kTile + i] = stage[i];
    }
  }

  __device__ void run() {
    unsigned round = 0;
    for (unsigned tile = begin(round); tile < tiles; tile = begin(round)) {
      const unsigned parity = round++ & 1;
      barrier_wait(&barriers[warp], parity);
      if (!whole(tile)) fill(tile);
      const T sum = sum_own();
      const T upto = warp_scan(sum);
      if (lane == kWarp - 1) Tagged<T>::write(head->words, tile, tag_of(epoch, kOwnSum), upto);
      T left = __shfl_up_sync(kAllLanes, upto, 1);
      if (lane == 0) left = T{};
      barrier_wait(&board.answers[warp], parity);
      scan_own(board.before[warp] + left);
      store(tile);
    }
    if (lane != 0) return;
    // Shared memory must live until the copy engine has read it.
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    // The last warp of the last block: nobody will draw again, and all blocks have read the old epoch. The fence puts
    // what a block has read before the count that says that it is done.
    __threadfence();
    if (atomicAdd(&board.finished, 1) != kStages - 1) return;
    __threadfence();
    if (atomicInc(&head->done, gridDim.x - 1) != gridDim.x - 1) return;
    __threadfence();
    head->tickets = 0;
    end_epoch(head, epoch);
  }
};

// in and out are multiples of 16; one block for each multiprocessor.
template <class T>
__global__ void __launch_bounds__(kStreamThreads, 1)
    scan_stream(const T* __restrict__ in, size_t n, T* __restrict__ out, Head* head) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char s_stages[];
  __shared__ unsigned long long s_barriers[kStages];
  __shared__ Board<T> s_board;
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const auto tiles = static_cast<unsigned>((n - 1) / kStageElements<T> + 1);
  const unsigned epoch = this_epoch(head);
  if (threadIdx.x == 0) {
    s_board.first = atomicAdd(&head->tickets, kLoads);
    s_board.over = 0;
    s_board.finished = 0;
  }
  if (warp < kStages && lane == 0) {
    s_board.wanted[warp] = kNoTile;
    barrier_init(&s_board.answers[warp]);
    barrier_init(&s_barriers[warp]);
  }
  // Warps wait at each other's barriers, and the follower reads the board.
  __syncthreads();
  if (warp == kStages) {
    follow(head->words, epoch, s_board);
  } else {
    T* stage = reinterpret_cast<T*>(s_stages) + warp * kStageElements<T>;
    Worker<T>{in, out, n, tiles, epoch, head, s_board, s_barriers, stage, warp, lane}.run();
  }
#endif
}

}  // namespace top
