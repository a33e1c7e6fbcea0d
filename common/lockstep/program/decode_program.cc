#include "program/decode_program.h"

#include <algorithm>
#include <set>
#include <utility>

#include "program/dependence.h"
#include "program/function_decoder.h"
#include "program/independence.h"

namespace lockstep {
namespace {

// Every function that the entry can reach, the entry first.
class Reach {
 public:
  Reach(const Symbols& symbols, Program& program) : symbols_(symbols), program_(program) {}

  // Depth first, with its own stack: a chain of calls may be deeper than the stack of the host.
  void add(const Function& entry) {
    open_.push_back(&entry);
    while (!open_.empty()) {
      const Function* function = open_.back();
      open_.pop_back();
      if (std::find(functions.begin(), functions.end(), function) != functions.end()) continue;
      functions.push_back(function);
      const auto known = static_cast<ptrdiff_t>(open_.size());
      open_callees(*function);
      std::reverse(open_.begin() + known, open_.end());  // the first call is followed first
    }
  }

  std::vector<const Function*> functions;

 private:
  void open_callees(const Function& function) {
    for (const Statement& s : function.body) {
      if (s.opcode() != "call") continue;
      for (const Operand& operand : s.operands) {
        if (operand.kind == Operand::kRegister && !std::exchange(program_.calls_unknown, true)) {
          const auto targets = symbols_.address_taken();
          open_.insert(open_.end(), targets.begin(), targets.end());
        } else if (operand.kind == Operand::kSymbol) {
          const Function* callee = symbols_.find_function(operand.name);
          if (callee && !callee->is_extern) open_.push_back(callee);
        }
      }
    }
  }

  std::vector<const Function*> open_;
  const Symbols& symbols_;
  Program& program_;
};

// Arrays of fixed size come first. All arrays whose size the launch gives begin behind them, at one offset.
void lay_out_shared(DecodeContext& context) {
  SharedLayout& shared = context.shared;
  const auto record = [&](const Variable& v, uint32_t offset) {
    const std::string name = demangled(v.name);
    const size_t scope = name.rfind("::");  // of the function that declares it
    context.program.shared_arrays.push_back(
        {scope == std::string::npos ? name : name.substr(scope + 2), {offset, static_cast<uint32_t>(v.bytes)}});
  };
  std::set<std::string> mentioned;
  for (const Function* f : context.reachable) {
    for (const Variable& v : f->variables)
      if (v.space == Space::kShared) record(v, shared.function_offsets[{f, v.name}] = shared.reserve(v));
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
      record(v, shared.module_offsets[v.name] = shared.reserve(v));
  }
  uint32_t alignment = 16;
  for (const Variable* v : dynamic) alignment = std::max(alignment, v->align);
  if (!dynamic.empty()) shared.end = align_up(shared.end, alignment);
  for (const Variable* v : dynamic) record(*v, shared.module_offsets[v->name] = shared.end);
  context.program.static_shared_bytes = shared.end - kSharedBase;
}

// The local memory of one thread, with the frame of each function once.
uint64_t local_bytes(const Program& program) {
  uint64_t sum = 0;
  for (const FunctionCode& f : program.functions) sum += f.local_bytes;
  return sum;
}

}  // namespace

std::unique_ptr<Program> decode_program(const Module& module, const Function& entry, const Symbols& symbols) {
  auto program = std::make_unique<Program>();
  Reach reach(symbols, *program);
  reach.add(entry);
  DecodeContext context{module, symbols, *program};
  context.reachable = std::move(reach.functions);
  lay_out_shared(context);
  program->functions.resize(context.reachable.size());
  for (uint32_t i = 0; i < context.reachable.size(); ++i) {
    program->function_ids.push_back(symbols.function_id(context.reachable[i]->name));
    FunctionDecoder(context, *context.reachable[i], i).run();
  }
  if (entry.cluster_blocks > 1) {
    program->refusal.message = "clusters of more than one block are not supported";
    program->refusal.instruction = ".reqnctapercluster";
    program->refusal.location.ptx_line = entry.ptx_line;
  }
  program->local_bytes = local_bytes(*program);
  note_waits(*program);
  program->blocks_independent = blocks_are_independent(*program);
  return program;
}

}  // namespace lockstep
