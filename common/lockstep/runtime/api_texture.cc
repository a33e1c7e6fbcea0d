// api_texture: texture and surface objects: what the program says of them → Texture, which the device knows by the
// handle that kernels get. Left out: mipmaps, views of other formats, anisotropic filters, seamless cubemaps.
#include <algorithm>
#include <cstring>

#include "base/words.h"
#include "runtime/arrays.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace {

// The program's enumeration may hold any number, and then it must not be read as one.
template <typename Enum>
int number_of(const Enum& value) {
  int number = 0;
  static_assert(sizeof value == sizeof number);
  std::memcpy(&number, &value, sizeof number);
  return number;
}

// A wrong argument, with the cause and the next step.
cudaError_t wrong(Runtime& runtime, const std::string& advice) {
  runtime.advice = advice;
  return cudaErrorInvalidValue;
}

cudaError_t set_element(Runtime& runtime, const cudaChannelFormatDesc& desc, Texture* texture) {
  const uint32_t bytes = element_bytes(desc);
  if (bytes == 0)
    return wrong(runtime,
                 with_next(words("the channel descriptor is not an element of 1, 2 or 4 channels of 8, 16 or 32 bits."),
                           words("use cudaCreateChannelDesc<T>() with a type such as float, uchar4 or short2.")));
  texture->channels = static_cast<uint8_t>(desc.w ? 4 : desc.y ? 2 : 1);
  texture->channel_bits = static_cast<uint8_t>(desc.x);
  texture->kind = static_cast<ChannelKind>(desc.f);
  return cudaSuccess;
}

cudaError_t set_array(Runtime& runtime, cudaArray_t handle, Texture* texture) {
  const Array* const array = runtime.arrays.all.find(handle);
  if (!array)
    return wrong(runtime,
                 with_next(words("res.array.array is not a CUDA array, or it was freed."),
                           words("create the object behind cudaMallocArray, and destroy it before cudaFreeArray.")));
  texture->address = array->address;
  texture->row_bytes = array->pitch;
  texture->slice_bytes = array->pitch * rows_of(*array);
  texture->width = static_cast<uint32_t>(array->extent.width);
  texture->height = static_cast<uint32_t>(rows_of(*array));
  texture->slices = static_cast<uint32_t>(slices_of(*array));
  texture->order = array->flags & (cudaArrayLayered | cudaArrayCubemap) ? Slices::kLayers : Slices::kDepth;
  return set_element(runtime, array->desc, texture);
}

cudaError_t set_pitched(Runtime& runtime, const void* memory, const cudaChannelFormatDesc& desc, size_t width,
                        size_t height, size_t pitch, Texture* texture) {
  if (const cudaError_t error = set_element(runtime, desc, texture); error != cudaSuccess) return error;
  const uint64_t row = width * texture->element_bytes();
  if (address_of(memory) % kTextureLimits.alignment != 0)
    return wrong(runtime, with_next(words("devPtr is not a multiple of 512 (cudaDeviceProp::textureAlignment)."),
                                    words("pass the pointer that cudaMalloc gave, and add an offset in the kernel.")));
  if (width == 0 || height == 0 || row > pitch)
    return wrong(
        runtime,
        with_next(words("the texture has no elements, or its rows are longer than the pitch."),
                  words("give the pitch in bytes, as cudaMallocPitch returned it, and the width in elements.")));
  const Target target = target_of(runtime, memory);
  if (!target.known || target.bytes_left < (height - 1) * pitch + row)
    return wrong(runtime, with_next(words("devPtr is not device memory with as many bytes as the texture has."),
                                    words("compare the size with that of the allocation.")));
  texture->address = address_of(memory);
  texture->row_bytes = texture->slice_bytes = pitch;
  texture->width = static_cast<uint32_t>(width);
  texture->height = static_cast<uint32_t>(height);
  return cudaSuccess;
}

