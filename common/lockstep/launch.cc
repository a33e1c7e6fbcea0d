#include "launch.h"

#include <cinttypes>
#include <cstdio>

#include "block.h"
#include "warp.h"

namespace lockstep {
namespace {

std::string text(const Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

}  // namespace

Dim3 thread_index(const Launch& launch, uint32_t linear) {
  const Dim3& b = launch.block;
  return {linear % b.x, linear / b.x % b.y, linear / (b.x * b.y)};
}

std::pair<std::string, uint32_t> Launch::source_line(uint32_t pc) const {
  const SourceLocation& at = program.locations[pc];
  const bool inlined = at.inlined_line != 0;
  const auto file = module.files.find(inlined ? at.inlined_file : at.file);
  return {file == module.files.end() ? "" : file->second, inlined ? at.inlined_line : at.line};
}

std::string Launch::place(uint32_t pc) const {
  const auto [file, line] = source_line(pc);
  if (!file.empty()) return file + ":" + std::to_string(line);
  return "line " + std::to_string(program.locations[pc].ptx_line) +
         " of its PTX (compile with -lineinfo to see your own line)";
}

void Launch::fail(Status status, const char* kind, const Warp& warp, uint32_t lane, uint32_t pc,
                  const std::string& what, const std::string& detail) {
  if (faulted) return;
  faulted = true;
  fault.status = status;
  fault_kind = kind;
  fault_place = source_line(pc);
  fault.message = what + "\n  in kernel " + kernel + " at " + place(pc) + "\n  block " +
                  text(warp.block().coordinates()) + ", thread " +
                  text(thread_index(*this, warp.index() * kWarpSize + lane));
  if (!detail.empty()) {
    std::string indented = "\n  ";
    for (const char c : detail) indented += c == '\n' ? std::string("\n  ") : std::string(1, c);
    fault.message += indented;
  }
}

}  // namespace lockstep
