#include "check/races.h"

#include <algorithm>
#include <bit>

namespace lockstep {
namespace {

class Note {
 public:
  Note(const Accessor& accessor, const MemoryAccess& access, std::vector<Conflict>& conflicts)
      : accessor_(accessor), cells_(accessor.cells), conflicts_(conflicts) {
    mine_.segment = accessor.segment;
    const bool is_volatile = access.order == MemoryOrder::kVolatile;
    mine_.atomic = access.order != MemoryOrder::kWeak && !(is_volatile && accessor.plain_volatile);
    mine_.is_volatile = is_volatile;
    mine_.block_scope = access.scope == Scope::kBlock;
    mine_.access = std::min(access.index, kUnknownAccess);
  }

  // `bytes`: a bit for each byte of the word that is accessed.
  Record record(uint32_t lane, uint32_t bytes) const {
    Record r = mine_;
    r.lane = lane & 31;
    r.bytes = bytes & 15;
    return r;
  }

  void read(uint32_t lane, uint64_t byte, uint64_t word, uint32_t bytes) {
    Record me = record(lane, bytes);
    const Record w = cells_.writer[word];
    if (w.segment >= accessor_.floor && conflicts(w, me))
      conflicts_.push_back({lane, byte, w, true, read_at(word, w, me.access)});
    Record& first = cells_.reader[word];
    if (says_more(first, me)) return;
    if (first.segment < accessor_.floor || same_thread(first, me) || ordered(first, me)) {
      keep(first, cells_.other_reader[word]);
      if (same_thread(first, me) && first.atomic == me.atomic) me.bytes |= first.bytes;
      first = me;
      return;
    }
    Record& second = cells_.other_reader[word];
    if (second.segment < accessor_.floor || same_thread(second, me) || farther(first, me, second) ||
        ordered(second, me))
      second = me;
  }

  // The lanes that must be checked, of lanes that read one word: their reads may change its records, or conflict. While
  // nobody comes after the two readers of the word, only the next reads of these two replace them. So when several
  // warps poll a flag, usually no lane must be checked.
  Mask may_matter(Mask mask, uint64_t word) const {
    const Record &w = cells_.writer[word], &first = cells_.reader[word], &second = cells_.other_reader[word];
    if (w.segment >= accessor_.floor && !both_strong(w, mine_)) return mask;
    if (!is_concurrent(first) || !is_concurrent(second) || farther(first, mine_, second)) return mask;
    Mask own = 0;
    for (const Record& reader : {first, second})
      if (reader.segment == mine_.segment) own |= Mask{1} << reader.lane;
    return mask & own;
  }

  void write(uint32_t lane, uint64_t byte, uint64_t word, uint32_t bytes) {
    const Record me = record(lane, bytes);
    Record& w = cells_.writer[word];
    if (w.segment >= accessor_.floor && conflicts(w, me)) {
      const bool read = same_thread(cells_.reader[word], me) || same_thread(cells_.other_reader[word], me);
      conflicts_.push_back({lane, byte, w, true, read && w.access == me.access});
    }
    for (const Record* reader : {&cells_.reader[word], &cells_.other_reader[word]})
      if (reader->segment >= accessor_.floor && conflicts(*reader, me))
        conflicts_.push_back({lane, byte, *reader, false, read_at(word, me, reader->access)});
    if (!says_more(w, me)) w = me;
  }

 private:
  // Another stream's launch may still make this read. The next write compares itself with it, too.
  void keep(const Record& first, Record& second) const {
    if (accessor_.kept && first.segment >= accessor_.kept && first.segment < accessor_.floor &&
        second.segment < accessor_.kept)
      second = first;
  }

  // Whether the thread of this record has read the word by this access.
  bool read_at(uint64_t word, const Record& who, uint32_t access) const {
    const auto is = [&](const Record& r) { return same_thread(r, who) && r.access == access; };
    return is(cells_.reader[word]) || is(cells_.other_reader[word]);
  }

  bool same_thread(const Record& a, const Record& b) const { return a.segment == b.segment && a.lane == b.lane; }

  // A weak access conflicts with everything that a strong access of the same thread to the same bytes conflicts with.
  bool says_more(const Record& then, const Record& me) const {
    return same_thread(then, me) && !then.atomic && me.atomic && !(me.bytes & ~then.bytes);
  }

  bool ordered(const Record& then, const Record& me) const {
    return accessor_.order.before(then.segment, then.lane, accessor_.block, accessor_.warp, me.lane);
  }

  bool conflicts(const Record& then, const Record& me) const {
    if (same_thread(then, me) || !(then.bytes & me.bytes)) return false;
    return !both_strong(then, me) && !ordered(then, me);
  }