cudaError_t set_memory(Runtime& runtime, const cudaResourceDesc& resource, Texture* texture) {
  const TextureLimits& most = kTextureLimits;
  const auto& linear = resource.res.linear;
  const auto& pitched = resource.res.pitch2D;
  switch (number_of(resource.resType)) {
    case cudaResourceTypeArray: return set_array(runtime, resource.res.array.array, texture);
    case cudaResourceTypeLinear: {
      const size_t width = linear.sizeInBytes / std::max(element_bytes(linear.desc), 1u);
      if (width > static_cast<size_t>(most.width_linear)) return cudaErrorInvalidValue;
      return set_pitched(runtime, linear.devPtr, linear.desc, width, 1, linear.sizeInBytes, texture);
    }
    case cudaResourceTypePitch2D:
      if (pitched.width > static_cast<size_t>(most.width_pitched) ||
          pitched.height > static_cast<size_t>(most.height_pitched) ||
          pitched.pitchInBytes % most.pitch_alignment != 0 || pitched.pitchInBytes > static_cast<size_t>(most.pitch))
        return wrong(
            runtime,
            with_next(words("pitchInBytes is not a multiple of 32, or the texture is larger than a card allows."),
                      words("allocate it with cudaMallocPitch.")));
      return set_pitched(runtime, pitched.devPtr, pitched.desc, pitched.width, pitched.height, pitched.pitchInBytes,
                         texture);
    case cudaResourceTypeMipmappedArray:
      return runtime.refuse(later("mipmapped arrays are"), later("use an array of one level."));
  }
  return cudaErrorInvalidValue;
}

bool is_known(const cudaTextureDesc& d) {
  const auto up_to = [](const auto& value, int most) { return number_of(value) >= 0 && number_of(value) <= most; };
  return std::ranges::all_of(d.addressMode, [&](const auto& mode) { return up_to(mode, cudaAddressModeBorder); }) &&
         up_to(d.filterMode, cudaFilterModeLinear) && up_to(d.readMode, cudaReadModeNormalizedFloat);
}

// How a fetch reads the memory. It ignores the address and filter modes of linear memory: outside, it gives zeros.
cudaError_t set_reading(Runtime& runtime, const cudaTextureDesc& d, bool linear_memory, Texture* texture) {
  if (!is_known(d)) return cudaErrorInvalidValue;
  if (d.maxAnisotropy > 1) return runtime.refuse(later("anisotropic filters are"), later("set maxAnisotropy to 0."));
  const bool linear = d.filterMode == cudaFilterModeLinear && !linear_memory;
  if (d.seamlessCubemap && linear)
    return runtime.refuse(later("seamless filters of cubemaps are"),
                          later("set seamlessCubemap to 0, or filter with cudaFilterModePoint."));
  texture->normalized_coordinates = d.normalizedCoords != 0;
  texture->normalized_values = d.readMode == cudaReadModeNormalizedFloat;
  texture->srgb = d.sRGB != 0;
  texture->filter = linear ? TextureFilter::kLinear : TextureFilter::kPoint;
  const bool floats =
      texture->kind == ChannelKind::kFloat || (texture->normalized_values && texture->channel_bits < 32);
  if (linear && !floats) {
    runtime.advice = with_next(
        words("a linear filter needs values that are floats."),
        words("set readMode to cudaReadModeNormalizedFloat (8 and 16 bits), or filterMode to cudaFilterModePoint."));
    return cudaErrorInvalidFilterSetting;
  }
  for (int axis = 0; axis < 3; ++axis) {
    const auto mode = static_cast<AddressMode>(d.addressMode[axis]);
    texture->modes[axis] = linear_memory ? AddressMode::kBorder : d.seamlessCubemap ? AddressMode::kClamp : mode;
  }
  if (!linear_memory) std::ranges::copy(d.borderColor, texture->border);
  return cudaSuccess;
}

cudaError_t create_object(Runtime& runtime, const Texture& texture, const TextureObject& object,
                          unsigned long long* handle) {
  uint64_t created = 0;
  const Outcome outcome = runtime.device->create_texture(texture, &created);
  if (!outcome.ok()) return runtime.code(outcome);
  runtime.arrays.objects[created] = object;
  *handle = created;
  return cudaSuccess;
}

