#include "base/dim3.h"

namespace lockstep {

std::string text(const Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

}  // namespace lockstep
