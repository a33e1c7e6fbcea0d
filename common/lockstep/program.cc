#include "program.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "access.h"
#include "control_flow.h"
#include "lexer.h"

namespace lockstep {
namespace {

uint32_t align_up(uint64_t value, uint64_t alignment) {
  return static_cast<uint32_t>((value + alignment - 1) / alignment * alignment);
}

uint32_t width_bytes(Width width) {  // of a register, 32 lanes
  switch (width) {
    case Width::kNone: return 0;
    case Width::kPred: return sizeof(Mask);
    case Width::k16: return 2 * kWarpSize;
    case Width::k32: return 4 * kWarpSize;
    case Width::k64: return 8 * kWarpSize;
    case Width::k128: return 16 * kWarpSize;
  }
  return 0;
}

Width width_of(Type type) {
  if (type == Type::kPred) return Width::kPred;
  switch (type_bytes(type)) {
    case 1: case 2: return Width::k16;
    case 4: return Width::k32;
    case 8: return Width::k64;
    case 16: return Width::k128;
    default: return Width::kNone;
  }
}

const std::unordered_map<std::string, Special>& special_registers() {
  static const std::unordered_map<std::string, Special> table = {
      {"%tid.x", Special::kTidX}, {"%tid.y", Special::kTidY}, {"%tid.z", Special::kTidZ},
      {"%ntid.x", Special::kNtidX}, {"%ntid.y", Special::kNtidY}, {"%ntid.z", Special::kNtidZ},
      {"%ctaid.x", Special::kCtaidX}, {"%ctaid.y", Special::kCtaidY}, {"%ctaid.z", Special::kCtaidZ},
      {"%nctaid.x", Special::kNctaidX}, {"%nctaid.y", Special::kNctaidY}, {"%nctaid.z", Special::kNctaidZ},
      {"%laneid", Special::kLaneId}, {"%warpid", Special::kWarpId}, {"%nwarpid", Special::kNWarpId},
      {"%smid", Special::kSmId}, {"%nsmid", Special::kNSmId}, {"%gridid", Special::kGridId},
      {"%lanemask_eq", Special::kLanemaskEq}, {"%lanemask_lt", Special::kLanemaskLt},
      {"%lanemask_le", Special::kLanemaskLe}, {"%lanemask_gt", Special::kLanemaskGt},
      {"%lanemask_ge", Special::kLanemaskGe}, {"%dynamic_smem_size", Special::kDynamicSharedBytes},
      {"%total_smem_size", Special::kTotalSharedBytes}, {"%aggr_smem_size", Special::kTotalSharedBytes},
      // Without clusters every block is a cluster of its own.
      {"%clusterid.x", Special::kCtaidX}, {"%clusterid.y", Special::kCtaidY}, {"%clusterid.z", Special::kCtaidZ},
      {"%nclusterid.x", Special::kNctaidX}, {"%nclusterid.y", Special::kNctaidY}, {"%nclusterid.z", Special::kNctaidZ},
      {"%cluster_ctaid.x", Special::kZero}, {"%cluster_ctaid.y", Special::kZero}, {"%cluster_ctaid.z", Special::kZero},
      {"%cluster_nctaid.x", Special::kOne}, {"%cluster_nctaid.y", Special::kOne}, {"%cluster_nctaid.z", Special::kOne},
      {"%cluster_ctarank", Special::kZero}, {"%cluster_nctarank", Special::kOne},
      {"%envreg1", Special::kGridWorkspaceHigh}, {"%envreg2", Special::kGridWorkspaceLow},
      {"%clock", Special::kClock}, {"%clock_hi", Special::kGlobalTimerHigh}, {"%clock64", Special::kClock64},
      {"%globaltimer", Special::kGlobalTimer}, {"%globaltimer_lo", Special::kGlobalTimerLow},
      {"%globaltimer_hi", Special::kGlobalTimerHigh},
  };
  return table;
}

bool is_dynamic(Special special) { return special >= Special::kClock; }

Width special_width(Special special) {
  const bool wide = special == Special::kClock64 || special == Special::kGlobalTimer || special == Special::kGridId;
  return wide ? Width::k64 : Width::k32;
}

// ---- handlers for what only program knows how to express ----

void add_u64(std::byte* registers, const Instruction& in, Mask mask) {
  auto* d = lanes<uint64_t>(registers, in.d);
  const auto* a = lanes<uint64_t>(registers, in.a);
  const auto* b = lanes<uint64_t>(registers, in.b);
  for (int l = 0; l < kWarpSize; ++l) d[l] = mask >> l & 1 ? a[l] + b[l] : d[l];
}

// A predicate for each lane: whether its generic address lies in the window [b, b + aux·4 GiB), or in none of
// the windows (aux = 0).
void in_window(std::byte* registers, const Instruction& in, Mask mask) {
  const auto* a = lanes<uint64_t>(registers, in.a);
  const uint64_t start = *lanes<uint64_t>(registers, in.b);
  Mask result = 0;
  for (int l = 0; l < kWarpSize; ++l) {
    const bool inside = in.aux ? a[l] - start < kWindowBytes : a[l] < kSharedWindow;
    result |= static_cast<Mask>(inside) << l;
  }
  Mask& d = *lanes<Mask>(registers, in.d);
  d = (d & ~mask) | (result & mask);
}

void not_predicate(std::byte* registers, const Instruction& in, Mask) {
  *lanes<Mask>(registers, in.d) = ~*lanes<Mask>(registers, in.a);
}

// d = piece number aux of a.
template <class Whole, class Piece>
void unpack(std::byte* registers, const Instruction& in, Mask mask) {
  auto* d = lanes<Piece>(registers, in.d);
  const auto* a = lanes<Piece>(registers, in.a);
  constexpr int kPieces = sizeof(Whole) / sizeof(Piece);
  for (int l = 0; l < kWarpSize; ++l) d[l] = mask >> l & 1 ? a[l * kPieces + in.aux] : d[l];
}

// Piece number aux of d = a.
template <class Whole, class Piece>
void pack(std::byte* registers, const Instruction& in, Mask mask) {
  auto* d = lanes<Piece>(registers, in.d);
  const auto* a = lanes<Piece>(registers, in.a);
  constexpr int kPieces = sizeof(Whole) / sizeof(Piece);
  for (int l = 0; l < kWarpSize; ++l)
    if (mask >> l & 1) d[l * kPieces + in.aux] = a[l];
}

struct Uint128 { uint64_t low, high; };

AluHandler select_pack(Width whole, Width piece, bool to_whole) {
  if (whole == Width::k32 && piece == Width::k16) return to_whole ? pack<uint32_t, uint16_t> : unpack<uint32_t, uint16_t>;
  if (whole == Width::k64 && piece == Width::k16) return to_whole ? pack<uint64_t, uint16_t> : unpack<uint64_t, uint16_t>;
  if (whole == Width::k64 && piece == Width::k32) return to_whole ? pack<uint64_t, uint32_t> : unpack<uint64_t, uint32_t>;
  if (whole == Width::k128 && piece == Width::k64) return to_whole ? pack<Uint128, uint64_t> : unpack<Uint128, uint64_t>;
  if (whole == Width::k128 && piece == Width::k32) return to_whole ? pack<Uint128, uint32_t> : unpack<Uint128, uint32_t>;
  return nullptr;
}

// What an instruction may not be: thrown while one statement is decoded, and kept as the program's refusal.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// ---- the whole program ----

struct SharedLayout {
  std::unordered_map<std::string, uint32_t> module_offsets;  // module-scope arrays
  std::map<std::pair<const Function*, std::string>, uint32_t> function_offsets;
  uint32_t end = kSharedBase;

