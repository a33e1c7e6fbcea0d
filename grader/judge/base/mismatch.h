// mismatch: what is wrong in the answer of a call, as plain values and as lines for a person: the first wrong element,
// how many there are, where they lie, what they hold, and the elements around the first one, beside their input.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/judge/base/message.h"

namespace warpladder {

// Something that is true of the wrong elements.
struct Fact {
  std::string name;
  std::map<std::string, std::string> arguments = {};
};

// A column is an element, a row is what it had, got, and should have got.
struct Table {
  struct Row {
    std::string name;                // "in", "got", "want"; the first row has the indices
    std::vector<std::string> cells;  // one for each column
  };
  std::vector<Row> rows;
  std::vector<bool> wrong;  // for each column
};

struct Mismatch {
  Message where;           // the first wrong element: "out[33]"; or "the returned sum"
  Message got, want;       // got is kKept where the element still holds what it held before the call
  Message tolerance = {};  // empty where the answer must be exact
  size_t first = 0;        // the index of the first wrong element
  size_t wrong = 1, of = 1;
  std::optional<Fact> place = {};  // of the wrong elements among all
  std::optional<Fact> value = {};  // what all wrong elements have in common
  Table table = {};                // empty: it would show nothing more
};

inline constexpr const char* kKept = "kept";

// A part of a sentence. is_single: of one element, and not of several.
Message text_of(const Fact& fact, bool is_single = false);

// "out[256]: got 0, want 1", where the wrong ones lie, and the table: no line is wider than 64 characters.
std::vector<Message> lines_of(const Mismatch& wrong);

// The most columns whose cells fit beside each other. widest: the characters of the widest cell.
size_t columns_that_fit(size_t widest);

}  // namespace warpladder
