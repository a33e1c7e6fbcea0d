// api_copy: copying and filling memory. The pointers tell which side of a copy is the device's. The kind that the
// program gives is checked against the pointers, as the real runtime does: a side that the kind calls the device's must
// be the device's memory (pinned memory counts); a side that it calls the host's may be either.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/words.h"
#include "runtime/arrays.h"
#include "runtime/call_advice.h"
#include "runtime/capturing.h"
#include "runtime/graph_run.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace {

bool device_source(cudaMemcpyKind kind) { return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice; }
bool device_destination(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}

// Rows in memory. The starts of two rows are `pitch` bytes apart.
struct Rows {
  uint64_t address = 0;
  size_t pitch = 0;
};

// `height` rows of `width` bytes each.
struct Copy {
  Rows to, from;
  size_t width = 0, height = 1;
  cudaMemcpyKind kind = cudaMemcpyDefault;
  Region all(const Rows& side) const { return {side.address, side.pitch, width, height}; }
};

Copy plain_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return {{address_of(to), bytes}, {address_of(from), bytes}, bytes, 1, kind};
}

// Whether all rows lie in the memory of the first row's pointer. Only the device's memory has known ends.
bool fits(const Target& target, const Region& rows) {
  uint64_t bytes = 0;
  return rows.reach(&bytes) && (!target.known || bytes <= target.bytes_left);
}

