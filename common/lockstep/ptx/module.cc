#include "ptx/module.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

namespace lockstep {
namespace {

struct TypeRow {
  Type type;
  const char* name;
  uint32_t bytes;
};

constexpr std::array kTypes = {
    TypeRow{Type::kPred, "pred", 1},   TypeRow{Type::kB8, "b8", 1},     TypeRow{Type::kB16, "b16", 2},
    TypeRow{Type::kB32, "b32", 4},     TypeRow{Type::kB64, "b64", 8},   TypeRow{Type::kB128, "b128", 16},
    TypeRow{Type::kU8, "u8", 1},       TypeRow{Type::kU16, "u16", 2},   TypeRow{Type::kU32, "u32", 4},
    TypeRow{Type::kU64, "u64", 8},     TypeRow{Type::kS8, "s8", 1},     TypeRow{Type::kS16, "s16", 2},
    TypeRow{Type::kS32, "s32", 4},     TypeRow{Type::kS64, "s64", 8},   TypeRow{Type::kF16, "f16", 2},
    TypeRow{Type::kF16x2, "f16x2", 4}, TypeRow{Type::kBf16, "bf16", 2}, TypeRow{Type::kBf16x2, "bf16x2", 4},
    TypeRow{Type::kTf32, "tf32", 4},   TypeRow{Type::kF32, "f32", 4},   TypeRow{Type::kF64, "f64", 8},
};

}  // namespace

uint32_t type_bytes(Type type) {
  for (const TypeRow& row : kTypes)
    if (row.type == type) return row.bytes;
  return 0;
}

namespace {

// With -rdc=true nvcc hides a file's own kernel k behind "__nv_static_N_" + N characters that tell the file + "_k".
std::string without_file(const std::string& symbol) {
  static const std::string mark = "__nv_static_";
  if (!symbol.starts_with(mark)) return symbol;
  char* end = nullptr;
  const size_t length = std::strtoull(symbol.c_str() + mark.size(), &end, 10);
  const auto digits_end = static_cast<size_t>(end - symbol.c_str());
  const size_t begin = digits_end + length + 2;  // two underscores
  return length < symbol.size() && begin < symbol.size() ? symbol.substr(begin) : symbol;
}

}  // namespace

std::string demangled(const std::string& mangled) {
  const std::string symbol = without_file(mangled);
  if (!symbol.starts_with("_Z")) return symbol;  // "s" alone would be read as the type short
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? text.get() : symbol;
}

InstructionName::InstructionName(std::string_view whole) : full(whole) {
  const size_t dot = std::min(whole.find('.'), whole.size());
  opcode = whole.substr(0, dot);
  for (size_t start = dot + 1; start <= whole.size();) {
    const size_t end = std::min(whole.find('.', start), whole.size());
    modifiers.emplace_back(whole.substr(start, end - start));
    start = end + 1;
  }
}

Type type_from_name(const std::string& name) {
  for (const TypeRow& row : kTypes)
    if (name == row.name) return row.type;
  return Type::kNone;
}

}  // namespace lockstep
