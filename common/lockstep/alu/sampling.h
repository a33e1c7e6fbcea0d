// sampling: which texels a coordinate of a texture reads and with which weights, and what a channel of a texel becomes.
// Pure functions of one lane. Left out: memory, registers. The source is the CUDA C++ Programming Guide, "Texture
// Fetching" and "Cubemap Textures"; where it leaves a result open, the comment says what lockstep does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/texture.h"

namespace lockstep {

inline constexpr int32_t kOnBorder = -1;  // instead of an index: the texel is the border

// The texels along one axis. Only a linear filter has a second one.
struct AxisTexels {
  int32_t first = 0, second = 0;
  uint32_t weight = 0;  // of the second, in steps of 1/256; the first has the rest
};

// How many steps of 1/256 each corner of a box weighs, if the second texels of its three axes weigh this much. Bit a of
// a corner's index: the second texel of axis a. An axis that a texture lacks weighs 0. The sum is always 256: the card
// shares 256 out along z, then x, then y, and rounds each share (measured on an H200: equal for all pairs of weights of
// two axes, and for 40,000 triples).
std::array<uint32_t, 8> corner_weights(uint32_t x, uint32_t y, uint32_t z);

// The index of the texel in place of one that may lie outside of the `size` texels.
int32_t texel_index(int64_t index, uint32_t size, AddressMode mode);
AxisTexels point_texel(float coordinate, uint32_t size, AddressMode mode, bool normalized);
AxisTexels linear_texels(float coordinate, uint32_t size, AddressMode mode, bool normalized);

// The face of a cubemap in a direction, and the normalized coordinates there.
struct CubePlace {
  uint32_t face = 0;
  float s = 0, t = 0;
};
CubePlace cube_place(float x, float y, float z);

// The 32 bits that a fetch returns for this channel of the texel at `texel`: an integer of the texture's sign, or the
// bits of a float. A channel that the texture lacks is 0.
uint32_t channel_bits(const Texture& texture, const std::byte* texel, uint32_t channel);
// Likewise for the border.
uint32_t border_bits(const Texture& texture, uint32_t channel);
// Whether the fetch returns floats.
bool gives_floats(const Texture& texture);

// What a linear filter adds up for this channel of the texel: the float, or for integers that are read as floats a
// whole number of 16 bits.
double blended_value(const Texture& texture, const std::byte* texel, uint32_t channel);
double blended_border(const Texture& texture, uint32_t channel);
// The result for a sum of these values times 256. Elements of 16 bits round it: halves to a half, integers to a whole
// number (measured on an H200).
float blend_of(const Texture& texture, double sum);

}  // namespace lockstep