  uint32_t place(const Variable& v) {
    const uint32_t offset = align_up(end, std::max<uint32_t>(v.align, 1));
    end = offset + static_cast<uint32_t>(v.bytes);
    return offset;
  }
};

bool is_builtin(const std::string& name, Builtin* builtin) {
  static const std::unordered_map<std::string, Builtin> table = {{"vprintf", Builtin::kPrintf},
                                                                 {"__assertfail", Builtin::kAssertFail},
                                                                 {"malloc", Builtin::kMalloc},
                                                                 {"free", Builtin::kFree}};
  const auto found = table.find(name);
  if (found == table.end()) return false;
  *builtin = found->second;
  return true;
}

// The names an operand mentions, nested ones too.
template <class Visit>
void for_each_name(const Operand& operand, Operand::Kind kind, const Visit& visit) {
  if (operand.kind == kind) visit(operand.name);
  for (const Operand& element : operand.elements) for_each_name(element, kind, visit);
}

class FunctionDecoder;

class Linker {
 public:
  Linker(const Module& module, const Function& entry, const Linkage& linkage) : module_(module), linkage_(linkage) {
    program_ = std::make_unique<Program>();
    reach(entry);
  }

  std::unique_ptr<Program> run();

  uint32_t index_of(const std::string& name) const {
    for (uint32_t i = 0; i < reachable_.size(); ++i)
      if (reachable_[i]->name == name) return i;
    return kNowhere;
  }

  const Module& module_;
  const Linkage& linkage_;
  std::unique_ptr<Program> program_;
  SharedLayout shared_;

 private:
  void reach(const Function& function);
  void lay_out_shared();
  void measure_local();

  std::vector<const Function*> reachable_;
};

void Linker::reach(const Function& function) {
  if (std::find(reachable_.begin(), reachable_.end(), &function) != reachable_.end()) return;
  reachable_.push_back(&function);
  for (const Statement& s : function.body) {
    if (s.opcode != "call") continue;
    for (const Operand& operand : s.operands) {
      if (operand.kind == Operand::kRegister) {
        program_->calls_unknown = true;
        for (const Function* target : linkage_.address_taken()) reach(*target);
      } else if (operand.kind == Operand::kSymbol) {
        const Function* callee = linkage_.find_function(operand.name);
        if (callee && !callee->is_extern) reach(*callee);
      }
    }
  }
}

void Linker::lay_out_shared() {
  const auto record = [&](const Variable& v, uint32_t offset) {
    program_->shared_arrays.push_back({v.name, {offset, static_cast<uint32_t>(v.bytes)}});
  };
  std::set<std::string> mentioned;
  for (const Function* f : reachable_) {
    for (const Variable& v : f->variables)
      if (v.space == Space::kShared) record(v, shared_.function_offsets[{f, v.name}] = shared_.place(v));
    for (const Statement& s : f->body)
      for (const Operand& operand : s.operands) 
        for_each_name(operand, Operand::kSymbol, [&](const std::string& n) { mentioned.insert(n); });
  }
  std::vector<const Variable*> dynamic;
  for (const Variable& v : module_.variables) {
    if (v.space != Space::kShared || !mentioned.contains(v.name)) continue;
    if (v.bytes == 0) dynamic.push_back(&v);
    else record(v, shared_.module_offsets[v.name] = shared_.place(v));
  }
  uint32_t alignment = 16;
  for (const Variable* v : dynamic) alignment = std::max(alignment, v->align);
  if (!dynamic.empty()) shared_.end = align_up(shared_.end, alignment);
  for (const Variable* v : dynamic) record(*v, shared_.module_offsets[v->name] = shared_.end);
  program_->static_shared_bytes = shared_.end - kSharedBase;
}

// One thread's local memory: the frames of the deepest chain of calls, which recursion and indirect calls leave
// open; then a stack of the size CUDA gives by default for each such chain.
void Linker::measure_local() {
  constexpr uint64_t kOpenEndedStack = 16 << 10;
  uint64_t sum = 0;
  for (const FunctionCode& f : program_->functions) sum += f.local_bytes;
  program_->local_bytes_per_thread = align_up(sum + (program_->calls_unknown ? kOpenEndedStack : 0), 16);
}

// ---- one function ----

class FunctionDecoder {
 public:
  FunctionDecoder(Linker& linker, const Function& function, uint32_t index)
      : linker_(linker), function_(function), program_(*linker.program_), code_(program_.functions[index]), index_(index) {}

