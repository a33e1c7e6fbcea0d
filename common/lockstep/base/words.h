// words: a part of a message for a person, with its form and its arguments, for a translation. It is kept inside the
// message's own text, between marks: so messages are still put together as strings. What prints or reports a message
// takes the marks out.
#pragma once

#include <cstdint>
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

// The form is found by the name of this function (grader/tools/messages.py). A form has one line.
using Facts = std::vector<std::pair<std::string, std::string>>;
std::string words(std::string_view form, const Facts& arguments = {});

// Marks a form that stands elsewhere than in a call of words(), for the same program.
constexpr const char* later(const char* form) { return form; }

// What is wrong, and in a line below it the next step. All tools that read messages know the line by "Next: ".
std::string with_next(const std::string& what, const std::string& next);

std::string byte_count(uint64_t bytes);          // "1 byte", "4 bytes"
std::string at_place(const std::string& place);  // " at a.cu:12"; "" for ""

// Words that stand deeper in each other than any message of ours are left out.
Pieces pieces(std::string_view marked);

// What a person reads, in English and without marks.
std::string plain(std::string_view marked);

// A text that a program chose, with its words, and without anything else that commands a terminal.
std::string harmless(std::string_view marked);

}  // namespace lockstep
