// ncu_equality RECORDS BUILD PART: compares whole programs' counters on lockstep with Nsight Compute's on a card. They
// must be equal. RECORDS holds the counts, ncu_DATE.csv, which ncu_record.py makes; for each program the newest file
// that has it is used. BUILD holds the programs; PART ("stress", "labs", "top", "programs" or "long_programs") selects
// them. Only counters that the report and the launch call exact are compared, and enough launches must call all of
// theirs exact; for counters that no launch calls exact both sums are shown. Exit code 0: nothing differs.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "tests/count/single_access.h"

namespace {

namespace fs = std::filesystem;
using lockstep::golden::read_csv;
using Json = nlohmann::json;
using Cells = std::map<std::string, std::string>;

// Counters that the report calls exact, but not the launch, are `doubted`. `exact_launches` have none of them.
struct Tally {
  int launches = 0, exact_launches = 0, counters = 0, doubted = 0, mismatches = 0;
  Tally& operator+=(const Tally& other) {
    launches += other.launches, exact_launches += other.exact_launches;
    counters += other.counters, doubted += other.doubted;
    mismatches += other.mismatches;
    return *this;
  }
};

// The counts of both sides, apart for counters that PTX decides and those that ptxas decides.
using Sums = std::map<std::string, std::pair<uint64_t, uint64_t>>;

// CUB's and Thrust's programs that programs.cmake always builds; the others are built on demand.
bool is_quick(const std::string& name) { return name == "cub_histogram" || name == "cub_reduce" || name == "cub_scan"; }

std::string part_of(const std::string& program) {
  constexpr std::string_view kLab = " labs/";
  if (const size_t lab = program.find(kLab); lab != std::string::npos)
    return program.compare(lab + kLab.size(), 2, "21") >= 0 ? "top" : "labs";
  const std::string name = fs::path(program).filename();
  if (name == "last_stores" || name == "left_memory") return "last_stores";
  if (!name.starts_with("cub_") && !name.starts_with("thrust_")) return "stress";
  return is_quick(name) ? "programs" : "long_programs";
}

// The least share of a part's launches, in percent, whose counters are all called exact. Without it, a report that
// calls nothing exact would pass. Labs: lab 01 has 6 of 89 launches, and ptxas really unrolls its loop. Labs from 21
// on: 9 of 66; their blocks take tickets and look back, so most launches depend on timing. Stress: 388 of 420; the
// kernels were chosen because ptxas rewrites them, or because a card may not bring their lanes together. CUB and
// Thrust: 79 of 120 in the quick part and 129 of 214 in the long one; blocks that look back poll what others write, and
// their counts depend on timing; four partial tiles read samples that not all lanes have loaded. Last stores: 76 of
// 107; the others follow a value that another run of the card may leave otherwise, or memory that nobody wrote.
int exact_floor(const std::string& part) {
  static const std::map<std::string, int> floors{{"labs", 93},        {"top", 13},      {"stress", 92},
                                                 {"last_stores", 70}, {"programs", 65}, {"long_programs", 60}};
  return floors.at(part);
}

// By program: its rows in the newest file that has it.
std::map<std::string, std::vector<Cells>> read_records(const fs::path& folder, const std::string& part) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("ncu_2") && name.ends_with(".csv")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::map<std::string, std::vector<Cells>> programs;
  for (const fs::path& file : files) {
    std::map<std::string, std::vector<Cells>> newer;
    for (const Cells& row : read_csv(file))
      if (part_of(row.at("program")) == part) newer[row.at("program")].push_back(row);
    for (auto& [program, rows] : newer) programs[program] = std::move(rows);
  }
  return programs;
}

// Runs the command in the build's folder and returns lockstep's report.
Json report_of(const fs::path& build, const std::string& command) {
  const fs::path report = build / ("ncu_equality." + std::to_string(getpid()) + ".json");
  const std::string line = "cd '" + build.string() + "' && LD_LIBRARY_PATH='" + (build / "lockstep").string() +
                           "' LOCKSTEP_REPORT='" + report.string() + "' ./" + command + " >/dev/null";
  const int status = std::system(line.c_str());
  std::ifstream file(report);
  if (status != 0 || !file) throw std::runtime_error(command + " did not run on lockstep; is it built?");
  Json json = Json::parse(file);
  fs::remove(report);
  return json;
}

// The function's name without namespaces and arguments.
std::string bare_name(std::string name) {
  if (name.starts_with("void ")) name.erase(0, 5);
  for (const std::string unnamed : {"(anonymous namespace)::", "<unnamed>::"})
    for (size_t at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed))
      name.erase(at, unnamed.size());
  name.erase(std::min(name.find_first_of("<("), name.size()));
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

// Whether Nsight Compute's "void update<0>(const int *)" is our "update<(Operation)0>". Both name the same function,
// but Nsight Compute drops most namespaces and the types of template arguments.
bool names_kernel(const std::string& theirs, const std::string& ours) { return bare_name(theirs) == bare_name(ours); }

