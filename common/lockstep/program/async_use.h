// async_use: the operands of asynchronous copies and mbarriers. They are registers; 0 = none.
#pragma once

#include <cstdint>

#include "alu/bulk_reduce.h"
#include "program/memory_access.h"

namespace lockstep {

// cp.async and the bulk copies: start one, group them, wait for them.
enum class AsyncOp : uint8_t { kCopy, kCommit, kWait, kArrive, kBulk, kBulkCommit, kBulkWait };

struct AsyncUse {
  AsyncOp op = AsyncOp::kCopy;
  MemoryAccess from, to, mbarrier;  // the accesses that the operation makes; their handlers are not set
  bool has_mbarrier = false;        // kBulk: the mbarrier counts the bytes; without it the copy belongs to a bulk group
  uint32_t size = 0;                // kBulk: bytes; kCopy: bytes that are read, 0 = all
  uint32_t ignore_source = 0;       // kCopy: predicate: copy zeros
  uint32_t groups = 0;              // waits: so many of the latest groups need not be complete
  bool ungrouped_too = false;       // wait_all
  bool sources_only = false;        // wait_group.read: wait until the sources have been read
  bool counted_already = false;     // mbarrier.arrive.noinc
  BulkReduction reduce = nullptr;   // cp.reduce.async.bulk
};

enum class MbarrierOp : uint8_t { kInit, kInvalidate, kArrive, kArriveDrop, kExpect, kComplete, kTest, kPendingCount };

struct MbarrierUse {
  MbarrierOp op = MbarrierOp::kInit;
  MemoryAccess access;
  uint32_t d = 0;      // kArrive: the state; kTest: a predicate; kPendingCount: the count
  uint32_t count = 0;  // 0: one
  uint32_t bytes = 0;
  uint32_t phase = 0;  // the state that an arrival returned, or a parity
  bool parity = false, no_complete = false;
};

}  // namespace lockstep
