// alu_table: for every arithmetic instruction its handler and the types of its operands. The handlers' files (alu_*.cc)
// fill it, and select_alu reads it. Left out: how the names of modifiers are read (alu.cc).
#pragma once

#include <string>
#include <unordered_map>

#include "alu/operands.h"
#include "ptx/module.h"

namespace lockstep {

// The types of an instruction's operands. A type gives the width of a register, and says how an immediate is read.
struct Signature {
  Type d = Type::kNone;
  Type sources[4] = {Type::kNone, Type::kNone, Type::kNone, Type::kNone};
};

// The modifiers that an instruction's handlers understand, beyond those in its name.
enum Allowed : uint32_t {
  kNoModes = 0,
  kNearest = 1,
  kDirected = 2,
  kIntegral = 4,
  kFtz = 8,
  kSat = 16,
  kRelu = 32,
  kNaN = 64,
  kXorsignAbs = 128,
  kAbs = 256,
  kSatfinite = 512,
  kRoundings = kNearest | kDirected,
};

struct AluEntry {
  AluHandler plain = nullptr;    // no modes
  AluHandler ftz = nullptr;      // just .ftz; may be null
  AluHandler general = nullptr;  // modes in modes; null if the instruction has none
  uint32_t allowed = kNoModes;
  Signature signature;
};

// The value that set writes if the comparison holds: all bits one, or 1.0. A pair has this value in each half.
enum class SetResult : uint8_t { k32Ones, k16Ones, kF32, kF16, kBf16, kPairOnes, kF16x2, kBf16x2 };

// Name, such as "add.f32" (without modes) or "cvt.f32.s8" → entry. The files that fill the table are compiled for
// several instruction sets. They only call add() and suffix_of(), so that they instantiate nothing of the standard
// library.
class AluTable {
 public:
  void add(const char* opcode, const char* type, const char* second_type, const AluEntry& entry);
  const AluEntry* find(const std::string& name) const;
  const std::unordered_map<std::string, AluEntry>& entries() const { return entries_; }

 private:
  std::unordered_map<std::string, AluEntry> entries_;
};

// The table for this processor, made at the first call. A test may ask for the table of one instruction set.
const AluTable& alu_table();
enum class Isa : uint8_t { kBaseline, kAvx2, kAvx512 };  // kAvx512: kAvx2 with other special functions
bool isa_available(Isa isa);
AluTable make_alu_table(Isa isa);

// The copies of the handlers' files.
#define LOCKSTEP_DECLARE_HANDLERS(isa)  \
  namespace isa {                       \
  void define_integer(AluTable& table); \
  void define_float(AluTable& table);   \
  void define_half(AluTable& table);    \
  void define_special(AluTable& table); \
  void define_compare(AluTable& table); \
  void define_convert(AluTable& table); \
  }
LOCKSTEP_DECLARE_HANDLERS(baseline)
LOCKSTEP_DECLARE_HANDLERS(avx2)
#undef LOCKSTEP_DECLARE_HANDLERS
namespace avx512 {
void define_special(AluTable& table);
}

}  // namespace lockstep
