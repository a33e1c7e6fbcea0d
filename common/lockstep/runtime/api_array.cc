// api_array: CUDA arrays: allocating and describing them, and the copies that name one. An array is rows of device
// memory, one behind the other, so its copies are copies of rows (api_copy). Left out: arrays with several levels
// (mipmaps), several planes, or without memory of their own (sparse).
#include <limits>
#include <vector>

#include "base/align.h"
#include "base/words.h"
#include "runtime/arrays.h"
#include "runtime/watch.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace lockstep::runtime {

uint32_t element_bytes(const cudaChannelFormatDesc& d) {
  const int bits = d.x, channels = d.w ? 4 : d.z ? 3 : d.y ? 2 : 1;
  const int all[] = {d.x, d.y, d.z, d.w};
  for (int i = 0; i < 4; ++i)
    if (all[i] != (i < channels ? bits : 0)) return 0;
  const bool integer = d.f == cudaChannelFormatKindSigned || d.f == cudaChannelFormatKindUnsigned;
  const bool known = bits == 16 || bits == 32 || (bits == 8 && integer);
  if (channels == 3 || !known || !(integer || d.f == cudaChannelFormatKindFloat)) return 0;
  return static_cast<uint32_t>(channels * bits / 8);
}

namespace {

cudaError_t no_such_array(Runtime& runtime, const std::string& name) {
  runtime.advice =
      with_next(words("{array} is not a CUDA array, or it was freed.", {{"array", name}}),
                words("pass what cudaMallocArray or cudaMalloc3DArray gave, and free it behind its last use."));
  return cudaErrorInvalidValue;
}

cudaError_t outside_array(Runtime& runtime, const std::string& name, const Array& array) {
  const auto number = [](size_t n) { return std::to_string(n); };
  const std::string size =
      number(array.extent.width) + " x " + number(rows_of(array)) + " x " + number(slices_of(array));
  runtime.advice =
      with_next(words("the copy reaches beyond {array}, which has {size} elements of {element}.",
                      {{"array", name}, {"size", size}, {"element", byte_count(element_bytes(array.desc))}}),
                words("compare offset and size with the array's. Widths and offsets in x are bytes here, except in "
                      "cudaMemcpy3D, which counts elements."));
  return cudaErrorInvalidValue;
}

// One side of a box is memory. Beside an array its position counts elements too, a row must end within the pitch, and
// ysize must reach its rows (measured on an H200; xsize may be anything).
cudaError_t resolve_memory(Runtime& runtime, const char* name, uint32_t bytes, const cudaExtent& extent,
                           const cudaPitchedPtr& memory, cudaPos* at) {
  const size_t row = memory.pitch / bytes;
  if (at->x > row || extent.width > row - at->x || at->y > memory.ysize || extent.height > memory.ysize - at->y) {
    runtime.advice = with_next(
        words("the copy reaches beyond {memory}, whose rows have {count} elements of {element}, and whose ysize is "
              "{rows} rows.",
              {{"memory", name},
               {"count", std::to_string(row)},
               {"element", byte_count(bytes)},
               {"rows", std::to_string(memory.ysize)}}),
        words(
            "beside an array, count the position in x in elements, not in bytes; compare pitch and ysize with position "
            "and extent."));
    return cudaErrorInvalidValue;
  }
  at->x *= bytes;
  return cudaSuccess;
}

// One side of a box: pitched memory with its position.
cudaError_t resolve(Runtime& runtime, const char* name, cudaArray_t handle, const cudaExtent& extent,
                    cudaPitchedPtr* memory, cudaPos* at) {
  const Array* const array = runtime.arrays.all.find(handle);
  if (!array) return no_such_array(runtime, name);
  const auto fits = [](size_t begin, size_t count, size_t size) { return begin <= size && count <= size - begin; };
  if (!fits(at->x, extent.width, array->extent.width) || !fits(at->y, extent.height, rows_of(*array)) ||
      !fits(at->z, extent.depth, slices_of(*array)))
    return outside_array(runtime, name, *array);
  at->x *= element_bytes(array->desc);
  *memory = {pointer_to(array->address), array->pitch, array->extent.width, rows_of(*array)};
  return cudaSuccess;
}

}  // namespace

