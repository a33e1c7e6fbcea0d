#include "grader/judge/contract/contract.h"

#include <algorithm>
#include <map>

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

Bytes make_scan(std::string_view kind, size_t n, uint64_t seed) { return to_bytes(make_floats(kind, n, seed)); }

Bytes make_reduction(std::string_view kind, size_t n, uint64_t seed) { return to_bytes(make_ints(kind, n, seed)); }

// The code that belongs to a description.
void add_code(Contract& contract) {
  const auto add = [&](auto make, auto check, const Baseline& baseline) {
    contract.make = make;
    contract.check = check;
    contract.baseline = &baseline;
  };
  if (contract.name == "saxpy") return add(make_saxpy, check_saxpy, kSaxpyBaseline);
  if (contract.name == "scan") return add(make_scan, check_scan, kScanBaseline);
  if (contract.name == "reduction") return add(make_reduction, check_reduction, kReductionBaseline);
  if (contract.name == "histogram") return add(make_raw_bytes, check_histogram, kHistogramBaseline);
  throw JudgeFault("the judge has no code for the contract \"" + contract.name +
                   "\". Add its inputs and its check in grader/judge/contract/.");
}

Share read_share(Reader reader) {
  const Share share{reader.get<double>("fixed"), reader.get<double>("per_element"), reader.get<std::string>("why")};
  reader.finish();
  return share;
}

Contract read_contract(const ContractText& text) {
  static const std::map<std::string, size_t> kBytes = {{"float", 4}, {"int", 4}, {"byte", 1}};
  Reader reader = Reader::of_text(text.json, "common/contracts/" + std::string(text.name) + ".json");
  Contract contract;
  contract.name = text.name;
  contract.elements = reader.get<std::string>("elements");
  for (const std::string& type : reader.get<std::vector<std::string>>("element")) {
    if (!kBytes.contains(type)) reader.fail("has an \"element\" that is no list of float, int and byte");
    contract.element_bytes += kBytes.at(type);
  }
  contract.const_input = reader.get<bool>("input_is_const");
  Reader out = reader.object("output_bytes");
  contract.fixed_out_bytes = out.get<size_t>("fixed");
  contract.out_bytes_per_element = out.get<size_t>("per_element");
  contract.inputs = reader.get<std::vector<std::string>>("inputs");
  const Share to_host = read_share(reader.object("to_host")), from_host = read_share(reader.object("from_host"));
  for (Reader& entry : reader.list("entries", "entry")) {
    const auto memory = entry.get<std::string>("memory"), work = entry.get<std::string>("work", memory);
    if (memory != "host" && memory != "device") entry.fail("has a \"memory\" that is neither host nor device");
    if (work != "host" && work != "device") entry.fail("has a \"work\" that is neither host nor device");
    contract.entries.push_back({entry.get<std::string>("name"), entry.get<std::string>("signature"), memory == "host",
                                entry.get<bool>("takes_block", false), work == "device", to_host, from_host});
    entry.finish();
  }
  out.finish();
  reader.finish();
  add_code(contract);
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
