// contract "words": the most frequent words of a text.
//
// A word is a longest run of the letters A to Z, a to z and of bytes from 128 on, which are parts of other letters in
// UTF-8. The capital letters A to Z count as small ones.
#pragma once

#include <cstddef>

inline constexpr int kTopWords = 20;

// A word, how often it occurs, and where it occurs first.
struct WordCount {
  unsigned long long first;  // bytes from the start of the text
  unsigned length;           // bytes
  unsigned count;
};

// text (bytes bytes, must not change) and top (room for kTopWords) are host memory. Writes the most frequent words to
// top: larger counts come first, and of words with equal counts the one that occurs first. Returns how many it wrote:
// kTopWords, or fewer if the text has fewer different words. The rest of top keeps what it held. top is complete on
// return.
//
// Kernels do the work. In a grade they see another text than the host: the host only copies the text, in pieces that
// begin at multiples of 4 bytes.
int top_words(const char* text, size_t bytes, WordCount* top);
