#include "ptx/module.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <utility>

namespace lockstep {
namespace {

struct TypeRow {
  const char* suffix;
  uint32_t bytes;
};

// In the order of Type.
// clang-format off
constexpr TypeRow kTypes[] = {
    {".", 0}, {".pred", 1},
    {".b8", 1}, {".b16", 2}, {".b32", 4}, {".b64", 8}, {".b128", 16},
    {".u8", 1}, {".u16", 2}, {".u32", 4}, {".u64", 8},
    {".s8", 1}, {".s16", 2}, {".s32", 4}, {".s64", 8},
    {".f16", 2}, {".f16x2", 4}, {".bf16", 2}, {".bf16x2", 4}, {".tf32", 4}, {".f32", 4}, {".f64", 8}
};
// clang-format on

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

uint32_t type_bytes(Type type) { return kTypes[static_cast<size_t>(type)].bytes; }

const char* suffix_of(Type type) { return kTypes[static_cast<size_t>(type)].suffix; }

Type type_from_name(const std::string& name) {
  const auto row = std::ranges::find_if(kTypes, [&](const TypeRow& r) { return name == r.suffix + 1; });
  return row == std::end(kTypes) ? Type::kNone : static_cast<Type>(row - kTypes);
}

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

}  // namespace lockstep
