// listing: nvdisasm's text for the machine code of a module → the accesses to memory of each kernel, with the line of
// the PTX that each of them comes from. The text is what `ptxas -v -lineinfo` says, and then `nvdisasm -c -gp` of the
// cubin that it wrote.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"
#include "sass/flow.h"

namespace lockstep {

struct PartingBranch {
  Conditions compares;      // the lines that its condition depends on
  bool in_barrier = false;  // ptxas expects that lanes may part there
};

// Lanes may come to an instruction apart if one of these stands before it, and no WARPSYNC.ALL stands between. BSYNC
// does not bring them together then.
struct Apart {
  bool yields = false;   // a YIELD
  bool grouped = false;  // a WARPSYNC of a mask: groups of lanes have masks of their own
  Apart& operator|=(const Apart& other) {
    yields |= other.yields, grouped |= other.grouped;
    return *this;
  }
};

struct MachineAccess {
  enum Class : uint8_t { kLoad, kStore, kAtomic, kReduction, kCall, kInnerCall } kind = kLoad;
  Space space = Space::kGeneric;
  uint8_t bytes = 4;     // of one lane; of an atomic: not told
  uint8_t matrices = 0;  // of LDSM, STSM: so many of 8 rows
  bool counts = false;   // ATOMS.POPC.INC: adds the number of lanes
  bool elected = false;  // the first active lane alone makes it
  bool again = false;    // whoever comes here has made another copy of it before, of the same line and kind
  Apart apart{};
  uint32_t line = 0;          // of the PTX
  std::string address{};      // as the listing writes it: "[R2+0x8]"
  uint32_t loops = 0;         // that contain it
  uint32_t shared_loops = 0;  // that contain it and all copies of it
  Conditions conditions{};    // the lines of these comparisons
  Comparisons comparisons{};
  Conditions earlier{};  // of them, those that only an earlier turn of its loops asks
  // The branches whose sides make the access, or copies of it, apart from each other: those of one turn of a loop, and
  // of all turns.
  std::vector<PartingBranch> parting{}, parting_around{};
};

struct MachineKernel {
  std::vector<MachineAccess> accesses;
  uint32_t registers = 0;      // of a thread
  uint32_t static_shared = 0;  // bytes
  // With their places: of functions that are not in the module, as printf(), and of those that are.
  std::vector<MachineAccess> calls{}, inner_calls{};
};

// By the kernel's name in PTX. Text that is not understood is passed over.
std::map<std::string, MachineKernel, std::less<>> read_listing(std::string_view text);

}  // namespace lockstep
