// token_reader: tokens one after the other, with a look ahead at any number of them; and the words and numbers in them.
// A number becomes an operand with its bits and its kind. Left out: the grammar.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>

#include "ptx/lexer.h"
#include "ptx/module.h"

namespace lockstep {

class TokenReader {
 public:
  explicit TokenReader(std::string_view text) : lexer_(text) {}

  Token peek(size_t ahead = 0) const {
    while (ready_.size() <= ahead && (ready_.empty() || ready_.back().kind != Token::kEnd))
      ready_.push_back(lexer_.next());
    return ready_[std::min(ahead, ready_.size() - 1)];
  }
  Token take() {
    const Token token = peek();
    if (token.kind != Token::kEnd) ready_.pop_front();
    return token;
  }
  bool is(std::string_view text, size_t ahead = 0) const {
    return peek(ahead).kind != Token::kString && peek(ahead).text == text;
  }
  bool accept(std::string_view text) { return is(text) && (take(), true); }
  void expect(std::string_view text) {
    if (!accept(text))
      fail(words("expected '{wanted}', found '{found}'",
                 {{"wanted", std::string(text)}, {"found", std::string(peek().text)}}));
  }
  [[noreturn]] void fail(const std::string& message) const { throw PtxError(peek().line, message); }
  std::string word() {
    if (peek().kind != Token::kWord)
      fail(words("expected a name, found '{found}'", {{"found", std::string(peek().text)}}));
    return std::string(take().text);
  }

  // The operand's bits and whether they are an integer, a float or a double.
  Operand number() {
    const std::string text(take().text);
    Operand operand;
    const char second = text.size() > 1 ? text[1] : '\0';
    if (text[0] == '0' && (second == 'f' || second == 'F') && text.size() == 10) {
      operand.kind = Operand::kFloat;
      operand.bits = std::strtoull(text.c_str() + 2, nullptr, 16);
    } else if (text[0] == '0' && (second == 'd' || second == 'D')) {
      operand.kind = Operand::kDouble;
      operand.bits = std::strtoull(text.c_str() + 2, nullptr, 16);
    } else if (text.find('.') != std::string::npos) {
      operand.kind = Operand::kDouble;
      operand.bits = std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr));
    } else {
      operand.kind = Operand::kInteger;
      const bool binary = text[0] == '0' && (second == 'b' || second == 'B');
      operand.bits = std::strtoull(text.c_str() + (binary ? 2 : 0), nullptr, binary ? 2 : 0);
    }
    return operand;
  }

  // A number with its sign.
  Operand literal() {
    const bool negative = accept("-");
    Operand operand = number();
    if (!negative) return operand;
    if (operand.kind == Operand::kInteger)
      operand.bits = -operand.bits;
    else
      operand.bits ^= operand.kind == Operand::kFloat ? 0x80000000ull : 0x8000000000000000ull;
    return operand;
  }

  uint64_t integer() {
    const bool negative = accept("-");
    if (peek().kind != Token::kNumber)
      fail(words("expected a number, found '{found}'", {{"found", std::string(peek().text)}}));
    const uint64_t value = number().bits;
    return negative ? -value : value;
  }

 private:
  mutable Lexer lexer_;
  mutable std::deque<Token> ready_;  // read, and not taken yet
};

}  // namespace lockstep
