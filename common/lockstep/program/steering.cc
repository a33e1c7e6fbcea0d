#include "program/steering.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/statement_use.h"

namespace lockstep {
namespace {

// The spaces from which a value was loaded, a bit each.
using Spaces = unsigned;
constexpr Spaces kGlobal = 1, kShared = 2;

class Values {
 public:
  explicit Values(const Module& module) {
    for (bool grows = true; grows;) {
      grows = false;
      for (const Function& function : module.functions) {
        held_.clear();
        for (bool more = true; more;) {
          more = false;
          for (const Statement& s : function.body) more |= follow(function, s, grows);
        }
      }
    }
  }
  Spaces steering() const { return steering_; }

 private:
  Spaces held(const std::string& name) const {
    const auto found = held_.find(name);
    return found == held_.end() ? 0 : found->second;
  }

  // Whether the statement's address is one of these.
  static bool is_at(const std::vector<Variable>& variables, const Statement& s) {
    bool found = false;
    for (const Operand& operand : s.operands)
      if (operand.kind == Operand::kAddress)
        for_each_name(operand, Operand::kSymbol, [&](const std::string& name) {
          found |= std::ranges::count(variables, name, &Variable::name) > 0;
        });
    return found;
  }

  // What the statement brings, apart from its operands.
  Spaces brought(const Function& function, const Statement& s) const {
    const std::string& opcode = s.opcode();
    if (opcode == "ld" && s.has("shared")) return kShared;
    if (opcode == "ld" && s.has("global")) return kGlobal;
    if (opcode == "ld" && s.has("param"))
      return !is_at(function.params, s) ? results_ : function.is_entry ? 0 : arguments_;
    const bool loads = opcode == "ld" || opcode == "atom" || opcode == "ldmatrix" || opcode == "wmma";
    return loads && !s.has("const") ? kGlobal | kShared : 0;
  }

  // Whether a register got another space. passes_more: set if an argument or a result did.
  bool follow(const Function& function, const Statement& s, bool& passes_more) {
    Spaces read = 0;
    for_each_read(s, [&](const std::string& name) { read |= held(name); });
    steering_ |= s.opcode() == "brx" ? read : held(s.guard);
    for (const Operand& operand : s.operands)
      if (operand.kind == Operand::kAddress)
        for_each_name(operand, Operand::kRegister, [&](const std::string& name) { steering_ |= held(name); });
    if (s.opcode() == "st" && s.has("param")) {
      Spaces& passed = is_at(function.results, s) ? results_ : arguments_;
      passes_more |= (passed | read) != passed;
      passed |= read;
    }
    bool grows = false;
    read |= brought(function, s);
    for_each_written(s, [&](const std::string& name) {
      Spaces& now = held_[name];
      grows |= (now | read) != now;
      now |= read;
    });
    return grows;
  }

  std::unordered_map<std::string_view, Spaces> held_;  // by register of one function
  Spaces arguments_ = 0, results_ = 0;                 // of all functions
  Spaces steering_ = 0;
};

}  // namespace

Steering steering_of(const Module& module) {
  const Spaces steering = Values(module).steering();
  return {(steering & kGlobal) != 0, (steering & kShared) != 0};
}

}  // namespace lockstep
