// runtime_api_copy: copying and filling memory. Which side of a copy is the device's is found out from the pointers;
// the kind that the program gives is checked against them as the real runtime does: a side that the kind calls the
// device's must be memory that the device knows (pinned counts), a side that it calls the host's may be either.
#include <cstring>
#include <limits>

#include "runtime/api_memory.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace {

bool device_source(cudaMemcpyKind kind) { return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice; }
bool device_destination(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}

// Rows, `pitch` bytes from one's start to the next's.
struct Rows {
  uint64_t address = 0;
  size_t pitch = 0;
};

// Bytes from the first row's start to the last row's end. False if that is more than a size_t holds.
bool reach(size_t pitch, size_t width, size_t height, uint64_t* bytes) {
  return !__builtin_mul_overflow(pitch, height - 1, bytes) && !__builtin_add_overflow(*bytes, width, bytes);
}

// goes_on: with the copy before, of the same call.
cudaError_t copy_rows(Runtime& runtime, Rows to, Rows from, size_t width, size_t height, cudaMemcpyKind kind,
                      bool goes_on = false) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (width == 0 || height == 0) return cudaSuccess;
  if (height > 1 && (width > to.pitch || width > from.pitch)) return cudaErrorInvalidPitchValue;
  if (to.address == 0 || from.address == 0) return cudaErrorInvalidValue;
  const Place to_place = place_of(runtime, pointer_to(to.address));
  const Place from_place = place_of(runtime, pointer_to(from.address));
  if (to_place.freed || from_place.freed) return cudaErrorInvalidValue;
  if (device_destination(kind) && !to_place.known) return cudaErrorInvalidValue;
  if (device_source(kind) && !from_place.known) return cudaErrorInvalidValue;
  uint64_t to_bytes = 0, from_bytes = 0;
  if (!reach(to.pitch, width, height, &to_bytes) || !reach(from.pitch, width, height, &from_bytes))
    return cudaErrorInvalidValue;
  if (to_place.known && to_bytes > to_place.bytes_left) return cudaErrorInvalidValue;
  if (from_place.known && from_bytes > from_place.bytes_left) return cudaErrorInvalidValue;
  if (!runtime.fault.ok()) return cudaSuccess;  // queued behind a kernel that failed: never done
  if (to.pitch == width && from.pitch == width) {
    width *= height;
    height = 1;
  }
  Device& device = *runtime.device;
  if (to_place.known && from_place.known)
    return runtime.code(device.copy_within({to.address, to.pitch, width, height}, from.address, from.pitch));
  if (to_place.known)
    return runtime.code(device.copy_in({to.address, to.pitch, width, height}, pointer_to(from.address), from.pitch));
  if (from_place.known)
    return runtime.code(
        device.copy_out(pointer_to(to.address), to.pitch, {from.address, from.pitch, width, height}, goes_on));
  for (size_t row = 0; row < height; ++row)
    std::memmove(pointer_to(to.address + row * to.pitch), pointer_to(from.address + row * from.pitch), width);
  return cudaSuccess;
}

// The host waits for a copy to or from its own memory; if the call has a stream, only for one from the device into
// memory that is not pinned (CUDA Runtime API, "API synchronization behavior"). The device itself counts a copy_out.
void count_wait(Runtime& runtime, Needs needs, const void* to, const void* from) {
  const Place to_place = place_of(runtime, to), from_place = place_of(runtime, from);
  const auto on_host = [](const Place& place) { return !place.known || place.kind == MemoryKind::kPinned; };
  const bool counted = !to_place.known && from_place.known;
  if (needs != Needs::kDevice && !counted && (on_host(to_place) || on_host(from_place))) runtime.device->synchronise();
}

cudaError_t copy(Runtime& runtime, Needs needs, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  count_wait(runtime, needs, to, from);
  return copy_rows(runtime, {address_of(to), bytes}, {address_of(from), bytes}, bytes, 1, kind);
}

cudaError_t copy_2d(Runtime& runtime, Needs needs, void* to, size_t to_pitch, const void* from, size_t from_pitch,
                    size_t width, size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  count_wait(runtime, needs, to, from);
  return copy_rows(runtime, {address_of(to), to_pitch}, {address_of(from), from_pitch}, width, height, kind);
}

