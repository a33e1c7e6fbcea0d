#include "count/counters.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

namespace lockstep {
namespace {

constexpr uint32_t kBanks = 32;

// The distinct words of 4 bytes that lanes access in each bank.
class BankTable {
 public:
  void want(uint64_t word) {
    const auto bank = static_cast<uint32_t>(word % kBanks);
    for (uint32_t i = 0; i < used_[bank]; ++i)
      if (words_[bank][i] == word) return;
    words_[bank][used_[bank]++] = word;
    deepest_ = std::max<uint32_t>(deepest_, used_[bank]);
  }
  uint32_t deepest() const { return deepest_; }

 private:
  std::array<uint8_t, kBanks> used_{};
  std::array<std::array<uint64_t, 32 * 4>, kBanks> words_;  // only the first used_ of each are set
  uint32_t deepest_ = 0;
};

// The lanes [first, first + count), `bytes` each.
uint32_t deepest_bank(const uint64_t* addresses, Mask mask, uint32_t bytes, uint32_t first, uint32_t count) {
  BankTable table;
  for (uint32_t l = first; l < first + count; ++l) {
    if (!(mask >> l & 1)) continue;
    for (uint64_t word = addresses[l] / 4; word <= (addresses[l] + bytes - 1) / 4; ++word) table.want(word);
  }
  return table.deepest();
}

// Whether each active lane has the same address as lane^step, if that lane is active.
bool same_as_partner(const uint64_t* addresses, Mask mask, uint32_t step) {
  for (uint32_t l = 0; l < kWarpSize; ++l)
    if ((mask >> l & 1) && (mask >> (l ^ step) & 1) && addresses[l] != addresses[l ^ step]) return false;
  return true;
}

// The usual case: one word each, side by side, without a conflict.
bool consecutive_words(const uint64_t* addresses, Mask mask) {
  if (mask != kFullMask) return false;
  bool result = true;
  for (uint32_t l = 0; l < kWarpSize; ++l) result &= addresses[l] == addresses[0] + 4 * l;
  return result && addresses[0] % 4 == 0;
}

// Of all lanes: inactive lanes repeat the address of an active lane.
bool all_equal(const uint64_t* addresses) {
  uint64_t difference = 0;
  for (uint32_t l = 1; l < kWarpSize; ++l) difference |= addresses[l] ^ addresses[0];
  return difference == 0;
}

// The set of the card's cache, of four, to which a line belongs, for atomics. Each bit of the set is an exclusive or of
// address bits, measured on an H200 bit by bit from 7 to 29. Higher bits are assumed to have no effect.
uint32_t atomic_set(uint64_t address) {
  constexpr uint64_t kLow = 0x1bbd'5a80, kHigh = 0x296a'ed00;
  return static_cast<uint32_t>((std::popcount(address & kLow) & 1) | (std::popcount(address & kHigh) & 1) << 1);
}

// For lanes in one line. Takes for each sector the largest number of lanes with one address, and adds these numbers up.
uint32_t atomic_sectors_of_line(const uint64_t* addresses, Mask mask) {
  std::array<uint8_t, 64> lanes_at{};  // one count for every 2 bytes of the line
  std::array<uint8_t, 4> deepest{};    // one count for each sector
  for (; mask; mask &= mask - 1) {
    const uint64_t offset = addresses[first_lane(mask)] % 128;
    uint8_t& most = deepest[offset / 32];
    most = std::max(most, ++lanes_at[offset / 2]);
  }
  return deepest[0] + deepest[1] + deepest[2] + deepest[3];
}

// The wavefronts of the same lanes and width if every bank served one word.
uint32_t ideal_wavefronts(Mask mask, uint32_t phases) {
  const uint32_t width = kWarpSize / phases;
  uint32_t ideal = 0;
  for (uint32_t p = 0; p < phases; ++p)
    ideal += (mask >> (p * width) & (width == 32 ? kFullMask : (1u << width) - 1)) != 0;
  return ideal;
}

}  // namespace

uint32_t global_sectors(const uint64_t* addresses, Mask mask, uint32_t bytes) {
  std::array<uint64_t, kWarpSize * 2> sectors;
  uint32_t count = 0, changes = 0;
  bool sorted = true;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const uint64_t address = addresses[std::countr_zero(rest)];
    const uint64_t sector = address / 32;
    if (count == 0 || sectors[count - 1] != sector) {
      sorted &= count == 0 || sectors[count - 1] < sector;
      sectors[count++] = sector;
      ++changes;
    }
    if ((address + bytes - 1) / 32 != sector) sectors[count++] = sector + 1, ++changes;
  }
  if (sorted) return changes;
  // A small open hash table finds sectors that occur for the first time.
  constexpr uint32_t kSlots = 128;
  constexpr uint64_t kFree = ~uint64_t{0}, kSpread = 0x9e37'79b9'7f4a'7c15;
  std::array<uint64_t, kSlots> seen;
  seen.fill(kFree);
  uint32_t distinct = 0;
  for (uint32_t i = 0; i < count; ++i) {
    auto slot = static_cast<uint32_t>(sectors[i] * kSpread >> 57);
    while (seen[slot] != kFree && seen[slot] != sectors[i]) slot = (slot + 1) % kSlots;
    distinct += seen[slot] == kFree;
    seen[slot] = sectors[i];
  }
  return distinct;
}

