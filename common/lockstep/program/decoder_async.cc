// cp.async, mbarrier, bulk copies, and clusters of one block → AsyncUse and MbarrierUse.
#include <algorithm>

#include "alu/bulk_reduce.h"
#include "program/decoder.h"
#include "ptx/lexer.h"

namespace lockstep {
namespace {

bool is_space(const std::string& m) {
  return m == "global" || m == "shared" || m == "shared::cta" || m == "shared::cluster";
}

Space copied_space(const std::string& m) { return m == "global" ? Space::kGlobal : Space::kShared; }

// The modifiers behind the first `known` must be among these.
void accept_only(const Statement& s, size_t known, const std::set<std::string>& accepted) {
  for (size_t i = known; i < s.modifiers().size(); ++i) {
    const std::string& m = s.modifiers()[i];
    if (!accepted.contains(m) && !is_space(m) && !m.starts_with("L2::"))
      throw Unsupported("'." + m + "' is not supported here");
  }
}

size_t operands_without_policy(const Statement& s) {
  return s.operands.size() - (s.has("L2::cache_hint") && !s.operands.empty() ? 1 : 0);
}

}  // namespace

// A place in memory, as ld and st would reach it.
MemoryAccess FunctionDecoder::place(const Statement& s, size_t operand, MemoryOp op, Space space, uint32_t bytes) {
  MemoryAccess access;
  access.op = op;
  access.space = space;
  access.bytes = static_cast<uint8_t>(bytes);
  place_address(access, s, s.operands.at(operand));
  access.scope = Scope::kBlock;
  return access;
}

// The access belongs to the instruction that was emitted last. The program's list of accesses knows it, too.
void FunctionDecoder::settle(MemoryAccess& access) {
  if (access.bytes == 0) return;  // not used
  access.pc = static_cast<uint32_t>(program_.code.size() - 1);
  access.index = static_cast<uint32_t>(program_.accesses.size());
  program_.accesses.push_back(access);
}

void FunctionDecoder::emit_async(const Statement& s, AsyncUse& use) {
  emit(s, Kind::kAsync).extra = static_cast<uint32_t>(program_.async.size());
  for (MemoryAccess* access : {&use.from, &use.to, &use.mbarrier}) settle(*access);
  program_.async.push_back(use);
}

void FunctionDecoder::decode_async(const Statement& s) {
  const auto& m = s.modifiers();
  const bool bulk = s.has("bulk");
  AsyncUse use;
  if (s.has("tensor")) throw Unsupported("tensor maps are not supported");
  if (bulk && s.has("prefetch")) {
    emit(s, Kind::kNothing);
  } else if (s.has("commit_group")) {
    use.op = bulk ? AsyncOp::kBulkCommit : AsyncOp::kCommit;
    emit_async(s, use);
  } else if (s.has("wait_group") || s.has("wait_all")) {
    use.op = bulk ? AsyncOp::kBulkWait : AsyncOp::kWait;
    use.sources_only = s.has("read");
    use.ungrouped_too = s.has("wait_all");
    use.groups = use.ungrouped_too ? 0 : source(s, s.operands.at(0), Width::k32, Type::kU32);
    emit_async(s, use);
  } else if (s.has("mbarrier")) {  // cp.async.mbarrier.arrive{.noinc}.b64 [mbarrier]
    accept_only(s, 1, {"mbarrier", "arrive", "noinc", "b64"});
    use.op = AsyncOp::kArrive;
    use.counted_already = s.has("noinc");
    const bool generic = std::none_of(m.begin(), m.end(), is_space);
    use.mbarrier = place(s, 0, MemoryOp::kAtomic, generic ? Space::kGeneric : Space::kShared, 8);
    use.mbarrier.order = MemoryOrder::kRelease;
    emit_async(s, use);
  } else if (bulk) {
    decode_bulk_copy(s);
  } else {
    decode_copy(s);
  }
}

// cp.async.{ca,cg}.shared.global [to], [from], bytes {, bytes to read | ignore-src} {, policy}
void FunctionDecoder::decode_copy(const Statement& s) {
  accept_only(s, 0, {"async", "ca", "cg"});
  AsyncUse use;
  const Operand& bytes = s.operands.at(2);
  if (bytes.kind != Operand::kInteger || !(bytes.bits == 4 || bytes.bits == 8 || bytes.bits == 16))
    throw Unsupported("copies have 4, 8 or 16 bytes");
  use.to = place(s, 0, MemoryOp::kStore, Space::kShared, static_cast<uint32_t>(bytes.bits));
  use.from = place(s, 1, MemoryOp::kLoad, Space::kGlobal, static_cast<uint32_t>(bytes.bits));
  if (operands_without_policy(s) > 3) {
    const Operand& last = s.operands[3];
    if (last.negated || width_of_operand(last) == Width::kPred)
      use.ignore_source = predicate(s, last);
    else
      use.size = source(s, last, Width::k32, Type::kU32);
  }
  emit_async(s, use);
}

// cp{.reduce}.async.bulk.TO.FROM.{mbarrier::complete_tx::bytes | bulk_group} [to], [from], bytes {, [mbarrier]} …
void FunctionDecoder::decode_bulk_copy(const Statement& s) {
  AsyncUse use;
  use.op = AsyncOp::kBulk;
  use.has_mbarrier = s.has("mbarrier::complete_tx::bytes");
  if (s.has("multicast::cluster")) throw Unsupported("clusters of more than one block are not supported");
  std::set<std::string> accepted = {"async", "bulk", "mbarrier::complete_tx::bytes", "bulk_group"};
  std::optional<AtomicOp> reduction;
  const Type type = type_from_name(s.modifiers().back());
  if (s.modifiers()[0] == "reduce") {
    const std::string& op = s.modifiers()[s.modifiers().size() - (s.has("noftz") ? 3 : 2)];
    accepted.insert({"reduce", "noftz", op, s.modifiers().back()});
    reduction = atomic_op(op);
    use.reduce = reduction ? select_bulk_reduction(*reduction, type) : nullptr;
    if (!use.reduce) throw Unsupported("this reduction is not supported");
  }
  accept_only(s, 0, accepted);
  std::vector<Space> spaces;
  for (const std::string& m : s.modifiers())
    if (is_space(m)) spaces.push_back(copied_space(m));
  if (spaces.size() != 2) throw Unsupported("a bulk copy names two state spaces");
  constexpr uint32_t kUnit = 16;  // bytes: addresses and sizes are multiples of it
  use.to = place(s, 0, use.reduce ? MemoryOp::kReduction : MemoryOp::kStore, spaces[0], kUnit);
  if (use.reduce) {
    use.to.order = MemoryOrder::kRelaxed;
    use.to.scope = Scope::kDevice;
    use.to.atomic = *reduction;
    use.to.type = type;
  }
  use.from = place(s, 1, MemoryOp::kLoad, spaces[1], kUnit);
  use.size = source(s, s.operands.at(2), Width::k32, Type::kU32);
  if (use.has_mbarrier) {
    use.mbarrier = place(s, 3, MemoryOp::kAtomic, Space::kShared, 8);
    use.mbarrier.order = MemoryOrder::kRelease;
  }
  emit_async(s, use);
}

void FunctionDecoder::decode_mbarrier(const Statement& s) {
  static const std::unordered_map<std::string, MbarrierOp> ops = {{"init", MbarrierOp::kInit},
                                                                  {"inval", MbarrierOp::kInvalidate},
                                                                  {"arrive", MbarrierOp::kArrive},
                                                                  {"arrive_drop", MbarrierOp::kArriveDrop},
                                                                  {"expect_tx", MbarrierOp::kExpect},
                                                                  {"complete_tx", MbarrierOp::kComplete},
                                                                  {"test_wait", MbarrierOp::kTest},
                                                                  {"try_wait", MbarrierOp::kTest},
                                                                  {"pending_count", MbarrierOp::kPendingCount}};
  const auto op = s.modifiers().empty() ? ops.end() : ops.find(s.modifiers()[0]);
  if (op == ops.end()) throw Unsupported("the instruction is not supported");
  accept_only(s, 1, {"expect_tx", "noComplete", "parity", "relaxed", "acquire", "release", "cta", "cluster", "b64"});
  const auto word = [&](size_t i) { return source(s, s.operands.at(i), Width::k32, Type::kU32); };
  const bool generic = std::none_of(s.modifiers().begin(), s.modifiers().end(), is_space);
  const bool has_destination = op->second == MbarrierOp::kArrive || op->second == MbarrierOp::kArriveDrop ||
                               op->second == MbarrierOp::kTest || op->second == MbarrierOp::kPendingCount;
  MbarrierUse use;
  use.op = op->second;
  use.parity = s.has("parity");
  use.no_complete = s.has("noComplete");
  size_t at = has_destination ? 1 : 0;
  if (use.op != MbarrierOp::kPendingCount)
    use.place = place(s, at++, MemoryOp::kAtomic, generic ? Space::kGeneric : Space::kShared, 8);
  // For those who watch: init is a plain write, arrivals release, and a wait that succeeds acquires. inval counts as
  // strong, since libcu++ gives up its barriers after a count that only acquires.
  use.place.order = MemoryOrder::kRelease;
  if (use.op == MbarrierOp::kInit) use.place.op = MemoryOp::kStore, use.place.order = MemoryOrder::kWeak;
  if (use.op == MbarrierOp::kInvalidate) use.place.op = MemoryOp::kStore, use.place.order = MemoryOrder::kRelaxed;
  if (use.op == MbarrierOp::kTest) use.place.op = MemoryOp::kLoad, use.place.order = MemoryOrder::kAcquire;
  if (s.has("relaxed")) use.place.order = MemoryOrder::kRelaxed;
  switch (use.op) {
    case MbarrierOp::kInit: use.count = word(at); break;
    case MbarrierOp::kInvalidate: break;
    case MbarrierOp::kArrive:
    case MbarrierOp::kArriveDrop:
      if (s.has("expect_tx"))
        use.bytes = word(at);
      else if (at < s.operands.size())
        use.count = word(at);
      use.d = destination(s, s.operands[0], Width::k64);
      break;
    case MbarrierOp::kExpect:
    case MbarrierOp::kComplete: use.bytes = word(at); break;
    case MbarrierOp::kTest:
      use.phase = use.parity ? word(at) : source(s, s.operands.at(at), Width::k64, Type::kB64);
      use.d = destination(s, s.operands[0], Width::kPred);
      break;
    case MbarrierOp::kPendingCount:
      use.phase = source(s, s.operands.at(at), Width::k64, Type::kB64);
      use.d = destination(s, s.operands[0], Width::k32);
      break;
  }
  emit(s, Kind::kMbarrier).extra = static_cast<uint32_t>(program_.mbarriers.size());
  settle(use.place);
  program_.mbarriers.push_back(use);
}

// Every block is a cluster of its own: what another block of it would have is what this one has.
void FunctionDecoder::decode_cluster(const Statement& s) {
  if (s.opcode() == "barrier") {
    emit(s, s.has("wait") ? Kind::kClusterWait : Kind::kClusterArrive);
    return;
  }
  // mapa d, a, rank and getctarank d, a
  Statement move = s;
  move.set_name("mov." + (s.modifiers().empty() ? "" : s.modifiers().back()));
  move.operands.resize(2);
  if (s.opcode() == "getctarank") {
    move.set_name("mov.u32");
    move.operands[1] = {};
    move.operands[1].kind = Operand::kInteger;
  }
  decode_mov(move);
}

}  // namespace lockstep
