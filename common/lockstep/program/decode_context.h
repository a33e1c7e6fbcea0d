// decode_context: what the functions of one program share while they are decoded.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/align.h"
#include "program/device_symbols.h"
#include "program/program.h"

namespace lockstep {

// The offsets of the block's shared arrays.
struct SharedLayout {
  std::unordered_map<std::string, uint32_t> module_offsets;  // module-scope arrays
  std::map<std::pair<const Function*, std::string>, uint32_t> function_offsets;
  uint32_t end = kSharedBase;

  uint32_t reserve(const Variable& v) {
    const uint32_t offset = align_up(end, std::max<uint32_t>(v.align, 1));
    end = offset + static_cast<uint32_t>(v.bytes);
    return offset;
  }
};

struct DecodeContext {
  const Module& module;
  const DeviceSymbols& symbols;
  Program& program;
  SharedLayout shared{};
  std::vector<const Function*> reachable{};  // beside Program::functions

  // Into reachable; kNowhere if the entry cannot reach it.
  uint32_t index_of(const std::string& name) const {
    for (uint32_t i = 0; i < reachable.size(); ++i)
      if (reachable[i]->name == name) return i;
    return kNowhere;
  }
};

}  // namespace lockstep
