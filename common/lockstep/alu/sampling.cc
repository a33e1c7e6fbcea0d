#include "alu/sampling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "alu/arith_float.h"

namespace lockstep {
namespace {

constexpr uint32_t kSteps = 256;  // between two texels

// The largest whole number that is not above x, as an index. Far outside it is any index that no sum overflows; for a
// NaN it is 0. (std::floor is a call, without which a fetch takes half as long.)
int64_t floor_index(double x) {
  if (!(std::fabs(x) < 0x1p40)) return std::isnan(x) ? 0 : std::signbit(x) ? -(int64_t{1} << 40) : int64_t{1} << 40;
  const auto towards_zero = static_cast<int64_t>(x);
  return towards_zero - (static_cast<double>(towards_zero) > x);
}

// The coordinate in texels, not rounded. With normalized coordinates, wrap and mirror repeat the range from 0 to 1.
double in_texels(float x, uint32_t size, AddressMode mode, bool normalized) {
  if (!normalized) return static_cast<double>(x);
  auto place = static_cast<double>(x);
  if (mode == AddressMode::kWrap || mode == AddressMode::kMirror) {
    const double turns = std::floor(place);
    const bool odd = std::fmod(turns, 2.0) != 0;
    place = mode == AddressMode::kMirror && odd ? 1 - (place - turns) : place - turns;
  }
  return place * size;
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

double whole_number(const Texture& texture, const std::byte* texel, uint32_t channel) {
  const std::byte* const at = texel + channel * texture.channel_bits / 8u;
  if (texture.kind == ChannelKind::kSigned) return signed_channel(at, texture.channel_bits);
  return unsigned_channel(at, texture.channel_bits);
}

// The whole number that is read as 1.
double one_of(ChannelKind kind, uint32_t bits) {
  return static_cast<double>((1u << (bits - (kind == ChannelKind::kSigned ? 1 : 0))) - 1);
}

double normalized(const Texture& texture, const std::byte* texel, uint32_t channel) {
  // The two lowest signed numbers are -1.
  const double value =
      std::max(whole_number(texture, texel, channel) / one_of(texture.kind, texture.channel_bits), -1.0);
  const bool is_colour = texture.srgb && texture.channel_bits == 8 && channel < 3;  // the fourth channel is the opacity
  return is_colour ? linear_of_srgb(value) : value;
}

// Whether a linear filter adds up whole numbers of 16 bits.
bool blends_numbers(const Texture& texture) { return texture.kind != ChannelKind::kFloat && !texture.srgb; }

double in_16_bits(const Texture& texture, double number) {
  if (texture.channel_bits == 16) return number;
  return std::round(number * one_of(texture.kind, 16) / one_of(texture.kind, texture.channel_bits));
}

// The border as an element of the texture. The product is a float, and a half goes to the even number: an H200 makes 76
// of 255 times 0.3.
double border_number(const Texture& texture, uint32_t channel) {
  const float lowest = texture.kind == ChannelKind::kSigned ? -1 : 0;
  const auto one = static_cast<float>(one_of(texture.kind, texture.channel_bits));
  return static_cast<double>(std::nearbyint(std::clamp(texture.border[channel], lowest, 1.0f) * one));
}

float rounded_to_half(double value) {
  const uint32_t bits = baseline::encode<baseline::kHalfFormat>(value, baseline::Rounding::kNearest);
  return baseline::to_float(baseline::Half{static_cast<uint16_t>(bits)});
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
  const int32_t only = texel_index(floor_index(in_texels(coordinate, size, mode, normalized)), size, mode);
  return {only, only, 0};
}

// The place between two texels is rounded to the nearest 1/256, as on an
// H200. There the product of a normalized coordinate and the size has
// fewer bits than here: one place in a thousand was one step away.
AxisTexels linear_texels(float coordinate, uint32_t size, AddressMode mode, bool normalized) {
  mode = mode_of(mode, normalized);
  const double place = in_texels(coordinate, size, mode, normalized) - 0.5;
  const int64_t steps = floor_index(place * kSteps + 0.5);
  const int64_t index = steps >> 8;
  const int32_t first = texel_index(index, size, mode), second = texel_index(index + 1, size, mode);
  const bool is_held = mode == AddressMode::kClamp && first == second;
  return {first, second, is_held ? 0 : static_cast<uint32_t>(steps & (kSteps - 1))};
}

std::array<uint32_t, 8> corner_weights(uint32_t x, uint32_t y, uint32_t z) {
  const auto share = [](uint32_t whole, uint32_t part) { return (whole * part + kSteps / 2) / kSteps; };
  std::array<uint32_t, 8> weights{};
  for (const uint32_t slice : {0u, 1u}) {
    const uint32_t all = slice ? z : kSteps - z;
    const uint32_t right = share(all, x), left = all - right;
    uint32_t* const w = &weights[4 * slice];
    w[0] = share(left, kSteps - y);
    w[2] = left - w[0];
    w[3] = share(right, y);
    w[1] = right - w[3];
  }
  return weights;
}

// CUDA documents the face of the largest magnitude. Where two are equal,
// z comes before y, and y before x.
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
  if (gives_floats(texture)) return std::bit_cast<uint32_t>(static_cast<float>(normalized(texture, texel, channel)));
  return texture.kind == ChannelKind::kSigned ? static_cast<uint32_t>(signed_channel(at, bits))
                                              : unsigned_channel(at, bits);
}

// A number that is read as a float becomes the nearest number that an
// element holds (measured on an H200). CUDA: an integer's bits are given
// as those of a float.
uint32_t border_bits(const Texture& texture, uint32_t channel) {
  if (channel >= texture.channels) return 0;
  const float border = texture.border[channel];
  if (texture.kind == ChannelKind::kFloat || !gives_floats(texture)) return std::bit_cast<uint32_t>(border);
  return std::bit_cast<uint32_t>(
      static_cast<float>(border_number(texture, channel) / one_of(texture.kind, texture.channel_bits)));
}

double blended_value(const Texture& texture, const std::byte* texel, uint32_t channel) {
  if (channel >= texture.channels) return 0;
  if (blends_numbers(texture)) return in_16_bits(texture, whole_number(texture, texel, channel));
  return static_cast<double>(std::bit_cast<float>(channel_bits(texture, texel, channel)));
}

double blended_border(const Texture& texture, uint32_t channel) {
  if (channel >= texture.channels) return 0;
  if (blends_numbers(texture)) return in_16_bits(texture, border_number(texture, channel));
  return static_cast<double>(std::bit_cast<float>(border_bits(texture, channel)));
}

float blend_of(const Texture& texture, double sum) {
  const double value = sum / kSteps;
  if (blends_numbers(texture))
    return static_cast<float>(std::max(std::floor(value + 0.5) / one_of(texture.kind, 16), -1.0));
  return texture.channel_bits == 16 ? rounded_to_half(value) : static_cast<float>(value);
}

}  // namespace lockstep
