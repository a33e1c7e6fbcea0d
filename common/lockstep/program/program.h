// program: a kernel and all that it can call, as one flat array of decoded instructions. Plain data: decode_program
// makes it, engine runs it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "alu/matrix.h"
#include "program/access_place.h"
#include "program/instruction.h"
#include "program/matrix_pieces.h"

namespace lockstep {

// The windows of the generic address space. No address of a process can lie there.
inline constexpr uint64_t kSharedWindow = 0x7100'0000'0000'0000;
inline constexpr uint64_t kLocalWindow = 0x7200'0000'0000'0000;
inline constexpr uint64_t kFunctionWindow = 0x7300'0000'0000'0000;  // "addresses" of device functions
inline constexpr uint64_t kWindowBytes = uint64_t{1} << 32;
inline constexpr uint32_t kFunctionAlignment = 16;  // bytes between two of them
inline constexpr uint32_t kParamAlignment = 16;     // of the block of a kernel's parameters
inline constexpr uint64_t kParamBytes = 32 << 10;   // of a kernel's parameters: PTX allows 32,764; rounded up
inline constexpr uint32_t kSharedBase = 1024;       // the system owns the first KiB of shared memory since sm_80

// What decoding needs to know about the device: the addresses and ids that it has given to the names of a loaded
// module.
struct Symbols {
  // The absolute address of a module-scope .global or .const variable; 0 if there is none.
  std::function<uint64_t(const std::string&)> variable_address;
  // A function's id within the device: its address is kFunctionWindow + kFunctionAlignment·id.
  std::function<uint64_t(const std::string&)> function_id;
  std::function<const Function*(const std::string&)> find_function;
  std::function<std::vector<const Function*>()> address_taken;  // the functions that an indirect call could reach
  // The engine's function for an access; null for a form that is not supported.
  std::function<AccessHandler(const MemoryAccess&)> access_handler;
  uint64_t param_block = 0;  // the absolute address at which a launch puts the kernel's parameters
};

// A register that is written before the kernel's first instruction (kLocalAddress: at each call).
struct Preset {
  enum Source : uint8_t { kBits, kSpecial, kLocalAddress } source = kBits;
  Width width = Width::k32;
  uint32_t offset = 0;
  uint64_t bits = 0;  // the value; the Special; the offset into the function's local variables
  // If it is the address of a variable, a parameter or a function that a card places elsewhere: where this begins, and
  // its alignment. 0: it is none, or lies in shared memory.
  uint64_t variable = 0;
  uint32_t alignment = 0;
};

struct ParamSlot {  // in the lane's parameter area of a frame
  uint32_t offset = 0, bytes = 0;
};

// The functions that the runtime provides to kernels (builtins.h).
// clang-format off
enum class Builtin : uint8_t {
  kNone, kPrintf, kAssertFail, kMalloc, kFree, kSetConditional,
  // CUDA's own runtime on the device: launches from kernels, and what belongs to them
  kParameterBuffer, kLaunch, kCreateStream, kCreateEvent, kOrder, kCopy, kFill, kCudaMalloc, kCudaFree,
  kLastError, kPeekAtLastError, kErrorName, kErrorString, kDeviceCount, kCurrentDevice, kAttribute, kVersion
};
// clang-format on
inline bool is_device_runtime(Builtin builtin) { return builtin >= Builtin::kParameterBuffer; }

struct CallSite {
  uint32_t function = kNowhere;  // index into Program::functions
  Builtin builtin = Builtin::kNone;
  uint32_t target = 0;                        // register with the function's address, if it is neither
  std::vector<ParamSlot> arguments, results;  // in the caller's frame
};

struct FunctionCode {
  std::string name;
  uint32_t entry = 0;           // first instruction
  uint32_t register_bytes = 0;  // the size of one frame's registers
  uint32_t param_bytes = 0;     // for one lane in one frame: formal parameters, results, and call arguments
  uint64_t local_bytes = 0;     // for one lane
  std::vector<ParamSlot> params, results;
  std::vector<Preset> presets;
};

// The operands of barriers, of the instructions between the lanes of a warp, and of asynchronous copies are registers;
// 0 = none.
struct BarrierUse {
  enum Op : uint8_t { kSync, kArrive, kRedPopc, kRedAnd, kRedOr } op = kSync;
  uint32_t id = 0, threads = 0;  // threads 0: all
  uint32_t predicate = 0;        // reductions
  uint32_t d = 0;
};

// clang-format off
enum class CollectiveOp : uint8_t {
  kShflUp, kShflDown, kShflBfly, kShflIdx,
  kVoteAll, kVoteAny, kVoteUni, kVoteBallot,
  kMatchAny, kMatchAll,
  kReduxAdd, kReduxMin, kReduxMax, kReduxAnd, kReduxOr, kReduxXor,
  kElect
};
// clang-format on

struct Collective {
  CollectiveOp op = CollectiveOp::kShflIdx;
  bool is_signed = false, wide = false;  // redux.s32; match.b64
  uint32_t d = 0, p = 0;                 // destination, predicate destination
  uint32_t a = 0, b = 0, c = 0;
  uint32_t member_mask = 0;
};

inline bool is_shuffle(const Collective& c) { return c.op <= CollectiveOp::kShflIdx; }

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

// kLoad, kStore: wmma. kLoadRows, kStoreRows: ldmatrix, stmatrix.
enum class MatrixOp : uint8_t { kMultiply, kLoad, kStore, kLoadRows, kStoreRows };

struct MatrixUse {
  MatrixOp op = MatrixOp::kMultiply;
  uint32_t member_mask = 0;     // all lanes
  Fragment a{}, b{}, c{}, d{};  // kMultiply: d = a b + c; else d is loaded or stored
  bool saturates = false;
  MemoryAccess access{};   // of one lane: of a piece, or a row of ldmatrix; its handler is not set
  MatrixPieces pieces{};   // wmma
  uint32_t stride = 0;     // elements between two rows, or two columns
  bool by_column = false;  // in memory
};

enum class TextureOp : uint8_t { kFetch, kGather, kQuery, kLoad, kStore };
enum class TextureGeometry : uint8_t { k1D, k2D, k3D, kLayered1D, kLayered2D, kCube, kLayeredCube };
// What a surface does outside of its bounds (PTX: .trap, .clamp, .zero).
enum class OutsideSurface : uint8_t { kTrap, kClamp, kZero };
enum class TextureQuery : uint8_t { kWidth, kHeight, kDepth, kLayers };

struct TextureUse {
  TextureOp op = TextureOp::kFetch;
  TextureGeometry geometry = TextureGeometry::k2D;
  bool whole_coordinates = false;  // .s32: an index of a texel. Surfaces: always, and the first counts bytes
  OutsideSurface outside = OutsideSurface::kTrap;
  TextureQuery query = TextureQuery::kWidth;
  uint8_t channel = 0;           // kGather
  Type type = Type::kNone;       // of a fetch's results: .f32, .s32, .u32, .f16, .f16x2
  uint32_t handle = 0;           // register
  uint32_t layer = 0;            // register; 0: none
  uint32_t coordinates[3] = {};  // registers; 0: none
  uint32_t resident = 0;         // predicate that a fetch sets; 0: none
  uint32_t access = 0;           // in Program::accesses: the registers with the data
};

// The lists that Instruction::index points into, by kind.
struct InstructionLists {
  std::vector<MemoryAccess> accesses;
  std::vector<CallSite> calls;
  std::vector<BarrierUse> barriers;
  std::vector<Collective> collectives;
  std::vector<AsyncUse> async;
  std::vector<MbarrierUse> mbarriers;
  std::vector<MatrixUse> matrices;
  std::vector<TextureUse> textures;
  std::vector<std::vector<uint32_t>> tables;  // targets of brx.idx
};

// An array of a block's shared memory.
struct SharedArray {
  std::string name, function;  // the function that declares it, demangled with its parameters; empty: none
  uint32_t offset = 0;         // of its first byte, as an address
  uint32_t bytes = 0;          // 0: the launch decides
};

// The first thing that is not supported.
struct Refusal {
  std::string message;  // empty if all is supported
  std::string instruction;
  SourceLocation location;
};

struct Program : InstructionLists {
  std::vector<Instruction> code;
  std::vector<SourceLocation> locations;  // parallel to code
  std::vector<std::string> names;         // parallel to code: the names of the instructions, for diagnoses
  std::vector<InstructionCost> costs;     // parallel to code
  std::vector<FunctionCode> functions;    // [0] is the entry
  std::vector<uint64_t> function_ids;     // parallel to functions: id within the device, for indirect calls
  uint32_t static_shared_bytes = 0;
  uint64_t local_bytes = 0;         // of one thread, without calls of unknown depth
  bool calls_unknown = false;       // indirect or recursive: local memory needs a real stack
  bool blocks_independent = false;  // see independence.h
  uint32_t neighbours = 0;          // accesses that have a neighbour (neighbours.h)
  Refusal refusal;
  std::vector<SharedArray> shared_arrays;
  std::vector<AccessPlace> access_places;  // of all accesses of global memory; in shared memory, of stores and atomics

  // Whether nobody may write what the load brings while the kernel runs (ld.global.nc).
  bool is_read_only(const MemoryAccess& load) const { return names[load.pc].find(".nc") != std::string::npos; }
};

}  // namespace lockstep