uint32_t global_atomic_sectors(const uint64_t* addresses, Mask mask, uint32_t bytes, bool is_cas) {
  const uint64_t first = addresses[first_lane(mask)];
  uint64_t difference = 0;
  for (uint32_t l = 0; l < kWarpSize; ++l) difference |= addresses[l] ^ first;
  if (difference == 0) return static_cast<uint32_t>(std::popcount(mask));  // one address for all lanes
  if (difference < 128) return atomic_sectors_of_line(addresses, mask);
  const auto word_shift = static_cast<uint32_t>(std::countr_zero(std::clamp(bytes, 4u, 16u)));
  const uint32_t line_shift = is_cas ? 6 : 7;
  std::array<uint64_t, kWarpSize> line;
  std::array<uint32_t, kWarpSize> word, sector;  // bits: the words and the sectors of the line that the lane accesses
  std::array<Mask, 4> of_set{};                  // lanes
  for (uint32_t l = 0; l < kWarpSize; ++l) {
    line[l] = addresses[l] >> line_shift;
    word[l] = 1u << (addresses[l] % 128 >> word_shift);
    sector[l] = 1u << addresses[l] / 32 % 4;
    of_set[atomic_set(addresses[l])] |= 1u << l;
  }
  uint32_t total = 0;
  for (const Mask lanes : of_set) {
    // Each round serves the line of the first waiting lane: each of its words that no earlier lane of the set accesses.
    for (Mask waiting = lanes & mask; waiting;) {
      const uint64_t taken_line = line[first_lane(waiting)];
      uint32_t wanted = 0, sectors = 0;
      for (Mask rest = waiting; rest; rest &= rest - 1) {
        const uint32_t l = first_lane(rest);
        const bool is_taken = line[l] == taken_line && !(wanted & word[l]);
        wanted |= word[l];
        sectors |= is_taken ? sector[l] : 0;
        waiting ^= static_cast<Mask>(is_taken) << l;
      }
      total += static_cast<uint32_t>(std::popcount(sectors));
    }
  }
  return total;
}

uint32_t local_sectors(const uint64_t* offsets, Mask mask, uint32_t bytes) {
  constexpr uint32_t kLanes = 8;  // of a sector: 8 words of 4 bytes
  if (all_equal(offsets)) {
    const auto words = static_cast<uint32_t>((offsets[0] + bytes - 1) / 4 - offsets[0] / 4 + 1);
    uint32_t groups = 0;
    for (Mask rest = mask; rest; rest >>= kLanes) groups += (rest & 0xff) != 0;
    return words * groups;
  }
  uint32_t total = 0;
  for (uint32_t first = 0; first < kWarpSize; first += kLanes) {
    std::array<uint64_t, kLanes * 4> words;
    uint32_t count = 0;
    for (uint32_t l = first; l < first + kLanes; ++l) {
      if (!(mask >> l & 1)) continue;
      for (uint64_t word = offsets[l] / 4; word <= (offsets[l] + bytes - 1) / 4; ++word)
        if (std::find(words.begin(), words.begin() + count, word) == words.begin() + count) words[count++] = word;
    }
    total += count;
  }
  return total;
}

// A fixed order among chains of the same weight, so that the result does not depend on the host's threads.
static bool slower(const Chain& a, const Chain& b) {
  return a.weight() != b.weight() ? a.weight() < b.weight() : a < b;
}

// Adds each number of `more` to the same number of `sums`. A Struct is numbers of 64 bits and nothing else.
template <class Struct>
static void add_numbers(Struct& sums, const Struct& more) {
  using Numbers = std::array<uint64_t, sizeof(Struct) / sizeof(uint64_t)>;
  auto numbers = std::bit_cast<Numbers>(sums);
  std::ranges::transform(numbers, std::bit_cast<Numbers>(more), numbers.begin(), std::plus());
  sums = std::bit_cast<Struct>(numbers);
}

void InstructionCounters::add(const InstructionCounters& other) { add_numbers(*this, other); }

void Chain::add(const Chain& other) { add_numbers(*this, other); }

void LaunchCounters::end_block(const Chain& chain, const BlockCounters& block) {
  block_waits = std::max(block_waits, block.waits);
  block_branches = std::max(block_branches, block.branches);
  thread_waits += block.waits * block.threads;
  order_decides |= block.order_decides;
  chains.add(chain);
  longest_chain = std::max(longest_chain, chain, slower);
}