cudaError_t check_rows(const Copy& c, const Target& to, const Target& from) {
  if (c.kind < cudaMemcpyHostToHost || c.kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (c.width == 0 || c.height == 0) return cudaSuccess;
  if (c.height > 1 && (c.width > c.to.pitch || c.width > c.from.pitch)) return cudaErrorInvalidPitchValue;
  if (c.to.address == 0 || c.from.address == 0) return cudaErrorInvalidValue;
  if (to.freed || from.freed) return cudaErrorInvalidValue;
  if (device_destination(c.kind) && !to.known) return cudaErrorInvalidValue;
  if (device_source(c.kind) && !from.known) return cudaErrorInvalidValue;
  return fits(to, c.all(c.to)) && fits(from, c.all(c.from)) ? cudaSuccess : cudaErrorInvalidValue;
}

std::string advice_on(const Copy& c, const Target& to, const Target& from) {
  const auto side = [&](const char* name, const Rows& rows, const Target& target) {
    uint64_t bytes = 0;
    if (!c.all(rows).reach(&bytes)) bytes = std::numeric_limits<uint64_t>::max();
    return Side{name, rows.address, target.known, target.freed, target.bytes_left, bytes, rows.pitch};
  };
  return advice_on_copy(side("dst", c.to, to), side("src", c.from, from), c.width, c.height, c.kind);
}

cudaError_t copy_rows(Runtime& runtime, Copy c, CopyPart part) {
  const Target to = target_of(runtime, pointer_to(c.to.address)), from = target_of(runtime, pointer_to(c.from.address));
  const cudaError_t error = check_rows(c, to, from);
  if (error != cudaSuccess) runtime.advice = advice_on(c, to, from);
  if (error != cudaSuccess || c.width == 0 || c.height == 0) return error;
  if (!runtime.fault.ok()) return cudaSuccess;  // the copy waits behind a kernel that failed, and is never made
  if (c.to.pitch == c.width && c.from.pitch == c.width) c.width *= std::exchange(c.height, 1);
  Device& device = *runtime.device;
  if (to.known && from.known) return runtime.code(device.copy_within(c.all(c.to), c.from.address, c.from.pitch));
  if (to.known) return runtime.code(device.copy_in(c.all(c.to), pointer_to(c.from.address), c.from.pitch));
  if (from.known) return runtime.code(device.copy_out(pointer_to(c.to.address), c.to.pitch, c.all(c.from), part));
  for (size_t row = 0; row < c.height; ++row)
    std::memmove(pointer_to(c.to.address + row * c.to.pitch), pointer_to(c.from.address + row * c.from.pitch), c.width);
  return cudaSuccess;
}

// The host waits for a copy to or from its own memory. If the call has a stream, it waits only for a copy from the
// device into memory that is not pinned (CUDA Runtime API, "API synchronization behavior"). The device itself counts a
// copy_out.
void count_wait(Runtime& runtime, Needs needs, const void* to, const void* from) {
  const Target to_target = target_of(runtime, to), from_target = target_of(runtime, from);
  const auto on_host = [](const Target& target) { return !target.known || target.kind == MemoryKind::kPinned; };
  const bool counted = !to_target.known && from_target.known;
  if (needs != Needs::kDevice && !counted && (on_host(to_target) || on_host(from_target)))
    runtime.device->synchronise();
}

// Memory of the host that is neither pinned nor registered.
constexpr auto kPageable = static_cast<MemoryKind>(0xff);

// The call of the program that copies or fills.
struct Call {
  cudaStream_t stream = nullptr;  // a call without a stream belongs to the null stream
  Needs needs = Needs::kDevice;   // kDevice: the call has a stream, and returns before the work is done
  const char* name = nullptr;
  bool of_graph = false;  // the host never waits for the node of a graph
};

// Whether the work has ended when the call returns, as the same page says. A copy from memory that is not pinned counts
// as ended for a call without a stream, although its last part may still be on its way to the device: programs rely on
// it. For a call with a stream, only the source may be used again.
bool host_waits(const Runtime& runtime, const Call& call, uint64_t to, uint64_t from) {
  const auto kind = [&](uint64_t address) {
    const Target target = target_of(runtime, pointer_to(address));
    if (target.known) return target.kind;
    return is_registered(runtime, address) ? MemoryKind::kPinned : kPageable;
  };
  if (call.of_graph) return false;
  const MemoryKind to_kind = kind(to), from_kind = kind(from);
  if (call.needs != Needs::kDevice) return to_kind != MemoryKind::kDevice || from_kind != MemoryKind::kDevice;
  const auto on_host = [](MemoryKind k) { return k == kPageable || k == MemoryKind::kPinned; };
  return to_kind == kPageable || (on_host(to_kind) && on_host(from_kind));
}

// Tells of the work of one copy. Registered memory is copied by this process, so its pages are open meanwhile.
void note_copy(WorkScope& scope, const Copy& c) {
  scope.uses(c.all(c.from), false);
  scope.uses(c.all(c.to), true);
}

// As cudaMemcpy3D describes it, which is how the node of a graph keeps it.
CopyWork node_of(const Copy& c) {
  cudaMemcpy3DParms p{};
  p.dstPtr = {pointer_to(c.to.address), c.to.pitch, c.width, c.height};
  p.srcPtr = {pointer_to(c.from.address), c.from.pitch, c.width, c.height};
  p.extent = {c.width, c.height, 1};
  p.kind = c.kind;
  return {p};
}

std::optional<cudaError_t> capture_copy(Runtime& runtime, cudaStream_t stream, const CopyWork& copy) {
  const auto make = [&](NodeWork* work) {
    *work = copy;
    return check(runtime, copy);
  };
  return captured(runtime, stream, make);
}

cudaError_t copy(Runtime& runtime, const Call& call, const Copy& c) {
  if (c.width > c.to.pitch || c.width > c.from.pitch) return cudaErrorInvalidPitchValue;
  const bool empty = c.width == 0 || c.height == 0;
  if (const auto error =
          empty ? captured_nothing(runtime, call.stream) : capture_copy(runtime, call.stream, node_of(c)))
    return *error;
  count_wait(runtime, call.needs, pointer_to(c.to.address), pointer_to(c.from.address));
  WorkScope scope(runtime, call.stream, call.name);
  const cudaError_t error = copy_rows(runtime, c, CopyPart::kFirst);
  if (error != cudaSuccess) return error;
  note_copy(scope, c);
  if (host_waits(runtime, call, c.to.address, c.from.address)) scope.host_waits();
  return cudaSuccess;
}

// The copy of a call. A call without a stream passes the null stream, which always exists.
cudaError_t copy_on(cudaStream_t stream, Needs needs, const Copy& c, const char* name = __builtin_FUNCTION()) {
  return with_stream(
      needs, stream,
      [&](Runtime& runtime) {
        return copy(runtime, {stream, needs, name}, c);
      },
      name);
}

// One slice of a box.
Copy slice_of(const cudaMemcpy3DParms& p, size_t slice) {
  const auto rows = [&](const cudaPitchedPtr& base, const cudaPos& at) {
    return Rows{address_of(base.ptr) + (at.z + slice) * base.pitch * base.ysize + at.y * base.pitch + at.x, base.pitch};
  };
  return {rows(p.dstPtr, p.dstPos), rows(p.srcPtr, p.srcPos), p.extent.width, p.extent.height, p.kind};
}

cudaError_t copy_3d(Runtime& runtime, const Call& call, const cudaMemcpy3DParms* given) {
  if (!given) return cudaErrorInvalidValue;
  if (!call.of_graph)
    if (const auto error = capture_copy(runtime, call.stream, {*given})) return *error;
  cudaMemcpy3DParms plain = *given;
  if (const cudaError_t error = without_arrays(runtime, &plain); error != cudaSuccess) return error;
  const cudaMemcpy3DParms* const p = &plain;
  count_wait(runtime, call.needs, p->dstPtr.ptr, p->srcPtr.ptr);
  WorkScope scope(runtime, call.stream, call.name);
  for (size_t slice = 0; slice < p->extent.depth; ++slice) {
    const Copy rows = slice_of(*p, slice);
    const cudaError_t error = copy_rows(runtime, rows, slice > 0 ? CopyPart::kLater : CopyPart::kFirst);
    if (error != cudaSuccess) return error;
    note_copy(scope, rows);
  }
  if (host_waits(runtime, call, address_of(p->dstPtr.ptr), address_of(p->srcPtr.ptr))) scope.host_waits();
  return cudaSuccess;
}

cudaError_t check_fill(const Region& to, const Target& target) {
  if (to.width > to.pitch) return cudaErrorInvalidValue;
  if (to.width == 0 || to.rows == 0) return cudaSuccess;
  return target.known && fits(target, to) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t fill_rows(Runtime& runtime, Region to, int value) {
  const Target target = target_of(runtime, pointer_to(to.address));
  const cudaError_t error = check_fill(to, target);
  if (error != cudaSuccess) {
    uint64_t bytes = 0;
    if (!to.reach(&bytes)) bytes = std::numeric_limits<uint64_t>::max();
    runtime.advice =
        advice_on_fill({"devPtr", to.address, target.known, target.freed, target.bytes_left, bytes, to.pitch});
  }
  if (error != cudaSuccess || to.width == 0 || to.rows == 0) return error;
  if (!runtime.fault.ok()) return cudaSuccess;  // as in copy_rows
  if (to.pitch == to.width) to.width *= std::exchange(to.rows, 1);
  return runtime.code(runtime.device->fill(to, static_cast<uint8_t>(value)));
}

// A node fills rows. So a box is one node if no rows lie between its slices, as on an H200; else each slice is one. A
// null pointer is captured, as there; here the graph's launch refuses it.
std::optional<cudaError_t> capture_fill(Runtime& runtime, cudaStream_t stream, const cudaPitchedPtr& to, unsigned value,
                                        const cudaExtent& extent) {
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return captured_nothing(runtime, stream);
  const bool one_piece = extent.depth == 1 || extent.height == to.ysize;
  const size_t height = one_piece ? extent.height * extent.depth : extent.height;
  cudaMemsetParams rows{to.ptr, to.pitch, value, 1, extent.width, height};
  const auto make = [&](NodeWork* work) {
    *work = FillWork{rows};
    return rows.dst ? check(runtime, std::get<FillWork>(*work)) : cudaSuccess;
  };
  std::optional<cudaError_t> error = captured(runtime, stream, make);
  for (size_t slice = 1; !one_piece && slice < extent.depth && error == cudaSuccess; ++slice) {
    rows.dst = pointer_to(address_of(to.ptr) + slice * to.pitch * to.ysize);
    error = captured(runtime, stream, make);
  }
  return error;
}

cudaError_t fill(cudaStream_t stream, const cudaPitchedPtr& to, int value, const cudaExtent& extent,
                 const char* name = __builtin_FUNCTION()) {
  // Without a stream: the host waits if it reaches the memory in place.
  const bool waits = !std::string_view(name).ends_with("Async");
  const auto body = [&](Runtime& runtime) -> cudaError_t {
    if (const auto error = capture_fill(runtime, stream, to, value & 0xffu, extent)) return *error;
    WorkScope scope(runtime, stream, name);
    for (size_t slice = 0; slice < extent.depth; ++slice) {
      const uint64_t start = address_of(to.ptr) + slice * to.pitch * to.ysize;
      const Region rows{start, to.pitch, extent.width, extent.height};
      const cudaError_t error = fill_rows(runtime, rows, value);
      if (error != cudaSuccess) return error;
      scope.uses(rows, true);
    }
    if (waits && target_of(runtime, to.ptr).kind != MemoryKind::kDevice) scope.host_waits();
    return cudaSuccess;
  };
  return with_stream(Needs::kDevice, stream, body, name);
}

// side: the side of the copy that is the variable.
cudaError_t copy_symbol(const Call& by, Rows Copy::*side, const SymbolPart& part, Copy c) {
  return with_stream(
      by.needs, by.stream,
      [&](Runtime& runtime) -> cudaError_t {
        const bool right_kind = side == &Copy::to ? device_destination(c.kind) : device_source(c.kind);
        if (!right_kind && c.kind != cudaMemcpyDefault) {
          runtime.advice = side == &Copy::to ? with_next(words("kind must lead to the device: symbol lies there."),
                                                         words("use cudaMemcpyHostToDevice."))
                                             : with_next(words("kind must lead from the device: symbol lies there."),
                                                         words("use cudaMemcpyDeviceToHost."));
          return cudaErrorInvalidMemcpyDirection;
        }
        void* start = nullptr;
        if (const cudaError_t error = find_part(runtime, part, &start); error != cudaSuccess) return error;
        (c.*side).address = address_of(start);
        return copy(runtime, by, c);
      },
      by.name);
}

}  // namespace

namespace lockstep::runtime {

cudaError_t find_part(Runtime& runtime, const SymbolPart& part, void** pointer) {
  GlobalInfo info;
  if (const cudaError_t error = runtime.find_variable(part.variable, &info); error != cudaSuccess) return error;
  if (part.offset > info.bytes || part.bytes > info.bytes - part.offset) {
    runtime.advice =
        with_next(words("count and offset reach byte {number}, but symbol has {size}.",
                        {{"number", std::to_string(part.offset + part.bytes)}, {"size", byte_count(info.bytes)}}),
                  words("compare count with sizeof(symbol)."));
    return cudaErrorInvalidValue;
  }
  *pointer = pointer_to(info.address + part.offset);
  return cudaSuccess;
}

CopyWork make_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return node_of(plain_copy(to, from, bytes, kind));
}

cudaError_t run(Runtime& runtime, const CopyWork& work, cudaStream_t stream) {
  return copy_3d(runtime, {stream, Needs::kDevice, later("a copy in the graph"), true}, &work.copy);
}

cudaError_t copy_box(Runtime& runtime, const CopyCall& call, const cudaMemcpy3DParms& box) {
  return copy_3d(runtime, {call.stream, call.needs, call.name}, &box);
}

cudaError_t check(Runtime& runtime, const CopyWork& work) {
  cudaMemcpy3DParms p = work.copy;
  if (const cudaError_t error = without_arrays(runtime, &p); error != cudaSuccess) return error;
  for (const size_t slice : {size_t{0}, std::max<size_t>(p.extent.depth, 1) - 1}) {
    const Copy rows = slice_of(p, slice);
    const Target to = planned_target(runtime, pointer_to(rows.to.address));
    const Target from = planned_target(runtime, pointer_to(rows.from.address));
    if (const cudaError_t error = check_rows(rows, to, from); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

// All rows of a fill.
static Region rows_of(const cudaMemsetParams& f) {
  const uint64_t width = uint64_t{f.elementSize} * f.width;
  return {address_of(f.dst), f.height > 1 ? f.pitch : width, width, f.height};
}

cudaError_t check(Runtime& runtime, const FillWork& work) {
  return check_fill(rows_of(work.fill), planned_target(runtime, work.fill.dst));
}

// The word that a fill repeats. A value wider than an element reaches into the next elements, by or (measured on an
// H200, driver 580.159).
static uint32_t word_of(const cudaMemsetParams& f) {
  uint32_t word = 0;
  for (unsigned byte = 0; byte < sizeof word; byte += f.elementSize) word |= f.value << 8 * byte;
  return word;
}

// The device fills with bytes. A word of different bytes is four fills, each of every fourth byte.
cudaError_t run(Runtime& runtime, const FillWork& work, cudaStream_t stream) {
  const Region all = rows_of(work.fill);
  const uint32_t word = word_of(work.fill);
  const auto byte_of = [&](unsigned i) { return static_cast<int>(word >> 8 * i & 0xff); };
  const bool same_bytes = word == (word & 0xff) * 0x0101'0101u;
  WorkScope scope(runtime, stream, later("a fill in the graph"));
  cudaError_t error = same_bytes ? fill_rows(runtime, all, byte_of(0)) : cudaSuccess;
  for (size_t row = 0; !same_bytes && row < all.rows; ++row)
    for (unsigned i = 0; i < std::min<uint64_t>(sizeof word, all.width) && error == cudaSuccess; ++i) {
      const uint64_t count = (all.width - i + sizeof word - 1) / sizeof word;
      error = fill_rows(runtime, {all.address + row * all.pitch + i, sizeof word, 1, count}, byte_of(i));
    }
  if (error == cudaSuccess) scope.uses(all, true);
  return error;
}

}  // namespace lockstep::runtime

LOCKSTEP_API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy_on(nullptr, Needs::kOutcome, plain_copy(to, from, bytes, kind));
}
LOCKSTEP_PER_THREAD(cudaMemcpy, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                         cudaStream_t stream) {
  return copy_on(stream, Needs::kDevice, plain_copy(to, from, bytes, kind));
}
LOCKSTEP_PER_THREAD(cudaMemcpyAsync, _ptsz);

#if CUDART_VERSION >= 13000
// The copies of a batch may be made in any order, so one after the other is right. The attributes say when the sources
// may be read and where the bytes probably lie: lockstep reads them at once, and needs no hint.
LOCKSTEP_API cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const size_t* bytes,
                                              size_t count, cudaMemcpyAttributes* attributes, size_t* attributes_from,
                                              size_t attribute_count, cudaStream_t stream) {
  const bool valid = to && from && bytes && count > 0 && attributes && attributes_from && attribute_count > 0 &&
                     attribute_count <= count && attributes_from[0] == 0 && stream != nullptr &&
                     stream != cudaStreamLegacy;
  if (!valid) return call(Needs::kDevice, [](Runtime&) { return cudaErrorInvalidValue; });
  for (size_t i = 0; i < count; ++i)
    if (const cudaError_t error = cudaMemcpyAsync(to[i], from[i], bytes[i], cudaMemcpyDefault, stream);
        error != cudaSuccess)
      return error;
  return cudaSuccess;
}
LOCKSTEP_PER_THREAD(cudaMemcpyBatchAsync, _ptsz);
#endif

LOCKSTEP_API cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return call(Needs::kOutcome, [&](Runtime& runtime) {
    if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
    return copy(runtime, {nullptr, Needs::kOutcome, "cudaMemcpyPeer"},
                plain_copy(to, from, bytes, cudaMemcpyDeviceToDevice));
  });
}
LOCKSTEP_API cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                             cudaStream_t stream) {
  return with_stream(Needs::kDevice, stream, [&](Runtime& runtime) {
    if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
    if (const cudaError_t error = refuse_captured(runtime, stream); error != cudaSuccess) return error;
    return copy(runtime, {stream, Needs::kDevice, "cudaMemcpyPeerAsync"},
                plain_copy(to, from, bytes, cudaMemcpyDeviceToDevice));
  });
}