// The card's counterpart of one of our counters. The hardware's wavefronts of shared memory, and so its conflicts,
// include extra ones: a load or store waits while a reply from global memory is written. One launch had 8 of them, two
// equal launches had 3 and 7. Nsight Compute also counts, in software, the wavefronts that the instructions themselves
// need; we compare with those. What this software does not count, as the look of a generic atomic in shared memory, is
// no conflict.
uint64_t on_card(const std::string& name, const Cells& row) {
  const auto value = [&](const std::string& counter) { return uint64_t{std::stoull(row.at(counter))}; };
  for (const std::string op : {"ld.sum", "st.sum", "atom.sum"}) {
    const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op;
    const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op;
    const std::string by_software = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_" + op;
    if ((name != wavefronts && name != conflicts) || !row.contains(by_software)) continue;
    return value(name) - std::min(value(wavefronts) - value(by_software), value(conflicts));
  }
  return value(name);
}

// One launch: compares its row in the record with its entry in the report.
class Comparison {
 public:
  Comparison(const std::string& program, const Json& report, Sums& estimates)
      : program_(program), report_(report), estimates_(estimates) {}

  Tally compare(size_t index, const Cells& row) {
    Tally tally{.launches = 1};
    const Json& launch = report_.at("launches").at(index);
    const Json own_kinds = launch.value("counter_kinds", Json::object());
    const std::string kernel = launch.at("kernel");
    const auto wrong = [&](const std::string& what) {
      ++tally.mismatches;
      std::cout << program_ << ", launch " << index << ", " << kernel << ": " << what << "\n";
    };
    if (!names_kernel(row.at("kernel"), kernel)) wrong("the card ran " + row.at("kernel"));
    for (const auto& [name, text] : row) {
      const std::string kind = report_.at("counter_kinds").value(name, "");
      const Json& part = launch.at(name.starts_with("launch__") ? "occupancy" : "counters");
      if (kind.empty()) continue;  // only the card has it, or it is not a counter
      const auto ours = part.value(name, uint64_t{0}), card = on_card(name, row);
      if (kind != "exact") {
        estimates_[name].first += ours, estimates_[name].second += card;
        continue;
      }
      if (own_kinds.value(name, kind) != "exact") {
        ++tally.doubted;
        continue;
      }
      ++tally.counters;
      if (ours != card) wrong(name + ": lockstep " + std::to_string(ours) + ", card " + std::to_string(card));
    }
    tally.exact_launches = tally.doubted == 0;
    return tally;
  }

 private:
  const std::string& program_;
  const Json& report_;
  Sums& estimates_;
};

Tally run_program(const fs::path& build, const std::string& program, const std::vector<Cells>& rows, Sums& estimates) {
  constexpr size_t kMost = 40;  // ncu_record.py's MOST: it records only so many launches of CUB and Thrust
  const Json report = report_of(build, program);
  const size_t launches = report.at("launches").size();
  if (launches != rows.size() && (rows.size() != kMost || launches < kMost))
    throw std::runtime_error(program + ": " + std::to_string(launches) + " launches on lockstep, " +
                             std::to_string(rows.size()) + " on the card; record it again");
  Comparison comparison(program, report, estimates);
  Tally tally;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto number = rows[i].find("launch");  // missing in a record of all launches that is older than the column
    tally += comparison.compare(number == rows[i].end() ? i : std::stoul(number->second), rows[i]);
  }
  return tally;
}

void print(const Tally& tally, const std::string& program) {
  std::printf("%8d %6d %9d %8d %10d  %s\n", tally.launches, tally.exact_launches, tally.counters, tally.doubted,
              tally.mismatches, program.c_str());
}

// Solutions that no card has run under Nsight Compute: new labs, with which nothing is wrong.
std::vector<std::string> missing_labs(const fs::path& build, const std::string& part,
                                      const std::map<std::string, std::vector<Cells>>& programs) {
  std::vector<std::string> missing;
  for (const auto& entry : fs::directory_iterator(build / "labs")) {
    const std::string lab = "labs/" + entry.path().filename().string() + "/";
    if (part_of(" " + lab) != part) continue;
    if (!fs::exists(entry.path() / "solution.o")) continue;  // not built by nvcc: OpenCL
    if (std::none_of(programs.begin(), programs.end(),
                     [&](const auto& p) { return p.first.find(lab) != std::string::npos; }))
      missing.push_back(lab);
  }
  return missing;
}

int run(const fs::path& records, const fs::path& build, const std::string& part) {
  const auto programs = read_records(records, part);
  Tally total;
  Sums estimates;
  std::vector<std::pair<std::string, Tally>> table;
  for (const auto& [program, rows] : programs) {
    table.emplace_back(program, run_program(build, program, rows, estimates));
    total += table.back().second;
  }
  std::printf("launches  exact  counters  doubted mismatches\n");
  for (const auto& [program, tally] : table) print(tally, program);
  print(total, "in all");
  for (const auto& [name, sums] : estimates)
    std::printf("not compared: %s: lockstep %llu, card %llu\n", name.c_str(),
                static_cast<unsigned long long>(sums.first), static_cast<unsigned long long>(sums.second));
  for (const std::string& lab : missing_labs(build, part, programs))
    std::cout << lab << " is not measured yet: ncu_record.py records it on a card\n";
  const bool enough = 100 * total.exact_launches >= exact_floor(part) * total.launches;
  if (!enough) std::printf("less than %d %% of the launches are called exact in all counters\n", exact_floor(part));
  return total.mismatches == 0 && total.launches > 0 && enough ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4)
    return std::cerr << "usage: ncu_equality RECORDS BUILD stress|last_stores|labs|top|programs|long_programs\n", 2;
  try {
    return run(arguments[1], fs::absolute(arguments[2]), arguments[3]);
  } catch (const std::exception& error) { return std::cerr << "ncu_equality: " << error.what() << "\n", 1; }
}
