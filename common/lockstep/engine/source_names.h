// source_names: what the programmer calls the parts of a launch: source lines, threads, arrays and their elements. For
// messages only; nothing here decides how a kernel runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/findings.h"
#include "engine/memory.h"
#include "program/program.h"
#include "ptx/cuda_source.h"

namespace lockstep {

// An offset in a named array: bytes from its beginning, or before it. Here and below, names may have marks
// (base/words.h): where the source has no name, words stand for it.
struct Element {
  std::string array;
  int64_t offset = 0;
};

// An array as a message names it, and how the source indexes it, if that is known.
struct NamedArray {
  std::string name;
  std::optional<ArrayShape> shape{};
  std::string element(int64_t offset, uint32_t bytes) const;  // "s_tile[3][1]"; without a shape, of `bytes` bytes
};

// What the host calls an allocation: a variable's name, or "parameter 2" and 2, or "device memory".
struct Origin {
  std::string name;
  uint32_t parameter = 0;
};

struct SourceNames {
  const Program& program;
  const Module& module;
  const Memory& memory;
  std::string kernel;                          // as the programmer wrote it (demangled)
  Dim3 block;                                  // threads of one
  std::function<Origin(uint64_t)> allocation;  // at this address
  std::string symbol{};                        // of the kernel in the PTX
  std::vector<uint64_t> arguments{};           // the kernel's; 0 for one that is not 8 bytes large

  // The learner's own line, where the code was inlined. The file is empty without -lineinfo.
  std::pair<std::string, uint32_t> source_line(uint32_t pc) const;
  std::string location(uint32_t pc) const;  // "file:line", or "line n of its PTX"
  // One thread of the block with these coordinates, at an instruction.
  Site site(const Dim3& at, uint32_t warp, uint32_t lane, uint32_t pc) const;

  // The array at an offset in the block's shared memory, or at an address; as PTX knows it.
  Element shared_element(uint64_t offset) const;
  Element global_element(uint64_t address) const;
  // The same for messages, with the learner's own names and shapes. They read the source.
  std::string shared_name(uint64_t offset, uint32_t bytes) const;
  std::string global_name(uint64_t address, uint32_t bytes) const;
  NamedArray shared_array(const SharedArray& array) const;
  NamedArray global_array(uint64_t base) const;

  const SharedArray* shared_at(uint64_t offset) const;  // null: no array begins before
  // The kernel's parameter that points there, or somewhat before. Empty: none does, or several may be meant.
  std::string pointer_to(uint64_t address) const;

 private:
  std::vector<const CudaSource*> sources() const;
  NamedArray parameter(uint32_t number) const;
};

// "write at scan.cu:12 by block (0,0,0), thread (17,0,0)"
std::string text(const Site& site);

}  // namespace lockstep
