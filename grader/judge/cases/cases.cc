#include "grader/judge/cases/cases.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "grader/judge/base/random.h"

namespace warpladder {
namespace {

struct Size {
  std::string name;
  size_t n;
};

// Sizes around a warp, around the largest block and around larger powers of two, and a prime, which no block size
// divides.
constexpr size_t kSizes[] = {0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 4095, 4097, 65535, 65537, 999983, 1048575, 1048577};
constexpr size_t kShortSizes[] = {1, 33, 1024, 4097};
constexpr size_t kEveryInputUpTo = 2048;

std::vector<Size> sizes_of(const Lab& lab, uint64_t seed, Extent extent) {
  std::vector<Size> sizes;
  const auto add = [&](const std::string& name, size_t n) {
    if (n <= lab.sizes.largest) sizes.push_back({name, n});
  };
  const bool is_short = extent == Extent::kShort;
  for (const size_t n : is_short ? std::span<const size_t>(kShortSizes) : kSizes) add(std::to_string(n), n);
  if (is_short) return sizes;
  Random random(seed_of(seed, "sizes"));
  add("fresh1", 3 + random.below(std::min<size_t>(lab.sizes.largest - 2, 5000)));
  add("fresh2", 3 + random.below(lab.sizes.largest - 2));
  if (extent == Extent::kWithReal) sizes.push_back({"real", lab.sizes.real});
  return sizes;
}

// All kinds at a small size and at the real size. At any other size, and at a random one, the first kind and one of the
// others.
std::vector<std::string> inputs_for(const Lab& lab, const Size& size, size_t position, Extent extent) {
  if (size.n == 0) return {"empty"};
  if (extent == Extent::kShort) return {lab.inputs[0]};
  const bool small = size.n <= kEveryInputUpTo && !size.name.starts_with("fresh");
  if (small || size.name == "real" || lab.inputs.size() <= 2) return lab.inputs;
  return {lab.inputs[0], lab.inputs[1 + position % (lab.inputs.size() - 1)]};
}

Case make_case(const EntryInfo* entry, const Size& size, const std::string& input, uint64_t seed) {
  Case made{entry->name + "." + size.name + "." + input, entry, input, size.n, 0};
  made.seed = seed_of(seed, made.name);
  return made;
}

}  // namespace

std::vector<Case> plan_cases(const Lab& lab, uint64_t seed, Extent extent) {
  std::vector<Case> cases;
  const std::vector<Size> sizes = sizes_of(lab, seed, extent);
  size_t next_block = 0;
  for (const std::string& entry_name : lab.entries) {
    const EntryInfo* entry = lab.contract->find_entry(entry_name);
    for (size_t i = 0; i < sizes.size(); ++i) {
      for (const std::string& input : inputs_for(lab, sizes[i], i, extent))
        cases.push_back(make_case(entry, sizes[i], input, seed));
    }
    if (!entry->takes_block) continue;
    for (Case& job : cases) {  // in turn, so that each block size meets small and large cases
      if (job.entry == entry) job.block = lab.blocks[next_block++ % lab.blocks.size()];
    }
  }
  return cases;
}

Case measured_case(const Lab& lab, uint64_t seed, int run) {
  Case made = make_case(lab.contract->find_entry(lab.measured), {"real", lab.sizes.real}, lab.measured_inputs[0], seed);
  if (made.entry->takes_block) made.block = lab.blocks.front();
  if (run > 0) made.seed = seed_of(made.seed, std::to_string(run));
  return made;
}

std::vector<Case> measured_cases(const Lab& lab, uint64_t seed) {
  std::vector<Case> cases = {measured_case(lab, seed)};
  // A copy, since push_back may move the vector's elements.
  const Case first = cases.front();
  const size_t n = std::max<size_t>(1, lab.sizes.real / 4);  // a larger one takes too long
  for (size_t i = 1; i < lab.measured_inputs.size(); ++i) {
    Case made = make_case(first.entry, {std::to_string(n), n}, lab.measured_inputs[i], seed);
    made.block = first.block;
    cases.push_back(std::move(made));
  }
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
  for (const Size& size : sizes) {
    cases.push_back(
        make_case(lab.contract->find_entry(lab.measured), size, lab.inputs[random.below(lab.inputs.size())], seed));
    if (cases.back().entry->takes_block) cases.back().block = lab.blocks[random.below(lab.blocks.size())];
  }
  return cases;
}

bool is_public_size(const Lab& lab, size_t n) {
  return n == lab.sizes.real || std::ranges::find(kSizes, n) != std::end(kSizes);
}

Bytes input_of(const Lab& lab, const Case& job) {
  return job.n == 0 ? Bytes() : lab.contract->make(job.input, job.n, job.seed);
}

}  // namespace warpladder
