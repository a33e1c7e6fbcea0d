#include "check/race_advice.h"

#include <algorithm>

#include "base/words.h"
#include "program/access_pairs.h"
#include "program/cuda_names.h"

namespace lockstep {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kNext = "\n  Next: ";

const char* barrier(const RacePair& race) { return race.same_warp ? "__syncwarp()" : "__syncthreads()"; }

std::string access_text(const std::string& access) {
  if (access == "read") return words("read");
  return access == "write" ? words("write") : words("atomic");
}

// The accesses are named in the forms: "write", "read" and "atomic" are translated with them.
Facts facts_of(const MissingBarrier& m) {
  return {{"first", access_text(m.first)},
          {"second", access_text(m.second)},
          {"first_line", std::to_string(m.first_line)},
          {"second_line", std::to_string(m.second_line)}};
}

std::string because(const MissingBarrier& m) {
  const Facts facts = facts_of(m);
  if (m.next_turn)
    return words(
        "The {first} at line {first_line} in one turn of the loop races with the {second} at line {second_line} in "
        "the next turn.",
        facts);
  if (m.first_line == m.second_line)
    return words("A thread may {second} before another thread has made its {first}.", facts);
  return words("No barrier stands between the {first} at line {first_line} and the {second} at line {second_line}.",
               facts);
}

std::string where(const MissingBarrier& m) {
  return m.next_turn ? words("after line {first_line}, at the end of the loop's turn", facts_of(m))
                     : words("after line {first_line}, before line {second_line}", facts_of(m));
}

// Every thread whose barrier it is must come to it.
std::string put(const RacePair& race, const std::string& where_to_put) {
  const Facts facts = {{"barrier", barrier(race)}, {"where", where_to_put}};
  return race.same_warp ? words("put {barrier} {where}. Let every lane of the warp reach it.", facts)
                        : words("put {barrier} {where}. Let every thread of the block reach it.", facts);
}

std::string put_barrier(const RacePair& race) {
  const MissingBarrier& m = race.missing.front();
  const std::string begin = because(m) + kNext;
  if (!m.next_turn && m.first_line == m.second_line)
    return begin +
           words(
               "in line {line}, keep what you read in a variable; then {barrier}; then write. If only one of the "
               "two threads should come here, correct the condition.",
               {{"line", std::to_string(m.first_line)}, {"barrier", barrier(race)}});
  if (race.missing.size() == 1) return begin + put(race, where(m));
  return begin +
         put(race, words("{where}, and another one {other}", {{"where", where(m)}, {"other", where(race.missing[1])}}));
}

std::string next_update(const RacePair& race) {
  // No simple operation: then it is rarely meant that two threads make it.
  const bool is_meant = race.one_step != "atomicCAS" || race.may_lock;
  std::string function = race.one_step.empty() ? words("atomicAdd, atomicMin or atomicCAS") : race.one_step;
  if (race.narrow) function = words("{function}, with elements of 4 bytes", {{"function", function}});
  std::string text =
      words(
          "Each of the two threads reads {element}, changes it and writes it back. One of the two updates "
          "is lost.",
          {{"element", race.element}}) +
      kNext;
  if (race.moves && !race.may_lock) {
    const Facts facts = {{"function", function}};
    const auto turn = std::ranges::find_if(race.missing, &MissingBarrier::next_turn);
    if (!race.same_block)
      return text + words(
                        "let each block update elements of its own. If two blocks should update one element at once, "
                        "use {function} instead.",
                        facts);
    if (turn != race.missing.end())
      return text + put(race, where(*turn)) + " " +
             words("If two threads should update one element at once, use {function} instead.", facts);
  }
  text += is_meant
              ? words("make the update one atomic operation: {function}.", {{"function", function}})
              : words(
                    "let only one of the two threads update it, or give each thread an element of its own. If both "
                    "must: {function}.",
                    {{"function", function}});
  if (race.may_lock)
    text += " " + words("If a lock protects it: __threadfence() after taking the lock, and before giving it back.");
  return text;
}

std::string next_same_write(const RacePair& race) {
  std::string text =
      words("Both threads write at the same line, with different values. One of the two values is lost.") + kNext +
      words("let one thread write it, or give each thread an element of its own.");
  if (race.same_block && !race.missing.empty())
    text += " " + words("If the writes belong to two turns of the loop: put {barrier} {where}.",
                        {{"barrier", barrier(race)}, {"where", where(race.missing.front())}});
  return text;
}

std::string next_scope(const RacePair& race) {
  const std::string text =
      words("One of the two is atomic only among the threads of one block. These are threads of two blocks.") + kNext;
  if (race.one_step.empty()) return text + words("use the scope cuda::thread_scope_device.");
  return text + words("use {function} instead of {function}_block, or the scope cuda::thread_scope_device.",
                      {{"function", race.one_step}});
}

std::string next_other_block(const RacePair& race) {
  if (race.may_signal)
    return words("They are threads of two blocks. A flag alone does not make the data visible.") + kNext +
           words(
               "put __threadfence() between the write of the data and the atomic write of the flag, and another one "
               "after "
               "the atomic read of the flag.");
  return words("They are threads of two blocks, which run in any order. No barrier orders blocks.") + kNext +
         words("let a second kernel do what comes later, or let each block use elements of its own.");
}

// An atomic access does not wait for the other threads. So within a block the barrier comes first, except at a lock or
// a flag, which no barrier can replace.
std::string next_one_atomic(const RacePair& race) {
  const std::string text = words("One of the two is atomic, and the other is not.") + kNext;
  if (race.same_block && !race.may_wait && !race.missing.empty())
    return text + put(race, where(race.missing.front())) + " " +
           words("Making both atomic is enough only if they may come in any order.");
  return text + (race.same_block
                     ? words("make the other atomic, too (a read: cuda::atomic_ref's load(), or atomicAdd(p, "
                             "0)), or put a barrier between them.")
                     : words("make the other atomic, too (a read: cuda::atomic_ref's load(), or atomicAdd(p, "
                             "0)), or let a second kernel do what comes later."));
}

std::string next(const RacePair& race) {
  if (race.both_strong && !race.same_block) return next_scope(race);
  if (race.updates || (!race.one_step.empty() && !race.both_strong)) return next_update(race);
  if (race.same_write) return next_same_write(race);
  if (race.one_atomic) return next_one_atomic(race);
  if (!race.same_block) return next_other_block(race);
  if (!race.missing.empty()) return put_barrier(race);
  if (race.same_warp)
    return words("They are lanes of one warp. CUDA does not promise that lanes run in step.") + kNext +
           words("put __syncwarp() between the two accesses.");
  return words("They are warps of one block, which run in any order.") + kNext +
         words("put __syncthreads() between the two accesses, where every thread of the block reaches it.");
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
  const Facts element = {{"element", race.element}};
  return update ? words("race: two threads update {element}, and nothing orders them,", element)
                : words("race: nothing orders two accesses to {element}", element);
}

std::string advice(const RacePair& race) {
  if (race.only_fence)
    return words(
               "The writer's side is right: a fence or a release, then an atomic, which this block has read. Only the "
               "reader's fence is missing.") +
           "\n  " +
           words("It works on cards as long as the block has not read the element before. CUDA does not promise it.") +
           kNext +
           words(
               "put __threadfence() behind the atomic, in the thread that made it. Other threads of the block wait for "
               "that thread at __syncthreads().");
  std::string text;
  if (race.has_volatile)
    text = words("The check `volatile` takes volatile as plain: volatile orders nothing.") + "\n  ";
  return text + next(race);
}

}  // namespace lockstep
