#include "lexer.h"

#include <cctype>

namespace lockstep {
namespace {

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}
bool continues_word(char c) { return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)); }

// One pass over the text; `at` is the next character.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(text_.size() / 5);
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) tokens.push_back(next());
    tokens.push_back({Token::kEnd, {}, line_});
    return tokens;
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (peek() == '\n') {
        ++line_, ++at_;
      } else if (std::isspace(static_cast<unsigned char>(peek())) || peek() == '\0') {
        ++at_;
      } else if (peek() == '/' && peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (peek() == '/' && peek(1) == '*') {
        skip_block_comment();
      } else {
        return;
      }
    }
  }

  void skip_block_comment() {
    const size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) throw PtxError(line_, "comment without an end");
    for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
  }

  Token next() {
    const char c = peek();
    if (c == '"') return string();
    if (std::isdigit(static_cast<unsigned char>(c))) return number();
    if (starts_word(c)) return word();
    return {Token::kPunctuation, text_.substr(at_++, 1), line_};
  }

  Token string() {
    const size_t start = ++at_;
    while (at_ < text_.size() && peek() != '"') at_ += peek() == '\\' ? 2 : 1;
    if (at_ >= text_.size()) throw PtxError(line_, "string without an end");
    return {Token::kString, text_.substr(start, at_++ - start), line_};
  }

  Token number() {
    const size_t start = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '.') ++at_;
    return {Token::kNumber, text_.substr(start, at_ - start), line_};
  }

  // "::" belongs to a word (".shared::cta"), a single colon ends a label. An instruction is one word with its modifiers
  // ("add.f32"), but directives stand alone, even where no blank parts them (".reg.b32").
  Token word() {
    const size_t start = at_++;
    const bool directive = text_[start] == '.';
    while ((continues_word(peek()) && !(directive && peek() == '.')) ||
           (peek() == ':' && peek(1) == ':' && continues_word(peek(2))))
      at_ += peek() == ':' ? 2 : 1;
    return {Token::kWord, text_.substr(start, at_ - start), line_};
  }

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
};

}  // namespace

std::vector<Token> tokenise(std::string_view text) { return Scanner(text).run(); }

}  // namespace lockstep
