// fatbin: the fat binary that nvcc put into a program, as it lies in memory → the PTX text for the device. nvcc
// compresses PTX unless it is told not to.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

enum class FatbinError {
  kNone,
  kDamaged,     // not a fat binary, one that ends in the middle of an entry, or PTX that cannot be unpacked
  kNoPtx,       // only machine code, or nothing
  kCompressed,  // the PTX is compressed in an unknown way
  kTooNew,      // all PTX is for newer cards than the device
};

struct FatbinEntry {
  enum class Kind { kPtx, kMachineCode, kLinkTimeCode, kOther } kind = Kind::kOther;
  enum class Packing { kNone, kLz4, kZstd, kUnknown } packing = Packing::kNone;
  size_t unpacked_bytes = 0;
  int arch = 0;                // compute capability times ten: 75
  bool arch_specific = false;  // compute_90a: runs only on this architecture
  std::string_view payload;    // a view of the program's image. Plain: without the zero bytes at its end
  bool runs_on(int device_arch) const { return arch_specific ? arch == device_arch : arch <= device_arch; }
};

struct FatbinContents {
  FatbinError error = FatbinError::kNone;  // kNone or kDamaged; entries read before the damage are kept
  std::string message;
  std::vector<FatbinEntry> entries;
};

// Reads one container. Never reads outside of `bytes`, even if they are damaged.
FatbinContents read_fatbin(std::span<const std::byte> bytes);

struct PtxChoice {
  FatbinError error = FatbinError::kNone;
  std::string message;  // unless kNone: the error, and how to build the program instead
  std::string ptx;      // the text for the highest architecture that the device can run
  int arch = 0;
};

// `device_arch` is the device's compute capability times ten.
PtxChoice choose_ptx(const FatbinContents& contents, int device_arch);

// Of the entries for newer architectures: the text for the lowest one that has kernels. A card would refuse it;
// lockstep runs it as far as it knows the instructions.
PtxChoice choose_newer_ptx(const FatbinContents& contents, int device_arch);

// The containers behind the wrapper that __cudaRegisterFatBinary gets: the linked one, and in a program that is
// compiled separately also one for each object file. A wrapper or container with a wrong magic number is left out.
std::vector<std::span<const std::byte>> fatbin_containers(const void* wrapper);

// The container that begins there; empty: none does.
std::span<const std::byte> fatbin_container_at(const void* data);

// What may be containers in the file of a program, each to the end of the file; read_fatbin finds where it ends.
std::vector<std::span<const std::byte>> containers_of_file(std::span<const std::byte> file);

}  // namespace lockstep
