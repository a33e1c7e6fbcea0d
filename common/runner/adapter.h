// adapter: how the runner calls the functions of a contract. Each contract has one table, in common/contracts/*.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpladder {

struct Arguments {
  void* in;   // device memory, or host memory for a function that takes host memory
  void* out;  // likewise; unused by functions that return their result
  size_t n;
  int block;          // threads of a block, where the function takes that number; else 0
  int64_t value = 0;  // what the function returned
};

// `defined` is false where the lab's file leaves the function out: the adapter refers to it weakly.
struct EntryPoint {
  const char* name;
  bool defined;
  void (*call)(Arguments&);
};

std::span<const EntryPoint> entry_points();

}  // namespace warpladder
