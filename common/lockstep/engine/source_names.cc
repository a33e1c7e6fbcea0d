#include "engine/source_names.h"

#include "base/lanes.h"

namespace lockstep {
namespace {

std::string location_of(const Site& site, uint32_t ptx_line = 0) {
  if (!site.file.empty()) return site.file + ":" + std::to_string(site.line);
  const std::string line = ptx_line ? "line " + std::to_string(ptx_line) : "a line";
  return line + " of its PTX (compile with -lineinfo to see your own line)";
}

}  // namespace

std::string text(const Site& site) {
  return (site.access.empty() ? "" : site.access + " ") + "at " + location_of(site) + " by block " + text(site.block) +
         ", thread " + text(site.thread);
}

std::string Element::name(uint32_t bytes) const {
  return array + "[" + std::to_string(offset / static_cast<int64_t>(bytes)) + "]";
}

std::pair<std::string, uint32_t> SourceNames::source_line(uint32_t pc) const {
  const SourceLocation& at = program.locations[pc];
  const bool inlined = at.inlined_line != 0;
  const auto file = module.files.find(inlined ? at.inlined_file : at.file);
  return {file == module.files.end() ? "" : file->second, inlined ? at.inlined_line : at.line};
}

std::string SourceNames::location(uint32_t pc) const {
  const auto [file, line] = source_line(pc);
  return location_of({file, line, {}, {}, ""}, program.locations[pc].ptx_line);
}

Site SourceNames::site(const Dim3& at, uint32_t warp, uint32_t lane, uint32_t pc) const {
  const auto [file, line] = source_line(pc);
  return {file, line, at, index_in(block, warp * kWarpSize + lane), ""};
}

Element SourceNames::shared_element(uint64_t offset) const {
  const std::pair<std::string, std::pair<uint32_t, uint32_t>>* nearest = nullptr;  // the last that begins before
  for (const auto& array : program.shared_arrays)
    if (array.second.first - kSharedBase <= offset && (!nearest || array.second.first >= nearest->second.first))
      nearest = &array;
  if (!nearest) return {"shared memory", static_cast<int64_t>(offset)};
  return {nearest->first, static_cast<int64_t>(offset + kSharedBase - nearest->second.first)};
}

Element SourceNames::global_element(uint64_t address) const {
  const uint64_t base = memory.nearest(address).begin;
  return {allocation(base), static_cast<int64_t>(address - base)};
}

}  // namespace lockstep
