// fatbin: from the fat binary that nvcc put into a program, as it lies in memory, to the PTX text that the device
// shall run. Copies nothing: texts are views into the program's own image. Runs no decompressor: a program whose PTX
// is compressed gets an error that names the flag to build it with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

enum class FatbinError {
  kNone,
  kDamaged,     // not a fat binary, or one that ends in the middle of an entry
  kNoPtx,       // machine code only, or nothing at all
  kCompressed,  // there is PTX, but compressed
  kTooNew,      // there is PTX, but only for cards newer than the device
};

struct FatbinEntry {
  enum class Kind { kPtx, kMachineCode, kOther } kind = Kind::kOther;
  enum class Compression { kNone, kZstd, kLz4, kUnknown } compression = Compression::kNone;
  int arch = 0;                // compute capability times ten: 75
  bool arch_specific = false;  // compute_90a: runs on this very architecture only
  std::string_view payload;    // trailing zero bytes cut off
};

struct FatbinContents {
  FatbinError error = FatbinError::kNone;  // kNone or kDamaged; entries read before the damage are kept
  std::string message;
  std::vector<FatbinEntry> entries;
};

// Reads one container. Never reads outside `bytes`, whatever they hold.
FatbinContents read_fatbin(std::span<const std::byte> bytes);

struct PtxChoice {
  FatbinError error = FatbinError::kNone;
  std::string message;   // unless kNone: what is wrong, and how to build the program instead
  std::string_view ptx;  // the text for the highest architecture that the device can run
  int arch = 0;
};

// `device_arch` is the device's compute capability times ten.
PtxChoice choose_ptx(const FatbinContents& contents, int device_arch);

// The containers behind the wrapper that __cudaRegisterFatBinary is given: the linked one, and for separately
// compiled programs one for each object file besides. A wrapper or container with a wrong magic number is left out.
std::vector<std::span<const std::byte>> fatbin_containers(const void* wrapper);

}  // namespace lockstep
