#include "engine/texture_run.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "alu/arith_float.h"
#include "alu/sampling.h"
#include "base/words.h"
#include "engine/access.h"
#include "engine/fault.h"
#include "engine/launch_state.h"

namespace lockstep {
namespace {

using Addresses = std::array<uint64_t, kWarpSize>;

bool is_layered(TextureGeometry geometry) {
  return geometry == TextureGeometry::kLayered1D || geometry == TextureGeometry::kLayered2D ||
         geometry == TextureGeometry::kLayeredCube;
}
bool is_cube(TextureGeometry geometry) {
  return geometry == TextureGeometry::kCube || geometry == TextureGeometry::kLayeredCube;
}
// Axes within one layer or face.
uint32_t axes_of(TextureGeometry geometry) {
  if (geometry == TextureGeometry::k1D || geometry == TextureGeometry::kLayered1D) return 1;
  return geometry == TextureGeometry::k3D ? 3 : 2;
}

const MemoryAccess& access_of(const Warp& warp, const TextureUse& use) {
  return warp.launch().program.accesses[use.access];
}

// A lane's integer in this register; 0 without a register.
int32_t number(const Warp& warp, uint32_t offset, uint32_t lane) {
  return offset ? lanes<int32_t>(warp.registers(), offset)[lane] : 0;
}

// ---- textures ----

// Where the lanes read: the texels along each axis, in one slice. The slice of a box is its third axis.
struct Footprints {
  std::array<std::array<AxisTexels, kWarpSize>, 3> axes;
  std::array<uint64_t, kWarpSize> slices;
};

// One instruction of some lanes that name the same texture.
class Fetch {
 public:
  Fetch(Warp& warp, const TextureUse& use, const Texture& texture, Mask mask)
      : warp_(warp), use_(use), texture_(texture), mask_(mask), access_(access_of(warp, use)), texel_(access_) {
    texel_.bytes = static_cast<uint8_t>(texture.element_bytes());
    texel_.count = 1;
    // Only floats can be blended.
    blends_ = use.op == TextureOp::kFetch && texture.filter == TextureFilter::kLinear && !use.whole_coordinates &&
              gives_floats(texture);
    find_texels();
  }

  void run() {
    if (use_.op == TextureOp::kGather)
      gather();
    else if (blends_)
      blend();
    else
      fetch_one();
    if (!warp_.state().faulted) write();
  }

 private:
  static constexpr uint32_t kChannels = 4;

  const float* coordinates(uint32_t axis) const { return lanes<float>(warp_.registers(), use_.coordinates[axis]); }

  // Whether the program uses this channel.
  bool is_wanted(uint32_t channel) const {
    return access_.registers[use_.type == Type::kF16x2 ? channel / 2 : channel] != 0;
  }

  // A layer that does not exist is taken for the nearest one. A fetch from a cubemap stays on one face.
  void find_texels() {
    const bool cube = is_cube(use_.geometry);
    const uint32_t faces = cube ? 6 : 1, layers = std::max(texture_.slices / faces, 1u);
    for (const uint32_t l : each_lane(mask_))
      at_.slices[l] = static_cast<uint64_t>(std::clamp<int64_t>(number(warp_, use_.layer, l), 0, layers - 1)) * faces;
    if (cube) return find_on_cube();
    const uint32_t sizes[] = {texture_.width, texture_.height, texture_.slices}, axes = axes_of(use_.geometry);
    for (uint32_t axis = 0; axis < 3; ++axis) {
      if (axis >= axes)
        at_.axes[axis].fill(axis == 1 ? second_axis_of_a_line() : AxisTexels{});
      else if (use_.whole_coordinates)
        find_whole(axis, sizes[axis]);
      else
        for (const uint32_t l : each_lane(mask_))
          at_.axes[axis][l] = texels(coordinates(axis)[l], axis, sizes[axis], texture_.normalized_coordinates != 0);
    }
  }

  // A texture of one dimension has one row, which lies between two borders. An H200 blends half of the border into each
  // value if the mode of the second axis asks for a border.
  AxisTexels second_axis_of_a_line() const {
    const bool blends_border =
        blends_ && use_.geometry == TextureGeometry::k1D && texture_.modes[1] == AddressMode::kBorder;
    return blends_border ? AxisTexels{kOnBorder, 0, 128} : AxisTexels{};
  }

  void find_whole(uint32_t axis, uint32_t size) {
    const bool border = texture_.modes[axis] == AddressMode::kBorder;
    for (const uint32_t l : each_lane(mask_)) {
      const int32_t index = number(warp_, use_.coordinates[axis], l);
      at_.axes[axis][l] = {texel_index(index, size, border ? AddressMode::kBorder : AddressMode::kClamp)};
    }
  }