cudaError_t copy_3d(Runtime& runtime, Needs needs, const cudaMemcpy3DParms* p) {
  if (!p) return cudaErrorInvalidValue;
  if (p->srcArray || p->dstArray) {
    runtime.tell("CUDA arrays are not emulated; use cudaMalloc3D's pitched memory with cudaMemcpy3D");
    return cudaErrorNotSupported;
  }
  count_wait(runtime, needs, p->dstPtr.ptr, p->srcPtr.ptr);
  const auto start = [](const cudaPitchedPtr& base, const cudaPos& at, size_t slice) {
    return address_of(base.ptr) + (at.z + slice) * base.pitch * base.ysize + at.y * base.pitch + at.x;
  };
  for (size_t slice = 0; slice < p->extent.depth; ++slice) {
    const Rows to{start(p->dstPtr, p->dstPos, slice), p->dstPtr.pitch};
    const Rows from{start(p->srcPtr, p->srcPos, slice), p->srcPtr.pitch};
    const cudaError_t error = copy_rows(runtime, to, from, p->extent.width, p->extent.height, p->kind, slice > 0);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t fill_rows(Runtime& runtime, void* to, size_t pitch, int value, size_t width, size_t height) {
  if (width == 0 || height == 0) return cudaSuccess;
  const Place place = place_of(runtime, to);
  uint64_t bytes = 0;
  if (!place.known || (height > 1 && width > pitch) || !reach(pitch, width, height, &bytes) || bytes > place.bytes_left)
    return cudaErrorInvalidValue;
  if (!runtime.fault.ok()) return cudaSuccess;  // as in copy_rows
  if (pitch == width) {
    width *= height;
    height = 1;
  }
  return runtime.code(runtime.device->fill({address_of(to), pitch, width, height}, static_cast<uint8_t>(value)));
}

cudaError_t fill_2d(Runtime& runtime, void* to, size_t pitch, int value, size_t width, size_t height) {
  return width > pitch ? cudaErrorInvalidValue : fill_rows(runtime, to, pitch, value, width, height);
}

cudaError_t fill_3d(Runtime& runtime, const cudaPitchedPtr& to, int value, const cudaExtent& extent) {
  for (size_t slice = 0; slice < extent.depth; ++slice) {
    void* start = pointer_to(address_of(to.ptr) + slice * to.pitch * to.ysize);
    const cudaError_t error = fill_2d(runtime, start, to.pitch, value, extent.width, extent.height);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

// Where `bytes` bytes at `offset` in a variable lie.
cudaError_t find_part(Runtime& runtime, const void* variable, size_t bytes, size_t offset, void** part) {
  Symbol* symbol = runtime.find_symbol(variable);
  if (!symbol) return cudaErrorInvalidSymbol;
  GlobalInfo info;
  if (const cudaError_t error = runtime.resolve(*symbol, &info); error != cudaSuccess) return error;
  if (offset > info.bytes || bytes > info.bytes - offset) return cudaErrorInvalidValue;
  *part = pointer_to(info.address + offset);
  return cudaSuccess;
}

cudaError_t copy_to_symbol(Needs needs, const void* variable, const void* from, size_t bytes, size_t offset,
                           cudaMemcpyKind kind, const char* name = __builtin_FUNCTION()) {
  return call(
      needs,
      [&](Runtime& runtime) -> cudaError_t {
        if (!device_destination(kind) && kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
        void* to = nullptr;
        const cudaError_t error = find_part(runtime, variable, bytes, offset, &to);
        return error == cudaSuccess ? copy(runtime, needs, to, from, bytes, kind) : error;
      },
      name);
}

cudaError_t copy_from_symbol(Needs needs, void* to, const void* variable, size_t bytes, size_t offset,
                             cudaMemcpyKind kind, const char* name = __builtin_FUNCTION()) {
  return call(
      needs,
      [&](Runtime& runtime) -> cudaError_t {
        if (!device_source(kind) && kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
        void* from = nullptr;
        const cudaError_t error = find_part(runtime, variable, bytes, offset, &from);
        return error == cudaSuccess ? copy(runtime, needs, to, from, bytes, kind) : error;
      },
      name);
}

// What has a stream comes back before it is done, so it does not tell of a fault.
template <typename Body>
cudaError_t call_in_stream(cudaStream_t stream, Body&& body, const char* name = __builtin_FUNCTION()) {
  return call(
      Needs::kDevice,
      [&](Runtime& runtime) -> cudaError_t {
        return is_stream(runtime, stream) ? body(runtime) : cudaErrorInvalidResourceHandle;
      },
      name);
}

}  // namespace

LOCKSTEP_API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return call(Needs::kOutcome, [&](Runtime& runtime) { return copy(runtime, Needs::kOutcome, to, from, bytes, kind); });
}
LOCKSTEP_PER_THREAD(cudaMemcpy, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                         cudaStream_t stream) {
  return call_in_stream(stream, [&](Runtime& runtime) { return copy(runtime, Needs::kDevice, to, from, bytes, kind); });
}
LOCKSTEP_PER_THREAD(cudaMemcpyAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return call(Needs::kOutcome, [&](Runtime& runtime) {
    if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
    return copy(runtime, Needs::kOutcome, to, from, bytes, cudaMemcpyDeviceToDevice);
  });
}
LOCKSTEP_API cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                             cudaStream_t stream) {
  return call_in_stream(stream, [&](Runtime& runtime) {
    if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
    return copy(runtime, Needs::kDevice, to, from, bytes, cudaMemcpyDeviceToDevice);
  });
}

LOCKSTEP_API cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                      size_t height, cudaMemcpyKind kind) {
  return call(Needs::kOutcome, [&](Runtime& runtime) {
    return copy_2d(runtime, Needs::kOutcome, to, to_pitch, from, from_pitch, width, height, kind);
  });
}
LOCKSTEP_PER_THREAD(cudaMemcpy2D, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                           size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return call_in_stream(stream, [&](Runtime& runtime) {
    return copy_2d(runtime, Needs::kDevice, to, to_pitch, from, from_pitch, width, height, kind);
  });
}
LOCKSTEP_PER_THREAD(cudaMemcpy2DAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return call(Needs::kOutcome, [&](Runtime& runtime) { return copy_3d(runtime, Needs::kOutcome, parameters); });
}
LOCKSTEP_PER_THREAD(cudaMemcpy3D, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return call_in_stream(stream, [&](Runtime& runtime) { return copy_3d(runtime, Needs::kDevice, parameters); });
}
LOCKSTEP_PER_THREAD(cudaMemcpy3DAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return call(Needs::kDevice, [&](Runtime& runtime) { return fill_rows(runtime, to, bytes, value, bytes, 1); });
}
LOCKSTEP_PER_THREAD(cudaMemset, _ptds);

LOCKSTEP_API cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return call_in_stream(stream, [&](Runtime& runtime) { return fill_rows(runtime, to, bytes, value, bytes, 1); });
}
LOCKSTEP_PER_THREAD(cudaMemsetAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return call(Needs::kDevice, [&](Runtime& runtime) { return fill_2d(runtime, to, pitch, value, width, height); });
}
LOCKSTEP_PER_THREAD(cudaMemset2D, _ptds);

LOCKSTEP_API cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                           cudaStream_t stream) {
  return call_in_stream(stream, [&](Runtime& runtime) { return fill_2d(runtime, to, pitch, value, width, height); });
}
LOCKSTEP_PER_THREAD(cudaMemset2DAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return call(Needs::kDevice, [&](Runtime& runtime) { return fill_3d(runtime, to, value, extent); });
}
LOCKSTEP_PER_THREAD(cudaMemset3D, _ptds);

