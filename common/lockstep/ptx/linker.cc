#include "ptx/linker.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "ptx/lexer.h"

namespace lockstep {
namespace {

using Renames = std::unordered_map<std::string, std::string>;

// An array whose size the launch gives. It is declared in each file and defined in none.
bool is_dynamic_shared(const Variable& v) { return v.space == Space::kShared && v.bytes == 0; }
bool is_defined(const Variable& v) { return !v.is_extern; }
bool is_defined(const Function& f) { return !f.is_extern; }

template <class Visit>
void for_each_symbol(Module& module, const Visit& visit) {
  for (Variable& v : module.variables) visit(v);
  for (Function& f : module.functions) visit(f);
}

// Finds for each name the module whose definition all modules see: a strong definition before a weak one, else the
// first.
class Exports {
 public:
  explicit Exports(std::vector<Module>& modules) {
    for (size_t m = 0; m < modules.size(); ++m)
      for_each_symbol(modules[m], [&](const auto& symbol) { add(m, symbol); });
  }

  bool is_chosen(size_t module, const std::string& name) const { return chosen_.at(name).module == module; }
  // Whether another module uses the name, for any purpose.
  bool is_shared(size_t module, const std::string& name) const {
    const std::set<size_t>& users = users_.at(name);
    return users.size() > 1 || !users.contains(module);
  }

 private:
  struct Choice {
    size_t module;
    Binding binding;
  };

  template <class Symbol>
  void add(size_t module, const Symbol& symbol) {
    users_[symbol.name].insert(module);
    if (!is_defined(symbol) || symbol.binding == Binding::kInternal) return;
    const auto [choice, is_new] = chosen_.emplace(symbol.name, Choice{module, symbol.binding});
    if (is_new || symbol.binding == Binding::kWeak) return;
    if (choice->second.binding == Binding::kStrong)
      throw PtxError(
          0, words("'{name}' is defined in two of the program's object files", {{"name", demangled(symbol.name)}}));
    choice->second = {module, symbol.binding};
  }

  std::unordered_map<std::string, Choice> chosen_;
  std::unordered_map<std::string, std::set<size_t>> users_;
};

void rename(std::string& name, const Renames& renames) {
  if (const auto found = renames.find(name); found != renames.end()) name = found->second;
}

void rename(Operand& operand, const Renames& renames) {
  if (operand.kind == Operand::kSymbol) rename(operand.name, renames);
  for (Operand& element : operand.elements) rename(element, renames);
}

// A name that the function declares hides the module's name.
Renames visible_in(const Function& f, Renames renames) {
  for (const auto* list : {&f.results, &f.params, &f.variables})
    for (const Variable& v : *list) renames.erase(v.name);
  for (const Statement& s : f.body) renames.erase(s.label);
  return renames;
}

// Gives the module's internal symbols names that no other module uses.
void separate(Module& module, size_t index, const Exports& exports) {
  Renames renames;
  for_each_symbol(module, [&](const auto& symbol) {
    if (symbol.binding == Binding::kInternal && exports.is_shared(index, symbol.name))
      renames[symbol.name] = symbol.name + "'" + std::to_string(index);
  });
  if (renames.empty()) return;
  for_each_symbol(module, [&](auto& symbol) { rename(symbol.name, renames); });
  for (Variable& v : module.variables)
    for (Variable::Relocation& r : v.relocations) rename(r.symbol, renames);
  for (Function& f : module.functions) {
    const Renames visible = visible_in(f, renames);
    for (Statement& s : f.body)
      for (Operand& operand : s.operands) rename(operand, visible);
  }
}

// Source files are numbered in each module from 1.
void shift_files(Module& module, uint32_t by) {
  if (by == 0) return;
  std::map<uint32_t, std::string> files;
  for (auto& [id, name] : module.files) files[id + by] = std::move(name);
  module.files = std::move(files);
  for (Function& f : module.functions)
    for (Statement& s : f.body) {
      if (s.location.file) s.location.file += by;
      if (s.location.inlined_file) s.location.inlined_file += by;
    }
}

// Keeps the definitions that `exports` chose, and the first declaration of a name without a definition.
template <class Symbol>
class Collector {
 public:
  Collector(const Exports& exports, std::vector<Symbol>& into) : exports_(exports), into_(into) {}

  void add(size_t module, Symbol& symbol) {
    if (!is_defined(symbol)) {
      declared_.push_back(std::move(symbol));
    } else if (symbol.binding == Binding::kInternal || exports_.is_chosen(module, symbol.name)) {
      defined_.insert(symbol.name);
      into_.push_back(std::move(symbol));
    }
  }

  void add_declarations() {
    for (Symbol& symbol : declared_)
      if (defined_.insert(symbol.name).second) into_.push_back(std::move(symbol));
  }

  std::vector<Symbol>& declared() { return declared_; }

 private:
  const Exports& exports_;
  std::vector<Symbol>& into_;
  std::vector<Symbol> declared_;
  std::set<std::string> defined_;
};

// Each declaration of a dynamic array may ask for another alignment. The strictest counts.
void agree_on_alignment(std::vector<Variable>& declared) {
  std::unordered_map<std::string, uint32_t> strictest;
  for (const Variable& v : declared)
    if (is_dynamic_shared(v)) strictest[v.name] = std::max(strictest[v.name], v.align);
  for (Variable& v : declared)
    if (is_dynamic_shared(v)) v.align = strictest[v.name];
}

}  // namespace

Module link_modules(std::vector<Module> modules) {
  Module whole;
  const Exports exports(modules);
  Collector variables(exports, whole.variables);
  Collector functions(exports, whole.functions);
  for (size_t m = 0; m < modules.size(); ++m) {
    Module& module = modules[m];
    separate(module, m, exports);
    shift_files(module, whole.files.empty() ? 0 : whole.files.rbegin()->first);
    whole.files.merge(module.files);
    whole.version = std::max(whole.version, module.version);
    whole.target = std::max(whole.target, module.target);
    for (Variable& v : module.variables) variables.add(m, v);
    for (Function& f : module.functions) functions.add(m, f);
  }
  agree_on_alignment(variables.declared());
  variables.add_declarations();
  functions.add_declarations();
  return whole;
}

}  // namespace lockstep