  void run();

 private:
  struct Register {
    Type type;
    uint32_t offset = 0;  // 0 until first used
  };

  void lay_out_variables();
  void note_reads(const Statement& s);
  void decode(const Statement& s, uint32_t reconvergence);
  Instruction& emit(const Statement& s, Kind kind);
  void emit_alu(const Statement& s, AluHandler handler, uint32_t d, uint32_t a, uint32_t b = 0, uint32_t aux = 0);
  void place_labels();

  // Registers and constants.
  uint32_t allocate(Width width);
  Register* find_register(const std::string& name);
  uint32_t constant(Width width, uint64_t bits) { return preset(Preset::kBits, width, bits); }
  uint32_t preset(Preset::Source source, Width width, uint64_t bits);
  Width width_of_operand(const Operand& operand);
  uint32_t source(const Statement& s, const Operand& operand, Width width, Type literal);
  uint32_t predicate(const Statement& s, const Operand& operand);
  uint32_t destination(const Operand& operand);
  uint64_t immediate_bits(const Operand& operand, Type literal) const;
  uint32_t symbol(const Operand& operand, Width width);

  // One function per group of instructions.
  void decode_alu(const Statement& s);
  void decode_mov(const Statement& s);
  void decode_pack(const Statement& s);
  void decode_cvta(const Statement& s);
  void decode_isspacep(const Statement& s);
  void decode_memory(const Statement& s, MemoryOp op);
  void decode_atomic(MemoryAccess& access, const Statement& s);
  void place_address(MemoryAccess& access, const Statement& s, const Operand& address);
  void decode_branch(const Statement& s, uint32_t reconvergence);
  void decode_call(const Statement& s);
  void decode_barrier(const Statement& s);
  void decode_collective(const Statement& s);
  void decode_warp_barrier(const Statement& s);
  void decode_activemask(const Statement& s);
  bool is_formal(const std::string& name) const;
  ParamSlot param_slot(const std::string& name) const;

