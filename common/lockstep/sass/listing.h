// listing: nvdisasm's text for the machine code of a module → the accesses to memory of each kernel, with the line of
// the PTX that each of them comes from. The text is that of `nvdisasm -c -gp`, for a cubin that `ptxas -lineinfo` made.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"
#include "sass/flow.h"

namespace lockstep {

struct MachineAccess {
  enum Class : uint8_t { kLoad, kStore, kAtomic, kReduction } kind = kLoad;
  Space space = Space::kGeneric;
  uint8_t bytes = 4;  // of one lane; of an atomic: not told
  bool counts = false;  // ATOMS.POPC.INC: adds the number of lanes
  uint32_t line = 0;    // of the PTX
  Place place{};        // a predicate makes it conditional
};

struct MachineKernel {
  std::vector<MachineAccess> accesses;
  std::set<uint32_t> electing;  // lines of the PTX at which a warp chooses its first active lane
};

// By the kernel's name in PTX. Text that is not understood is passed over.
std::map<std::string, MachineKernel, std::less<>> read_listing(std::string_view text);

}  // namespace lockstep
