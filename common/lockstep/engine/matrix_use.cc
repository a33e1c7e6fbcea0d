#include "engine/matrix_use.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/access.h"

namespace lockstep {
namespace {

constexpr uint32_t kRows = 8;  // of a matrix of ldmatrix

using Addresses = std::array<uint64_t, kWarpSize>;

// The lanes' own addresses of the matrix, or of rows. A generic address becomes one of global or of shared memory.
Addresses own_addresses(Warp& warp, MemoryAccess& access) {
  Addresses at;
  read_addresses(warp, access, kFullMask, at.data());
  if (access.space != Space::kGeneric) return at;
  access.space = at[0] - kSharedWindow < kWindowBytes ? Space::kShared : Space::kGlobal;
  if (access.space == Space::kShared)
    for (uint64_t& address : at) address -= kSharedWindow;
  return at;
}

Mask first_lanes(uint32_t count) { return count == kWarpSize ? kFullMask : (1u << count) - 1; }

// The lanes that may access their addresses. The others are reported. Counts the access, and tells the observers of it.
Mask begin_access(Warp& warp, const MemoryAccess& access, Mask mask, const Addresses& at, bool by_rows) {
  Range& last = warp.state().last_range[access.index];
  const uint32_t bytes = access.bytes * access.count;
  Mask good = mask;
  for (const uint32_t l : each_lane(mask)) {
    if ((at[l] & (bytes - 1)) == 0 && last.contains(at[l], bytes)) continue;
    if (may_access(warp, access, access.space, l, at[l]))
      last = range_at(warp, access.space, at[l]);
    else
      good &= ~(1u << l);
    if (warp.state().faulted) return 0;
  }
  if (!good) return good;
  count_access(warp, access, good, at, by_rows);
  show_asynchronous(warp, access, good, at.data());
  return good;
}

std::byte* data_at(const Warp& warp, Space space, uint64_t address) {
  return space == Space::kShared ? warp.block().shared() + (address - kSharedBase)
                                 : reinterpret_cast<std::byte*>(address);
}

// Copies the lanes' element from memory to the registers, or back.
template <class T>
void move_element(Warp& warp, const MatrixUse& use, const MemoryAccess& access, uint32_t e, Mask mask,
                  const Addresses& at) {
  const auto [offset, stride] = in_registers(use.d, e);
  if (offset == 0) return;
  std::byte* const element = warp.registers() + offset;
  for (const uint32_t l : each_lane(mask)) {
    std::byte* const data = data_at(warp, access.space, at[l]);
    if (access.op == MemoryOp::kStore)
      std::memcpy(data, element + l * stride, sizeof(T));
    else if (access.space == Space::kShared)
      std::memcpy(element + l * stride, data, sizeof(T));
    else
      warp.launch().memory.read(element + l * stride, at[l], sizeof(T));
  }
}

// Counts the accesses of wmma.load and wmma.store, and looks whether they may be made. Gives the beginnings of those
// that may not.
std::vector<uint64_t> begin_pieces(Warp& warp, const MatrixUse& use, const MemoryAccess& access,
                                   const Addresses& start) {
  const auto* const strides = lanes<uint32_t>(warp.registers(), use.stride);
  const Mask asked = first_lanes(use.pieces.lanes);
  const MatrixPieces::Place* place = use.pieces.at.data();
  std::vector<uint64_t> wrong;
  for (uint32_t piece = 0; piece < use.pieces.count(); ++piece) {
    Addresses at;
    for (uint32_t l = 0; l < kWarpSize; ++l, ++place)
      at[l] = start[l] + uint64_t{place->outer} * strides[l] * access.bytes + place->inner;
    const Mask good = begin_access(warp, access, asked, at, use.pieces.by_rows);
    if (warp.state().faulted) return wrong;
    for (const uint32_t l : each_lane(asked & ~good)) wrong.push_back(at[l]);
  }
  return wrong;
}

// wmma.load and wmma.store: the pieces as ptxas makes them, and then the data, one element of each lane after the
// other. The lanes that get an element need not be those that load its piece.
template <class T>
void move_elements(Warp& warp, const MatrixUse& use) {
  const Fragment& d = use.d;
  MemoryAccess access = use.access;
  const Addresses start = own_addresses(warp, access);
  const std::vector<uint64_t> wrong = begin_pieces(warp, use, access, start);
  if (warp.state().faulted) return;
  const auto* const strides = lanes<uint32_t>(warp.registers(), use.stride);
  const uint16_t* place = d.places.data();
  const auto row_bits = static_cast<uint32_t>(std::countr_zero(uint32_t{d.columns}));
  for (uint32_t e = 0; e < d.in_lane(); ++e) {
    Addresses at;
    Mask good = kFullMask;
    for (uint32_t l = 0; l < kWarpSize; ++l, ++place) {
      const uint32_t row = *place >> row_bits, column = *place & (d.columns - 1u);
      const uint64_t outer = use.by_column ? column : row, inner = use.by_column ? row : column;
      at[l] = start[l] + (outer * strides[l] + inner) * sizeof(T);
      for (const uint64_t begin : wrong)
        if (at[l] - begin < use.pieces.bytes) good &= ~(1u << l);
    }
    move_element<T>(warp, use, access, e, good, at);
  }
}

void move_elements(Warp& warp, const MatrixUse& use) {
  switch (use.access.bytes) {
    case 1: return move_elements<uint8_t>(warp, use);
    case 2: return move_elements<uint16_t>(warp, use);
    case 4: return move_elements<uint32_t>(warp, use);
    default: return move_elements<uint64_t>(warp, use);
  }
}

// ldmatrix and stmatrix: lane 8 i + r has the address of row r of matrix i. Lane l has two neighbours of row l / 4, or
// of that column.
void move_rows(Warp& warp, const MatrixUse& use) {
  MemoryAccess access = use.access;
  const Addresses rows = own_addresses(warp, access);
  const Mask good = begin_access(warp, access, first_lanes(kRows * use.d.count), rows, true);
  if (warp.state().faulted) return;
  for (uint32_t e = 0; e < use.d.in_lane(); ++e) {
    Addresses at{};
    Mask mask = 0;
    for (uint32_t l = 0; l < kWarpSize; ++l) {
      uint32_t row = l / 4, column = l % 4 * 2 + e % 2;
      if (use.by_column) std::swap(row, column);
      const uint32_t owner = kRows * (e / 2) + row;
      mask |= (good >> owner & 1) << l;
      at[l] = rows[owner] + column * sizeof(uint16_t);
    }
    move_element<uint16_t>(warp, use, access, e, mask, at);
  }
}

}  // namespace

void run_matrix_use(Warp& warp, const MatrixUse& use) {
  std::byte* const file = warp.registers();
  switch (use.op) {
    case MatrixOp::kLoad:
    case MatrixOp::kStore: return move_elements(warp, use);
    case MatrixOp::kLoadRows:
    case MatrixOp::kStoreRows: return move_rows(warp, use);
    case MatrixOp::kMultiply:
      Matrix a, b, sums;
      read_matrix(use.a, file, a);
      read_matrix(use.b, file, b);
      read_matrix(use.c, file, sums);
      multiply(use.a, a, b, use.b.columns, sums);
      return write_matrix(use.d, file, sums, use.saturates);
  }
}

}  // namespace lockstep