  Linker& linker_;
  const Function& function_;
  Program& program_;
  FunctionCode& code_;
  uint32_t index_;
  std::unordered_map<std::string, Register> registers_;
  std::set<std::string> read_registers_;  // by any instruction of the function
  std::map<std::tuple<int, int, uint64_t>, uint32_t> presets_;
  std::unordered_map<std::string, uint64_t> locals_;
  std::unordered_map<std::string, ParamSlot> params_;
  std::unordered_map<std::string, uint32_t> labels_;          // → pc
  std::vector<uint32_t> statement_pc_;
  std::vector<std::pair<uint32_t, std::string>> branches_;    // pc, label: to be patched
  std::vector<std::pair<uint32_t, uint32_t>> meetings_;       // pc, statement: to be patched
  std::vector<std::pair<uint32_t, std::vector<std::string>>> tables_;
};

void FunctionDecoder::run() {
  code_.name = function_.name;
  code_.entry = static_cast<uint32_t>(program_.code.size());
  code_.register_bytes = 64;  // offset 0 is never a register, 8 is the carry; then aligned for vector loads
  for (const RegisterDeclaration& r : function_.registers) registers_[r.name] = {r.type};
  lay_out_variables();
  for (const Statement& s : function_.body) note_reads(s);
  const std::vector<uint32_t> points = reconvergence_points(function_);
  std::vector<bool> meets(function_.body.size() + 1, false);
  for (const uint32_t p : points)
    if (p != kNowhere) meets[p] = true;
  for (uint32_t i = 0; i < function_.body.size(); ++i) {
    const Statement& s = function_.body[i];
    statement_pc_.push_back(static_cast<uint32_t>(program_.code.size()));
    if (meets[i]) emit(s, Kind::kJoin);
    if (!s.label.empty()) {
      labels_[s.label] = statement_pc_.back();
      continue;
    }
    try {
      decode(s, points[i]);
    } catch (const Unsupported& error) {
      if (program_.refusal.empty()) {
        program_.refusal = error.what();
        program_.refusal_location = s.location;
        program_.refusal_instruction = s.full_name();
      }
    }
  }
  Statement end;
  end.opcode = index_ == 0 ? "exit" : "ret";
  emit(end, index_ == 0 ? Kind::kExit : Kind::kReturn);
  place_labels();
}

void FunctionDecoder::note_reads(const Statement& s) {
  static const std::set<std::string> only_reads = {"st", "red", "bra", "brx", "call", "bar", "barrier", "nanosleep"};
  const size_t destinations = only_reads.contains(s.opcode) ? 0 : s.dual_destination ? 2 : 1;
  for (size_t i = 0; i < s.operands.size(); ++i)
    if (i >= destinations || s.operands[i].kind == Operand::kAddress)
      for_each_name(s.operands[i], Operand::kRegister, [&](const std::string& name) { read_registers_.insert(name); });
}

void FunctionDecoder::place_labels() {
  for (const auto& [pc, label] : branches_) program_.code[pc].immediate = labels_.at(label);
  for (const auto& [pc, statement] : meetings_) program_.code[pc].extra = statement_pc_[statement];
  for (const auto& [table, names] : tables_)
    for (const std::string& name : names) program_.tables[table].push_back(labels_.at(name));
}

// Where the frame keeps what is not in registers: parameters and call arguments, and local variables.
void FunctionDecoder::lay_out_variables() {
  uint64_t local_end = 0;
  if (index_ == 0) {
    ParamLayout layout = lay_out(function_.params);
    code_.params = layout.slots;
    for (size_t i = 0; i < layout.slots.size(); ++i) params_[function_.params[i].name] = layout.slots[i];
  } else {
    ParamLayout formal = lay_out(function_.params);
    ParamLayout results = lay_out(function_.results, formal.bytes);
    code_.params = formal.slots;
    code_.results = results.slots;
    code_.param_bytes = results.bytes;
    for (size_t i = 0; i < formal.slots.size(); ++i) params_[function_.params[i].name] = formal.slots[i];
    for (size_t i = 0; i < results.slots.size(); ++i) params_[function_.results[i].name] = results.slots[i];
  }
  for (const Variable& v : function_.variables) {
    if (v.space == Space::kLocal) {
      local_end = align_up(local_end, std::max<uint32_t>(v.align, 1));
      locals_[v.name] = local_end;
      local_end += v.bytes;
    } else if (v.space == Space::kParam) {
      code_.param_bytes = align_up(code_.param_bytes, std::max<uint32_t>(v.align, 1));
      params_[v.name] = {code_.param_bytes, static_cast<uint32_t>(v.bytes)};
      code_.param_bytes += static_cast<uint32_t>(v.bytes);
    }
  }
  code_.param_bytes = align_up(code_.param_bytes, 16);
  code_.local_bytes = align_up(local_end, 16);
}

Instruction& FunctionDecoder::emit(const Statement& s, Kind kind) {
  Instruction in;
  in.kind = kind;
  in.uncounted = kind == Kind::kJoin;
  if (!s.guard.empty() && kind != Kind::kJoin) {
    Register* guard = find_register(s.guard);
    if (!guard) throw PtxError(s.location.ptx_line, "no predicate '" + s.guard + "'");
    in.guard = guard->offset;
    in.guard_negated = s.guard_negated;
  }
  program_.code.push_back(in);
  program_.locations.push_back(s.location);
  program_.names.push_back(s.full_name());
  return program_.code.back();
}

void FunctionDecoder::emit_alu(const Statement& s, AluHandler handler, uint32_t d, uint32_t a, uint32_t b, uint32_t aux) {
  Instruction& in = emit(s, Kind::kAlu);
  in.alu = handler;
  in.d = d;
  in.a = a;
  in.b = b;
  in.aux = aux;
}

uint32_t FunctionDecoder::allocate(Width width) {
  const uint32_t bytes = std::max<uint32_t>(width_bytes(width), 8);
  const uint32_t offset = align_up(code_.register_bytes, std::min<uint32_t>(bytes, 64));
  code_.register_bytes = offset + bytes;
  return offset;
}

FunctionDecoder::Register* FunctionDecoder::find_register(const std::string& name) {
  const auto found = registers_.find(name);
  if (found == registers_.end()) return nullptr;
  if (found->second.offset == 0) found->second.offset = allocate(width_of(found->second.type));
  return &found->second;
}

uint32_t FunctionDecoder::preset(Preset::Source from, Width width, uint64_t bits) {
  uint32_t& offset = presets_[{from, static_cast<int>(width), bits}];
  if (offset == 0) {
    offset = allocate(width);
    code_.presets.push_back({from, width, offset, bits});
  }
  return offset;
}

Width FunctionDecoder::width_of_operand(const Operand& operand) {
  if (operand.kind != Operand::kRegister) return Width::kNone;
  if (const auto special = special_registers().find(operand.name); special != special_registers().end())
    return special_width(special->second);
  const Register* r = find_register(operand.name);
  return r ? width_of(r->type) : Width::kNone;
}

uint64_t FunctionDecoder::immediate_bits(const Operand& operand, Type literal) const {
  const bool wants_f32 = literal == Type::kF32, wants_f64 = literal == Type::kF64;
  if (operand.kind == Operand::kDouble && wants_f32)
    return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
  if (operand.kind == Operand::kFloat && wants_f64)
    return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(operand.bits))));
  return operand.bits;
}