  // Whether only the thread of the record comes after it.
  bool is_concurrent(const Record& then) const {
    return then.segment >= accessor_.floor && accessor_.order.is_present(then.segment, accessor_.block);
  }

  bool both_strong(const Record& then, const Record& me) const {
    return then.atomic && me.atomic && !relies_on_luck(then, me);
  }

  // Both are strong, but their strength does not hold between these two threads.
  bool relies_on_luck(const Record& then, const Record& me) const {
    if (!(then.is_volatile | me.is_volatile | then.block_scope | me.block_scope)) return false;  // usually
    const Segment& s = accessor_.order.segment(then.segment);
    const bool same_block = s.block == accessor_.block.block;
    if (then.is_volatile || me.is_volatile) return same_block && s.warp == accessor_.warp;
    return !same_block && (then.block_scope || me.block_scope);
  }

  // Whether `me` is farther from `first` than `second` is: in another block, or in another warp.
  bool farther(const Record& first, const Record& me, const Record& second) const {
    const auto distance = [&](const Record& r) {
      if (r.segment < accessor_.order.first_segment() || first.segment < accessor_.order.first_segment()) return 0;
      const Segment &a = accessor_.order.segment(first.segment), &b = accessor_.order.segment(r.segment);
      return a.block != b.block ? 2 : a.warp != b.warp ? 1 : 0;
    };
    return distance(me) > distance(second);
  }

