// program: a Module's entry point and all it can call → one flat array of decoded instructions, with registers
// and variables laid out, and every branch knowing where its two sides meet again.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "alu/alu.h"
#include "alu/bulk_reduce.h"
#include "program/instruction.h"
#include "ptx/module.h"

namespace lockstep {

// Where the windows of the generic address space lie: no address of a process can fall there.
inline constexpr uint64_t kSharedWindow = 0x7100'0000'0000'0000;
inline constexpr uint64_t kLocalWindow = 0x7200'0000'0000'0000;
inline constexpr uint64_t kFunctionWindow = 0x7300'0000'0000'0000;  // "addresses" of device functions
inline constexpr uint64_t kWindowBytes = uint64_t{1} << 32;
inline constexpr uint64_t kParamBytes = 32 << 10;  // of a kernel: the most that PTX allows, 32,764, rounded up
inline constexpr uint32_t kSharedBase = 1024;      // the first KiB of shared memory belongs to the system since sm_80

// Special registers whose value a lane, a warp or a block fixes, and those read afresh each time.
enum class Special : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNWarpId,
  kSmId,
  kNSmId,
  kGridId,
  kLanemaskEq,
  kLanemaskLt,
  kLanemaskLe,
  kLanemaskGt,
  kLanemaskGe,
  kDynamicSharedBytes,
  kTotalSharedBytes,
  kZero,
  kOne,
  kGridWorkspaceHigh,
  kGridWorkspaceLow,  // where the blocks of a cooperative launch meet; 0 for other launches
  kClock,
  kClock64,
  kGlobalTimer,
  kGlobalTimerLow,
  kGlobalTimerHigh,
  kActiveMask,
};

// A register that is written before the kernel's first instruction (or, kLocalAddress, at each call).
struct Preset {
  enum Source : uint8_t { kBits, kSpecial, kLocalAddress } source = kBits;
  Width width = Width::k32;
  uint32_t offset = 0;
  uint64_t bits = 0;  // the value; the Special; the offset into the function's local variables
};

enum class MemoryOp : uint8_t { kLoad, kStore, kAtomic, kReduction };
// PTX's memory orders, and who is sure to see them. A cluster counts as the whole card.
enum class MemoryOrder : uint8_t { kWeak, kVolatile, kRelaxed, kAcquire, kRelease, kAcquireRelease };
enum class Scope : uint8_t { kBlock, kDevice };

class Warp;
struct MemoryAccess;
using AccessHandler = void (*)(Warp& warp, const MemoryAccess& access, Mask mask);

struct MemoryAccess {
  AccessHandler handler = nullptr;
  MemoryOp op = MemoryOp::kLoad;
  AtomicOp atomic = AtomicOp::kAdd;
  MemoryOrder order = MemoryOrder::kWeak;  // atom and red: at least kRelaxed
  Scope scope = Scope::kDevice;
  Space space = Space::kGeneric;
  Type type = Type::kNone;
  bool waited = false;       // its latency is one that the warp waits for (dependence.h)
  uint8_t bytes = 0;         // one element
  uint8_t count = 1;         // elements of a vector
  bool may_spin = false;     // volatile, relaxed, acquire, or an atomic whose result is used: a loop around it
                             // may wait for another thread
  bool only_copied = false;  // a load whose values are stored again and not looked at
  bool literal_one = false;  // atom/red add of the literal 1, result unused
  bool wide_base = true;     // the base register is 64 bits wide
  uint32_t base = 0;         // address register, or 0: the offset alone is the address
  int64_t offset = 0;
  uint32_t registers[4] = {};  // destinations or sources; 0: discarded
  Width register_width = Width::k32;
  uint32_t operand2 = 0;       // atomics: b is registers[1]; cas: c
  uint32_t pc = 0, index = 0;  // of the instruction; in Program::accesses
};

// What limits how many instructions of a kind a multiprocessor can take in a cycle.
enum class Pipe : uint8_t { kNone, kInteger, kFloat, kDouble, kSpecial, kShuffle };

// Of an instruction on the card, for the cost model.
struct InstructionCost {
  Pipe pipe = Pipe::kNone;
  uint8_t slots = 0;     // instructions that ptxas makes of it
  uint16_t latency = 0;  // cycles until its result is there; loads: not theirs
};

struct ParamSlot {
  uint32_t offset = 0, bytes = 0;
};  // in the lane's parameter area of a frame

enum class Builtin : uint8_t { kNone, kPrintf, kAssertFail, kMalloc, kFree };

struct CallSite {
  uint32_t function = kNowhere;  // index into Program::functions
  Builtin builtin = Builtin::kNone;
  uint32_t target = 0;                        // register with the function's address, if it is neither
  std::vector<ParamSlot> arguments, results;  // in the caller's frame
};

struct BarrierUse {
  enum Op : uint8_t { kSync, kArrive, kRedPopc, kRedAnd, kRedOr } op = kSync;
  uint32_t id = 0, threads = 0;  // registers; threads 0 = all
  uint32_t predicate = 0;        // reductions
  uint32_t d = 0;
};

