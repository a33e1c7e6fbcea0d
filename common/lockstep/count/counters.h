// counters: the counts of one launch, per instruction, by rules measured on an H200. Pure functions of addresses.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "count/traffic.h"
#include "program/program.h"

namespace lockstep {

// Sums only: add() adds each number of `other`.
struct InstructionCounters {
  uint64_t warps = 0;      // warp instructions executed
  uint64_t threads = 0;    // lanes active in them
  uint64_t divergent = 0;  // how often lanes parted here: at a branch, a join, a call, or in groups at a collective
  // Memory instructions with at least one active lane, and their lanes; by the space they reached.
  struct Global {
    uint64_t requests = 0, sectors = 0, threads = 0;
  } global;
  struct Shared {
    uint64_t requests = 0, wavefronts = 0, ideal = 0, threads = 0;
    uint64_t fewest = 0;  // of atomics, with the loads of their loops: the wavefronts if no two lanes met in a bank
  } shared;
  struct Local {
    uint64_t requests = 0, sectors = 0;
  } local;
  // Loads of the loops that replace atomics which the card does not have (atomic_loop).
  struct Loop {
    uint64_t requests = 0, sectors = 0, wavefronts = 0, ideal = 0;
  } loop;
  uint64_t bytes_reduced = 0;  // of asynchronous reductions
  void add(const InstructionCounters& other);
};

// Distinct sectors of 32 bytes that the active lanes access, `bytes` each, aligned.
uint32_t global_sectors(const uint64_t* addresses, Mask mask, uint32_t bytes);
// Sectors of a global atomic or reduction of `bytes` a lane, for addresses as the card would have them.
//
// A line of 128 bytes belongs to one of four sets, by a hash of its address. The instruction takes rounds. In a round
// each set serves one line (cas: half a line), that of its lowest waiting lane; a lane of that line waits if a lower
// waiting lane of the set accesses a word with the same offset in its own line. The sectors of each round are counted.
// So lanes with one address are served one after the other, and if their set also serves another line, the lanes of one
// sector may be served in different rounds.
uint32_t global_atomic_sectors(const uint64_t* addresses, Mask mask, uint32_t bytes, bool is_cas);

// Sectors of local memory. `offsets`: in each lane's own local memory. The card interleaves the lanes' words of 4
// bytes, so that the words of all lanes with one offset lie side by side.
uint32_t local_sectors(const uint64_t* offsets, Mask mask, uint32_t bytes);

// ideal: without the wavefronts that the card's counter of bank conflicts counts. fewest: those of the same atomic if
// no two lanes met in a bank; for loads and stores that is `ideal`.
struct Wavefronts {
  uint32_t total = 0, ideal = 0, fewest = 0;
};
// Shared memory has 32 banks of 4 bytes; `bytes` is what one lane reads or writes at once. merges: lanes that have the
// address of a lane beside them share a phase.
Wavefronts shared_wavefronts(const uint64_t* addresses, Mask mask, uint32_t bytes, bool merges);
// A load by a generic address does not merge.
inline bool merges_phases(const MemoryAccess& access) {
  return access.op == MemoryOp::kLoad && access.space != Space::kGeneric;
}
// As above for atom and red that are one instruction (see atomic_loop for the others), of 4, 8 or 16 bytes. kCount: add
// of the literal 1 whose result is not used.
enum class SharedAtomic : uint8_t { kCount, kCas, kOther };
Wavefronts shared_atomic_wavefronts(const uint64_t* addresses, Mask mask, uint32_t bytes, SharedAtomic kind);

// The additions of floats that one lane makes in this instruction, by its full name: 2 for a pair (.f16x2), 0 for an
// instruction that adds no floats. A fused multiply-add is an addition, whatever it multiplies by.
uint32_t float_additions(std::string_view instruction);

// The time of a block's slowest warp, from one barrier to the next, if it ran alone: cycles in which it issues or waits
// for a result, and the number of waits for memory, whose length depends on the card.
struct Chain {
  uint64_t cycles = 0, shared_waits = 0, l1_waits = 0, misses = 0, barriers = 0;
  void add(const Chain& other);
  // Tells which of two is slower, on any card.
  uint64_t weight() const { return cycles + 30 * shared_waits + 40 * l1_waits + 500 * misses; }
  auto operator<=>(const Chain&) const = default;
};

// What a block did, from its begin to its end.
struct BlockCounters {
  uint64_t waits = 0;     // the longest chain of waits between its warps (engine/waits.h)
  uint64_t branches = 0;  // branches, one a warp
  uint32_t threads = 0;
  bool order_decides = false;  // the order of the warps decides about `waits`
};

// What a launch loaded from one allocation that the host writes in place. No more than the allocation's size has
// crossed, however often it was loaded.
struct HostLoads {
  uint64_t size = 0, loaded = 0;  // bytes
};

// What an access that has a neighbour would count if it were a wider one, of 2, 4, 8 or 16 bytes a lane, at the same
// addresses. Only the counts of memory, without threads.
struct WiderCounts {
  std::array<InstructionCounters, 4> widths;
  static size_t index(uint32_t bytes) { return static_cast<size_t>(std::countr_zero(bytes)) - 1; }
  static uint32_t bytes(size_t index) { return 2u << index; }
};

// What warps access in their calls of printf() at one place (printing.h).
struct PrintCounters {
  InstructionCounters::Global loads{}, stores{}, atomics{};
  InstructionCounters::Local local_loads{}, local_stores{};
  bool known = true;  // the rules hold for all of these calls
  void add(const PrintCounters& other);
};

// The warps of a launch that printed.
class PrintingWarps {
 public:
  void add(uint64_t warp) { add(PrintingWarps(warp, warp)); }  // by its number in the grid
  void add(const PrintingWarps& other) {
    first_ = std::min(first_, other.first_);
    last_ = std::max(last_, other.last_);
  }
  bool several() const { return first_ < last_; }
  PrintingWarps() = default;

 private:
  PrintingWarps(uint64_t first, uint64_t last) : first_(first), last_(last) {}
  uint64_t first_ = ~uint64_t{0}, last_ = 0;
};

// Counts of one launch. `at` is parallel to Program::code, `wider` to the numbers of MemoryAccess::neighbour.
struct LaunchCounters {
  std::vector<InstructionCounters> at;
  std::vector<WiderCounts> wider;
  uint64_t barriers = 0;  // block barriers completed
  // Bytes of global memory that asynchronous copies move. async_requested: the bytes of cp.async, which a card counts
  // as a load. Bulk copies are neither ld nor st.
  uint64_t async_loaded = 0, async_stored = 0, async_requested = 0;
  std::set<uint32_t> partial_copies{};  // cp.async by which some lane copied fewer bytes than others, by instruction
  uint64_t block_waits = 0, block_branches = 0;  // of the block that has most
  uint64_t thread_waits = 0;                     // the sum over all blocks of waits · threads
  bool order_decides = false;                    // about the waits of some block
  // Memory that the host reads and writes in place: bytes stored there, each time that a warp stores them, since the
  // host can look at any time; and what was loaded, by the start of its allocation.
  uint64_t host_stored = 0;
  std::map<uint64_t, HostLoads> host_loads;
  Chain chains, longest_chain;  // the sum over all blocks; the chain of the slowest block
  Traffic traffic;
  std::map<uint32_t, PrintCounters> prints{};  // by instruction
  PrintingWarps printing{};
  void end_block(const Chain& chain, const BlockCounters& block);
  uint64_t host_loaded() const;           // bytes
  void add(const LaunchCounters& other);  // `other`: counts of the same program
};

}  // namespace lockstep
