#include "engine/source_names.h"

#include <algorithm>
#include <set>

#include "base/lanes.h"
#include "base/words.h"

namespace lockstep {
namespace {

std::string location_of(const Site& site, uint32_t ptx_line = 0) {
  if (!site.file.empty()) return site.file + ":" + std::to_string(site.line);
  if (ptx_line)
    return words("line {line} of its PTX (compile with -lineinfo to see your own line)",
                 {{"line", std::to_string(ptx_line)}});
  return words("a line of its PTX (compile with -lineinfo to see your own line)");
}

}  // namespace

std::string text(const Site& site) {
  const Facts facts = {{"place", location_of(site)}, {"block", text(site.block)}, {"thread", text(site.thread)}};
  if (site.access == "read") return words("read at {place} by block {block}, thread {thread}", facts);
  if (site.access == "write") return words("write at {place} by block {block}, thread {thread}", facts);
  if (site.access == "atomic") return words("atomic at {place} by block {block}, thread {thread}", facts);
  return words("at {place} by block {block}, thread {thread}", facts);
}

std::string NamedArray::element(int64_t offset, uint32_t bytes) const {
  return name + (shape ? shape->index(offset) : "[" + std::to_string(offset / static_cast<int64_t>(bytes)) + "]");
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

// The last array that begins before the offset.
const SharedArray* SourceNames::shared_at(uint64_t offset) const {
  const SharedArray* nearest = nullptr;
  for (const SharedArray& array : program.shared_arrays)
    if (array.offset - kSharedBase <= offset && (!nearest || array.offset >= nearest->offset)) nearest = &array;
  return nearest;
}

Element SourceNames::shared_element(uint64_t offset) const {
  const SharedArray* const array = shared_at(offset);
  if (!array) return {words("shared memory"), static_cast<int64_t>(offset)};
  return {array->name, static_cast<int64_t>(offset + kSharedBase - array->offset)};
}

Element SourceNames::global_element(uint64_t address) const {
  const uint64_t base = memory.nearest(address).begin;
  return {allocation(base).name, static_cast<int64_t>(address - base)};
}

std::string SourceNames::shared_name(uint64_t offset, uint32_t bytes) const {
  const Element element = shared_element(offset);
  const SharedArray* const array = shared_at(offset);
  return (array ? shared_array(*array) : NamedArray{element.array}).element(element.offset, bytes);
}

std::string SourceNames::global_name(uint64_t address, uint32_t bytes) const {
  const uint64_t base = memory.nearest(address).begin;
  return global_array(base).element(static_cast<int64_t>(address - base), bytes);
}

// The files that the program's own lines come from.
std::vector<const CudaSource*> SourceNames::sources() const {
  constexpr size_t kMost = 16;  // files: a program may be made of very many
  std::set<uint32_t> files;
  for (const SourceLocation& at : program.locations)
    for (const uint32_t file : {at.file, at.inlined_file})
      if (file != 0 && files.size() < kMost) files.insert(file);
  std::vector<const CudaSource*> found;
  for (const uint32_t file : files)
    if (const auto name = module.files.find(file); name != module.files.end())
      found.push_back(&cuda_source_of(name->second));
  return found;
}

// The declarations of that name must all have one shape.
NamedArray SourceNames::shared_array(const SharedArray& array) const {
  NamedArray named{array.name};
  const FunctionName declarer = function_name(array.function);
  std::vector<std::optional<ArrayShape>> shapes;
  const auto look = [&](const CudaSource& source, const DeclaredArray& a, const DeclaredFunction* function) {
    if (a.name == array.name) shapes.push_back(shape_of(source, a, array.bytes, function, declarer.arguments));
  };
  for (const CudaSource* source : sources()) {
    for (const DeclaredFunction& function : source->functions)
      for (const DeclaredArray& a : function.shared)
        if (array.function.empty() || function.name == declarer.base) look(*source, a, &function);
    if (array.function.empty())
      for (const DeclaredArray& a : source->variables) look(*source, a, nullptr);
  }
  if (!shapes.empty() && std::ranges::all_of(shapes, [&](const auto& s) { return s && *s == *shapes[0]; }))
    named.shape = shapes[0];
  return named;
}

NamedArray SourceNames::global_array(uint64_t base) const {
  const Origin origin = allocation(base);
  if (origin.parameter) return parameter(origin.parameter);
  NamedArray named{origin.name};
  const Range range = memory.find(base);
  std::vector<std::optional<ArrayShape>> shapes;
  for (const CudaSource* source : sources())
    for (const DeclaredArray& a : source->variables)
      if (a.name == function_name(origin.name).base)
        shapes.push_back(shape_of(*source, a, range.end - range.begin, nullptr, {}));
  if (shapes.size() == 1) named.shape = shapes[0];
  return named;
}

std::string SourceNames::pointer_to(uint64_t address) const {
  constexpr uint64_t kFarthest = 16 << 20;  // bytes, for an index
  const std::vector<std::string> types = parameter_types(demangled(symbol));
  if (types.size() != arguments.size()) return "";
  std::vector<uint32_t> nearest;
  uint64_t distance = kFarthest;
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    const uint64_t away = address - arguments[i];  // very large if the pointer lies behind
    if (types[i].find('*') == std::string::npos || away > distance) continue;
    if (away < distance) nearest.clear();
    distance = away;
    nearest.push_back(i + 1);
  }
  return nearest.size() == 1 ? parameter(nearest[0]).name : "";
}

// The kernel's own definition holds the lines of its code. Its name and the number of its parameters must agree, too.
NamedArray SourceNames::parameter(uint32_t number) const {
  NamedArray named{words("parameter {number}", {{"number", std::to_string(number)}})};
  const std::string whole = demangled(symbol);
  const std::vector<std::string> types = parameter_types(whole);
  if (const uint32_t bytes = number <= types.size() ? element_bytes(types[number - 1]) : 0)
    named.shape = ArrayShape{bytes, true, {}};
  const uint32_t end =
      program.functions.size() > 1 ? program.functions[1].entry : static_cast<uint32_t>(program.locations.size());
  for (uint32_t pc = program.functions[0].entry; pc < end; ++pc) {
    const SourceLocation& at = program.locations[pc];
    const auto file = module.files.find(at.file);
    if (at.line == 0 || at.inlined_line != 0 || file == module.files.end()) continue;
    std::set<std::string> names;
    for (const DeclaredFunction& f : cuda_source_of(file->second).functions)
      if (f.is_kernel && f.name == function_name(whole).base && f.parameters.size() == arguments.size() &&
          f.first_line <= at.line && at.line <= f.last_line)
        names.insert(f.parameters[number - 1]);
    if (names.size() == 1 && !names.begin()->empty()) named.name = *names.begin();
    return named;
  }
  return named;
}

}  // namespace lockstep
