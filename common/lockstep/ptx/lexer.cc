#include "ptx/lexer.h"

#include <algorithm>
#include <cctype>

namespace lockstep {
namespace {

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}
bool continues_word(char c) { return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)); }

}  // namespace

void Lexer::skip_blanks() {
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

void Lexer::skip_block_comment() {
  const size_t end = text_.find("*/", at_ + 2);
  if (end == std::string_view::npos) throw PtxError(line_, words("comment without an end"));
  for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
}

Token Lexer::next() {
  skip_blanks();
  if (at_ >= text_.size()) return {Token::kEnd, {}, line_};
  const char c = peek();
  if (c == '"') return string();
  if (std::isdigit(static_cast<unsigned char>(c))) return number();
  if (starts_word(c)) return word();
  return {Token::kPunctuation, text_.substr(at_++, 1), line_};
}

Token Lexer::string() {
  const size_t start = ++at_;
  while (at_ < text_.size() && peek() != '"') at_ += peek() == '\\' ? 2 : 1;
  if (at_ >= text_.size()) throw PtxError(line_, words("string without an end"));
  return {Token::kString, text_.substr(start, at_++ - start), line_};
}

Token Lexer::number() {
  const size_t start = at_;
  while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '.') ++at_;
  return {Token::kNumber, text_.substr(start, at_ - start), line_};
}

// "::" belongs to a word (".shared::cta"); a single colon ends a label. An instruction is one word with its modifiers
// ("add.f32"). A directive is a word of its own, even without a blank behind it (".reg.b32").
Token Lexer::word() {
  const size_t start = at_++;
  const bool directive = text_[start] == '.';
  while ((continues_word(peek()) && !(directive && peek() == '.')) ||
         (peek() == ':' && peek(1) == ':' && continues_word(peek(2))))
    at_ += peek() == ':' ? 2 : 1;
  return {Token::kWord, text_.substr(start, at_ - start), line_};
}

}  // namespace lockstep