  const Accessor& accessor_;
  const Cells& cells_;
  std::vector<Conflict>& conflicts_;
  Record mine_;
};

uint64_t bits(const Record& record) { return std::bit_cast<uint64_t>(record); }
// Where Record::lane, ::bytes and ::atomic lie in bits(): GCC and Clang fill bit fields from below. Above ::atomic are
// ::is_volatile and ::block_scope. races_model_test compares all records with a model that names the fields.
constexpr uint64_t kLaneShift = 32, kBytesShift = 37, kAtomicShift = 41;

bool is_of_warp(SegmentId segment, const Accessor& accessor) {
  const Segment& s = accessor.order.segment(segment);
  return s.block == accessor.block.block && s.warp == accessor.warp;
}

// Whether, since the floor, the last access to one of the words came from another thread than the lane, or was a weaker
// access of the lane. A release or a fence begins a new segment, so the last access may lie in an earlier segment. If
// the lanes' last accesses lie in several segments, the result is true.
bool met_others(const Record* words, Mask mask, const Accessor& accessor, bool strong) {
  SegmentId mine = accessor.segment;
  const uint32_t first = first_lane(mask);
  const uint64_t last = bits(words[first]);
  if (const auto segment = static_cast<SegmentId>(last); segment != mine && segment >= accessor.floor) {
    if ((last >> kLaneShift & 31) != first || !is_of_warp(segment, accessor)) return true;
    mine = segment;
  }
  uint64_t others = 0;
  for (uint32_t l = 0; l < kWarpSize; ++l) {
    const uint64_t record = bits(words[l]);
    const bool recent = static_cast<uint32_t>(record) >= accessor.floor;
    const bool own = static_cast<uint32_t>(record) == mine && (record >> kLaneShift & 31) == l &&
                     (!strong || (record >> kAtomicShift & 1));
    others |= (mask >> l & 1) & static_cast<uint64_t>(recent & !own);
  }
  return others != 0;
}

// Notes the accesses of adjacent lanes to adjacent words, which usually do not conflict. False: each lane must be
// checked.
[[gnu::always_inline]] inline bool note_row(const Accessor& accessor, Mask mask, uint64_t word, bool reads,
                                            const Record& mine) {
  const Cells& cells = accessor.cells;
  const auto met = [&](const Record* records) { return met_others(records + word, mask, accessor, mine.atomic); };
  if (met(cells.writer) || met(cells.reader) || (!reads && met(cells.other_reader))) return false;
  Record* to = (reads ? cells.reader : cells.writer) + word;
  const uint64_t record = bits(mine);
  for (uint32_t l = 0; l < kWarpSize; ++l)
    if (mask >> l & 1) to[l] = std::bit_cast<Record>(record | uint64_t{l} << kLaneShift);
  return true;
}

// The same, if each lane was the last at its word, in whatever segment. note_row() is faster because it looks up no
// lane's segment.
[[gnu::noinline]] bool note_row_again(const Accessor& accessor, Mask mask, uint64_t word, bool reads,
                                      const Record& mine) {
  const Cells& cells = accessor.cells;
  const auto is_own = [&](const Record& r, uint32_t lane) {
    if (r.segment < accessor.floor) return true;
    return r.lane == lane && (!mine.atomic || r.atomic) && is_of_warp(r.segment, accessor);
  };
  for (const uint32_t l : each_lane(mask)) {
    const uint64_t at = word + l;
    if (!is_own(cells.writer[at], l) || !is_own(cells.reader[at], l)) return false;
    if (!reads && !is_own(cells.other_reader[at], l)) return false;
  }
  Record* to = (reads ? cells.reader : cells.writer) + word;
  for (const uint32_t l : each_lane(mask)) to[l] = mine, to[l].lane = l & 31;
  return true;
}

// Whether this is a strong access, and neither volatile nor of a block's scope.
bool is_quiet(uint64_t record) { return (record >> kAtomicShift & 7) == 1; }

// Notes writes that are quiet, each within one word. Quiet accesses do not race with each other. The result: the lanes
// whose words have met other accesses since the floor. They must be checked.
[[gnu::noinline]] Mask note_quiet(const Accessor& accessor, Mask mask, const uint64_t* bytes, uint32_t size,
                                  const Record& mine) {
  const Cells& cells = accessor.cells;
  Mask others = 0;
  for (const uint32_t l : each_lane(mask)) {
    const uint64_t word = bytes[l] / 4, which = size < 4 ? ((1u << size) - 1) << bytes[l] % 4 & 15 : 15;
    const auto met = [&](const Record* records) {
      const uint64_t record = bits(records[word]);
      return static_cast<uint32_t>(record) >= accessor.floor && !is_quiet(record);
    };
    if (met(cells.writer) || met(cells.reader) || met(cells.other_reader))
      others |= 1u << l;
    else
      cells.writer[word] = std::bit_cast<Record>(bits(mine) | uint64_t{l} << kLaneShift | which << kBytesShift);
  }
  return others;
}

bool is_one_address(Mask mask, const uint64_t* bytes) {
  const uint64_t one = bytes[first_lane(mask)];
  uint64_t differ = 0;
  for (uint32_t l = 0; l < kWarpSize; ++l) differ |= mask >> l & 1 ? bytes[l] ^ one : 0;
  return !differ;
}

// The lanes that must be checked, of lanes that read. If all read one address, its words tell it for all of them.
Mask without_polls(const Note& note, Mask mask, const uint64_t* bytes, uint32_t size) {
  const uint64_t first = bytes[first_lane(mask)];
  Mask matter = 0;
  for (uint64_t word = first / 4; word < (first + size + 3) / 4; ++word) matter |= note.may_matter(mask, word);
  return matter != mask && is_one_address(mask, bytes) ? matter : mask;
}

// Checks each lane, and each word of its access.
[[gnu::noinline]] void note_lanes(Note& note, const MemoryAccess& access, Mask mask, const uint64_t* bytes) {
  const uint32_t size = access.bytes * access.count;
  if (access.op == MemoryOp::kLoad) mask = without_polls(note, mask, bytes, size);
  for (const uint32_t l : each_lane(mask)) {
    const uint64_t word = bytes[l] / 4, words = size < 4 ? 1 : size / 4;
    const uint32_t which = size < 4 ? ((1u << size) - 1) << bytes[l] % 4 : 15;
    for (uint64_t w = word; w < word + words; ++w)
      access.op == MemoryOp::kLoad ? note.read(l, bytes[l], w, which) : note.write(l, bytes[l], w, which);
  }
}

}  // namespace

void note_access(const Accessor& accessor, const MemoryAccess& access, Mask mask, const uint64_t* bytes,
                 std::vector<Conflict>& conflicts) {
  Note note(accessor, access, conflicts);
  const uint32_t size = access.bytes * access.count;
  if (size <= 4 && access.op != MemoryOp::kLoad && is_quiet(bits(note.record(0, 0)))) {
    mask = note_quiet(accessor, mask, bytes, size, note.record(0, 0));
    if (!mask) return;
  }
  if (!(mask & (mask - 1))) return note_lanes(note, access, mask, bytes);  // one lane alone is faster without rows
  if (size == 4) {
    const uint32_t first = first_lane(mask);
    const uint64_t start = bytes[first] - 4 * first;  // where lane 0 would be
    uint64_t astray = 0;
    for (uint32_t l = 0; l < kWarpSize; ++l) astray |= mask >> l & 1 ? bytes[l] ^ (start + 4 * l) : 0;
    // The cells of inactive lanes are read and not changed. They must exist.
    const bool exist = bytes[first] >= 4 * first && start / 4 + kWarpSize <= accessor.cells.words;
    if (!astray && exist && !accessor.kept &&
        (note_row(accessor, mask, start / 4, access.op == MemoryOp::kLoad, note.record(0, 15)) ||
         note_row_again(accessor, mask, start / 4, access.op == MemoryOp::kLoad, note.record(0, 15))))
      return;
  }
  note_lanes(note, access, mask, bytes);
}

}  // namespace lockstep
