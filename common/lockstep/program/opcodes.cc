#include "program/opcodes.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace lockstep {
namespace {

using enum Operands;
using enum Kind;
using enum Cost;
constexpr bool kWaits = true, kRuns = false;
constexpr Opcode alu(std::string_view name, Cost cost = kSimple) {
  return {name, kResultFirst, kAlu, kRuns, decode_alu, cost};
}

// clang-format off
constexpr Opcode kOpcodes[] = {
    // arithmetic, by cost: alu_table has the types and modifiers
    alu("abs"), alu("addc"), alu("bfe"), alu("bfi"), alu("bmsk"), alu("cnot"), alu("copysign"), alu("dp2a"),
    alu("dp4a"), alu("fma"), alu("fns"), alu("lop3"), alu("mad24"), alu("madc"), alu("max"), alu("min"), alu("mul24"),
    alu("neg"), alu("prmt"), alu("sad"), alu("selp"), alu("set"), alu("setp"), alu("shf"), alu("shr"), alu("slct"),
    alu("subc"), alu("szext"), alu("testp"), alu("vabsdiff2"), alu("vabsdiff4"),
    alu("add", kSum), alu("sub", kSum),
    alu("shl", kShift),
    alu("and", kLogic), alu("not", kLogic), alu("or", kLogic), alu("xor", kLogic),
    alu("mad", kMultiply), alu("mul", kMultiply),
    alu("div", kDivide), alu("rcp", kDivide), alu("rem", kDivide), alu("sqrt", kDivide),
    alu("bfind", kBitCount), alu("brev", kBitCount), alu("clz", kBitCount), alu("popc", kBitCount),
    alu("cos", kSpecial), alu("ex2", kSpecial), alu("lg2", kSpecial), alu("rsqrt", kSpecial), alu("sin", kSpecial),
    alu("tanh", kSpecial),
    alu("cvt", kConvert),
    alu("cvt.u64.u32", kFree),
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
    {"tex", kResultFirst, kTexture, kRuns, decode_fetch, kAccess},
    {"tld4", kResultFirst, kTexture, kRuns, decode_gather, kAccess},
    {"txq", kResultFirst, kTexture, kRuns, decode_texture_query, kSimple},
    {"suq", kResultFirst, kTexture, kRuns, decode_texture_query, kSimple},
    {"suld", kResultFirst, kTexture, kRuns, decode_surface_load, kAccess},
    {"sust", kStore, kTexture, kRuns, decode_surface_store, kAccess},
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
    // matrices
    {"wmma", kResultFirst, kMatrix, kWaits, decode_wmma, kSimple},
    {"mma", kResultFirst, kMatrix, kWaits, decode_mma, kSimple},
    {"ldmatrix", kResultFirst, kMatrix, kWaits, decode_ldmatrix, kSimple},
    {"stmatrix", kResultFirst, kMatrix, kWaits, decode_stmatrix, kSimple},
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
using P = Pipe;
constexpr CostByType of_every_type(InstructionCost cost) { return {cost, cost, cost, cost, cost}; }
constexpr InstructionCost kFloatCost{P::kFloat, 1, 4}, kDoubleCost{P::kDouble, 1, 8}, kToFloat{P::kSpecial, 1, 6};
constexpr CostByType kSimpleCost{{{P::kInteger, 1, 4}, {P::kInteger, 2, 6}, kFloatCost, kFloatCost, kDoubleCost}};

// In the order of Cost. The units that multiply floats also multiply integers.
// clang-format off
constexpr CostByType kCosts[] = {
    of_every_type({P::kNone, 0, 0}),      // kFree
    of_every_type({P::kNone, 1, 0}),      // kAccess
    of_every_type({P::kNone, 1, 5}),      // kControl
    of_every_type({P::kShuffle, 1, 23}),  // kShuffle
    of_every_type({P::kNone, 1, 20}),     // kVote
    of_every_type({P::kSpecial, 2, 24}),  // kSpecial
    // kConvert, kBitCount, kMultiply, kDivide: for integer, 64-bit integer, float, .approx, double
    {{{P::kInteger, 1, 6}, {P::kInteger, 1, 6}, kToFloat, kToFloat, kToFloat}},
    {{{P::kSpecial, 1, 14}, {P::kSpecial, 1, 14}, kFloatCost, kFloatCost, kDoubleCost}},
    {{{P::kFloat, 1, 5}, {P::kFloat, 4, 14}, kFloatCost, kFloatCost, kDoubleCost}},
    {{{P::kInteger, 22, 100}, {P::kInteger, 80, 400}, {P::kFloat, 10, 60}, {P::kSpecial, 2, 24},
      {P::kDouble, 12, 120}}},
    kSimpleCost, kSimpleCost, kSimpleCost, kSimpleCost};  // kSimple, kShift, kSum, kLogic
// clang-format on

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
    std::unordered_multimap<std::string_view, const Opcode*> by_opcode;
    for (const Opcode& line : kOpcodes) by_opcode.emplace(line.name.substr(0, line.name.find('.')), &line);
    return by_opcode;
  }();
  const Opcode* longest = nullptr;
  const auto [begin, end] = lines.equal_range(instruction.substr(0, instruction.find('.')));
  for (auto line = begin; line != end; ++line) {
    const std::string_view name = line->second->name,
                           rest = instruction.substr(std::min(name.size(), instruction.size()));
    const bool begins = instruction.starts_with(name) && (rest.empty() || rest[0] == '.' || rest[0] == ':');
    if (begins && (!longest || name.size() > longest->name.size())) longest = line->second;
  }
  return longest;
}

InstructionCost cost_of(std::string_view instruction) {
  const Opcode* opcode = find_opcode(instruction);
  return opcode ? kCosts[static_cast<size_t>(opcode->cost)][type_class(instruction, opcode->cost)] : InstructionCost{};
}

}  // namespace lockstep
