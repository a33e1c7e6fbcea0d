// register_use: the registers that a decoded instruction reads and writes, by their offsets in a frame.
#pragma once

#include <initializer_list>

#include "program/program.h"

namespace lockstep {

// The access of an instruction that makes one access to memory. Null: it makes none, or several.
inline const MemoryAccess* access_of(const Program& program, const Instruction& in) {
  if (in.kind == Kind::kMemory) return &program.accesses[in.index];
  return in.kind == Kind::kTexture ? &program.accesses[program.textures[in.index].access] : nullptr;
}

// The access that ld, st, atom, red, wmma.load, wmma.store, ldmatrix and stmatrix make; of cp.async the load, which is
// the part that a card counts. Null: another instruction.
inline const MemoryAccess* plain_access(const Program& program, const Instruction& in) {
  if (in.kind == Kind::kMemory) return &program.accesses[in.index];
  if (in.kind == Kind::kAsync && program.async[in.index].op == AsyncOp::kCopy)
    return &program.accesses[program.async[in.index].from.index];
  if (in.kind != Kind::kMatrix || program.matrices[in.index].op == MatrixOp::kMultiply) return nullptr;
  return &program.accesses[program.matrices[in.index].access.index];
}

inline bool prints(const Program& program, const Instruction& in) {
  return in.kind == Kind::kCall && program.calls[in.index].builtin == Builtin::kPrintf;
}

// Calls read(offset) for each register that the instruction reads.
template <class Read>
void for_each_source(const Program& program, const Instruction& in, const Read& read) {
  const auto any = [&](std::initializer_list<uint32_t> offsets) {
    for (const uint32_t offset : offsets)
      if (offset) read(offset);
  };
  any({in.guard});
  if (const MemoryAccess* const access = access_of(program, in)) {
    any({access->base});
    if (access->op == MemoryOp::kStore)
      for (uint32_t e = 0; e < access->count; ++e) any({access->registers[e]});
    else if (access->op != MemoryOp::kLoad)
      any({access->registers[1], access->operand2});
  }
  if (in.kind == Kind::kCollective) {
    const Collective& c = program.collectives[in.index];
    any({c.a, c.b, c.c, c.member_mask});
  } else if (in.kind == Kind::kMatrix) {
    const MatrixUse& use = program.matrices[in.index];
    any({use.access.base, use.stride, use.member_mask});
    for (const Fragment* f : {&use.a, &use.b, &use.c})
      for (const uint32_t offset : f->registers) any({offset});
    if (use.access.op == MemoryOp::kStore)
      for (const uint32_t offset : use.d.registers) any({offset});
  } else if (in.kind == Kind::kTexture) {
    const TextureUse& use = program.textures[in.index];
    any({use.handle, use.layer, use.coordinates[0], use.coordinates[1], use.coordinates[2]});
  } else if (in.kind == Kind::kBarrier) {
    const BarrierUse& use = program.barriers[in.index];
    any({use.id, use.threads, use.predicate});
  } else if (in.kind == Kind::kMbarrier) {
    const MbarrierUse& use = program.mbarriers[in.index];
    any({use.access.base, use.count, use.bytes, use.phase});
  } else if (in.kind == Kind::kAsync) {
    const AsyncUse& use = program.async[in.index];
    any({use.from.base, use.to.base, use.mbarrier.base, use.size, use.ignore_source});
  } else if (in.kind == Kind::kAlu || in.kind == Kind::kBranchIndexed) {
    any({in.a, in.b, in.c, in.e});
  }
}

// Calls write(offset) for each register that the instruction writes. Calls are left out: their results have slots.
template <class Write>
void for_each_destination(const Program& program, const Instruction& in, const Write& write) {
  const auto any = [&](std::initializer_list<uint32_t> offsets) {
    for (const uint32_t offset : offsets)
      if (offset) write(offset);
  };
  if (const MemoryAccess* const access = access_of(program, in)) {
    if (access->op == MemoryOp::kLoad)
      for (uint32_t e = 0; e < access->count; ++e) any({access->registers[e]});
    else if (access->op == MemoryOp::kAtomic)
      any({access->registers[0]});
  }
  if (in.kind == Kind::kCollective) {
    const Collective& c = program.collectives[in.index];
    any({c.d, c.p});
  } else if (in.kind == Kind::kMatrix) {
    const MatrixUse& use = program.matrices[in.index];
    if (use.access.op != MemoryOp::kStore)
      for (const uint32_t offset : use.d.registers) any({offset});
  } else if (in.kind == Kind::kBarrier) {
    any({program.barriers[in.index].d});
  } else if (in.kind == Kind::kMbarrier) {
    any({program.mbarriers[in.index].d});
  } else if (in.kind == Kind::kTexture) {
    any({program.textures[in.index].resident});
  } else if (in.kind == Kind::kAlu || in.kind == Kind::kReadSpecial || in.kind == Kind::kAllocate) {
    any({in.d, in.d2});
  }
}

}  // namespace lockstep