// The place of a variable or function, as a register that holds its address.
uint32_t FunctionDecoder::symbol(const Operand& operand, Width width) {
  const auto addend = static_cast<uint64_t>(operand.offset);
  if (const auto local = locals_.find(operand.name); local != locals_.end())
    return preset(Preset::kLocalAddress, width, local->second + addend);
  if (const auto own = linker_.shared_.function_offsets.find({&function_, operand.name});
      own != linker_.shared_.function_offsets.end())
    return constant(width, own->second + addend);
  if (const auto shared = linker_.shared_.module_offsets.find(operand.name); shared != linker_.shared_.module_offsets.end())
    return constant(width, shared->second + addend);
  if (index_ == 0)
    if (const auto param = params_.find(operand.name); param != params_.end() && is_formal(operand.name))
      return constant(width, linker_.linkage_.param_block + param->second.offset + addend);
  if (const uint64_t address = linker_.linkage_.variable_address(operand.name)) return constant(width, address + addend);
  if (linker_.linkage_.find_function(operand.name))
    return constant(width, kFunctionWindow + 16 * linker_.linkage_.function_id(operand.name));
  throw Unsupported("the address of '" + operand.name + "' is not known here");
}

bool FunctionDecoder::is_formal(const std::string& name) const {
  return std::any_of(function_.params.begin(), function_.params.end(), [&](const Variable& v) { return v.name == name; });
}

uint32_t FunctionDecoder::predicate(const Statement& s, const Operand& operand) {
  uint32_t offset = 0;
  if (operand.kind == Operand::kInteger) {
    offset = constant(Width::kPred, operand.bits ? kFullMask : 0);
  } else {
    Register* r = find_register(operand.name);
    if (!r || r->type != Type::kPred) throw PtxError(s.location.ptx_line, "'" + operand.name + "' is no predicate");
    offset = r->offset;
  }
  if (!operand.negated) return offset;
  const uint32_t inverse = allocate(Width::kPred);
  emit_alu(s, not_predicate, inverse, offset);
  program_.code.back().uncounted = true;
  return inverse;
}

uint32_t FunctionDecoder::source(const Statement& s, const Operand& operand, Width width, Type literal) {
  switch (operand.kind) {
    case Operand::kRegister: {
      if (const auto special = special_registers().find(operand.name); special != special_registers().end()) {
        if (is_dynamic(special->second)) throw Unsupported("'" + operand.name + "' can only be read by mov");
        return preset(Preset::kSpecial, special_width(special->second), static_cast<uint64_t>(special->second));
      }
      if (width == Width::kPred) return predicate(s, operand);
      if (Register* r = find_register(operand.name)) return r->offset;
      throw operand.name[0] == '%' ? Unsupported("the register '" + operand.name + "' is not known")
                                   : Unsupported("'" + operand.name + "' is not declared");
    }
    case Operand::kInteger: case Operand::kFloat: case Operand::kDouble:
      if (width == Width::kPred) return predicate(s, operand);
      return constant(width, immediate_bits(operand, literal));
    case Operand::kSymbol: return symbol(operand, width);
    default: throw Unsupported("an operand of this form is not supported here");
  }
}

uint32_t FunctionDecoder::destination(const Operand& operand) {
  if (operand.kind == Operand::kSink) return 0;
  Register* r = operand.kind == Operand::kRegister ? find_register(operand.name) : nullptr;
  if (!r) throw Unsupported("the destination '" + operand.name + "' is no register");
  return r->offset;
}

// ---- arithmetic ----

void FunctionDecoder::decode_alu(const Statement& s) {
  std::array<Width, 6> widths{};
  for (size_t i = 0; i < std::min(widths.size(), s.operands.size()); ++i) widths[i] = width_of_operand(s.operands[i]);
  const std::optional<AluChoice> choice = select_alu(s, widths);
  if (!choice) throw Unsupported("the instruction is not supported");
  const size_t first = s.dual_destination ? 2 : 1;
  std::array<uint32_t, 4> sources{};
  for (size_t i = 0; i < sources.size() && first + i < s.operands.size(); ++i)
    sources[i] = source(s, s.operands[first + i], choice->sources[i], choice->source_types[i]);
  uint32_t d = destination(s.operands[0]);
  if (d == 0) d = allocate(choice->d);  // "_": computed and forgotten
  const uint32_t d2 = s.dual_destination ? destination(s.operands[1]) : 0;
  Instruction& in = emit(s, Kind::kAlu);
  in.alu = choice->handler;
  in.d = d;
  in.d2 = d2;
  in.a = sources[0], in.b = sources[1], in.c = sources[2], in.e = sources[3];
  in.aux = choice->aux;
}

void FunctionDecoder::decode_mov(const Statement& s) {
  if (s.operands.at(0).kind == Operand::kVector || s.operands.at(1).kind == Operand::kVector) return decode_pack(s);
  const Operand& from = s.operands[1];
  if (from.kind == Operand::kRegister) {
    const auto special = special_registers().find(from.name);
    if (special != special_registers().end() && is_dynamic(special->second)) {
      const uint32_t d = destination(s.operands[0]);
      Instruction& in = emit(s, Kind::kReadSpecial);
      in.d = d;
      in.immediate = static_cast<uint32_t>(special->second);
      return;
    }
  }
  decode_alu(s);
}

void FunctionDecoder::decode_pack(const Statement& s) {
  const bool to_whole = s.operands[1].kind == Operand::kVector;
  const Operand& vector = s.operands[to_whole ? 1 : 0];
  const Operand& whole = s.operands[to_whole ? 0 : 1];
  const Width whole_width = width_of(type_from_name(s.modifiers.back()));
  const uint32_t bytes = width_bytes(whole_width) / static_cast<uint32_t>(vector.elements.size());
  const Width piece = bytes == 64 ? Width::k16 : bytes == 128 ? Width::k32 : Width::k64;
  const AluHandler handler = select_pack(whole_width, piece, to_whole);
  if (!handler) throw Unsupported("a vector of this size is not supported");
  const uint32_t whole_register = to_whole ? destination(whole) : source(s, whole, whole_width, Type::kNone);
  bool counted = true;
  for (uint32_t i = 0; i < vector.elements.size(); ++i) {
    const Operand& element = vector.elements[i];
    if (element.kind == Operand::kSink) continue;
    const uint32_t r = to_whole ? source(s, element, piece, Type::kNone) : destination(element);
    emit_alu(s, handler, to_whole ? whole_register : r, to_whole ? r : whole_register, 0, i);
    program_.code.back().uncounted = !std::exchange(counted, false);
  }
}

