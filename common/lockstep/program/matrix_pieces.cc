#include "program/matrix_pieces.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr uint32_t kLanes = 32, kTile = 8;  // a tile has 8 rows, with 4 lanes for each
constexpr uint32_t kRowBytes = 16;          // of a matrix of ldmatrix

// What a matrix is in memory: `outer` lines, each of `inner` elements side by side.
struct Extent {
  uint32_t outer = 0, inner = 0;
};

// Matrices of 8 rows of 16 bytes, up to `most` in one instruction.
void add_rows(MatrixPieces& pieces, const Extent& extent, uint32_t element, uint32_t most) {
  std::vector<MatrixPieces::Place> matrices;
  for (uint32_t outer = 0; outer < extent.outer; outer += kTile)
    for (uint32_t inner = 0; inner < extent.inner * element; inner += kRowBytes)
      matrices.push_back({static_cast<uint16_t>(outer), static_cast<uint16_t>(inner)});
  const auto each = std::min(most, static_cast<uint32_t>(matrices.size()));
  pieces.by_rows = true;
  pieces.bytes = kRowBytes;
  pieces.lanes = static_cast<uint8_t>(each * kTile);
  for (uint32_t first = 0; first < matrices.size(); first += each)
    for (uint32_t l = 0; l < kLanes; ++l) {
      const MatrixPieces::Place& matrix = matrices[first + std::min(l / kTile, each - 1)];
      pieces.at.push_back({static_cast<uint16_t>(matrix.outer + l % kTile), matrix.inner});
    }
}

// Four lanes have one line of a tile, side by side.
void add_along(MatrixPieces& pieces, const Extent& extent, uint32_t element) {
  for (uint32_t outer = 0; outer < extent.outer; outer += kTile)
    for (uint32_t inner = 0; inner < extent.inner * element; inner += 4 * pieces.bytes)
      for (uint32_t l = 0; l < kLanes; ++l)
        pieces.at.push_back(
            {static_cast<uint16_t>(outer + l / 4), static_cast<uint16_t>(inner + l % 4 * pieces.bytes)});
}

// Eight lanes have elements side by side; each lane has `group` lines in a tile.
void add_across(MatrixPieces& pieces, const Extent& extent, uint32_t group) {
  for (uint32_t outer = 0; outer < extent.outer; outer += 4 * group)
    for (uint32_t inner = 0; inner < extent.inner; inner += kTile)
      for (uint32_t e = 0; e < group; ++e)
        for (uint32_t l = 0; l < kLanes; ++l)
          pieces.at.push_back({static_cast<uint16_t>(outer + l % 4 * group + e),
                               static_cast<uint16_t>((inner + l / 4) * pieces.bytes)});
}

}  // namespace

MatrixPieces pieces_of(const Fragment& f, bool by_column, bool in_shared) {
  MatrixPieces pieces;
  const Extent extent = by_column ? Extent{f.columns, f.rows} : Extent{f.rows, f.columns};
  const auto element = static_cast<uint32_t>(type_bytes(f.type));
  const bool is_sum = f.role == Fragment::kC;
  // A lane's registers hold neighbours in a row of A and of the sums, and in a column of B. ptxas computes a product
  // with 8 rows of sums as the product of the transposed matrices.
  const bool is_turned = f.role == Fragment::kB || (is_sum && f.rows == kTile && f.columns == 4 * kTile);
  const bool along = by_column == is_turned || element == 2;  // halves are transposed after they were loaded
  const uint32_t of_lane = is_sum ? 2 * element : std::max(4u, element);
  if (in_shared && !is_sum && along && element <= 2) {
    add_rows(pieces, extent, element, element == 2 ? 4 : 2);
    return pieces;
  }
  pieces.bytes = static_cast<uint8_t>(along ? of_lane : element);
  if (along)
    add_along(pieces, extent, element);
  else
    add_across(pieces, extent, of_lane / element);
  return pieces;
}

}  // namespace lockstep