void LaunchCounters::add(const LaunchCounters& other) {
  for (size_t pc = 0; pc < at.size(); ++pc) at[pc].add(other.at[pc]);
  for (size_t i = 0; i < wider.size(); ++i)
    for (size_t width = 0; width < wider[i].widths.size(); ++width)
      wider[i].widths[width].add(other.wider[i].widths[width]);
  barriers += other.barriers;
  chains.add(other.chains);
  longest_chain = std::max(longest_chain, other.longest_chain, slower);
  traffic.add(other.traffic);
  async_loaded += other.async_loaded;
  async_stored += other.async_stored;
  async_requested += other.async_requested;
  partial_copies.insert(other.partial_copies.begin(), other.partial_copies.end());
  block_waits = std::max(block_waits, other.block_waits);
  block_branches = std::max(block_branches, other.block_branches);
  thread_waits += other.thread_waits;
  order_decides |= other.order_decides;
  host_stored += other.host_stored;
  for (const auto& [begin, loads] : other.host_loads) {
    HostLoads& mine = host_loads[begin];
    mine.size = loads.size;
    mine.loaded += loads.loaded;
  }
  for (const auto& [pc, calls] : other.prints) prints[pc].add(calls);
  printing.add(other.printing);
}

void PrintCounters::add(const PrintCounters& other) {
  const auto add_sectors = [](auto& sum, const auto& one) {
    sum.requests += one.requests;
    sum.sectors += one.sectors;
  };
  add_sectors(loads, other.loads);
  add_sectors(stores, other.stores);
  add_sectors(atomics, other.atomics);
  add_sectors(local_loads, other.local_loads);
  add_sectors(local_stores, other.local_stores);
  known &= other.known;
}

uint64_t LaunchCounters::host_loaded() const {
  uint64_t bytes = 0;
  for (const auto& [begin, loads] : host_loads) bytes += std::min(loads.loaded, loads.size);
  return bytes;
}

uint32_t float_additions(std::string_view instruction) {
  const std::string_view opcode = instruction.substr(0, instruction.find('.'));
  const bool by_opcode = opcode == "add" || opcode == "sub" || opcode == "fma" || opcode == "mad";
  // Atomics and asynchronous reductions name the operation among their modifiers.
  const bool by_modifier = (opcode == "atom" || opcode == "red" || instruction.starts_with("cp.reduce")) &&
                           instruction.find(".add") != std::string_view::npos;
  if (!by_opcode && !by_modifier) return 0;
  const std::string_view type = instruction.substr(instruction.rfind('.') + 1);
  if (type == "f16x2" || type == "bf16x2" || type == "f32x2") return 2;
  return type == "f16" || type == "bf16" || type == "f32" || type == "f64" ? 1 : 0;
}

Wavefronts shared_wavefronts(const uint64_t* addresses, Mask mask, uint32_t bytes, bool merges) {
  if (mask == 0) return {};
  if (bytes <= 4)
    return consecutive_words(addresses, mask) ? Wavefronts{1, 1}
                                              : Wavefronts{deepest_bank(addresses, mask, bytes, 0, kWarpSize), 1};
  uint32_t phases = bytes / 4;
  if (merges && (same_as_partner(addresses, mask, 1) || same_as_partner(addresses, mask, 2))) phases /= 2;
  const uint32_t width = kWarpSize / phases;
  Wavefronts w;
  for (uint32_t first = 0; first < kWarpSize; first += width)
    w.total += deepest_bank(addresses, mask, bytes, first, width);
  w.ideal = ideal_wavefronts(mask, phases);
  return w;
}

Wavefronts shared_atomic_wavefronts(const uint64_t* addresses, Mask mask, uint32_t bytes, SharedAtomic kind) {
  if (mask == 0) return {};
  if (kind == SharedAtomic::kCount) return {deepest_bank(addresses, mask, 4, 0, kWarpSize), 1, 1};
  const uint32_t width = kWarpSize / (bytes / 4), wavefronts_each = kind == SharedAtomic::kCas ? 2 : 1;
  Wavefronts w;
  for (uint32_t first = 0; first < kWarpSize; first += width) {
    Mask phase = mask >> first & (width == 32 ? kFullMask : (1u << width) - 1);
    if (!phase) continue;
    std::array<uint32_t, kBanks> lanes_in_bank{};
    uint32_t deepest = 0;
    for (; phase; phase &= phase - 1)
      deepest = std::max(deepest, ++lanes_in_bank[addresses[first + first_lane(phase)] / 4 % kBanks]);
    w.total += wavefronts_each * deepest;
    w.fewest += wavefronts_each;
    w.ideal += wavefronts_each * deepest - (deepest - 1);  // bank conflicts are the lanes less one, cas or not
  }
  return w;
}

}  // namespace lockstep
