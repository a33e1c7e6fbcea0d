// contract "words" as the runner calls it.
#include "common/contracts/words.h"

#include "common/runner/adapter.h"

#pragma GCC diagnostic ignored "-Waddress"  // a weak function may be null
__attribute__((weak)) decltype(top_words) top_words;

namespace warpladder {
namespace {

void call_top_words(Arguments& a) {
  a.value = top_words(static_cast<const char*>(a.in), a.n, static_cast<WordCount*>(a.out));
}

const EntryPoint kEntryPoints[] = {{"top_words", top_words != nullptr, call_top_words}};

}  // namespace

std::span<const EntryPoint> entry_points() { return kEntryPoints; }

}  // namespace warpladder
