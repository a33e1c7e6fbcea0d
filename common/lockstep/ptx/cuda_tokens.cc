#include "ptx/cuda_tokens.h"

#include <algorithm>
#include <cctype>

namespace lockstep {
namespace {

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_word_part(char c) { return begins_word(c) || std::isdigit(static_cast<unsigned char>(c)); }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  CudaTokens run() {
    while (at_ < text_.size()) step();
    mark_doubtful();
    return std::move(out_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  // The text up to `end`. Counts its lines.
  std::string_view take_to(size_t end) {
    const std::string_view taken = text_.substr(at_, end - at_);
    line_ += static_cast<uint32_t>(std::ranges::count(taken, '\n'));
    at_ = std::min(end, text_.size());
    return taken;
  }
  size_t find(std::string_view what, size_t from) const {
    const size_t found = text_.find(what, from);
    return found == text_.npos ? text_.size() : found + what.size();
  }

  void step() {
    const char c = peek();
    if (c == '\n') line_begins_ = true;
    if (std::isspace(static_cast<unsigned char>(c)) || c == '\\') return void(take_to(at_ + 1));
    if (c == '/' && peek(1) == '/') return void(take_to(end_of_line()));
    if (c == '/' && peek(1) == '*') return void(take_to(find("*/", at_ + 2)));
    if (c == '#' && line_begins_) return directive();
    line_begins_ = false;
    if (c == '"' || c == '\'') return literal(c);
    if (std::isdigit(static_cast<unsigned char>(c))) return add(SourceToken::kNumber, end_of_number());
    if (!begins_word(c)) return add(SourceToken::kPunctuation, at_ + 1);
    size_t end = at_;
    while (end < text_.size() && is_word_part(text_[end])) ++end;
    if (end < text_.size() && text_[end] == '"' && text_[end - 1] == 'R') return raw_string(end);
    add(SourceToken::kWord, end);
  }

  void add(SourceToken::Kind kind, size_t end) {
    const uint32_t line = line_;
    out_.tokens.push_back({kind, take_to(end), line, false});
  }

  size_t end_of_line() const {
    size_t end = at_;
    while (end < text_.size() && (text_[end] != '\n' || (end > 0 && text_[end - 1] == '\\'))) ++end;
    return end;
  }
  size_t end_of_number() const {
    size_t end = at_;
    while (end < text_.size() && (is_word_part(text_[end]) || text_[end] == '.' || text_[end] == '\'')) ++end;
    return end;
  }
  void literal(char quote) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    add(SourceToken::kLiteral, std::min(end + 1, text_.size()));
  }
  void raw_string(size_t quote) {
    const size_t open = std::min(text_.find('(', quote), text_.size());
    const std::string close = ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
    add(SourceToken::kLiteral, find(close, open));
  }

  void directive() {
    const uint32_t line = line_;
    const std::string_view all = take_to(end_of_line());
    CudaTokens inside = Tokenizer(all.substr(1)).run();
    for (SourceToken& token : inside.tokens) token.line = line;
    if (inside.tokens.empty()) return;
    const std::string_view what = inside.tokens.front().text;
    if (what.starts_with("if")) open_.push_back({line, 0, false});
    if (what.starts_with("el") && !open_.empty()) open_.back().has_else = true;
    if (what == "endif" && !open_.empty()) {
      open_.back().last = line;
      groups_.push_back(open_.back());
      open_.pop_back();
    }
    if (what == "define") define(all, inside.tokens);
  }

  // A macro with parameters has the bracket right behind its name.
  void define(std::string_view all, const SourceTokens& tokens) {
    if (tokens.size() < 2) return;
    const std::string_view name = tokens[1].text;
    const size_t behind = static_cast<size_t>(name.data() - all.data()) + name.size();
    const bool has_parameters = behind < all.size() && all[behind] == '(';
    out_.macros.emplace_back(name, has_parameters ? SourceTokens{} : SourceTokens(tokens.begin() + 2, tokens.end()));
  }

  void mark_doubtful() {
    for (const Group& group : groups_)
      if (group.has_else)
        for (SourceToken& token : out_.tokens) token.doubtful |= token.line >= group.first && token.line <= group.last;
  }

  struct Group {  // #if … #endif
    uint32_t first = 0, last = 0;
    bool has_else = false;
  };

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  bool line_begins_ = true;
  std::vector<Group> open_, groups_;
  CudaTokens out_;
};

}  // namespace

CudaTokens cuda_tokens(std::string_view text) { return Tokenizer(text).run(); }

}  // namespace lockstep
