// array_shape: a declaration in the source, and the bytes that PTX gives the array → how many elements a row has. What
// cannot be computed from the source alone, and what disagrees with the bytes, has no shape.
#include <charconv>
#include <cstdlib>

#include "ptx/cuda_source.h"

namespace lockstep {
namespace {

// Integer constants, names of such constants, and + - * / % << >> with brackets.
class Expression {
 public:
  using Names = std::map<std::string, std::string>;
  Expression(const CudaSource& source, const Names& arguments, const SourceTokens& tokens, int depth = 0)
      : source_(source), arguments_(arguments), tokens_(tokens), depth_(depth) {}

  std::optional<int64_t> value() {
    const auto found = tokens_.empty() ? std::nullopt : sum();
    return at_ == tokens_.size() ? found : std::nullopt;
  }

 private:
  static constexpr int kDeepest = 16;  // names that stand for names, and brackets

  bool take(std::string_view text) {
    if (at_ == tokens_.size() || tokens_[at_].text != text) return false;
    return ++at_, true;
  }
  bool take_twice(std::string_view text) {
    if (at_ + 1 >= tokens_.size() || tokens_[at_].text != text || tokens_[at_ + 1].text != text) return false;
    return at_ += 2, true;
  }

  using Number = std::optional<int64_t>;
  template <class Function>
  static Number combine(Number a, Number b, Function function) {
    constexpr int64_t kMost = int64_t{1} << 31;  // no array is larger, and nothing below overflows
    if (!a || !b || std::abs(*a) > kMost || std::abs(*b) > kMost) return std::nullopt;
    return function(*a, *b);
  }

  Number sum() {
    Number left = shift_free_sum();
    for (;;) {
      const auto shift = [](bool up) {
        return [up](int64_t a, int64_t b) -> Number {
          if (a < 0 || b < 0 || b > 30) return std::nullopt;
          return up ? a << b : a >> b;
        };
      };
      if (take_twice("<"))
        left = combine(left, shift_free_sum(), shift(true));
      else if (take_twice(">"))
        left = combine(left, shift_free_sum(), shift(false));
      else
        return left;
    }
  }
  Number shift_free_sum() {
    Number left = product();
    for (;;) {
      if (take("+"))
        left = combine(left, product(), [](int64_t a, int64_t b) { return Number(a + b); });
      else if (take("-"))
        left = combine(left, product(), [](int64_t a, int64_t b) { return Number(a - b); });
      else
        return left;
    }
  }
  Number product() {
    Number left = factor();
    for (;;) {
      if (take("*"))
        left = combine(left, factor(), [](int64_t a, int64_t b) { return Number(a * b); });
      else if (take("/"))
        left = combine(left, factor(), [](int64_t a, int64_t b) { return b ? Number(a / b) : Number(); });
      else if (take("%"))
        left = combine(left, factor(), [](int64_t a, int64_t b) { return b ? Number(a % b) : Number(); });
      else
        return left;
    }
  }
  Number factor() {
    if (at_ == tokens_.size() || depth_ >= kDeepest) return std::nullopt;
    if (take("(")) {
      ++depth_;
      const Number inside = sum();
      --depth_;
      return take(")") ? inside : std::nullopt;
    }
    const SourceToken& token = tokens_[at_++];
    if (token.kind == SourceToken::kNumber) return number(token.text);
    return token.kind == SourceToken::kWord ? named(std::string(token.text)) : std::nullopt;
  }

  Number named(const std::string& name) {
    if (const auto argument = arguments_.find(name); argument != arguments_.end()) return number(argument->second);
    if (name == "warpSize") return 32;
    const auto constant = source_.constants.find(name);
    if (constant == source_.constants.end()) return std::nullopt;
    return Expression(source_, arguments_, constant->second, depth_ + 1).value();
  }

  // "256", "0x100", "1'024u", or a template's "(int)256".
  static Number number(std::string_view text) {
    if (text.starts_with("(")) text.remove_prefix(std::min(text.find(')') + 1, text.size()));
    std::string digits;
    for (const char c : text)
      if (c != '\'') digits += c;
    while (!digits.empty() && std::string_view("uUlLzZ").find(digits.back()) != std::string_view::npos)
      digits.pop_back();
    const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
    if (!hex && digits.size() > 1 && digits[0] == '0') return std::nullopt;  // octal, or binary
    int64_t value = 0;
    const char *first = digits.data() + (hex ? 2 : 0), *last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(first, last, value, hex ? 16 : 10);
    return error == std::errc() && end == last && first != last ? Number(value) : std::nullopt;
  }

  const CudaSource& source_;
  const Names& arguments_;
  const SourceTokens& tokens_;
  int depth_;
  size_t at_ = 0;
};

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

}  // namespace

std::string ArrayShape::index(int64_t offset) const {
  int64_t element = floor_divide(offset, static_cast<int64_t>(element_bytes));
  if (!is_array && element == 0) return "";
  std::string text;
  for (auto extent = inner.rbegin(); extent != inner.rend(); ++extent) {
    const auto n = static_cast<int64_t>(*extent);
    const int64_t row = floor_divide(element, n);
    text = "[" + std::to_string(element - row * n) + "]" + text;
    element = row;
  }
  return "[" + std::to_string(element) + "]" + text;
}

std::optional<ArrayShape> shape_of(const CudaSource& source, const DeclaredArray& array, uint64_t bytes,
                                   const DeclaredFunction* function, const std::vector<std::string>& arguments) {
  Expression::Names names;
  for (size_t i = 0; function && i < function->template_parameters.size(); ++i)
    names[function->template_parameters[i]] = i < arguments.size() ? arguments[i] : "";
  std::vector<int64_t> extents;  // 0: not known
  for (const SourceTokens& tokens : array.extents) {
    const auto value = Expression(source, names, tokens).value();
    if (value && *value <= 0) return std::nullopt;
    extents.push_back(value.value_or(0));
  }
  ArrayShape shape{array.element_bytes, !extents.empty(), {}};
  uint64_t elements = 1;
  for (size_t i = 1; i < extents.size(); ++i) {
    if (extents[i] == 0) return std::nullopt;
    shape.inner.push_back(static_cast<uint64_t>(extents[i]));
    elements *= shape.inner.back();
    if (elements > uint64_t{1} << 31) return std::nullopt;
  }
  const uint64_t first = extents.empty() ? 1 : static_cast<uint64_t>(extents[0]);
  if (shape.element_bytes == 0) {  // a struct, or a template's type
    if (bytes == 0 || first == 0 || bytes % (elements * first) != 0) return std::nullopt;
    shape.element_bytes = bytes / (elements * first);
  }
  const uint64_t row = elements * shape.element_bytes;
  const bool agrees = bytes == 0 ? shape.inner.empty() : first ? bytes == row * first : bytes % row == 0;
  return agrees ? std::optional(shape) : std::nullopt;
}

}  // namespace lockstep
