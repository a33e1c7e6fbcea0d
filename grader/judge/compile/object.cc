// object: the visible names of a learner's object file → whether it may be linked, and which names stay visible.
// A program's own function comes before that of any library: if an object defines a function of CUDA, of C or of the
// runner, that function is called in place of the real one. So all names but the contract's functions become local to
// the object, and a name that almost certainly means such a replacement is refused.
#include "grader/judge/compile/compile.h"

#include <algorithm>
#include <cctype>

#include <dlfcn.h>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

// The runner calls it to learn what an OpenCL error means. common/opencl.h defines it in labs that use OpenCL.
constexpr const char* kDescribe = "warpladder_opencl_describe";

bool is_function(const Symbol& symbol) { return std::string("TWi").find(symbol.kind) != std::string::npos; }

// True for cuMemAlloc, false for cube.
bool has_prefix_and_capital(const std::string& name, const std::string& prefix) {
  return name.starts_with(prefix) && name.size() > prefix.size() && std::isupper(name[prefix.size()]) != 0;
}

// The owner of the function that the symbol would replace; "": it replaces none.
const char* owner(const Symbol& symbol, const Lab& lab) {
  const std::string name = symbol.name.substr(0, symbol.name.find('@'));  // name@VERSION is the same function
  if (name == kDescribe && lab.is_opencl() && symbol.kind == 'W') return "";
  if (name.starts_with("warpladder_") || name.starts_with("_ZN10warpladder")) return later("the runner's");
  if (name.starts_with("__cuda") || has_prefix_and_capital(name, "cuda") || has_prefix_and_capital(name, "cu"))
    return later("CUDA's");
  if (lab.is_opencl() && has_prefix_and_capital(name, "cl")) return later("OpenCL's");
  if (name.starts_with("_Z")) return "";
  // The judge is linked to the system's libraries as well, so a lab's program finds the functions that we find here.
  return dlsym(RTLD_DEFAULT, name.c_str()) != nullptr ? later("the system's") : "";
}

}  // namespace

std::vector<Symbol> parse_symbols(const std::string& text) {
  std::vector<Symbol> symbols;
  for (const std::string& line : split(text, '\n')) {
    std::istringstream words(line);
    Symbol symbol;
    if (words >> symbol.name >> symbol.kind) symbols.push_back(std::move(symbol));
  }
  return symbols;
}

std::optional<Failure> check_symbols(const std::vector<Symbol>& symbols, const Lab& lab) {
  for (const Symbol& symbol : symbols) {
    if (!is_function(symbol)) continue;
    if (symbol.name == "main")
      return compile_failure(
          message("the file defines main, which is the runner's: it calls the functions of the contract"),
          message("Take main out, or keep it in a program of its own."));
    const std::string whose = owner(symbol, lab);
    if (whose.empty()) continue;
    return make_failure(
        Verdict::kCheating, "symbols",
        message("the file defines {function}, which is {owner}: calls of that function would end in the file",
                {{"function", symbol.name}, {"owner", message(whose)}}),
        message("If it is a helper of yours, rename it, or leave out extern \"C\"."));
  }
  return std::nullopt;
}

std::vector<std::string> symbols_to_keep(const std::vector<Symbol>& symbols, const Lab& lab) {
  std::vector<std::string> kept;
  for (const Symbol& symbol : symbols) {
    const bool is_entry = std::ranges::any_of(lab.contract->entries, [&](const EntryInfo& entry) {
      return symbol.name.starts_with("_Z" + std::to_string(entry.name.size()) + entry.name);
    });
    if (is_entry || (lab.is_opencl() && symbol.name == kDescribe)) kept.push_back(symbol.name);
  }
  return kept;
}

}  // namespace warpladder