uint64_t window_of(const Statement& s) {
  if (s.has("shared") || s.has("shared::cta")) return kSharedWindow;
  if (s.has("local")) return kLocalWindow;
  return 0;
}

void FunctionDecoder::decode_cvta(const Statement& s) {
  const bool to_space = s.has("to");
  const uint64_t window = window_of(s);
  const uint32_t a = source(s, s.operands.at(1), Width::k64, Type::kU64);
  emit_alu(s, add_u64, destination(s.operands[0]), a, constant(Width::k64, to_space ? -window : window));
}

void FunctionDecoder::decode_isspacep(const Statement& s) {
  const uint64_t window = window_of(s);
  const uint32_t a = source(s, s.operands.at(1), Width::k64, Type::kU64);
  emit_alu(s, in_window, destination(s.operands[0]), a, constant(Width::k64, window), window != 0);
}

// ---- memory ----

ParamSlot FunctionDecoder::param_slot(const std::string& name) const {
  const auto found = params_.find(name);
  if (found == params_.end()) throw Unsupported("the parameter '" + name + "' is not known here");
  return found->second;
}

const std::set<std::string>& memory_hints() {
  static const std::set<std::string> hints = {"weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc",  "mmio",
                                              "cta",  "cluster",  "gpu",     "sys",     "ca",      "cg",      "cs",  "lu",
                                              "cv",   "wb",       "wt",      "nc",      "noftz",   "unified", "v2",  "v4",
                                              "v8"};
  return hints;
}

Space space_of(const std::string& m) {
  if (m == "global") return Space::kGlobal;
  if (m == "shared" || m == "shared::cta") return Space::kShared;
  if (m == "local") return Space::kLocal;
  if (m == "const") return Space::kConst;
  if (m == "param" || m == "param::entry" || m == "param::func") return Space::kParam;
  return Space::kGeneric;
}

void FunctionDecoder::place_address(MemoryAccess& access, const Statement& s, const Operand& address) {
  if (address.kind != Operand::kAddress) throw PtxError(s.location.ptx_line, "an address is expected");
  const Operand& base = address.elements[0];
  access.offset = address.offset;
  if (base.kind == Operand::kInteger) {
    access.offset += static_cast<int64_t>(base.bits);
  } else if (base.kind == Operand::kSymbol && access.space == Space::kParam) {
    access.offset += param_slot(base.name).offset;
    const bool kernel_parameter = index_ == 0 && is_formal(base.name);
    if (kernel_parameter) access.offset += static_cast<int64_t>(linker_.linkage_.param_block);
    access.space = kernel_parameter ? Space::kConst : Space::kParam;
  } else {
    access.base = source(s, base, Width::k64, Type::kU64);
    access.wide_base = base.kind == Operand::kSymbol || width_of_operand(base) == Width::k64;
    if (access.space == Space::kParam) access.space = Space::kConst;  // a kernel's parameter through its address
  }
}

void FunctionDecoder::decode_memory(const Statement& s, MemoryOp op) {
  MemoryAccess access;
  access.op = op;
  access.type = type_from_name(s.modifiers.back());
  if (access.type == Type::kNone) throw Unsupported("the type '." + s.modifiers.back() + "' is not supported");
  access.bytes = static_cast<uint8_t>(type_bytes(access.type));
  for (const std::string& m : s.modifiers) {
    if (const Space space = space_of(m); space != Space::kGeneric) access.space = space;
    else if (m.starts_with("L1::") || m.starts_with("L2::") || memory_hints().contains(m) || type_from_name(m) != Type::kNone) {}
    else if (op == MemoryOp::kLoad || op == MemoryOp::kStore) throw Unsupported("'." + m + "' is not supported");
  }
  access.may_spin = s.has("volatile") || s.has("relaxed") || s.has("acquire");
  const bool first_is_address = op == MemoryOp::kStore || op == MemoryOp::kReduction;
  place_address(access, s, s.operands.at(first_is_address ? 0 : 1));
  if (op == MemoryOp::kAtomic || op == MemoryOp::kReduction) {
    decode_atomic(access, s);
  } else {
    const Operand& data = s.operands[op == MemoryOp::kLoad ? 0 : 1];
    const std::vector<Operand> scalar{data};
    const auto& list = data.kind == Operand::kVector ? data.elements : scalar;
    if (list.size() > std::size(access.registers)) throw Unsupported("vectors of more than four elements are not supported");
    access.count = static_cast<uint8_t>(list.size());
    access.register_width = width_of(access.type);
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].kind == Operand::kRegister) access.register_width = width_of_operand(list[i]);
      access.registers[i] = op == MemoryOp::kLoad ? destination(list[i]) : source(s, list[i], access.register_width, access.type);
    }
  }
  access.handler = select_access(access);
  if (!access.handler) throw Unsupported("this form of the instruction is not supported");
  const auto index = static_cast<uint32_t>(program_.accesses.size());
  Instruction& in = emit(s, Kind::kMemory);
  in.extra = index;
  access.pc = static_cast<uint32_t>(program_.code.size() - 1);
  access.index = index;
  program_.accesses.push_back(access);
}