cudaError_t without_arrays(Runtime& runtime, cudaMemcpy3DParms* copy) {
  if (!copy->srcArray && !copy->dstArray) return cudaSuccess;
  const bool two = (copy->srcArray && copy->srcPtr.ptr) || (copy->dstArray && copy->dstPtr.ptr);
  if (two) return cudaErrorInvalidValue;
  uint32_t bytes = 0;
  for (const cudaArray_t handle : {copy->srcArray, copy->dstArray})
    if (const Array* const array = runtime.arrays.all.find(handle)) {
      if (bytes && bytes != element_bytes(array->desc)) return cudaErrorInvalidValue;
      bytes = element_bytes(array->desc);
    }
  if (bytes == 0) return no_such_array(runtime, copy->srcArray ? "srcArray" : "dstArray");
  const auto side = [&](const char* name, const char* memory_name, cudaArray_t array, cudaPitchedPtr* memory,
                        cudaPos* at) {
    return array ? resolve(runtime, name, array, copy->extent, memory, at)
                 : resolve_memory(runtime, memory_name, bytes, copy->extent, *memory, at);
  };
  if (const auto error = side("srcArray", "srcPtr", copy->srcArray, &copy->srcPtr, &copy->srcPos); error != cudaSuccess)
    return error;
  if (const auto error = side("dstArray", "dstPtr", copy->dstArray, &copy->dstPtr, &copy->dstPos); error != cudaSuccess)
    return error;
  copy->srcArray = copy->dstArray = nullptr;
  copy->extent.width *= bytes;
  return cudaSuccess;
}

}  // namespace lockstep::runtime

