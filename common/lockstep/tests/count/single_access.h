// single_access: the text of a row → a PTX kernel in which one warp runs one memory instruction. Used by counters_test,
// which runs it here, and by counters_card, which runs it under Nsight Compute on a card.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockstep::golden {

// A CSV file: its header names the cells. Lines that start with # are comments.
std::vector<std::map<std::string, std::string>> read_csv(const std::string& path);

// A kernel's arguments: lane l's byte offset (negative: the lane is not active), memory to access, memory for results,
// and a number that ptxas cannot know.
struct SingleAccessParams {
  uint64_t offsets, data, results;
  uint32_t v;
};
inline constexpr uint32_t kDataBytes = 1 << 20, kResultBytes = 1 << 10, kUniform = 8;

// The kernel "k" around `statements`, PTX that finds
//   %r3, %rd3, %r11  the lane's address in shared, global and local memory; %r14: offset v in local memory, for all
//   %r5 %rd7 %f1 %fd1 %h1 %r12 %q1  lane + v as a number of 32, 64 bits, float, double, half, two halves, 128 bits
//   %r6 %r7 %r8  more 32-bit values;  %h2 %q2  other 16 and 128 bits
//   %rd6  the address of the lane's result;  %r9 %rd9 %f9 %fd9 %h9 %q9 and %r13 %rd10  free
std::string kernel_ptx(const std::string& statements);

std::vector<int32_t> parse_offsets(const std::string& text);

}  // namespace lockstep::golden
