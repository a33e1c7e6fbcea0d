// kernel: the body of a kernel in PTX → its Program, whose accesses and lines a test finds by their text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "program/decode_program.h"
#include "ptx/parser.h"
#include "sass/listing.h"

namespace lockstep {

// functions: which the kernel calls. %rd1: a parameter, an address; %r1: a parameter; %r2: %tid.x; s: 1024 bytes of
// shared memory; v and w: variables.
class Kernel {
 public:
  explicit Kernel(const std::string& body, const std::string& functions = "")
      : text_(
            ".version 9.0\n.target sm_75\n.address_size 64\n"
            ".global .align 16 .b8 v[1024];\n.global .align 4 .b8 w[64];\n"
            ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
            ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n"
            ".reg .f32 %f<20>;\n.reg .b64 %rd<20>;\n.shared .align 16 .b8 s[1024];\nld.param.u64 %rd1, [p];\n"
            "ld.param.u64 %rd2, [q];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n" +
            body + "\nret;\n}\n" + functions),
        module_(parse(text_)) {
    Symbols symbols;
    symbols.variable_address = [](const std::string& name) -> uint64_t {
      return name == "v" ? kVariable : name == "w" ? 2 * kVariable : 0;
    };
    symbols.function_id = [](const std::string&) { return 0; };
    symbols.find_function = [&](const std::string& name) -> const Function* {
      const auto found = std::ranges::find(module_.functions, name, &Function::name);
      return found == module_.functions.end() ? nullptr : &*found;
    };
    symbols.address_taken = [] { return std::vector<const Function*>(); };
    symbols.access_handler = [](const MemoryAccess&) -> AccessHandler {
      return [](Warp&, const MemoryAccess&, Mask) {};
    };
    symbols.param_block = 4096;
    program_ = decode_program(module_, *symbols.find_function("k"), symbols);
    EXPECT_EQ(program_->refusal.message, "");
  }

  const Program& program() const { return *program_; }

  // A call of printf() with the format at %rd1, as nvcc writes it, on three lines.
  static std::string print() {
    return "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd1; st.param.b64 [a], %rd2;\n"
           "call.uni (r), vprintf, (f, a);\n}\n";
  }

  // The line of the PTX with this text.
  uint32_t line(std::string_view text) const {
    const size_t at = text_.find(text);
    if (at == text_.npos || text_.find(text, at + 1) != text_.npos) {
      ADD_FAILURE() << "the text must occur once: " << text;
      return 0;
    }
    return static_cast<uint32_t>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
  }

  // The instruction of this line.
  uint32_t pc(std::string_view text) const {
    const uint32_t wanted = line(text);
    for (uint32_t pc = 0; pc < program_->code.size(); ++pc)
      if (program_->locations[pc].ptx_line == wanted && program_->code[pc].kind != Kind::kJoin) return pc;
    ADD_FAILURE() << "no instruction: " << text;
    return 0;
  }

  const MemoryAccess& access(std::string_view text) const { return program_->accesses[program_->code[pc(text)].index]; }

  // What ptxas makes of the access if it changes nothing: without a loop or a condition.
  MachineAccess as_written(std::string_view text) const {
    const MemoryAccess& access = this->access(text);
    MachineAccess machine;
    machine.kind = static_cast<MachineAccess::Class>(access.op);
    machine.space = access.space;
    machine.bytes = static_cast<uint8_t>(access.bytes * access.count);
    machine.line = line(text);
    return machine;
  }

 private:
  static constexpr uint64_t kVariable = uint64_t{1} << 33;  // the address of v

  std::string text_;
  Module module_;
  std::unique_ptr<Program> program_;
};

}  // namespace lockstep
