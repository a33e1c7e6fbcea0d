// words: a part of a message for a person, with its form and its arguments, for a translation. It is kept inside the
// message's own text, between marks: so messages are still put together as strings. Findings take the marks out.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

struct Piece;

// A text in the order of its parts.
using Pieces = std::vector<Piece>;

// A string that is the same in every language, or words: an English form, in which {key} stands for an argument.
struct Piece {
  std::string text;
  bool is_words = false;
  std::vector<std::pair<std::string, Pieces>> arguments = {};
};

// The form is found by the name of this function (grader/tools/messages.py).
std::string words(std::string_view form, const std::vector<std::pair<std::string, std::string>>& arguments = {});

// Marks a form that stands elsewhere than in a call of words(), for the same program.
constexpr const char* later(const char* form) { return form; }

Pieces pieces(std::string_view marked);

// What a person reads, in English and without marks.
std::string plain(std::string_view marked);

}  // namespace lockstep
