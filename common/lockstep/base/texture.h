// texture: what a texture or surface object says of its memory, and how a fetch reads it. A plain value without gaps:
// its bytes cross the door to the device.
#pragma once

#include <cstdint>
#include <map>

namespace lockstep {

// The values of the first three are CUDA's.
enum class ChannelKind : uint8_t { kSigned, kUnsigned, kFloat };
enum class AddressMode : uint8_t { kWrap, kClamp, kMirror, kBorder };
enum class TextureFilter : uint8_t { kPoint, kLinear };
enum class TextureUser : uint8_t { kFetch, kSurface };  // tex and tld4, or suld and sust
// How the slices lie behind each other: as the depth of a box, or as layers. A cubemap has six layers for each cube.
enum class Slices : uint8_t { kDepth, kLayers };

struct Texture {
  uint64_t address = 0;
  uint64_t row_bytes = 0, slice_bytes = 0;     // from the start of one row to the next; of one slice to the next
  uint32_t width = 1, height = 1, slices = 1;  // in elements, rows and slices
  uint8_t channels = 1, channel_bits = 32;
  ChannelKind kind = ChannelKind::kFloat;
  TextureUser user = TextureUser::kFetch;
  Slices order = Slices::kDepth;
  TextureFilter filter = TextureFilter::kPoint;
  // Flags. A byte from another process may hold any value, which a bool may not.
  uint8_t normalized_coordinates = 0;
  uint8_t normalized_values = 0;  // 8 and 16 bits are read as floats from 0 or -1 to 1
  uint8_t srgb = 0;
  AddressMode modes[3] = {AddressMode::kClamp, AddressMode::kClamp, AddressMode::kClamp};
  uint8_t unused[4] = {};
  float border[4] = {};

  uint32_t element_bytes() const { return channels * channel_bits / 8u; }
  // The number of bytes from the first element to the end of the last. False: a uint64_t cannot hold it.
  bool reach(uint64_t* bytes) const {
    uint64_t rows = 0;
    return !__builtin_mul_overflow(row_bytes, height - 1, &rows) &&
           !__builtin_mul_overflow(slice_bytes, slices - 1, bytes) && !__builtin_add_overflow(*bytes, rows, bytes) &&
           !__builtin_add_overflow(*bytes, uint64_t{width} * element_bytes(), bytes);
  }
};
static_assert(sizeof(Texture) == 72);

// Whether all fields hold values that the engine knows.
inline bool is_sound(const Texture& t) {
  constexpr uint32_t kMost = 1u << 28;  // elements, rows or slices: more than a card takes
  const auto in_range = [](uint32_t n) { return n >= 1 && n <= kMost; };
  bool sound = in_range(t.width) && in_range(t.height) && in_range(t.slices);
  sound &= t.channels == 1 || t.channels == 2 || t.channels == 4;
  sound &= t.channel_bits == 8 || t.channel_bits == 16 || t.channel_bits == 32;
  sound &= t.kind <= ChannelKind::kFloat && !(t.kind == ChannelKind::kFloat && t.channel_bits == 8);
  sound &= t.user <= TextureUser::kSurface && t.order <= Slices::kLayers && t.filter <= TextureFilter::kLinear;
  for (const AddressMode mode : t.modes) sound &= mode <= AddressMode::kBorder;
  return sound;
}

using Textures = std::map<uint64_t, Texture>;  // by handle

}  // namespace lockstep
