#include "grader/judge/cases/cases.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <map>

#include "grader/judge/base/random.h"
#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

struct Size {
  std::string name;
  size_t n;
  bool has_every_input = false;
};

// Sizes around a warp, around the largest block and around larger powers of two, and a prime, which no block size
// divides.
constexpr size_t kSizes[] = {0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 4095, 4097, 65535, 65537, 999983, 1048575, 1048577};
// A mistake that a larger size shows is often there with one of these, where a person can follow it.
constexpr size_t kBetween[] = {3, 4, 5, 8, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513};
constexpr size_t kShortSizes[] = {1, 33, 1024, 4097};
constexpr size_t kEveryInputUpTo = 2048;

std::vector<Size> sizes_of(const Lab& lab, uint64_t seed, Extent extent) {
  std::vector<Size> sizes;
  const auto add = [&](size_t n, bool has_every_input) {
    if (n <= lab.sizes.largest) sizes.push_back({std::to_string(n), n, has_every_input});
  };
  if (extent == Extent::kShort) {
    for (const size_t n : kShortSizes) add(n, false);
    return sizes;
  }
  for (const size_t n : kSizes) add(n, n <= kEveryInputUpTo);
  for (const size_t n : kBetween) add(n, false);
  std::ranges::sort(sizes, {}, &Size::n);
  // One size is small and one is not: how many cases are small must not depend on the seed.
  Random random(seed_of(seed, "sizes"));
  const auto draw = [&](size_t least, size_t most) { return least + random.below(most - least + 1); };
  const size_t largest = lab.sizes.largest;
  sizes.push_back({"fresh1", draw(3, std::min(largest, kLargestChecked))});
  sizes.push_back({"fresh2", draw(largest > kLargestChecked ? kLargestChecked + 1 : 3, largest)});
  if (extent == Extent::kWithReal) sizes.push_back({"real", lab.sizes.real, true});
  return sizes;
}

// Simplest first, in the order of lab.inputs. If a size does not have every kind, it has the one that is measured
// ("random") and, as long as it is quick, the simplest one. Above some size each of the others takes its turn.
std::vector<std::string> inputs_for(const Lab& lab, const EntryInfo& entry, const Size& size, size_t position,
                                    Extent extent) {
  if (size.n == 0) return {"empty"};
  const std::string& measured = lab.measured_inputs.front();
  const std::vector<std::string> all = lab.inputs_of(entry);
  if (extent == Extent::kShort) return {measured};
  if (size.has_every_input || all.size() <= 2) return all;
  std::vector<std::string> others = all;
  std::erase(others, measured);
  const bool takes_turns = size.n > kEveryInputUpTo || size.name.starts_with("fresh");
  const std::string& turn = others[position % others.size()];
  std::vector<std::string> chosen = all;
  std::erase_if(chosen, [&](const std::string& input) {
    const bool is_simplest = input == others.front() && size.n <= kLargestChecked;
    return !is_simplest && input != measured && !(takes_turns && input == turn);
  });
  return chosen;
}

// In blocks of the lab's first size, and at its first offset.
Case make_case(const Lab& lab, const EntryInfo* entry, const Size& size, const std::string& input, uint64_t seed) {
  Case made{entry->name + "." + size.name + "." + input, entry, input, size.n, 0};
  made.seed = seed_of(seed, made.name);
  if (entry->takes_block) made.block = lab.blocks.front();
  made.in_offset = made.out_offset = lab.offsets.front();
  return made;
}

// Each kind of input takes turns for itself, so that it meets every offset; the simplest one begins with the first. The
// output's offset changes when the input has had all of them: so all pairs are met.
void take_turns_at_offsets(std::vector<Case>& cases, const EntryInfo* entry, const std::vector<size_t>& offsets) {
  std::map<std::string, size_t> turns;
  for (Case& job : cases) {
    if (job.entry != entry || job.n == 0) continue;
    size_t& turn = turns.try_emplace(job.input, turns.size()).first->second;
    job.in_offset = offsets[turn % offsets.size()];
    job.out_offset = offsets[turn / offsets.size() % offsets.size()];
    ++turn;
  }
}

}  // namespace

