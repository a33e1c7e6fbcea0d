#include "report/cost_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "count/occupancy.h"

namespace lockstep {
namespace {

constexpr double kSectorBytes = 32, kWarp = 32;
constexpr double kSchedulers = 4;  // of a multiprocessor since Volta; each issues one instruction per cycle

uint32_t blocks_resident(const Work& work, const Card& card) {
  DeviceLimits limits;
  const auto whole = [&](std::string_view name) { return static_cast<uint32_t>(card[name]); };
  limits.max_threads_per_sm = whole("threads_per_multiprocessor");
  limits.max_blocks_per_sm = whole("blocks_per_multiprocessor");
  limits.shared_per_sm = whole("shared_bytes_per_multiprocessor");
  limits.shared_per_block_optin = whole("shared_bytes_per_block");
  return occupancy(limits, static_cast<uint32_t>(work.threads_per_block), work.shared_bytes, 0).blocks();
}

double cycles(const Chain& chain, const Work& work, const Card& card) {
  // A miss in L1 goes to L2. The sectors that no block has fetched before come from memory.
  const double from_dram =
      work.loaded_sectors
          ? std::min(1.0, static_cast<double>(work.sectors_read) / static_cast<double>(work.loaded_sectors))
          : 0;
  const double miss = card["l2_cycles"] + from_dram * (card["dram_cycles"] - card["l2_cycles"]);
  const double warps = std::ceil(static_cast<double>(work.threads_per_block) / kWarp);
  const double barrier = card["barrier_cycles"] + warps * card["barrier_cycles_per_warp"];
  return static_cast<double>(chain.cycles) + static_cast<double>(chain.shared_waits) * card["shared_cycles"] +
         static_cast<double>(chain.l1_waits) * card["l1_cycles"] + static_cast<double>(chain.misses) * miss +
         static_cast<double>(chain.barriers) * barrier;
}

// The first wave of blocks takes as long as its slowest block. Each wave after it takes as long as an average block.
double latency_cycles(const Work& work, const Card& card) {
  const double slots = card["multiprocessors"] * blocks_resident(work, card);
  const double waves = std::ceil(static_cast<double>(work.blocks) / slots);
  const double mean = cycles(work.chains, work, card) / static_cast<double>(work.blocks);
  return cycles(work.longest_chain, work, card) + mean * (waves - 1);
}

}  // namespace

bool fits(const Work& work, const Card& card) { return blocks_resident(work, card) > 0; }

ModelledTime modelled_time(const Work& work, const Card& card) {
  const auto number = [](uint64_t n) { return static_cast<double>(n); };
  const double us_per_cycle = 1e-3 / card["clock_ghz"];
  // The share of all work that falls to the multiprocessor with the most blocks.
  const double multiprocessors = card["multiprocessors"], blocks = number(work.blocks);
  const double busiest = std::ceil(blocks / multiprocessors) / blocks;

  ModelledTime time;
  time.launch = card["launch_us"];
  time.dram =
      number(work.sectors_read + work.sectors_written) * kSectorBytes / (card["dram_gb_s"] * card["dram_share"] * 1e3);
  time.l2 = us_per_cycle * number(work.l2_sectors) * kSectorBytes *
            std::max(1 / card["l2_bytes_per_clock"], busiest / card["l2_bytes_per_clock_of_one"]);
  time.shared = us_per_cycle * busiest * number(work.wavefronts);
  const Issued& issued = work.issued;
  const double issue_cycles =
      std::max({number(issued.slots) / kSchedulers, number(issued.integer) * kWarp / card["integer_lanes"],
                number(issued.floating) * kWarp / card["float_lanes"],
                number(issued.double_precision) * kWarp / card["double_lanes"],
                number(issued.special) * kWarp / card["special_lanes"]});
  time.issue = us_per_cycle * busiest * issue_cycles;
  time.atomics = us_per_cycle * std::max(number(work.busiest_atomics) * card["atomic_cycles"],
                                         number(work.atomic_sectors) / card["atomic_sectors_per_clock"]);
  time.blocks = us_per_cycle * blocks * card["block_cycles"];
  time.latency = us_per_cycle * latency_cycles(work, card);

  const std::pair<double, const char*> parts[] = {
      {time.dram, "dram"},       {time.l2, "l2"},           {time.shared, "shared"}, {time.issue, "issue"},
      {time.atomics, "atomics"}, {time.latency, "latency"}, {time.blocks, "launch"}};
  double sum = 0, longest = 0;
  time.bound = "launch";
  for (const auto& [part, name] : parts) {
    sum += std::pow(part, card["overlap"]);
    if (part > std::max(longest, time.launch)) time.bound = name;
    longest = std::max(longest, part);
  }
  time.us = time.launch + std::pow(sum, 1 / card["overlap"]);
  return time;
}

}  // namespace lockstep
