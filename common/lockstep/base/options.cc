#include "base/options.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/words.h"

namespace lockstep {
namespace {

// "races,memory" → those checks. An unknown name throws. `volatile` is a stricter `races`, and not part of `all`:
// programs that rely on what PTX promises for volatile are right.
Checks parse_checks(const std::string& text) {
  Checks checks;
  const std::pair<const char*, bool Checks::*> all[] = {{"memory", &Checks::memory},
                                                        {"initialised", &Checks::initialised},
                                                        {"races", &Checks::races},
                                                        {"synchronisation", &Checks::synchronisation},
                                                        {"launch", &Checks::launch}};
  if (text == "none") return checks;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    begin = end + 1;
    bool known = name == "volatile";
    if (known) checks.races = checks.plain_volatile = true;
    for (const auto& [known_name, member] : all)
      if (name == known_name || name == "all") checks.*member = known = true;
    if (!known)
      throw std::invalid_argument(
          words("LOCKSTEP_CHECKS={text}: \"{name}\" is not a check; expected all, none, or names separated by commas: "
                "memory, initialised, races, synchronisation, launch, volatile",
                {{"text", text}, {"name", name}}));
  }
  return checks;
}

constexpr uint64_t kMostMemory = uint64_t{1} << 44;  // 16 TiB; a process has addresses for four times that

// 0: the text is not a size, or the size is too large.
uint64_t parse_bytes(const std::string& text) {
  char* end = nullptr;
  const uint64_t value = std::strtoull(text.c_str(), &end, 10);
  const std::string unit = end;
  const int shift = unit.empty()                 ? 0
                    : unit == "K" || unit == "k" ? 10
                    : unit == "M" || unit == "m" ? 20
                    : unit == "G" || unit == "g" ? 30
                                                 : -1;
  const bool sensible = shift >= 0 && text[0] != '-' && value <= kMostMemory >> shift;
  return sensible ? value << shift : 0;
}

constexpr uint32_t kMostThreads = 1024;

// 0: the text is not a number of threads.
uint32_t parse_threads(const std::string& text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value <= kMostThreads ? value : 0;
}

// The cores that this process may use at once. taskset and containers limit them.
uint32_t usable_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;  // the machine has more cores than the set can hold
  return std::clamp<uint32_t>(static_cast<uint32_t>(CPU_COUNT(&cores)), 1, kMostThreads);
}

PlannedFailure parse_failure(const std::string& text) {
  PlannedFailure failure;
  std::string_view rest = text;
  constexpr std::string_view kProfiled = "profiled:";
  failure.profiled_only = rest.starts_with(kProfiled);
  if (failure.profiled_only) rest.remove_prefix(kProfiled.size());
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), failure.number);
  if (error != std::errc() || end != rest.data() + rest.size() || failure.number == 0)
    throw std::invalid_argument(words(
        "LOCKSTEP_FAIL={text}: expected the number of a call, from 1, such as 3 or profiled:3", {{"text", text}}));
  return failure;
}

std::string environment(const char* name) {
  const char* const text = std::getenv(name);
  return text ? text : "";
}

// The program that the variable names, or this build's, or the first of PATH; empty: there is none.
std::string find_tool(const char* variable, const char* of_build, const std::string& name) {
  if (const char* const named = std::getenv(variable)) return named;
  if (*of_build && access(of_build, X_OK) == 0) return of_build;
  std::istringstream path(environment("PATH"));
  for (std::string folder; std::getline(path, folder, ':');)
    if (const std::string file = folder + "/" + name; access(file.c_str(), X_OK) == 0) return file;
  return {};
}

}  // namespace

Tools find_tools() {
  Tools tools;
  if (const char* const folder = std::getenv("LOCKSTEP_SASS")) {
    if (std::string_view(folder) != "none") tools.folder = folder;
  } else if (const std::string cache = environment("XDG_CACHE_HOME"); !cache.empty()) {
    tools.folder = cache + "/lockstep";
  } else if (const std::string home = environment("HOME"); !home.empty()) {
    tools.folder = home + "/.cache/lockstep";
  }
  tools.ptxas = find_tool("LOCKSTEP_PTXAS", LOCKSTEP_BUILD_PTXAS, "ptxas");
  tools.nvdisasm = find_tool("LOCKSTEP_NVDISASM", LOCKSTEP_BUILD_NVDISASM, "nvdisasm");
  return tools;
}

DeviceOptions DeviceOptions::from_environment() {
  DeviceOptions options;
  options.threads = usable_cores();
  if (const char* text = std::getenv("LOCKSTEP_THREADS")) {
    options.threads = parse_threads(text);
    if (options.threads == 0)
      throw std::invalid_argument(words("LOCKSTEP_THREADS={text}: expected a whole number from 1 to {most}",
                                        {{"text", text}, {"most", std::to_string(kMostThreads)}}));
  }
  const char* report_file = std::getenv("LOCKSTEP_REPORT");
  if (report_file) options.report_file = report_file;
  options.report = !options.report_file.empty();
  const std::string counters = environment("LOCKSTEP_COUNTERS");
  if (counters == "none")
    options.report = false;
  else if (!counters.empty() && counters != "all")
    throw std::invalid_argument(words("LOCKSTEP_COUNTERS={text}: expected all or none", {{"text", counters}}));
  options.tools = find_tools();
  if (const char* text = std::getenv("LOCKSTEP_MEMORY")) {
    options.memory_bytes = parse_bytes(text);
    if (options.memory_bytes < (1 << 20))
      throw std::invalid_argument(
          words("LOCKSTEP_MEMORY={text}: expected a size from 1M to 16384G, such as 512M or 16G", {{"text", text}}));
  }
  if (const char* failure = std::getenv("LOCKSTEP_FAIL"); failure && *failure) options.failure = parse_failure(failure);
  if (const char* trace = std::getenv("LOCKSTEP_TRACE")) options.trace = trace;
  if (const char* checks = std::getenv("LOCKSTEP_CHECKS"); checks && *checks) options.checks = parse_checks(checks);
  const char* text = std::getenv("LOCKSTEP_SCHEDULE");
  const std::string schedule = text ? text : "forward";
  char* end = nullptr;
  if (schedule == "reverse")
    options.schedule.kind = Schedule::kReverse;
  else if (schedule.starts_with("random:") && schedule.size() > 7) {
    options.schedule = {Schedule::kRandom, std::strtoull(schedule.c_str() + 7, &end, 10)};
  }
  if ((end && *end) || (options.schedule.kind == Schedule::kForward && schedule != "forward"))
    throw std::invalid_argument(
        words("LOCKSTEP_SCHEDULE={text}: expected forward, reverse or random:SEED, where SEED is a whole number",
              {{"text", schedule}}));
  return options;
}

}  // namespace lockstep
