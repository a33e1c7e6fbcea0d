#include "grader/judge/contract/contract.h"

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "grader/judge/base/failure.h"
#include "grader/judge/base/random.h"
#include "grader/judge/base/reader.h"
#include "grader/judge/contract/inputs.h"

namespace warpladder {
namespace {

// x and then y, so that an element is a pair.
Bytes make_saxpy(std::string_view kind, size_t n, uint64_t seed) {
  std::vector<float> in = make_floats(kind, n, seed);
  const std::vector<float> y = make_floats(kind, n, seed_of(seed, "y"));
  in.insert(in.end(), y.begin(), y.end());
  return to_bytes(in);
}

template <class T>
Bytes make_numbers(std::string_view kind, size_t n, uint64_t seed) {
  if constexpr (std::is_same_v<T, float>) {
    return to_bytes(make_floats(kind, n, seed));
  } else {
    return to_bytes(make_ints<T>(kind, n, seed));
  }
}

template <class T>
EntryCode scan_code() {
  return {make_numbers<T>, check_scan<T>, &scan_baseline<T>()};
}

template <class T>
EntryCode reduction_code() {
  return {make_numbers<T>, check_reduction<T>, &reduction_baseline<T>()};
}

EntryCode code_of(const std::string& contract, const std::string& element) {
  static const std::map<std::pair<std::string, std::string>, EntryCode> kCode = {
      {{"saxpy", "float, float"}, {make_saxpy, check_saxpy, &kSaxpyBaseline}},
      {{"scan", "float"}, scan_code<float>()},
      {{"scan", "int"}, scan_code<int32_t>()},
      {{"scan", "long"}, scan_code<int64_t>()},
      {{"reduction", "int"}, reduction_code<int32_t>()},
      {{"reduction", "float"}, reduction_code<float>()},
      {{"reduction", "long"}, reduction_code<int64_t>()},
      {{"histogram", "byte"}, {make_raw_bytes, check_histogram, &kHistogramBaseline}},
      {{"select", "int"}, select_code()},
      {{"sort", "unsigned"}, sort_keys_code()},
      {{"sort", "unsigned, unsigned"}, sort_pairs_code()},
      {{"words", "byte"}, words_code()}};
  const auto found = kCode.find({contract, element});
  if (found == kCode.end())
    throw JudgeFault(
        message("the judge has no code for the contract \"{contract}\" with elements of type \"{element}\". "
                "Add its inputs and its check in grader/judge/contract/.",
                {{"contract", contract}, {"element", element}}));
  return found->second;
}

Share read_share(Reader reader) {
  const Share share{reader.get<double>("fixed"), reader.get<double>("per_element"), reader.get<std::string>("why")};
  reader.finish();
  return share;
}

// What a description says of its entries, and an entry may say otherwise of itself.
void read_arrays(EntryInfo& entry, const std::string& contract, Reader& reader) {
  static const std::map<std::string, size_t> kBytes = {
      {"float", 4}, {"int", 4}, {"unsigned", 4}, {"long", 8}, {"byte", 1}};
  entry.elements = reader.get<std::string>("elements", entry.elements);
  if (const auto types = reader.get<std::vector<std::string>>("element", {}); !types.empty()) {
    entry.element_bytes = entry.in_step = 0;
    for (const std::string& type : types) {
      if (!kBytes.contains(type))
        reader.fail(message("has an \"element\" that is no list of float, int, unsigned, long and byte"));
      entry.element_bytes += kBytes.at(type);
      entry.in_step = std::max(entry.in_step, kBytes.at(type));
    }
    entry.out_step = entry.in_step;
    std::string together;
    for (const std::string& type : types) together += (together.empty() ? "" : ", ") + type;
    entry.code = code_of(contract, together);
  }
  if (reader.has("output_element")) {
    const auto type = reader.get<std::string>("output_element");
    if (!kBytes.contains(type))
      reader.fail(message("has an \"output_element\" that is none of float, int, unsigned, long and byte"));
    entry.out_step = kBytes.at(type);
  }
  entry.const_input = reader.get<bool>("input_is_const", entry.const_input);
  if (reader.has("output_bytes")) {
    Reader out = reader.object("output_bytes");
    entry.fixed_out_bytes = out.get<size_t>("fixed");
    entry.out_bytes_per_element = out.get<size_t>("per_element");
    out.finish();
  }
  entry.fills_output = reader.get<bool>("output_is_filled", entry.fills_output);
  entry.inputs = reader.get<std::vector<std::string>>("inputs", entry.inputs);
  if (reader.has("to_host")) entry.to_host = read_share(reader.object("to_host"));
  if (reader.has("from_host")) entry.from_host = read_share(reader.object("from_host"));
}

Contract read_contract(const ContractText& text) {
  Reader reader = Reader::of_text(text.json, "common/contracts/" + std::string(text.name) + ".json");
  Contract contract;
  contract.name = text.name;
  for (const char* key : {"elements", "element", "input_is_const", "output_bytes", "inputs", "to_host", "from_host"}) {
    if (!reader.has(key)) reader.fail(message("has no \"{key}\"", {{"key", std::string(key)}}));
  }
  EntryInfo any;
  read_arrays(any, contract.name, reader);
  contract.inputs = any.inputs;
  for (Reader& entry : reader.list("entries", later("entry {number}"))) {
    EntryInfo info = any;
    read_arrays(info, contract.name, entry);
    const auto memory = entry.get<std::string>("memory"), work = entry.get<std::string>("work", memory);
    if (memory != "host" && memory != "device") entry.fail(message("has a \"memory\" that is neither host nor device"));
    if (work != "host" && work != "device") entry.fail(message("has a \"work\" that is neither host nor device"));
    info.name = entry.get<std::string>("name");
    info.signature = entry.get<std::string>("signature");
    info.on_host = memory == "host";
    info.takes_block = entry.get<bool>("takes_block", false);
    info.on_device = work == "device";
    entry.finish();
    for (const std::string& input : info.inputs) {
      if (std::ranges::find(contract.inputs, input) == contract.inputs.end()) contract.inputs.push_back(input);
    }
    contract.entries.push_back(std::move(info));
  }
  reader.finish();
  return contract;
}

}  // namespace

const EntryInfo* Contract::find_entry(std::string_view entry) const {
  const auto found = std::ranges::find(entries, entry, &EntryInfo::name);
  return found == entries.end() ? nullptr : &*found;
}

const Contract* find_contract(std::string_view name) {
  static const std::vector<Contract> kContracts = [] {
    std::vector<Contract> contracts;
    for (const ContractText& text : contract_texts()) contracts.push_back(read_contract(text));
    return contracts;
  }();
  const auto found = std::ranges::find(kContracts, name, &Contract::name);
  return found == kContracts.end() ? nullptr : &*found;
}

}  // namespace warpladder
