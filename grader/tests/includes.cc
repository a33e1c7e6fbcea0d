#include "grader/tests/includes.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace warpladder::testing {
namespace {

namespace fs = std::filesystem;

// The header that an #include line names. False for any other line.
bool parse_include(std::string line, Include& include) {
  std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
  if (!line.starts_with("#include\"") && !line.starts_with("#include<")) return false;
  const size_t start = line.find_first_of("\"<");
  const size_t end = line.find_first_of("\">", start + 1);
  if (end == std::string::npos) return false;
  include.quoted = line[start] == '"';
  include.header = line.substr(start + 1, end - start - 1);
  return true;
}

// Between files below one folder: file → the files that it includes, both from that folder.
using Graph = std::map<std::string, std::set<std::string>>;

// Follows the arrows from the last file of the path. Returns the first circle: "a.h → b.h → a.h". "": there is none.
std::string find_circle(const Graph& graph, std::vector<std::string>& path, std::set<std::string>& done) {
  const std::string file = path.back();
  if (done.contains(file) || !graph.contains(file)) return "";
  for (const std::string& next : graph.at(file)) {
    const auto seen = std::ranges::find(path, next);
    if (seen != path.end()) {
      std::string circle;
      for (auto step = seen; step != path.end(); ++step) circle += *step + " → ";
      return circle + next;
    }
    path.push_back(next);
    std::string circle = find_circle(graph, path, done);
    path.pop_back();
    if (!circle.empty()) return circle;
  }
  done.insert(file);
  return "";
}

}  // namespace

std::vector<fs::path> sources_of(const fs::path& folder) {
  static const std::set<std::string> kKinds = {".h", ".cc", ".cu", ".cuh"};
  std::vector<fs::path> found;
  if (!fs::exists(SOURCE / folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(SOURCE / folder)) {
    if (entry.is_regular_file() && kKinds.contains(entry.path().extension()))
      found.push_back(folder / fs::relative(entry.path(), SOURCE / folder));
  }
  std::ranges::sort(found);
  return found;
}

std::vector<Include> includes_of(const fs::path& folder) {
  std::vector<Include> found;
  for (const fs::path& file : sources_of(folder)) {
    std::ifstream stream(SOURCE / file);
    std::string text;
    Include include{file, 0, "", false};
    while (std::getline(stream, text)) {
      ++include.line;
      if (parse_include(text, include)) found.push_back(include);
    }
  }
  return found;
}

std::string place(const Include& include) {
  return include.file.string() + ":" + std::to_string(include.line) + ": includes " + include.header;
}

std::vector<std::string> violations(const fs::path& folder, const std::string& prefix,
                                    const std::vector<std::string_view>& order) {
  std::vector<std::string> found;
  std::set<std::string> used;
  const auto room_of = [&](const fs::path& file) {  // file: from the folder; order.end(): in no room
    return std::ranges::find(order, file.has_parent_path() ? file.begin()->string() : "");
  };
  for (const fs::path& file : sources_of(folder)) {
    if (const auto room = room_of(file.lexically_relative(folder)); room == order.end()) {
      found.push_back(file.string() + ": lies in no room");
    } else {
      used.emplace(*room);
    }
  }
  for (const std::string_view room : order) {
    if (!used.contains(std::string(room))) found.push_back((folder / room).string() + ": has no file");
  }
  Graph graph;
  for (const Include& include : includes_of(folder)) {
    if (!include.quoted || !include.header.starts_with(prefix)) continue;
    const fs::path from = include.file.lexically_relative(folder), to = include.header.substr(prefix.size());
    graph[from].insert(to);
    if (room_of(to) > room_of(from)) found.push_back(place(include) + ": an arrow backward");
  }
  std::set<std::string> done;
  for (const auto& [file, headers] : graph) {
    std::vector<std::string> path = {file};
    if (const std::string circle = find_circle(graph, path, done); !circle.empty()) {
      found.push_back("a circle: " + circle);
      break;
    }
  }
  return found;
}

}  // namespace warpladder::testing
