#include "program/contraction.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "program/control_flow.h"
#include "program/opcodes.h"
#include "program/statement_use.h"

namespace lockstep {
namespace {

struct FloatKind {
  Type type = Type::kNone;
  bool flushes = false, saturates = false;
};

// The type of an instruction on floats that names no rounding.
std::optional<FloatKind> kind_without_rounding(const Statement& s) {
  if (s.modifiers().empty()) return std::nullopt;
  FloatKind kind{type_from_name(s.modifiers().back())};
  if (!is_float(kind.type) || kind.type == Type::kTf32) return std::nullopt;
  for (size_t i = 0; i + 1 < s.modifiers().size(); ++i) {
    const std::string& modifier = s.modifiers()[i];
    kind.flushes |= modifier == "ftz";
    kind.saturates |= modifier == "sat";
    if (modifier != "ftz" && modifier != "sat") return std::nullopt;
  }
  return kind;
}

// Multiplied by this, a number only gets another sign.
bool is_one(const Operand& operand) {
  switch (operand.kind) {
    case Operand::kFloat: return (operand.bits & 0x7fffffffu) == 0x3f800000u;
    case Operand::kDouble: return (operand.bits & 0x7fffffffffffffffu) == 0x3ff0000000000000u;
    default: return false;
  }
}

bool multiplies(const Statement& s) {
  if (s.opcode() != "mul" || !s.guard.empty() || s.operands.size() != 3) return false;
  const std::optional<FloatKind> kind = kind_without_rounding(s);
  return kind && !kind->saturates && !is_one(s.operands[1]) && !is_one(s.operands[2]);
}

bool adds(const Statement& s) {
  return (s.opcode() == "add" || s.opcode() == "sub") && s.operands.size() == 3 && kind_without_rounding(s);
}

// Another name for the value of a register.
bool copies(const Statement& s) {
  return s.opcode() == "mov" && s.guard.empty() && s.operands.size() == 2 && s.operands[0].kind == Operand::kRegister &&
         s.operands[1].kind == Operand::kRegister;
}

bool ends_run(const Statement& s) {
  const Opcode* opcode = find_opcode(s.full_name());
  return opcode && opcode->kind == Kind::kCall;
}

using Run = std::vector<uint32_t>;  // statements that are executed one after the other

// The registers that some run reads before it has written them.
std::set<std::string> shared_between(const Function& function, const std::vector<Run>& runs) {
  std::set<std::string> result;
  for (const Run& run : runs) {
    std::set<std::string> written;
    for (const uint32_t at : run) {
      const Statement& s = function.body[at];
      const auto note = [&](const std::string& name) {
        if (!written.contains(name)) result.insert(name);
      };
      for_each_read(s, note);
      if (s.guard.empty())
        for_each_written(s, [&](const std::string& name) { written.insert(name); });
      else
        for_each_written(s, note);  // it may keep its older value
    }
  }
  return result;
}

// How many statements write each register.
std::unordered_map<std::string, uint32_t> count_writers(const Function& function) {
  std::unordered_map<std::string, uint32_t> writers;
  for (const Statement& s : function.body) for_each_written(s, [&](const std::string& name) { ++writers[name]; });
  return writers;
}

// The products and additions of one function. ptxas looks at one addition after the other. A product can be joined if
// each of its uses is an addition of another value, and none of them has been joined with that other value. If both
// operands can be, the one with fewer uses is; if they have equally many, the first. The uses lie in the product's run,
// except those of products with a constant factor.
class Joining {
 public:
  explicit Joining(const Function& function) : function_(function), writers_(count_writers(function)) {
    note_constant_products();
  }

  Contractions run(const std::vector<Run>& runs) {
    const std::set<std::string> shared = shared_between(function_, runs);
    for (const Run& run : runs) {
      values_.clear();
      for (const auto& [name, at] : everywhere_) values_[name] = {at, false};
      for (const uint32_t at : run) look_at(at);
      for (const auto& [name, value] : values_)
        if (shared.contains(name) && !everywhere_.contains(name)) products_.at(value.product).kept = true;
    }
    for (const uint32_t addition : additions_) join(addition);
    return std::move(found_);
  }

 private:
  struct Product {
    uint32_t uses = 0;
    bool kept = false;          // another instruction needs the product itself
    bool loses_factor = false;  // a factor's register gets another value
  };
  struct Value {
    uint32_t product = 0;
    bool negated = false;
  };

  const Value* value_of(const Operand& operand) const {
    if (operand.kind != Operand::kRegister) return nullptr;
    const auto found = values_.find(operand.name);
    return found == values_.end() ? nullptr : &found->second;
  }
  void keep(const std::string& name) {
    if (const auto found = values_.find(name); found != values_.end()) products_.at(found->second.product).kept = true;
  }
  FloatKind kind_of(uint32_t statement) const { return *kind_without_rounding(function_.body[statement]); }
  bool same_kind(const Statement& s, uint32_t product) const {
    const std::optional<FloatKind> kind = kind_without_rounding(s);
    return kind && kind->type == kind_of(product).type && kind->flushes == kind_of(product).flushes;
  }

  bool is_written_once(const std::string& name) const {
    const auto found = writers_.find(name);
    return found != writers_.end() && found->second == 1;
  }

