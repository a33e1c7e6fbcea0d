#include "report/report.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/words.h"
#include "count/counter_names.h"
#include "report/cost_model.h"

namespace lockstep {

// How these become JSON. The issued instructions stand beside a launch's other work.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Chain, cycles, shared_waits, l1_waits, misses, barriers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Issued, slots, integer, floating, double_precision, special)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Work, shared_bytes, wavefronts, l2_sectors, loaded_sectors, sectors_read,
                                   sectors_written, atomic_sectors, busiest_atomics, chains, longest_chain)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModelledTime, launch, dram, l2, shared, issue, atomics, latency, blocks)

namespace {

// A message as judge and launcher translate it: a string, or {"form", "arguments"}.
nlohmann::json to_json(const Pieces& all) {
  nlohmann::json list = nlohmann::json::array();
  for (const Piece& piece : all) {
    if (!piece.is_words) {
      list.push_back(piece.text);
      continue;
    }
    nlohmann::json arguments = nlohmann::json::object();
    for (const auto& [key, value] : piece.arguments) arguments[key] = to_json(value);
    list.push_back({{"form", piece.text}, {"arguments", arguments}});
  }
  return list;
}

// Words never reach over the end of a line.
nlohmann::json lines_of(const std::string& marked) {
  nlohmann::json lines = nlohmann::json::array();
  for (size_t begin = 0; begin < marked.size();) {
    const size_t end = std::min(marked.find('\n', begin), marked.size());
    lines.push_back(to_json(pieces(std::string_view(marked).substr(begin, end - begin))));
    begin = end + 1;
  }
  return lines;
}

// Quotients of the sums of a launch or of a line. A quotient by zero is left out.
nlohmann::json ratios(const CounterSums& sums, uint64_t blocks) {
  nlohmann::json result = nlohmann::json::object();
  const auto value = [&](const std::string& name) {
    const auto found = sums.find(name);
    return found == sums.end() ? 0.0 : static_cast<double>(found->second);
  };
  const auto add = [&](const std::string& name, double above, double below) {
    if (below > 0) result[name] = above / below;
  };
  add("smsp__thread_inst_executed_per_inst_executed.ratio", value("smsp__thread_inst_executed.sum"),
      value("smsp__inst_executed.sum"));
  for (const std::string access : {"global_op_ld", "global_op_st", "local_op_ld", "local_op_st"})
    add("l1tex__average_t_sectors_per_request_pipe_lsu_mem_" + access + ".ratio",
        value("l1tex__t_sectors_pipe_lsu_mem_" + access + ".sum"),
        value("l1tex__t_requests_pipe_lsu_mem_" + access + ".sum"));
  if (sums.contains("barriers")) add("barriers_per_block", value("barriers"), static_cast<double>(blocks));
  return result;
}

nlohmann::json shape(const Dim3& d) { return {d.x, d.y, d.z}; }

nlohmann::json to_json(const Site& site) {
  return {{"file", site.file},
          {"line", site.line},
          {"block", shape(site.block)},
          {"thread", shape(site.thread)},
          {"access", site.access}};
}

std::string name_of(const Schedule& schedule) {
  if (schedule.kind == Schedule::kRandom) return "random:" + std::to_string(schedule.seed);
  return schedule.kind == Schedule::kReverse ? "reverse" : "forward";
}

double rounded(double us) { return std::round(us * 1e3) / 1e3; }

nlohmann::json modelled(const Work& work) {
  nlohmann::json result = nlohmann::json::object();
  if (work.blocks == 0) return result;
  for (const Card& card : cards()) {
    if (!fits(work, card)) continue;
    const ModelledTime t = modelled_time(work, card);
    nlohmann::json parts = t;
    for (nlohmann::json& part : parts) part = rounded(part);
    result[card.name] = {{"us", rounded(t.us)}, {"bound", t.bound}, {"parts", parts}};
  }
  return result;
}

// The sum over all launches, for each card that can run all of them.
nlohmann::json modelled(const std::vector<const LaunchRecord*>& launches) {
  nlohmann::json result = nlohmann::json::object();
  for (const Card& card : cards()) {
    double us = 0;
    const bool all = std::ranges::all_of(launches, [&](const LaunchRecord* launch) {
      const bool fitting = launch->work.blocks > 0 && fits(launch->work, card);
      if (fitting) us += modelled_time(launch->work, card).us;
      return fitting;
    });
    if (all) result[card.name] = rounded(us);
  }
  return result;
}

// The ratio of two counters is no more certain than they are.
std::set<std::string> doubtful_ratios(const std::set<std::string>& doubtful) {
  std::set<std::string> names;
  for (const std::string& name : doubtful) {
    constexpr std::string_view kMemory = "pipe_lsu_mem_";
    const size_t at = name.find(kMemory);
    if (name == "barriers") names.insert("barriers_per_block");
    if (name.starts_with("l1tex__t_") && at != name.npos)
      names.insert("l1tex__average_t_sectors_per_request_" + name.substr(at, name.rfind('.') - at) + ".ratio");
  }
  std::set<std::string> known;
  for (const CounterName& ratio : ratio_names())
    if (names.contains(ratio.name)) known.insert(ratio.name);
  return known;
}

nlohmann::json to_json(const Counted& counted, uint64_t blocks) {
  nlohmann::json result{{"counters", counted.counters}, {"ratios", ratios(counted.counters, blocks)}};
  for (const std::set<std::string>& names : {counted.doubtful, doubtful_ratios(counted.doubtful)})
    for (const std::string& name : names) result["counter_kinds"][name] = to_text(CounterKind::kPtxLevel);
  if (!counted.by_ptx.empty()) result["ptx_counters"] = counted.by_ptx;
  if (!counted.of_printf.empty()) result["printf_counters"] = counted.of_printf;
  for (const std::string& note : counted.notes) {
    result["notes"].push_back(plain(note));
    result["note_parts"].push_back(to_json(pieces(note)));
  }
  return result;
}

nlohmann::json to_json(const LaunchRecord& launch) {
  const uint64_t blocks = launch.grid.count();
  nlohmann::json lines = nlohmann::json::array();
  for (const auto& [location, counted] : launch.lines) {
    lines.push_back({{"file", location.first}, {"line", location.second}});
    lines.back().update(to_json(counted, blocks));
  }
  nlohmann::json work = launch.work;
  work.update(nlohmann::json(launch.work.issued));
  nlohmann::json result{{"kernel", launch.kernel},
                        {"grid", shape(launch.grid)},
                        {"block", shape(launch.block)},
                        {"occupancy", launch.occupancy},
                        {"lines", lines},
                        {"modelled", modelled(launch.work)},
                        {"work", work}};
  if (const Launcher& by = launch.launcher; !by.kernel.empty())
    result["launched_by"] = {{"kernel", by.kernel}, {"file", by.file}, {"line", by.line}};
  result.update(to_json(launch.all, blocks));
  return result;
}

std::string to_text(const nlohmann::json& json) {
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string to_json(const Reported& reported, const Schedule& schedule, std::string_view end) {
  const LaunchRecords& launches = reported.launches;
  nlohmann::json report{{"findings", nlohmann::json::array()}, {"end", end}};
  for (const auto names : {counter_names(), ratio_names(), occupancy_names()})
    for (const CounterName& counter : names) {
      report["counter_kinds"][counter.name] = to_text(counter.kind);
      report["counter_names"][counter.name] = counter.plain;
    }
  if (!reported.calls.empty()) report["calls"] = reported.calls;
  if (!reported.stopped_at.empty()) {
    report["stopped_at"] = plain(reported.stopped_at);
    report["stopped_at_lines"] = lines_of(reported.stopped_at);
  }
  for (const std::string& call : reported.failed_calls) {
    report["failed_calls"].push_back(plain(call));
    report["failed_call_lines"].push_back(lines_of(call));
  }
  for (const auto& [library, calls] : reported.library_calls) {
    const std::string note = words("calls of {library} that the host computed, and that are not counted: {calls}",
                                   {{"library", library}, {"calls", std::to_string(calls)}});
    report["notes"].push_back(plain(note));
    report["note_parts"].push_back(to_json(pieces(note)));
  }
  for (const Finding& f : reported.findings) {
    nlohmann::json entry = to_json(f.at);
    entry.update({{"kind", f.kind},
                  {"kernel", f.kernel},
                  {"message", f.message},
                  {"lines", lines_of(f.marked)},
                  {"count", f.count},
                  {"schedule", name_of(schedule)}});
    if (!f.where.empty()) entry["where"] = f.where;
    if (f.other) entry["other"] = to_json(*f.other);
    report["findings"].push_back(entry);
  }
  report["crossing"] = {{"to_host", reported.crossing.to_host}, {"from_host", reported.crossing.from_host}};
  report["modelled"] = modelled(launches.all());
  std::map<std::string, uint64_t> kernels;
  for (const LaunchRecord* launch : launches.all()) ++kernels[launch->kernel];
  report["kernels"] = kernels;
  report["modelled_error"] = cards().front()["speedup_error"];
  // A program may launch many kernels. Each becomes text alone, since a json object needs several times its memory.
  std::string text = to_text(report);
  text.erase(text.rfind("\n}"));
  text += ",\n \"launches\": [";
  const char* separator = "\n";
  for (const LaunchRecord* launch : launches.all()) {
    text += separator + to_text(to_json(*launch));
    separator = ",\n";
  }
  return text + "]\n}";
}

std::string message_json(const std::string& marked) { return to_text(lines_of(marked)); }

Outcome write_report(const std::string& file, const std::string& report) {
  const std::string temporary = file + ".tmp" + std::to_string(getpid());
  std::FILE* stream = std::fopen(temporary.c_str(), "wb");
  bool written = stream && std::fwrite(report.data(), 1, report.size(), stream) == report.size();
  if (stream) written = std::fclose(stream) == 0 && written;
  if (written && std::rename(temporary.c_str(), file.c_str()) == 0) return {};
  const std::string reason = std::strerror(errno);
  if (stream) unlink(temporary.c_str());
  return {Status::kInvalidValue, with_next(words("the report cannot be written to {file} (LOCKSTEP_REPORT): {reason}",
                                                 {{"file", file}, {"reason", reason}}),
                                           words("name a file in a folder that you may write to."))};
}

}  // namespace lockstep
