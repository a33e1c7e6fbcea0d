#include "ptx/parser.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ptx/token_reader.h"

namespace lockstep {
namespace {

constexpr uint64_t kMostRegisters = 1 << 20;  // the most registers of one declaration
constexpr int kDeepest = 256;                 // scopes, lists and operands that are nested

Space space_from_directive(std::string_view word) {
  if (word == ".global") return Space::kGlobal;
  if (word == ".shared" || word == ".shared::cta") return Space::kShared;
  if (word == ".local") return Space::kLocal;
  if (word == ".const") return Space::kConst;
  if (word == ".param") return Space::kParam;
  if (word == ".reg") return Space::kRegister;
  return Space::kGeneric;
}

// A recursive-descent parser with one token of look-ahead; two if the first may be a label.
class Parser : private TokenReader {
 public:
  explicit Parser(std::string_view ptx) : TokenReader(ptx) {}

  Module run() {
    while (peek().kind != Token::kEnd) top_level();
    return std::move(module_);
  }

 private:
  // One level of nesting. The parser calls itself for each level, and its stack is limited.
  class Level {
   public:
    explicit Level(Parser& parser) : depth_(parser.depth_) {
      if (++depth_ > kDeepest)
        parser.fail(words("this is nested more than {most} levels deep, which no compiler writes",
                          {{"most", std::to_string(kDeepest)}}));
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

  // ---- module level ----

  void top_level() {
    if (accept(";")) return;
    const Token& token = peek();
    if (token.text == ".version") return version();
    if (token.text == ".target") return target();
    if (token.text == ".address_size") return take(), (void)integer();
    if (token.text == ".file") return file();
    if (token.text == ".section") return skip_section();
    if (token.text == ".pragma" || token.text == ".alias") return skip_to_semicolon();
    declaration();
  }

  void version() {
    take();
    const std::string text(take().text);  // "9.0"
    module_.version.first = std::atoi(text.c_str());
    if (const size_t dot = text.find('.'); dot != std::string::npos)
      module_.version.second = std::atoi(text.c_str() + dot + 1);
  }

  void target() {
    take();
    do {
      const std::string name = word();
      if (name.starts_with("sm_")) module_.target = std::atoi(name.c_str() + 3);
    } while (accept(","));
  }

  void file() {
    take();
    const auto id = static_cast<uint32_t>(integer());
    module_.files[id] = std::string(take().text);
    while (accept(",")) integer();  // time stamp and size
  }

  void skip_section() {
    take(), take();
    skip_braces();
  }

  void skip_braces() {
    expect("{");
    for (int depth = 1; depth > 0; take()) {
      if (peek().kind == Token::kEnd) fail(words("a brace is never closed"));
      depth += is("{") - is("}");
    }
  }

  void skip_to_semicolon() {
    while (!is(";") && peek().kind != Token::kEnd) take();
    accept(";");
  }

  void declaration() {
    bool is_extern = false;
    Binding binding = Binding::kInternal;
    for (; is(".extern") || is(".visible") || is(".weak") || is(".common"); take()) {
      is_extern |= is(".extern");
      binding = is(".weak") || is(".common") ? Binding::kWeak : Binding::kStrong;
    }
    if (is(".entry") || is(".func")) return function(is_extern, binding);
    const Space space = space_from_directive(peek().text);
    if (space == Space::kGeneric) fail(words("'{text}' is not understood here", {{"text", std::string(peek().text)}}));
    for (Variable& variable : variables(is_extern)) {
      variable.binding = binding;
      module_.variables.push_back(std::move(variable));
    }
    expect(";");
  }

  // .space [.align n] .type name[dims] [= init] {, name…}
  std::vector<Variable> variables(bool is_extern) {
    Variable common;
    common.is_extern = is_extern;
    common.space = space_from_directive(take().text);
    uint64_t vector = 1;
    while (peek().kind == Token::kWord && peek().text[0] == '.') {
      const std::string directive = word();
      if (directive == ".align")
        common.align = static_cast<uint32_t>(integer());
      else if (directive == ".attribute") {
        while (!accept(")")) {
          if (peek().kind == Token::kEnd) fail(words("a parenthesis is never closed"));
          common.managed |= take().text == ".managed";
        }
      } else if (directive == ".ptr")
        pointer_hint();
      else if (directive == ".v2" || directive == ".v4")
        vector = directive == ".v2" ? 2 : 4;
      else if (common.type = type_from_name(directive.substr(1)); common.type == Type::kNone)
        fail(words("type '{type}' is not supported", {{"type", directive}}));
    }
    common.align = std::max<uint32_t>(common.align, static_cast<uint32_t>(type_bytes(common.type) * vector));
    std::vector<Variable> list;
    do {
      Variable variable = common;
      variable.name = word();
      variable.bytes = type_bytes(common.type) * vector;
      dimensions(variable);
      if (accept("=")) initialiser(variable);
      list.push_back(std::move(variable));
    } while (is(",") && !is(".param", 1) && !is(".reg", 1) && accept(","));
    return list;
  }

  // .param .u64 .ptr .global .align 8 name. The memory that a pointer points to changes nothing here.
  void pointer_hint() {
    if (space_from_directive(peek().text) != Space::kGeneric) take();
    if (accept(".align")) integer();
  }

  void dimensions(Variable& variable) {
    while (accept("[")) {
      variable.bytes = is("]") ? 0 : variable.bytes * integer();
      expect("]");
    }
    if (accept("<")) {  // %r<9>: the count is kept in bytes until registers are expanded
      variable.bytes = integer();
      expect(">");
      variable.is_extern = true;
    }
  }

  void initialiser(Variable& variable) {
    const Level level(*this);
    if (!accept("{")) return initial_value(variable);
    if (accept("}")) return;
    do initialiser(variable);
    while (accept(","));
    expect("}");
  }

  void initial_value(Variable& variable) {
    const uint32_t width = type_bytes(variable.type);
    const uint64_t offset = variable.init.size();
    uint64_t bits = 0;
    if (peek().kind == Token::kNumber && is("(", 1)) {  // 0xFF00(symbol): one byte of its address
      const uint64_t mask = number().bits;
      expect("(");
      Variable::Relocation r = symbol_reference(offset, 1);
      r.byte_of_address = static_cast<uint32_t>(std::countr_zero(mask) / 8);
      variable.relocations.push_back(r);
      expect(")");
    } else if (peek().kind == Token::kWord) {
      variable.relocations.push_back(symbol_reference(offset, width));
    } else {
      const Operand operand = literal();
      bits = operand.bits;
      if (operand.kind == Operand::kDouble && variable.type == Type::kF32)
        bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
    }
    for (uint32_t i = 0; i < width; ++i) variable.init.push_back(static_cast<uint8_t>(bits >> (8 * i)));
  }

  // "+4", "-4", "+-4" or nothing.
  int64_t addend() {
    if (!is("+") && !is("-")) return 0;
    accept("+");
    return static_cast<int64_t>(integer());
  }

  Variable::Relocation symbol_reference(uint64_t offset, uint32_t width) {
    Variable::Relocation r{offset, "", 0, false, width, 0};
    r.generic = is("generic") && is("(", 1);
    if (r.generic) take(), take();
    r.symbol = word();
    r.addend = addend();
    if (r.generic) {
      expect(")");
      r.addend += addend();
    }
    return r;
  }

  // ---- functions ----

  void function(bool is_extern, Binding binding) {
    Function f;
    f.binding = binding;
    f.is_entry = take().text == ".entry";
    f.is_extern = is_extern;
    f.ptx_line = peek().line;
    function_ = &f;
    scopes_.assign(1, {});
    register_names_.clear();
    location_ = {};
    call_sites_.clear();
    if (is("(")) f.results = parameters();
    f.name = word();
    if (is("(")) f.params = parameters();
    while (peek().kind == Token::kWord && peek().text[0] == '.') performance_directive(f);
    if (accept(";"))
      f.is_extern = true;
    else
      block();
    f.body.shrink_to_fit();
    module_.functions.push_back(std::move(f));
  }

  std::vector<Variable> parameters() {
    std::vector<Variable> list;
    expect("(");
    while (!accept(")")) {
      for (Variable& v : variables(false)) {
        if (v.space == Space::kRegister) declare_register(v.name, v.type);
        list.push_back(std::move(v));
      }
      accept(",");
    }
    return list;
  }

  void performance_directive(Function& f) {
    const std::string name = word();
    if (peek().kind != Token::kNumber) return;  // .noreturn and the like
    uint64_t product = integer();
    while (accept(",")) product *= integer();
    if (name == ".maxntid" || name == ".reqntid") f.max_threads = static_cast<uint32_t>(product);
    if (name == ".reqnctapercluster") f.cluster_blocks = static_cast<uint32_t>(product);
  }

  void block() {
    const Level level(*this);
    expect("{");
    scopes_.emplace_back();
    if (scopes_.size() > 2) declare_labels();
    while (!accept("}")) body_item();
    scopes_.pop_back();
  }

  // A scope has its own labels, so that an asm statement with a loop may be inlined twice. A branch may come before its
  // label, so the labels are declared first.
  void declare_labels() {
    int depth = 1;  // deeper levels are not searched: each level would search them again
    for (size_t ahead = 0; depth > 0 && depth <= kDeepest && peek(ahead).kind != Token::kEnd; ++ahead) {
      depth += is("{", ahead) - is("}", ahead);
      if (depth == 1 && peek(ahead).kind == Token::kWord && is(":", ahead + 1)) declare(std::string(peek(ahead).text));
    }
  }

  void body_item() {
    if (peek().kind == Token::kEnd) fail(words("the function has no end"));
    if (is("{")) return block();
    if (accept(";")) return;
    if (is(".loc")) return location();
    if (is(".pragma")) return skip_to_semicolon();
    if (is(".file")) return file();
    if (space_from_directive(peek().text) != Space::kGeneric) return local_declaration();
    if (peek().kind == Token::kWord && is(":", 1)) return label();
    function_->body.push_back(statement());
  }

  // .loc file line column [, function_name label[+offset], inlined_at file line column]
  void location() {
    take();
    SourceLocation location;
    location.file = static_cast<uint32_t>(integer());
    location.line = static_cast<uint32_t>(integer());
    integer();
    while (accept(",")) {
      const std::string key = word();
      if (key == "function_name") {
        take();
        if (accept("+")) integer();
      } else if (key == "inlined_at") {
        location.inlined_file = static_cast<uint32_t>(integer());
        location.inlined_line = static_cast<uint32_t>(integer());
        integer();
      }
    }
    follow_inlining(location);
    if (location.line == 0) return;  // "no line" keeps the last one
    location_ = location;
  }

  // A call site may itself have been inlined. PTX gives one level at a time, so the search for the learner's line goes
  // on with an earlier .loc of the call site in this function. The learner's line is the innermost line in the kernel's
  // own file: a function beside the kernel is the learner's, a function of a header is not.
  void follow_inlining(SourceLocation& location) {
    const uint64_t key = uint64_t{location.file} << 32 | location.line;
    if (location.inlined_line == 0) {
      call_sites_.erase(key);
      return;
    }
    const auto outer = call_sites_.find(uint64_t{location.inlined_file} << 32 | location.inlined_line);
    if (outer != call_sites_.end()) {
      location.inlined_file = static_cast<uint32_t>(outer->second >> 32);
      location.inlined_line = static_cast<uint32_t>(outer->second);
    }
    if (location.file == location.inlined_file) location.inlined_line = location.line;
    call_sites_[key] = uint64_t{location.inlined_file} << 32 | location.inlined_line;
  }

  void local_declaration() {
    for (Variable& variable : variables(false)) {
      if (variable.space != Space::kRegister) {
        variable.name = declare(variable.name);
        function_->variables.push_back(std::move(variable));
      } else if (variable.is_extern) {  // a range
        if (variable.bytes > kMostRegisters) fail(words("more registers than any kernel needs"));
        for (uint64_t i = 0; i < variable.bytes; ++i)
          declare_register(variable.name + std::to_string(i), variable.type);
      } else {
        declare_register(variable.name, variable.type);
      }
    }
    expect(";");
  }

  void declare_register(const std::string& name, Type type) {
    const std::string unique = declare(name);
    register_names_.insert(unique);
    function_->registers.push_back({unique, type});
  }

  std::string declare(const std::string& name) {
    std::string unique = name;
    if (scopes_.size() > 2) unique += "'" + std::to_string(++unique_names_);
    scopes_.back()[name] = unique;
    return unique;
  }

  std::string resolve(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(name); found != scope->end()) return found->second;
    return name;
  }

