#include "races.h"

namespace lockstep {
namespace {

class Note {
 public:
  Note(const Accessor& who, const MemoryAccess& access, const Cells& cells, std::vector<Conflict>& conflicts)
      : who_(who), cells_(cells), conflicts_(conflicts) {
    mine_.segment = who.segment;
    mine_.atomic = access.order != MemoryOrder::kWeak;
    mine_.is_volatile = access.order == MemoryOrder::kVolatile;
    mine_.block_scope = access.scope == Scope::kBlock;
    mine_.access = std::min(access.index, kUnknownAccess);
  }

  void read(uint32_t lane, uint64_t byte, uint64_t word, uint32_t bytes) {
    Record me = record(lane, bytes);
    const Record w = cells_.writer[word];
    if (w.segment >= who_.floor && conflicts(w, me)) report(lane, byte, w, true);
    Record& first = cells_.reader[word];
    if (first.segment < who_.floor || same_thread(first, me) || ordered(first, me)) {
      if (same_thread(first, me)) me.bytes |= first.bytes;
      first = me;
      return;
    }
    Record& second = cells_.other_reader[word];
    if (second.segment < who_.floor || same_thread(second, me) || farther(first, me, second) || ordered(second, me))
      second = me;
  }

  void write(uint32_t lane, uint64_t byte, uint64_t word, uint32_t bytes) {
    const Record me = record(lane, bytes);
    Record& w = cells_.writer[word];
    if (w.segment >= who_.floor && conflicts(w, me)) report(lane, byte, w, true);
    for (const Record* reader : {&cells_.reader[word], &cells_.other_reader[word]})
      if (reader->segment >= who_.floor && conflicts(*reader, me)) report(lane, byte, *reader, false);
    w = me;
  }

 private:
  Record record(uint32_t lane, uint32_t bytes) const {
    Record r = mine_;
    r.lane = lane & 31;
    r.bytes = bytes & 15;
    return r;
  }

  bool same_thread(const Record& a, const Record& b) const { return a.segment == b.segment && a.lane == b.lane; }

  bool ordered(const Record& then, const Record& me) const {
    return who_.order.before(then.segment, then.lane, who_.block, who_.warp, me.lane);
  }

  bool conflicts(const Record& then, const Record& me) const {
    if (same_thread(then, me) || !(then.bytes & me.bytes)) return false;
    if (then.atomic && me.atomic && !relies_on_luck(then, me)) return false;
    return !ordered(then, me);
  }

  // Both are strong, but not for each other.
  bool relies_on_luck(const Record& then, const Record& me) const {
    const Segment& s = who_.order.segment(then.segment);
    const bool same_block = s.block == who_.block.block;
    if (then.is_volatile || me.is_volatile) return same_block && s.warp == who_.warp;
    return !same_block && (then.block_scope || me.block_scope);
  }

  // Whether `me` is of another block or warp than `first`, where `second` is not.
  bool farther(const Record& first, const Record& me, const Record& second) const {
    const auto distance = [&](const Record& r) {
      if (r.segment < who_.order.first_segment() || first.segment < who_.order.first_segment()) return 0;
      const Segment &a = who_.order.segment(first.segment), &b = who_.order.segment(r.segment);
      return a.block != b.block ? 2 : a.warp != b.warp ? 1 : 0;
    };
    return distance(me) > distance(second);
  }

  void report(uint32_t lane, uint64_t byte, const Record& earlier, bool earlier_wrote) {
    conflicts_.push_back({lane, byte, earlier, earlier_wrote});
  }

  const Accessor& who_;
  const Cells& cells_;
  std::vector<Conflict>& conflicts_;
  Record mine_;
};

}  // namespace

void note_access(const Accessor& who, const MemoryAccess& access, Mask mask, const uint64_t* bytes, const Cells& cells,
                 std::vector<Conflict>& conflicts) {
  Note note(who, access, cells, conflicts);
  const uint32_t size = access.bytes * access.count;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const uint32_t l = first_lane(rest);
    const uint64_t word = bytes[l] / 4, words = size < 4 ? 1 : size / 4;
    const uint32_t which = size < 4 ? ((1u << size) - 1) << bytes[l] % 4 : 15;
    for (uint64_t w = word; w < word + words; ++w)
      access.op == MemoryOp::kLoad ? note.read(l, bytes[l], w, which) : note.write(l, bytes[l], w, which);
  }
}

}  // namespace lockstep