// atom d, [a], b {, c} and red [a], b.
void FunctionDecoder::decode_atomic(MemoryAccess& access, const Statement& s) {
  static const std::unordered_map<std::string, AtomicOp> ops = {
      {"add", AtomicOp::kAdd}, {"min", AtomicOp::kMin}, {"max", AtomicOp::kMax}, {"inc", AtomicOp::kInc}, {"dec", AtomicOp::kDec},
      {"and", AtomicOp::kAnd}, {"or", AtomicOp::kOr}, {"xor", AtomicOp::kXor}, {"exch", AtomicOp::kExch}, {"cas", AtomicOp::kCas}};
  bool found = false;
  for (const std::string& m : s.modifiers)
    if (const auto op = ops.find(m); op != ops.end()) access.atomic = op->second, found = true;
  if (!found) throw Unsupported("the atomic operation is not supported");
  const size_t b = access.op == MemoryOp::kAtomic ? 2 : 1;
  access.register_width = width_of(access.type);
  // nvcc writes atom also where nobody reads the result; ptxas makes a reduction of it, and so do we.
  const bool has_result = access.op == MemoryOp::kAtomic && read_registers_.contains(s.operands[0].name);
  if (has_result) access.registers[0] = destination(s.operands[0]);
  else if (access.atomic != AtomicOp::kExch && access.atomic != AtomicOp::kCas) access.op = MemoryOp::kReduction;
  access.registers[1] = source(s, s.operands.at(b), access.register_width, access.type);
  if (access.atomic == AtomicOp::kCas) access.operand2 = source(s, s.operands.at(b + 1), access.register_width, access.type);
  access.may_spin |= has_result;
  access.literal_one = !has_result && access.atomic == AtomicOp::kAdd && s.operands[b].kind == Operand::kInteger && s.operands[b].bits == 1;
}

// ---- control ----

void FunctionDecoder::decode_branch(const Statement& s, uint32_t reconvergence) {
  const auto pc = static_cast<uint32_t>(program_.code.size());
  if (s.opcode == "bra") {
    Instruction& in = emit(s, Kind::kBranch);
    in.extra = kNowhere;
    branches_.emplace_back(pc, s.operands.at(0).name);
  } else {
    const auto targets = function_.branch_targets.find(s.operands.at(1).name);
    if (targets == function_.branch_targets.end()) throw Unsupported("the branch's targets are not declared");
    const uint32_t index = source(s, s.operands[0], Width::k32, Type::kU32);
    Instruction& in = emit(s, Kind::kBranchIndexed);
    in.a = index;
    in.immediate = static_cast<uint32_t>(program_.tables.size());
    in.extra = kNowhere;
    tables_.emplace_back(in.immediate, targets->second);
    program_.tables.emplace_back();
  }
  if (reconvergence != kNowhere) meetings_.emplace_back(pc, reconvergence);
}

// call (results), target, (arguments) [, prototype]
void FunctionDecoder::decode_call(const Statement& s) {
  CallSite call;
  bool have_target = false;
  for (const Operand& operand : s.operands) {
    if (operand.kind == Operand::kList) {
      auto& list = have_target ? call.arguments : call.results;
      for (const Operand& element : operand.elements) list.push_back(param_slot(element.name));
    } else if (!have_target) {
      have_target = true;
      if (operand.kind == Operand::kRegister) call.target = source(s, operand, Width::k64, Type::kU64);
      else if (call.function = linker_.index_of(operand.name); call.function == kNowhere && !is_builtin(operand.name, &call.builtin))
        throw Unsupported("the function '" + operand.name + "' is not defined in this program");
    }
  }
  if (call.function != kNowhere && call.function <= index_) program_.calls_unknown = true;  // perhaps recursive
  Instruction& in = emit(s, Kind::kCall);
  in.immediate = static_cast<uint32_t>(program_.calls.size());
  program_.calls.push_back(call);
  Statement after = s;
  after.guard.clear();
  emit(after, Kind::kJoin);  // where the lanes that called are together again
}

// bar / barrier {.cta} .sync .arrive .red.{popc,and,or}  [d,] a {, b} {, p}
void FunctionDecoder::decode_barrier(const Statement& s) {
  BarrierUse use;
  size_t at = 0;
  if (s.has("arrive")) use.op = BarrierUse::kArrive;
  if (s.has("red")) {
    use.op = s.has("popc") ? BarrierUse::kRedPopc : s.has("and") ? BarrierUse::kRedAnd : BarrierUse::kRedOr;
    use.d = destination(s.operands.at(at++));
  }
  if (s.opcode == "barrier" && s.has("cluster")) throw Unsupported("clusters are not supported");
  use.id = source(s, s.operands.at(at++), Width::k32, Type::kU32);
  const size_t predicates = s.has("red") ? 1 : 0;
  if (at + predicates < s.operands.size()) use.threads = source(s, s.operands[at++], Width::k32, Type::kU32);
  if (predicates) use.predicate = source(s, s.operands.at(at), Width::kPred, Type::kPred);
  Instruction& in = emit(s, Kind::kBarrier);
  in.immediate = static_cast<uint32_t>(program_.barriers.size());
  program_.barriers.push_back(use);
}