namespace {

constexpr unsigned kKnownFlags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
constexpr size_t kRowAlignment = 16;  // bytes: so each element is aligned, and each access to a surface

// Whether CUDA has an array of this extent and these flags.
bool is_possible(const cudaExtent& e, unsigned flags) {
  const TextureLimits& most = kTextureLimits;
  const auto within = [](size_t n, int limit) { return n >= 1 && n <= static_cast<size_t>(limit); };
  const bool gather = flags & cudaArrayTextureGather;
  if (flags & cudaArrayCubemap) {
    const bool whole = flags & cudaArrayLayered ? e.depth % 6 == 0 : e.depth == 6;
    return within(e.width, most.side_cube) && e.height == e.width && within(e.depth, most.cube_layers) && whole &&
           !gather;
  }
  if (flags & cudaArrayLayered)
    return within(e.width, most.side_layered) && (e.height == 0 || within(e.height, most.side_layered)) &&
           within(e.depth, most.layers) && !(gather && e.height == 0);
  if (gather) return within(e.width, most.side_gather) && within(e.height, most.side_gather) && e.depth == 0;
  if (e.depth) return within(e.width, most.side_3d) && within(e.height, most.side_3d) && within(e.depth, most.side_3d);
  if (e.height) return within(e.width, most.width_2d) && within(e.height, most.height_2d);
  return within(e.width, flags & cudaArraySurfaceLoadStore ? most.surface_1d : most.width_1d);
}

cudaError_t allocate_array(Runtime& runtime, cudaArray_t* handle, const cudaChannelFormatDesc* desc,
                           const cudaExtent& extent, unsigned flags) {
  if (!handle || !desc) return cudaErrorInvalidValue;
  *handle = nullptr;
  if (flags & ~kKnownFlags)
    return runtime.refuse(later("sparse, deferred and shared CUDA arrays are"),
                          later("allocate an array with its own memory."));
  if (desc->f > cudaChannelFormatKindNone)
    return runtime.refuse(later("arrays of this channel format are"),
                          later("use channels of 8, 16 or 32 bits: signed, unsigned or float."));
  const uint32_t bytes = element_bytes(*desc);
  if (bytes == 0) {
    runtime.advice = with_next(words("desc is not an element of 1, 2 or 4 channels of 8, 16 or 32 bits."),
                               words("use cudaCreateChannelDesc<T>() with a type such as float, uchar4 or short2."));
    return cudaErrorInvalidChannelDescriptor;
  }
  if (!is_possible(extent, flags)) {
    runtime.advice = with_next(words("CUDA has no array of this extent with these flags."),
                               words("compare them with the table at cudaMalloc3DArray. Extents are in elements; a "
                                     "dimension that is not there is 0."));
    return cudaErrorInvalidValue;
  }
  Array array{0, align_up(extent.width * bytes, kRowAlignment), *desc, extent, flags};
  void* memory = nullptr;
  const cudaError_t error =
      allocate(runtime, &memory, array.pitch * rows_of(array) * slices_of(array), MemoryKind::kDevice);
  if (error != cudaSuccess) return error;
  array.address = address_of(memory);
  *handle = reinterpret_cast<cudaArray_t>(runtime.arrays.all.create(array));
  return cudaSuccess;
}

// The copies below have one slice, and widths and offsets in x in bytes.
struct Corner {
  size_t x = 0, y = 0;
};

// The array's memory from the corner on.
cudaError_t part_of(Runtime& runtime, cudaArray_const_t handle, const Corner& at, size_t width, size_t height,
                    cudaPitchedPtr* part) {
  const Array* const array = runtime.arrays.all.find(handle);
  if (!array) return no_such_array(runtime, words("the array"));
  const size_t row = array->extent.width * element_bytes(array->desc);
  if (at.x > row || width > row - at.x || at.y > rows_of(*array) || height > rows_of(*array) - at.y)
    return outside_array(runtime, words("the array"), *array);
  *part = {pointer_to(array->address + at.y * array->pitch + at.x), array->pitch, width, height};
  return cudaSuccess;
}

// One side of a copy: an array from a corner on, or rows of memory.
struct Part {
  cudaArray_const_t array = nullptr;
  Corner at{};
  void* memory = nullptr;
  size_t pitch = 0;
};

cudaError_t copy_part(Runtime& runtime, const CopyCall& call, const Part& to, const Part& from, size_t width,
                      size_t height, cudaMemcpyKind kind) {
  cudaMemcpy3DParms box{};
  box.extent = {width, height, 1};
  box.kind = kind;
  const auto find = [&](const Part& side, cudaPitchedPtr* part) {
    if (side.array) return part_of(runtime, side.array, side.at, width, height, part);
    *part = {side.memory, side.pitch, width, height};
    return side.memory || !width || !height ? (width > side.pitch ? cudaErrorInvalidPitchValue : cudaSuccess)
                                            : cudaErrorInvalidValue;
  };
  if (const cudaError_t error = find(to, &box.dstPtr); error != cudaSuccess) return error;
  if (const cudaError_t error = find(from, &box.srcPtr); error != cudaSuccess) return error;
  return copy_box(runtime, call, box);
}

cudaError_t copy_rectangle(const CopyCall& by, const Part& to, const Part& from, size_t width, size_t height,
                           cudaMemcpyKind kind) {
  const auto body = [&](Runtime& runtime) { return copy_part(runtime, by, to, from, width, height, kind); };
  return with_stream(by.needs, by.stream, body, by.name);
}

// `count` bytes of an array, row after row, as at most three rectangles: the rest of a row, whole rows, part of a row.
struct Piece {
  Corner at;
  size_t width = 0, height = 1, before = 0;  // before: bytes of the pieces before this one
};
std::vector<Piece> pieces_of(size_t row, Corner at, size_t count) {
  std::vector<Piece> pieces;
  size_t before = 0;
  const auto add = [&](size_t width, size_t height) {
    if (width * height == 0) return;
    pieces.push_back({at, width, height, before});
    before += width * height;
    at = {0, at.y + height};
  };
  if (at.x > 0) add(std::min(count, row - std::min(at.x, row)), 1);
  add(row, (count - before) / row);
  add(count - before, 1);
  return pieces;
}

// The array's side of a copy of `count` bytes; the other side is plain memory, or an array of as many bytes in a row.
cudaError_t copy_count(const CopyCall& by, Part to, Part from, size_t count, cudaMemcpyKind kind) {
  const auto body = [&](Runtime& runtime) -> cudaError_t {
    size_t row = 0;
    for (const Part* part : {&to, &from}) {
      if (!part->array) continue;
      const Array* const array = runtime.arrays.all.find(part->array);
      if (!array) return no_such_array(runtime, words("the array"));
      const size_t bytes = array->extent.width * element_bytes(array->desc);
      if (row && (bytes != row || to.at.x != from.at.x))
        return runtime.refuse(later("copies of bytes between arrays of different widths are"),
                              later("use cudaMemcpy2DArrayToArray."));
      row = bytes;
    }
    const Corner start = to.array ? to.at : from.at;
    for (const Piece& piece : pieces_of(row, start, count)) {
      const auto side = [&](const Part& whole) {
        if (whole.array) return Part{whole.array, {piece.at.x, whole.at.y + piece.at.y - start.y}};
        return Part{nullptr, {}, static_cast<std::byte*>(whole.memory) + piece.before, piece.width};
      };
      const cudaError_t error = copy_part(runtime, by, side(to), side(from), piece.width, piece.height, kind);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  };
  return with_stream(by.needs, by.stream, body, by.name);
}

void* writable(const void* pointer) { return const_cast<void*>(pointer); }

}  // namespace

LOCKSTEP_API cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, size_t width,
                                         size_t height, unsigned flags) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    return allocate_array(runtime, array, desc, {width, height, 0}, flags);
  });
}