  void find_on_cube() {
    at_.axes[2].fill({});
    for (const uint32_t l : each_lane(mask_)) {
      const CubePlace place = cube_place(coordinates(0)[l], coordinates(1)[l], coordinates(2)[l]);
      at_.slices[l] = std::min<uint64_t>(at_.slices[l] + place.face, texture_.slices - 1);
      at_.axes[0][l] = texels(place.s, 0, texture_.width, true);
      at_.axes[1][l] = texels(place.t, 1, texture_.height, true);
    }
  }

  AxisTexels texels(float coordinate, uint32_t axis, uint32_t size, bool normalized) const {
    const bool two = blends_ || use_.op == TextureOp::kGather;
    return (two ? linear_texels : point_texel)(coordinate, size, texture_.modes[axis], normalized);
  }

  // Calls take(lane, texel) for these lanes' texels; a null pointer is the border. Bit a of `corner`: the second texel
  // of axis a.
  template <class Take>
  void read(uint32_t corner, Mask mask, const Take& take) {
    Addresses at{};
    Mask inside = 0;
    for (const uint32_t l : each_lane(mask)) {
      const auto index = [&](uint32_t axis) {
        const AxisTexels& texels = at_.axes[axis][l];
        return int64_t{corner >> axis & 1 ? texels.second : texels.first};
      };
      const int64_t x = index(0), y = index(1), z = index(2);
      if (x == kOnBorder || y == kOnBorder || z == kOnBorder) {
        take(l, nullptr);
        continue;
      }
      inside |= 1u << l;
      at[l] = texture_.address + (at_.slices[l] + static_cast<uint64_t>(z)) * texture_.slice_bytes +
              static_cast<uint64_t>(y) * texture_.row_bytes + static_cast<uint64_t>(x) * texel_.bytes;
    }
    if (inside) inside = reach_global(warp_, texel_, inside, at);
    for (const uint32_t l : each_lane(inside)) take(l, seen(at[l]));
  }

  // The texel as the kernel sees it. The pointer is valid until the next call.
  const std::byte* seen(uint64_t texel) {
    if (!warp_.state().sees_other_words) return reinterpret_cast<const std::byte*>(texel);
    warp_.launch().memory.read(seen_.data(), texel, texel_.bytes);
    return seen_.data();
  }

  uint32_t bits_at(const std::byte* texel, uint32_t channel) const {
    return texel ? channel_bits(texture_, texel, channel) : border_bits(texture_, channel);
  }

  void fetch_one() {
    read(0, mask_, [&](uint32_t lane, const std::byte* texel) {
      for (uint32_t c = 0; c < kChannels; ++c)
        if (is_wanted(c)) results_[c][lane] = bits_at(texel, c);
    });
  }

  // The sum of the texels around the place, each with its weight. An H200's sums of floats are rounded otherwise: they
  // differ by at most one unit in the last place of the largest texel.
  void blend() {
    std::array<std::array<double, kWarpSize>, kChannels> sums{};
    std::array<std::array<uint32_t, 8>, kWarpSize> weights{};
    for (const uint32_t l : each_lane(mask_))
      weights[l] = corner_weights(at_.axes[0][l].weight, at_.axes[1][l].weight, at_.axes[2][l].weight);
    for (uint32_t corner = 0; corner < 8 && !warp_.state().faulted; ++corner) {
      Mask counted = 0;  // a texel without weight is not read
      for (const uint32_t l : each_lane(mask_)) counted |= static_cast<Mask>(weights[l][corner] != 0) << l;
      if (counted == 0) continue;
      read(corner, counted, [&](uint32_t lane, const std::byte* texel) {
        for (uint32_t c = 0; c < kChannels; ++c)
          if (is_wanted(c))
            sums[c][lane] +=
                weights[lane][corner] * (texel ? blended_value(texture_, texel, c) : blended_border(texture_, c));
      });
    }
    for (uint32_t c = 0; c < kChannels; ++c)
      for (const uint32_t l : each_lane(is_wanted(c) ? mask_ : 0))
        results_[c][l] = std::bit_cast<uint32_t>(blend_of(texture_, sums[c][l]));
  }

  // One channel of the four texels that a linear filter would blend: counter-clockwise from the lower left, where the
  // second row is the lower one.
  void gather() {
    constexpr uint32_t kCorners[] = {2, 3, 1, 0};
    for (uint32_t i = 0; i < 4 && !warp_.state().faulted; ++i)
      read(kCorners[i], mask_,
           [&](uint32_t lane, const std::byte* texel) { results_[i][lane] = bits_at(texel, use_.channel); });
  }

