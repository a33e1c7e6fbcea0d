#include "report/cards.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>

#include "cards_csv.h"

namespace lockstep {
namespace {

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
  std::istringstream lines{std::string(csv)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#') || ++number == 1) continue;  // the first line is the head
    const auto wrong = [&](const std::string& what) {
      return std::runtime_error("cards.csv: \"" + line + "\": " + what);
    };
    const size_t a = line.find(','), b = line.find(',', a + 1), c = line.find(',', b + 1);
    if (c == std::string::npos || c + 1 == line.size()) throw wrong("a line is card,parameter,value,source");
    const std::string name = line.substr(0, a), parameter = line.substr(a + 1, b - a - 1);
    if (std::ranges::find(kParameters, parameter) == std::end(kParameters)) throw wrong("there is no such parameter");
    double value = 0;
    const char* const last = line.data() + c;
    if (const auto read = std::from_chars(line.data() + b + 1, last, value); read.ptr != last || !(value > 0))
      throw wrong("the value is not a number above zero");
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
  // Never destroyed: the last report is written after the program's static objects are destroyed.
  static const auto* const kCards = new std::vector<Card>(read_cards(kCardsCsv));
  return *kCards;
}

}  // namespace lockstep
