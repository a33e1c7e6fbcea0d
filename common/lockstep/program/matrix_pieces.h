// matrix_pieces: a matrix of wmma in memory → the accesses that ptxas makes of wmma.load and wmma.store. One
// instruction of PTX becomes several of the machine, each of which moves a piece of the matrix. The rule was read in
// ptxas' code for all shapes and types (docs/counters.md).
#pragma once

#include <cstdint>
#include <vector>

#include "alu/matrix.h"

namespace lockstep {

struct MatrixPieces {
  // Of a lane: `outer` strides behind the matrix' first element, and `inner` bytes behind that.
  struct Place {
    uint16_t outer = 0, inner = 0;
  };
  bool by_rows = false;   // ldmatrix: lane 8 i + r has row r of matrix i, and the other lanes nothing
  uint8_t bytes = 0;      // of a lane
  uint8_t lanes = 32;     // of a piece; the first ones
  std::vector<Place> at;  // by piece and lane, 32 for each piece
  uint32_t count() const { return static_cast<uint32_t>(at.size() / 32); }
};

// by_column: columns of the matrix lie side by side in memory, and not rows. in_shared: PTX names shared memory.
MatrixPieces pieces_of(const Fragment& fragment, bool by_column, bool in_shared);

}  // namespace lockstep