std::vector<Case> plan_cases(const Lab& lab, uint64_t seed, Extent extent) {
  std::vector<Case> cases;
  const std::vector<Size> sizes = sizes_of(lab, seed, extent);
  size_t next_block = 0;
  for (const std::string& entry_name : lab.entries) {
    const EntryInfo* entry = lab.contract->find_entry(entry_name);
    for (size_t i = 0; i < sizes.size(); ++i) {
      for (const std::string& input : inputs_for(lab, *entry, sizes[i], i, extent))
        cases.push_back(make_case(lab, entry, sizes[i], input, seed));
    }
    take_turns_at_offsets(cases, entry, lab.offsets);
    if (!entry->takes_block) continue;
    for (Case& job : cases) {  // in turn, so that each block size meets small and large cases
      if (job.entry == entry) job.block = lab.blocks[next_block++ % lab.blocks.size()];
    }
  }
  return cases;
}

Case measured_case(const Lab& lab, uint64_t seed, int run) {
  Case made = make_case(lab, &lab.measured_entry(), {"real", lab.sizes.real}, lab.measured_inputs[0], seed);
  if (run > 0) made.seed = seed_of(made.seed, std::to_string(run));
  return made;
}

std::vector<Case> measured_cases(const Lab& lab, uint64_t seed) {
  std::vector<Case> cases = {measured_case(lab, seed)};
  const size_t n = std::max<size_t>(1, lab.sizes.real / 4);  // a larger one takes too long
  for (size_t i = 1; i < lab.measured_inputs.size(); ++i) {
    cases.push_back(make_case(lab, &lab.measured_entry(), {std::to_string(n), n}, lab.measured_inputs[i], seed));
  }
  return cases;
}

std::vector<Case> graded_cases(const Lab& lab, uint64_t seed) {
  std::vector<Case> cases;
  for (const std::string& input : lab.graded_inputs)
    cases.push_back(make_case(lab, &lab.measured_entry(), {"real", lab.sizes.real}, input, seed));
  return cases;
}

std::vector<Case> drawn_cases(const Lab& lab, uint64_t seed) {
  Random random(seed_of(seed, "drawn"));
  const size_t real = lab.sizes.real;
  const auto from_half = [&](size_t most) { return most - random.below((most + 1) / 2); };
  const auto doublings = static_cast<uint64_t>(std::bit_width(real));  // any order of magnitude is as likely as another
  const Size sizes[] = {{"drawn1", from_half(std::min(real, size_t{1} << (1 + random.below(doublings))))},
                        {"drawn2", from_half(real)}};
  std::vector<Case> cases;
  const std::vector<std::string> inputs = lab.inputs_of(lab.measured_entry());
  for (const Size& size : sizes) {
    cases.push_back(make_case(lab, &lab.measured_entry(), size, inputs[random.below(inputs.size())], seed));
    if (cases.back().entry->takes_block) cases.back().block = lab.blocks[random.below(lab.blocks.size())];
    draw_offsets(cases.back(), lab);
  }
  return cases;
}

std::optional<Case> case_of_any_size(const Lab& lab, const std::string& name, uint64_t seed) {
  const std::vector<std::string> parts = split(name, '.');
  if (parts.size() != 3 || std::ranges::find(lab.entries, parts[0]) == lab.entries.end()) return std::nullopt;
  size_t n = 0;
  const auto [end, error] = std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), n);
  const bool is_number = error == std::errc() && *end == '\0' && std::to_string(n) == parts[1];
  if (!is_number || n == 0 || n > lab.sizes.largest) return std::nullopt;
  const EntryInfo* entry = lab.contract->find_entry(parts[0]);
  const std::vector<std::string> inputs = lab.inputs_of(*entry);
  if (std::ranges::find(inputs, parts[2]) == inputs.end()) return std::nullopt;
  return make_case(lab, entry, {parts[1], n}, parts[2], seed);
}

void draw_offsets(Case& job, const Lab& lab) {
  Random random(seed_of(job.seed, "offsets"));
  for (size_t* offset : {&job.in_offset, &job.out_offset}) *offset = lab.offsets[random.below(lab.offsets.size())];
}

bool is_public_size(const Lab& lab, size_t n) {
  const auto has = [&](std::span<const size_t> sizes) { return std::ranges::find(sizes, n) != sizes.end(); };
  return n == lab.sizes.real || has(kSizes) || has(kBetween);
}

Bytes input_of(const Case& job) { return job.n == 0 ? Bytes() : job.entry->code.make(job.input, job.n, job.seed); }

}  // namespace warpladder