// Null: no such object, of the kind that is asked for.
const TextureObject* find_object(const Runtime& runtime, uint64_t handle, bool surface) {
  const auto found = runtime.arrays.objects.find(handle);
  return found != runtime.arrays.objects.end() && found->second.is_surface == surface ? &found->second : nullptr;
}

cudaError_t destroy_object(uint64_t handle, bool surface, const char* name = __builtin_FUNCTION()) {
  return call(Needs::kDevice, name, [&](Runtime& runtime) -> cudaError_t {
    if (handle == 0) return cudaSuccess;
    if (!find_object(runtime, handle, surface)) return cudaErrorInvalidValue;
    runtime.arrays.objects.erase(handle);
    return runtime.code(runtime.device->destroy_texture(handle));
  });
}

template <typename T>
cudaError_t give_part(T* out, uint64_t handle, bool surface, T TextureObject::*part,
                      const char* name = __builtin_FUNCTION()) {
  return call(Needs::kDevice, name, [&](Runtime& runtime) {
    const TextureObject* const object = find_object(runtime, handle, surface);
    return object ? give(out, object->*part) : cudaErrorInvalidValue;
  });
}

}  // namespace

LOCKSTEP_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t* handle, const cudaResourceDesc* resource,
                                                 const cudaTextureDesc* desc, const cudaResourceViewDesc* view) {
  return call(Needs::kDevice, [&](Runtime& runtime) -> cudaError_t {
    if (!handle || !resource || !desc) return cudaErrorInvalidValue;
    *handle = 0;
    if (view) return runtime.refuse(later("resource views are"), later("pass a null pointer for the view."));
    Texture texture;
    if (const cudaError_t error = set_memory(runtime, *resource, &texture); error != cudaSuccess) return error;
    const bool linear_memory = resource->resType == cudaResourceTypeLinear;
    if (const cudaError_t error = set_reading(runtime, *desc, linear_memory, &texture); error != cudaSuccess)
      return error;
    return create_object(runtime, texture, {*resource, *desc}, handle);
  });
}

LOCKSTEP_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* handle, const cudaResourceDesc* resource) {
  return call(Needs::kDevice, [&](Runtime& runtime) -> cudaError_t {
    if (!handle || !resource) return cudaErrorInvalidValue;
    *handle = 0;
    if (number_of(resource->resType) != cudaResourceTypeArray)
      return wrong(runtime, with_next(words("a surface object needs a CUDA array."),
                                      words("set resType to cudaResourceTypeArray.")));
    Texture surface;
    surface.user = TextureUser::kSurface;
    if (const cudaError_t error = set_memory(runtime, *resource, &surface); error != cudaSuccess) return error;
    if (!(runtime.arrays.all.find(resource->res.array.array)->flags & cudaArraySurfaceLoadStore))
      return wrong(runtime, with_next(words("the array was allocated without cudaArraySurfaceLoadStore."),
                                      words("pass this flag to cudaMallocArray or cudaMalloc3DArray.")));
    return create_object(runtime, surface, {*resource, {}, true}, handle);
  });
}

LOCKSTEP_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) { return destroy_object(handle, false); }
LOCKSTEP_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) { return destroy_object(handle, true); }

LOCKSTEP_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* desc, cudaTextureObject_t handle) {
  return give_part(desc, handle, false, &TextureObject::resource);
}
LOCKSTEP_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* desc, cudaTextureObject_t handle) {
  return give_part(desc, handle, false, &TextureObject::texture);
}
LOCKSTEP_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* desc, cudaSurfaceObject_t handle) {
  return give_part(desc, handle, true, &TextureObject::resource);
}

// CUDA gives an error for an object without a view, and here no object has one.
LOCKSTEP_API cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc*, cudaTextureObject_t) {
  return call(Needs::kDevice, [](Runtime&) { return cudaErrorInvalidValue; });
}

LOCKSTEP_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* elements, const cudaChannelFormatDesc* desc,
                                                              int device) {
  return call(Needs::kNothing, [&](Runtime&) {
    if (device != 0) return cudaErrorInvalidDevice;
    if (!desc || element_bytes(*desc) == 0) return cudaErrorInvalidValue;
    return give(elements, static_cast<size_t>(kTextureLimits.width_linear));
  });
}
