// source_names: what the programmer calls the parts of a launch: source lines, threads, arrays and their elements. For
// messages only; nothing here decides how a kernel runs.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/findings.h"
#include "engine/memory.h"
#include "program/program.h"

namespace lockstep {

// An offset in a named array: bytes from its beginning, or before it.
struct Element {
  std::string array;
  int64_t offset = 0;
  std::string name(uint32_t bytes) const;  // "s_tile[17]": the element of `bytes` bytes there
};

struct SourceNames {
  const Program& program;
  const Module& module;
  const Memory& memory;
  std::string kernel;  // as the programmer wrote it (demangled)
  Dim3 block;          // threads of one
  // What the programmer calls the allocation at this address, or "device memory".
  std::function<std::string(uint64_t)> allocation;

  // The learner's own line, where the code was inlined. The file is empty without -lineinfo.
  std::pair<std::string, uint32_t> source_line(uint32_t pc) const;
  std::string location(uint32_t pc) const;  // "file:line", or "line n of its PTX"
  // One thread of the block with these coordinates, at an instruction.
  Site site(const Dim3& at, uint32_t warp, uint32_t lane, uint32_t pc) const;

  // The array at an offset in the block's shared memory, or at an address.
  Element shared_element(uint64_t offset) const;
  Element global_element(uint64_t address) const;
};

// "write at scan.cu:12 by block (0,0,0), thread (17,0,0)"
std::string text(const Site& site);

}  // namespace lockstep
