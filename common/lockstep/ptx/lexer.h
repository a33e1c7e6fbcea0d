// lexer: PTX text → tokens. Drops comments and white space. Interprets nothing but the quotes of strings.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"

namespace lockstep {

struct Token {
  enum Kind : uint8_t {
    kWord,         // identifier, register, opcode or directive with all its dots: "ld.global.u32", ".reg", "%tid.x"
    kNumber,       // as written: "42", "0x1F", "0f3F800000", "1.5"
    kString,       // between the quotes
    kPunctuation,  // one character
    kEnd,
  } kind = kEnd;
  std::string_view text;
  uint32_t line = 0;
};

// PTX that an assembler would refuse, or that lockstep cannot read. what() names the line, with marks (base/words.h).
struct PtxError : std::runtime_error {
  PtxError(uint32_t at_line, const std::string& message)
      : std::runtime_error(words("PTX line {line}: {what}", {{"line", std::to_string(at_line)}, {"what", message}})),
        line(at_line) {}
  uint32_t line;
};

// One pass over the text, one token at a time: all tokens at once need several times the memory of the text.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}  // must outlive the tokens, which point into it
  Token next();                                           // kEnd at the end, and ever after

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip_blanks();
  void skip_block_comment();
  Token string();
  Token number();
  Token word();

  std::string_view text_;
  size_t at_ = 0;  // the next character
  uint32_t line_ = 1;
};

}  // namespace lockstep
