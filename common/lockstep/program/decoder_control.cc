// Branches, calls, barriers, collectives, fences, and reads of special registers.
#include "program/decoder.h"
#include "program/special_registers.h"

namespace lockstep {
namespace {

bool is_builtin(const std::string& name, Builtin* builtin) {
  static const std::unordered_map<std::string, Builtin> table = {{"vprintf", Builtin::kPrintf},
                                                                 {"__assertfail", Builtin::kAssertFail},
                                                                 {"malloc", Builtin::kMalloc},
                                                                 {"free", Builtin::kFree}};
  const auto found = table.find(name);
  if (found == table.end()) return false;
  *builtin = found->second;
  return true;
}

}  // namespace

void FunctionDecoder::decode_branch(const Statement& s, uint32_t reconvergence) {
  const auto pc = static_cast<uint32_t>(program_.code.size());
  if (s.opcode() == "bra") {
    Instruction& in = emit(s, Kind::kBranch);
    in.extra = kNowhere;
    branches_.emplace_back(pc, s.operands.at(0).name);
  } else {
    const auto targets = function_.branch_targets.find(s.operands.at(1).name);
    if (targets == function_.branch_targets.end()) throw Unsupported("the branch's targets are not declared");
    const uint32_t index = source(s, s.operands[0], Width::k32, Type::kU32);
    Instruction& in = emit(s, Kind::kBranchIndexed);
    in.a = index;
    in.immediate = static_cast<uint32_t>(program_.tables.size());
    in.extra = kNowhere;
    tables_.emplace_back(in.immediate, targets->second);
    program_.tables.emplace_back();
  }
  if (reconvergence != kNowhere) meetings_.emplace_back(pc, reconvergence);
}

// call (results), target, (arguments) [, prototype]
void FunctionDecoder::decode_call(const Statement& s) {
  CallSite call;
  bool have_target = false;
  for (const Operand& operand : s.operands) {
    if (operand.kind == Operand::kList) {
      auto& list = have_target ? call.arguments : call.results;
      for (const Operand& element : operand.elements) list.push_back(param_slot(element.name));
    } else if (!have_target) {
      have_target = true;
      if (operand.kind == Operand::kRegister)
        call.target = source(s, operand, Width::k64, Type::kU64);
      else if (call.function = context_.index_of(operand.name);
               call.function == kNowhere && !is_builtin(operand.name, &call.builtin))
        throw not_defined("function", operand.name);
    }
  }
  if (call.function != kNowhere && call.function <= index_) program_.calls_unknown = true;  // perhaps recursive
  Instruction& in = emit(s, Kind::kCall);
  in.immediate = static_cast<uint32_t>(program_.calls.size());
  program_.calls.push_back(call);
  Statement after = s;
  after.guard.clear();
  emit(after, Kind::kJoin);  // where the lanes that called are together again
}

// bar / barrier {.cta} .sync .arrive .red.{popc,and,or}  [d,] a {, b} {, p}
void FunctionDecoder::decode_barrier(const Statement& s) {
  BarrierUse use;
  size_t at = 0;
  if (s.has("arrive")) use.op = BarrierUse::kArrive;
  if (s.has("red")) {
    use.op = s.has("popc") ? BarrierUse::kRedPopc : s.has("and") ? BarrierUse::kRedAnd : BarrierUse::kRedOr;
    use.d = destination(s, s.operands.at(at++), use.op == BarrierUse::kRedPopc ? Width::k32 : Width::kPred);
  }
  use.id = source(s, s.operands.at(at++), Width::k32, Type::kU32);
  const size_t predicates = s.has("red") ? 1 : 0;
  if (at + predicates < s.operands.size()) use.threads = source(s, s.operands[at++], Width::k32, Type::kU32);
  if (predicates) use.predicate = source(s, s.operands.at(at), Width::kPred, Type::kPred);
  Instruction& in = emit(s, Kind::kBarrier);
  in.immediate = static_cast<uint32_t>(program_.barriers.size());
  program_.barriers.push_back(use);
}

void FunctionDecoder::decode_collective(const Statement& s) {
  Collective c;
  const auto& o = s.operands;
  const size_t first = s.dual_destination ? 2 : 1;
  const auto op = [&](const char* modifier, CollectiveOp value) {
    if (s.has(modifier)) c.op = value;
  };
  c.d = destination(s, o.at(0), s.opcode() == "vote" && !s.has("ballot") ? Width::kPred : Width::k32);
  if (s.dual_destination) c.p = destination(s, o.at(1), Width::kPred);
  const auto word = [&](size_t i) { return source(s, o.at(i), Width::k32, Type::kB32); };
  if (s.opcode() == "shfl") {
    op("up", CollectiveOp::kShflUp), op("down", CollectiveOp::kShflDown);
    op("bfly", CollectiveOp::kShflBfly), op("idx", CollectiveOp::kShflIdx);
    c.a = word(first), c.b = word(first + 1), c.c = word(first + 2);
    c.member_mask = s.has("sync") ? word(first + 3) : 0;
  } else if (s.opcode() == "vote") {
    op("all", CollectiveOp::kVoteAll), op("any", CollectiveOp::kVoteAny);
    op("uni", CollectiveOp::kVoteUni), op("ballot", CollectiveOp::kVoteBallot);
    c.a = source(s, o.at(1), Width::kPred, Type::kPred);
    c.member_mask = s.has("sync") ? word(2) : 0;
  } else if (s.opcode() == "match") {
    op("any", CollectiveOp::kMatchAny), op("all", CollectiveOp::kMatchAll);
    c.wide = s.has("b64");
    c.a = source(s, o.at(first), c.wide ? Width::k64 : Width::k32, c.wide ? Type::kB64 : Type::kB32);
    c.member_mask = word(first + 1);
  } else if (s.opcode() == "redux") {
    op("add", CollectiveOp::kReduxAdd), op("min", CollectiveOp::kReduxMin), op("max", CollectiveOp::kReduxMax);
    op("and", CollectiveOp::kReduxAnd), op("or", CollectiveOp::kReduxOr), op("xor", CollectiveOp::kReduxXor);
    if (s.has("f32")) throw Unsupported("redux of floats is not supported");
    c.is_signed = s.has("s32");
    c.a = word(1), c.member_mask = word(2);
  } else {  // elect.sync d|p, mask
    c.op = CollectiveOp::kElect;
    c.member_mask = word(first);
  }
  Instruction& in = emit(s, Kind::kCollective);
  in.immediate = static_cast<uint32_t>(program_.collectives.size());
  program_.collectives.push_back(c);
}

void FunctionDecoder::decode_warp_barrier(const Statement& s) {
  const uint32_t members = source(s, s.operands.at(0), Width::k32, Type::kB32);
  emit(s, Kind::kWarpBarrier).a = members;
}

// membar.{cta,gl,sys}, fence{.sem}.scope. One without a scope (fence.proxy) orders for everybody.
void FunctionDecoder::decode_fence(const Statement& s) {
  if (s.has("proxy")) {  // between the ways to reach memory, not between threads
    emit(s, Kind::kNothing);
    return;
  }
  emit(s, Kind::kFence).immediate = static_cast<uint32_t>(s.has("cta") ? Scope::kBlock : Scope::kDevice);
}

void FunctionDecoder::decode_read_special(const Statement& s, Special special) {
  const uint32_t d = destination(s, s.operands.at(0), special_width(special));
  Instruction& in = emit(s, Kind::kReadSpecial);
  in.d = d;
  in.immediate = static_cast<uint32_t>(special);
}

}  // namespace lockstep
