#include "runtime/call_advice.h"

#include <algorithm>

namespace lockstep::runtime {
namespace {

std::string bytes_text(uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

const char* name_of(cudaMemcpyKind kind) {
  static constexpr const char* kNames[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                           "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};
  return kNames[kind];
}

std::string on_null(const Side& side) {
  return side.name + std::string(" is null.\nNext: allocate memory for it before this call, and check that it worked.");
}
std::string on_freed(const Side& side) {
  return side.name + std::string(" points to memory that was freed.\nNext: make this call before cudaFree.");
}
std::string on_size(const Side& side, const char* size) {
  return size + std::string(" asks for ") + bytes_text(side.bytes) + ", but " + side.name + " has only " +
         bytes_text(side.bytes_left) +
         " up to the end of its allocation.\nNext: compare the size with that of the allocation. Both are in bytes: n "
         "* sizeof(float).";
}

bool device_to(cudaMemcpyKind kind) { return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice; }
bool device_from(cudaMemcpyKind kind) { return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice; }

std::string on_direction(const Side& to, const Side& from, cudaMemcpyKind kind) {
  const Side& wrong = device_to(kind) && !to.on_device ? to : from;
  const cudaMemcpyKind right = to.on_device     ? (from.on_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                               : from.on_device ? cudaMemcpyDeviceToHost
                                                : cudaMemcpyHostToHost;
  std::string text = std::string("kind is ") + name_of(kind) + ", but " + wrong.name +
                     " does not point to the device's memory: no cudaMalloc gave it.\nNext: ";
  if (right == cudaMemcpyHostToHost) return text + "pass a pointer from cudaMalloc as " + wrong.name + ".";
  const char* const other = right == cudaMemcpyHostToDevice   ? "dst is the device's memory and src the host's"
                            : right == cudaMemcpyDeviceToHost ? "dst is the host's memory and src the device's"
                                                              : "both are the device's memory";
  return text + "use " + name_of(right) + " (" + other + "), or correct the pointers.";
}

}  // namespace

std::string advice_on_copy(const Side& to, const Side& from, uint64_t width, uint64_t height, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return "kind is " + std::to_string(static_cast<int>(kind)) +
           ", which is not a cudaMemcpyKind.\nNext: pass cudaMemcpyHostToDevice or cudaMemcpyDeviceToHost.";
  for (const Side& side : {to, from})
    if (height > 1 && width > side.pitch)
      return "width is " + bytes_text(width) + ", but the rows of " + side.name + " are only " +
             bytes_text(side.pitch) + " apart.\nNext: give the pitch in bytes, as cudaMallocPitch returned it.";
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
    return to.name + std::string(
                         " does not point to the device's memory: no cudaMalloc gave it.\nNext: pass a pointer "
                         "from cudaMalloc. For the host's memory use memset.");
  return to.bytes > to.bytes_left ? on_size(to, "count") : "";
}

std::string advice_on_error(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidSymbol:
      return "symbol is not a __device__ or __constant__ variable of this program.\nNext: pass the variable itself: "
             "not its address, and not its name in quotes.";
    case cudaErrorInvalidDevice:
      return "there is no device with this number. The emulated machine has one, device 0.\nNext: ask "
             "cudaGetDeviceCount() how many there are.";
    case cudaErrorInvalidResourceHandle:
      return "a stream, an event or a function does not exist: it was destroyed, or never created.\nNext: check the "
             "error of the call that created it, and destroy it after its last use.";
    default: return "";
  }
}

std::string failed_call(std::string_view name, cudaError_t error, const std::string& advice, const std::string& place) {
  const size_t end = advice.find('\n');
  std::string text = std::string(name) + " failed with " + cudaGetErrorName(error) + ": " + advice.substr(0, end);
  if (!place.empty()) text += "\n  at " + place;
  if (end == std::string::npos) return text;
  return text + "\n  " + advice.substr(std::min(advice.find_first_not_of(' ', end + 1), advice.size()));
}

}  // namespace lockstep::runtime