LOCKSTEP_API cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, cudaExtent extent,
                                           unsigned flags) {
  return call(Needs::kDevice, [&](Runtime& runtime) { return allocate_array(runtime, array, desc, extent, flags); });
}

LOCKSTEP_API cudaError_t cudaFreeArray(cudaArray_t array) {
  const auto lost = [&](Runtime& runtime) {
    if (const Array* const known = runtime.arrays.all.find(array)) tell_lost_free(runtime, pointer_to(known->address));
  };
  return call(
      array ? Needs::kSync : Needs::kOutcome, __func__,
      [&](Runtime& runtime) {
        if (!array) return cudaSuccess;
        const Array* const known = runtime.arrays.all.find(array);
        if (!known) return no_such_array(runtime, "array");
        host_waits_for_all(runtime);
        void* const memory = pointer_to(known->address);
        runtime.arrays.all.destroy(array);
        return release(runtime, memory, false);
      },
      lost);
}

LOCKSTEP_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned* flags,
                                          cudaArray_t array) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    const Array* const known = runtime.arrays.all.find(array);
    if (!known) return no_such_array(runtime, "array");
    if (desc) *desc = known->desc;
    if (extent) *extent = known->extent;
    if (flags) *flags = known->flags;
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    const Array* const known = runtime.arrays.all.find(array);
    return known ? give(desc, known->desc) : no_such_array(runtime, "array");
  });
}

// Needs no device.
LOCKSTEP_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

// ---- copies of rectangles ----

LOCKSTEP_API cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                             size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_rectangle({nullptr, Needs::kOutcome, __func__}, {to, {x, y}}, {nullptr, {}, writable(from), pitch}, width,
                        height, kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpy2DToArray, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                                  size_t width, size_t height, cudaMemcpyKind kind,
                                                  cudaStream_t stream) {
  return copy_rectangle({stream, Needs::kDevice, __func__}, {to, {x, y}}, {nullptr, {}, writable(from), pitch}, width,
                        height, kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpy2DToArrayAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                               size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_rectangle({nullptr, Needs::kOutcome, __func__}, {nullptr, {}, to, pitch}, {from, {x, y}}, width, height,
                        kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpy2DFromArray, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                                    size_t width, size_t height, cudaMemcpyKind kind,
                                                    cudaStream_t stream) {
  return copy_rectangle({stream, Needs::kDevice, __func__}, {nullptr, {}, to, pitch}, {from, {x, y}}, width, height,
                        kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                                  size_t from_x, size_t from_y, size_t width, size_t height,
                                                  cudaMemcpyKind kind) {
  return copy_rectangle({nullptr, Needs::kOutcome, __func__}, {to, {to_x, to_y}}, {from, {from_x, from_y}}, width,
                        height, kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpy2DArrayToArray, _ptds);

// ---- copies of bytes, row after row ----

// CUDA deprecates them since 10.1. The second name of each repeats the first.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

LOCKSTEP_API cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t count,
                                           cudaMemcpyKind kind) {
  return copy_count({nullptr, Needs::kOutcome, __func__}, {to, {x, y}}, {nullptr, {}, writable(from)}, count, kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpyToArray, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t count,
                                                cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_count({stream, Needs::kDevice, __func__}, {to, {x, y}}, {nullptr, {}, writable(from)}, count, kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpyToArrayAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                             cudaMemcpyKind kind) {
  return copy_count({nullptr, Needs::kOutcome, __func__}, {nullptr, {}, to}, {from, {x, y}}, count, kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpyFromArray, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                                  cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_count({stream, Needs::kDevice, __func__}, {nullptr, {}, to}, {from, {x, y}}, count, kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpyFromArrayAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                                size_t from_x, size_t from_y, size_t count, cudaMemcpyKind kind) {
  return copy_count({nullptr, Needs::kOutcome, __func__}, {to, {to_x, to_y}}, {from, {from_x, from_y}}, count, kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpyArrayToArray, _ptds);
