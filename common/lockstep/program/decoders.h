// decoders: one function per form of instruction; each emits the instructions that its statement becomes. opcodes.cc
// says which opcode is decoded by which function. A decoder throws Unsupported for an instruction that lockstep does
// not know, and PtxError for a malformed one.
#pragma once

#include <stdexcept>
#include <string>

#include "ptx/module.h"

namespace lockstep {

// An instruction that is refused. The program keeps the first refusal.
struct Unsupported : std::runtime_error {
  explicit Unsupported(const std::string& what,
                       const std::string& next = "run it on a GPU, or write it without this instruction.")
      : std::runtime_error(what + "\n  Next: " + next) {}
};

// For a name that is declared and not defined.
inline Unsupported not_defined(const std::string& what, const std::string& name) {
  return Unsupported(
      "the " + what + " '" + demangled(name) + "' is not defined in the PTX of any of the program's files",
      "define it, and build every file that defines such with -gencode arch=compute_75,code=compute_75 "
      "and --compress-mode=none.");
}

class FunctionDecoder;
struct Opcode;

using Decode = void(FunctionDecoder& f, const Statement& s, const Opcode& opcode);

// decode_alu.cc: arithmetic, and the instructions that become arithmetic.
Decode decode_alu, decode_mov, decode_cvta, decode_isspacep, decode_createpolicy, decode_mapa, decode_getctarank;
// decode_memory.cc
Decode decode_load, decode_store, decode_atomic;
// decode_async.cc
Decode decode_async, decode_mbarrier;
// decode_control.cc: control flow, barriers, and instructions between the lanes of a warp. decode_plain: no operands.
Decode decode_plain, decode_branch, decode_indexed_branch, decode_call, decode_return, decode_barrier,
    decode_warp_barrier, decode_fence, decode_shuffle, decode_vote, decode_match, decode_redux, decode_elect,
    decode_activemask, decode_allocate;

}  // namespace lockstep
