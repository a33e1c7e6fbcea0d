// module: one PTX module as plain structs, as the parser makes it. Names are not resolved yet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

// A line in the learner's source (.loc), and in the PTX text itself.
struct SourceLocation {
  uint32_t file = 0, line = 0;  // file: key of Module::files; 0 = unknown
  // The learner's own line into which this line was inlined (see the parser); 0 if it was not inlined.
  uint32_t inlined_file = 0, inlined_line = 0;
  uint32_t ptx_line = 0;
};

enum class Space : uint8_t { kGeneric, kRegister, kGlobal, kShared, kLocal, kConst, kParam };

// Fundamental PTX types. kB* are untyped bits.
// clang-format off
enum class Type : uint8_t {
  kNone, kPred, kB8, kB16, kB32, kB64, kB128, kU8, kU16, kU32, kU64, kS8, kS16, kS32, kS64,
  kF16, kF16x2, kBf16, kBf16x2, kTf32, kF32, kF64
};
// clang-format on
uint32_t type_bytes(Type type);                // 0 for kNone; 1 for kPred
Type type_from_name(const std::string& name);  // "u32" → kU32; kNone if it is not a type
const char* suffix_of(Type type);              // kU32 → ".u32"
inline bool is_float(Type type) { return type >= Type::kF16; }

// "_ZZ4scaniE6s_tile" → "scan(int)::s_tile"; a name that is not mangled stays as it is.
std::string demangled(const std::string& mangled);

struct Operand {
  enum Kind : uint8_t {
    kRegister,  // name; or a special register such as %tid.x
    kInteger,   // bits (two's complement, 64 bits wide)
    kFloat,     // bits of a float, from a literal 0f…
    kDouble,    // bits of an IEEE double, from any other literal with a fraction
    kSymbol,    // name + offset: a variable, function or label
    kAddress,   // [elements[0] + offset]: register, symbol or integer
    kVector,    // {elements…}
    kList,      // (elements…): arguments of a call
    kSink,      // _
  } kind = kSink;
  std::string name;
  uint64_t bits = 0;
  int64_t offset = 0;
  bool negated = false;  // !%p
  std::vector<Operand> elements;
};

// visit(name) for each name of this kind in the operand and in its elements.
template <class Visit>
void for_each_name(const Operand& operand, Operand::Kind kind, const Visit& visit) {
  if (operand.kind == kind) visit(operand.name);
  for (const Operand& element : operand.elements) for_each_name(element, kind, visit);
}

struct InstructionName {
  InstructionName() = default;
  explicit InstructionName(std::string_view whole);
  std::string full;                    // "ld.global.nc.v4.u32"
  std::string opcode;                  // "ld"
  std::vector<std::string> modifiers;  // {"global", "nc", "v4", "u32"}, without dots
};

struct Statement {
  // Statements share names, since a large module has 100,000 statements and some hundred names. Null for a label.
  std::shared_ptr<const InstructionName> name;
  std::vector<Operand> operands;  // a dual destination p|q is two operands and dual_destination is set
  bool dual_destination = false;
  std::string guard;  // predicate register, or empty
  bool guard_negated = false;
  SourceLocation location;
  std::string label;  // set on a label's own statement, whose opcode is then empty
  void set_name(std::string_view full) { name = std::make_shared<const InstructionName>(full); }
  const std::string& full_name() const { return name_or_empty().full; }
  const std::string& opcode() const { return name_or_empty().opcode; }
  const std::vector<std::string>& modifiers() const { return name_or_empty().modifiers; }
  bool has(const char* modifier) const { return std::ranges::find(modifiers(), modifier) != modifiers().end(); }

 private:
  const InstructionName& name_or_empty() const {
    static const InstructionName empty;
    return name ? *name : empty;
  }
};

// Which files see a module's symbol: kInternal: its own file; kStrong: every file; kWeak: every file, and any one of
// several definitions may be taken.
enum class Binding : uint8_t { kInternal, kStrong, kWeak };

struct Variable {
  std::string name;
  Binding binding = Binding::kInternal;
  Space space = Space::kGlobal;
  Type type = Type::kB8;
  uint32_t align = 1;
  uint64_t bytes = 0;         // whole array; 0 for an extern array of unknown size
  bool is_extern = false;     // declared only
  bool managed = false;       // the host reads and writes it directly
  std::vector<uint8_t> init;  // first bytes; the rest is zero
  struct Relocation {
    uint64_t offset;
    std::string symbol;
    int64_t addend;
    bool generic;
    uint32_t bytes;            // how many bytes of the address to store
    uint32_t byte_of_address;  // the first of them
  };
  std::vector<Relocation> relocations;
};

struct RegisterDeclaration {
  std::string name;
  Type type;
};  // ranges (%r<9>) arrive expanded

struct Function {
  std::string name;
  Binding binding = Binding::kInternal;
  bool is_entry = false, is_extern = false;    // extern: declared only
  std::vector<Variable> results, params;       // space kParam (or kRegister)
  std::vector<RegisterDeclaration> registers;  // scoped names arrive made unique
  std::vector<Variable> variables;             // .shared, .local, .param declared in the body; made unique too
  std::vector<Statement> body;
  std::map<std::string, std::vector<std::string>> branch_targets;  // .branchtargets label: labels
  uint32_t max_threads = 0;                                        // .maxntid, 0 if none
  uint32_t cluster_blocks = 1;                                     // .reqnctapercluster
  uint32_t ptx_line = 0;
};

struct Module {
  std::pair<int, int> version;  // .version 9.0
  int target = 0;               // .target sm_75 → 75
  std::map<uint32_t, std::string> files;
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

}  // namespace lockstep
