// alu_table: keeps the handlers' entries by name; chooses the copy that this processor can run.

#include "alu/alu_table.h"

#include <stdexcept>

namespace lockstep {

void AluTable::add(const char* opcode, const char* type, const char* second_type, const AluEntry& entry) {
  const auto [entry_of_name, is_new] = entries_.emplace(std::string(opcode) + type + second_type, entry);
  if (!is_new) throw std::logic_error("two handlers for " + entry_of_name->first);
}

const AluEntry* AluTable::find(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

bool isa_available(Isa isa) {
  if (isa == Isa::kBaseline) return true;
#ifdef LOCKSTEP_ALU_X86_64
  __builtin_cpu_init();
  if (isa == Isa::kAvx2) return __builtin_cpu_supports("x86-64-v3") != 0;
  if (isa == Isa::kAvx512) return __builtin_cpu_supports("x86-64-v4") != 0;
#endif
  return false;
}

AluTable make_alu_table(Isa isa) {
  if (!isa_available(isa)) throw std::logic_error("this build or this processor has no such copy of the handlers");
  AluTable table;
#define LOCKSTEP_DEFINE(isa_namespace)                                                                         \
  isa_namespace::define_integer(table), isa_namespace::define_float(table), isa_namespace::define_half(table), \
      isa_namespace::define_compare(table), isa_namespace::define_convert(table)
  if (isa == Isa::kBaseline) LOCKSTEP_DEFINE(baseline), baseline::define_special(table);
#ifdef LOCKSTEP_ALU_X86_64
  if (isa != Isa::kBaseline) LOCKSTEP_DEFINE(avx2);
  if (isa == Isa::kAvx2) avx2::define_special(table);
  if (isa == Isa::kAvx512) avx512::define_special(table);
#endif
#undef LOCKSTEP_DEFINE
  return table;
}

const AluTable& alu_table() {
  static const AluTable table = [] {
    Isa widest = Isa::kBaseline;
    for (const Isa isa : {Isa::kAvx2, Isa::kAvx512})
      if (isa_available(isa)) widest = isa;
    return make_alu_table(widest);
  }();
  return table;
}

}  // namespace lockstep
