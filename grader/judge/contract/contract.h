// contract: common/contracts/NAME.json → a contract as the judge knows it: its functions, its inputs, the sizes of
// its arrays. The judge adds the code that makes inputs and checks answers. All of it stays in the judge's process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "grader/judge/base/bytes.h"
#include "grader/judge/base/mismatch.h"

namespace warpladder {

// How many bytes may pass in one direction between the host and the device in one call: enough for every honest way to
// compute it on the device, and too few to compute it on the host.
struct Share {
  double fixed = 0, per_element = 0;
  std::string why;
};

struct Answer {
  View out;
  int64_t value;  // the returned value of the function; of a float, its bits
};

// The contract's work done on the host. A kernel's time is compared with the time that it takes. The result depends on
// the whole answer, so that the optimiser cannot leave work out.
struct Baseline {
  uint64_t (*serial)(std::string_view entry, View in);  // a plain loop on one core
  // The library call that a CPU programmer would use, on every core. Null where this build lacks the library.
  uint64_t (*parallel)(std::string_view entry, View in);
  std::string_view parallel_what;  // for people; a form, if it has words
};

// The judge's code for the entries of a contract whose elements have one type.
struct EntryCode {
  Bytes (*make)(std::string_view input, size_t n, uint64_t seed) = nullptr;
  // The input and the answer of one call → what is wrong, or nothing.
  std::optional<Mismatch> (*check)(std::string_view entry, View in, const Answer& answer) = nullptr;
  const Baseline* baseline = nullptr;
};

struct EntryInfo {
  std::string name, signature;
  bool on_host = false;              // its arrays are host memory
  bool takes_block = false;          // its last parameter is the number of threads of a block
  bool on_device = true;             // kernels do its work, also if its arrays are host memory
  Share to_host{}, from_host{};      // without meaning if the work is the host's
  std::string elements{};            // what n counts, for people: "floats"
  size_t element_bytes = 0;          // of the input; a pair is one element
  size_t in_step = 0, out_step = 0;  // bytes of one value of each array, which may begin at any multiple of them
  bool const_input = true;
  size_t fixed_out_bytes = 0, out_bytes_per_element = 0;
  bool fills_output = true;  // every element of the output is stored, whatever the input is
  std::vector<std::string> inputs{};
  EntryCode code{};

  size_t out_bytes(size_t n) const { return fixed_out_bytes + n * out_bytes_per_element; }
};

struct Contract {
  std::string name;
  std::vector<std::string> inputs;  // of any entry, the simplest first
  std::vector<EntryInfo> entries;

  const EntryInfo* find_entry(std::string_view entry) const;
};

const Contract* find_contract(std::string_view name);  // null: there is none

// The code of each contract, in check.cc and baseline.cc, or in a file of its own. T: float, int32_t or int64_t.
std::optional<Mismatch> check_saxpy(std::string_view entry, View in, const Answer& answer);
template <class T>
std::optional<Mismatch> check_scan(std::string_view entry, View in, const Answer& answer);
template <class T>
std::optional<Mismatch> check_reduction(std::string_view entry, View in, const Answer& answer);
std::optional<Mismatch> check_histogram(std::string_view entry, View in, const Answer& answer);
EntryCode select_code();
EntryCode sort_keys_code();
EntryCode sort_pairs_code();
EntryCode words_code();
// Of an output of top_words that is right: the words as people may see them, and how often each occurs.
std::vector<std::pair<std::string, uint64_t>> words_in(View text, View top);
extern const Baseline kSaxpyBaseline, kHistogramBaseline;
template <class T>
const Baseline& scan_baseline();
template <class T>
const Baseline& reduction_baseline();

// A description, as it stood in common/contracts/ when this judge was built. CMake writes the function.
struct ContractText {
  const char* name;
  const char* json;
};
std::vector<ContractText> contract_texts();

}  // namespace warpladder
