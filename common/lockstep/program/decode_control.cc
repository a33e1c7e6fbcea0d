// decode_control: branches, calls, barriers, instructions between the lanes of a warp, fences, and special registers.
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/words.h"
#include "program/builtins.h"
#include "program/function_decoder.h"
#include "program/opcodes.h"
#include "program/special_registers.h"

namespace lockstep {
namespace {

using enum CollectiveOp;

// The last of `ops` that the statement names.
CollectiveOp named_op(const Statement& s, std::initializer_list<std::pair<const char*, CollectiveOp>> ops) {
  CollectiveOp named = kShflIdx;
  for (const auto& [modifier, op] : ops)
    if (s.has(modifier)) named = op;
  return named;
}

// d or d|p, which most collectives begin with.
Collective with_destinations(FunctionDecoder& f, const Statement& s, Width width = Width::k32) {
  Collective c;
  c.d = f.destination(s, 0, width);
  if (s.dual_destination) c.p = f.destination(s, 1, Width::kPred);
  return c;
}

size_t first_source(const Statement& s) { return s.dual_destination ? 2 : 1; }

void emit_collective(FunctionDecoder& f, const Statement& s, const Collective& c) {
  f.emit_use(s, Kind::kCollective, f.program().collectives, c);
}

}  // namespace

void decode_plain(FunctionDecoder& f, const Statement& s, const Opcode& opcode) { f.emit(s, opcode.kind); }

void decode_branch(FunctionDecoder& f, const Statement& s, const Opcode& opcode) {
  f.emit(s, opcode.kind);
  f.branch_to(s.operands.at(0).name);
}

void decode_indexed_branch(FunctionDecoder& f, const Statement& s, const Opcode& opcode) {
  const auto targets = f.function().branch_targets.find(s.operands.at(1).name);
  if (targets == f.function().branch_targets.end()) throw Unsupported(words("the branch's targets are not declared"));
  const uint32_t number = f.word(s, 0);
  Instruction& in = f.emit_use(s, opcode.kind, f.program().tables, {});
  in.a = number;
  f.fill_table(in.index, targets->second);
}

// call (results), target, (arguments) [, prototype]
void decode_call(FunctionDecoder& f, const Statement& s, const Opcode& opcode) {
  CallSite call;
  bool have_target = false;
  for (const Operand& operand : s.operands) {
    if (operand.kind == Operand::kList) {
      auto& list = have_target ? call.arguments : call.results;
      for (const Operand& element : operand.elements) list.push_back(f.param_slot(element.name));
    } else if (!have_target) {
      have_target = true;
      if (operand.kind == Operand::kRegister) {
        call.target = f.source(s, operand, Width::k64);
        continue;
      }
      call.function = f.context().index_of(operand.name);
      if (call.function == kNowhere) call.builtin = builtin_named(operand.name);
      if (call.function == kNowhere && call.builtin == Builtin::kNone) throw not_defined(true, operand.name);
    }
  }
  if (call.function != kNowhere && call.function <= f.index()) f.program().calls_unknown = true;  // perhaps recursive
  f.emit_use(s, opcode.kind, f.program().calls, std::move(call));
  f.emit(s, Kind::kJoin);  // the lanes that called meet here
}

void decode_return(FunctionDecoder& f, const Statement& s, const Opcode& opcode) {
  f.emit(s, f.is_kernel() ? Kind::kExit : opcode.kind);
}

// bar / barrier {.cta} .sync .arrive .red.{popc,and,or}  [d,] a {, b} {, p}
void decode_barrier(FunctionDecoder& f, const Statement& s, const Opcode& opcode) {
  BarrierUse use;
  size_t at = 0;
  if (s.has("arrive")) use.op = BarrierUse::kArrive;
  if (s.has("red")) {
    use.op = s.has("popc") ? BarrierUse::kRedPopc : s.has("and") ? BarrierUse::kRedAnd : BarrierUse::kRedOr;
    use.d = f.destination(s, at++, use.op == BarrierUse::kRedPopc ? Width::k32 : Width::kPred);
  }
  use.id = f.word(s, at++);
  const size_t predicates = s.has("red") ? 1 : 0;
  if (at + predicates < s.operands.size()) use.threads = f.word(s, at++);
  if (predicates) use.predicate = f.source(s, s.operands.at(at), Width::kPred);
  f.emit_use(s, opcode.kind, f.program().barriers, use);
}

void decode_warp_barrier(FunctionDecoder& f, const Statement& s, const Opcode& opcode) {
  const uint32_t members = f.word(s, 0);
  f.emit(s, opcode.kind).a = members;
}

// shfl{.sync}.mode.b32 d|p, a, b, c {, mask}
void decode_shuffle(FunctionDecoder& f, const Statement& s, const Opcode&) {
  Collective c = with_destinations(f, s);
  const size_t first = first_source(s);
  c.op = named_op(s, {{"up", kShflUp}, {"down", kShflDown}, {"bfly", kShflBfly}, {"idx", kShflIdx}});
  c.a = f.word(s, first), c.b = f.word(s, first + 1), c.c = f.word(s, first + 2);
  c.member_mask = s.has("sync") ? f.word(s, first + 3) : 0;
  emit_collective(f, s, c);
}

// vote{.sync}.mode.{pred,b32} d, p {, mask}
void decode_vote(FunctionDecoder& f, const Statement& s, const Opcode&) {
  Collective c = with_destinations(f, s, s.has("ballot") ? Width::k32 : Width::kPred);
  c.op = named_op(s, {{"all", kVoteAll}, {"any", kVoteAny}, {"uni", kVoteUni}, {"ballot", kVoteBallot}});
  c.a = f.source(s, s.operands.at(1), Width::kPred);
  c.member_mask = s.has("sync") ? f.word(s, 2) : 0;
  emit_collective(f, s, c);
}

// match.{any,all}.sync.{b32,b64} d|p, a, mask
void decode_match(FunctionDecoder& f, const Statement& s, const Opcode&) {
  Collective c = with_destinations(f, s);
  const size_t first = first_source(s);
  c.op = named_op(s, {{"any", kMatchAny}, {"all", kMatchAll}});
  c.wide = s.has("b64");
  c.a = c.wide ? f.double_word(s, first) : f.word(s, first);
  c.member_mask = f.word(s, first + 1);
  emit_collective(f, s, c);
}

// redux.sync.op.type d, a, mask
void decode_redux(FunctionDecoder& f, const Statement& s, const Opcode&) {
  Collective c = with_destinations(f, s);
  c.op = named_op(s, {{"add", kReduxAdd},
                      {"min", kReduxMin},
                      {"max", kReduxMax},
                      {"and", kReduxAnd},
                      {"or", kReduxOr},
                      {"xor", kReduxXor}});
  if (s.has("f32")) throw Unsupported(words("redux of floats is not supported"));
  c.is_signed = s.has("s32");
  c.a = f.word(s, 1), c.member_mask = f.word(s, 2);
  emit_collective(f, s, c);
}

// elect.sync d|p, mask
void decode_elect(FunctionDecoder& f, const Statement& s, const Opcode&) {
  Collective c = with_destinations(f, s);
  c.op = kElect;
  c.member_mask = f.word(s, first_source(s));
  emit_collective(f, s, c);
}

// membar.{cta,gl,sys}, fence{.sem}.scope
void decode_fence(FunctionDecoder& f, const Statement& s, const Opcode& opcode) {
  f.emit(s, opcode.kind).scope = s.has("cta") ? Scope::kBlock : Scope::kDevice;
}

void decode_activemask(FunctionDecoder& f, const Statement& s, const Opcode&) {
  f.read_special(s, Special::kActiveMask);
}

// alloca.type d, bytes {, alignment}
void decode_allocate(FunctionDecoder& f, const Statement& s, const Opcode& opcode) {
  if (!s.has("u64")) throw Unsupported(words("local memory is allocated with 64-bit sizes only"));
  const uint32_t bytes = f.double_word(s, 1);
  const uint32_t d = f.destination(s, 0, Width::k64);
  Instruction& in = f.emit(s, opcode.kind);
  in.d = d ? d : f.registers().allocate(Width::k64);
  in.a = bytes;
  in.alignment = s.operands.size() > 2 && s.operands[2].bits ? static_cast<uint32_t>(s.operands[2].bits) : 8;
  f.program().calls_unknown = true;  // the thread needs a real stack
}

}  // namespace lockstep
