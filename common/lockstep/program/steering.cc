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
constexpr Spaces kGlobal = 1, kShared = 2, kLocal = 4, kAnywhere = kGlobal | kShared | kLocal;

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
  // A value of one space may steer after it was stored in the other one.
  Spaces steering() const {
    return steering_ | (steering_ & kGlobal ? in_global_ : 0) | (steering_ & kShared ? in_shared_ : 0);
  }

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

  // What the statement brings, apart from its operands. An instruction of a kind that is not named here may load.
  Spaces brought(const Function& function, const Statement& s) const {
    const Opcode* const opcode = find_opcode(s.full_name());
    if (opcode && (opcode->kind == Kind::kAlu || opcode->kind == Kind::kCollective)) return 0;
    if (s.opcode() != "ld") return kAnywhere;
    if (s.has("param")) return !is_at(function.params, s) ? results_ : function.is_entry ? 0 : arguments_;
    return s.has("const") ? 0 : space_of(s);
  }

  static Spaces space_of(const Statement& s) {
    return s.has("shared") ? kShared : s.has("global") ? kGlobal : kAnywhere;
  }

  // The statement leaves these values in memory.
  void leave(const Function& function, const Statement& s, Spaces values, bool& passes_more) {
    if (s.opcode() == "st" && s.has("param")) {
      Spaces& passed = is_at(function.results, s) ? results_ : arguments_;
      passes_more |= (passed | values) != passed;
      passed |= values;
    } else if (s.opcode() == "st" || s.opcode() == "red" || s.opcode() == "atom") {
      if (space_of(s) & kGlobal) in_global_ |= values;
      if (space_of(s) & kShared) in_shared_ |= values;
    } else if (s.opcode() == "cp") {
      in_global_ |= kShared;
      in_shared_ |= kGlobal;
    }
  }

  // Whether a register got another space. passes_more: set if an argument or a result did.
  bool follow(const Function& function, const Statement& s, bool& passes_more) {
    Spaces read = 0;
    for_each_read(s, [&](const std::string& name) { read |= held(name); });
    steering_ |= s.opcode() == "brx" ? read : held(s.guard);
    for (const Operand& operand : s.operands)
      if (operand.kind == Operand::kAddress)
        for_each_name(operand, Operand::kRegister, [&](const std::string& name) { steering_ |= held(name); });
    leave(function, s, read, passes_more);
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
  Spaces in_global_ = 0, in_shared_ = 0;               // stored there
  Spaces steering_ = 0;
};

}  // namespace

Steering steering_of(const Module& module) {
  const Spaces steering = Values(module).steering();
  return {(steering & kGlobal) != 0, (steering & kShared) != 0, (steering & kLocal) != 0};
}

}  // namespace lockstep