LOCKSTEP_API cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                      size_t height, cudaMemcpyKind kind) {
  const Copy copy{{address_of(to), to_pitch}, {address_of(from), from_pitch}, width, height, kind};
  return copy_on(nullptr, Needs::kOutcome, copy);
}
LOCKSTEP_PER_THREAD(cudaMemcpy2D, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                           size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  const Copy copy{{address_of(to), to_pitch}, {address_of(from), from_pitch}, width, height, kind};
  return copy_on(stream, Needs::kDevice, copy);
}
LOCKSTEP_PER_THREAD(cudaMemcpy2DAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return call(Needs::kOutcome, [&](Runtime& runtime) {
    return copy_3d(runtime, {nullptr, Needs::kOutcome, "cudaMemcpy3D"}, parameters);
  });
}
LOCKSTEP_PER_THREAD(cudaMemcpy3D, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return with_stream(Needs::kDevice, stream, [&](Runtime& runtime) {
    return copy_3d(runtime, {stream, Needs::kDevice, "cudaMemcpy3DAsync"}, parameters);
  });
}
LOCKSTEP_PER_THREAD(cudaMemcpy3DAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return fill(nullptr, {to, bytes, bytes, 1}, value, {bytes, 1, 1});
}
LOCKSTEP_PER_THREAD(cudaMemset, _ptds);

