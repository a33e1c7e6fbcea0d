#include "check/race_advice.h"

namespace lockstep {
namespace {

const char* who(const RacePair& race) {
  return race.same_warp ? "They are lanes of one warp: run in step, as here and often on a card, the answer is right "
                          "by luck."
         : race.same_block ? "They are warps of one block, which run in any order."
                           : "They are different blocks, which run in any order.";
}

const char* next(const RacePair& race) {
  if (race.both_strong && !race.same_block)
    return "One of the two is atomic for its own block only.\n  Next: use the atomic without _block, or a device-wide "
           "scope (cuda::thread_scope_device).";
  if (race.updates)
    return "Each thread reads the element and writes it back, so one update can be lost.\n  Next: make it one atomic "
           "operation (atomicAdd, atomicMin, atomicCAS …). If a lock protects it, put a fence behind taking the lock, "
           "and "
           "one before giving it back. If the two belong to different rounds of a loop, put a barrier between them.";
  if (race.same_write)
    return "Both are at the same line, with different values, and the last one stays.\n  Next: let one thread write "
           "it, "
           "give each thread an element of its own, or combine the values with an atomic operation. If they belong to "
           "two rounds of a loop, put a barrier between the rounds.";
  if (race.one_atomic)
    return "One of the two is atomic, and the other is not.\n  Next: make the other atomic, too (a read: atomicAdd(p, "
           "0) "
           "or cuda::atomic_ref's load()); or order the two by a barrier or a fence.";
  if (race.same_warp) return "Next: put __syncwarp() between the two, or exchange the value with __shfl_sync.";
  if (race.same_block)
    return "Next: put __syncthreads() between the two, where every thread of the block reaches it; or use an atomic "
           "operation.";
  return "Next: use atomic operations; or leave what comes later to a second kernel; or hand over with a flag: "
         "__threadfence() before an atomic write of it, and after an atomic read. (__threadfence_block() reaches no "
         "other block.)";
}

}  // namespace

std::string advice(const RacePair& race) {
  if (race.only_fence)
    return "The writer's side is right: a fence or a release, then an atomic, which this block has read. Only the "
           "reader's fence is missing. NVIDIA's samples do so (the last block that takes a ticket), and it works on "
           "cards "
           "as long as the block has not read the element before: the read is sent after the atomic has come back. "
           "PTX's memory model does not promise it.\n  Next: put __threadfence() behind the atomic, in the thread that "
           "made it; other threads of the block wait for that thread at __syncthreads().";
  std::string text = who(race);
  if (race.has_volatile)
    text +=
        "\n  The check `volatile` takes volatile as plain: it keeps the compiler from leaving the access out, and "
        "orders nothing.";
  return text + "\n  " + next(race);
}

}  // namespace lockstep
