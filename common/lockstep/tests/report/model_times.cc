// model_times WORK.json: the cost model as a filter, for fit_model.py and the pages. WORK.json: {rung: {"launches":
// [a launch of a report]}}. Each line of the input, "parameter=value …", asks for the H200's times with these values
// instead of its own. The answer is one line: for each rung, in the file's order, the sum of its launches in
// microseconds, and the part that bounds the longest launch.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/cost_model.h"

namespace {

lockstep::Chain chain_of(const nlohmann::json& json) {
  return {json.at("cycles"), json.at("shared_waits"), json.at("l1_waits"), json.at("misses"), json.at("barriers")};
}

uint64_t product(const nlohmann::json& shape) {
  return shape.at(0).get<uint64_t>() * shape.at(1).get<uint64_t>() * shape.at(2).get<uint64_t>();
}

lockstep::Work work_of(const nlohmann::json& launch) {
  const nlohmann::json& w = launch.at("work");
  return {.blocks = product(launch.at("grid")),
          .threads_per_block = product(launch.at("block")),
          .shared_bytes = w.at("shared_bytes"),
          .issued = {.slots = w.at("slots"),
                     .integer = w.at("integer"),
                     .floating = w.at("floating"),
                     .double_precision = w.at("double_precision"),
                     .special = w.at("special")},
          .wavefronts = w.at("wavefronts"),
          .l2_sectors = w.at("l2_sectors"),
          .loaded_sectors = w.at("loaded_sectors"),
          .sectors_read = w.at("sectors_read"),
          .sectors_written = w.at("sectors_written"),
          .atomic_sectors = w.at("atomic_sectors"),
          .busiest_atomics = w.at("busiest_atomics"),
          .chains = chain_of(w.at("chains")),
          .longest_chain = chain_of(w.at("longest_chain"))};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return std::cerr << "usage: model_times WORK.json\n", 2;
  std::ifstream file(arguments[1]);
  std::vector<std::vector<lockstep::Work>> rungs;
  for (const auto& rung : nlohmann::ordered_json::parse(file)) {
    auto& works = rungs.emplace_back();
    for (const nlohmann::json launch : rung.at("launches")) works.push_back(work_of(launch));
  }
  std::cout.precision(9);
  for (std::string line; std::getline(std::cin, line);) {
    lockstep::Card card = lockstep::cards().front();
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const size_t equals = word.find('=');
      card.parameters.at(word.substr(0, equals)) = std::stod(word.substr(equals + 1));
    }
    for (const auto& works : rungs) {
      double us = 0;
      lockstep::ModelledTime longest;
      for (const lockstep::Work& work : works) {
        const lockstep::ModelledTime time = lockstep::modelled_time(work, card);
        us += time.us;
        if (time.us > longest.us) longest = time;
      }
      std::cout << us << ' ' << longest.bound << ' ';
    }
    std::cout << std::endl;
  }
}
