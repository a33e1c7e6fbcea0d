// cases: (lab, seed) → the calls by which a lab is judged, in the order in which they are run and reported.
#pragma once

#include <optional>

#include "grader/judge/lab/lab.h"

namespace warpladder {

// Elements. Up to this size lockstep runs a case under its checks, also if only the learner asks. A grade runs all
// cases under them.
inline constexpr size_t kLargestChecked = 4097;
// A larger case may take so many times its limit where it is checked, so that no code runs out of time in a grade that
// had enough of it before. With checks the measured cases of most labs take 2 to 5 times as long. Lab 01's takes 15
// times as long: without checks, its one loop is interpreted much faster than other code.
inline constexpr double kSlowerChecked = 16;

struct Case {
  std::string name;  // ENTRY.SIZE.INPUT
  const EntryInfo* entry = nullptr;
  std::string input;
  size_t n = 0;
  uint64_t seed = 0;                     // the seed of its input
  int block = 0;                         // threads of a block, where the entry takes that number
  size_t in_offset = 0, out_offset = 0;  // elements from an aligned address to the array's start
  std::string alias = "";  // of a hidden case: a student reads it in place of the name; "": it is a public case
  size_t place = 0;        // in the plan; of several wrong answers the one with the first place is reported
};

enum class Extent {
  kFull,      // every size and input
  kWithReal,  // the real size, too, with every input: only a GPU is fast enough
  kShort,     // a few sizes with one input, enough to show the influence of a schedule
};

std::vector<Case> plan_cases(const Lab& lab, uint64_t seed, Extent extent);

// The case of real size, for the rules and the clock. Each `run` has an input of its own.
Case measured_case(const Lab& lab, uint64_t seed, int run = 0);

// The cases for the rules: measured_case(), and a case of a quarter of its size for each further measured input.
std::vector<Case> measured_cases(const Lab& lab, uint64_t seed);

// The cases for the rules of a grade, besides: of real size, one for each graded input.
std::vector<Case> graded_cases(const Lab& lab, uint64_t seed);

// For a grade: cases of the measured entry, with sizes that the seed draws up to the measured one's. One may have any
// size, the other at least half of the measured one's.
std::vector<Case> drawn_cases(const Lab& lab, uint64_t seed);

// The case of this name, ENTRY.SIZE.INPUT with any number up to the lab's largest as the size. Nothing: the name has
// another form, or names what the lab has not. It finds no "fresh1" and no "real".
std::optional<Case> case_of_any_size(const Lab& lab, const std::string& name, uint64_t seed);

void draw_offsets(Case& job, const Lab& lab);  // from the lab's; the case's seed decides

bool is_public_size(const Lab& lab, size_t n);  // docs/labs.md or lab.json names this size

Bytes input_of(const Case& job);

}  // namespace warpladder