enum class CollectiveOp : uint8_t {
  kShflUp,
  kShflDown,
  kShflBfly,
  kShflIdx,
  kVoteAll,
  kVoteAny,
  kVoteUni,
  kVoteBallot,
  kMatchAny,
  kMatchAll,
  kReduxAdd,
  kReduxMin,
  kReduxMax,
  kReduxAnd,
  kReduxOr,
  kReduxXor,
  kElect,
};

struct Collective {
  CollectiveOp op = CollectiveOp::kShflIdx;
  bool is_signed = false, wide = false;  // redux.s32; match.b64
  uint32_t d = 0, p = 0;                 // destination, predicate destination (0 = none)
  uint32_t a = 0, b = 0, c = 0;
  uint32_t member_mask = 0;  // register
};

// cp.async and the bulk copies: what starts one, groups them, and waits.
enum class AsyncOp : uint8_t { kCopy, kCommit, kWait, kArrive, kBulk, kBulkCommit, kBulkWait };

struct AsyncUse {
  AsyncOp op = AsyncOp::kCopy;
  MemoryAccess from, to, mbarrier;  // those that it has; their handlers are not set
  bool has_mbarrier = false;        // kBulk: bytes are counted there; else the copy belongs to a bulk group
  uint32_t size = 0;                // register: kBulk: bytes; kCopy: bytes that are read, or 0 = all
  uint32_t ignore_source = 0;       // kCopy: predicate, or 0: copy zeros
  uint32_t groups = 0;              // waits, a register: so many of the latest groups may still be under way
  bool ungrouped_too = false;       // wait_all
  bool sources_only = false;        // wait_group.read: what they read has been read
  bool counted_already = false;     // mbarrier.arrive.noinc
  BulkReduction reduce = nullptr;   // cp.reduce.async.bulk
};

enum class MbarrierOp : uint8_t { kInit, kInvalidate, kArrive, kArriveDrop, kExpect, kComplete, kTest, kPendingCount };

struct MbarrierUse {
  MbarrierOp op = MbarrierOp::kInit;
  MemoryAccess place;
  uint32_t d = 0;      // kArrive: the state; kTest: a predicate; kPendingCount: the count; 0: not wanted
  uint32_t count = 0;  // register; 0: one
  uint32_t bytes = 0;  // register; 0: none
  uint32_t phase = 0;  // register: the state that an arrival gave, or a parity
  bool parity = false, no_complete = false;
};

inline bool is_shuffle(const Collective& c) { return c.op <= CollectiveOp::kShflIdx; }

struct FunctionCode {
  std::string name;
  uint32_t entry = 0;           // first instruction
  uint32_t register_bytes = 0;  // of one frame
  uint32_t param_bytes = 0;     // of one lane in one frame: formal parameters, results, and call arguments
  uint64_t local_bytes = 0;     // of one lane
  std::vector<ParamSlot> params, results;
  std::vector<Preset> presets;
};

struct Program {
  std::vector<Instruction> code;
  std::vector<SourceLocation> locations;  // beside code
  std::vector<std::string> names;         // of the instructions, for diagnoses
  std::vector<InstructionCost> costs;     // of them
  std::vector<MemoryAccess> accesses;
  std::vector<CallSite> calls;
  std::vector<BarrierUse> barriers;
  std::vector<Collective> collectives;
  std::vector<AsyncUse> async;
  std::vector<MbarrierUse> mbarriers;
  std::vector<std::vector<uint32_t>> tables;  // targets of brx.idx
  std::vector<FunctionCode> functions;        // [0] is the entry
  std::vector<uint64_t> function_ids;         // beside functions: id within the device, for indirect calls
  uint32_t static_shared_bytes = 0;
  bool calls_unknown = false;       // indirect or recursive: local memory needs a real stack
  bool blocks_independent = false;  // see independence.h
  uint64_t local_bytes = 0;         // of one thread, but for open-ended calls
  std::string refusal;              // the first thing that is not supported, or empty
  SourceLocation refusal_location;
  std::string refusal_instruction;
  std::vector<std::pair<std::string, std::pair<uint32_t, uint32_t>>> shared_arrays;  // name, offset, bytes
};

// What program must know of the module's surroundings.
struct Linkage {
  // Absolute address of a module-scope .global or .const variable; 0 if there is none.
  std::function<uint64_t(const std::string&)> variable_address;
  // A function's id within the device (kFunctionWindow + 16·id is its address), and the function of a name.
  std::function<uint64_t(const std::string&)> function_id;
  std::function<const Function*(const std::string&)> find_function;
  std::function<std::vector<const Function*>()> address_taken;  // what an indirect call could reach
  // The engine's function for an access; null for a form that is not supported.
  std::function<AccessHandler(const MemoryAccess&)> access_handler;
  uint64_t param_block = 0;  // absolute address where a launch puts the kernel's parameters
};

struct ParamLayout {
  std::vector<ParamSlot> slots;
  uint32_t bytes = 0;
};
ParamLayout lay_out(const std::vector<Variable>& params, uint32_t start = 0);

// Throws PtxError for what is malformed or not supported; the message names the instruction.
std::unique_ptr<Program> link(const Module& module, const Function& entry, const Linkage& linkage);

}  // namespace lockstep
