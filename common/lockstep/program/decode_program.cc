#include "program/decode_program.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/words.h"
#include "program/access_places.h"
#include "program/builtins.h"
#include "program/dependence.h"
#include "program/function_decoder.h"
#include "program/independence.h"
#include "program/neighbours.h"

namespace lockstep {
namespace {

// The functions that this function may call, in the order of its calls.
std::vector<const Function*> callees(const Function& function, const Symbols& symbols, Program& program) {
  std::vector<const Function*> found;
  for (const Statement& s : function.body) {
    if (s.opcode() != "call") continue;
    for (const Operand& operand : s.operands) {
      if (operand.kind == Operand::kRegister && !std::exchange(program.calls_unknown, true)) {
        std::ranges::copy(symbols.address_taken(), std::back_inserter(found));
      } else if (operand.kind == Operand::kSymbol) {
        const Function* callee = symbols.find_function(operand.name);
        if (callee && !callee->is_extern && !is_of_device_runtime(operand.name)) found.push_back(callee);
      }
    }
  }
  return found;
}

// Every function that the entry can reach, the entry first. Depth first, with its own stack: a chain of calls may be
// deeper than the stack of the host.
std::vector<const Function*> reachable(const Function& entry, const Symbols& symbols, Program& program) {
  std::vector<const Function*> functions, open{&entry};
  while (!open.empty()) {
    const Function* function = open.back();
    open.pop_back();
    if (std::ranges::find(functions, function) != functions.end()) continue;
    functions.push_back(function);
    // The first call is followed first.
    std::ranges::reverse_copy(callees(*function, symbols, program), std::back_inserter(open));
  }
  return functions;
}

// Arrays of fixed size come first. All arrays whose size the launch gives begin behind them, at one offset.
void lay_out_shared(DecodeContext& context) {
  SharedLayout& shared = context.shared;
  const auto record = [&](const Variable& v, uint32_t offset) {
    const std::string name = demangled(v.name);
    const size_t scope = name.rfind("::");  // of the function that declares it
    const bool inside = scope != std::string::npos;
    context.program.shared_arrays.push_back({.name = inside ? name.substr(scope + 2) : name,
                                             .function = inside ? name.substr(0, scope) : "",
                                             .offset = offset,
                                             .bytes = static_cast<uint32_t>(v.bytes)});
  };
  std::set<std::string> mentioned;
  for (const Function* f : context.reachable) {
    for (const Variable& v : f->variables)
      if (v.space == Space::kShared) record(v, shared.function_offsets[{f, v.name}] = append(shared.end, v));
    for (const Statement& s : f->body)
      for (const Operand& operand : s.operands)
        for_each_name(operand, Operand::kSymbol, [&](const std::string& n) { mentioned.insert(n); });
  }
  std::vector<const Variable*> dynamic;
  for (const Variable& v : context.module.variables) {
    if (v.space != Space::kShared || !mentioned.contains(v.name)) continue;
    if (v.bytes == 0)
      dynamic.push_back(&v);
    else
      record(v, shared.module_offsets[v.name] = append(shared.end, v));
  }
  uint32_t alignment = 16;
  for (const Variable* v : dynamic) alignment = std::max(alignment, v->align);
  if (!dynamic.empty()) shared.end = align_up(shared.end, alignment);
  for (const Variable* v : dynamic) record(*v, shared.module_offsets[v->name] = shared.end);
  context.program.static_shared_bytes = shared.end - kSharedBase;
}

// Strong writes matter to the engine's waits only where something may wait for them.
void note_hand_overs(Program& program) {
  const auto polls = [](const MemoryAccess& access) {
    return access.may_spin && (access.op == MemoryOp::kLoad || access.op == MemoryOp::kAtomic);
  };
  if (std::ranges::none_of(program.accesses, polls)) return;
  for (MemoryAccess& access : program.accesses)
    access.hands_over =
        access.order != MemoryOrder::kWeak &&
        (access.space == Space::kGlobal || access.space == Space::kShared || access.space == Space::kGeneric);
}

}  // namespace

std::unique_ptr<Program> decode_program(const Module& module, const Function& entry, const Symbols& symbols) {
  auto program = std::make_unique<Program>();
  DecodeContext context{module, symbols, *program};
  context.reachable = reachable(entry, symbols, *program);
  lay_out_shared(context);
  program->functions.resize(context.reachable.size());
  for (uint32_t i = 0; i < context.reachable.size(); ++i) {
    program->function_ids.push_back(symbols.function_id(context.reachable[i]->name));
    FunctionDecoder(context, *context.reachable[i], i).run();
  }
  if (entry.cluster_blocks > 1) {
    program->refusal.message = Unsupported(words("clusters of more than one block are not supported"),
                                           words("run it on a GPU, or launch without clusters."))
                                   .what();
    program->refusal.instruction = ".reqnctapercluster";
    program->refusal.location.ptx_line = entry.ptx_line;
  }
  for (const FunctionCode& f : program->functions) program->local_bytes += f.local_bytes;  // the frame of each once
  note_waits(*program);
  note_hand_overs(*program);
  note_neighbours(*program);
  note_access_places(*program);
  program->blocks_independent = blocks_are_independent(*program);
  return program;
}

}  // namespace lockstep
