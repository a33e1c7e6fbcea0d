// page: what a person reads, in parts → text in English, for a page of a certain width. The launcher makes the same of
// the parts in another language (grader/launcher/page.py).
#pragma once

#include <string>
#include <vector>

#include "grader/judge/base/message.h"

namespace warpladder {

struct Part {
  // kLine: one line as it is. kFolded: it goes on below if it is long. kFirst: the same with the first sentence alone;
  // less of it would say something else. kStep: the same as kFolded, but of many steps some are left out. kPrinted: a
  // line that the code itself has printed. kTable: the rows, whose columns end below each other.
  enum class Kind { kLine, kFolded, kFirst, kStep, kPrinted, kTable };

  Kind kind;
  std::string indent;
  Message text = {};
  Message word = {};  // at the side of the text
  std::vector<std::vector<Message>> rows = {};
};

using Page = std::vector<Part>;

std::string to_text(const Page& page);

}  // namespace warpladder
