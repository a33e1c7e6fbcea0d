// contract: common/contracts/NAME.json → a contract as the judge knows it: its functions, its inputs, the sizes of
// its arrays. The judge adds the code that makes inputs and checks answers. All of it stays in the judge's process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/judge/base/bytes.h"
#include "grader/judge/contract/baseline.h"
#include "grader/judge/contract/check.h"

namespace warpladder {

struct EntryInfo {
  std::string name, signature;
  bool on_host = false;      // its arrays are host memory
  bool takes_block = false;  // its last parameter is the number of threads of a block
};

struct Contract {
  std::string name;
  std::string elements;  // what n counts, for people: "floats"
  size_t element_bytes = 0;
  bool const_input = true;
  size_t fixed_out_bytes = 0, out_bytes_per_element = 0;
  std::vector<std::string> inputs;
  std::vector<EntryInfo> entries;

  Bytes (*make)(std::string_view input, size_t n, uint64_t seed) = nullptr;
  std::optional<Mismatch> (*check)(std::string_view entry, View in, const Answer& answer) = nullptr;
  const Baseline* baseline = nullptr;

  size_t out_bytes(size_t n) const { return fixed_out_bytes + n * out_bytes_per_element; }
  const EntryInfo* find_entry(std::string_view entry) const;
};

const Contract* find_contract(std::string_view name);  // null: there is none

// A description, as it stood in common/contracts/ when this judge was built. CMake writes the function.
struct ContractText {
  const char* name;
  const char* json;
};
std::vector<ContractText> contract_texts();

}  // namespace warpladder