void FunctionDecoder::decode_collective(const Statement& s) {
  Collective c;
  const auto& o = s.operands;
  const size_t first = s.dual_destination ? 2 : 1;
  const auto op = [&](const char* modifier, CollectiveOp value) { if (s.has(modifier)) c.op = value; };
  c.d = destination(o.at(0));
  if (s.dual_destination) c.p = destination(o[1]);
  const auto word = [&](size_t i) { return source(s, o.at(i), Width::k32, Type::kB32); };
  if (s.opcode == "shfl") {
    op("up", CollectiveOp::kShflUp), op("down", CollectiveOp::kShflDown);
    op("bfly", CollectiveOp::kShflBfly), op("idx", CollectiveOp::kShflIdx);
    c.a = word(first), c.b = word(first + 1), c.c = word(first + 2);
    c.member_mask = s.has("sync") ? word(first + 3) : 0;
  } else if (s.opcode == "vote") {
    op("all", CollectiveOp::kVoteAll), op("any", CollectiveOp::kVoteAny);
    op("uni", CollectiveOp::kVoteUni), op("ballot", CollectiveOp::kVoteBallot);
    c.a = source(s, o.at(1), Width::kPred, Type::kPred);
    c.member_mask = s.has("sync") ? word(2) : 0;
  } else if (s.opcode == "match") {
    op("any", CollectiveOp::kMatchAny), op("all", CollectiveOp::kMatchAll);
    c.wide = s.has("b64");
    c.a = source(s, o.at(first), c.wide ? Width::k64 : Width::k32, c.wide ? Type::kB64 : Type::kB32);
    c.member_mask = word(first + 1);
  } else if (s.opcode == "redux") {
    op("add", CollectiveOp::kReduxAdd), op("min", CollectiveOp::kReduxMin), op("max", CollectiveOp::kReduxMax);
    op("and", CollectiveOp::kReduxAnd), op("or", CollectiveOp::kReduxOr), op("xor", CollectiveOp::kReduxXor);
    if (s.has("f32")) throw Unsupported("redux of floats is not supported");
    c.is_signed = s.has("s32");
    c.a = word(1), c.member_mask = word(2);
  } else {  // elect.sync d|p, mask
    c.op = CollectiveOp::kElect;
    c.member_mask = word(first);
  }
  Instruction& in = emit(s, Kind::kCollective);
  in.immediate = static_cast<uint32_t>(program_.collectives.size());
  program_.collectives.push_back(c);
}

void FunctionDecoder::decode(const Statement& s, uint32_t reconvergence) {
  static const std::set<std::string> nothing = {"membar", "fence", "prefetch", "prefetchu", "griddepcontrol", "discard",
                                                "applypriority", "setmaxnreg", "pmevent"};
  const std::string& op = s.opcode;
  if (op == "mov") decode_mov(s);
  else if (op == "cvta") decode_cvta(s);
  else if (op == "isspacep") decode_isspacep(s);
  else if (op == "ld" || op == "ldu") decode_memory(s, MemoryOp::kLoad);
  else if (op == "st") decode_memory(s, MemoryOp::kStore);
  else if (op == "atom") decode_memory(s, MemoryOp::kAtomic);
  else if (op == "red") decode_memory(s, MemoryOp::kReduction);
  else if (op == "bra" || op == "brx") decode_branch(s, reconvergence);
  else if (op == "call") decode_call(s);
  else if (op == "ret") emit(s, index_ == 0 ? Kind::kExit : Kind::kReturn);
  else if (op == "exit") emit(s, Kind::kExit);
  else if (op == "bar" && s.has("warp")) decode_warp_barrier(s);
  else if (op == "bar" || op == "barrier") decode_barrier(s);
  else if (op == "shfl" || op == "vote" || op == "match" || op == "redux" || op == "elect") decode_collective(s);
  else if (op == "activemask") decode_activemask(s);
  else if (op == "nanosleep") emit(s, Kind::kYield);
  else if (op == "trap" || op == "brkpt") emit(s, Kind::kTrap);
  else if (nothing.contains(op)) emit(s, Kind::kNothing);
  else decode_alu(s);
}

void FunctionDecoder::decode_warp_barrier(const Statement& s) {
  const uint32_t members = source(s, s.operands.at(0), Width::k32, Type::kB32);
  emit(s, Kind::kWarpBarrier).a = members;
}

void FunctionDecoder::decode_activemask(const Statement& s) {
  const uint32_t d = destination(s.operands.at(0));
  Instruction& in = emit(s, Kind::kReadSpecial);
  in.d = d;
  in.immediate = static_cast<uint32_t>(Special::kActiveMask);
}

std::unique_ptr<Program> Linker::run() {
  lay_out_shared();
  program_->functions.resize(reachable_.size());
  for (uint32_t i = 0; i < reachable_.size(); ++i) {
    program_->function_ids.push_back(linkage_.function_id(reachable_[i]->name));
    FunctionDecoder(*this, *reachable_[i], i).run();
  }
  measure_local();
  return std::move(program_);
}

}  // namespace

ParamLayout lay_out(const std::vector<Variable>& params, uint32_t start) {
  ParamLayout layout;
  layout.bytes = start;
  for (const Variable& v : params) {
    layout.bytes = align_up(layout.bytes, std::max<uint32_t>(v.align, 1));
    layout.slots.push_back({layout.bytes, static_cast<uint32_t>(v.bytes)});
    layout.bytes += static_cast<uint32_t>(v.bytes);
  }
  return layout;
}

std::unique_ptr<Program> link(const Module& module, const Function& entry, const Linkage& linkage) {
  return Linker(module, entry, linkage).run();
}

}  // namespace lockstep
