#include "engine/launch.h"

#include <cinttypes>
#include <cstdio>

#include "engine/access.h"
#include "engine/block.h"
#include "engine/warp.h"

namespace lockstep {
namespace {

std::string place_of(const Site& site, uint32_t ptx_line = 0) {
  if (!site.file.empty()) return site.file + ":" + std::to_string(site.line);
  const std::string line = ptx_line ? "line " + std::to_string(ptx_line) : "a line";
  return line + " of its PTX (compile with -lineinfo to see your own line)";
}

std::string indented(const std::string& lines) {
  std::string result;
  for (const char c : "\n" + lines) result += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return lines.empty() ? "" : result;
}

}  // namespace

std::string text(const Site& site) {
  return (site.access.empty() ? "" : site.access + " ") + "at " + place_of(site) + " by block " + text(site.block) +
         ", thread " + text(site.thread);
}

Dim3 thread_index(const Launch& launch, uint32_t linear) {
  const Dim3& b = launch.block;
  return {linear % b.x, linear / b.x % b.y, linear / (b.x * b.y)};
}

Dim3 block_index(const Dim3& grid, uint64_t linear) {
  const uint64_t plane = uint64_t{grid.x} * grid.y;
  return {static_cast<uint32_t>(linear % grid.x), static_cast<uint32_t>(linear % plane / grid.x),
          static_cast<uint32_t>(linear / plane)};
}

std::pair<std::string, uint32_t> Launch::source_line(uint32_t pc) const {
  const SourceLocation& at = program.locations[pc];
  const bool inlined = at.inlined_line != 0;
  const auto file = module.files.find(inlined ? at.inlined_file : at.file);
  return {file == module.files.end() ? "" : file->second, inlined ? at.inlined_line : at.line};
}

std::string Launch::place(uint32_t pc) const {
  const auto [file, line] = source_line(pc);
  return place_of({file, line, {}, {}, ""}, program.locations[pc].ptx_line);
}

Site Launch::site(const Warp& warp, uint32_t lane, uint32_t pc) const {
  return site(warp.block().coordinates(), warp.index(), lane, pc);
}

Site Launch::site(const Dim3& at, uint32_t warp, uint32_t lane, uint32_t pc) const {
  const auto [file, line] = source_line(pc);
  return {file, line, at, thread_index(*this, warp * kWarpSize + lane), ""};
}

Element Launch::in_shared(uint64_t offset) const {
  const std::pair<std::string, std::pair<uint32_t, uint32_t>>* nearest = nullptr;  // the last that begins before
  for (const auto& array : program.shared_arrays)
    if (array.second.first - kSharedBase <= offset && (!nearest || array.second.first >= nearest->second.first))
      nearest = &array;
  if (!nearest) return {"shared memory", static_cast<int64_t>(offset)};
  return {nearest->first, static_cast<int64_t>(offset + kSharedBase - nearest->second.first)};
}

Element Launch::in_global(uint64_t address) const {
  const uint64_t base = memory.nearest(address).begin;
  return {allocation_name ? allocation_name(base) : "device memory", static_cast<int64_t>(address - base)};
}

static std::string name_of(const Element& element, uint32_t bytes) {
  return element.array + "[" + std::to_string(element.offset / static_cast<int64_t>(bytes)) + "]";
}

std::string Launch::name_of_shared(uint64_t offset, uint32_t bytes) const { return name_of(in_shared(offset), bytes); }

std::string Launch::name_of_global(uint64_t address, uint32_t bytes) const {
  return name_of(in_global(address), bytes);
}

namespace {

// Makes the finding, and the launch's fault if it is the first. Gives its index in the findings.
size_t note(Launch& launch, Status status, const char* kind, const Site& at, uint32_t pc, const std::string& what,
            const std::string& detail, const std::string& where, const std::optional<Site>& other = {}) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = launch.kernel;
  finding.at = at;
  finding.other = other;
  finding.where = where;
  finding.message = what + "\n  in kernel " + launch.kernel + " at " + launch.place(pc) + "\n  block " +
                    text(at.block) + ", thread " + text(at.thread) + indented(detail);
  if (launch.fault.ok()) launch.fault = {status, finding.message};
  return launch.findings.add(std::move(finding));
}

}  // namespace

void Launch::fail(Status status, const char* kind, const Warp& warp, uint32_t lane, uint32_t pc,
                  const std::string& what, const std::string& detail, const std::optional<Site>& other) {
  if (faulted) return;
  note(*this, status, kind, site(warp, lane, pc), pc, what, detail, "", other);
  faulted = true;
}

void Launch::fail_access(Status status, const char* kind, const Warp& warp, uint32_t lane, const MemoryAccess& access,
                         const std::string& what, const std::string& detail, const std::string& where) {
  if (faulted) return;
  Site at = site(warp, lane, access.pc);
  at.access = verb(access);
  failed_at[{kind, access.pc}] = note(*this, status, kind, at, access.pc, what, detail, where);
  faulted = !goes_on;
}

bool Launch::failed_before(const char* kind, uint32_t pc) {
  const auto found = failed_at.find({kind, pc});
  if (found == failed_at.end()) return false;
  findings.count_again(found->second);
  return true;
}

}  // namespace lockstep
