#include "check/race_advice.h"

#include <algorithm>

#include "program/access_pairs.h"
#include "program/cuda_names.h"

namespace lockstep {
namespace {

// "__syncthreads() after line 84"
const char* barrier(const RacePair& race) { return race.same_warp ? "__syncwarp()" : "__syncthreads()"; }

const char* reached(const RacePair& race) {
  return race.same_warp ? "every lane of the warp" : "every thread of the block";
}

std::string line(uint32_t number) { return "line " + std::to_string(number); }

std::string because(const MissingBarrier& m) {
  const std::string first = m.first + " at " + line(m.first_line), second = m.second + " at " + line(m.second_line);
  if (m.next_turn) return "The " + first + " in one turn of the loop races with the " + second + " in the next turn.";
  if (m.first_line == m.second_line)
    return "A thread may " + m.second + " before another thread has made its " + m.first + ".";
  return "No barrier stands between the " + first + " and the " + second + ".";
}

std::string where(const MissingBarrier& m) {
  if (m.next_turn) return "after " + line(m.first_line) + ", at the end of the loop's turn";
  return "after " + line(m.first_line) + ", before " + line(m.second_line);
}

std::string put_barrier(const RacePair& race) {
  const MissingBarrier& m = race.missing.front();
  std::string text = because(m) + "\n  Next: ";
  if (!m.next_turn && m.first_line == m.second_line)
    return text + "in " + line(m.first_line) + ", keep what you read in a variable; then " + barrier(race) +
           "; then write. If only one of the two threads should come here, correct the condition.";
  text += std::string("put ") + barrier(race) + " " + where(m);
  if (race.missing.size() > 1) text += ", and another one " + where(race.missing[1]);
  return text + ". Let " + reached(race) + " reach it.";
}

std::string next_update(const RacePair& race) {
  const std::string function = race.one_step.empty() ? "atomicAdd, atomicMin or atomicCAS" : race.one_step;
  std::string text = "Each of the two threads reads " + race.element +
                     ", changes it and writes it back. One of the two updates is lost.";
  if (race.moves && !race.may_lock) {
    const std::string otherwise = " should update one element at once, use " + function + " instead.";
    const auto turn = std::ranges::find_if(race.missing, &MissingBarrier::next_turn);
    if (!race.same_block)
      return text + "\n  Next: let each block update elements of its own. If two blocks" + otherwise;
    if (turn != race.missing.end())
      return text + "\n  Next: put " + barrier(race) + " " + where(*turn) + ". Let " + reached(race) +
             " reach it. If two threads" + otherwise;
  }
  // No simple operation: then it is rarely meant that two threads make it.
  const bool is_meant = race.one_step != "atomicCAS" || race.may_lock;
  text += is_meant ? "\n  Next: make the update one atomic operation: " + function
                   : "\n  Next: let only one of the two threads update it, or give each thread an element of its own. "
                     "If both must: " +
                         function;
  if (race.narrow) text += ", with elements of 4 bytes";
  text += ".";
  if (race.may_lock)
    text += " If a lock protects it: __threadfence() after taking the lock, and before giving it back.";
  return text;
}

std::string next_same_write(const RacePair& race) {
  std::string text =
      "Both threads write at the same line, with different values. One of the two values is lost.\n  Next: let one "
      "thread write it, or give each thread an element of its own.";
  if (race.same_block && !race.missing.empty())
    text += " If the writes belong to two turns of the loop: put " + std::string(barrier(race)) + " " +
            where(race.missing.front()) + ".";
  return text;
}

std::string next_scope(const RacePair& race) {
  std::string text =
      "One of the two is atomic only among the threads of one block. These are threads of two blocks.\n  Next: use ";
  if (!race.one_step.empty()) text += race.one_step + " instead of " + race.one_step + "_block, or ";
  return text + "the scope cuda::thread_scope_device.";
}

std::string next_other_block(const RacePair& race) {
  if (race.may_signal)
    return "They are threads of two blocks. A flag alone does not make the data visible.\n  Next: put __threadfence() "
           "between the write of the data and the atomic write of the flag, and another one after the atomic read of "
           "the flag.";
  return "They are threads of two blocks, which run in any order. No barrier orders blocks.\n  Next: let a second "
         "kernel do what comes later, or let each block use elements of its own.";
}

// An atomic access does not wait for the other threads. So within a block the barrier comes first, except at a lock or
// a flag, which no barrier can replace.
std::string next_one_atomic(const RacePair& race) {
  const std::string text = "One of the two is atomic, and the other is not.\n  Next: ";
  if (race.same_block && !race.may_wait && !race.missing.empty())
    return text + "put " + barrier(race) + " " + where(race.missing.front()) + ". Let " + reached(race) +
           " reach it. Making both atomic is enough only if they may come in any order.";
  return text + "make the other atomic, too (a read: cuda::atomic_ref's load(), or atomicAdd(p, 0)), or " +
         (race.same_block ? "put a barrier between them." : "let a second kernel do what comes later.");
}

std::string next(const RacePair& race) {
  if (race.both_strong && !race.same_block) return next_scope(race);
  if (race.updates || (!race.one_step.empty() && !race.both_strong)) return next_update(race);
  if (race.same_write) return next_same_write(race);
  if (race.one_atomic) return next_one_atomic(race);
  if (!race.same_block) return next_other_block(race);
  if (!race.missing.empty()) return put_barrier(race);
  if (race.same_warp)
    return "They are lanes of one warp. CUDA does not promise that lanes run in step.\n  Next: put __syncwarp() "
           "between the two accesses.";
  return "They are warps of one block, which run in any order.\n  Next: put __syncthreads() between the two accesses, "
         "where every thread of the block reaches it.";
}

bool is_atomic(const MemoryAccess& access) {
  return access.op == MemoryOp::kAtomic || access.op == MemoryOp::kReduction;
}

// A flag: an atomic or volatile access, of another address than these two.
bool signals(const Program& program, const MemoryAccess& one, const MemoryAccess& other) {
  return std::ranges::any_of(program.accesses, [&](const MemoryAccess& access) {
    return access.may_spin && access.index != one.index && access.index != other.index;
  });
}

void find_missing(RacePair& race, const SourceNames& names, const MemoryAccess& one, const MemoryAccess& other) {
  const auto [file, line_of_one] = names.source_line(one.pc);
  const auto [other_file, line_of_other] = names.source_line(other.pc);
  if (line_of_one == 0 || line_of_other == 0 || file != other_file) return;
  const auto look = [&](const MemoryAccess& first, uint32_t first_line, const MemoryAccess& second,
                        uint32_t second_line) {
    const OpenWay way = open_way(names.program, first.pc, second.pc, race.same_warp);
    if (way.in_turn) race.missing.push_back({verb(first), verb(second), first_line, second_line, false});
    if (way.to_next_turn) race.missing.push_back({verb(first), verb(second), first_line, second_line, true});
  };
  look(one, line_of_one, other, line_of_other);
  if (&one != &other) look(other, line_of_other, one, line_of_one);
  // In one statement a thread reads before it writes, so what another turn does is the likelier cause.
  if (line_of_one == line_of_other)
    std::ranges::stable_sort(race.missing, [](auto& a, auto& b) { return a.next_turn && !b.next_turn; });
  else
    std::ranges::stable_sort(race.missing, [](auto& a, auto& b) { return a.first_line < b.first_line; });
  if (line_of_one == line_of_other && race.missing.size() > 1) race.missing.resize(1);
}

}  // namespace

void see_code(RacePair& race, const SourceNames& names, const MemoryAccess& present, const MemoryAccess* earlier) {
  if (!earlier) return;
  const Program& program = names.program;
  if (race.both_strong) {
    for (const MemoryAccess* access : {&present, earlier})
      if (access->scope == Scope::kBlock && is_atomic(*access)) race.one_step = cuda_name(access->atomic);
  } else {
    // One of the two is a store. The load may be the other, or lie before it where both threads are at the same store.
    for (const MemoryAccess* store : {&present, earlier})
      for (const MemoryAccess& load : program.accesses)
        if (race.one_step.empty() &&
            (load.index == present.index || load.index == earlier->index || &present == earlier))
          race.one_step = update_in_one_step(program, load, *store);
  }
  race.moves = moves_with_loop(program, present) && moves_with_loop(program, *earlier);
  race.narrow = present.bytes < 4;
  race.may_lock = may_lock(program);
  race.may_signal = signals(program, present, *earlier);
  race.may_wait = present.may_spin || earlier->may_spin;
  if (race.same_block) find_missing(race, names, present, *earlier);
}

std::string headline(const RacePair& race) {
  const bool update = race.updates || (!race.one_step.empty() && !race.both_strong);
  return update ? "race: two threads update " + race.element + ", and nothing orders them,"
                : "race: nothing orders two accesses to " + race.element;
}

std::string advice(const RacePair& race) {
  if (race.only_fence)
    return "The writer's side is right: a fence or a release, then an atomic, which this block has read. Only the "
           "reader's fence is missing.\n  It works on cards as long as the block has not read the element before. CUDA "
           "does not promise it.\n  Next: put __threadfence() behind the atomic, in the thread that made it. Other "
           "threads of the block wait for that thread at __syncthreads().";
  std::string text;
  if (race.has_volatile) text = "The check `volatile` takes volatile as plain: volatile orders nothing.\n  ";
  return text + next(race);
}

}  // namespace lockstep
