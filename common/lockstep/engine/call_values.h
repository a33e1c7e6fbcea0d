// call_values: the arguments and the result of one lane's call of a function that the runtime provides.
#pragma once

#include <cstring>

#include "engine/warp.h"

namespace lockstep {

// The value of argument number i of one lane.
template <class T>
T argument(const Warp& warp, const CallSite& site, size_t i, uint32_t lane) {
  T value{};
  const Frame& frame = warp.frame();
  std::memcpy(&value, frame.params.data() + lane * frame.param_bytes() + site.arguments.at(i).offset, sizeof value);
  return value;
}

template <class T>
void give_result(Warp& warp, const CallSite& site, uint32_t lane, T value) {
  if (site.results.empty()) return;
  Frame& frame = warp.frame();
  std::memcpy(frame.params.data() + lane * frame.param_bytes() + site.results[0].offset, &value, sizeof value);
}

}  // namespace lockstep