LOCKSTEP_API cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return fill(stream, {to, bytes, bytes, 1}, value, {bytes, 1, 1});
}
LOCKSTEP_PER_THREAD(cudaMemsetAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return fill(nullptr, {to, pitch, width, height}, value, {width, height, 1});
}
LOCKSTEP_PER_THREAD(cudaMemset2D, _ptds);

LOCKSTEP_API cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                           cudaStream_t stream) {
  return fill(stream, {to, pitch, width, height}, value, {width, height, 1});
}
LOCKSTEP_PER_THREAD(cudaMemset2DAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill(nullptr, to, value, extent);
}
LOCKSTEP_PER_THREAD(cudaMemset3D, _ptds);

LOCKSTEP_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return fill(stream, to, value, extent);
}
LOCKSTEP_PER_THREAD(cudaMemset3DAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemcpyToSymbol(const void* variable, const void* from, size_t bytes, size_t offset,
                                            cudaMemcpyKind kind) {
  return copy_symbol({nullptr, Needs::kOutcome, __func__}, &Copy::to, {variable, bytes, offset},
                     plain_copy(nullptr, from, bytes, kind));
}
LOCKSTEP_PER_THREAD(cudaMemcpyToSymbol, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpyFromSymbol(void* to, const void* variable, size_t bytes, size_t offset,
                                              cudaMemcpyKind kind) {
  return copy_symbol({nullptr, Needs::kOutcome, __func__}, &Copy::from, {variable, bytes, offset},
                     plain_copy(to, nullptr, bytes, kind));
}
LOCKSTEP_PER_THREAD(cudaMemcpyFromSymbol, _ptds);

LOCKSTEP_API cudaError_t cudaMemcpyToSymbolAsync(const void* variable, const void* from, size_t bytes, size_t offset,
                                                 cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol({stream, Needs::kDevice, __func__}, &Copy::to, {variable, bytes, offset},
                     plain_copy(nullptr, from, bytes, kind));
}
LOCKSTEP_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* variable, size_t bytes, size_t offset,
                                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol({stream, Needs::kDevice, __func__}, &Copy::from, {variable, bytes, offset},
                     plain_copy(to, nullptr, bytes, kind));
}
LOCKSTEP_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz);

LOCKSTEP_API cudaError_t cudaGetSymbolAddress(void** address, const void* variable) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    return address ? find_part(runtime, {variable, 0, 0}, address) : cudaErrorInvalidValue;
  });
}

LOCKSTEP_API cudaError_t cudaGetSymbolSize(size_t* bytes, const void* variable) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (!bytes) return cudaErrorInvalidValue;
    GlobalInfo info;
    const cudaError_t error = runtime.find_variable(variable, &info);
    if (error == cudaSuccess) *bytes = info.bytes;
    return error;
  });
}
