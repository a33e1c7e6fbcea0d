// alu_statement: for tests: makes statements from names, and reads and writes registers. Needs no parser or engine.
#pragma once

#include <array>
#include <cstring>
#include <string>

#include "alu/alu.h"

namespace lockstep {

inline Statement statement_of(const std::string& name, size_t operands) {
  Statement s;
  s.set_name(name);
  s.operands.resize(operands);
  for (auto& operand : s.operands) operand.kind = Operand::kRegister;
  return s;
}

inline size_t bytes_of(Width width) {
  switch (width) {
    case Width::kNone:
    case Width::kPred: return 0;
    case Width::k16: return 2;
    case Width::k32: return 4;
    case Width::k64: return 8;
    case Width::k128: return 16;
  }
  return 0;
}

// A frame with room for a register at every multiple of 512 bytes.
struct Frame {
  alignas(64) std::array<std::byte, 512 * 16> bytes{};

  void set(uint32_t offset, Width width, int lane, uint64_t value) {
    if (width == Width::kPred) {
      Mask& p = *lanes<Mask>(bytes.data(), offset);
      p = (p & ~(1u << lane)) | static_cast<Mask>(value & 1) << lane;
    } else {
      const size_t n = bytes_of(width);
      std::memcpy(bytes.data() + offset + n * static_cast<size_t>(lane), &value, n);
    }
  }
  uint64_t get(uint32_t offset, Width width, int lane) const {
    uint64_t value = 0;
    if (width == Width::kPred) {
      Mask p;
      std::memcpy(&p, bytes.data() + offset, sizeof p);
      value = p >> lane & 1;
    } else {
      const size_t n = bytes_of(width);
      std::memcpy(&value, bytes.data() + offset + n * static_cast<size_t>(lane), n);
    }
    return value;
  }
};

}  // namespace lockstep
