// printing: what the card's printf() accesses, by rules measured on an H200. nvcc makes a call of it, and its code is
// in the driver. It reads the format three times, byte by byte, copies the arguments and their texts to a record of
// 256-byte pieces in local memory, and the record to a buffer of the card. Pure functions of the format and of what the
// lanes print.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "count/counters.h"

namespace lockstep {

// The arguments that the card's printf() finds in a format.
struct PrintFormat {
  enum Argument : uint8_t { kWord, kWide, kString };  // of 4 bytes, of 8 bytes, the address of a text
  std::vector<Argument> arguments;
  uint32_t length = 0;  // bytes, without the 0 behind them
};

// Nothing: the format has a conversion that the card's printf() does not know (%zu, %hhd, %.*f, …), or more arguments
// than the 32 that it takes. Then it passes over the conversion, and the next one takes its argument.
std::optional<PrintFormat> print_format(std::string_view format);

// A text of each lane, in global memory.
struct PrintText {
  uint64_t addresses[kWarpSize] = {};
  uint32_t length = 0;  // bytes of each, without the 0 behind them
};

// One call of the lanes of `mask`. texts: the format's, and those of its arguments of kind kString.
PrintCounters print_counters(const PrintFormat& format, const std::vector<PrintText>& texts, Mask mask);

}  // namespace lockstep