  void label() {
    const std::string name = resolve(word());
    expect(":");
    if (accept(".branchtargets")) {
      auto& targets = function_->branch_targets[name];
      do targets.push_back(resolve(word()));
      while (accept(","));
      expect(";");
      return;
    }
    if (is(".callprototype") || is(".calltargets")) return skip_to_semicolon();
    Statement s;
    s.label = name;
    s.location = location_;
    s.location.ptx_line = peek().line;
    function_->body.push_back(std::move(s));
  }

  Statement statement() {
    Statement s;
    s.location = location_;
    s.location.ptx_line = peek().line;
    if (accept("@")) {
      s.guard_negated = accept("!");
      s.guard = resolve(word());
    }
    s.name = instruction_name(word());
    if (!is(";")) {
      do s.operands.push_back(operand());
      while (accept(",") || dual(s));
      s.operands.shrink_to_fit();
    }
    expect(";");
    return s;
  }

  std::shared_ptr<const InstructionName> instruction_name(const std::string& full) {
    auto& name = names_[full];
    if (!name) name = std::make_shared<const InstructionName>(full);
    return name;
  }

  bool dual(Statement& s) {
    if (!accept("|"))  // call f, (args) may lack a comma
      return s.opcode() == "call" && (is("(") || peek().kind == Token::kWord);
    s.dual_destination = true;
    return true;
  }