  void write() {
    const auto half = [&](uint32_t channel, uint32_t lane) {
      const auto value = static_cast<double>(std::bit_cast<float>(results_[channel][lane]));
      return baseline::encode<baseline::kHalfFormat>(value, baseline::Rounding::kNearest);
    };
    for (uint32_t e = 0; e < access_.count; ++e) {
      if (access_.registers[e] == 0) continue;
      write_lanes(warp_.registers(), access_.registers[e], access_.register_width, mask_, [&](uint32_t l) -> uint64_t {
        if (use_.type == Type::kF16) return half(e, l);
        if (use_.type == Type::kF16x2) return half(2 * e, l) | half(2 * e + 1, l) << 16;
        return results_[e][l];
      });
    }
    set_predicate(warp_.registers(), use_.resident, kFullMask, mask_);
  }

  Warp& warp_;
  const TextureUse& use_;
  const Texture& texture_;
  const Mask mask_;
  const MemoryAccess& access_;
  MemoryAccess texel_;  // the access to one texel
  bool blends_ = false;
  Footprints at_;
  std::array<std::byte, 16> seen_;  // the widest texel: four channels of 32 bits
  std::array<std::array<uint32_t, kWarpSize>, kChannels> results_{};
};

// ---- surfaces ----

std::string extent_text(const Texture& surface, uint32_t axes, bool layered) {
  const uint32_t sizes[] = {surface.width, surface.height, surface.slices};
  std::string size = std::to_string(sizes[0]);
  for (uint32_t axis = 1; axis < axes; ++axis) size += " x " + std::to_string(sizes[axis]);
  const Facts facts = {{"size", size},
                       {"element", byte_count(surface.element_bytes())},
                       {"layers", std::to_string(surface.slices)},
                       {"row", byte_count(uint64_t{surface.width} * surface.element_bytes())}};
  return layered ? words("The surface has {size} elements of {element} in each of {layers} layers, so a row has {row}.",
                         facts)
                 : words("The surface has {size} elements of {element}, so a row has {row}.", facts);
}

// The access of one lane: x in bytes, y, z or the layer.
using Place = std::array<int64_t, 3>;

void fail_outside_surface(Warp& warp, const TextureUse& use, const Texture& surface, uint32_t lane,
                          const Place& place) {
  const MemoryAccess& access = access_of(warp, use);
  if (failed_before(warp, {"out_of_bounds", access.pc, surface.address})) return;
  const uint32_t axes = axes_of(use.geometry);
  const bool layered = is_layered(use.geometry);
  const Facts facts = {{"size", byte_count(access.bytes * access.count)}, {"x", std::to_string(place[0])}};
  std::string what = access.op == MemoryOp::kLoad
                         ? words("out-of-bounds read of {size} in a surface at x = {x} bytes", facts)
                         : words("out-of-bounds write of {size} in a surface at x = {x} bytes", facts);
  if (axes > 1) what += ", y = " + std::to_string(place[1]);
  if (layered)
    what += words(", layer {layer}", {{"layer", std::to_string(place[2])}});
  else if (axes > 2)
    what += ", z = " + std::to_string(place[2]);
  fail_access(warp, access,
              {Status::kLaunchFailure, "out_of_bounds", lane, access.pc, what,
               extent_text(surface, axes, layered) + "\nNext: " +
                   words("compare the coordinates with the surface's size before the access. x counts bytes: multiply "
                         "the column by sizeof of the element.")},
              surface.address);
}

// The lanes that move data, and their addresses.
Mask reach_surface(Warp& warp, const TextureUse& use, const Texture& surface, Mask mask, Addresses& at) {
  const MemoryAccess& access = access_of(warp, use);
  const int64_t bytes = access.bytes * access.count;
  const uint32_t axes = axes_of(use.geometry);
  const bool has_slices = axes > 2 || is_layered(use.geometry);
  const Place last = {int64_t{surface.width} * surface.element_bytes() - bytes, axes > 1 ? surface.height - 1 : 0,
                      has_slices ? surface.slices - 1 : 0};
  Mask inside = 0;
  for (const uint32_t l : each_lane(mask)) {
    Place place = {number(warp, use.coordinates[0], l), number(warp, use.coordinates[1], l),
                   number(warp, is_layered(use.geometry) ? use.layer : use.coordinates[2], l)};
    bool outside = false;
    for (uint32_t i = 0; i < 3; ++i) outside |= place[i] < 0 || place[i] > last[i];
    if (outside && (use.outside == OutsideSurface::kTrap || last[0] < 0)) {
      fail_outside_surface(warp, use, surface, l, place);
      if (warp.state().faulted) return 0;
      continue;
    }
    if (outside && use.outside == OutsideSurface::kZero) continue;
    for (uint32_t i = 0; i < 3; ++i) place[i] = std::clamp<int64_t>(place[i], 0, last[i]);
    inside |= 1u << l;
    at[l] = surface.address + static_cast<uint64_t>(place[2]) * surface.slice_bytes +
            static_cast<uint64_t>(place[1]) * surface.row_bytes + static_cast<uint64_t>(place[0]);
  }
  return inside ? reach_global(warp, access, inside, at) : 0;
}

// Outside of the surface, where that is allowed, a lane reads zeros.
void load(Warp& warp, const TextureUse& use, const Texture& surface, Mask mask) {
  const MemoryAccess& access = access_of(warp, use);
  Addresses at{};
  const Mask inside = reach_surface(warp, use, surface, mask, at);
  if (warp.state().faulted) return;
  for (uint32_t e = 0; e < access.count; ++e) {
    if (access.registers[e] == 0) continue;
    write_lanes(warp.registers(), access.registers[e], access.register_width, mask, [&](uint32_t l) {
      uint64_t value = 0;
      if (inside >> l & 1)
        warp.launch().memory.read(reinterpret_cast<std::byte*>(&value), at[l] + e * access.bytes, access.bytes);
      return value;
    });
  }
}

void store(Warp& warp, const TextureUse& use, const Texture& surface, Mask mask) {
  const MemoryAccess& access = access_of(warp, use);
  const uint32_t width = bytes_of(access.register_width);
  Addresses at{};
  for (const uint32_t l : each_lane(reach_surface(warp, use, surface, mask, at)))
    for (uint32_t e = 0; e < access.count; ++e) {
      const uint64_t to = at[l] + e * access.bytes;
      std::memcpy(reinterpret_cast<std::byte*>(to), warp.registers() + access.registers[e] + l * width, access.bytes);
      if (warp.state().turns.changes) warp.state().turns.changes->note(to / 4);
    }
  ++warp.state().changes;
}

// ---- both ----

void query(Warp& warp, const TextureUse& use, const Texture& texture, Mask mask) {
  const bool layers = texture.order == Slices::kLayers;
  const uint32_t answers[] = {texture.width, texture.height, layers ? 1 : texture.slices, layers ? texture.slices : 0};
  const MemoryAccess& access = access_of(warp, use);
  const uint32_t answer = answers[static_cast<size_t>(use.query)];
  if (access.registers[0])
    write_lanes(warp.registers(), access.registers[0], Width::k32, mask, [&](uint32_t) { return answer; });
}

bool is_of_surface(const Warp& warp, const TextureUse& use) {
  return warp.launch().program.names[access_of(warp, use).pc].starts_with("su");
}

// The texture that the handle names, for this instruction. Null: the launch has failed.
const Texture* find_texture(Warp& warp, const TextureUse& use, uint64_t handle, uint32_t lane) {
  const bool surface = is_of_surface(warp, use);
  const Textures& all = warp.launch().textures;
  const auto found = all.find(handle);
  if (found != all.end() && (found->second.user == TextureUser::kSurface) == surface) return &found->second;
  const Facts facts = {{"handle", std::to_string(handle)},
                       {"function", surface ? "cudaCreateSurfaceObject" : "cudaCreateTextureObject"}};
  fail(warp,
       {Status::kIllegalAddress, "invalid_handle", lane, access_of(warp, use).pc,
        surface ? words("{handle} is not a surface object", facts) : words("{handle} is not a texture object", facts),
        words("No {function} gave this value, or the object has been destroyed.", facts) + "\nNext: " +
            words("pass the object from {function} to the kernel, and destroy it behind the last launch that uses "
                  "it.",
                  facts)});
  return nullptr;
}

}  // namespace

void run_texture(Warp& warp, const TextureUse& use, Mask mask) {
  const auto* const handles = lanes<uint64_t>(warp.registers(), use.handle);
  while (mask && !warp.state().faulted) {
    const uint32_t first = first_lane(mask);
    const Mask same = lanes_with(handles, handles[first], mask);
    const Texture* const texture = find_texture(warp, use, handles[first], first);
    if (!texture) return;
    switch (use.op) {
      case TextureOp::kFetch:
      case TextureOp::kGather: Fetch(warp, use, *texture, same).run(); break;
      case TextureOp::kQuery: query(warp, use, *texture, same); break;
      case TextureOp::kLoad: load(warp, use, *texture, same); break;
      case TextureOp::kStore: store(warp, use, *texture, same); break;
    }
    mask &= ~same;
  }
}

}  // namespace lockstep
