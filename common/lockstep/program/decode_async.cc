// decode_async: cp.async, bulk copies and mbarrier → AsyncUse and MbarrierUse.
#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "alu/bulk_reduce.h"
#include "base/words.h"
#include "program/function_decoder.h"
#include "program/opcodes.h"

namespace lockstep {
namespace {

bool is_space(const std::string& m) { return space_of(m) == Space::kGlobal || space_of(m) == Space::kShared; }

// All modifiers except the first `known` must be among these.
void accept_only(const Statement& s, size_t known, const std::set<std::string>& accepted) {
  for (size_t i = known; i < s.modifiers().size(); ++i) {
    const std::string& m = s.modifiers()[i];
    if (!accepted.contains(m) && !is_space(m) && !m.starts_with("L2::")) throw unsupported_modifier(m);
  }
}

size_t operands_without_policy(const Statement& s) {
  return s.operands.size() - (s.has("L2::cache_hint") && !s.operands.empty() ? 1 : 0);
}

// An access that ld or st could make, within the block. Its address is set later.
MemoryAccess access_of_block(MemoryOp op, Space space, uint32_t bytes) {
  MemoryAccess access;
  access.op = op;
  access.space = space;
  access.bytes = static_cast<uint8_t>(bytes);
  access.scope = Scope::kBlock;
  return access;
}

// An access to the mbarrier that this operand names. It is taken for an arrival, which releases; set_ordering() changes
// that.
MemoryAccess mbarrier_access(FunctionDecoder& f, const Statement& s, size_t operand) {
  const bool generic = std::ranges::none_of(s.modifiers(), is_space);
  MemoryAccess access = access_of_block(MemoryOp::kAtomic, generic ? Space::kGeneric : Space::kShared, 8);
  access.order = MemoryOrder::kRelease;
  f.set_address(access, s, operand);
  return access;
}

void emit_async(FunctionDecoder& f, const Statement& s, const AsyncUse& use) {
  f.emit_use(s, Kind::kAsync, f.program().async, use);
  AsyncUse& emitted = f.program().async.back();
  for (MemoryAccess* access : {&emitted.from, &emitted.to, &emitted.mbarrier})
    if (access->bytes != 0) f.add_access(*access);  // 0: not used
}

// cp.async.{ca,cg}.shared.global [to], [from], bytes {, bytes to read | ignore-src} {, policy}
void decode_copy(FunctionDecoder& f, const Statement& s) {
  accept_only(s, 0, {"async", "ca", "cg"});
  AsyncUse use;
  const Operand& bytes = s.operands.at(2);
  if (bytes.kind != Operand::kInteger || !(bytes.bits == 4 || bytes.bits == 8 || bytes.bits == 16))
    throw Unsupported(words("copies have 4, 8 or 16 bytes"));
  use.to = access_of_block(MemoryOp::kStore, Space::kShared, static_cast<uint32_t>(bytes.bits));
  use.from = access_of_block(MemoryOp::kLoad, Space::kGlobal, static_cast<uint32_t>(bytes.bits));
  f.set_address(use.to, s, 0);
  f.set_address(use.from, s, 1);
  if (operands_without_policy(s) > 3) {
    const Operand& last = s.operands[3];
    if (last.negated || f.registers().width_of(last) == Width::kPred)
      use.ignore_source = f.predicate(s, last);
    else
      use.size = f.word(s, 3);
  }
  emit_async(f, s, use);
}

// The reduction of cp.reduce.async.bulk.….OP{.noftz}.TYPE, or none. Adds to the modifiers that are accepted.
std::optional<AtomicOp> named_reduction(const Statement& s, std::set<std::string>& accepted) {
  if (s.modifiers()[0] != "reduce") return std::nullopt;
  const std::string& op = s.modifiers()[s.modifiers().size() - (s.has("noftz") ? 3 : 2)];
  accepted.insert({"reduce", "noftz", op, s.modifiers().back()});
  const auto reduction = atomic_op_from_name(op);
  if (!reduction || !select_bulk_reduction(*reduction, type_from_name(s.modifiers().back())))
    throw Unsupported(words("this reduction is not supported"));
  return reduction;
}

// cp{.reduce}.async.bulk.TO.FROM.{mbarrier::complete_tx::bytes | bulk_group} [to], [from], bytes {, [mbarrier]} …
void decode_bulk_copy(FunctionDecoder& f, const Statement& s) {
  AsyncUse use;
  use.op = AsyncOp::kBulk;
  use.has_mbarrier = s.has("mbarrier::complete_tx::bytes");
  if (s.has("multicast::cluster")) throw Unsupported(words("clusters of more than one block are not supported"));
  std::set<std::string> accepted = {"async", "bulk", "mbarrier::complete_tx::bytes", "bulk_group"};
  const std::optional<AtomicOp> reduction = named_reduction(s, accepted);
  accept_only(s, 0, accepted);
  std::vector<Space> spaces;
  for (const std::string& m : s.modifiers())
    if (is_space(m)) spaces.push_back(space_of(m));
  if (spaces.size() != 2) throw Unsupported(words("a bulk copy names two state spaces"));
  constexpr uint32_t kUnit = 16;  // bytes: addresses and sizes are multiples of it
  use.to = access_of_block(reduction ? MemoryOp::kReduction : MemoryOp::kStore, spaces[0], kUnit);
  f.set_address(use.to, s, 0);
  if (reduction) {
    use.to.order = MemoryOrder::kRelaxed;
    use.to.scope = Scope::kDevice;
    use.to.atomic = *reduction;
    use.to.type = type_from_name(s.modifiers().back());
    use.reduce = select_bulk_reduction(*reduction, use.to.type);
  }
  use.from = access_of_block(MemoryOp::kLoad, spaces[1], kUnit);
  f.set_address(use.from, s, 1);
  use.size = f.word(s, 2);
  if (use.has_mbarrier) use.mbarrier = mbarrier_access(f, s, 3);
  emit_async(f, s, use);
}

// cp.async{.bulk}.wait_group{.read} N, or wait_all
void decode_wait(FunctionDecoder& f, const Statement& s, AsyncOp op) {
  AsyncUse use;
  use.op = op;
  use.sources_only = s.has("read");
  use.ungrouped_too = s.has("wait_all");
  use.groups = use.ungrouped_too ? 0 : f.word(s, 0);
  emit_async(f, s, use);
}

// cp.async.mbarrier.arrive{.noinc}.b64 [mbarrier]
void decode_copy_arrival(FunctionDecoder& f, const Statement& s) {
  accept_only(s, 1, {"mbarrier", "arrive", "noinc", "b64"});
  AsyncUse use;
  use.op = AsyncOp::kArrive;
  use.counted_already = s.has("noinc");
  use.mbarrier = mbarrier_access(f, s, 0);
  emit_async(f, s, use);
}

std::optional<MbarrierOp> mbarrier_op(const Statement& s) {
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
  return op == ops.end() ? std::nullopt : std::optional(op->second);
}

// The order of the access for the checks: init is a plain write, arrivals release, and a wait that succeeds acquires.
// inval counts as strong, since libcu++ invalidates its barriers after it has read a count with acquire only.
void set_ordering(MemoryAccess& access, MbarrierOp op, const Statement& s) {
  if (op == MbarrierOp::kInit) access.op = MemoryOp::kStore, access.order = MemoryOrder::kWeak;
  if (op == MbarrierOp::kInvalidate) access.op = MemoryOp::kStore, access.order = MemoryOrder::kRelaxed;
  if (op == MbarrierOp::kTest) access.op = MemoryOp::kLoad, access.order = MemoryOrder::kAcquire;
  if (s.has("relaxed")) access.order = MemoryOrder::kRelaxed;
}

// The operands from number `at` on, and the destination.
void set_operands(FunctionDecoder& f, const Statement& s, size_t at, MbarrierUse& use) {
  switch (use.op) {
    case MbarrierOp::kInit: use.count = f.word(s, at); break;
    case MbarrierOp::kInvalidate: break;
    case MbarrierOp::kArrive:
    case MbarrierOp::kArriveDrop:
      if (s.has("expect_tx"))
        use.bytes = f.word(s, at);
      else if (at < s.operands.size())
        use.count = f.word(s, at);
      use.d = f.destination(s, 0, Width::k64);
      break;
    case MbarrierOp::kExpect:
    case MbarrierOp::kComplete: use.bytes = f.word(s, at); break;
    case MbarrierOp::kTest:
      use.phase = use.parity ? f.word(s, at) : f.double_word(s, at);
      use.d = f.destination(s, 0, Width::kPred);
      break;
    case MbarrierOp::kPendingCount:
      use.phase = f.double_word(s, at);
      use.d = f.destination(s, 0, Width::k32);
      break;
  }
}

}  // namespace

void decode_async(FunctionDecoder& f, const Statement& s, const Opcode&) {
  const bool bulk = s.has("bulk");
  if (s.has("tensor")) throw Unsupported(words("tensor maps are not supported"));
  if (bulk && s.has("prefetch")) {
    f.emit(s, Kind::kNothing);
  } else if (s.has("commit_group")) {
    AsyncUse use;
    use.op = bulk ? AsyncOp::kBulkCommit : AsyncOp::kCommit;
    emit_async(f, s, use);
  } else if (s.has("wait_group") || s.has("wait_all")) {
    decode_wait(f, s, bulk ? AsyncOp::kBulkWait : AsyncOp::kWait);
  } else if (s.has("mbarrier")) {
    decode_copy_arrival(f, s);
  } else if (bulk) {
    decode_bulk_copy(f, s);
  } else {
    decode_copy(f, s);
  }
}

void decode_mbarrier(FunctionDecoder& f, const Statement& s, const Opcode& opcode) {
  const std::optional<MbarrierOp> op = mbarrier_op(s);
  if (!op) throw Unsupported(words("the instruction is not supported"));
  accept_only(s, 1, {"expect_tx", "noComplete", "parity", "relaxed", "acquire", "release", "cta", "cluster", "b64"});
  const bool has_destination = op == MbarrierOp::kArrive || op == MbarrierOp::kArriveDrop || op == MbarrierOp::kTest ||
                               op == MbarrierOp::kPendingCount;
  MbarrierUse use;
  use.op = *op;
  use.parity = s.has("parity");
  use.no_complete = s.has("noComplete");
  size_t at = has_destination ? 1 : 0;
  if (use.op != MbarrierOp::kPendingCount) use.access = mbarrier_access(f, s, at++);
  set_ordering(use.access, use.op, s);
  set_operands(f, s, at, use);
  f.emit_use(s, opcode.kind, f.program().mbarriers, use);
  MemoryAccess& access = f.program().mbarriers.back().access;
  if (access.bytes != 0) f.add_access(access);
}

}  // namespace lockstep
