// contract: what the judge knows of a contract in common/contracts/: its functions, its inputs, how to tell a right
// answer. Everything here stays in the judge's process.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "grader/judge/baseline.h"
#include "grader/judge/bytes.h"

namespace warpladder {

struct EntryInfo {
  std::string_view name, signature;
  bool on_host;              // its arrays are host memory
  bool takes_block = false;  // threads of a block, as its last parameter
};

// The first wrong coordinate of an answer.
struct Mismatch {
  std::string where;      // "out[33]", "the returned sum"
  std::string got, want;  // "never written" for poison that is still there
  std::string tolerance;  // "" where the answer must be exact by nature
  size_t wrong = 1, of = 1;
};

struct Answer {
  View out;
  int64_t value;
};

struct Contract {
  std::string_view name;
  std::string_view elements;  // what n counts, for people: "floats"
  size_t element_bytes;
  bool const_input;
  std::span<const EntryInfo> entries;
  std::span<const std::string_view> inputs;

  size_t (*out_bytes)(size_t n);
  Bytes (*make)(std::string_view input, size_t n, uint64_t seed);
  std::optional<Mismatch> (*check)(std::string_view entry, View in, const Answer& answer);
  const Baseline& baseline;

  const EntryInfo* find_entry(std::string_view entry) const;
};

const Contract* find_contract(std::string_view name);

}  // namespace warpladder
