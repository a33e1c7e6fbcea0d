// fatbin: the layout, found by inspection of files that nvcc 13.0 writes. All numbers are little-endian.
//   wrapper:   u32 0x466243B1, u32 version, u64 → container, u64 → list of containers (version 2; ends with 0)
//   container: u32 0xBA55ED50, u16 1, u16 header bytes, u64 bytes after the header; then entries
//   entry:     +0 u16 kind, +4 u32 header bytes, +8 u64 payload bytes, +16 u32 compressed bytes, +28 u32 arch,
//              +40 u64 flags, +56 u64 bytes when decompressed
#include "runtime/fatbin.h"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/words.h"

namespace lockstep {
namespace {

constexpr uint32_t kWrapperMagic = 0x466243B1, kContainerMagic = 0xBA55ED50;
constexpr uint32_t kWrapperWithList = 2;
constexpr size_t kContainerHeaderBytes = 16, kEntryHeaderBytes = 48;  // the part of an entry's header that we read
constexpr size_t kPackedHeaderBytes = 64;                             // the same, if the entry is compressed
constexpr size_t kLargestText = size_t{1} << 30;                      // bytes: more is no PTX of a compiler
constexpr uint16_t kPtx = 1, kElf = 2, kLto = 8;
constexpr uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000, kFlagArchSpecific = 0x100000;

template <typename T>
T number_at(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

FatbinContents damaged(FatbinContents contents, const char* what) {
  contents.error = FatbinError::kDamaged;
  contents.message = with_next(words("the program's GPU code cannot be read: {what}", {{"what", words(what)}}),
                               words("rebuild the program with nvcc."));
  return contents;
}

std::string_view without_padding(std::string_view text) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

FatbinEntry entry_from(const std::byte* header, std::span<const std::byte> payload) {
  FatbinEntry entry;
  const auto kind = number_at<uint16_t>(header);
  const auto flags = number_at<uint64_t>(header + 40);
  if (kind == kPtx) entry.kind = FatbinEntry::Kind::kPtx;
  if (kind == kElf) entry.kind = FatbinEntry::Kind::kMachineCode;
  if (kind == kLto) entry.kind = FatbinEntry::Kind::kLinkTimeCode;
  const auto packed_bytes = number_at<uint32_t>(header + 16);
  entry.arch = static_cast<int>(number_at<uint32_t>(header + 28));
  entry.arch_specific = (flags & kFlagArchSpecific) != 0;
  entry.payload = {reinterpret_cast<const char*>(payload.data()), payload.size()};
  if ((flags & (kFlagZstd | kFlagLz4)) == 0 && packed_bytes == 0) {
    entry.payload = without_padding(entry.payload);
    return entry;
  }
  using Packing = FatbinEntry::Packing;
  entry.packing = flags & kFlagZstd ? Packing::kZstd : flags & kFlagLz4 ? Packing::kLz4 : Packing::kUnknown;
  if (number_at<uint32_t>(header + 4) < kPackedHeaderBytes)
    entry.packing = Packing::kUnknown;
  else
    entry.unpacked_bytes = number_at<uint64_t>(header + 56);
  entry.payload = entry.payload.substr(0, packed_bytes);
  return entry;
}

// Nothing: the bytes are damaged.
std::optional<std::string> unpacked(const FatbinEntry& entry) {
  const std::string_view from = entry.payload;
  if (entry.packing == FatbinEntry::Packing::kNone) return std::string(from);
  if (entry.unpacked_bytes > kLargestText || from.size() > kLargestText) return std::nullopt;
  std::string text(entry.unpacked_bytes, '\0');
  const size_t bytes =
      entry.packing == FatbinEntry::Packing::kZstd
          ? ZSTD_decompress(text.data(), text.size(), from.data(), from.size())
          : static_cast<size_t>(LZ4_decompress_safe(from.data(), text.data(), static_cast<int>(from.size()),
                                                    static_cast<int>(text.size())));
  if (bytes != text.size()) return std::nullopt;  // both functions return an error as a number that is too large
  text.resize(without_padding(text).size());
  return text;
}

std::string capability(int arch) { return std::to_string(arch / 10) + "." + std::to_string(arch % 10); }

// The error when no entry can be used.
PtxChoice refuse(const FatbinContents& contents, int device_arch) {
  int compressed_arch = 0, newer_arch = 0, machine_code = 0, link_time_code = 0;
  for (const auto& entry : contents.entries) {
    if (entry.kind == FatbinEntry::Kind::kMachineCode) ++machine_code;
    if (entry.kind == FatbinEntry::Kind::kLinkTimeCode) ++link_time_code;
    if (entry.kind != FatbinEntry::Kind::kPtx) continue;
    (entry.runs_on(device_arch) ? compressed_arch : newer_arch) = entry.arch;
  }
  const auto refusal = [](FatbinError error, const std::string& why) {
    const std::string next = words("build it with: {command}",
                                   {{"command", "nvcc -cudart shared -gencode arch=compute_75,code=compute_75"}});
    return PtxChoice{error, with_next(why, next), {}, 0};
  };
  if (compressed_arch != 0)
    return refusal(FatbinError::kCompressed,
                   words("the program's PTX is compressed in a way that lockstep does not know: add --no-compress"));
  if (newer_arch != 0)
    return refusal(FatbinError::kTooNew,
                   words("the program has PTX for compute capability {newer} only, and the emulated card has "
                         "{own}",
                         {{"newer", capability(newer_arch)}, {"own", capability(device_arch)}}));
  if (link_time_code > 0)
    return refusal(FatbinError::kNoPtx,
                   words("the program was built for link-time optimisation (-dlto), which leaves no PTX for lockstep"));
  return refusal(FatbinError::kNoPtx,
                 machine_code > 0 ? words("the program has machine code (SASS) but no PTX, which lockstep needs")
                                  : words("the program has no GPU code"));
}

}  // namespace

FatbinContents read_fatbin(std::span<const std::byte> bytes) {
  FatbinContents contents;
  if (bytes.size() < kContainerHeaderBytes) return damaged({}, later("its header is cut off"));
  if (number_at<uint32_t>(bytes.data()) != kContainerMagic) return damaged({}, later("its magic number is wrong"));
  const size_t header_bytes = number_at<uint16_t>(bytes.data() + 6);
  if (header_bytes < kContainerHeaderBytes || header_bytes > bytes.size())
    return damaged({}, later("its header is wrong"));
  const auto body_bytes = number_at<uint64_t>(bytes.data() + 8);
  std::span<const std::byte> rest = bytes.subspan(header_bytes);
  const bool cut_off = body_bytes > rest.size();
  if (!cut_off) rest = rest.first(body_bytes);

  while (!rest.empty()) {
    if (rest.size() < kEntryHeaderBytes) return damaged(std::move(contents), later("an entry's header is cut off"));
    const size_t entry_bytes = number_at<uint32_t>(rest.data() + 4);
    const auto payload_bytes = number_at<uint64_t>(rest.data() + 8);
    // Each is compared with the bytes that are left. Their sum may overflow.
    if (entry_bytes < kEntryHeaderBytes || entry_bytes > rest.size())
      return damaged(std::move(contents), later("an entry's header is wrong"));
    if (payload_bytes > rest.size() - entry_bytes) return damaged(std::move(contents), later("an entry is cut off"));
    contents.entries.push_back(entry_from(rest.data(), rest.subspan(entry_bytes, payload_bytes)));
    rest = rest.subspan(entry_bytes + payload_bytes);
  }
  if (cut_off) return damaged(std::move(contents), later("it is cut off"));
  return contents;
}

PtxChoice choose_ptx(const FatbinContents& contents, int device_arch) {
  std::vector<const FatbinEntry*> usable;
  for (const FatbinEntry& entry : contents.entries) {
    const bool is_known = entry.packing != FatbinEntry::Packing::kUnknown;
    if (entry.kind == FatbinEntry::Kind::kPtx && is_known && entry.runs_on(device_arch)) usable.push_back(&entry);
  }
  // Two entries may have the same architecture. The portable one probably uses fewer features that lockstep lacks.
  std::ranges::stable_sort(usable, [](const FatbinEntry* a, const FatbinEntry* b) {
    return a->arch != b->arch ? a->arch > b->arch : a->arch_specific < b->arch_specific;
  });
  for (const FatbinEntry* entry : usable)
    if (auto text = unpacked(*entry)) return {FatbinError::kNone, {}, std::move(*text), entry->arch};
  FatbinContents bad = contents;
  if (!usable.empty() && bad.error == FatbinError::kNone)
    bad = damaged(std::move(bad), later("its compressed PTX is damaged"));
  if (bad.error != FatbinError::kNone) return {bad.error, bad.message, {}, 0};
  return refuse(contents, device_arch);
}

PtxChoice choose_newer_ptx(const FatbinContents& contents, int device_arch) {
  PtxChoice best = refuse(contents, device_arch);
  for (const FatbinEntry& entry : contents.entries) {
    if (entry.kind != FatbinEntry::Kind::kPtx || entry.packing == FatbinEntry::Packing::kUnknown) continue;
    if (entry.arch <= device_arch || (best.error == FatbinError::kNone && best.arch <= entry.arch)) continue;
    auto text = unpacked(entry);
    // NVIDIA's libcudadevrt, which nvcc adds to programs of -rdc=true, has functions for newer cards and no kernels.
    if (text && text->find(".entry") != text->npos) best = {FatbinError::kNone, {}, std::move(*text), entry.arch};
  }
  return best;
}

std::span<const std::byte> fatbin_container_at(const void* data) {
  const auto* bytes = static_cast<const std::byte*>(data);
  if (!data || number_at<uint32_t>(bytes) != kContainerMagic) return {};
  return {bytes, number_at<uint16_t>(bytes + 6) + number_at<uint64_t>(bytes + 8)};
}

std::vector<std::span<const std::byte>> fatbin_containers(const void* wrapper) {
  std::vector<std::span<const std::byte>> containers;
  const auto add = [&](const void* data) {
    const std::span<const std::byte> container = fatbin_container_at(data);
    if (!container.empty()) containers.push_back(container);
  };
  if (!wrapper) return containers;
  const auto* at = static_cast<const std::byte*>(wrapper);
  if (number_at<uint32_t>(at) != kWrapperMagic) return containers;
  add(number_at<const void*>(at + 8));
  if (number_at<uint32_t>(at + 4) != kWrapperWithList) return containers;
  const auto* list = number_at<const void* const*>(at + 16);
  for (; list && *list; ++list) add(*list);
  return containers;
}

std::vector<std::span<const std::byte>> containers_of_file(std::span<const std::byte> file) {
  constexpr size_t kAlignment = 8;
  std::vector<std::span<const std::byte>> containers;
  for (size_t at = 0; at + kContainerHeaderBytes <= file.size(); at += kAlignment)
    if (number_at<uint32_t>(file.data() + at) == kContainerMagic) containers.push_back(file.subspan(at));
  return containers;
}

}  // namespace lockstep
