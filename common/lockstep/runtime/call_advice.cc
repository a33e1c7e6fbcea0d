#include "runtime/call_advice.h"

#include <algorithm>

#include "base/words.h"

namespace lockstep::runtime {
namespace {

const char* name_of(cudaMemcpyKind kind) {
  static constexpr const char* kNames[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                           "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};
  return kNames[kind];
}

std::string on_null(const Side& side) {
  return with_next(words("{name} is null.", {{"name", side.name}}),
                   words("allocate memory for it before this call, and check that it worked."));
}
std::string on_freed(const Side& side) {
  return with_next(words("{name} points to memory that was freed.", {{"name", side.name}}),
                   words("make this call before cudaFree."));
}
std::string on_size(const Side& side, const char* size) {
  return with_next(words("{argument} asks for {wanted}, but {name} has only {left} up to the end of its allocation.",
                         {{"argument", size},
                          {"wanted", byte_count(side.bytes)},
                          {"name", side.name},
                          {"left", byte_count(side.bytes_left)}}),
                   words("compare the size with that of the allocation. Both are in bytes: n * sizeof(float)."));
}

bool device_to(cudaMemcpyKind kind) { return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice; }
bool device_from(cudaMemcpyKind kind) { return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice; }

std::string on_direction(const Side& to, const Side& from, cudaMemcpyKind kind) {
  const Side& wrong = device_to(kind) && !to.on_device ? to : from;
  const cudaMemcpyKind right = to.on_device     ? (from.on_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                               : from.on_device ? cudaMemcpyDeviceToHost
                                                : cudaMemcpyHostToHost;
  const Facts facts = {{"kind", name_of(kind)}, {"name", wrong.name}, {"right", name_of(right)}};
  const std::string what =
      words("kind is {kind}, but {name} does not point to the device's memory: no cudaMalloc gave it.", facts);
  if (right == cudaMemcpyHostToHost) return with_next(what, words("pass a pointer from cudaMalloc as {name}.", facts));
  if (right == cudaMemcpyHostToDevice)
    return with_next(
        what, words("use {right} (dst is the device's memory and src the host's), or correct the pointers.", facts));
  if (right == cudaMemcpyDeviceToHost)
    return with_next(
        what, words("use {right} (dst is the host's memory and src the device's), or correct the pointers.", facts));
  return with_next(what, words("use {right} (both are the device's memory), or correct the pointers.", facts));
}

}  // namespace

std::string advice_on_copy(const Side& to, const Side& from, uint64_t width, uint64_t height, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return with_next(
        words("kind is {number}, which is not a cudaMemcpyKind.", {{"number", std::to_string(static_cast<int>(kind))}}),
        words("pass cudaMemcpyHostToDevice or cudaMemcpyDeviceToHost."));
  for (const Side& side : {to, from})
    if (height > 1 && width > side.pitch)
      return with_next(words("width is {width}, but the rows of {name} are only {pitch} apart.",
                             {{"width", byte_count(width)}, {"name", side.name}, {"pitch", byte_count(side.pitch)}}),
                       words("give the pitch in bytes, as cudaMallocPitch returned it."));
  for (const Side& side : {to, from})
    if (side.address == 0) return on_null(side);
  for (const Side& side : {to, from})
    if (side.freed) return on_freed(side);
  if ((device_to(kind) && !to.on_device) || (device_from(kind) && !from.on_device)) return on_direction(to, from, kind);
  for (const Side& side : {to, from})
    if (side.on_device && side.bytes > side.bytes_left) return on_size(side, height > 1 ? "width x height" : "count");
  return "";
}

std::string advice_on_fill(const Side& to) {
  if (to.address == 0) return on_null(to);
  if (to.freed) return on_freed(to);
  if (!to.on_device)
    return with_next(words("{name} does not point to the device's memory: no cudaMalloc gave it.", {{"name", to.name}}),
                     words("pass a pointer from cudaMalloc. For the host's memory use memset."));
  return to.bytes > to.bytes_left ? on_size(to, "count") : "";
}

std::string advice_on_error(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidSymbol:
      return with_next(words("symbol is not a __device__ or __constant__ variable of this program."),
                       words("pass the variable itself: not its address, and not its name in quotes."));
    case cudaErrorInvalidDevice:
      return with_next(words("there is no device with this number. The emulated machine has one, device 0."),
                       words("ask cudaGetDeviceCount() how many there are."));
    case cudaErrorInvalidResourceHandle:
      return with_next(words("a stream, an event or a function does not exist: it was destroyed, or never created."),
                       words("check the error of the call that created it, and destroy it after its last use."));
    default: return "";
  }
}

std::string called(std::string_view name) { return name.find(' ') == name.npos ? std::string(name) : words(name); }

std::string failed_call(const std::string& name, cudaError_t error, const std::string& advice,
                        const std::string& place) {
  const size_t end = advice.find('\n');
  std::string text = words("{call} failed with {error}: {why}",
                           {{"call", name}, {"error", cudaGetErrorName(error)}, {"why", advice.substr(0, end)}});
  if (!place.empty()) text += "\n  " + words("at {place}", {{"place", place}});
  if (end == std::string::npos) return text;
  return text + "\n  " + advice.substr(std::min(advice.find_first_not_of(' ', end + 1), advice.size()));
}

}  // namespace lockstep::runtime
