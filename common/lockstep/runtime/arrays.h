// arrays: CUDA arrays as rows of device memory, for the copies and textures that use them.
#pragma once

#include "runtime/api.h"

namespace lockstep::runtime {

// Documented for compute capability 9.0 (CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability").
struct TextureLimits {
  int width_1d = 131072, width_2d = 131072, height_2d = 65536, side_3d = 16384, side_gather = 32768;
  int side_layered = 32768, layers = 2048, side_cube = 32768, cube_layers = 2046;
  int width_linear = 1 << 28, width_pitched = 131072, height_pitched = 65000, pitch = 2097120;
  int surface_1d = 32768;
  size_t alignment = 512, pitch_alignment = 32;  // bytes, as an H200 says
};
inline constexpr TextureLimits kTextureLimits;

// As an attribute of the device (0: it is not such a size), and as its properties.
int texture_size(int attribute);
void set_texture_sizes(cudaDeviceProp* properties);

// Bytes of one element: 1, 2 or 4 channels of 8, 16 or 32 bits. 0: lockstep has no such elements.
uint32_t element_bytes(const cudaChannelFormatDesc& desc);

// Gives the array's rows and slices; at least 1 each.
inline size_t rows_of(const Array& array) { return array.extent.height ? array.extent.height : 1; }
inline size_t slices_of(const Array& array) { return array.extent.depth ? array.extent.depth : 1; }

// Turns each array of the copy into the pitched memory that it is, and positions and extent into bytes.
cudaError_t without_arrays(Runtime& runtime, cudaMemcpy3DParms* copy);

struct CopyCall {
  cudaStream_t stream = nullptr;
  Needs needs = Needs::kOutcome;  // kDevice: the call has a stream
  const char* name = nullptr;
};
cudaError_t copy_box(Runtime& runtime, const CopyCall& call, const cudaMemcpy3DParms& box);

}  // namespace lockstep::runtime
