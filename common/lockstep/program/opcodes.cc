#include "program/opcodes.h"

#include <array>
#include <unordered_map>

namespace lockstep {
namespace {

using enum Operands;
using enum Kind;
using enum Cost;
constexpr bool kWaits = true, kRuns = false;

// clang-format off
constexpr Opcode kOpcodes[] = {
    // arithmetic: the types and modifiers stand in alu_table
    {"abs", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"add", kResultFirst, kAlu, kRuns, decode_alu, kSum},
    {"addc", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"and", kResultFirst, kAlu, kRuns, decode_alu, kLogic},
    {"bfe", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"bfi", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"bfind", kResultFirst, kAlu, kRuns, decode_alu, kBitCount},
    {"bmsk", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"brev", kResultFirst, kAlu, kRuns, decode_alu, kBitCount},
    {"clz", kResultFirst, kAlu, kRuns, decode_alu, kBitCount},
    {"cnot", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"copysign", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"cos", kResultFirst, kAlu, kRuns, decode_alu, kSpecial},
    {"cvt", kResultFirst, kAlu, kRuns, decode_alu, kConvert},
    {"cvt.u64.u32", kResultFirst, kAlu, kRuns, decode_alu, kFree},
    {"div", kResultFirst, kAlu, kRuns, decode_alu, kDivide},
    {"dp2a", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"dp4a", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"ex2", kResultFirst, kAlu, kRuns, decode_alu, kSpecial},
    {"fma", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"fns", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"lg2", kResultFirst, kAlu, kRuns, decode_alu, kSpecial},
    {"lop3", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"mad", kResultFirst, kAlu, kRuns, decode_alu, kMultiply},
    {"mad24", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"madc", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"max", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"min", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"mul", kResultFirst, kAlu, kRuns, decode_alu, kMultiply},
    {"mul24", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"neg", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"not", kResultFirst, kAlu, kRuns, decode_alu, kLogic},
    {"or", kResultFirst, kAlu, kRuns, decode_alu, kLogic},
    {"popc", kResultFirst, kAlu, kRuns, decode_alu, kBitCount},
    {"prmt", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"rcp", kResultFirst, kAlu, kRuns, decode_alu, kDivide},
    {"rem", kResultFirst, kAlu, kRuns, decode_alu, kDivide},
    {"rsqrt", kResultFirst, kAlu, kRuns, decode_alu, kSpecial},
    {"sad", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"selp", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"set", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"setp", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"shf", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"shl", kResultFirst, kAlu, kRuns, decode_alu, kShift},
    {"shr", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"sin", kResultFirst, kAlu, kRuns, decode_alu, kSpecial},
    {"slct", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"sqrt", kResultFirst, kAlu, kRuns, decode_alu, kDivide},
    {"sub", kResultFirst, kAlu, kRuns, decode_alu, kSum},
    {"subc", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"szext", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"tanh", kResultFirst, kAlu, kRuns, decode_alu, kSpecial},
    {"testp", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"vabsdiff2", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"vabsdiff4", kResultFirst, kAlu, kRuns, decode_alu, kSimple},
    {"xor", kResultFirst, kAlu, kRuns, decode_alu, kLogic},
    // moves and addresses
    {"mov", kResultFirst, kAlu, kRuns, decode_mov, kFree},
    {"cvta", kResultFirst, kAlu, kRuns, decode_cvta, kFree},
    {"isspacep", kResultFirst, kAlu, kRuns, decode_isspacep, kSimple},
    {"createpolicy", kResultFirst, kAlu, kRuns, decode_createpolicy, kSimple},
    {"mapa", kResultFirst, kAlu, kRuns, decode_mapa, kSimple},
    {"getctarank", kResultFirst, kAlu, kRuns, decode_getctarank, kSimple},
    // memory
    {"ld", kResultFirst, kMemory, kRuns, decode_load, kAccess},
    {"ld.param", kResultFirst, kMemory, kRuns, decode_load, kFree},
    {"ldu", kResultFirst, kMemory, kRuns, decode_load, kSimple},
    {"st", kStore, kMemory, kRuns, decode_store, kAccess},
    {"atom", kResultFirst, kMemory, kRuns, decode_atomic, kAccess},
    {"red", kAllRead, kMemory, kRuns, decode_atomic, kAccess},
    {"cp", kResultFirst, kAsync, kRuns, decode_async, kSimple},
    {"mbarrier", kResultFirst, kMbarrier, kWaits, decode_mbarrier, kSimple},
    {"alloca", kResultFirst, kAllocate, kRuns, decode_allocate, kSimple},
    // control flow
    {"bra", kAllRead, kBranch, kRuns, decode_branch, kControl},
    {"brx", kAllRead, kBranchIndexed, kWaits, decode_indexed_branch, kControl},
    {"call", kAllRead, kCall, kWaits, decode_call, kControl},
    {"ret", kAllRead, kReturn, kWaits, decode_return, kControl},
    {"exit", kAllRead, kExit, kRuns, decode_plain, kControl},
    {"trap", kAllRead, kTrap, kRuns, decode_plain, kSimple},
    {"brkpt", kAllRead, kTrap, kRuns, decode_plain, kSimple},
    {"nanosleep", kAllRead, kYield, kRuns, decode_plain, kSimple},
    // barriers and fences
    {"bar", kAllRead, kBarrier, kWaits, decode_barrier, kControl},
    {"bar.warp", kAllRead, kWarpBarrier, kWaits, decode_warp_barrier, kControl},
    {"barrier", kAllRead, kBarrier, kWaits, decode_barrier, kControl},
    {"barrier.cluster", kAllRead, kClusterArrive, kRuns, decode_plain, kControl},
    {"barrier.cluster.wait", kAllRead, kClusterWait, kWaits, decode_plain, kControl},
    {"fence", kAllRead, kFence, kWaits, decode_fence, kSimple},
    {"fence.proxy", kAllRead, kNothing, kRuns, decode_plain, kSimple},
    {"membar", kAllRead, kFence, kWaits, decode_fence, kSimple},
    {"membar.proxy", kAllRead, kNothing, kRuns, decode_plain, kSimple},
    // between the lanes of a warp
    {"shfl", kResultFirst, kCollective, kRuns, decode_shuffle, kShuffle},
    {"vote", kResultFirst, kCollective, kRuns, decode_vote, kVote},
    {"match", kResultFirst, kCollective, kRuns, decode_match, kVote},
    {"redux", kResultFirst, kCollective, kRuns, decode_redux, kVote},
    {"elect", kResultFirst, kCollective, kRuns, decode_elect, kVote},
    {"activemask", kResultFirst, kReadSpecial, kRuns, decode_activemask, kSimple},
    // hints
    {"applypriority", kAllRead, kNothing, kRuns, decode_plain, kSimple},
    {"discard", kAllRead, kNothing, kRuns, decode_plain, kSimple},
    {"griddepcontrol", kAllRead, kNothing, kRuns, decode_plain, kSimple},
    {"pmevent", kAllRead, kNothing, kRuns, decode_plain, kSimple},
    {"prefetch", kAllRead, kNothing, kRuns, decode_plain, kSimple},
    {"prefetchu", kAllRead, kNothing, kRuns, decode_plain, kSimple},
    {"setmaxnreg", kAllRead, kNothing, kRuns, decode_plain, kSimple},
};
// clang-format on

enum TypeClass { kInteger, kWideInteger, kFloat, kApproximateFloat, kDouble, kTypeClasses };
using CostByType = std::array<InstructionCost, kTypeClasses>;
constexpr CostByType of_every_type(InstructionCost cost) { return {cost, cost, cost, cost, cost}; }
constexpr InstructionCost kFloatCost{Pipe::kFloat, 1, 4}, kDoubleCost{Pipe::kDouble, 1, 8};
constexpr CostByType kSimpleCost = {
    {{Pipe::kInteger, 1, 4}, {Pipe::kInteger, 2, 6}, kFloatCost, kFloatCost, kDoubleCost}};

// In the order of Cost.
constexpr CostByType kCosts[] = {
    of_every_type({Pipe::kNone, 0, 0}),      // kFree
    of_every_type({Pipe::kNone, 1, 0}),      // kAccess
    of_every_type({Pipe::kNone, 1, 5}),      // kControl
    of_every_type({Pipe::kShuffle, 1, 23}),  // kShuffle
    of_every_type({Pipe::kNone, 1, 20}),     // kVote
    {{{Pipe::kInteger, 1, 6},
      {Pipe::kInteger, 1, 6},
      {Pipe::kSpecial, 1, 6},
      {Pipe::kSpecial, 1, 6},
      {Pipe::kSpecial, 1, 6}}},
    of_every_type({Pipe::kSpecial, 2, 24}),  // kSpecial
    // kBitCount
    {{{Pipe::kSpecial, 1, 14}, {Pipe::kSpecial, 1, 14}, kFloatCost, kFloatCost, kDoubleCost}},
    // kMultiply: where floats are multiplied, integers are.
    {{{Pipe::kFloat, 1, 5}, {Pipe::kFloat, 4, 14}, kFloatCost, kFloatCost, kDoubleCost}},
    // kDivide
    {{{Pipe::kInteger, 22, 100},
      {Pipe::kInteger, 80, 400},
      {Pipe::kFloat, 10, 60},
      {Pipe::kSpecial, 2, 24},
      {Pipe::kDouble, 12, 120}}},
    kSimpleCost,
    kSimpleCost,
    kSimpleCost,
    kSimpleCost};

TypeClass type_class(std::string_view instruction, Cost cost) {
  const auto has = [&](std::string_view part) { return instruction.find(part) != std::string_view::npos; };
  const std::string_view type = instruction.substr(instruction.rfind('.') + 1);
  if (cost == kConvert && has(".f")) return kFloat;  // to a float or from one
  if (type == "f64") return kDouble;
  if (type == "f32" || type.starts_with("f16") || type.starts_with("bf16"))
    return has(".approx") ? kApproximateFloat : kFloat;
  return (type.ends_with("64") && !has(".wide")) || has("64.u") || has("64.s") ? kWideInteger : kInteger;
}

}  // namespace

std::span<const Opcode> opcodes() { return kOpcodes; }

const Opcode* find_opcode(std::string_view instruction) {
  static const auto lines = [] {
    std::unordered_map<std::string_view, const Opcode*> by_name;
    for (const Opcode& opcode : kOpcodes) by_name[opcode.name] = &opcode;
    return by_name;
  }();
  for (std::string_view name = instruction; !name.empty();) {
    if (const auto line = lines.find(name); line != lines.end()) return line->second;
    const size_t end = name.find_last_of(".:");  // without the last modifier, or what stands behind "::"
    name = name.substr(0, end == std::string_view::npos ? 0 : end);
  }
  return nullptr;
}

InstructionCost cost_of(std::string_view instruction) {
  const Opcode* opcode = find_opcode(instruction);
  return opcode ? kCosts[static_cast<size_t>(opcode->cost)][type_class(instruction, opcode->cost)] : InstructionCost{};
}

}  // namespace lockstep
