// cuda_tokens: the text of a CUDA source → its tokens, and the macros that it defines. Comments and directives are left
// out; nothing is expanded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

struct SourceToken {
  enum Kind : uint8_t { kWord, kNumber, kPunctuation, kLiteral } kind = kPunctuation;  // kLiteral: of characters
  std::string_view text;
  uint32_t line = 0;
  bool doubtful = false;  // stands between #if and #endif with an #else: perhaps it is not compiled
};
using SourceTokens = std::vector<SourceToken>;

struct CudaTokens {
  SourceTokens tokens;
  std::vector<std::pair<std::string, SourceTokens>> macros;  // without tokens: one with parameters
};

// The tokens point into the text.
CudaTokens cuda_tokens(std::string_view text);

}  // namespace lockstep
