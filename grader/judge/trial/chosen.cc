#include "grader/judge/trial/chosen.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "grader/judge/base/fault.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestInput = size_t{1} << 30;

}  // namespace

Case named_case(const JudgeOptions& options, const Lab& lab) {
  std::vector<Case> cases;
  const auto add = [&](const std::vector<Case>& more) { std::ranges::copy(more, std::back_inserter(cases)); };
  if (!options.selection.schedules.empty()) add(plan_cases(lab, options.seed, Extent::kShort));
  if (!options.on_gpu) add(measured_cases(lab, options.seed));
  add(plan_cases(lab, options.seed, Extent::kWithReal));
  if (options.on_gpu) add(measured_cases(lab, options.seed));
  const auto found = std::ranges::find(cases, options.selection.only_case, &Case::name);
  if (found != cases.end()) return *found;
  throw JudgeFault("lab " + lab.number + " has no case \"" + options.selection.only_case +
                   "\". A case's name is ENTRY.SIZE.INPUT, such as " + cases.back().name + ".");
}

Case named_hidden_case(const std::string& name, const Lab& lab, std::vector<std::vector<Case>> lists) {
  for (std::vector<Case>& cases : lists) {
    const auto found = std::ranges::find(cases, name, &Case::alias);
    if (found == cases.end()) continue;
    found->name = found->alias;
    return *found;
  }
  throw JudgeFault("lab " + lab.number + " has no hidden case \"" + name + "\". The last one is " +
                   lists.front().back().alias + ".");
}

Case file_case(const JudgeOptions& options, const Lab& lab) {
  if (lab.contract->name != "histogram" && options.trace.empty())
    throw JudgeFault("lab " + lab.number + " takes no --input: only a histogram has bytes of yours to count.");
  const std::string entry = options.selection.only_case.empty() ? lab.measured : options.selection.only_case;
  if (std::ranges::find(lab.entries, entry) == lab.entries.end())
    throw JudgeFault("lab " + lab.number + " has no entry \"" + entry + "\", which --case names beside --input.");
  if (options.selection.block != 0 && std::ranges::find(lab.blocks, options.selection.block) == lab.blocks.end())
    throw JudgeFault("lab " + lab.number + " has no blocks of " + std::to_string(options.selection.block) +
                     ", as --block asks.");
  Case job = measured_case(lab, options.seed);
  job.name = entry + ".file";
  job.entry = lab.contract->find_entry(entry);
  job.input = "file";
  job.block = !job.entry->takes_block ? 0 : options.selection.block != 0 ? options.selection.block : lab.blocks.front();
  return job;
}

Bytes read_input_file(const fs::path& file) {
  if (!fs::exists(file))
    throw JudgeFault(file.string() + ": no such file. --input takes the file whose bytes are to be counted.");
  if (!fs::is_regular_file(file)) throw JudgeFault(file.string() + ": is no regular file. --input takes a file.");
  const size_t bytes = fs::file_size(file);
  if (bytes == 0) throw JudgeFault(file.string() + ": is empty, there is nothing to count. Choose another file.");
  if (bytes > kLargestInput)
    throw JudgeFault(file.string() + ": is larger than 1 GiB. Choose a smaller file, or cut it with head -c.");
  Bytes data(bytes);
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(bytes));
  if (stream.gcount() != static_cast<std::streamsize>(bytes))
    throw JudgeFault(file.string() + ": cannot be read. Check its permissions.");
  return data;
}

}  // namespace warpladder
