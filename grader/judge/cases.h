// cases: which calls a lab is judged by. (lab, seed) → list, in the order in which they are run and reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "grader/judge/lab.h"

namespace warpladder {

// Elements: what lockstep runs under its checks, which take three times as long.
inline constexpr size_t kLargestChecked = 4097;

struct Case {
  std::string name;  // ENTRY.SIZE.INPUT
  const EntryInfo* entry = nullptr;
  std::string input;
  size_t n = 0;
  uint64_t seed = 0;       // of its input
  int block = 0;           // threads of a block, where the entry takes them
  std::string alias = "";  // of a hidden case, what a student reads in place of its name; "": it is a public one
};

enum class Extent {
  kFull,      // every size and input
  kWithReal,  // those and the real size with every input, which only a GPU does in no time
  kShort,     // what a schedule can influence: a few sizes, one input
};

std::vector<Case> plan_cases(const Lab& lab, uint64_t seed, Extent extent);

// The real size, on whose run the rules and the clock look. `run` tells repeated runs' inputs apart.
Case measured_case(const Lab& lab, uint64_t seed, int run = 0);

// What the rules look at: that case, and a quarter of its size for each further input that is measured.
std::vector<Case> measured_cases(const Lab& lab, uint64_t seed);

bool is_public_size(const Lab& lab, size_t n);  // a size that docs/labs.md or lab.json names

Bytes input_of(const Lab& lab, const Case& job);

}  // namespace warpladder
