// contract: the judge's description of a contract of common/contracts/: its functions, its inputs, how a right answer
// is told from a wrong one. All of this stays in the judge's process.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "grader/judge/base/bytes.h"
#include "grader/judge/contract/baseline.h"
#include "grader/judge/contract/check.h"

namespace warpladder {

struct EntryInfo {
  std::string_view name, signature;
  bool on_host;              // its arrays are host memory
  bool takes_block = false;  // its last parameter is the number of threads of a block
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
