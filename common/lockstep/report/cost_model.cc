#include "report/cost_model.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "cards_csv.h"
#include "count/occupancy.h"
#include "engine/launch.h"

namespace lockstep {
namespace {

constexpr double kSectorBytes = 32, kWarp = 32;
constexpr double kSchedulers = 4;  // of a multiprocessor, an instruction a cycle each; since Volta

constexpr const char* kParameters[] = {"multiprocessors",
                                       "clock_ghz",
                                       "threads_per_multiprocessor",
                                       "blocks_per_multiprocessor",
                                       "shared_bytes_per_multiprocessor",
                                       "shared_bytes_per_block",
                                       "integer_lanes",
                                       "float_lanes",
                                       "double_lanes",
                                       "special_lanes",
                                       "dram_gb_s",
                                       "dram_share",
                                       "l2_bytes_per_clock",
                                       "l2_bytes_per_clock_of_one",
                                       "shared_cycles",
                                       "l1_cycles",
                                       "l2_cycles",
                                       "dram_cycles",
                                       "barrier_cycles",
                                       "barrier_cycles_per_warp",
                                       "atomic_cycles",
                                       "atomic_sectors_per_clock",
                                       "launch_us",
                                       "block_cycles",
                                       "overlap",
                                       "speedup_error"};

uint32_t blocks_resident(const Work& work, const Card& card) {
  DeviceLimits limits;
  const auto whole = [&](std::string_view name) { return static_cast<uint32_t>(card[name]); };
  limits.max_threads_per_sm = whole("threads_per_multiprocessor");
  limits.max_blocks_per_sm = whole("blocks_per_multiprocessor");
  limits.shared_per_sm = whole("shared_bytes_per_multiprocessor");
  limits.shared_per_block_optin = whole("shared_bytes_per_block");
  return occupancy(limits, static_cast<uint32_t>(work.threads_per_block), work.shared_bytes).blocks();
}

uint64_t atomic_sectors(const Program& program, size_t pc, const InstructionCounters& count) {
  if (program.code[pc].kind != Kind::kMemory) return 0;
  const MemoryOp op = program.accesses[program.code[pc].index].op;
  return op == MemoryOp::kAtomic || op == MemoryOp::kReduction ? count.global_sectors : 0;
}

double cycles(const Chain& chain, const Work& work, const Card& card) {
  // Of what L1 does not have, the part that nobody has fetched before comes from memory.
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

// The first wave of blocks ends with its slowest; of those that follow each takes as long as blocks do on average.
double latency_cycles(const Work& work, const Card& card) {
  const double slots = card["multiprocessors"] * blocks_resident(work, card);
  const double waves = std::ceil(static_cast<double>(work.blocks) / slots);
  const double mean = cycles(work.chains, work, card) / static_cast<double>(work.blocks);
  return cycles(work.longest_chain, work, card) + mean * (waves - 1);
}

}  // namespace

double Card::operator[](std::string_view parameter) const {
  const auto found = parameters.find(parameter);
  if (found == parameters.end()) throw std::out_of_range(name + " has no " + std::string(parameter));
  return found->second;
}

std::vector<Card> read_cards(std::string_view csv) {
  std::vector<Card> found;
  Card all{"all", {}};
  int number = 0;
  for (size_t begin = 0; begin < csv.size();) {
    const size_t end = std::min(csv.find('\n', begin), csv.size());
    const std::string_view line = csv.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with('#') || ++number == 1) continue;  // the first is the head
    const auto wrong = [&](const std::string& what) {
      return std::runtime_error("cards.csv: \"" + std::string(line) + "\": " + what);
    };
    const size_t a = line.find(','), b = line.find(',', a + 1), c = line.find(',', b + 1);
    if (c == std::string_view::npos || c + 1 == line.size()) throw wrong("a line is card,parameter,value,source");
    const std::string name(line.substr(0, a)), parameter(line.substr(a + 1, b - a - 1));
    if (std::ranges::find(kParameters, parameter) == std::end(kParameters)) throw wrong("there is no such parameter");
    double value = 0;
    const char* const last = line.data() + c;
    if (const auto read = std::from_chars(line.data() + b + 1, last, value); read.ptr != last || !(value > 0))
      throw wrong("the value is no number above zero");
    auto card = std::ranges::find(found, name, &Card::name);
    if (name != all.name && card == found.end()) card = found.insert(found.end(), {name, {}});
    if (!(name == all.name ? all : *card).parameters.emplace(parameter, value).second)
      throw wrong("stands there twice");
  }
  for (Card& card : found) {
    card.parameters.insert(all.parameters.begin(), all.parameters.end());
    for (const std::string parameter : kParameters)
      if (!card.parameters.contains(parameter))
        throw std::runtime_error("cards.csv: " + card.name + " has no " + parameter);
  }
  return found;
}

const std::vector<Card>& cards() {
  // Never destroyed: the last report is written when the program's static objects are gone.
  static const auto* const kCards = new std::vector<Card>(read_cards(kCardsCsv));
  return *kCards;
}

bool fits(const Work& work, const Card& card) { return blocks_resident(work, card) > 0; }

ModelledTime modelled_time(const Work& work, const Card& card) {
  const auto number = [](uint64_t n) { return static_cast<double>(n); };
  const double us_per_cycle = 1e-3 / card["clock_ghz"];
  // What the multiprocessor has to do that gets most blocks, of what all have.
  const double multiprocessors = card["multiprocessors"], blocks = number(work.blocks);
  const double busiest = std::ceil(blocks / multiprocessors) / blocks;

  ModelledTime time;
  time.launch = card["launch_us"];
  time.dram =
      number(work.sectors_read + work.sectors_written) * kSectorBytes / (card["dram_gb_s"] * card["dram_share"] * 1e3);
  time.l2 = us_per_cycle * number(work.l2_sectors) * kSectorBytes *
            std::max(1 / card["l2_bytes_per_clock"], busiest / card["l2_bytes_per_clock_of_one"]);
  time.shared = us_per_cycle * busiest * number(work.wavefronts);
  const double issued =
      std::max({number(work.slots) / kSchedulers, number(work.integer) * kWarp / card["integer_lanes"],
                number(work.floating) * kWarp / card["float_lanes"],
                number(work.double_precision) * kWarp / card["double_lanes"],
                number(work.special) * kWarp / card["special_lanes"]});
  time.issue = us_per_cycle * busiest * issued;
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

Work work_of(const Launch& launch) {
  Work work;
  work.blocks = launch.grid.count();
  work.threads_per_block = launch.block.count();
  work.shared_bytes = launch.shared_bytes;
  for (size_t pc = 0; pc < launch.counters.at.size(); ++pc) {
    const InstructionCounters& count = launch.counters.at[pc];
    const InstructionCost& cost = launch.program.costs[pc];
    const uint64_t issued = count.warps * cost.slots;
    work.slots += issued;
    switch (cost.pipe) {
      case Pipe::kNone: break;
      case Pipe::kInteger: work.integer += issued; break;
      case Pipe::kFloat: work.floating += issued; break;
      case Pipe::kDouble: work.double_precision += issued; break;
      case Pipe::kSpecial: work.special += issued; break;
      case Pipe::kShuffle: work.wavefronts += issued; break;
    }
    work.wavefronts += count.shared_wavefronts + count.loop_wavefronts + count.local_requests;
    work.atomic_sectors += atomic_sectors(launch.program, pc, count);
  }
  const Traffic& traffic = launch.counters.traffic;
  work.wavefronts += traffic.load_lines + traffic.store_lines;
  work.loaded_sectors = traffic.missed_sectors;
  work.l2_sectors = traffic.missed_sectors + traffic.store_sectors + work.atomic_sectors;
  work.sectors_read = traffic.footprint.sectors_read();
  work.sectors_written = traffic.footprint.sectors_written();
  if (traffic.atomic_lanes)  // as many of the sectors as of the lanes
    work.busiest_atomics = work.atomic_sectors * traffic.footprint.busiest_server() / traffic.atomic_lanes;
  work.chains = launch.counters.chains;
  work.longest_chain = launch.counters.longest_chain;
  return work;
}

}  // namespace lockstep