  Operand operand() {
    const Level level(*this);
    if (is("[")) return address();
    if (is("{")) return sequence(Operand::kVector, "{", "}");
    if (is("(")) return sequence(Operand::kList, "(", ")");
    if (accept("!")) {
      Operand inner = operand();
      inner.negated = true;
      return inner;
    }
    if (is("-") || peek().kind == Token::kNumber) return literal();
    return name_operand();
  }

  Operand name_operand() {
    Operand operand;
    const std::string name = word();
    if (name == "_") return operand;
    operand.name = resolve(name);
    operand.kind = name[0] == '%' || register_names_.contains(operand.name) ? Operand::kRegister : Operand::kSymbol;
    operand.offset = addend();
    return operand;
  }

  Operand address() {
    Operand result;
    result.kind = Operand::kAddress;
    expect("[");
    result.elements.push_back(operand());
    result.offset = std::exchange(result.elements[0].offset, 0);
    while (accept(",")) result.elements.push_back(operand());
    if (accept("+")) result.offset += static_cast<int64_t>(integer());
    expect("]");
    return result;
  }

  Operand sequence(Operand::Kind kind, std::string_view open, std::string_view close) {
    Operand result;
    result.kind = kind;
    expect(open);
    while (!accept(close)) {
      result.elements.push_back(operand());
      accept(",");
    }
    return result;
  }

  Module module_;
  Function* function_ = nullptr;
  int depth_ = 0;  // Level
  std::vector<std::unordered_map<std::string, std::string>> scopes_;
  uint32_t unique_names_ = 0;
  std::unordered_map<std::string, std::shared_ptr<const InstructionName>> names_;  // by full name
  SourceLocation location_;
  std::unordered_map<uint64_t, uint64_t> call_sites_;  // inlined line → the line of the call
  std::unordered_set<std::string> register_names_;     // of this function: they need not begin with '%'
};

}  // namespace

Module parse(std::string_view ptx) { return Parser(ptx).run(); }

}  // namespace lockstep