  // One factor is a literal, or a parameter of the kernel, which ptxas keeps among the constants. ptxas makes such a
  // product where it is used.
  void note_constant_products() {
    std::set<std::string> parameters;
    for (const Statement& s : function_.body)
      if (function_.is_entry && s.guard.empty() && s.full_name().starts_with("ld.param."))
        for_each_written(s, [&](const std::string& name) {
          if (is_written_once(name)) parameters.insert(name);
        });
    const auto is_constant = [&](const Operand& factor) {
      return factor.kind != Operand::kRegister || parameters.contains(factor.name);
    };
    for (uint32_t at = 0; at < function_.body.size(); ++at) {
      const Statement& s = function_.body[at];
      if (!multiplies(s) || (!is_constant(s.operands[1]) && !is_constant(s.operands[2]))) continue;
      if (s.operands[0].kind != Operand::kRegister || !is_written_once(s.operands[0].name)) continue;
      everywhere_[s.operands[0].name] = at;
      products_[at] = {};
      for_each_read(s, [&](const std::string& name) { products_[at].loses_factor |= !is_written_once(name); });
    }
  }

  // Whether the statement is an addition of a product and another value.
  bool note_addition(uint32_t at) {
    const Statement& s = function_.body[at];
    if (!adds(s)) return false;
    const Value *first = value_of(s.operands[1]), *second = value_of(s.operands[2]);
    const bool alike = first && second && first->product == second->product;
    bool any = false;
    for (const Value* value : {first, second}) {
      if (!value) continue;
      Product& product = products_.at(value->product);
      if (alike || !same_kind(s, value->product)) {
        product.kept = true;
      } else {
        ++product.uses;
        any = true;
      }
    }
    if (!any) return true;
    additions_.push_back(at);
    operands_[at] = {first ? std::optional(*first) : std::nullopt, second ? std::optional(*second) : std::nullopt};
    return true;
  }

  void look_at(uint32_t at) {
    const Statement& s = function_.body[at];
    std::optional<Value> result;
    const Value* source = s.operands.size() == 2 ? value_of(s.operands[1]) : nullptr;
    if (source && copies(s)) {
      result = *source;
    } else if (source && s.opcode() == "neg" && s.guard.empty() && same_kind(s, source->product)) {
      result = Value{source->product, !source->negated};
    } else if (!note_addition(at)) {
      for_each_read(s, [&](const std::string& name) { keep(name); });
      if (multiplies(s)) {
        result = Value{at, false};
        if (const auto [product, is_new] = products_.try_emplace(at); is_new)
          for_each_read(s, [&](const std::string& name) { products_of_[name].push_back(at); });
      }
    }
    for_each_written(s, [&](const std::string& name) { overwrite(s, name); });
    if (result) values_[s.operands[0].name] = *result;
  }

  void overwrite(const Statement& s, const std::string& name) {
    if (!s.guard.empty()) keep(name);
    values_.erase(name);
    if (const auto found = products_of_.find(name); found != products_of_.end())
      for (const uint32_t product : found->second) products_.at(product).loses_factor = true;
  }

  bool can_join(const std::optional<Value>& value, uint32_t addition) const {
    return value && !products_.at(value->product).kept && same_kind(function_.body[addition], value->product);
  }

  void join(uint32_t addition) {
    const auto& [first, second] = operands_.at(addition);
    const bool can_first = can_join(first, addition), can_second = can_join(second, addition);
    if (!can_first && !can_second) return;
    const bool takes_second =
        !can_first || (can_second && products_.at(second->product).uses < products_.at(first->product).uses);
    const Value& taken = takes_second ? *second : *first;
    const std::optional<Value>& other = takes_second ? first : second;
    --products_.at(taken.product).uses;
    if (other) products_.at(other->product).kept = true;
    const bool subtracts = function_.body[addition].opcode() == "sub";
    if (products_.at(taken.product).loses_factor) found_.keep_factors.insert(taken.product);
    found_.of[addition] = {.product = taken.product,
                           .operand = static_cast<uint8_t>(takes_second ? 2 : 1),
                           .negates_product = taken.negated != (subtracts && takes_second),
                           .negates_other = subtracts && !takes_second};
  }

  const Function& function_;
  const std::unordered_map<std::string, uint32_t> writers_;
  std::unordered_map<std::string, uint32_t> everywhere_;  // by register: the product that it holds in every run
  std::unordered_map<std::string, Value> values_;         // by register, where it is a product
  std::unordered_map<uint32_t, Product> products_;
  std::unordered_map<std::string, std::vector<uint32_t>> products_of_;  // by the register of a factor
  std::vector<uint32_t> additions_;
  std::unordered_map<uint32_t, std::pair<std::optional<Value>, std::optional<Value>>> operands_;  // of additions
  Contractions found_;
};

}  // namespace

Contractions contractions(const Function& function) {
  if (std::ranges::none_of(function.body, multiplies) || std::ranges::none_of(function.body, adds)) return {};
  std::vector<Run> runs;
  for (const Run& straight : straight_runs(function)) {
    runs.emplace_back();
    for (const uint32_t at : straight) {
      runs.back().push_back(at);
      if (ends_run(function.body[at])) runs.emplace_back();
    }
  }
  return Joining(function).run(runs);
}

}  // namespace lockstep
