#include "sass/comparison.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <string>

namespace lockstep {
namespace {

// One of eq, ne, lt, le, gt, ge; empty: another relation. Whether NaN counts as true does not change the bound.
std::string plain(std::string_view relation) {
  std::string name(relation);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.size() == 3 && name[2] == 'u') name.pop_back();
  if (name == "lo" || name == "hs") return name == "lo" ? "lt" : "ge";
  if (name == "ls" || name == "hi") return name == "ls" ? "le" : "gt";
  for (const char* known : {"eq", "ne", "lt", "le", "gt", "ge"})
    if (name == known) return name;
  return {};
}

}  // namespace

int64_t float_bits(double value) { return std::bit_cast<int32_t>(static_cast<float>(value)); }

Relation relation_of(std::string_view text, bool of_floats, std::optional<int64_t> left, std::optional<int64_t> right) {
  const std::string name = plain(text);
  if (name.empty()) return {Relation::kOther, of_floats};
  const std::optional<int64_t>& constant = right ? right : left;
  Relation relation{name == "eq" || name == "ne" ? Relation::kEqual : Relation::kOrder, of_floats, constant};
  if (relation.kind == Relation::kEqual || !constant) return relation;
  // x <= 5 changes its answer above 5; 5 <= x, like x >= 5, below it. Of integers, above 5 is below 6.
  const bool above = right ? name == "le" || name == "gt" : name == "lt" || name == "ge";
  relation.bound = of_floats ? 2 * *constant + above : *constant + above;
  return relation;
}

}  // namespace lockstep
