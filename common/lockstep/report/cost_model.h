// cost_model: what a launch did → how long named cards would take for it. Modelled, never measured: docs/model.md shows
// how far it is off where we have measured. Pure arithmetic on counters; reads nothing else and changes nothing.
//
// A launch takes a fixed time, and then as long as whatever keeps it longest: memory, the L2 cache, wavefronts of L1
// and shared memory, issuing instructions, atomics at one place, or the chain of waits that a block's warps go through,
// wave after wave of blocks. What is not the longest adds a little, since no two of them overlap without a gap.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "count/counters.h"
#include "program/program.h"

namespace lockstep {

struct Launch;

// What of a launch decides about its time. Sums over the launch.
struct Work {
  uint64_t blocks = 0, threads_per_block = 0, shared_bytes = 0;  // shared: of a block
  // Instructions that the card would issue, a warp each, and those of them that a unit with fewer lanes takes.
  uint64_t slots = 0, integer = 0, floating = 0, double_precision = 0, special = 0;
  uint64_t wavefronts = 0;                           // of shared memory, shuffles, and lines looked up in L1
  uint64_t l2_sectors = 0;                           // that pass between L1 and L2
  uint64_t loaded_sectors = 0;                       // of them, those that loads missed
  uint64_t sectors_read = 0, sectors_written = 0;    // each once: what memory has to do with it
  uint64_t atomic_sectors = 0, busiest_atomics = 0;  // all; those of the 512 bytes that most went to
  Chain chains, longest_chain;                       // of all blocks together; of the slowest
  auto operator<=>(const Work&) const = default;
};

Work work_of(const Launch& launch, const LaunchCounters& counters);

// A card's parameters by name, all of them (kParameters). speedup_error: the factor up to which quotients of its times
// are right, from one rung to the next where both were measured.
struct Card {
  std::string name;
  std::map<std::string, double, std::less<>> parameters;
  double operator[](std::string_view parameter) const;  // throws std::out_of_range
};

// card,parameter,value,source: one a line, after a head; "all": of every card that does not say otherwise. Throws
// std::runtime_error that names the line or the parameter that is wrong.
std::vector<Card> read_cards(std::string_view csv);
const std::vector<Card>& cards();  // those of cards.csv, in its order

// In microseconds. The parts are what each would take if it were alone, after the launch itself; blocks: to begin all
// of them.
struct ModelledTime {
  double us = 0;
  const char* bound = "";  // the largest part
  double launch = 0, dram = 0, l2 = 0, shared = 0, issue = 0, atomics = 0, latency = 0, blocks = 0;
};

// False: the card could not hold a block of this shape.
bool fits(const Work& work, const Card& card);
ModelledTime modelled_time(const Work& work, const Card& card);

}  // namespace lockstep