LOCKSTEP_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return call_in_stream(stream, [&](Runtime& runtime) { return fill_3d(runtime, to, value, extent); });
}
LOCKSTEP_PER_THREAD(cudaMemset3DAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemcpyToSymbol(const void* variable, const void* from, size_t bytes, size_t offset,
                                            cudaMemcpyKind kind) {
  return copy_to_symbol(Needs::kOutcome, variable, from, bytes, offset, kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpyToSymbol, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpyFromSymbol(void* to, const void* variable, size_t bytes, size_t offset,
                                              cudaMemcpyKind kind) {
  return copy_from_symbol(Needs::kOutcome, to, variable, bytes, offset, kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpyFromSymbol, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpyToSymbolAsync(const void* variable, const void* from, size_t bytes, size_t offset,
                                                 cudaMemcpyKind kind, cudaStream_t) {
  return copy_to_symbol(Needs::kDevice, variable, from, bytes, offset, kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* variable, size_t bytes, size_t offset,
                                                   cudaMemcpyKind kind, cudaStream_t) {
  return copy_from_symbol(Needs::kDevice, to, variable, bytes, offset, kind);
}
LOCKSTEP_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaGetSymbolAddress(void** address, const void* variable) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    return address ? find_part(runtime, variable, 0, 0, address) : cudaErrorInvalidValue;
  });
}

LOCKSTEP_API cudaError_t cudaGetSymbolSize(size_t* bytes, const void* variable) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (!bytes) return cudaErrorInvalidValue;
    Symbol* symbol = runtime.find_symbol(variable);
    if (!symbol) return cudaErrorInvalidSymbol;
    GlobalInfo info;
    const cudaError_t error = runtime.resolve(*symbol, &info);
    if (error == cudaSuccess) *bytes = info.bytes;
    return error;
  });
}
