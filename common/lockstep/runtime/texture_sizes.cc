// texture_sizes: the largest textures and surfaces, as attributes and properties of the device.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "runtime/arrays.h"

namespace lockstep::runtime {
namespace {

constexpr TextureLimits kMost;

struct Size {
  int attribute;
  int value;
  size_t property;  // the offset of the int in cudaDeviceProp that says the same
};

#define LOCKSTEP_SIZE(attribute, value, property) \
  { cudaDevAttrMax##attribute, value, offsetof(cudaDeviceProp, property) }
constexpr Size kSizes[] = {LOCKSTEP_SIZE(Texture1DWidth, kMost.width_1d, maxTexture1D),
                           LOCKSTEP_SIZE(Texture2DWidth, kMost.width_2d, maxTexture2D[0]),
                           LOCKSTEP_SIZE(Texture2DHeight, kMost.height_2d, maxTexture2D[1]),
                           LOCKSTEP_SIZE(Texture3DWidth, kMost.side_3d, maxTexture3D[0]),
                           LOCKSTEP_SIZE(Texture3DHeight, kMost.side_3d, maxTexture3D[1]),
                           LOCKSTEP_SIZE(Texture3DDepth, kMost.side_3d, maxTexture3D[2]),
                           LOCKSTEP_SIZE(Texture2DGatherWidth, kMost.side_gather, maxTexture2DGather[0]),
                           LOCKSTEP_SIZE(Texture2DGatherHeight, kMost.side_gather, maxTexture2DGather[1]),
                           LOCKSTEP_SIZE(Texture1DLayeredWidth, kMost.side_layered, maxTexture1DLayered[0]),
                           LOCKSTEP_SIZE(Texture1DLayeredLayers, kMost.layers, maxTexture1DLayered[1]),
                           LOCKSTEP_SIZE(Texture2DLayeredWidth, kMost.side_layered, maxTexture2DLayered[0]),
                           LOCKSTEP_SIZE(Texture2DLayeredHeight, kMost.side_layered, maxTexture2DLayered[1]),
                           LOCKSTEP_SIZE(Texture2DLayeredLayers, kMost.layers, maxTexture2DLayered[2]),
                           LOCKSTEP_SIZE(TextureCubemapWidth, kMost.side_cube, maxTextureCubemap),
                           LOCKSTEP_SIZE(TextureCubemapLayeredWidth, kMost.side_cube, maxTextureCubemapLayered[0]),
                           LOCKSTEP_SIZE(TextureCubemapLayeredLayers, kMost.cube_layers, maxTextureCubemapLayered[1]),
                           LOCKSTEP_SIZE(Texture2DLinearWidth, kMost.width_pitched, maxTexture2DLinear[0]),
                           LOCKSTEP_SIZE(Texture2DLinearHeight, kMost.height_pitched, maxTexture2DLinear[1]),
                           LOCKSTEP_SIZE(Texture2DLinearPitch, kMost.pitch, maxTexture2DLinear[2]),
                           LOCKSTEP_SIZE(Surface1DWidth, kMost.surface_1d, maxSurface1D),
                           LOCKSTEP_SIZE(Surface2DWidth, kMost.width_2d, maxSurface2D[0]),
                           LOCKSTEP_SIZE(Surface2DHeight, kMost.height_2d, maxSurface2D[1]),
                           LOCKSTEP_SIZE(Surface3DWidth, kMost.side_3d, maxSurface3D[0]),
                           LOCKSTEP_SIZE(Surface3DHeight, kMost.side_3d, maxSurface3D[1]),
                           LOCKSTEP_SIZE(Surface3DDepth, kMost.side_3d, maxSurface3D[2]),
                           LOCKSTEP_SIZE(Surface1DLayeredWidth, kMost.side_layered, maxSurface1DLayered[0]),
                           LOCKSTEP_SIZE(Surface1DLayeredLayers, kMost.layers, maxSurface1DLayered[1]),
                           LOCKSTEP_SIZE(Surface2DLayeredWidth, kMost.side_layered, maxSurface2DLayered[0]),
                           LOCKSTEP_SIZE(Surface2DLayeredHeight, kMost.side_layered, maxSurface2DLayered[1]),
                           LOCKSTEP_SIZE(Surface2DLayeredLayers, kMost.layers, maxSurface2DLayered[2]),
                           LOCKSTEP_SIZE(SurfaceCubemapWidth, kMost.side_cube, maxSurfaceCubemap),
                           LOCKSTEP_SIZE(SurfaceCubemapLayeredWidth, kMost.side_cube, maxSurfaceCubemapLayered[0]),
                           LOCKSTEP_SIZE(SurfaceCubemapLayeredLayers, kMost.cube_layers, maxSurfaceCubemapLayered[1])};
#undef LOCKSTEP_SIZE

}  // namespace

int texture_size(int attribute) {
  const auto* const found = std::ranges::find(kSizes, attribute, &Size::attribute);
  if (attribute == cudaDevAttrMaxTexture1DLinearWidth) return kMost.width_linear;  // no property in CUDA 13
  return found == std::end(kSizes) ? 0 : found->value;
}

void set_texture_sizes(cudaDeviceProp* properties) {
  for (const Size& size : kSizes)
    std::memcpy(reinterpret_cast<std::byte*>(properties) + size.property, &size.value, sizeof size.value);
}

}  // namespace lockstep::runtime
