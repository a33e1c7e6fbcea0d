#include "alu/sampling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "alu/arith_float.h"

namespace lockstep {
namespace {

// The largest whole number that is not above x, as an index. Far outside it is any index that no sum overflows; for a
// NaN it is 0. (std::floor is a call, without which a fetch takes half as long.)
int64_t floor_index(double x) {
  if (!(std::fabs(x) < 0x1p40)) return std::isnan(x) ? 0 : std::signbit(x) ? -(int64_t{1} << 40) : int64_t{1} << 40;
  const auto towards_zero = static_cast<int64_t>(x);
  return towards_zero - (static_cast<double>(towards_zero) > x);
}

// The coordinate in texels. With normalized coordinates, wrap and mirror repeat the range from 0 to 1.
float in_texels(float x, uint32_t size, AddressMode mode, bool normalized) {
  if (!normalized) return x;
  if (mode == AddressMode::kWrap || mode == AddressMode::kMirror) {
    const float turns = std::floor(x);
    const bool odd = std::fmod(turns, 2.0f) != 0;
    x = mode == AddressMode::kMirror && odd ? 1 - (x - turns) : x - turns;
  }
  return x * static_cast<float>(size);
}

// CUDA: wrap and mirror are for normalized coordinates only; else they become clamp.
AddressMode mode_of(AddressMode mode, bool normalized) {
  return normalized || mode == AddressMode::kBorder ? mode : AddressMode::kClamp;
}

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

int32_t signed_channel(const std::byte* at, uint32_t bits) {
  return bits == 8 ? read<int8_t>(at) : bits == 16 ? read<int16_t>(at) : read<int32_t>(at);
}
uint32_t unsigned_channel(const std::byte* at, uint32_t bits) {
  return bits == 8 ? read<uint8_t>(at) : bits == 16 ? read<uint16_t>(at) : read<uint32_t>(at);
}

// IEC 61966-2-1: the brightness that an sRGB value from 0 to 1 stands for.
double linear_of_srgb(double x) { return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4); }

float normalized_channel(const Texture& texture, const std::byte* at, uint32_t channel) {
  const uint32_t bits = texture.channel_bits;
  if (texture.kind == ChannelKind::kSigned) {  // the two lowest numbers are -1
    const auto most = static_cast<float>((1u << (bits - 1)) - 1);
    return std::max(static_cast<float>(signed_channel(at, bits)) / most, -1.0f);
  }
  const double value = unsigned_channel(at, bits) / static_cast<double>((1u << bits) - 1);
  const bool is_colour = texture.srgb && bits == 8 && channel < 3;  // the fourth channel is the opacity
  return static_cast<float>(is_colour ? linear_of_srgb(value) : value);
}

}  // namespace

int32_t texel_index(int64_t index, uint32_t size, AddressMode mode) {
  const int64_t n = size;
  switch (mode) {
    case AddressMode::kWrap: return static_cast<int32_t>((index % n + n) % n);
    case AddressMode::kMirror: {
      const int64_t in_two = (index % (2 * n) + 2 * n) % (2 * n);
      return static_cast<int32_t>(in_two < n ? in_two : 2 * n - 1 - in_two);
    }
    case AddressMode::kBorder: return index < 0 || index >= n ? kOnBorder : static_cast<int32_t>(index);
    case AddressMode::kClamp: break;
  }
  return static_cast<int32_t>(std::clamp<int64_t>(index, 0, n - 1));
}

AxisTexels point_texel(float coordinate, uint32_t size, AddressMode mode, bool normalized) {
  mode = mode_of(mode, normalized);
  const int32_t only =
      texel_index(floor_index(static_cast<double>(in_texels(coordinate, size, mode, normalized))), size, mode);
  return {only, only, 0};
}

// The weight has 8 bits of fraction, as documented. Whether the card rounds or cuts them off is not: here the place
// between two texels is rounded to the nearest 1/256.
AxisTexels linear_texels(float coordinate, uint32_t size, AddressMode mode, bool normalized) {
  constexpr int64_t kSteps = 256;
  mode = mode_of(mode, normalized);
  const double place = static_cast<double>(in_texels(coordinate, size, mode, normalized)) - 0.5;
  const int64_t steps = floor_index(place * kSteps + 0.5);
  const int64_t index = steps >> 8;
  return {texel_index(index, size, mode), texel_index(index + 1, size, mode),
          static_cast<float>(steps & (kSteps - 1)) / kSteps};
}

// CUDA documents the face of the largest magnitude. Where two are equal, z comes before y, and y before x.
CubePlace cube_place(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  uint32_t face = 0;
  float m = 0, s = 0, t = 0;
  if (az >= ax && az >= ay)
    face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
  else if (ay >= ax)
    face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
  else
    face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
  return {face, (s / m + 1) / 2, (t / m + 1) / 2};
}

bool gives_floats(const Texture& texture) {
  return texture.kind == ChannelKind::kFloat || (texture.normalized_values && texture.channel_bits < 32);
}

uint32_t channel_bits(const Texture& texture, const std::byte* texel, uint32_t channel) {
  if (channel >= texture.channels) return 0;
  const uint32_t bits = texture.channel_bits;
  const std::byte* const at = texel + channel * bits / 8;
  if (texture.kind == ChannelKind::kFloat)
    return bits == 32 ? read<uint32_t>(at)
                      : std::bit_cast<uint32_t>(baseline::to_float(baseline::Half{read<uint16_t>(at)}));
  if (gives_floats(texture)) return std::bit_cast<uint32_t>(normalized_channel(texture, at, channel));
  return texture.kind == ChannelKind::kSigned ? static_cast<uint32_t>(signed_channel(at, bits))
                                              : unsigned_channel(at, bits);
}

// CUDA: an integer's bits are given as those of a float.
uint32_t border_bits(const Texture& texture, uint32_t channel) {
  return channel < texture.channels ? std::bit_cast<uint32_t>(texture.border[channel]) : 0;
}

}  // namespace lockstep
